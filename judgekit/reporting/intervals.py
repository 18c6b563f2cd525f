"""The interval of each rate in a report; repeats of one case are not counted as new evidence."""

from __future__ import annotations

from judgekit.evaluation import Outcome
from judgekit.results import Results, Unit
from judgekit.statistics import Interval, rate_interval

__all__ = ["attempts_interval", "unit_interval"]


def _cases(counts: Results) -> int:
    return sum(map(bool, counts.run_counts()))


def attempts_interval(counts: Results) -> Interval | None:
    """The interval of the pass rate over attempts; None without attempts."""
    outcomes = counts.outcomes()
    return rate_interval(
        outcomes[Outcome.PASS],
        outcomes[Outcome.FAIL],
        missing=outcomes[Outcome.INCONCLUSIVE],
        independent=_cases(counts),
    )


def unit_interval(counts: Results, unit: Unit) -> Interval | None:
    """The interval of one label's or criterion's rate; None where nothing was counted."""
    if not unit.counted:
        return None
    repeats = len(counts) / _cases(counts)
    return rate_interval(
        unit.passed, unit.failed, missing=unit.missing.total(), independent=unit.attempts / repeats
    )
