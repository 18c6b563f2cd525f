"""A true pass rate from an imperfect judge and some human labels: the triple that is shown together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from judgekit.errors import InvalidArgument
from judgekit.statistics.accuracy import share_of
from judgekit.statistics.estimate import (
    LEVEL,
    Estimate,
    checked_level,
    checked_same_length,
    same_interval,
)
from judgekit.statistics.gladen import RoganGladen, rogan_gladen
from judgekit.statistics.prediction import FEWEST_LABELS, PredictionPowered, prediction_powered

__all__ = ["CorrectedRate", "corrected_pass_rate"]


Design = Literal["random_subset", "separate_calibration"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedRate(Estimate):
    """A pass rate as the judge sees it, corrected, and by human labels alone: always shown together.

    The outer `estimate` is the corrected one where there is one, else the human-only one.

    Attributes:
        judge: The judge's raw rate. Its interval says nothing about the true rate.
        corrected: PPI++ or Rogan-Gladen; undefined where neither may be used, and says why.
        human: From the human labels alone.
        design: How the labels were chosen.
        label_saving: Share of human labels that the judge saves: 1 - (corrected over human-only error)
            squared; None where there is no such error.
    """

    judge: Estimate
    corrected: Estimate
    human: Estimate
    design: Design
    label_saving: float | None


def corrected_pass_rate(
    judge: Sequence[bool | None],
    human: Sequence[bool | None],
    *,
    design: Design,
    level: float = LEVEL,
) -> CorrectedRate:
    """The triple of pass rates: judge, corrected, human-only.

    `random_subset`: the labelled items are a random draw from the evaluated ones; PPI++ (Angelopoulos, Duchi,
    Zrnic 2023, arXiv:2311.01453) with at least 50 labels, human-only below. `separate_calibration`: they are
    a set of their own; Rogan-Gladen with Lee's interval, and labelled items are not counted as evaluated.

    Args:
        judge: The judge's pass or fail of each item; None where it gave none.
        human: The human label; None where nobody labelled the item.
        design: `random_subset` or `separate_calibration`.
        level: Confidence of the intervals.

    Raises:
        InvalidArgument: An unknown design, lists that differ in length, or values that are no booleans.
    """
    checked_level(level)
    if design not in ("random_subset", "separate_calibration"):
        raise InvalidArgument(f"`design` must be random_subset or separate_calibration, got {design!r}")
    checked_same_length(judge=judge, human=human)
    _check_passes("judge", judge)
    _check_passes("human", human)
    both = [(j, h) for j, h in zip(judge, human, strict=True) if j is not None and h is not None]
    alone = [j for j, h in zip(judge, human, strict=True) if j is not None and h is None]
    subset = design == "random_subset"
    evaluated = alone + [j for j, _ in both] if subset else alone
    judged = share_of(sum(evaluated), len(evaluated), level=level, reason="the judge decided no item")
    labels = [h for h in human if h is not None]
    by_human = share_of(sum(labels), len(labels), level=level, reason="no item has a human label")
    corrected = _by_prediction(both, alone, level) if subset else _by_calibration(both, alone, level)
    # PPI++ pays only for its evaluated population; labels of another set say nothing about this one.
    chosen = corrected if corrected.estimate is not None or not subset else by_human
    warnings = () if corrected.reason is None else (f"not corrected: {corrected.reason}",)
    return CorrectedRate(
        **same_interval(chosen),
        method=chosen.method if chosen is corrected else f"human-only, {chosen.method}",
        n_items=len(judge),
        n_runs=len(evaluated),
        n_clusters=len(evaluated),
        n_missing=sum(j is None for j in judge),
        warnings=warnings + chosen.warnings,
        judge=replace(judged, method="judge rate, wilson"),
        corrected=corrected,
        human=by_human,
        design=design,
        label_saving=_saving(corrected, by_human) if subset else None,
    )


def _by_prediction(both: Sequence[tuple[bool, bool]], alone: Sequence[bool], level: float) -> Estimate:
    result = prediction_powered(
        [float(h) for _, h in both], [float(j) for j, _ in both], [float(j) for j in alone], level=level
    )
    if result.estimate is None or result.low is None or result.high is None:
        return result
    if len(both) >= FEWEST_LABELS:
        value, low, high = (min(1.0, max(0.0, end)) for end in (result.estimate, result.low, result.high))
        return replace(result, estimate=value, low=low, high=high)
    reason = f"{len(both)} labels, and PPI++ covers too rarely below {FEWEST_LABELS}"
    return PredictionPowered(
        estimate=None,
        level=level,
        method=result.method,
        n_items=result.n_items,
        n_runs=result.n_runs,
        n_clusters=result.n_clusters,
        reason=reason,
        tuning=None,
    )


def _by_calibration(both: Sequence[tuple[bool, bool]], alone: Sequence[bool], level: float) -> RoganGladen:
    passes = [j for j, h in both if h]
    fails = [j for j, h in both if not h]
    return rogan_gladen(
        len(alone),
        sum(alone),
        human_passes=len(passes),
        judge_passed=sum(passes),
        human_fails=len(fails),
        judge_failed=len(fails) - sum(fails),
        level=level,
    )


def _saving(corrected: Estimate, human: Estimate) -> float | None:
    if corrected.standard_error is None or human.estimate is None or not human.n_runs:
        return None
    variance = human.estimate * (1 - human.estimate) / human.n_runs
    return max(0.0, 1 - corrected.standard_error**2 / variance) if variance else None


def _check_passes(name: str, values: Sequence[object]) -> None:
    for value in values:
        if value is not None and not isinstance(value, bool):
            raise InvalidArgument(f"`{name}` must hold True, False or None, got {value!r}")
