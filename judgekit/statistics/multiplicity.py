"""Adjusted p values for several tests at once; each list keeps its order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from judgekit.errors import InvalidArgument

__all__ = ["ADJUSTMENTS", "benjamini_hochberg", "benjamini_yekutieli", "bonferroni", "holm"]


def _checked(p_values: Sequence[float]) -> list[float]:
    for p in p_values:
        if isinstance(p, bool) or not isinstance(p, int | float) or not 0 <= p <= 1:
            raise InvalidArgument(f"`p_values` must be from 0 to 1, got {p!r}; leave undefined ones out")
    return [float(p) for p in p_values]


def bonferroni(p_values: Sequence[float]) -> list[float]:
    """Each p value times their number.

    Raises:
        InvalidArgument: A p value is not from 0 to 1; so for all adjustments here.
    """
    given = _checked(p_values)
    return [min(1.0, p * len(given)) for p in given]


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment (1979): holds the chance of any false alarm, and beats Bonferroni."""
    given = _checked(p_values)
    adjusted, highest = [0.0] * len(given), 0.0
    for rank, place in enumerate(sorted(range(len(given)), key=given.__getitem__)):
        highest = max(highest, min(1.0, given[place] * (len(given) - rank)))
        adjusted[place] = highest
    return adjusted


def _step_up(p_values: Sequence[float], factor: float) -> list[float]:
    given = _checked(p_values)
    adjusted, lowest = [0.0] * len(given), 1.0
    order = sorted(range(len(given)), key=given.__getitem__)
    for rank, place in reversed(list(enumerate(order, 1))):
        lowest = min(lowest, given[place] * factor * len(given) / rank)
        adjusted[place] = lowest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's step-up adjustment (1995): holds the share of false alarms, for exploring."""
    return _step_up(p_values, 1.0)


def benjamini_yekutieli(p_values: Sequence[float]) -> list[float]:
    """Benjamini and Yekutieli's (2001): the share of false alarms under any dependence."""
    return _step_up(p_values, sum(1 / rank for rank in range(1, len(p_values) + 1)))


ADJUSTMENTS: Mapping[str, Callable[[Sequence[float]], list[float]]] = {
    "holm": holm,
    "benjamini-hochberg": benjamini_hochberg,
    "benjamini-yekutieli": benjamini_yekutieli,
    "bonferroni": bonferroni,
}
