"""Intervals around rates and around the difference of two rates."""

from __future__ import annotations

import math
from dataclasses import dataclass

from judgekit.errors import InvalidArgument
from judgekit.statistics.estimate import LEVEL, checked_level, checked_share, checked_whole
from judgekit.statistics.special import beta_quantile, normal_quantile

__all__ = [
    "Interval",
    "agresti_coull_interval",
    "checked_bar",
    "clean_runs_needed",
    "clopper_pearson_interval",
    "clopper_pearson_lower",
    "clopper_pearson_upper",
    "jeffreys_interval",
    "newcombe_difference",
    "newcombe_paired_difference",
    "rate_interval",
    "wilson_interval",
]


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided interval around a rate or a difference of rates.

    Attributes:
        low: 0 to 1 for a rate, -1 to 1 for a difference.
        high: Likewise.
        level: The confidence, such as 0.95.
        method: Such as `wilson`.
        n: How many independent observations it stands on; a fraction where repeats count for less.
    """

    low: float
    high: float
    level: float
    method: str
    n: float


def _check_counts(passed: float, total: float) -> None:
    if not 0 <= passed <= total < math.inf:
        raise InvalidArgument(f"`passed` must be from 0 to `total`, got {passed!r} of {total!r}")


def wilson_interval(passed: float, total: float, *, level: float = LEVEL) -> Interval | None:
    """Wilson's score interval (1927), without continuity correction; None where nothing was counted.

    Args:
        passed: 0 to `total`; both may be fractions, for observations that count for less than one.
        total: How many observations.
        level: Confidence, above 0 and below 1.

    Raises:
        InvalidArgument: A count is negative, `passed` exceeds `total`, or the level is out of range.
    """
    _check_counts(passed, total)
    checked_level(level)
    if not total:
        return None
    z = normal_quantile((1 + level) / 2)
    rate, square = passed / total, z * z / total
    middle = (rate + square / 2) / (1 + square)
    # The square root of a rate's variance over n, and of what the score test adds to it.
    half = z / (1 + square) * math.sqrt(rate * (1 - rate) / total + square / total / 4)
    low = 0.0 if passed == 0 else max(0.0, middle - half)
    high = 1.0 if passed == total else min(1.0, middle + half)
    return Interval(low, high, level, "wilson", total)


def clopper_pearson_lower(passed: float, total: float, *, confidence: float = LEVEL) -> float | None:
    """The exact one-sided lower bound of a rate (Clopper and Pearson 1934); None where nothing was counted.

    A rate below it would give `passed` or more of `total` with a chance of at most 1 - confidence, so a gate
    that asks for this bound is wrongly green no more often than that. Counts may be fractions.

    Raises:
        InvalidArgument: As for `wilson_interval`.
    """
    _check_counts(passed, total)
    checked_level(confidence, name="confidence")
    if not total:
        return None
    return 0.0 if passed == 0 else beta_quantile(1 - confidence, passed, total - passed + 1)


def clopper_pearson_upper(passed: float, total: float, *, confidence: float = LEVEL) -> float | None:
    """The exact one-sided upper bound of a rate; None where nothing was counted.

    Without a single failure this is the bound behind the rule of three: of the failure rate,
    `1 - (1 - confidence) ** (1 / total)`.

    Raises:
        InvalidArgument: As for `wilson_interval`.
    """
    _check_counts(passed, total)
    checked_level(confidence, name="confidence")
    if not total:
        return None
    return 1.0 if passed == total else beta_quantile(confidence, passed + 1, total - passed)


def clopper_pearson_interval(passed: float, total: float, *, level: float = LEVEL) -> Interval | None:
    """The exact interval of Clopper and Pearson (1934): never covers less than its level.

    Raises:
        InvalidArgument: As for `wilson_interval`.
    """
    checked_level(level)
    low = clopper_pearson_lower(passed, total, confidence=(1 + level) / 2)
    high = clopper_pearson_upper(passed, total, confidence=(1 + level) / 2)
    if low is None or high is None:
        return None
    return Interval(low, high, level, "clopper-pearson", total)


def jeffreys_interval(passed: float, total: float, *, level: float = LEVEL) -> Interval | None:
    """The quantiles of Jeffreys' posterior, Beta(passed + 1/2, failed + 1/2) (Brown, Cai, DasGupta 2001).

    Raises:
        InvalidArgument: As for `wilson_interval`.
    """
    _check_counts(passed, total)
    checked_level(level)
    if not total:
        return None
    a, b = passed + 0.5, total - passed + 0.5
    low, high = beta_quantile((1 - level) / 2, a, b), beta_quantile((1 + level) / 2, a, b)
    return Interval(low, high, level, "jeffreys", total)


def agresti_coull_interval(passed: float, total: float, *, level: float = LEVEL) -> Interval | None:
    """Agresti and Coull's interval (1998): Wald's around Wilson's middle.

    Raises:
        InvalidArgument: As for `wilson_interval`.
    """
    _check_counts(passed, total)
    checked_level(level)
    if not total:
        return None
    z = normal_quantile((1 + level) / 2)
    more = total + z * z
    middle = (passed + z * z / 2) / more
    half = z * math.sqrt(middle * (1 - middle) / more)
    return Interval(max(0.0, middle - half), min(1.0, middle + half), level, "agresti-coull", total)


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


def clean_runs_needed(at_most: float, *, confidence: float = LEVEL) -> int:
    """How many runs without one failure show that the failure rate is at most `at_most`.

    The least n with `(1 - at_most) ** n <= 1 - confidence`: 59 for 5 % and 299 for 1 % at 95 % confidence.

    Raises:
        InvalidArgument: `at_most` or the confidence is not above 0 and below 1.
    """
    checked_level(at_most, name="at_most")
    checked_level(confidence, name="confidence")
    needed = math.log1p(-confidence) / math.log1p(-at_most)
    return math.ceil(needed - 1e-9)


def newcombe_difference(
    passed_a: int, total_a: int, passed_b: int, total_b: int, *, level: float = LEVEL
) -> Interval | None:
    """The interval of rate A minus rate B of two independent samples; None where one is empty.

    Newcombe's hybrid of two Wilson intervals (1998, Statistics in Medicine 17:873, method 10).

    Raises:
        InvalidArgument: As for `wilson_interval`.
    """
    first = wilson_interval(passed_a, total_a, level=level)
    second = wilson_interval(passed_b, total_b, level=level)
    if first is None or second is None:
        return None
    a, b = passed_a / total_a, passed_b / total_b
    low = a - b - math.hypot(a - first.low, second.high - b)
    high = a - b + math.hypot(first.high - a, b - second.low)
    return Interval(max(-1.0, low), min(1.0, high), level, "newcombe", total_a + total_b)


def newcombe_paired_difference(
    both: int, only_a: int, only_b: int, neither: int, *, level: float = LEVEL
) -> Interval | None:
    """The interval of rate A minus rate B measured on the same cases; None without a case.

    Newcombe's hybrid score interval for paired data (1998, Statistics in Medicine 17:2635, method 10).
    Unlike Wald's it has a width where no case differs.

    Args:
        both: Cases that pass under A and B.
        only_a: Cases that pass under A alone.
        only_b: Cases that pass under B alone.
        neither: Cases that fail under both.
        level: Confidence, above 0 and below 1.

    Raises:
        InvalidArgument: A count is no whole number >= 0, or the level is out of range.
    """
    for name, count in (("both", both), ("only_a", only_a), ("only_b", only_b), ("neither", neither)):
        checked_whole(count, name=name)
    n = both + only_a + only_b + neither
    first = wilson_interval(both + only_a, n, level=level)
    second = wilson_interval(both + only_b, n, level=level)
    if first is None or second is None:
        return None
    a, b = (both + only_a) / n, (both + only_b) / n
    phi = _paired_correlation(both, only_a, only_b, neither)

    def away(one: float, other: float) -> float:
        return math.sqrt(max(0.0, one * one - 2 * phi * one * other + other * other))

    low = a - b - away(a - first.low, second.high - b)
    high = a - b + away(first.high - a, b - second.low)
    return Interval(max(-1.0, low), min(1.0, high), level, "newcombe paired", n)


def _paired_correlation(both: int, only_a: int, only_b: int, neither: int) -> float:
    margins = (both + only_a) * (only_b + neither) * (both + only_b) * (only_a + neither)
    if margins == 0:
        return 0.0
    cross = both * neither - only_a * only_b
    n = both + only_a + only_b + neither
    # A continuity correction where the two agree more often than by chance, as in the paper.
    corrected = max(cross - n / 2, 0) if cross > 0 else cross
    return corrected / math.sqrt(margins)


def checked_bar(at_least: float, *, name: str = "at_least") -> float:
    """A required rate that evidence can reach: from 0, below 1."""
    checked_share(at_least, name=name)
    if at_least == 1:
        raise InvalidArgument(
            f"`{name}` is 1 with a confidence: no finite number of passes shows a rate of 1; "
            "write 0.99, or leave the confidence out"
        )
    return float(at_least)
