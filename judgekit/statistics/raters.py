"""Any number of raters, with missing labels: AC1 and AC2, Fleiss' and Conger's kappa."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from judgekit.statistics.coding import agreement_weights, shared_categories
from judgekit.statistics.estimate import LEVEL, Estimate, checked_level
from judgekit.statistics.special import t_quantile

__all__ = ["conger_kappa", "fleiss_kappa", "gwet_coefficient"]


@dataclass(frozen=True, slots=True)
class _Ratings:
    """Items as counts of categories, and the weights between categories."""

    categories: list[Any]
    weight: list[list[float]]
    counts: list[list[int]]
    n_items: int
    missing: int

    @property
    def pairable(self) -> list[list[int]]:
        return [row for row in self.counts if sum(row) >= 2]

    def agreement_of(self, row: Sequence[int]) -> float:
        """The weighted share of an item's pairs of labels that agree."""
        total = sum(row)
        size = range(len(row))
        pairs = sum(row[k] * (sum(self.weight[k][j] * row[j] for j in size) - 1) for k in size if row[k])
        return pairs / (total * (total - 1))

    @property
    def shares(self) -> list[float]:
        """The mean share of each category, items weighing alike."""
        n = len(self.counts)
        return [math.fsum(row[k] / sum(row) for row in self.counts) / n for k in range(len(self.categories))]


def _ratings(
    items: Sequence[Sequence[Hashable | None]], categories: Sequence[Hashable] | None, weights: str
) -> _Ratings:
    width = max(map(len, items), default=0)
    columns = [[item[j] if j < len(item) else None for item in items] for j in range(width)]
    found = shared_categories(columns, categories) if categories is not None else _union(columns)
    place = {category: index for index, category in enumerate(found)}
    counts = []
    for item in items:
        row = [0] * len(found)
        for label in item:
            if label is not None:
                row[place[label]] += 1
        counts.append(row)
    missing = sum(width - sum(row) for row in counts)
    kept = [row for row in counts if any(row)]
    return _Ratings(found, agreement_weights(found, weights), kept, len(items), missing)


def _union(columns: Sequence[Sequence[Hashable | None]]) -> list[Any]:
    """The categories of all raters together; three raters or more need not use all of them each."""
    if len(columns) <= 2:
        return shared_categories(columns)
    return shared_categories([[label for column in columns for label in column]])


def _known(ratings: _Ratings, method: str, level: float) -> dict[str, Any]:
    return {
        "level": level,
        "method": method,
        "n_items": ratings.n_items,
        "n_runs": sum(map(sum, ratings.counts)),
        "n_clusters": len(ratings.pairable),
        "n_missing": ratings.missing,
    }


_NO_PAIRS = "no item has two labels"


def gwet_coefficient(
    items: Sequence[Sequence[Hashable | None]],
    *,
    categories: Sequence[Hashable] | None = None,
    weights: str = "none",
    level: float = LEVEL,
) -> Estimate:
    """Gwet's AC1 (2008, British Journal of Mathematical and Statistical Psychology 61:29); AC2 with weights.

    For any number of raters, some of whom may be missing on an item; error and interval by Gwet's linearised
    variance over items, t with n - 1 degrees of freedom. Where one category is all there is, AC1 is 1.

    Args:
        items: For each item the labels of its raters, in order; None is missing.
        categories: All categories in order; None: what the raters used.
        weights: `none` for AC1; `linear`, `quadratic` or `ordinal` for AC2.
        level: Confidence of the interval.

    Raises:
        InvalidArgument: The labels do not share a coding, or a name is unknown.
    """
    checked_level(level)
    ratings = _ratings(items, categories, weights)
    name = "Gwet's AC1" if weights == "none" else f"Gwet's AC2, {weights} weights"
    known = _known(ratings, name, level)
    pairable = ratings.pairable
    if not pairable:
        return Estimate(estimate=None, reason=_NO_PAIRS, **known)
    observed = math.fsum(map(ratings.agreement_of, pairable)) / len(pairable)
    size = len(ratings.categories)
    if size < 2:
        return Estimate(estimate=1.0, reason="one category only: an interval is not defined", **known)
    total = sum(map(math.fsum, ratings.weight))
    shares = ratings.shares
    scale = total / (size * (size - 1))
    expected = scale * math.fsum(share * (1 - share) for share in shares)
    value = (observed - expected) / (1 - expected)
    chances = [
        scale * math.fsum((1 - share) * count / sum(row) for share, count in zip(shares, row, strict=True))
        for row in ratings.counts
    ]
    return _with_error(ratings, value, expected, chances, known)


