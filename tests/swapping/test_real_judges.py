"""Nine real exam-takers before real judges and people (TriviaQA, arXiv:2406.12624): the published figures."""

import csv
import json

import pytest

from judgekit import Abstained, EvalCase, ProviderSwap, Verdict
from judgekit.context import current_attempt
from judgekit.judging import JudgeBase

pytestmark = pytest.mark.slow


class Published(JudgeBase):
    """A judge whose verdicts are known: by agent and case, "1", "0" or nothing."""

    def __init__(self, verdicts):
        self.verdicts = verdicts

    def __repr__(self):
        return f"Published({len(self.verdicts)})"

    async def decide(self, criterion, interaction):
        said = self.verdicts[current_attempt().case_id]
        if not said:
            raise Abstained("it did not read this one")
        return Verdict(float(said), "as published")


@pytest.fixture(scope="module")
def rows(data_folder):
    with (data_folder / "triviaqa_judges" / "v1.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def known(data_folder):
    return json.loads((data_folder / "acceptance.json").read_text(encoding="utf-8"))


def swap_of(rows, judges, folder, *, case_of):
    """The exam-takers' answers as recordings, which nobody has to be called for."""
    folder.mkdir(exist_ok=True)
    by_agent = {}
    for row in rows:
        by_agent.setdefault(row["model"], []).append(row)
    for agent, mine in by_agent.items():
        lines = [
            {"id": case_of(n, row), "asked": row["question"], "reply": f"answer {row['row']}"}
            for n, row in enumerate(mine)
        ]
        (folder / f"{agent}.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    first = next(iter(by_agent.values()))
    return (
        ProviderSwap("trivia")
        .cases(EvalCase(case_of(n, row), row["question"]) for n, row in enumerate(first))
        .agents({agent: folder / f"{agent}.jsonl" for agent in by_agent})
        .judges(
            {
                judge: Published(
                    {
                        f"{agent}/{case_of(n, row)}": row[judge] if row["GPT-4"] else ""
                        for agent, mine in by_agent.items()
                        for n, row in enumerate(mine)
                    }
                )
                for judge in judges
            }
        )
        .criteria(lambda judge: judge.should_satisfy("The answer is right.", name="right"))
        .without_report_file()
    )


def test_judges_agree_with_people_as_published(rows, known, tmp_path):
    judges = ("human", "GPT-4", "Llama3-70B", "EM")
    report = swap_of(rows, judges, tmp_path, case_of=lambda n, row: f"row {n}").run()
    found = {one.second: one for one in report.agreements if one.first == "human"}
    for judge in judges[1:]:
        expected = known["triviaqa_agreement"][f"v1|{judge}"]
        both, human_only, judge_only, _ = found[judge].table
        assert sum(found[judge].table) == expected["n"] == 3595
        assert found[judge].equal.estimate == pytest.approx(expected["agreement"], abs=1e-6)
        assert found[judge].kappa.estimate == pytest.approx(expected["cohen_kappa"], abs=1e-6)
        assert found[judge].ac1.estimate == pytest.approx(expected["gwet_ac1"], abs=5.1e-6)
        assert both / (both + human_only) == pytest.approx(expected["sensitivity"], abs=1e-6)
        assert len(found[judge].flips) == human_only + judge_only
        low, high = found[judge].kappa.interval
        assert low < found[judge].kappa.estimate < high


def test_exam_takers_are_held_against_each_other_as_published(rows, known, tmp_path):
    pair = ("llama2-70b-base", "gpt-4t")
    mine = sorted((row for row in rows if row["model"] in pair), key=lambda row: pair.index(row["model"]))
    report = swap_of(mine, ("human",), tmp_path, case_of=lambda n, row: row["question"]).run()
    right, whole = report.comparisons
    expected = known["triviaqa_paired_mcnemar"]["gpt-4t|llama2-70b-base"]
    assert (right.new, right.old) == ("gpt-4t", "llama2-70b-base")
    assert right.passes.estimate == pytest.approx(expected["diff"])
    assert (len(right.passes.improved), len(right.passes.worsened)) == (expected["n10"], expected["n01"])
    # Adjusted for two comparisons: the criterion and the whole attempt, which is the same here.
    assert right.passes.p_value == pytest.approx(2 * expected["mcnemar_exact_p"])
    assert whole.passes.estimate == right.passes.estimate
    assert report.rankings[0].orders["human"] == (
        ("gpt-4t", pytest.approx(expected["acc_a"])),
        ("llama2-70b-base", pytest.approx(expected["acc_b"])),
    )
