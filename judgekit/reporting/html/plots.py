"""Where the marks of each plot stand; the templates draw them as inline SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from judgekit.statistics import Interval

__all__ = [
    "HEIGHT",
    "WIDTH",
    "Histogram",
    "Point",
    "Scatter",
    "Tick",
    "across_ticks",
    "bar",
    "height_of",
    "histogram",
    "place_of",
    "scatter",
    "steps",
    "up_ticks",
]

BINS = 20
WIDTH, HEIGHT, LEFT, RIGHT, BOTTOM, TOP = 460, 230, 40, 12, 30, 10
"""Of a scatter plot, in its own units: the whole, and the margins for axes."""

_CELL = 4
"""Marks closer than this are drawn as one larger one, so that a plot of any run stays small."""


def bar(share: float | None, interval: Interval | None) -> dict[str, float] | None:
    """Interval and rate as percentages along a bar; None without an interval."""
    if interval is None:
        return None
    low, high = 100 * interval.low, 100 * interval.high
    at = -1.0 if share is None else 100 * share
    return {"low": round(low, 2), "width": round(max(high - low, 0.5), 2), "at": round(at, 2)}


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a histogram: its place and height, both 0 to 1, and how many scores it stands for."""

    left: float
    height: float
    count: int
    side: str


@dataclass(frozen=True, slots=True)
class Histogram:
    """The distribution of one criterion's scores; `threshold` where every result has the same."""

    name: str
    columns: tuple[Column, ...]
    threshold: float | None
    count: int
    mean: float
    most: int


def histogram(name: str, scores: Sequence[float], thresholds: set[float]) -> Histogram:
    """The columns of 20 bins from 0 to 1; `scores` are not empty."""
    threshold = next(iter(thresholds)) if len(thresholds) == 1 else None
    counts = [0] * BINS
    for score in scores:
        # A score of 0.15 is in the bin that begins there, whatever 0.15 * 20 comes to.
        counts[min(BINS - 1, int(score * BINS + 1e-9))] += 1
    most = max(counts)
    columns = tuple(
        Column(index / BINS, count / most, count, _side(index / BINS, threshold))
        for index, count in enumerate(counts)
        if count
    )
    return Histogram(name, columns, threshold, len(scores), math.fsum(scores) / len(scores), most)


def _side(left: float, threshold: float | None) -> str:
    """`pass` where the whole bin reaches the threshold, `fail` where it ends before."""
    if threshold is None:
        return "plain"
    if left >= threshold - 1e-9:
        return "pass"
    return "fail" if left + 1 / BINS <= threshold + 1e-9 else "mixed"


@dataclass(frozen=True, slots=True)
class Point:
    """One attempt: its row in the list, its outcome, quality 0 to 1, dollars and seconds."""

    row: int
    outcome: str
    quality: float | None
    cost: float | None
    latency: float | None


@dataclass(frozen=True, slots=True)
class Mark:
    """A dot for one attempt or for several; `row` is the first of them."""

    x: float
    y: float
    radius: float
    outcome: str
    row: int


@dataclass(frozen=True, slots=True)
class Tick:
    """A line of an axis with its text."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Scatter:
    """One plot; without marks nothing of it is known. `unknown` counts the attempts that are not in it."""

    title: str
    unit: str
    marks: tuple[Mark, ...]
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    count: int
    unknown: int
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    bottom: int = HEIGHT - BOTTOM
    top: int = TOP


def scatter(title: str, unit: str, placed: Sequence[tuple[Point, float]], *, unknown: int) -> Scatter:
    """The marks of points with their values along the horizontal axis, which begins at 0."""
    step, last = steps(max((value for _, value in placed), default=0.0))
    found: dict[tuple[int, int, str], list[int]] = {}
    for point, value in placed:
        x, y = place_of(value, last), height_of(point.quality or 0.0)
        found.setdefault((round(x / _CELL), round(y / _CELL), point.outcome), []).append(point.row)
    # Failed ones are drawn last, so that nothing covers them.
    order = {"pass": 0, "inconclusive": 1, "fail": 2}
    marks = [
        Mark(x * _CELL, y * _CELL, round(min(2.8 * len(rows) ** 0.4, 12), 1), outcome, rows[0])
        for (x, y, outcome), rows in sorted(found.items(), key=lambda item: order[item[0][2]])
    ]
    return Scatter(title, unit, tuple(marks), across_ticks(step, last), up_ticks(), len(placed), unknown)


def across_ticks(step: float, last: float) -> tuple[Tick, ...]:
    """The lines of a horizontal axis that begins at 0, from `steps`."""
    numbers = range(round(last / step) + 1)
    return tuple(Tick(round(place_of(n * step, last), 1), amount_text(n * step, step)) for n in numbers)


def up_ticks() -> tuple[Tick, ...]:
    """The lines of a vertical axis from 0 to 1."""
    return tuple(Tick(round(height_of(share), 1), f"{share:g}") for share in (0, 0.25, 0.5, 0.75, 1))


def place_of(value: float, last: float) -> float:
    """Where a value stands on a horizontal axis that ends at `last`."""
    return LEFT + (WIDTH - LEFT - RIGHT) * value / last


def height_of(share: float) -> float:
    """Where a share from 0 to 1 stands on the vertical axis."""
    return TOP + 6 + (HEIGHT - BOTTOM - TOP - 12) * (1 - share)


# Below it no unit here means anything, and close to the smallest float the steps themselves become 0.
_LEAST_SHOWN = 1e-12


def steps(largest: float) -> tuple[float, float]:
    """The step of an axis, 1, 2 or 5 times a power of ten, and the end of the axis: 3 to 6 steps."""
    if largest < _LEAST_SHOWN:
        return 1.0, 1.0
    power = 10.0 ** math.floor(math.log10(largest / 4))
    step = next((power * factor for factor in (1, 2, 5, 10) if power * factor * 5 >= largest), power * 10)
    return step, step * math.ceil(largest / step - 1e-9)


def amount_text(value: float, step: float) -> str:
    """A value of an axis with as many digits as its step has."""
    if not value:
        return "0"
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{value:.{digits}f}" if digits < 9 else f"{value:g}"
