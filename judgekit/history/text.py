"""A history as text for people: a line of signs a rate, and a few lines a run."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from judgekit.evaluation import Outcome
from judgekit.history.model import ExperimentHistory, HistoryRate, HistoryRun, RunHistory
from judgekit.history.wording import cost_text, day, named, percent, took_text, when
from judgekit.text import counted, one_line

__all__ = ["rendered", "signs"]

_ASCII, _BLOCKS = "_.-:=+*#", "▁▂▃▄▅▆▇█"
_WIDTH = 80
_SIGNS, _RUNS, _NAME = 30, 10, 24
_GATE = {Outcome.PASS: "passed", Outcome.FAIL: "FAILED", Outcome.INCONCLUSIVE: "INCONCLUSIVE"}


def rendered(history: RunHistory, *, blocks: bool = False, most: int = _RUNS) -> str:
    """The history as text, without a line feed at its end.

    Args:
        history: What was read.
        blocks: Draw with block elements; else with ASCII.
        most: Of each experiment list at most so many runs, the newest.
    """
    lines: list[str] = []
    for experiment in history.experiments:
        lines += _experiment(experiment, history.of, blocks=blocks, most=most)
    if not history.experiments:
        lines.append(f"no runs under {one_line(str(history.folder))}")
    if history.unread:
        lines.append("not read:")
        lines += (f"  {one_line(one.folder.name)}: {one.reason}" for one in history.unread)
    return "\n".join(lines)


def _experiment(experiment: ExperimentHistory, of: str | None, *, blocks: bool, most: int) -> Iterator[str]:
    runs = experiment.runs
    total = len(runs) + experiment.earlier
    yield (
        f"{one_line(experiment.name)}: {counted(total, 'run')}, "
        f"{day(runs[0].started_at)} to {day(runs[-1].started_at)}"
    )
    yield from _trends(experiment, of, blocks=blocks)
    shown = runs[-most:]
    earlier = total - len(shown)
    if earlier:
        yield f"  {counted(earlier, 'earlier run')} not listed"
    for run in shown:
        yield from _run(run)


def _trends(experiment: ExperimentHistory, of: str | None, *, blocks: bool) -> Iterator[str]:
    runs = experiment.runs[-_SIGNS:]
    for key in experiment.rate_keys(of):
        found = [run.rate_of(key) for run in runs]
        known = [rate for rate in found if rate is not None and rate.rate is not None]
        if not known:
            continue
        indent = "    " if key[1] is not None else "  "
        name = f"{indent}{one_line(known[-1].shown, _NAME)}"
        drawn = signs(runs, key, *_window(known), blocks=blocks)
        yield f"{name:{_NAME + 4}} {percent(known[-1].rate):>5}  {_interval(known[-1]):12}  {drawn}"
    if any(change.what in ("agent", "judge", "evaluators") for run in runs[1:] for change in run.changes):
        yield "  | another agent, judge or list of evaluators: not one trend"


def _interval(rate: HistoryRate) -> str:
    return "" if rate.interval is None else f"{rate.interval.low:.2f} to {rate.interval.high:.2f}"


def _window(rates: Sequence[HistoryRate]) -> tuple[float, float]:
    """What the lowest and the highest sign stand for; never so narrow that noise looks like a trend."""
    values = [rate.rate or 0.0 for rate in rates]
    high = max(values)
    low = max(0.0, min(*values, high - 0.2))
    return low, max(high, low + 0.2)


def signs(
    runs: Sequence[HistoryRun], key: tuple[str | None, str | None], low: float, high: float, *, blocks: bool
) -> str:
    """One sign a run, and `|` where a rate is not to be held against the one before."""
    ramp, drawn = (_BLOCKS if blocks else _ASCII), ""
    for number, run in enumerate(runs):
        rate = run.rate_of(key)
        if number and rate is not None and any(change.breaks(rate) for change in run.changes):
            drawn += "|"
        if rate is None or rate.rate is None:
            drawn += "?"
        else:
            place = (rate.rate - low) / (high - low) * (len(ramp) - 1)
            drawn += ramp[max(0, min(len(ramp) - 1, round(place)))]
    return drawn


def _run(run: HistoryRun) -> Iterator[str]:
    passes = run.passes
    rest = [cost_text(run), took_text(run)]
    if passes.missing:
        rest.append(f"{passes.missing} not measured")
    if run.lines_left_out:
        rest.append(f"{counted(run.lines_left_out, 'line')} left out")
    share = f"{passes.passed}/{passes.decided}"
    yield (
        f"  {when(run.started_at)}  {share:>9} {percent(passes.rate):>5}  {_interval(passes):12}  "
        f"gate {_GATE[run.outcome]}"
    )
    yield f"    {', '.join(rest)}"
    for change in run.changes:
        yield from _wrapped(f"* {change.text}")
    for title, cases in (("new failures", run.new_failures), ("fixed", run.fixed), ("flaky", run.flaky)):
        if cases:
            yield from _wrapped(f"{title} {len(cases)}: {named(cases)}")


def _wrapped(text: str) -> Iterator[str]:
    yield from textwrap.wrap(
        text,
        _WIDTH,
        initial_indent="    ",
        subsequent_indent="      ",
        break_long_words=False,
        break_on_hyphens=False,
    )
