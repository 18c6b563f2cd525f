"""Prediction-powered means: few human labels made sharper by many judge verdicts."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from judgekit.errors import InvalidArgument
from judgekit.statistics.estimate import (
    LEVEL,
    Estimate,
    checked_level,
    checked_numbers,
    checked_same_length,
    checked_share,
    cluster_sums,
)
from judgekit.statistics.special import normal_quantile

__all__ = ["FEWEST_LABELS", "PredictionPowered", "prediction_powered"]

# Below this many labels PPI++ covered the truth in as few as 85 % of intervals of nominally 95 %.
FEWEST_LABELS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionPowered(Estimate):
    """A mean from labels and predictions.

    Attributes:
        tuning: The weight lambda of the predictions: 0 is labels only, 1 plain PPI; None where undefined.
    """

    tuning: float | None


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _spread(values: Sequence[float], clusters: Sequence[Hashable] | None) -> float:
    """The squared error of a mean: population variance over n, or the cluster-robust one."""
    mean = _mean(values)
    if clusters is None:
        return math.fsum((value - mean) ** 2 for value in values) / len(values) ** 2
    sums = cluster_sums(values, clusters)
    scale = len(sums) / (len(sums) - 1) if len(sums) > 1 else 1.0
    return scale * math.fsum((total - count * mean) ** 2 for total, count in sums) / len(values) ** 2


def _tuned(labels: Sequence[float], predicted: Sequence[float], others: Sequence[float]) -> float:
    """The lambda that makes the interval shortest, from 0 to 1; 0 where the judge is constant."""
    pool = [*predicted, *others]
    middle = _mean(pool)
    variance = math.fsum((value - middle) ** 2 for value in pool) / (len(pool) - 1)
    if variance <= 1e-15:
        return 0.0
    mean_y, mean_f = _mean(labels), _mean(predicted)
    covariance = _mean([(y - mean_y) * (f - mean_f) for y, f in zip(labels, predicted, strict=True)])
    return min(1.0, max(0.0, covariance / ((1 + len(labels) / len(others)) * variance)))


def _check_values(**named: Sequence[float]) -> None:
    for name, values in named.items():
        if None in checked_numbers(values, name=name):
            raise InvalidArgument(f"`{name}` holds None; leave items without a value out")


def _few_labels(count: int) -> tuple[str, ...]:
    if count >= FEWEST_LABELS:
        return ()
    return (f"{count} labels: with fewer than {FEWEST_LABELS} the interval covers too rarely",)


def prediction_powered(
    labels: Sequence[float],
    predicted: Sequence[float],
    others: Sequence[float],
    *,
    tuning: float | None = None,
    level: float = LEVEL,
    clusters: Sequence[Hashable] | None = None,
    other_clusters: Sequence[Hashable] | None = None,
) -> PredictionPowered:
    """The mean of what humans would say, from a random subset that they labelled.

    `lambda mean(F others) + mean(Y - lambda F labelled)` with a normal interval: lambda 1 is
    prediction-powered inference (Angelopoulos et al. 2023, arXiv:2301.09633), lambda 0 the labels alone, and
    the tuned lambda PPI++ (Angelopoulos, Duchi, Zrnic 2023, arXiv:2311.01453). Predictions may be
    probabilities, which serve better than hard verdicts; to compare two agents under one judge, give the
    differences of their labels and of their verdicts. With fewer than 50 labels it covers too rarely, and
    a warning says so.

    Args:
        labels: Human values of the labelled items.
        predicted: The judge's values of the same items.
        others: The judge's values of the items without a label.
        tuning: lambda, from 0 to 1; None: tuned.
        level: Confidence of the interval.
        clusters: The group of each labelled item, where items repeat; None: each is its own.
        other_clusters: The group of each other item; given with `clusters`.

    Raises:
        InvalidArgument: Lists that differ in length, values that are missing or not finite, or a tuning out
            of range.
    """
    checked_level(level)
    checked_same_length(labels=labels, predicted=predicted, clusters=clusters)
    checked_same_length(others=others, other_clusters=other_clusters)
    if (clusters is None) != (other_clusters is None):
        raise InvalidArgument("give `clusters` and `other_clusters` together, or neither")
    checked_share(tuning or 0, name="tuning")
    _check_values(labels=labels, predicted=predicted, others=others)
    n = len(labels) + len(others)
    groups = len(labels) if clusters is None else len(set(clusters))
    known: dict[str, Any] = {"level": level, "n_items": n, "n_runs": n, "n_clusters": groups}
    if len(labels) < 2 or not others:
        reason = f"{len(labels)} labels and {len(others)} items without one; at least 2 and 1 are needed"
        return PredictionPowered(estimate=None, method="PPI", reason=reason, tuning=None, **known)
    weight = _tuned(labels, predicted, others) if tuning is None else tuning
    rest = [y - weight * f for y, f in zip(labels, predicted, strict=True)]
    value = weight * _mean(others) + _mean(rest)
    error = math.sqrt(weight * weight * _spread(others, other_clusters) + _spread(rest, clusters))
    half = normal_quantile((1 + level) / 2) * error
    return PredictionPowered(
        estimate=value,
        low=value - half,
        high=value + half,
        standard_error=error,
        method="PPI++, tuned" if tuning is None else f"PPI, lambda {tuning:g}",
        tuning=weight,
        warnings=_few_labels(len(labels)),
        **known,
    )
