"""Means whose errors are shared within clusters."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from judgekit.statistics.estimate import (
    LEVEL,
    Estimate,
    checked_level,
    checked_numbers,
    checked_same_length,
    cluster_sums,
    few_clusters,
)
from judgekit.statistics.special import t_quantile

__all__ = ["ClusterMean", "cluster_mean"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterMean(Estimate):
    """A mean over values that come in clusters.

    Attributes:
        naive_error: The standard error if all values were independent (population variance).
        uncorrected_error: The cluster-robust error without the factor sqrt(G / (G - 1)).
        design_effect: Square of uncorrected over naive error; None without variance.
        effective_n: Values over the design effect; the number of clusters without variance.
    """

    naive_error: float | None
    uncorrected_error: float | None
    design_effect: float | None
    effective_n: float | None


def cluster_mean(
    values: Sequence[float | None], clusters: Sequence[Hashable] | None = None, *, level: float = LEVEL
) -> ClusterMean:
    """The mean of values whose errors are shared within clusters.

    Cluster-robust standard error with the factor sqrt(G / (G - 1)) and Student's t with G - 1 degrees of
    freedom (Miller 2024, arXiv:2411.00640; Liang and Zeger 1986).

    Args:
        values: One number a run; None is a missing measurement and is counted, not averaged.
        clusters: The case (or coarser group) of each value; None makes each value its own cluster.
        level: Confidence of the interval.

    Raises:
        InvalidArgument: Values and clusters differ in number, or a value is not finite.
    """
    checked_level(level)
    checked_same_length(values=values, clusters=clusters)
    numbers = checked_numbers(values, name="values")
    keys = range(len(numbers)) if clusters is None else clusters
    kept = [(value, key) for value, key in zip(numbers, keys, strict=True) if value is not None]
    found = [value for value, _ in kept]
    sums = cluster_sums(found, [key for _, key in kept])
    known: dict[str, Any] = {
        "level": level,
        "method": "cluster-robust t" if clusters is not None else "t",
        "n_items": len(set(keys)),
        "n_runs": len(found),
        "n_clusters": len(sums),
        "n_missing": len(numbers) - len(found),
    }
    if len(sums) < 2:
        reason = f"{len(sums)} clusters were measured; an interval needs at least 2"
        undefined: dict[str, Any] = dict.fromkeys(
            ("naive_error", "uncorrected_error", "design_effect", "effective_n")
        )
        mean = math.fsum(found) / len(found) if found else None
        return ClusterMean(estimate=mean, reason=reason, **known, **undefined)
    return _measured_mean(found, sums, level, known)


def _measured_mean(
    found: Sequence[float], sums: Sequence[tuple[float, int]], level: float, known: dict[str, Any]
) -> ClusterMean:
    n, groups = len(found), len(sums)
    mean = math.fsum(found) / n
    naive = math.sqrt(math.fsum((value - mean) ** 2 for value in found)) / n
    uncorrected = math.sqrt(math.fsum((total - count * mean) ** 2 for total, count in sums)) / n
    error = uncorrected * math.sqrt(groups / (groups - 1))
    effect = (uncorrected / naive) ** 2 if naive else None
    half = t_quantile((1 + level) / 2, groups - 1) * error
    return ClusterMean(
        estimate=mean,
        low=mean - half,
        high=mean + half,
        standard_error=error,
        naive_error=naive,
        uncorrected_error=uncorrected,
        design_effect=effect,
        effective_n=n / effect if effect else float(groups),
        warnings=few_clusters(groups) if known["method"] != "t" else (),
        **known,
    )
