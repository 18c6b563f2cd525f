"""A true pass rate from an imperfect judge and some human labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from judgekit.errors import InvalidArgument
from judgekit.statistics.accuracy import share_of
from judgekit.statistics.estimate import LEVEL, Estimate, checked_level, checked_same_length
from judgekit.statistics.prediction import FEWEST_LABELS, PredictionPowered, prediction_powered
from judgekit.statistics.special import normal_quantile

__all__ = ["CorrectedRate", "RoganGladen", "corrected_pass_rate", "label_allocation", "rogan_gladen"]

# With less than this between a judge's two error rates, dividing by it blows up every error.
LEAST_YOUDEN = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class RoganGladen(Estimate):
    """A pass rate corrected for a judge's sensitivity and specificity.

    Attributes:
        judge_rate: The judge's pass rate on the evaluated items.
        sensitivity: On the calibration set; None without human passes.
        specificity: On the calibration set; None without human fails.
        human_passes: Calibration items that the human passed.
        human_fails: Calibration items that the human failed.
    """

    judge_rate: float | None
    sensitivity: float | None
    specificity: float | None
    human_passes: int
    human_fails: int


def _check_passes(name: str, values: Sequence[object]) -> None:
    for value in values:
        if value is not None and not isinstance(value, bool):
            raise InvalidArgument(f"`{name}` must hold True, False or None, got {value!r}")


def rogan_gladen(
    judged: int,
    passed: int,
    *,
    human_passes: int,
    judge_passed: int,
    human_fails: int,
    judge_failed: int,
    least_youden: float = LEAST_YOUDEN,
    level: float = LEVEL,
) -> RoganGladen:
    """Rogan and Gladen's estimate (1978) with the interval of Lee et al. (2025, arXiv:2511.21140).

    `(p + q0 - 1) / (q0 + q1 - 1)` with q1 the judge's sensitivity and q0 its specificity, known from a
    separate calibration set; the interval carries the errors of all three. Undefined where a class has no
    label, or where q0 + q1 - 1 is below `least_youden`.

    Args:
        judged: Items evaluated by the judge alone.
        passed: Those of them that it passed.
        human_passes: Calibration items that the human passed.
        judge_passed: Those of them that the judge passed.
        human_fails: Calibration items that the human failed.
        judge_failed: Those of them that the judge failed.
        least_youden: The least sensitivity + specificity - 1 with which to correct, above 0 and below 1.
        level: Confidence of the interval.

    Raises:
        InvalidArgument: A count is below 0 or above its whole, or a share is out of range.
    """
    checked_level(level)
    checked_level(least_youden, name="least_youden")
    for part, whole, name in (
        (passed, judged, "passed"),
        (judge_passed, human_passes, "judge_passed"),
        (judge_failed, human_fails, "judge_failed"),
    ):
        if not 0 <= part <= whole:
            raise InvalidArgument(f"`{name}` must be from 0 to {whole!r}, got {part!r}")
    known: dict[str, Any] = {
        "level": level,
        "method": "Rogan-Gladen, Lee interval",
        "n_items": judged + human_passes + human_fails,
        "n_runs": judged + human_passes + human_fails,
        "n_clusters": judged,
        "judge_rate": passed / judged if judged else None,
        "sensitivity": judge_passed / human_passes if human_passes else None,
        "specificity": judge_failed / human_fails if human_fails else None,
        "human_passes": human_passes,
        "human_fails": human_fails,
    }
    reason = _unusable(judged, known, least_youden)
    if reason:
        return RoganGladen(estimate=None, reason=reason, **known)
    p, q1, q0 = known["judge_rate"], known["sensitivity"], known["specificity"]
    z = normal_quantile((1 + level) / 2)
    value = min(1.0, max(0.0, (p + q0 - 1) / (q0 + q1 - 1)))
    ends = _lee(judged, p, q0, human_fails, q1, human_passes, z)
    if ends is None:
        few = "too few labels for an interval: the drawn-in error rates no longer tell pass from fail"
        return RoganGladen(estimate=value, reason=few, **known)
    low, high, error = ends
    return RoganGladen(estimate=value, low=low, high=high, standard_error=error, **known)


def _unusable(judged: int, known: dict[str, Any], least: float) -> str | None:
    if not judged:
        return "the judge decided no item"
    if known["sensitivity"] is None:
        return "the calibration set holds no human pass, so the sensitivity is unknown"
    if known["specificity"] is None:
        return "the calibration set holds no human fail, so the specificity is unknown"
    youden = known["sensitivity"] + known["specificity"] - 1
    if youden < least:
        return f"sensitivity + specificity - 1 is {youden:.3f}, below {least}: the judge hardly tells"
    return None


def _lee(
    n: int, p: float, q0: float, m0: int, q1: float, m1: int, z: float
) -> tuple[float, float, float] | None:
    """Both ends and the standard error, from rates that are drawn towards one half; None if they meet."""
    size, size0, size1 = n + z * z, m0 + 2, m1 + 2
    p = (n * p + z * z / 2) / size
    q0, q1 = (m0 * q0 + 1) / size0, (m1 * q1 + 1) / size1
    youden = q0 + q1 - 1
    if youden <= 0:
        return None
    theta = min(1.0, max(0.0, (p + q0 - 1) / youden))
    v0, v1 = q0 * (1 - q0) / size0, q1 * (1 - q1) / size1
    shift = 2 * z * z * (theta * v1 - (1 - theta) * v0)
    error = math.sqrt(p * (1 - p) / size + (1 - theta) ** 2 * v0 + theta**2 * v1) / youden
    ends = (theta + shift - z * error, theta + shift + z * error)
    low, high = (min(1.0, max(0.0, end)) for end in ends)
    return low, high, error


def label_allocation(
    budget: int, rate: float, specificity: float, sensitivity: float, *, pilot: int = 10
) -> tuple[int, int]:
    """How many of `budget` labels to spend on items that the judge's class calls fail, and on passes.

    The rule of Lee et al. (2025, arXiv:2511.21140): the first number is m0, the second m1.

    Args:
        budget: Labels in all.
        rate: The judge's pass rate, above 0 and below 1.
        specificity: As a pilot found it.
        sensitivity: Likewise.
        pilot: Labels of each class in the pilot.

    Raises:
        InvalidArgument: A share is out of range.
    """
    checked_level(rate, name="rate")
    for name, share in (("specificity", specificity), ("sensitivity", sensitivity)):
        if not 0 <= share <= 1:
            raise InvalidArgument(f"`{name}` must be from 0 to 1, got {share!r}")
    ratio = (pilot * (1 - specificity) + 1) / (pilot * (1 - sensitivity) + 1)
    passes = round(budget / (1 + (1 / rate - 1) * math.sqrt(ratio)))
    passes = min(budget, max(0, passes))
    return budget - passes, passes


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
    missing = sum(j is None for j in judge)
    judged = share_of(sum(evaluated), len(evaluated), level=level, reason="the judge decided no item")
    labels = [h for h in human if h is not None]
    by_human = share_of(sum(labels), len(labels), level=level, reason="no item has a human label")
    corrected = _by_prediction(both, alone, level) if subset else _by_calibration(both, alone, level)
    # PPI++ pays only for its evaluated population; labels of another set say nothing about this one.
    chosen = corrected if corrected.estimate is not None or not subset else by_human
    warnings = () if corrected.reason is None else (f"not corrected: {corrected.reason}",)
    return CorrectedRate(
        estimate=chosen.estimate,
        low=chosen.low,
        high=chosen.high,
        level=level,
        method=chosen.method if chosen is corrected else f"human-only, {chosen.method}",
        n_items=len(judge),
        n_runs=len(evaluated),
        n_clusters=len(evaluated),
        n_missing=missing,
        standard_error=chosen.standard_error,
        reason=chosen.reason,
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
