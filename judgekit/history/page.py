"""A history as one HTML file: it opens from disk, asks for nothing, and no script may run in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from judgekit.history.model import ExperimentHistory, HistoryRun, RunHistory
from judgekit.history.trend import trend_of
from judgekit.history.wording import cost_text, day, percent, took_text, when
from judgekit.reporting.html.page import rendered_without_script
from judgekit.reporting.html.plots import bar

__all__ = ["rendered"]

_EXPERIMENTS, _RUNS, _RUNS_IN_ALL, _PLOTS, _CASES, _UNREAD = 50, 300, 1_000, 60, 20, 200


def rendered(history: RunHistory) -> str:
    """The page."""
    shown = history.experiments[:_EXPERIMENTS]
    most = min(_RUNS, _RUNS_IN_ALL // max(1, len(shown)))
    return rendered_without_script(
        "history.html.j2",
        "history.css",
        folder=str(history.folder),
        experiments=[_experiment(one, history.of, most) for one in shown],
        experiments_left=len(history.experiments) - len(shown),
        unread=history.unread[:_UNREAD],
        unread_left=max(0, len(history.unread) - _UNREAD),
    )


def _experiment(experiment: ExperimentHistory, of: str | None, most: int) -> dict[str, Any]:
    runs = experiment.runs[-most:]
    keys = experiment.rate_keys(of)
    trends = [trend for key in keys[:_PLOTS] if (trend := trend_of(runs, key)) is not None]
    return {
        "name": experiment.name,
        "outcome": runs[-1].outcome.value,
        "total": len(experiment.runs) + experiment.earlier,
        "first": day(runs[0].started_at),
        "last": day(runs[-1].started_at),
        "trends": [(trend, percent(trend.last.rate)) for trend in trends],
        "plots_left": max(0, len(keys) - _PLOTS),
        "broken": any(trend.breaks for trend in trends),
        "runs": [_run(run) for run in reversed(runs)],
        "earlier": len(experiment.runs) + experiment.earlier - len(runs),
    }


def _run(run: HistoryRun) -> dict[str, Any]:
    passes = run.passes
    interval = passes.interval
    return {
        "when": when(run.started_at),
        "folder": run.folder.name,
        "outcome": run.outcome.value,
        "passed": passes.passed,
        "decided": passes.decided,
        "missing": passes.missing,
        "rate": percent(passes.rate),
        "bar": bar(passes.rate, interval),
        "said": "" if interval is None else f"interval {interval.low:.2f} to {interval.high:.2f}",
        "cost": cost_text(run),
        "took": took_text(run),
        "changes": run.changes,
        "left_out": run.lines_left_out,
        "lists": [
            (title, len(cases), cases[:_CASES], max(0, len(cases) - _CASES))
            for title, cases in _lists(run)
            if cases
        ],
    }


def _lists(run: HistoryRun) -> Sequence[tuple[str, Sequence[str]]]:
    return (("new failures", run.new_failures), ("fixed", run.fixed), ("flaky", run.flaky))
