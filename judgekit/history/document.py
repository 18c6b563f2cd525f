"""A history as JSON data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from judgekit.history.model import ExperimentHistory, HistoryRate, HistoryRun, RunHistory
from judgekit.jsonable import json_line

__all__ = ["document_of", "rendered"]

FORMAT, FORMAT_VERSION = "judgekit-history", 1


def rendered(history: RunHistory) -> str:
    """The history as one JSON document (RFC 8259), ended by a line feed."""
    return json_line(document_of(history)) + "\n"


def document_of(history: RunHistory) -> dict[str, Any]:
    """The history as JSON data; lists of cases are whole."""
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "folder": str(history.folder),
        "of": history.of,
        "experiments": [_experiment(one, history.of) for one in history.experiments],
        "unread": [{"folder": one.folder.name, "reason": one.reason} for one in history.unread],
    }


def _experiment(experiment: ExperimentHistory, of: str | None) -> dict[str, Any]:
    return {
        "name": experiment.name,
        "earlier": experiment.earlier,
        "runs": [_run(run, of) for run in experiment.runs],
    }


def _run(run: HistoryRun, of: str | None) -> Mapping[str, Any]:
    return {
        "folder": run.folder.name,
        "started_at": _moment(run.started_at),
        "finished_at": None if run.finished_at is None else _moment(run.finished_at),
        "seconds": run.seconds,
        "agent": run.agent,
        "judges": list(run.judges),
        "versions": dict(run.versions),
        "cases": run.cases,
        "attempts": run.attempts,
        "gate": {"outcome": run.outcome.value, "detail": run.detail},
        "rates": [_rate(rate) for rate in run.rates if of is None or of in rate.key],
        "cost": run.cost,
        "cost_complete": run.cost_complete,
        "changes": [{"what": one.what, "of": one.of, "text": one.text} for one in run.changes],
        "new_failures": list(run.new_failures),
        "fixed": list(run.fixed),
        "flaky": list(run.flaky),
        "lines_left_out": run.lines_left_out,
        "stopped": None if run.stopped is None else asdict(run.stopped),
    }


def _rate(rate: HistoryRate) -> dict[str, Any]:
    interval = rate.interval
    return {
        "label": rate.label,
        "name": rate.name,
        "passed": rate.passed,
        "failed": rate.failed,
        "missing": rate.missing,
        "rate": rate.rate,
        "interval": None
        if interval is None
        else {"low": interval.low, "high": interval.high, "level": interval.level},
    }


def _moment(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")
