"""How often a gate decides suites that are drawn at random: what a plan with repeats stands on."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

from judgekit.statistics.counts import CaseCounts
from judgekit.statistics.rates import pass_rate_bounds
from judgekit.statistics.special import log_beta

__all__ = ["SUITES", "least_cases", "share_decided"]

SUITES = 600
"""How many suites are drawn: a chance of 0.8 is known to 0.016."""


def share_decided(
    cases: int, rate: float, bar: float, *, repeats: int, icc: float, confidence: float, passing: bool
) -> float:
    """The share of drawn suites in which the gate's bound is on its side of the bar; seeded.

    The rates of cases follow a beta distribution, so that runs of a case correlate by `icc` (the
    beta-binomial of Skellam 1948).

    Args:
        cases: Of each suite.
        rate: The true rate.
        bar: Of the gate.
        repeats: Runs of each case.
        icc: The share of variance that lies between cases, 0 to 1.
        confidence: Of the bound.
        passing: Whether the lower bound must reach the bar; else the upper one must lie below it.
    """
    import numpy as np

    drawn = np.random.default_rng(0).multinomial(cases, _chances(rate, repeats, icc), size=SUITES)
    decided = 0
    for found, times in Counter(map(tuple, drawn.tolist())).items():
        counts = {CaseCounts(passed, repeats - passed): held for passed, held in enumerate(found) if held}
        bounds = pass_rate_bounds(counts, confidence=confidence)
        if passing:
            decided += times * (bounds.low is not None and bounds.low >= bar)
        else:
            decided += times * (bounds.high is not None and bounds.high < bar)
    return decided / SUITES


def _chances(rate: float, repeats: int, icc: float) -> list[float]:
    """The chance that 0, 1 and up to all runs of a case pass."""
    if icc >= 1 or rate in (0, 1):
        return [1 - rate, *[0.0] * (repeats - 1), rate]
    if icc <= 0:
        chances = [math.comb(repeats, k) * rate**k * (1 - rate) ** (repeats - k) for k in range(repeats + 1)]
    else:
        spread = (1 - icc) / icc
        a, b = rate * spread, (1 - rate) * spread
        chances = [
            math.comb(repeats, k) * math.exp(log_beta(a + k, b + repeats - k) - log_beta(a, b))
            for k in range(repeats + 1)
        ]
    total = math.fsum(chances)
    return [chance / total for chance in chances]


def least_cases(enough: Callable[[int], bool], *, first: int, most: int) -> int | None:
    """About the least number of cases that is enough, to a fiftieth; None where `most` are not.

    Args:
        enough: Whether so many are; rarely asked.
        first: Where to begin.
        most: Where to end.
    """
    low, high = 1, max(2, first)
    while not enough(high):
        low, high = high, high * 2
        if high > most:
            return None
    while high - low > max(1, high // 50):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
