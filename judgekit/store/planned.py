"""What a journal holds against what was planned: attempts taken in, left out, or interrupted."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from judgekit.errors import InvalidArgument
from judgekit.evaluation import Kind
from judgekit.interaction import Interaction
from judgekit.results import TARGET, CaseResult, Results
from judgekit.stopping import Stopped
from judgekit.store.attempts import Attempts, JournalAttempts
from judgekit.store.head import RunHead
from judgekit.store.lines import AttemptLine, read_head, skip
from judgekit.text import counted

__all__ = ["same_plan", "settled", "take", "was_made"]

JUDGE = "judge"


def was_made(attempt: CaseResult) -> bool:
    """Whether the agent was called. Attempts that there was no money for stand at a journal's end."""
    own = next(iter(attempt.results), None)
    spent = own is not None and own.label == TARGET and own.kind is Kind.BUDGET_SPENT
    return not spent or attempt.interaction.latency is not None


def take(head: RunHead, results: Results, attempts: JournalAttempts, line: AttemptLine) -> bool:
    """Count an attempt; whether it is one of the plan, and the first of its place."""
    attempt: CaseResult = line.attempt
    index = head.case_at.get(attempt.case_id)
    if index is None or attempt.run > head.case_runs[index]:
        skip(attempts.path, f"case {attempt.case_id!r} run {attempt.run} is not in its plan")
    elif attempts.holds(index, attempt.run):
        skip(attempts.path, f"case {attempt.case_id!r} run {attempt.run} is there twice")
    else:
        attempts.put(index, attempt.run, line.offset, line.length)
        results.add(index, attempt.run, attempt.interaction, attempt.results)
        return True
    return False


def settled(head: RunHead, results: Results, attempts: Attempts) -> Stopped | None:
    """Account for planned attempts that were not made: left out by an early stop, or else interrupted."""
    saved = head.planned - len(results)
    early, looked_at = results.early, results.looked_at
    if not saved or early is None or looked_at is None:
        # Nothing was left out, so that the whole run decides.
        results.looked_at = None
        _count_interrupted(head, results)
        return None
    attempts.leave_out_absent()
    return Stopped(
        looked_at=looked_at,
        cases=len(head.case_ids),
        attempts_saved=saved,
        judged=any(label == JUDGE for required in head.requirement_sets for label, _ in required),
        alpha=early.alpha,
        seed=early.seed,
    )


def _count_interrupted(head: RunHead, results: Results) -> None:
    for index, runs in enumerate(head.case_runs):
        done = {outcome.run for outcome in results.runs_of(index)}
        for run in range(1, runs + 1):
            if run not in done:
                results.add(index, run, Interaction(), head.interrupted(index))


def same_plan(file: BinaryIO, path: Path, planned: RunHead) -> RunHead:
    """The head of a journal that this plan can go on with.

    Raises:
        InvalidArgument: It is the journal of another plan, or was begun with another early stop.
    """
    head = read_head(file, path)
    if head.fingerprint != planned.fingerprint:
        difference = _difference(head, planned)
        raise InvalidArgument(
            f"{path} is the journal of another plan: {difference}; run it without `.resume(...)`"
        )
    if planned.early is not None and (head.early is None or head.early[0] != planned.early[0]):
        begun = "without `.stop_early()`" if head.early is None else f"with `alpha={head.early[0]:g}`"
        raise InvalidArgument(
            f"{path} was begun {begun}, so that its cases cannot be looked at as this plan would; go on "
            "without `.stop_early(...)`, or run it without `.resume(...)`"
        )
    return head


def _difference(head: RunHead, planned: RunHead) -> str:
    if head.agent != planned.agent:
        return f"its agent is {head.agent!r}, now it is {planned.agent!r}"
    if head.judges != planned.judges:
        return f"its judges are {list(head.judges)}, now they are {list(planned.judges)}"
    if head.runs != planned.runs:
        return f"it has {counted(head.runs, 'run')}, now there are {planned.runs}"
    gone = len(set(head.case_ids) - set(planned.case_ids))
    new = len(set(planned.case_ids) - set(head.case_ids))
    if gone or new:
        return f"{gone} of its cases are gone and {new} are new"
    return "its cases or evaluators have changed, or their order"
