"""Two raters on the same items: kappa, pi, AC1, and what each says how often."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgekit.errors import InvalidArgument
from judgekit.statistics.coding import agreement_weights, shared_categories
from judgekit.statistics.estimate import LEVEL, Estimate, checked_level, checked_same_length, checked_whole
from judgekit.statistics.intervals import wilson_interval
from judgekit.statistics.raters import gwet_coefficient
from judgekit.statistics.special import normal_quantile

__all__ = ["Agreement", "agreement", "cohen_kappa", "scott_pi", "table_kappa"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement(Estimate):
    """How far two raters agree. `estimate` is the share of items on which they say the same.

    Attributes:
        kappa: Cohen's kappa (weighted where weights were asked for).
        pi: Scott's pi.
        ac1: Gwet's AC1 (AC2 where weights were asked for), which stays near the observed agreement where one
            category is rare.
        categories: In order.
        table: How often the first rater (rows) and the second (columns) said each category.
        first_shares: Share of each category by the first rater; empty without items.
        second_shares: Likewise by the second.
    """

    kappa: Estimate
    pi: Estimate
    ac1: Estimate
    categories: tuple[Any, ...]
    table: tuple[tuple[int, ...], ...]
    first_shares: Mapping[Any, float]
    second_shares: Mapping[Any, float]


def _table(
    a: Sequence[Hashable | None], b: Sequence[Hashable | None], categories: Sequence[Any]
) -> list[list[int]]:
    place = {category: index for index, category in enumerate(categories)}
    table = [[0] * len(categories) for _ in categories]
    for first, second in zip(a, b, strict=True):
        if first is not None and second is not None:
            table[place[first]][place[second]] += 1
    return table


def agreement(
    a: Sequence[Hashable | None],
    b: Sequence[Hashable | None],
    *,
    categories: Sequence[Hashable] | None = None,
    weights: str = "none",
    level: float = LEVEL,
) -> Agreement:
    """Hold two raters against each other.

    Args:
        a: The first rater's label of each item; None is missing, and the item is counted but not compared.
        b: The second rater's.
        categories: All categories in order of the scale; needed where neither rater used all that the other
            did. None: what they used, sorted.
        weights: `none`, `linear`, `quadratic` or `ordinal`, for kappa and AC2.
        level: Confidence of the intervals.

    Raises:
        InvalidArgument: The lists differ in length, or the labels do not share a coding.
    """
    checked_level(level)
    n_items = checked_same_length(a=a, b=b)
    found = shared_categories([a, b], categories)
    table = _table(a, b, found)
    n = sum(map(sum, table))
    equal = sum(table[k][k] for k in range(len(found)))
    interval = wilson_interval(equal, n, level=level)
    counts: dict[str, Any] = {
        "n_items": n_items,
        "n_runs": 2 * n,
        "n_clusters": n,
        "n_missing": n_items - n,
        "level": level,
    }
    kept = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    return Agreement(
        estimate=equal / n if n else None,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        method="share of equal labels, wilson",
        reason=None if n else "no item has both labels",
        warnings=_skew(table, n),
        kappa=table_kappa(table, weights=weights, categories=found, level=level, n_items=n_items),
        pi=_pi(table, counts),
        ac1=gwet_coefficient(kept, categories=found, weights=weights, level=level),
        categories=tuple(found),
        table=tuple(map(tuple, table)),
        first_shares=_shares(found, [sum(row) for row in table], n),
        second_shares=_shares(found, [sum(column) for column in zip(*table, strict=True)], n),
        **counts,
    )


def _shares(categories: Sequence[Any], counts: Sequence[int], n: int) -> dict[Any, float]:
    return {category: count / n for category, count in zip(categories, counts, strict=True)} if n else {}


def _skew(table: Sequence[Sequence[int]], n: int) -> tuple[str, ...]:
    largest = max(
        (sum(row) + sum(column) for row, column in zip(table, zip(*table, strict=True), strict=True)),
        default=0,
    )
    if not n or largest / (2 * n) < 0.9:
        return ()
    return ("one category is 90 % or more of all labels: kappa says little here, read AC1 beside it",)


def cohen_kappa(
    a: Sequence[Hashable | None],
    b: Sequence[Hashable | None],
    *,
    categories: Sequence[Hashable] | None = None,
    weights: str = "none",
    level: float = LEVEL,
) -> Estimate:
    """Cohen's kappa alone; arguments and errors are those of `agreement`."""
    return agreement(a, b, categories=categories, weights=weights, level=level).kappa


