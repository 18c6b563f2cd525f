"""`judgekit rejudge RUN`: another judge on the same evidence, without the agent."""

import json

import pytest

from judgekit.reporting import EvalReport
from judgekit.testing import verdict

SUITE = """
import os
from judgekit import EvalCase, EvalResult, ExperimentRunner, Gate, Judge, eval_label
from judgekit.evaluators import reply_should_contain

judge = Judge("openai/old", api_base=os.environ["OLD"], api_key="secret-old")
polite = judge.should_score_at_least("The reply is polite", {threshold}, name="polite")
{more}

def agent(command):
    with open("called.txt", "a") as file:
        file.write(command)
    if command == "boom":
        raise ValueError("no")
    return "" if command == "mute" else f"You said {{command}}"

cases = [
    EvalCase("a", "hello", reply_should_contain("hello"), polite),
    EvalCase("b", "boom", polite),
    EvalCase("c", "mute", polite),
    EvalCase("d", "bye", polite, reply_should_contain("nothing like it")),
]
experiment = ExperimentRunner("t").cases(cases).agent(agent).gate(
    Gate.mean_score_should_be_at_least(0.5, of="polite")
)
"""


@pytest.fixture
def first(judgekit, fake_provider):
    """Runs a suite before a judge that gives everything 0.9; the new judge gives 0.3."""
    old, new = fake_provider(verdict(0.9, "kind")), fake_provider(verdict(0.3, "cold"))

    def run(threshold=0.7, more=""):
        judgekit.write("suite.py", SUITE.format(threshold=threshold, more=more))
        done = judgekit("run", "suite.py", OLD=old.url)
        assert done.returncode == 0, done.out + done.err
        assert old.count == 2
        return old, new

    return run


def rejudged(judgekit, new, *arguments, **environment):
    return judgekit(
        "rejudge", *arguments, "--judge-model", "openai/new", OPENAI_API_KEY="k",
        **{"OPENAI_API_BASE": new.url, **environment},
    )  # fmt: skip


def runs(judgekit):
    return sorted(path.parent for path in judgekit.folder.glob(".judgekit/runs/*/journal.jsonl"))


def test_only_what_a_judge_said_is_measured_again(judgekit, first):
    old, new = first()
    done = rejudged(judgekit, new)
    assert done.returncode == 1, done.err
    assert "gate: FAILED — polite mean score 0.30 over 2 judged attempts, required 0.50" in done.out
    assert (old.count, new.count) == (2, 2)
    assert (judgekit.folder / "called.txt").read_text().count("hello") == 1

    before, after = (EvalReport.read(run) for run in runs(judgekit))
    assert [case.case_id for case in after.results] == ["a", "b", "c", "d"]
    for one, other in zip(before.results, after.results, strict=True):
        assert one.interaction == other.interaction
        kept = [result for result in one.results if result.label != "judge"]
        assert [result for result in other.results if result.label != "judge"] == kept
    assert after.results[1].results == before.results[1].results
    assert list(after.judges.models) == ["openai/new"]
    assert [r.threshold for r in after.results[0].results if r.label == "judge"] == [0.7]


@pytest.mark.parametrize(
    "more",
    [
        'polite = judge.should_satisfy("The reply is polite", name="polite", reference="Hello!")',
        'polite = Judge("openai/old", api_base=os.environ["OLD"], api_key="k", system_message="Be kind.")'
        '.should_satisfy("The reply is polite", name="polite")',
    ],
)
def test_what_the_journal_does_not_hold_needs_the_suite(judgekit, first, more):
    old, new = first(more=more)
    done = rejudged(judgekit, new)
    assert done.returncode == 2
    assert done.out == ""
    (line,) = done.err.splitlines()
    assert "'polite'" in line
    assert line.endswith("name the suite with --suite")
    assert new.count == 0

    done = rejudged(judgekit, new, "--suite", "suite.py", "--json", OLD=new.url)
    assert done.returncode == 1, done.err
    document = json.loads(done.out)
    judged = [r for a in document["attempts"] for r in a["results"] if "score" in r]
    assert [result["score"] for result in judged] == [0.3, 0.3]
    assert (old.count, new.count) == (2, 2)
    assert (judgekit.folder / "called.txt").read_text().count("hello") == 1


def test_a_whole_threshold_is_recognised(judgekit, first):
    _, new = first(threshold=0)
    assert rejudged(judgekit, new).returncode == 1
    assert new.count == 2


def test_a_limit_on_cost_needs_a_price(judgekit, first):
    _, new = first()
    done = rejudged(judgekit, new, "--max-cost", "1")
    assert done.returncode == 2
    assert "no price is known for openai/new" in done.err
    assert new.count == 0


def test_a_rejudged_run_resumes_without_a_call(judgekit, first):
    _, new = first()
    original = runs(judgekit)[0]
    rejudged(judgekit, new, original)
    again = runs(judgekit)[1]
    done = rejudged(judgekit, new, original, "--resume", again)
    assert done.returncode == 1, done.err
    assert new.count == 2


def test_a_run_without_judges_cannot_be_judged_again(plain):
    plain("run", "suite.py")
    done = plain("rejudge", "--judge-model", "openai/new")
    assert done.returncode == 2
    assert done.err == "judgekit: no judge was asked in this run, so there is nothing to judge again\n"


def test_each_turn_of_a_conversation_is_judged_again_on_its_own_evidence(judgekit, fake_provider):
    old = fake_provider(verdict(0.9, "kind"))
    new = fake_provider(
        lambda turn: verdict(
            0.8 if "reply: hello" in turn.messages[1]["content"].split("<<<reply")[1] else 0.2
        )
    )
    judgekit.write(
        "suite.py",
        """
        import os
        from judgekit import EvalCase, ExperimentRunner, Judge, Turn

        judge = Judge("openai/old", api_base=os.environ["OLD"], api_key="secret-old")
        polite = judge.should_satisfy("The reply is polite", name="polite")

        def agent(command, session):
            return f"reply: {command}"

        case = EvalCase.conversation("talk", [Turn("hello", polite), Turn("bye", polite)], polite)
        experiment = ExperimentRunner("t").cases(case).agent(agent)
        """,
    )
    assert judgekit("run", "suite.py", OLD=old.url).returncode == 0
    done = rejudged(judgekit, new)
    assert done.returncode == 1, done.err
    before, after = (EvalReport.read(run) for run in runs(judgekit))
    assert [result.detail.partition(" —")[0] for result in after.results[0].results] == [
        "turn 1: polite: scored 0.80, needed 0.50",
        "turn 2: polite: scored 0.20, needed 0.50",
        "polite: scored 0.20, needed 0.50",
    ]
    assert after.results[0].interaction == before.results[0].interaction
