"""The RUN argument: a run's folder, its journal, its report.json, or nothing for the newest run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from judgekit.cli.mistakes import Mistake

if TYPE_CHECKING:
    from judgekit.reporting import EvalReport
    from judgekit.store import StoredRun
    from judgekit.swapping import SwapReport

__all__ = ["RUNS", "place_of", "run_argument", "stored_report", "stored_result", "stored_run"]

F = TypeVar("F", bound=Callable[..., Any])

RUNS = Path(".judgekit") / "runs"
_JOURNAL, _REPORT = "journal.jsonl", "report.json"


def run_argument(function: F) -> F:
    """Attach the argument RUN."""
    return click.argument("run", required=False, type=click.Path(path_type=Path))(function)


def place_of(run: Path | None) -> Path:
    """Where a run is kept.

    Raises:
        Mistake: There is no such run, or none at all.
    """
    if run is None:
        return _newest()
    if run.exists():
        return run
    if (RUNS / run).is_dir():
        return RUNS / run
    raise Mistake(f"there is no run {run}; name a folder such as {RUNS}/<name>-<start>")


def _newest() -> Path:
    journals = sorted(RUNS.glob(f"*/{_JOURNAL}"), key=lambda path: path.stat().st_mtime)
    if not journals:
        raise Mistake(f"there is no run under {RUNS}; name a run's folder, or begin one with `judgekit run`")
    return journals[-1].parent


def stored_run(run: Path | None) -> StoredRun:
    """A run from its journal.

    Raises:
        Mistake: There is no such run.
        FileUnreadable: It has no journal that can be read.
    """
    from judgekit.store import read_run

    return read_run(place_of(run))


def stored_result(run: Path | None) -> EvalReport | SwapReport:
    """A run's report as the run itself printed it: of a provider swap the tables of agents and judges.

    Raises:
        Mistake: There is no such run.
        FileUnreadable: It is neither a journal nor a report.
    """
    place = place_of(run)
    if not _has_journal(place):
        return stored_report(place)
    from judgekit.store import read_run

    stored = read_run(place)
    if stored.head.axes is None:
        return _report_of(stored)
    from judgekit.swapping import SwapReport

    return SwapReport.of_stored(stored)


def stored_report(run: Path | None) -> EvalReport:
    """A run's report: from its journal, which is complete at any time, or from a `report.json`.

    Raises:
        Mistake: There is no such run.
        FileUnreadable: It is neither a journal nor a report.
    """
    from judgekit.reporting import EvalReport

    place = place_of(run)
    if not _has_journal(place):
        return EvalReport.read(place)
    from judgekit.store import read_run

    return _report_of(read_run(place))


def _has_journal(place: Path) -> bool:
    """Whether a run is to be read from its journal, or else from its report."""
    reported = place.is_dir() and not (place / _JOURNAL).exists() and (place / _REPORT).exists()
    return place.suffix != ".json" and not reported


def _report_of(stored: StoredRun) -> EvalReport:
    file = stored.journal.with_name(_REPORT) if stored.journal is not None else None
    report = stored.report()
    return replace(report, file=file) if file is not None and file.exists() else report
