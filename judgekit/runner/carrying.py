"""A checked plan carried out: its attempts, its decision, its report."""

from __future__ import annotations

import asyncio
import warnings
from datetime import UTC, datetime

from judgekit.context import RunScope
from judgekit.reporting import EvalReport
from judgekit.runner.settings import Prepared
from judgekit.schedule import EarlyLooks, Observer, run_attempts
from judgekit.store import RunStore
from judgekit.text import first_line

__all__ = ["carried_out"]

REPORT = "report.json"


async def carried_out(plan: Prepared, store: RunStore, scope: RunScope, observer: Observer) -> EvalReport:
    """Make the attempts that the store does not hold, decide, and write the report beside the journal.

    Cancelling it keeps what is finished.
    """
    scope.case_ids = frozenset(store.head.case_ids)
    observer.planned(store.head.planned)
    for outcome in list(store.results.attempts()):
        observer.finished(outcome)
    cancelled: asyncio.CancelledError | None = None
    try:
        try:
            await run_attempts(plan.plan, store, scope, observer, looks=_looks(plan, store))
        finally:
            await _closed(scope)
    except asyncio.CancelledError as error:
        cancelled = error
    report = _report(plan, store)
    observer.ended(report)
    if cancelled is not None:
        raise cancelled
    return report


def _looks(plan: Prepared, store: RunStore) -> EarlyLooks | None:
    """What may stop the run; a plan that does not want it finishes a run that was begun with it."""
    early = store.results.early
    return None if early is None or plan.head.early is None else EarlyLooks(plan.gate, store, early)


async def _closed(scope: RunScope) -> None:
    """A client that cannot be closed must not cost the report."""
    try:
        await scope.close()
    except Exception as error:  # noqa: BLE001 - whatever it is, the run is over
        warnings.warn(f"after the run: {first_line(error)}", RuntimeWarning, stacklevel=2)


def _report(plan: Prepared, store: RunStore) -> EvalReport:
    stored = store.finish(plan.gate, datetime.now(UTC).isoformat())
    if store.journal_path is None:
        return stored.report()
    file = store.journal_path.with_name(REPORT)
    report = stored.report(file=file)
    report.write(file)
    return report
