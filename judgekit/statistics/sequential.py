"""Tests that may be looked at after every case: valid at any stopping time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from judgekit.errors import InvalidArgument
from judgekit.statistics.estimate import checked_level, checked_numbers, checked_whole
from judgekit.statistics.intervals import Interval
from judgekit.statistics.special import log_beta, log_beta_above

__all__ = [
    "SprtResult",
    "confidence_sequence",
    "empirical_bernstein_sequence",
    "log_e_at_most",
    "log_e_even",
    "rejected_at",
    "sprt",
    "sprt_bounds",
]


def sprt_bounds(alpha: float, beta: float) -> tuple[float, float]:
    """Wald's two bounds (1945) of the log likelihood ratio: below the first H0, above the second H1 is taken.

    Raises:
        InvalidArgument: An error rate is not above 0 and below 1, or both together reach 1.
    """
    checked_level(alpha, name="alpha")
    checked_level(beta, name="beta")
    if alpha + beta >= 1:
        raise InvalidArgument(f"`alpha` and `beta` must sum to less than 1, got {alpha!r} and {beta!r}")
    return math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)


@dataclass(frozen=True, slots=True, kw_only=True)
class SprtResult:
    """Where a sequential probability ratio test stopped.

    Attributes:
        decision: `accept_h0` (the lower rate), `accept_h1` (the higher one), or `undecided` at the end.
        n: Outcomes read until then.
        log_ratio: The log likelihood ratio of H1 over H0 there.
        low: Wald's lower bound.
        high: The upper one.
        method: `sprt`.
    """

    decision: Literal["accept_h0", "accept_h1", "undecided"]
    n: int
    log_ratio: float
    low: float
    high: float
    method: str = "sprt"


def sprt(
    outcomes: Iterable[bool], *, rate0: float, rate1: float, alpha: float = 0.05, beta: float = 0.05
) -> SprtResult:
    """Wald's sequential probability ratio test (1945) of a pass rate.

    Its errors hold only for two rates that were fixed before the first outcome was seen.

    Args:
        outcomes: Passes in the order of a seeded shuffle, one a case.
        rate0: The rate under H0, above 0.
        rate1: The rate under H1, above `rate0` and below 1.
        alpha: Chance of taking H1 where H0 is true.
        beta: Chance of taking H0 where H1 is true.

    Raises:
        InvalidArgument: Rates or error rates out of range.
    """
    low, high = sprt_bounds(alpha, beta)
    if not 0 < rate0 < rate1 < 1:
        raise InvalidArgument(f"`rate0` must be below `rate1`, both from 0 to 1, got {rate0!r} and {rate1!r}")
    up, down = math.log(rate1 / rate0), math.log((1 - rate1) / (1 - rate0))
    n, ratio = 0, 0.0
    for n, passed in enumerate(outcomes, 1):
        ratio += up if passed else down
        if ratio >= high:
            return SprtResult(decision="accept_h1", n=n, log_ratio=ratio, low=low, high=high)
        if ratio <= low:
            return SprtResult(decision="accept_h0", n=n, log_ratio=ratio, low=low, high=high)
    return SprtResult(decision="undecided", n=n, log_ratio=ratio, low=low, high=high)


def _check_counts(passed: int, total: int) -> None:
    checked_whole(total, name="total")
    checked_whole(passed, name="passed")
    if passed > total:
        raise InvalidArgument(f"`passed` must be from 0 to `total`, got {passed!r} of {total!r}")


def confidence_sequence(
    passed: int, total: int, *, alpha: float = 0.05, population: int | None = None, prior: float = 0.5
) -> Interval:
    """Which pass rates are still possible after `total` cases, whenever one looks.

    Beta-binomial mixture: the rates whose mixture likelihood ratio is below 1 / alpha; by Ville's inequality
    (1939) the true rate ever leaves them with a chance of at most alpha (Robbins 1970; Howard et al. 2021,
    arXiv:1810.08240). With a `population` the rate asked about is that of a suite of so many cases, drawn in
    random order without replacement: the prior-posterior ratio of Waudby-Smith and Ramdas (2020,
    arXiv:2006.04347), which closes on the suite's own rate. Each case counts once: average its repeats first.

    Args:
        passed: Cases that passed so far.
        total: Cases seen so far, in seeded random order.
        alpha: Chance that the true rate is ever left out.
        population: Cases of the whole suite; None: the rate in the long run.
        prior: Both parameters of the mixing beta distribution.

    Raises:
        InvalidArgument: Counts or alpha out of range, or more cases seen than the suite has.
    """
    checked_level(alpha, name="alpha")
    _check_counts(passed, total)
    if prior <= 0 or not math.isfinite(prior):
        raise InvalidArgument(f"`prior` must be above 0, got {prior!r}")
    if population is not None:
        low, high = _of_population(passed, total, population, alpha, prior)
        return Interval(low, high, 1 - alpha, "beta-binomial sequence of the suite", total)
    failed = total - passed
    mixed = log_beta(prior + passed, prior + failed) - log_beta(prior, prior)
    limit = -math.log(alpha)

    def possible(rate: float) -> bool:
        return mixed - _log_likelihood(passed, failed, rate) < limit

    middle = passed / total if total else 0.5
    low = 0.0 if possible(0.0) else _edge(possible, middle, 0.0)
    high = 1.0 if possible(1.0) else _edge(possible, middle, 1.0)
    return Interval(low, high, 1 - alpha, "beta-binomial sequence", total)


def _log_likelihood(passed: int, failed: int, rate: float) -> float:
    if (rate <= 0 and passed) or (rate >= 1 and failed):
        return -math.inf
    return (passed * math.log(rate) if passed else 0.0) + (failed * math.log1p(-rate) if failed else 0.0)


def _edge(possible: Callable[[float], bool], inside: float, outside: float) -> float:
    for _ in range(200):
        middle = (inside + outside) / 2
        if middle in (inside, outside):
            break
        inside, outside = (middle, outside) if possible(middle) else (inside, middle)
    return outside


def _of_population(
    passed: int, total: int, population: int, alpha: float, prior: float
) -> tuple[float, float]:
    checked_whole(population, name="population", least=1)
    if total > population:
        raise InvalidArgument(f"`total` must be at most `population`, got {total!r} of {population!r}")
    rest = population - total
    limit = -math.log(alpha)

    def log_choose(n: int, k: int) -> float:
        return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)

    # The normalising terms of the beta-binomial before and after the outcomes.
    gained = log_beta(prior + passed, prior + total - passed) - log_beta(prior, prior)

    def possible(more: int) -> bool:
        """Whether `more` of the cases to come may pass."""
        return log_choose(population, passed + more) - log_choose(rest, more) + gained < limit

    likeliest = min(rest, max(0, round(rest * (passed / total)))) if total else rest // 2
    low = _first(possible, 0, likeliest)
    high = rest - _first(lambda fewer: possible(rest - fewer), 0, rest - likeliest)
    return (passed + low) / population, (passed + high) / population


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The least whole number for which `holds`, which is true at `high` and from some number on."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def log_e_at_most(passed: int, total: int, *, rate: float) -> float:
    """The log e-value against "the pass rate is at most `rate`", from a uniform prior on the rates above it.

    E at or above 1 / alpha rejects at level alpha, whenever one looks (Ville 1939; Ramdas et al. 2023,
    arXiv:2210.01948). E-values of independent batches multiply, of dependent ones (judges) average.

    Args:
        passed: Cases that passed so far.
        total: Cases seen so far, in seeded random order.
        rate: Above 0 and below 1.

    Raises:
        InvalidArgument: Counts or rate out of range.
    """
    checked_level(rate, name="rate")
    _check_counts(passed, total)
    failed = total - passed
    mixed = log_beta(1 + passed, 1 + failed) - _log_likelihood(passed, failed, rate)
    return mixed + log_beta_above(rate, 1 + passed, 1 + failed) - math.log1p(-rate)


def log_e_even(only_a: int, only_b: int) -> float:
    """The log e-value against "neither side wins more often", from the pairs that differ.

    The beta-binomial mixture (a = b = 1/2) at rate one half, for a paired comparison that is looked at as it
    runs.

    Raises:
        InvalidArgument: A count is no whole number >= 0.
    """
    checked_whole(only_a, name="only_a")
    checked_whole(only_b, name="only_b")
    mixed = log_beta(0.5 + only_a, 0.5 + only_b) - log_beta(0.5, 0.5)
    return mixed + (only_a + only_b) * math.log(2)


def rejected_at(outcomes: Iterable[bool], *, rate: float, alpha: float = 0.05) -> int | None:
    """After how many outcomes "the pass rate is at most `rate`" is first rejected; None: never.

    Raises:
        InvalidArgument: Rate or alpha out of range.
    """
    checked_level(alpha, name="alpha")
    passed = 0
    for total, outcome in enumerate(outcomes, 1):
        passed += bool(outcome)
        # A rate seen at or below the bar cannot speak against it.
        if passed > rate * total and log_e_at_most(passed, total, rate=rate) >= -math.log(alpha):
            return total
    return None


def empirical_bernstein_sequence(
    values: Iterable[float], *, alpha: float = 0.05, running: bool = False
) -> Interval | None:
    """Which means of scores from 0 to 1 are still possible after these values, whenever one looks.

    The predictable plug-in empirical Bernstein sequence of Waudby-Smith and Ramdas (2024, JRSS B 86:1,
    arXiv:2010.09686, theorem 2), with running mean and variance drawn towards 1/2 and 1/4. None of no values.

    Args:
        values: Scores from 0 to 1 in seeded random order, one a case.
        alpha: Chance that the true mean is ever left out.
        running: Whether to intersect with the intervals of all earlier values, which is valid as well.

    Raises:
        InvalidArgument: A value is not from 0 to 1, or alpha is out of range.
    """
    checked_level(alpha, name="alpha")
    limit = math.log(2 / alpha)
    seen, mean, variance = 0.0, 0.5, 0.25
    squares = weights = weighted = loss = 0.0
    low, high, n = 0.0, 1.0, 0
    for n, value in enumerate(checked_numbers(values, name="values"), 1):
        if value is None or not 0 <= value <= 1:
            raise InvalidArgument(f"`values` must be from 0 to 1, got {value!r}")
        bet = min(math.sqrt(2 * limit / (variance * n * math.log1p(n))), 0.5)
        weights += bet
        weighted += bet * value
        loss += (value - mean) ** 2 * (-math.log1p(-bet) - bet)
        seen += value
        mean = (0.5 + seen) / (n + 1)
        squares += (value - mean) ** 2
        variance = (0.25 + squares) / (n + 1)
        half = (limit + loss) / weights
        ends = max(0.0, weighted / weights - half), min(1.0, weighted / weights + half)
        low, high = (max(low, ends[0]), min(high, ends[1])) if running else ends
    if not n:
        return None
    if low > high:
        # The intervals of two times do not meet: the order was not random, or a rare event of chance alpha.
        low, high = ends
    return Interval(low, high, 1 - alpha, "empirical Bernstein sequence", n)
