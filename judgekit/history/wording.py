"""Dates, costs and lists of a history in words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from judgekit.history.model import HistoryRun
from judgekit.text import counted, one_line

__all__ = ["cost_text", "day", "named", "percent", "took_text", "when"]

_CASES, _ID = 5, 40


def day(moment: datetime) -> str:
    """`2026-11-30`, in UTC."""
    return f"{moment:%Y-%m-%d}"


def when(moment: datetime) -> str:
    """`2026-11-30 10:00:05`, in UTC: two runs of one minute are told apart."""
    return f"{moment:%Y-%m-%d %H:%M:%S}"


def percent(rate: float | None) -> str:
    """`62%`, half up; `100%` and `0%` only where it is so."""
    if rate is None:
        return "?"
    whole = int(100 * rate + 0.5)
    if whole == 100 and rate < 1:
        return ">99%"
    return "<1%" if whole == 0 and rate > 0 else f"{whole}%"


def cost_text(run: HistoryRun) -> str:
    """`$0.20`, or that it is not known."""
    if run.cost is None:
        return "nothing spent" if run.cost_complete else "cost unknown"
    digits = 2
    # Three digits of a small cost, which two decimals would show as none.
    while 0 < run.cost < 10 ** (1 - digits) and digits < 12:
        digits += 1
    return f"{'' if run.cost_complete else 'at least '}${run.cost:,.{digits}f}"


def took_text(run: HistoryRun) -> str:
    """`took 31 s`, or that it has no end; and where it stopped early."""
    from judgekit.reporting.html.money import duration

    took = "never finished" if run.seconds is None else f"took {duration(run.seconds)}"
    stopped = run.stopped
    if stopped is None:
        return took
    return f"{took}, stopped early after {stopped.looked_at} of {counted(stopped.cases, 'case')}"


def named(cases: Sequence[str], most: int = _CASES) -> str:
    """The first ids, and how many more there are."""
    shown = ", ".join(one_line(case, _ID) for case in cases[:most])
    return f"{shown} and {len(cases) - most} more" if len(cases) > most else shown
