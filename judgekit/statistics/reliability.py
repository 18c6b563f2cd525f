"""How far a judge repeats itself on the same item."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from judgekit.statistics.accuracy import share_of
from judgekit.statistics.estimate import LEVEL, Estimate, checked_level, checked_numbers
from judgekit.statistics.krippendorff import krippendorff_alpha
from judgekit.statistics.special import f_quantile

__all__ = ["Repeatability", "intraclass_correlation", "repeatability"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeatability(Estimate):
    """Repeated verdicts on the same items. `estimate` is the flip rate: items with unequal repeats.

    Attributes:
        all_equal: Share of items whose repeats are all equal.
        pairwise: Share of pairs of repeats that are equal, items weighing alike; None without repeats.
        icc_single: ICC(1,1), the share of variance that lies between items; of one reading.
        icc_mean: ICC(1,k), the same of the mean of k readings.
        alpha_nominal: Krippendorff's alpha for labels.
        alpha_ordinal: For ranks.
        alpha_interval: For numbers.
        within_sd: Standard deviation of repeats around their item; None without repeats.
        mean_repeats: Repeats per repeated item.
    """

    all_equal: Estimate
    pairwise: float | None
    icc_single: Estimate
    icc_mean: Estimate
    alpha_nominal: Estimate
    alpha_ordinal: Estimate
    alpha_interval: Estimate
    within_sd: float | None
    mean_repeats: float | None


@dataclass(frozen=True, slots=True)
class _Variances:
    """One-way analysis of variance of items with repeats."""

    items: int
    readings: int
    between: float
    within: float
    size: float


def _variances(units: Sequence[Sequence[float]]) -> _Variances | None:
    n, items = sum(map(len, units)), len(units)
    if items < 2 or n <= items:
        return None
    grand = math.fsum(value for unit in units for value in unit) / n
    means = [math.fsum(unit) / len(unit) for unit in units]
    between = math.fsum(len(unit) * (mean - grand) ** 2 for unit, mean in zip(units, means, strict=True))
    within = math.fsum((value - mean) ** 2 for unit, mean in zip(units, means, strict=True) for value in unit)
    # The usual size where items have different numbers of repeats.
    size = (n - sum(len(unit) ** 2 for unit in units) / n) / (items - 1)
    return _Variances(items, n, between / (items - 1), within / (n - items), size)


def intraclass_correlation(
    items: Sequence[Sequence[float | None]], *, of_mean: bool = False, level: float = LEVEL
) -> Estimate:
    """ICC(1,1), or ICC(1,k) of the mean of an item's readings (Shrout and Fleiss 1979), with the F interval.

    Items with one reading take part in the variance between items. Undefined where no item is repeated or
    nothing varies.

    Args:
        items: The readings of each item; booleans count as 0 and 1, None is missing.
        of_mean: Whether the mean of k readings is asked about, instead of one.
        level: Confidence of the interval.

    Raises:
        InvalidArgument: A reading is not finite.
    """
    checked_level(level)
    numbers = [checked_numbers(item, name="items") for item in items]
    units = [kept for item in numbers if (kept := [value for value in item if value is not None])]
    found = _variances(units)
    value, ends, reason = (
        (None, None, "no item, or only one, is repeated")
        if found is None
        else (_icc(found, level, of_mean=of_mean))
    )
    return Estimate(
        estimate=value,
        low=None if ends is None else ends[0],
        high=None if ends is None else ends[1],
        level=level,
        method="ICC(1,k), F" if of_mean else "ICC(1,1), F",
        n_items=len(items),
        n_runs=sum(map(len, units)),
        n_clusters=len(units),
        n_missing=sum(map(len, numbers)) - sum(map(len, units)),
        reason=reason,
    )


def _icc(
    found: _Variances, level: float, *, of_mean: bool
) -> tuple[float | None, tuple[float, float] | None, str | None]:
    if found.between + found.within <= 1e-15:
        return None, None, "every reading is the same, so no variance can be shared out"
    if not found.within:
        return 1.0, None, "no item's repeats differ, so an interval is not defined"
    if of_mean and not found.between:
        return None, None, "items do not differ, so the mean of readings tells nothing"
    ratio = found.between / found.within
    above, below = found.items - 1, found.readings - found.items
    upper = f_quantile((1 + level) / 2, above, below)
    lower = f_quantile((1 + level) / 2, below, above)

    def share(f: float) -> float:
        return 1 - 1 / f if of_mean else (f - 1) / (f + found.size - 1)

    return share(ratio), (share(ratio / upper), share(ratio * lower)), None


def repeatability(items: Sequence[Sequence[float | None]], *, level: float = LEVEL) -> Repeatability:
    """Flip rate, exact and pairwise agreement, ICC, alpha and spread of repeated verdicts.

    Args:
        items: The verdicts of each item: booleans or numbers; None where a repeat gave none.
        level: Confidence of the intervals.

    Raises:
        InvalidArgument: A verdict is not finite.
    """
    checked_level(level)
    numbers = [checked_numbers(item, name="items") for item in items]
    units = [[value for value in item if value is not None] for item in numbers]
    repeated = [unit for unit in units if len(unit) > 1]
    equal = sum(len(set(unit)) == 1 for unit in repeated)
    none = "no item has two verdicts"
    flips = share_of(len(repeated) - equal, len(repeated), level=level, reason=none)
    found = _variances([unit for unit in units if unit])
    pairs = [sum(a == b for a, b in combinations(unit, 2)) / math.comb(len(unit), 2) for unit in repeated]
    return Repeatability(
        estimate=flips.estimate,
        low=flips.low,
        high=flips.high,
        level=level,
        method="flip rate, wilson over items",
        n_items=len(items),
        n_runs=sum(map(len, units)),
        n_clusters=len(repeated),
        n_missing=sum(map(len, numbers)) - sum(map(len, units)),
        reason=flips.reason,
        all_equal=share_of(equal, len(repeated), level=level, reason=none),
        pairwise=math.fsum(pairs) / len(pairs) if pairs else None,
        icc_single=intraclass_correlation(items, level=level),
        icc_mean=intraclass_correlation(items, of_mean=True, level=level),
        alpha_nominal=krippendorff_alpha(numbers, scale="nominal", level=level),
        alpha_ordinal=krippendorff_alpha(numbers, scale="ordinal", level=level),
        alpha_interval=krippendorff_alpha(numbers, scale="interval", level=level),
        within_sd=math.sqrt(found.within) if found else None,
        mean_repeats=sum(map(len, repeated)) / len(repeated) if repeated else None,
    )
