"""Kappa, AC1 and rates of a judge whose items come in cases, such as repeats: what is alike counts once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

from judgekit.statistics.counts import CaseCounts
from judgekit.statistics.estimate import Estimate
from judgekit.statistics.jackknife import cluster_jackknife
from judgekit.statistics.kappa import Agreement
from judgekit.statistics.rates import Rate, pass_rate

__all__ = ["Tables", "agreement_by_case", "are_repeated", "share_by_case", "tables_by_case"]

Tables = Sequence[Sequence[int]]
"""Of each case: items that both pass, only the first passes, only the second passes, both fail."""


def are_repeated(clusters: Sequence[Hashable] | None) -> bool:
    """Whether any two items are of one case."""
    return clusters is not None and len(set(clusters)) < len(clusters)


def tables_by_case(
    first: Sequence[bool | None], second: Sequence[bool | None], clusters: Sequence[Hashable]
) -> Tables:
    """The table of each case in which both decided something."""
    found: dict[Hashable, list[int]] = {}
    for one, other, cluster in zip(first, second, clusters, strict=True):
        if one is not None and other is not None:
            found.setdefault(cluster, [0, 0, 0, 0])[2 * (not one) + (not other)] += 1
    return list(found.values())


def share_by_case(tables: Tables, passed: Sequence[int], failed: Sequence[int], level: float) -> Rate:
    """A share of items, clustered by case; `passed` and `failed` are the cells that count so."""
    counts = [
        CaseCounts(sum(table[cell] for cell in passed), sum(table[cell] for cell in failed))
        for table in tables
    ]
    return pass_rate([count for count in counts if sum(count)], level=level)


def agreement_by_case(whole: Agreement, tables: Tables) -> Agreement:
    """The same with intervals of share, kappa and AC1 for items that come in cases."""
    share = share_by_case(tables, (0, 3), (1, 2), whole.level)
    return replace(
        whole,
        low=share.low,
        high=share.high,
        method=share.method,
        n_clusters=len(tables),
        reason=whole.reason or share.reason,
        kappa=_clustered(whole.kappa, tables, _kappa),
        ac1=_clustered(whole.ac1, tables, _ac1),
    )


def _kappa(table: Sequence[float]) -> float | None:
    both, first, second, neither = table
    n = sum(table)
    if not n:
        return None
    one, other = (both + first) / n, (both + second) / n
    expected = one * other + (1 - one) * (1 - other)
    return None if 1 - expected < 1e-12 else ((both + neither) / n - expected) / (1 - expected)


def _ac1(table: Sequence[float]) -> float | None:
    both, first, second, neither = table
    n = sum(table)
    if not n:
        return None
    share = (2 * both + first + second) / (2 * n)
    expected = 2 * share * (1 - share)
    return ((both + neither) / n - expected) / (1 - expected)


def _clustered(
    found: Estimate, tables: Tables, statistic: Callable[[Sequence[float]], float | None]
) -> Estimate:
    """The same estimate with an interval by leaving out one case after the other."""
    if found.estimate is None:
        return found
    bare = replace(found, low=None, high=None, standard_error=None, n_clusters=len(tables), warnings=())
    spread = cluster_jackknife(tables, statistic, level=found.level)
    if spread is None:
        return replace(bare, reason="without one of the cases it is not defined")
    error, half = spread
    return replace(
        bare,
        low=max(-1.0, found.estimate - half),
        high=min(1.0, found.estimate + half),
        standard_error=error,
        method=f"{found.method}, jackknife over cases",
        warnings=() if error else ("the error is 0, so the interval has no width and means little",),
    )
