"""Where the marks of a trend stand; the template draws them as inline SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judgekit.history.model import HistoryRate, HistoryRun
from judgekit.history.wording import percent, when
from judgekit.reporting.html.plots import Tick

__all__ = ["Dot", "Trend", "trend_of"]

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 190, 34, 12, 10, 24
"""Of a plot, in its own units: the whole, and the margins."""


@dataclass(frozen=True, slots=True)
class Dot:
    """One run: where its rate stands, the ends of its interval, and what is said of it."""

    x: float
    y: float
    low: float
    high: float
    outcome: str
    said: str


@dataclass(frozen=True, slots=True)
class Trend:
    """One rate over the runs.

    Attributes:
        name: What it is the rate of.
        dots: One a run that has it.
        lines: Points of each piece of the line; a piece ends where the rate was measured otherwise.
        breaks: Between which runs that was, with what changed.
        across: Dates below.
        up: Shares on the left.
        last: The newest run's rate.
    """

    name: str
    dots: tuple[Dot, ...]
    lines: tuple[str, ...]
    breaks: tuple[tuple[float, str], ...]
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    last: HistoryRate
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    bottom: int = HEIGHT - BOTTOM
    top: int = TOP


def trend_of(runs: Sequence[HistoryRun], key: tuple[str | None, str | None]) -> Trend | None:
    """The plot of one rate; None where no run has it."""
    dots: list[Dot] = []
    pieces: list[list[Dot]] = [[]]
    breaks: list[tuple[float, str]] = []
    last: HistoryRate | None = None
    for number, run in enumerate(runs):
        rate = run.rate_of(key)
        if rate is None or rate.rate is None:
            continue
        why = [change.text for change in run.changes if change.breaks(rate)]
        if why and number:
            breaks.append(
                (round((_across(number, len(runs)) + _across(number - 1, len(runs))) / 2, 1), "; ".join(why))
            )
            pieces.append([])
        dot = _dot(run, rate, rate.rate, _across(number, len(runs)))
        dots.append(dot)
        pieces[-1].append(dot)
        last = rate
    if last is None:
        return None
    return Trend(
        last.shown,
        tuple(dots),
        tuple(" ".join(f"{dot.x},{dot.y}" for dot in piece) for piece in pieces if len(piece) > 1),
        tuple(breaks),
        tuple(_dates(runs)),
        tuple(Tick(_height(share), f"{share:g}") for share in (0, 0.25, 0.5, 0.75, 1)),
        last,
    )


def _dot(run: HistoryRun, rate: HistoryRate, share: float, x: float) -> Dot:
    low, high = (share, share) if rate.interval is None else (rate.interval.low, rate.interval.high)
    said = (
        f"{when(run.started_at)}: {percent(share)}, {rate.passed} of {rate.passed + rate.failed}, "
        f"interval {low:.2f} to {high:.2f}"
    )
    return Dot(x, _height(share), _height(low), _height(high), run.outcome.value, said)


def _across(number: int, runs: int) -> float:
    return round(LEFT + (WIDTH - LEFT - RIGHT) * (number + 0.5) / runs, 1)


def _height(share: float) -> float:
    return round(TOP + 4 + (HEIGHT - BOTTOM - TOP - 8) * (1 - share), 1)


def _dates(runs: Sequence[HistoryRun]) -> list[Tick]:
    """The first day and the last, where they differ."""
    first, last = (f"{run.started_at:%Y-%m-%d}" for run in (runs[0], runs[-1]))
    ends = [Tick(_across(0, len(runs)), first)]
    return ends if first == last else [*ends, Tick(_across(len(runs) - 1, len(runs)), last)]
