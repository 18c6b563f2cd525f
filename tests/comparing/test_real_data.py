"""Real runs with known answers go through `report.compare`, and come to the published figures."""

import csv
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from judgekit.comparing import Axis
from judgekit.evaluation import EvalResult, Measurement, Outcome
from judgekit.gate import Gate
from judgekit.interaction import Interaction
from judgekit.reporting import EvalReport
from judgekit.results import CaseResult, Results
from judgekit.statistics import ComparisonVerdict

EXTRACTS = Path(__file__).parents[1] / "statistics" / "data"
IMPROVED, EQUIVALENT, REGRESSED, UNDERPOWERED = ComparisonVerdict


def report_of(attempts):
    """A report of one run a case, made in the order given."""
    results = Results([attempt.case_id for attempt in attempts])
    for index, attempt in enumerate(attempts):
        results.add(index, 1, attempt.interaction, attempt.results)
    now, gate = datetime.now(UTC), Gate.all_cases_should_pass()
    return EvalReport(
        name="real", started_at=now, finished_at=now, runs=1, counts=results, results=attempts,
        decision=gate.decide(results), gate=gate,
    )  # fmt: skip


def answered(answers, right):
    """A run whose replies are the answers, checked against what is right."""
    return report_of(
        [
            CaseResult(
                str(n), 1, Interaction(reply=answer),
                (EvalResult(Outcome.PASS if answer == expected else Outcome.FAIL, label="answer"),),
            )
            for n, (answer, expected) in enumerate(zip(answers, right, strict=True))
        ]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "worsened", "improved", "p", "verdict"),
    [
        ("GPT-4|Vanilla_NoRules", "GPT-4|Vanilla", 5, 33, 4.256e-6, IMPROVED),
        ("GPT-4|Vanilla", "GPT-4|CoT", 20, 13, 0.296206, EQUIVALENT),
        ("ChatGPT|Vanilla", "ChatGPT|CoT", 33, 31, 0.900653, EQUIVALENT),
    ],
)
def test_a_changed_prompt_on_llmbar(before, after, worsened, improved, p, verdict):
    data = json.loads((EXTRACTS / "llmbar.json").read_text(encoding="utf-8"))
    runs = [answered(data[name][1], data[name][0]) for name in (before, after)]
    found = runs[1].compare(runs[0], max_drop=0.05)
    assert (len(found.worsened), len(found.improved)) == (worsened, improved)
    assert found.overall.p_value == pytest.approx(p, rel=1e-3)
    assert (found.axis, found.verdict) == (Axis.AGENT, verdict)
    back = runs[0].compare(runs[1])
    assert back.verdict is {IMPROVED: REGRESSED}.get(verdict, UNDERPOWERED)


def scored(pairs, side):
    """A run whose replies one judge scored."""
    judge = (Measurement(model="livebench", fingerprint="livebench"),)
    return report_of(
        [
            CaseResult(
                f"{task} {n}",
                1,
                Interaction(reply=f"{side} {n}"),
                (_score(scores[side], judge),),
            )
            for n, (task, scores) in enumerate(pairs)
        ]
    )


def _score(score, judge):
    outcome = Outcome.PASS if score >= 0.5 else Outcome.FAIL
    return EvalResult(outcome, "", None, "judge", "score", score, 0.5, measurements=judge)


def test_two_models_on_livebench_differ_until_the_questions_of_a_task_are_kept_together():
    tasks = json.loads((EXTRACTS / "livebench.json").read_text(encoding="utf-8"))
    pairs = [(task, scores) for task, rows in tasks.items() for scores in rows]
    preview, mini = scored(pairs, 0), scored(pairs, 1)
    alone = preview.compare(mini, max_drop=0.05).evaluators[0].scores
    assert (alone.estimate, alone.standard_error) == pytest.approx((0.044384, 0.013815), abs=1e-6)
    # Two tests, so Holm doubles the published 0.0016 at most.
    assert alone.p_value == pytest.approx(0.0032, abs=0.002)
    assert alone.verdict is IMPROVED
    by_task = preview.compare(mini, max_drop=0.05, cluster=lambda case: case.split()[0])
    together = by_task.evaluators[0].scores
    assert (together.n_clusters, together.verdict) == (18, EQUIVALENT)
    assert together.p_value > 0.2


def test_two_judges_of_the_same_pairs_are_held_against_each_other():
    """LLMBar is one set of frozen pairs; "passes" is here that a judge picks the first of two outputs."""
    data = json.loads((EXTRACTS / "llmbar.json").read_text(encoding="utf-8"))

    def judged(name):
        judge = (Measurement(model=name, fingerprint=name),)
        return report_of(
            [
                CaseResult(str(n), 1, Interaction(reply=f"pair {n}"), (_score(float(pick == "1"), judge),))
                for n, pick in enumerate(data[name][1])
            ]
        )

    found = judged("ChatGPT|Vanilla").compare(judged("GPT-4|Vanilla"))
    assert found.axis is Axis.JUDGE
    one = found.evaluators[0]
    picks = [[pick == "1" for pick in data[name][1]] for name in ("GPT-4|Vanilla", "ChatGPT|Vanilla")]
    same = sum(a == b for a, b in zip(*picks, strict=True)) / 419
    assert one.agreement.estimate == pytest.approx(same)
    assert one.agreement.kappa.estimate == pytest.approx(kappa(*picks))
    assert one.pass_fail.estimate == pytest.approx((sum(picks[1]) - sum(picks[0])) / 419)


def kappa(a, b):
    """Cohen's, from its definition."""
    n, seen = len(a), sum(x == y for x, y in zip(a, b, strict=True)) / len(a)
    chance = (sum(a) * sum(b) + (n - sum(a)) * (n - sum(b))) / n**2
    return (seen - chance) / (1 - chance)


def test_nine_models_on_triviaqa(data_folder):
    """All 36 pairs, on human labels: McNemar's p values, and how many verdicts they give."""
    known = json.loads((data_folder / "acceptance.json").read_text(encoding="utf-8"))
    known = known["triviaqa_paired_mcnemar"]
    labels: dict[str, dict[str, bool]] = {}
    with (data_folder / "triviaqa_judges" / "v1.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            # Five rows that no judge read repeat questions of the same model.
            if row["GPT-4"]:
                labels.setdefault(row["model"], {})[row["question"]] = row["human"] == "1"
    reports = {model: labelled(model, rows) for model, rows in labels.items()}
    shown = 0
    for pair, expected in known.items():
        if "|" not in pair:
            continue
        first, second = pair.split("|")
        found = reports[first].compare(reports[second])
        assert found.overall.n_items == expected["n"]
        assert len(found.improved) == expected["n10"]
        assert len(found.worsened) == expected["n01"]
        assert found.overall.p_value == pytest.approx(expected["mcnemar_exact_p"], rel=1e-6)
        assert found.overall.estimate == pytest.approx(expected["diff"], abs=1e-6)
        assert found.overall.standard_error == pytest.approx(expected["se_paired"], abs=1e-6)
        shown += found.verdict in (IMPROVED, REGRESSED)
    # As published, without an adjustment: each pair is a comparison of its own here.
    assert shown == 29


def labelled(model, rows):
    """A run in which people said of each answer whether it is right."""
    return report_of(
        [
            CaseResult(
                question,
                1,
                Interaction(reply=model),
                (EvalResult(Outcome.PASS if right else Outcome.FAIL, label="human"),),
            )
            for question, right in rows.items()
        ]
    )
