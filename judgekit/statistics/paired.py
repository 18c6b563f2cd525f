"""Two sides measured on the same items: exact tests and the difference of means."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from judgekit.statistics.clustered import cluster_mean
from judgekit.statistics.estimate import (
    LEVEL,
    Estimate,
    checked_numbers,
    checked_same_length,
    checked_whole,
    same_interval,
)
from judgekit.statistics.special import binomial_below, t_below

__all__ = ["PairedDifference", "correlation", "mcnemar_exact", "mcnemar_mid_p", "paired_difference"]


def mcnemar_exact(only_a: int, only_b: int) -> float:
    """The exact two-sided p value of McNemar's test (1947): `2 P(X <= min)`, X binomial with rate 1/2.

    1.0 where no item differs. With fewer than six items that differ it cannot be below 0.05.

    Args:
        only_a: Items that pass under A alone.
        only_b: Items that pass under B alone.

    Raises:
        InvalidArgument: A count is no whole number >= 0.
    """
    checked_whole(only_a, name="only_a")
    checked_whole(only_b, name="only_b")
    return min(1.0, 2 * binomial_below(min(only_a, only_b), only_a + only_b, 0.5))


def mcnemar_mid_p(only_a: int, only_b: int) -> float:
    """The mid-p form of `mcnemar_exact` (Fagerland, Lydersen, Laake 2013): less cautious, not exact."""
    total, least = only_a + only_b, min(only_a, only_b)
    exact = mcnemar_exact(only_a, only_b)
    if only_a == only_b:
        return 1.0
    choose = math.lgamma(total + 1) - math.lgamma(least + 1) - math.lgamma(total - least + 1)
    return max(0.0, exact - math.exp(choose - total * math.log(2)))


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedDifference(Estimate):
    """The mean of A minus B over items that both sides measured.

    Attributes:
        mean_a: Over complete pairs; None without one.
        mean_b: Likewise.
        paired_error: sd of the differences over sqrt(n), clusters ignored.
        unpaired_error: What the error would be if the two sides had seen different items.
        uncorrected_error: The cluster-robust error without its factor sqrt(G / (G - 1)).
        correlation: Between the two sides; None where one of them is constant.
        t: The difference over its standard error; None without variance.
        p_value: Two-sided, Student's t with G - 1 degrees of freedom; None without variance.
    """

    mean_a: float | None
    mean_b: float | None
    paired_error: float | None
    unpaired_error: float | None
    uncorrected_error: float | None
    correlation: float | None
    t: float | None
    p_value: float | None


def correlation(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Pearson's correlation of two lists of equal length; None where one is constant or below two long."""
    if len(a) < 2:
        return None
    mean_a, mean_b = math.fsum(a) / len(a), math.fsum(b) / len(b)
    left, right = [x - mean_a for x in a], [y - mean_b for y in b]
    norm = math.sqrt(math.fsum(x * x for x in left) * math.fsum(y * y for y in right))
    # What rounding leaves of a constant is no variance.
    scale = max(map(abs, a), default=0.0) * max(map(abs, b), default=0.0) * len(a)
    if norm <= 1e-14 * scale:
        return None
    return min(1.0, max(-1.0, math.fsum(x * y for x, y in zip(left, right, strict=True)) / norm))


def paired_difference(
    a: Sequence[float | None],
    b: Sequence[float | None],
    clusters: Sequence[Hashable] | None = None,
    *,
    level: float = LEVEL,
) -> PairedDifference:
    """How much A's mean lies above B's, with a paired interval.

    Without clusters the paired t interval; with them cluster-robust, t with G - 1 degrees of freedom (Miller
    2024, arXiv:2411.00640). The cluster key is a choice that can change the answer, so print it.

    Args:
        a: One value an item of side A; booleans count as 0 and 1, None is missing.
        b: Likewise of side B, in the same order.
        clusters: The group of each item; None: each item is its own.
        level: Confidence of the interval.

    Raises:
        InvalidArgument: The lists differ in length, or a value is not finite.
    """
    n_items = checked_same_length(a=a, b=b, clusters=clusters)
    left, right = checked_numbers(a, name="a"), checked_numbers(b, name="b")
    keys: Sequence[Hashable] = range(n_items) if clusters is None else clusters
    whole = [
        (x, y, key) for x, y, key in zip(left, right, keys, strict=True) if x is not None and y is not None
    ]
    firsts, seconds = [x for x, _, _ in whole], [y for _, y, _ in whole]
    differences = [x - y for x, y, _ in whole]
    groups = None if clusters is None else [key for _, _, key in whole]
    mean = cluster_mean(differences, groups, level=level)
    t = _t(mean, differences)
    return PairedDifference(
        **same_interval(mean),
        method="paired t" if clusters is None else "paired, cluster-robust t",
        n_items=n_items,
        n_runs=2 * len(whole),
        n_clusters=mean.n_clusters,
        n_missing=n_items - len(whole),
        warnings=mean.warnings + _no_width(differences),
        uncorrected_error=mean.uncorrected_error,
        t=t,
        p_value=None if t is None else min(1.0, 2 * t_below(-abs(t), mean.n_clusters - 1)),
        **_sides(firsts, seconds, differences),
    )


def _t(mean: Estimate, differences: Sequence[float]) -> float | None:
    if mean.estimate is None or not mean.standard_error or max(differences) == min(differences):
        return None
    return mean.estimate / mean.standard_error


def _no_width(differences: Sequence[float]) -> tuple[str, ...]:
    if not differences or max(differences) != min(differences):
        return ()
    return ("every item differs by the same amount, so the interval has no width and means little",)


def _sides(a: Sequence[float], b: Sequence[float], differences: Sequence[float]) -> dict[str, Any]:
    if not a:
        names = ("mean_a", "mean_b", "paired_error", "unpaired_error", "correlation")
        return dict.fromkeys(names)
    n = len(a)
    errors = [_error(values) for values in (a, b, differences)]
    first, second, paired = errors
    return {
        "mean_a": math.fsum(a) / n,
        "mean_b": math.fsum(b) / n,
        "paired_error": paired,
        "unpaired_error": None if first is None or second is None else math.hypot(first, second),
        "correlation": correlation(a, b),
    }


def _error(values: Sequence[float]) -> float | None:
    if len(values) < 2:
        return None
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))
