"""How many cases a gate needs, or to notice a drop."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence

from judgekit.errors import InvalidArgument
from judgekit.statistics.counts import CaseCounts, Cases, checked_counts
from judgekit.statistics.drawn import SUITES, least_cases, share_decided
from judgekit.statistics.estimate import LEVEL, checked_confidence
from judgekit.statistics.intervals import checked_bar, clopper_pearson_lower, clopper_pearson_upper
from judgekit.statistics.rates import Rate, pass_rate_bounds
from judgekit.statistics.sizes import POWER, TYPICAL_ICC, CasesNeeded, check_plan, icc_warning, worth_of
from judgekit.statistics.special import binomial_below

__all__ = ["cases_for_drop", "cases_for_gate", "more_cases_needed"]

# Above this no one runs a suite, and a search has gone astray.
_MOST = 10_000_000
# From here on what a gate has to learn about its repeats costs less than 2 % more cases.
_MANY = 5_000


def cases_for_drop(
    target: float,
    drop: float,
    *,
    repeats: int = 1,
    icc: float = TYPICAL_ICC,
    power: float = POWER,
    confidence: float = LEVEL,
) -> CasesNeeded:
    """How many cases show that a rate of `target - drop` is below `target`.

    The least n at and above which the exact one-sided test (Clopper and Pearson 1934) finds the drop with
    chance `power`. With repeats the chance is that of seeded suites, drawn and held against
    `pass_rate_bounds`, and n is known to a fiftieth.

    Args:
        target: The rate that is promised, above 0 and at most 1.
        drop: How far below it must be noticed, above 0 and below `target`.
        repeats: Runs of each case, K.
        icc: The share of variance that lies between cases, 0 to 1; measure it with
            `intraclass_correlation`.
        power: Chance to notice the drop if it is there.
        confidence: 1 minus the chance of an alarm where the rate is `target`.

    Raises:
        InvalidArgument: A share is out of range, or the drop is not below the target.
    """
    check_plan(repeats, icc, power, checked_confidence(confidence))
    if not 0 < drop < target <= 1:
        raise InvalidArgument(f"give 0 < drop < target <= 1, got target {target!r} and drop {drop!r}")
    fallen = target - drop

    def noticed(n: int) -> bool:
        """The chance that the upper bound of n runs at the fallen rate lies below the target."""
        worst = _largest(
            n, lambda passed: (clopper_pearson_upper(passed, n, confidence=confidence) or 0) < target
        )
        return worst is not None and binomial_below(worst, n, fallen) >= power

    once = _least_steady(noticed)
    return _plan(once, fallen, target, repeats, icc, power, confidence, passing=False)


def cases_for_gate(
    rate: float,
    at_least: float,
    *,
    repeats: int = 1,
    icc: float = TYPICAL_ICC,
    power: float = POWER,
    confidence: float = LEVEL,
) -> CasesNeeded:
    """How many cases a gate needs to PASS with chance `power` if the true rate is `rate`.

    The least n at and above which the exact one-sided lower bound reaches `at_least` with that chance. With
    repeats the chance is that of seeded suites, drawn and held against `pass_rate_bounds`, and n is known
    to a fiftieth.

    Args:
        rate: The rate that one believes in, above `at_least`.
        at_least: The bar of the gate, below 1.
        repeats: Runs of each case.
        icc: The share of variance that lies between cases, 0 to 1.
        power: Chance to pass.
        confidence: Of the gate.

    Raises:
        InvalidArgument: A share is out of range, or the rate is not above the bar.
    """
    check_plan(repeats, icc, power, checked_confidence(confidence))
    checked_bar(at_least)
    if not at_least < rate <= 1:
        raise InvalidArgument(f"`rate` must be above `at_least` and at most 1, got {rate!r} and {at_least!r}")

    def passes(n: int) -> bool:
        most_failed = _largest(
            n, lambda failed: (clopper_pearson_lower(n - failed, n, confidence=confidence) or 0) >= at_least
        )
        return most_failed is not None and binomial_below(most_failed, n, 1 - rate) >= power

    once = _least_steady(passes)
    return _plan(once, rate, at_least, repeats, icc, power, confidence, passing=True)


def _largest(n: int, holds: Callable[[int], bool]) -> int | None:
    """The largest of 0 to n for which `holds`, which is true up to some number; None if of none."""
    if not holds(0):
        return None
    low, high = 0, n
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def _least_steady(enough: Callable[[int], bool]) -> int | None:
    """About the least n from which on `enough` stays true: an exact test's power moves in saw teeth."""
    high = 1
    while not (enough(high) and enough(high + 1)):
        high *= 2
        if high > _MOST:
            return None
    low = high // 2
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    # Back over the teeth: the last n that is not enough lies at most a few percent above.
    last = high - 1
    for n in range(high, high + max(10, high // 8), max(1, high // 500)):
        if not enough(n):
            last = n
    return last + 1


def _plan(
    once: int | None,
    rate: float,
    bar: float,
    repeats: int,
    icc: float,
    power: float,
    confidence: float,
    *,
    passing: bool,
) -> CasesNeeded:
    """The plan for cases that run `repeats` times, from the number for cases that run once."""
    method = f"exact one-sided {'lower' if passing else 'upper'} bound"
    cases = None if once is None else math.ceil(once / worth_of(repeats, icc) - 1e-9)
    if cases is not None and repeats > 1 and cases < _MANY:
        method = f"{SUITES} suites drawn at random"

        def enough(number: int) -> bool:
            share = share_decided(
                number, rate, bar, repeats=repeats, icc=icc, confidence=confidence, passing=passing
            )
            return share >= power

        cases = least_cases(enough, first=cases, most=_MOST)
    return CasesNeeded(
        cases=cases,
        runs=None if cases is None else cases * repeats,
        repeats=repeats,
        level=confidence,
        power=power,
        method=method,
        reason=None if cases is not None else f"more than {_MOST} runs",
        warnings=icc_warning(repeats, icc),
    )


def more_cases_needed(
    cases: Cases,
    *,
    at_least: float,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = LEVEL,
) -> int | None:
    """About how many more cases would decide a gate if they went on like these; None where none would.

    0 where the gate is decided. Cases in the same shares are added until a bound of `pass_rate_bounds` clears
    the bar. None where the observed rate is the bar itself, or nothing was decided.

    Args:
        cases: Passed, failed and missing runs of each case.
        at_least: The bar of the gate, below 1.
        clusters: A coarser group of each case; None: each is its own.
        confidence: Of the gate.

    Raises:
        InvalidArgument: A count, the bar or the confidence is out of range.
    """
    checked_bar(at_least)
    number, groups = checked_counts(cases, clusters)

    def bounds(many: int) -> Rate:
        return pass_rate_bounds(_in_shares(groups, many), confidence=confidence)

    seen = groups.total()
    now = bounds(seen)
    if now.estimate is None:
        return None
    worst = now.passed / (now.n_runs + now.n_missing)
    best = (now.passed + now.n_missing) / (now.n_runs + now.n_missing)
    if _decided(now.low, now.high, at_least) is not None:
        return 0
    if worst <= at_least <= best:
        return None

    def decided(many: int) -> bool:
        found = bounds(many)
        return _decided(found.low, found.high, at_least) is not None

    high = 2 * seen
    while not decided(high):
        high *= 2
        if high > _MOST:
            return None
    low = high // 2
    while high - low > max(1, high // 256):
        middle = (low + high) // 2
        low, high = (low, middle) if decided(middle) else (middle, high)
    return math.ceil((high - seen) * number / seen)


def _in_shares(groups: Counter[CaseCounts], many: int) -> Counter[CaseCounts]:
    """So many clusters, as often as in `groups`, rounded by the largest remainders."""
    seen = groups.total()
    found = Counter({counts: held * many // seen for counts, held in groups.items()})
    left = sorted(groups, key=lambda counts: (-(groups[counts] * many % seen), counts))
    found.update(left[: many - found.total()])
    return found


def _decided(low: float | None, high: float | None, at_least: float) -> bool | None:
    if low is not None and low >= at_least:
        return True
    return False if high is not None and high < at_least else None
