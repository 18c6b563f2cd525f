"""Intervals around rates, in closed form."""

from __future__ import annotations

import math
from dataclasses import dataclass

from judgekit.errors import InvalidArgument

__all__ = ["Interval", "rate_interval", "wilson_interval"]

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided interval around a rate.

    Attributes:
        low: 0 to 1.
        high: 0 to 1.
        level: The confidence, such as 0.95.
        method: `wilson`.
        n: How many independent observations it stands on; a fraction where repeats count for less.
    """

    low: float
    high: float
    level: float
    method: str
    n: float


def wilson_interval(passed: float, total: float, *, level: float = LEVEL) -> Interval | None:
    """Wilson's score interval, without continuity correction; None where nothing was counted.

    Args:
        passed: 0 to `total`; both may be fractions, for observations that count for less than one.
        total: How many observations.
        level: Confidence, above 0 and below 1.

    Raises:
        InvalidArgument: A count is negative, `passed` exceeds `total`, or the level is out of range.
    """
    if not 0 <= passed <= total:
        raise InvalidArgument(f"`passed` must be from 0 to `total`, got {passed!r} of {total!r}")
    if not 0 < level < 1:
        raise InvalidArgument(f"`level` must be above 0 and below 1, got {level!r}")
    if not total:
        return None
    from statistics import NormalDist  # loads fractions and random, which most runs need not

    z = NormalDist().inv_cdf((1 + level) / 2)
    rate, square = passed / total, z * z / total
    middle = (rate + square / 2) / (1 + square)
    # The square root of a rate's variance over n, and of what the score test adds to it.
    half = z / (1 + square) * math.sqrt(rate * (1 - rate) / total + square / total / 4)
    low = 0.0 if passed == 0 else max(0.0, middle - half)
    high = 1.0 if passed == total else min(1.0, middle + half)
    return Interval(low, high, level, "wilson", total)


def rate_interval(
    passed: int, failed: int, *, missing: int = 0, independent: float | None = None, level: float = LEVEL
) -> Interval | None:
    """The interval of a rate whose missing measurements may have gone either way.

    Args:
        passed: How many passed.
        failed: How many failed.
        missing: How many could not be measured: failures for the lower bound, passes for the upper one.
        independent: How many of them are independent, where repeats of one case are among them.
        level: Confidence, above 0 and below 1.
    """
    total = passed + failed + missing
    weight = 1.0 if independent is None or not total else min(1.0, independent / total)
    size = total * weight
    low = wilson_interval(min(passed * weight, size), size, level=level)
    high = wilson_interval(min((passed + missing) * weight, size), size, level=level)
    if low is None or high is None:
        return None
    return Interval(low.low, high.high, level, low.method, size)
