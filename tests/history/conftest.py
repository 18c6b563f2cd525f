"""Folders with runs that really ran, one after the other."""

import json

import pytest

from judgekit import EvalCase, ExperimentRunner, Gate, Interaction, Judge
from judgekit.evaluators import reply_should_contain
from judgekit.testing import ScriptedModel, otherwise, verdict


class Folder:
    """A folder of runs; `run` adds one, whose agent answers `yes` to all but the cases that are to fail."""

    def __init__(self, path):
        self.path = path

    def run(
        self,
        *failing,
        cases=("a", "b", "c"),
        name="desk",
        agent="desk",
        judge=None,
        repeat=1,
        flaky=(),
        more=(),
    ):
        seen = []

        def answer(command):
            seen.append(command)
            wrong = command in failing or (command in flaky and seen.count(command) == 1)
            return Interaction(reply="no" if wrong else "yes", latency=0.1)

        evaluators = [reply_should_contain("yes"), *more]
        if judge is not None:
            evaluators.append(judge)
        made = [EvalCase(case, case, *evaluators) for case in cases]
        before = set(self.path.iterdir()) if self.path.exists() else set()
        plan = ExperimentRunner(name).cases(made).agent(answer, name=agent).repeat(repeat).concurrency(1)
        plan.gate(Gate.pass_rate_should_be_at_least(0.5)).report_directory(self.path).run()
        (folder,) = set(self.path.iterdir()) - before
        return folder


def edited_head(folder, **changes):
    """Write other values into the head of a run's journal."""
    journal = folder / "journal.jsonl"
    head, _, rest = journal.read_text(encoding="utf-8").partition("\n")
    journal.write_text(json.dumps(json.loads(head) | changes) + "\n" + rest, encoding="utf-8")


def tone(model="strict", criterion="It is warm", score=0.9):
    """A criterion before a scripted judge of this name."""
    judge = Judge(ScriptedModel(otherwise(verdict(score, "as asked")), name=model))
    return judge.should_score_at_least(criterion, 0.5, name="tone")


@pytest.fixture
def runs(tmp_path):
    return Folder(tmp_path / "runs")
