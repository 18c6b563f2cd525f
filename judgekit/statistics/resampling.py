"""Seeded permutation and bootstrap, by cluster."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from judgekit.statistics.estimate import (
    LEVEL,
    Estimate,
    checked_level,
    checked_numbers,
    checked_same_length,
    checked_whole,
    cluster_sums,
)

if TYPE_CHECKING:
    import numpy as np

__all__ = ["RESAMPLES", "bootstrap_interval", "cluster_bootstrap", "sign_flip_p"]

U = TypeVar("U")

RESAMPLES = 10_000
# Up to this many clusters every assignment of signs is tried: 4,096 of them.
_EXACT_CLUSTERS = 12
# Random numbers held at once.
_BLOCK = 2_000_000


def _blocks(rows: int, width: int) -> Iterator[int]:
    step = max(1, _BLOCK // max(1, width))
    for done in range(0, rows, step):
        yield min(step, rows - done)


def sign_flip_p(
    differences: Sequence[float],
    clusters: Sequence[Hashable] | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> float:
    """The two-sided sign-flip permutation p value of a mean difference of 0 (Fisher 1935).

    The sign of each cluster's sum is as likely to be plus as minus if the two sides do not differ. All
    assignments are tried for up to 12 clusters that differ; else `resamples` seeded ones, with p
    `(r + 1) / (resamples + 1)` (Phipson and Smyth 2010). 1.0 where nothing differs.

    Args:
        differences: One finite difference an item.
        clusters: The group of each item; None: each is its own.
        resamples: How many random assignments, at least 1.
        seed: Of the random assignments.

    Raises:
        InvalidArgument: Differences and clusters differ in number, or a difference is not finite.
    """
    checked_whole(resamples, name="resamples", least=1)
    checked_same_length(differences=differences, clusters=clusters)
    given = [0.0 if value is None else value for value in checked_numbers(differences, name="differences")]
    keys = range(len(given)) if clusters is None else clusters
    sums = [total for total, _ in cluster_sums(given, keys) if total]
    if not sums:
        return 1.0
    import numpy as np

    # Sorted sizes: the sides swapped, or the cases in another order, give the same p value.
    weights = np.sort(np.abs(np.asarray(sums)))
    # Sums that are equal but for rounding count as equal.
    seen = abs(math.fsum(sums)) - 1e-9 * float(weights.sum())
    if len(sums) <= _EXACT_CLUSTERS:
        bits = (np.arange(2 ** len(sums))[:, None] >> np.arange(len(sums))) & 1
        return float(np.mean(np.abs((2 * bits - 1) @ weights) >= seen))
    random = np.random.default_rng(seed)
    extreme = 0
    for rows in _blocks(resamples, len(sums)):
        signs = 2.0 * random.integers(0, 2, (rows, len(sums)), dtype=np.int8) - 1
        extreme += int(np.count_nonzero(np.abs(signs @ weights) >= seen))
    return (extreme + 1) / (resamples + 1)


def cluster_bootstrap(
    values: Sequence[float | None],
    clusters: Sequence[Hashable] | None = None,
    *,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """The mean of values with the percentile interval of a bootstrap over whole clusters (Efron 1979).

    Args:
        values: One number a run; None is missing.
        clusters: The case or group of each value; None: each is its own.
        level: Confidence of the interval.
        resamples: How many samples are drawn, at least 1.
        seed: Of the draws.

    Raises:
        InvalidArgument: Values and clusters differ in number, or a value is not finite.
    """
    checked_level(level)
    checked_whole(resamples, name="resamples", least=1)
    checked_same_length(values=values, clusters=clusters)
    numbers = checked_numbers(values, name="values")
    keys = range(len(numbers)) if clusters is None else clusters
    kept = [(value, key) for value, key in zip(numbers, keys, strict=True) if value is not None]
    sums = cluster_sums([value for value, _ in kept], [key for _, key in kept])
    low = high = None
    if len(sums) >= 2:
        low, high = _percentiles(sums, level, resamples, seed)
    return Estimate(
        estimate=math.fsum(value for value, _ in kept) / len(kept) if kept else None,
        low=low,
        high=high,
        level=level,
        method=f"percentile bootstrap over clusters, {resamples} resamples, seed {seed}",
        n_items=len(set(keys)),
        n_runs=len(kept),
        n_clusters=len(sums),
        n_missing=len(numbers) - len(kept),
        reason=None if len(sums) >= 2 else f"a bootstrap needs at least 2 clusters, got {len(sums)}",
    )


def _percentiles(
    sums: Sequence[tuple[float, int]], level: float, resamples: int, seed: int
) -> tuple[float, float]:
    import numpy as np

    totals = np.asarray([total for total, _ in sums])
    counts = np.asarray([count for _, count in sums], dtype=float)
    random = np.random.default_rng(seed)
    means: list[np.ndarray[Any, Any]] = []
    for rows in _blocks(resamples, len(sums)):
        drawn = random.integers(0, len(sums), (rows, len(sums)))
        means.append(totals[drawn].sum(axis=1) / counts[drawn].sum(axis=1))
    ends = np.quantile(np.concatenate(means), [(1 - level) / 2, (1 + level) / 2])
    return float(ends[0]), float(ends[1])


def bootstrap_interval(
    units: Sequence[U],
    statistic: Callable[[Sequence[U]], float | None],
    *,
    level: float = LEVEL,
    resamples: int = 1_000,
    seed: int = 0,
) -> tuple[float, float] | None:
    """The percentile interval of any statistic over resampled units; None where it is rarely defined.

    Samples for which the statistic is None are left out; with fewer than half left there is no interval.

    Args:
        units: What is resampled: items or whole clusters.
        statistic: From a sample of units to a number, or None where it is not defined.
        level: Confidence of the interval.
        resamples: How many samples are drawn, at least 1.
        seed: Of the draws.
    """
    checked_level(level)
    checked_whole(resamples, name="resamples", least=1)
    if len(units) < 2:
        return None
    from random import Random

    random = Random(seed)  # noqa: S311 - a seeded resampling, no secret
    drawn = (statistic(random.choices(units, k=len(units))) for _ in range(resamples))
    found = sorted(value for value in drawn if value is not None)
    if len(found) * 2 < resamples:
        return None
    return _quantile(found, (1 - level) / 2), _quantile(found, (1 + level) / 2)


def _quantile(ordered: Sequence[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
