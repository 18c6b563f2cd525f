"""Intervals of statistics that are no means, by leaving out one cluster after the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from judgekit.errors import InvalidArgument
from judgekit.statistics.estimate import LEVEL, checked_level
from judgekit.statistics.special import t_quantile

__all__ = ["cluster_jackknife"]


def cluster_jackknife(
    clusters: Sequence[Sequence[float]],
    statistic: Callable[[Sequence[float]], float | None],
    *,
    level: float = LEVEL,
) -> tuple[float, float] | None:
    """The standard error and the half width of a statistic of sums, by the delete-one-cluster jackknife.

    Student's t with G - 1 degrees of freedom (Tukey 1958; of kappa: Davies and Fleiss 1982, Biometrics
    38:1047). None with fewer than two clusters, or where the statistic is not defined without one of them.

    Args:
        clusters: The counts of each cluster, all of one length; their sums are what `statistic` gets.
        statistic: From the sums over clusters to a number, or None where it is not defined.
        level: Confidence of the interval.

    Raises:
        InvalidArgument: The level is out of range, or clusters differ in length.
    """
    checked_level(level)
    if len({len(cluster) for cluster in clusters}) > 1:
        raise InvalidArgument("`clusters` must hold as many counts each, since their sums are added up")
    size = len(clusters)
    if size < 2:
        return None
    sums = [math.fsum(column) for column in zip(*clusters, strict=True)]
    left = [
        statistic([total - part for total, part in zip(sums, cluster, strict=True)]) for cluster in clusters
    ]
    known = [value for value in left if value is not None]
    if len(known) < size:
        return None
    mean = math.fsum(known) / size
    error = math.sqrt((size - 1) / size * math.fsum((value - mean) ** 2 for value in known))
    return error, t_quantile((1 + level) / 2, size - 1) * error
