"""The words of a comparison: what each axis, verdict and amount is called."""

import json

import pytest

from judgekit.comparing import RunReading, compare_runs
from judgekit.evaluation import EvalResult, Measurement, Outcome
from judgekit.interaction import Interaction, ModelCall
from judgekit.results import CaseResult
from judgekit.statistics import ComparisonVerdict


@pytest.fixture
def run(make_report):
    """A run of judged cases, with the model of the judge and the reply of the agent."""

    def made(scores, *, model="a", reply="same", **evidence):
        measured = (Measurement(model=model, fingerprint=model, cost=0.00002),)
        return make_report(
            [
                CaseResult(
                    f"c{n}",
                    1,
                    Interaction(command_text=str(n), reply=reply, **evidence),
                    (
                        EvalResult(
                            Outcome.PASS if score >= 0.5 else Outcome.FAIL,
                            label="judge",
                            name="polite",
                            score=score,
                            threshold=0.5,
                            measurements=measured,
                        ),
                    ),
                )
                for n, score in enumerate(scores)
            ]
        )

    return made


def said(comparison):
    return " ".join(str(comparison).split())


def test_both_changes_are_named_with_their_models(run):
    found = said(run([0.9] * 6, model="b", reply="other").compare(run([0.9] * 6)))
    assert "changed: the agent's answers (6 of 6 transcripts differ) and the judge (a → b)" in found
    assert "no verdict: agent and judge both changed" in found


@pytest.mark.parametrize(
    ("new", "words"),
    [
        ([0.9] * 4, "the new judge is more lenient by 0.50;"),
        ([0.9, 0.9, 0.1, 0.1], "the new judge passes as many;"),
        ([0.9, 0.1, 0.1, 0.1], "the new judge is stricter by 0.25;"),
    ],
)
def test_a_judge_is_stricter_or_more_lenient_and_an_agent_never(run, new, words):
    old = run([0.9, 0.9, 0.1, 0.1])
    assert words in said(run(new, model="b").compare(old))
    assert "judge is" not in said(run(new, reply="other").compare(old))


def test_a_threshold_that_changed_is_named_where_the_models_are_the_same(run, make_report):
    old = run([0.9] * 4)
    attempts = [
        CaseResult(
            attempt.case_id,
            1,
            attempt.interaction,
            (
                EvalResult(
                    Outcome.PASS, "", None, "judge", "polite", 0.9, 0.8, None, attempt.results[0].measurements
                ),
            ),
        )
        for attempt in old.results
    ]
    found = said(make_report(attempts).compare(old))
    assert "the criterion, on the same transcripts (threshold); not the agent" in found
    assert "the new criterion passes as many" in found
    assert "new judge" not in found


def test_amounts_have_their_units_and_small_ones_do_not_vanish(run):
    calls = {"model_calls": (ModelCall(model="m", input_tokens=1500, output_tokens=20, cost=0.00001),)}
    found = said(
        run([0.9] * 3, latency=2.5, reply="x", **calls).compare(run([0.9] * 3, latency=1.0, **calls))
    )
    assert "latency: 1.00 s → 2.50 s (+1.50 s, +1.50 s to +1.50 s)" in found
    assert "cost: $0.000010 → $0.000010 (no difference)" in found
    assert "input tokens: 1,500 → 1,500 (no difference)" in found
    assert "judge cost: $0.000020 → $0.000020" in found
    assert "agent on m, judged by a" in found


def test_the_agreement_of_two_judges_is_json_with_names_as_json_writes_them(run):
    document = run([0.9, 0.1], model="b").compare(run([0.9, 0.9])).to_json()
    agreement = json.loads(json.dumps(document))["evaluators"][0]["agreement"]
    assert agreement["table"] == [[0, 0], [1, 1]]
    assert agreement["first_shares"] == {"false": 0.0, "true": 1.0}
    assert document["old"]["started_at"] == "2025-03-01T12:00:00Z"


def test_long_lists_end_with_how_many_more(run):
    found = str(run([0.1] * 30, reply="x").compare(run([0.9] * 30)))
    assert found.count("failed on polite") == 20
    assert "\n  and 10 more\n" in found


def test_level_and_seed_are_those_asked_for(run):
    new, old = run([0.9, 0.2] * 9, reply="x"), run([0.8, 0.7] * 9)
    assert "90 % interval" in str(new.compare(old, level=0.9))
    readings = RunReading.of(new), RunReading.of(old)
    one, other = (compare_runs(*readings, seed=seed).evaluators[0].scores for seed in (1, 2))
    assert one.p_value == pytest.approx(other.p_value, abs=0.02)
    assert compare_runs(*readings, seed=1).to_json() == new.compare(old, seed=1).to_json()


def test_judges_are_said_to_agree_on_so_many_transcripts(run):
    found = said(run([0.9, 0.9, 0.1, 0.1], model="b").compare(run([0.9] * 4)))
    assert "both say the same of 2 of 4 transcripts (0.50), kappa 0.00" in found
    assert "only the old passes 2, only the new 0" in found


def test_where_no_case_differs_it_is_said_how_many_would_be_enough(run):
    def compared(cases):
        return run([1.0] * cases, reply="x").compare(run([1.0] * cases), max_drop=0.1)

    few, enough = compared(34), compared(35)
    assert "No case differs: 35 cases that do not would be EQUIVALENT within 0.1." in said(few)
    assert few.verdict is ComparisonVerdict.UNDERPOWERED
    assert enough.verdict is ComparisonVerdict.EQUIVALENT
    assert "No case differs" not in said(enough)
