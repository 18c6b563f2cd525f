"""A history as Markdown; bounded, and tested text stays text."""

from __future__ import annotations

from collections.abc import Iterator

from judgekit.evaluation import Outcome
from judgekit.history.model import ExperimentHistory, HistoryRate, HistoryRun, RunHistory
from judgekit.history.text import signs
from judgekit.history.wording import cost_text, day, named, percent, took_text, when
from judgekit.reporting.markdown_text import code
from judgekit.text import counted

__all__ = ["rendered"]

_GATE = {Outcome.PASS: "✅ passed", Outcome.FAIL: "❌ FAILED", Outcome.INCONCLUSIVE: "⚠️ INCONCLUSIVE"}
_EXPERIMENTS, _RUNS, _RATES, _CHANGES, _UNREAD, _TEXT = 20, 30, 60, 60, 50, 300


def rendered(history: RunHistory) -> str:
    """A table of rates and a table of runs for each experiment, ended by a line feed."""
    lines: list[str] = []
    for experiment in history.experiments[:_EXPERIMENTS]:
        lines += _experiment(experiment, history.of)
    if len(history.experiments) > _EXPERIMENTS:
        lines += ["", f"{counted(len(history.experiments) - _EXPERIMENTS, 'more experiment')} in the JSON."]
    if not history.experiments:
        lines.append("No runs.")
    if history.unread:
        lines += ["", "### Not read", ""]
        lines += (f"- {code(one.folder.name)}: {code(one.reason, _TEXT)}" for one in history.unread[:_UNREAD])
        if len(history.unread) > _UNREAD:
            lines.append(f"- {len(history.unread) - _UNREAD} more")
    return "\n".join(lines) + "\n"


def _experiment(experiment: ExperimentHistory, of: str | None) -> Iterator[str]:
    runs = experiment.runs
    total = len(runs) + experiment.earlier
    yield f"## {code(experiment.name)}"
    yield ""
    yield f"{counted(total, 'run')}, {day(runs[0].started_at)} to {day(runs[-1].started_at)}"
    yield ""
    yield from _rates(experiment, of)
    yield ""
    yield "| run | gate | passed | 95 % interval | new failures | fixed | flaky | cost | took |"
    yield "|:--|:--|--:|:-:|:--|:--|:--|--:|--:|"
    for run in reversed(runs[-_RUNS:]):
        yield _row(run)
    left = total - len(runs[-_RUNS:])
    if left:
        yield f"\n{counted(left, 'earlier run')} not listed."
    yield from _changes(runs[-_RUNS:])


def _rates(experiment: ExperimentHistory, of: str | None) -> Iterator[str]:
    runs = experiment.runs[-_RUNS:]
    yield "| rate | first | last | 95 % interval | trend, 0 to 1 |"
    yield "|:--|--:|--:|:-:|:--|"
    for key in experiment.rate_keys(of)[:_RATES]:
        known = [rate for run in runs if (rate := run.rate_of(key)) is not None]
        if known:
            drawn = signs(runs, key, 0.0, 1.0, blocks=True)
            name = f"{'↳ ' if key[1] is not None else ''}{code(known[-1].shown)}"
            first, last = percent(known[0].rate), percent(known[-1].rate)
            yield f"| {name} | {first} | {last} | {_interval(known[-1])} | {code(drawn)} |"


def _interval(rate: HistoryRate) -> str:
    return "" if rate.interval is None else f"{rate.interval.low:.2f} – {rate.interval.high:.2f}"


def _row(run: HistoryRun) -> str:
    missing = run.passes.missing
    cells = (
        when(run.started_at),
        _GATE[run.outcome],
        f"{run.passes.passed}/{run.passes.decided}" + (f", {missing} not measured" if missing else ""),
        _interval(run.passes),
        *(f"{len(cases)}: {code(named(cases))}" if cases else "" for cases in (run.new_failures, run.fixed)),
        str(len(run.flaky) or ""),
        cost_text(run),
        took_text(run),
    )
    return f"| {' | '.join(cells)} |"


def _changes(runs: tuple[HistoryRun, ...]) -> Iterator[str]:
    found = [(run, change) for run in reversed(runs) for change in run.changes]
    if not found:
        return
    yield ""
    yield "What changed from one run to the next; a rate before it and one after it are not one trend:"
    yield ""
    for run, change in found[:_CHANGES]:
        yield f"- {when(run.started_at)}: {code(change.text, _TEXT)}"
    if len(found) > _CHANGES:
        yield f"- {len(found) - _CHANGES} more in the JSON"
