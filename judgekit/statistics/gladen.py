"""A pass rate corrected by a judge's sensitivity and specificity."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from judgekit.errors import InvalidArgument
from judgekit.statistics.estimate import LEVEL, Estimate, checked_level, checked_share, checked_whole
from judgekit.statistics.special import normal_quantile

__all__ = ["LEAST_YOUDEN", "RoganGladen", "label_allocation", "rogan_gladen"]

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
    _check_part("passed", passed, judged)
    _check_part("judge_passed", judge_passed, human_passes)
    _check_part("judge_failed", judge_failed, human_fails)
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


def _check_part(name: str, part: int, whole: int) -> None:
    checked_whole(part, name=name)
    if part > whole:
        raise InvalidArgument(f"`{name}` must be from 0 to {whole!r}, got {part!r}")


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
    checked_share(specificity, name="specificity")
    checked_share(sensitivity, name="sensitivity")
    ratio = (pilot * (1 - specificity) + 1) / (pilot * (1 - sensitivity) + 1)
    passes = round(budget / (1 + (1 / rate - 1) * math.sqrt(ratio)))
    passes = min(budget, max(0, passes))
    return budget - passes, passes
