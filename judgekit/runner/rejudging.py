"""An earlier run before another judge: its evidence is judged again, and no agent is called."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from judgekit.context import AttemptContext, RunScope, attempt_context
from judgekit.conversation import view_of_turn
from judgekit.evaluation import EvalCase, EvalResult, EvaluatorLike
from judgekit.jsonable import json_line
from judgekit.reporting import EvalReport
from judgekit.results import RUNNER_LABELS, CaseResult
from judgekit.runner.fingerprint import described
from judgekit.schedule import Observer
from judgekit.schedule.conversing import in_turn, turn_named
from judgekit.schedule.evaluating import Evaluation
from judgekit.store import JournalStore, RunHead, StoredRun
from judgekit.store.head import versions_now

__all__ = ["Again", "rejudge"]

REPORT = "report.json"


@dataclass(frozen=True, slots=True)
class Again:
    """What one case's results are measured with a second time.

    Attributes:
        case: As its evaluators see it.
        evaluators: One entry a result, in the order of the case's requirements; None keeps the result.
    """

    case: EvalCase
    evaluators: tuple[EvaluatorLike | None, ...]


async def rejudge(
    stored: StoredRun,
    again: Sequence[Again],
    *,
    judges: Sequence[str],
    scope: RunScope,
    directory: Path,
    resume: Path | None = None,
    concurrency: int = 8,
    max_cost: float | None = None,
    observer: Observer,
) -> EvalReport:
    """Judge the attempts of a run again, as a run of its own under the same name.

    What no judge said stays as it was, and so do attempts whose agent failed or was never called.

    Args:
        stored: The earlier run.
        again: One entry a case, in the run's order.
        judges: Their names, for the new run's head.
        scope: Of the new run.
        directory: The new run's own directory goes under it.
        resume: Go on with this journal in place of a new one.
        concurrency: Attempts judged at once.
        max_cost: US dollars that the judges may spend; None: no limit.
        observer: Hears of every attempt.

    Raises:
        InvalidArgument: The journal to resume belongs to another run or other judges.
        FileUnreadable: It is no journal.
    """
    head = _head(stored, again, judges)
    if resume is None:
        store = JournalStore.create(directory, head, scope.masker)
    else:
        store = JournalStore.resume(resume, head, scope.masker)
    try:
        if max_cost is not None:
            _limit(scope, max_cost, spent=store.results.judges.cost)
        return await _carried_out(_Work(stored, again, store, scope, observer), concurrency)
    finally:
        store.close()


def _head(stored: StoredRun, again: Sequence[Again], judges: Sequence[str]) -> RunHead:
    asked = [[described(one) for one in entry.evaluators if one is not None] for entry in again]
    identity = json_line([stored.head.fingerprint, stored.head.started_at, list(judges), asked])
    return replace(
        stored.head,
        started_at=datetime.now(UTC).isoformat(),
        judges=tuple(judges),
        fingerprint=hashlib.sha256(identity.encode()).hexdigest()[:16],
        gate=stored.gate.to_json(),
        versions=versions_now(),
    )


def _limit(scope: RunScope, max_cost: float, *, spent: float) -> None:
    from judgekit.providers.spend import LEDGER, Ledger

    scope.service(LEDGER, lambda: Ledger(max_cost)).charge(spent)


@dataclass(frozen=True, slots=True)
class _Work:
    stored: StoredRun
    again: Sequence[Again]
    store: JournalStore
    scope: RunScope
    observer: Observer


async def _carried_out(work: _Work, concurrency: int) -> EvalReport:
    work.observer.planned(len(work.stored.attempts))
    for outcome in list(work.store.results.attempts()):
        work.observer.finished(outcome)
    cancelled: asyncio.CancelledError | None = None
    places, evaluation = _to_judge(work), Evaluation()
    session = uuid4().hex
    try:
        try:
            async with asyncio.TaskGroup() as workers:
                for _ in range(max(1, min(concurrency, work.store.head.planned))):
                    workers.create_task(_judge_on(work, places, evaluation, session))
        finally:
            await work.scope.close()
    except asyncio.CancelledError as error:
        cancelled = error
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None
    report = _report(work)
    work.observer.ended(report)
    if cancelled is not None:
        raise cancelled
    return report


def _to_judge(work: _Work) -> Iterator[tuple[int, int]]:
    for number, position in enumerate(work.stored.attempts.positions):
        if not work.store.holds(*work.store.head.place(position)):
            yield number, position


async def _judge_on(
    work: _Work, places: Iterator[tuple[int, int]], evaluation: Evaluation, session: str
) -> None:
    for number, position in places:
        index, run = work.store.head.place(position)
        attempt = work.stored.attempts[number]
        context = AttemptContext(attempt.case_id, index, run, f"{session}-{index}-{run}", work.scope)
        attempt_context.set(context)
        results = await _results(attempt, work.again[index], evaluation)
        work.observer.finished(work.store.add(index, run, attempt.interaction, results))


async def _results(attempt: CaseResult, again: Again, evaluation: Evaluation) -> tuple[EvalResult, ...]:
    kept = attempt.results
    if kept and kept[0].label in RUNNER_LABELS:
        return kept
    turns = [turn_named(result) if attempt.interaction.turns else None for result in kept]
    found = list(kept)
    for turn in dict.fromkeys(turns):
        places = [n for n, one in enumerate(again.evaluators) if one is not None and turns[n] == turn]
        evaluators = [one for one in (again.evaluators[n] for n in places) if one is not None]
        evidence = attempt.interaction if turn is None else view_of_turn(attempt.interaction.turns, turn)
        results = await evaluation.results(again.case, evidence, evaluators)
        for place, result in zip(places, results, strict=True):
            found[place] = result if turn is None else in_turn(turn, result)
    return tuple(found)


def _report(work: _Work) -> EvalReport:
    # Whoever judges, the order was random: the same cases are looked at.
    work.store.results.looked_at = work.stored.results.looked_at
    stored = work.store.finish(work.stored.gate, datetime.now(UTC).isoformat())
    file = work.store.attempts.path.with_name(REPORT)
    report = stored.report(file=file)
    report.write(file)
    return report
