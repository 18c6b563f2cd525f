"""Quality against cost: where the mark of each agent stands, one plot a judge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from judgekit.reporting.html.plots import (
    HEIGHT,
    WIDTH,
    Tick,
    across_ticks,
    height_of,
    place_of,
    steps,
    up_ticks,
)
from judgekit.swapping.figures import Cell

if TYPE_CHECKING:
    from judgekit.swapping.report import SwapReport

__all__ = ["Chart", "Dot", "charts_of"]

_GAP = 13.0
"""Labels nearer than this to each other are moved apart."""


@dataclass(slots=True)
class Dot:
    """One agent: its place, the ends of its interval, and where its name stands."""

    agent: str
    number: int
    x: float
    y: float
    low: float
    high: float
    label: float
    ends: bool
    said: str


@dataclass(frozen=True, slots=True)
class Chart:
    """The plot of one judge; `left_out` names the agents whose cost or rate is not known."""

    judge: str | None
    dots: tuple[Dot, ...]
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    left_out: tuple[str, ...]
    width: int = WIDTH
    height: int = HEIGHT


def charts_of(report: SwapReport) -> Iterator[Chart]:
    """One a judge: the share of attempts that passed everything, against the mean cost of an attempt."""
    costs = {agent.name: agent.mean_cost for agent in report.agents}
    step, last = steps(max((cost for cost in costs.values() if cost is not None), default=0.0))
    numbers = {agent.name: number for number, agent in enumerate(report.agents, start=1)}
    for judge in report.axes.judges or (None,):
        cells = [
            cell for cell in report.cells if cell.measure.kind == "attempt" and cell.measure.judge == judge
        ]
        dots = [
            _dot(cell, numbers[cell.agent], cost, last)
            for cell in cells
            if (cost := costs[cell.agent]) is not None and cell.rate.estimate is not None
        ]
        _spread(dots)
        shown = {dot.agent for dot in dots}
        left_out = tuple(name for name in costs if name not in shown)
        yield Chart(judge, tuple(dots), across_ticks(step, last), up_ticks(), left_out)


def _dot(cell: Cell, number: int, cost: float, last: float) -> Dot:
    rate = cell.rate.estimate or 0.0
    low, high = cell.rate.interval or (rate, rate)
    x = place_of(cost, last)
    y = round(height_of(rate), 1)
    return Dot(
        agent=cell.agent,
        number=number,
        x=round(x, 1),
        y=y,
        low=round(height_of(low), 1),
        high=round(height_of(high), 1),
        label=y,
        ends=x > WIDTH / 2,
        said=f"{rate:.2f} of attempts passed, {low:.2f} to {high:.2f}, at ${cost:.6f} an attempt",
    )


def _spread(dots: list[Dot]) -> None:
    """Move labels down where they would cover each other."""
    placed: list[Dot] = []
    for dot in sorted(dots, key=lambda one: one.y):
        while any(
            abs(other.label - dot.label) < _GAP and abs(other.x - dot.x) < WIDTH / 2 for other in placed
        ):
            dot.label += _GAP
        placed.append(dot)
