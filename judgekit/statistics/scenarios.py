"""A paired difference as it was seen, and as missing measurements could have made it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import hypot
from statistics import median
from typing import Literal

from judgekit.statistics.estimate import cluster_sums
from judgekit.statistics.intervals import newcombe_paired_difference, wilson_interval
from judgekit.statistics.paired import mcnemar_exact, paired_difference
from judgekit.statistics.pairing import Pair
from judgekit.statistics.resampling import sign_flip_p

__all__ = ["Scenario", "Side", "Testing", "scenario"]

Side = Literal["low", "seen", "high"]

# A variance that stands on fewer clusters than these says little about the ones that are not seen.
_FEW_APART = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Testing:
    """How a difference is tested.

    Attributes:
        single_run: Whether each case has one pass or fail a side, and is its own cluster.
        clustered: Whether clusters were named.
        level: Confidence of the interval.
        resamples: Of the permutation.
        seed: Of the permutation.
    """

    single_run: bool
    clustered: bool
    level: float
    resamples: int
    seed: int

    @property
    def method(self) -> str:
        """What is printed beside the result."""
        if self.single_run:
            return "McNemar exact, Newcombe paired"
        cluster = "given clusters" if self.clustered else "cases"
        return f"sign-flip permutation and paired t over {cluster}"


@dataclass(frozen=True, slots=True)
class Scenario:
    """One reading of the pairs.

    Attributes:
        difference: Mean of new minus old; None without a pair.
        low: Lower end of its interval; None where there is none.
        high: Upper end.
        error: Standard error.
        p: Two-sided p value of no difference.
    """

    difference: float | None = None
    low: float | None = None
    high: float | None = None
    error: float | None = None
    p: float | None = None


def scenario(pairs: Sequence[Pair], side: Side, how: Testing) -> Scenario:
    """Difference, interval and p value of the pairs as `side` reads them."""
    if not pairs:
        return Scenario()
    differences = [pair.difference_in(side) for pair in pairs]
    if how.single_run:
        ups, downs = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
        same = [pair for pair, d in zip(pairs, differences, strict=True) if not d]
        both = sum(pair.new_in(side) > 0.5 for pair in same)
        interval = newcombe_paired_difference(both, ups, downs, len(same) - both, level=how.level)
        mean = paired_difference(differences, [0.0] * len(pairs), level=how.level)
        low, high = (interval.low, interval.high) if interval else (None, None)
        return Scenario(mean.estimate, low, high, mean.standard_error, mcnemar_exact(ups, downs))
    keys = [pair.cluster for pair in pairs]
    mean = paired_difference(differences, [0.0] * len(pairs), keys, level=how.level)
    p = sign_flip_p(differences, keys, resamples=how.resamples, seed=how.seed)
    low, high = mean.low, mean.high
    if low is not None and high is not None:
        low, high = _with_unseen(low, high, differences, keys, how.level)
    return Scenario(mean.estimate, low, high, mean.standard_error, p)


def _with_unseen(
    low: float, high: float, differences: Sequence[float], keys: Sequence[Hashable], level: float
) -> tuple[float, float]:
    """The interval, wide enough for rare clusters that a variance without them knows nothing of.

    Where half of the clusters or more agree and fewer than ten lie off them, so many as Wilson's interval of
    their share allows may fall from there to -1, or rise from there to 1. Falls and rises are put together by
    the method of variance estimates recovery, as in Newcombe (1998).
    """
    means = [total / count for total, count in cluster_sums(differences, keys)]
    middle = median(means)
    below = [middle - mean for mean in means if mean < middle]
    above = [mean - middle for mean in means if mean > middle]
    apart = len(below) + len(above)
    if apart >= _FEW_APART or 2 * apart > len(means):
        return low, high
    fall = _part(below, len(means), 1 + middle, level)
    rise = _part(above, len(means), 1 - middle, level)
    centre = middle + rise.seen - fall.seen
    least = centre - hypot(rise.seen - rise.least, fall.most - fall.seen)
    most = centre + hypot(rise.most - rise.seen, fall.seen - fall.least)
    return max(-1.0, min(low, least)), min(1.0, max(high, most))


@dataclass(frozen=True, slots=True)
class _Part:
    """How far clusters on one side of the middle move the mean: as seen, at least, and at most."""

    seen: float
    least: float
    most: float


def _part(distances: Sequence[float], clusters: int, room: float, level: float) -> _Part:
    """With the share of clusters that Wilson's interval allows; those not seen may lie `room` away."""
    share, seen = wilson_interval(len(distances), clusters, level=level), sum(distances) / clusters
    if share is None:
        return _Part(seen, seen, seen)
    mean = sum(distances) / len(distances) if distances else 0.0
    return _Part(seen, share.low * mean, seen + (share.high - len(distances) / clusters) * room)