def scott_pi(
    a: Sequence[Hashable | None],
    b: Sequence[Hashable | None],
    *,
    categories: Sequence[Hashable] | None = None,
) -> Estimate:
    """Scott's pi alone (1955); arguments and errors are those of `agreement`."""
    return agreement(a, b, categories=categories).pi


def table_kappa(
    table: Sequence[Sequence[int]],
    *,
    weights: str = "none",
    categories: Sequence[Any] | None = None,
    level: float = LEVEL,
    n_items: int | None = None,
) -> Estimate:
    """Cohen's kappa (1960; weighted: 1968) of a square table, with Fleiss, Cohen and Everitt's error (1969).

    Not defined where both raters used one and the same category only, or where the table is empty.

    Args:
        table: How often rater one (rows) and rater two (columns) said each category.
        weights: `none`, `linear`, `quadratic` or `ordinal`.
        categories: What rows and columns stand for; None: their numbers.
        level: Confidence of the interval.
        n_items: How many items there were, those without both labels included; None: the table's sum.

    Raises:
        InvalidArgument: The table is not square, or a count is no whole number >= 0.
    """
    checked_level(level)
    size = len(table)
    if any(len(row) != size for row in table):
        raise InvalidArgument(f"`table` must be square, got rows of {[len(row) for row in table]}")
    for row in table:
        for count in row:
            checked_whole(count, name="table")
    weight = agreement_weights(range(size) if categories is None else categories, weights)
    n = sum(map(sum, table))
    known: dict[str, Any] = {
        "level": level,
        "method": "Cohen's kappa" + ("" if weights == "none" else f", {weights} weights"),
        "n_items": n if n_items is None else n_items,
        "n_runs": 2 * n,
        "n_clusters": n,
        "n_missing": 0 if n_items is None else n_items - n,
    }
    if not n:
        return Estimate(estimate=None, reason="no item has both labels", **known)
    shares = [[count / n for count in row] for row in table]
    kappa, variance = _kappa(shares, weight, n)
    if kappa is None:
        return Estimate(estimate=None, reason="both raters used one category only", **known)
    error = math.sqrt(max(0.0, variance))
    half = normal_quantile((1 + level) / 2) * error
    low, high = max(-1.0, kappa - half), min(1.0, kappa + half)
    warnings = ("the error is 0, so the interval has no width and means little",) if not error else ()
    return Estimate(estimate=kappa, low=low, high=high, standard_error=error, warnings=warnings, **known)


def _kappa(
    shares: Sequence[Sequence[float]], weight: Sequence[Sequence[float]], n: int
) -> tuple[float | None, float]:
    """Kappa and the variance of its estimate; None where chance alone agrees in all."""
    size = range(len(shares))
    rows = [math.fsum(row) for row in shares]
    columns = [math.fsum(column) for column in zip(*shares, strict=True)]
    observed = math.fsum(weight[i][j] * shares[i][j] for i in size for j in size)
    expected = math.fsum(weight[i][j] * rows[i] * columns[j] for i in size for j in size)
    if 1 - expected < 1e-12:
        return None, 0.0
    kappa = (observed - expected) / (1 - expected)
    by_row = [math.fsum(weight[i][j] * columns[j] for j in size) for i in size]
    by_column = [math.fsum(weight[i][j] * rows[i] for i in size) for j in size]
    squares = math.fsum(
        shares[i][j] * (weight[i][j] - (by_row[i] + by_column[j]) * (1 - kappa)) ** 2
        for i in size
        for j in size
    )
    variance = (squares - (kappa - expected * (1 - kappa)) ** 2) / (n * (1 - expected) ** 2)
    # What rounding leaves where raters agree in all is no error.
    return kappa, variance if variance > 1e-15 else 0.0


def _pi(table: Sequence[Sequence[int]], counts: dict[str, Any]) -> Estimate:
    n = sum(map(sum, table))
    if not n:
        return Estimate(estimate=None, method="Scott's pi", reason="no item has both labels", **counts)
    size = range(len(table))
    means = [(sum(table[k]) + sum(row[k] for row in table)) / (2 * n) for k in size]
    expected = math.fsum(mean * mean for mean in means)
    if 1 - expected < 1e-12:
        reason = "both raters used one category only"
        return Estimate(estimate=None, method="Scott's pi", reason=reason, **counts)
    observed = sum(table[k][k] for k in size) / n
    return Estimate(estimate=(observed - expected) / (1 - expected), method="Scott's pi", **counts)