def _with_error(
    ratings: _Ratings, value: float, expected: float, chances: Sequence[float], known: dict[str, Any]
) -> Estimate:
    n = len(ratings.counts)
    if n < 2:
        return Estimate(estimate=value, reason="an interval needs at least 2 items", **known)
    scale = n / len(ratings.pairable)
    squares = 0.0
    for row, chance in zip(ratings.counts, chances, strict=True):
        seen = scale * ratings.agreement_of(row) if sum(row) >= 2 else 0.0
        # Items with one label take part in the chance agreement only.
        base = scale * expected if sum(row) >= 2 else 0.0
        mine = (seen - base) / (1 - expected) - 2 * (1 - value) * (chance - expected) / (1 - expected)
        squares += (mine - value) ** 2
    error = math.sqrt(squares / (n * (n - 1)))
    half = t_quantile((1 + known["level"]) / 2, n - 1) * error
    return Estimate(
        estimate=value,
        low=max(min(-1.0, value), value - half),
        high=min(1.0, value + half),
        standard_error=error,
        **known,
    )


def fleiss_kappa(
    items: Sequence[Sequence[Hashable | None]],
    *,
    categories: Sequence[Hashable] | None = None,
    weights: str = "none",
) -> Estimate:
    """Fleiss' kappa (1971), items with missing labels included (Gwet 2014); no interval.

    Arguments and errors are those of `gwet_coefficient`.
    """
    ratings = _ratings(items, categories, weights)
    known = _known(ratings, "Fleiss' kappa", LEVEL)
    if not ratings.pairable:
        return Estimate(estimate=None, reason=_NO_PAIRS, **known)
    shares = ratings.shares
    size = range(len(shares))
    expected = math.fsum(ratings.weight[k][j] * shares[k] * shares[j] for k in size for j in size)
    return _against_chance(ratings, expected, known)


def conger_kappa(
    items: Sequence[Sequence[Hashable | None]],
    *,
    categories: Sequence[Hashable] | None = None,
    weights: str = "none",
) -> Estimate:
    """Conger's kappa (1980): Cohen's for more than two raters, each with shares of its own; no interval.

    Arguments and errors are those of `gwet_coefficient`; the order of an item's labels is that of the raters.
    """
    ratings = _ratings(items, categories, weights)
    known = _known(ratings, "Conger's kappa", LEVEL)
    if not ratings.pairable:
        return Estimate(estimate=None, reason=_NO_PAIRS, **known)
    width = max(map(len, items))
    columns = [[item[j] for item in items if j < len(item) and item[j] is not None] for j in range(width)]
    own = [
        [column.count(category) / len(column) for category in ratings.categories]
        for column in columns
        if column
    ]
    size, raters = range(len(ratings.categories)), len(own)
    if raters < 2:
        return Estimate(estimate=None, reason=_NO_PAIRS, **known)
    expected = 0.0
    for k in size:
        for j in size:
            sums = math.fsum(each[k] for each in own) * math.fsum(each[j] for each in own)
            same = math.fsum(each[k] * each[j] for each in own)
            expected += ratings.weight[k][j] * (sums - same) / (raters * (raters - 1))
    return _against_chance(ratings, expected, known)


def _against_chance(ratings: _Ratings, expected: float, known: dict[str, Any]) -> Estimate:
    if 1 - expected < 1e-12:
        return Estimate(estimate=None, reason="all raters used one category only", **known)
    observed = math.fsum(map(ratings.agreement_of, ratings.pairable)) / len(ratings.pairable)
    return Estimate(estimate=(observed - expected) / (1 - expected), **known)
