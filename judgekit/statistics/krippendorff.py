"""Krippendorff's alpha, from its published definition."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Literal, NamedTuple, TypeVar

from judgekit.errors import InvalidArgument
from judgekit.statistics.estimate import LEVEL, Estimate, checked_level, checked_numbers, checked_whole
from judgekit.statistics.resampling import bootstrap_interval

__all__ = ["Scale", "krippendorff_alpha"]

Scale = Literal["nominal", "ordinal", "interval", "ratio"]
T = TypeVar("T")
_SCALES = ("nominal", "ordinal", "interval", "ratio")
# Of equal numbers the sum of squared differences is 0 but for rounding.
_ROUNDED = 1e-12


def krippendorff_alpha(
    items: Sequence[Sequence[Hashable | None]],
    *,
    scale: Scale = "nominal",
    level: float = LEVEL,
    resamples: int = 0,
    seed: int = 0,
) -> Estimate:
    """Krippendorff's alpha for any number of raters, with missing labels.

    `1 - observed / expected disagreement` over the coincidences of pairable values (Krippendorff 2011,
    "Computing Krippendorff's Alpha-Reliability"). Items with fewer than two labels are left out. The interval
    resamples items, never single labels.

    Args:
        items: For each item the labels of its raters; None is missing.
        scale: `nominal`, `ordinal`, `interval` or `ratio`; all but the first need numbers.
        level: Confidence of the interval.
        resamples: Of the bootstrap; 0 gives no interval.
        seed: Of the bootstrap.

    Raises:
        InvalidArgument: An unknown scale, or labels that are no numbers where the scale needs them.
    """
    checked_level(level)
    checked_whole(resamples, name="resamples")
    if scale not in _SCALES:
        raise InvalidArgument(f"`scale` must be one of {', '.join(_SCALES)}, got {scale!r}")
    if scale != "nominal":
        for item in items:
            checked_numbers(item, name="items")
    given: list[list[Any]] = [[label for label in item if label is not None] for item in items]
    units = [unit for unit in given if len(unit) >= 2]
    drawn = level, resamples, seed
    if scale == "interval":
        value, ends = _with_ends(_squares(units), _alpha_of_squares, *drawn)
    else:
        counted = [Counter(unit) for unit in units]
        value, ends = _with_ends(counted, lambda sample: _alpha_of(sample, scale), *drawn)
    return Estimate(
        estimate=value,
        low=None if ends is None else ends[0],
        high=None if ends is None else ends[1],
        level=level,
        method=f"Krippendorff's alpha, {scale}" + (f", bootstrap over items, seed {seed}" if ends else ""),
        n_items=len(items),
        n_runs=sum(map(len, units)),
        n_clusters=len(units),
        n_missing=sum(map(len, items)) - sum(map(len, given)),
        reason=_reason(units, value, resamples, ends),
    )


def _reason(
    units: Sequence[Any], value: float | None, resamples: int, ends: tuple[float, float] | None
) -> str | None:
    if not units:
        return "no item has two labels"
    if value is None:
        return "one value only: nothing could disagree"
    return "too few items vary for an interval" if resamples and ends is None else None


def _with_ends(
    found: Sequence[T], alpha: Callable[[Sequence[T]], float | None], level: float, resamples: int, seed: int
) -> tuple[float | None, tuple[float, float] | None]:
    value = alpha(found)
    if not resamples or value is None:
        return value, None
    return value, bootstrap_interval(found, alpha, level=level, resamples=resamples, seed=seed)


def _alpha_of(units: Sequence[Counter[Any]], scale: str) -> float | None:
    totals: Counter[Any] = Counter()
    for unit in units:
        totals.update(unit)
    values = list(totals) if scale == "nominal" else sorted(totals)
    if len(values) < 2:
        return None
    n = totals.total()
    distance = _distance(values, totals, scale)
    between = {(c, k): distance(c, k) for i, c in enumerate(values) for k in values[i + 1 :]}
    expected = math.fsum(totals[c] * totals[k] * d for (c, k), d in between.items())
    if not expected:
        return None
    observed = 0.0
    for unit in units:
        held = list(unit) if scale == "nominal" else sorted(unit)
        if len(held) > 1:
            inside = math.fsum(
                unit[c] * unit[k] * _of(between, c, k) for i, c in enumerate(held) for k in held[i + 1 :]
            )
            observed += inside / (unit.total() - 1)
    return 1 - (n - 1) * observed / expected


class _Squares(NamedTuple):
    size: int
    total: float
    squares: float
    within: float


def _squares(units: Sequence[Sequence[float]]) -> list[_Squares]:
    """What alpha needs of each item: of many different numbers there are too many pairs to visit."""
    values = [float(value) for unit in units for value in unit]
    middle = math.fsum(values) / len(values) if values else 0.0
    found = []
    for unit in units:
        total = math.fsum(value - middle for value in unit)
        squares = math.fsum((value - middle) ** 2 for value in unit)
        within = (len(unit) * squares - total * total) / (len(unit) - 1)
        found.append(_Squares(len(unit), total, squares, within))
    return found


def _alpha_of_squares(units: Sequence[_Squares]) -> float | None:
    if not units:
        return None
    sizes, totals, squares, within = map(math.fsum, zip(*units, strict=True))
    # Half of all squared differences.
    expected = sizes * squares - totals * totals
    if expected <= _ROUNDED * sizes * squares:
        return None
    return 1 - (sizes - 1) * within / expected


def _of(between: dict[tuple[Any, Any], float], c: Any, k: Any) -> float:
    return between[c, k] if (c, k) in between else between[k, c]


def _distance(values: Sequence[Any], totals: Counter[Any], scale: str) -> Callable[[Any, Any], float]:
    if scale == "nominal":
        return lambda c, k: float(c != k)
    if scale == "ratio":
        return lambda c, k: ((c - k) / (c + k)) ** 2 if c + k else float(c != k)
    # The number of values up to the middle of each rank.
    below, middles = 0.0, {}
    for value in values:
        middles[value] = below + totals[value] / 2
        below += totals[value]
    return lambda c, k: (middles[c] - middles[k]) ** 2
