"""How many cases a paired comparison needs, and how many labels a correction."""

from __future__ import annotations

import math
from dataclasses import dataclass

from judgekit.errors import InvalidArgument
from judgekit.statistics.estimate import LEVEL, checked_level, checked_share, checked_whole
from judgekit.statistics.prediction import FEWEST_LABELS
from judgekit.statistics.special import normal_quantile

__all__ = [
    "POWER",
    "TYPICAL_ICC",
    "CasesNeeded",
    "cases_for_comparison",
    "check_plan",
    "icc_warning",
    "labels_needed",
    "miller_cases",
    "smallest_drop",
    "worth_of",
]

POWER = 0.8
# Of the airline tasks of tau-bench, run four times each by GPT-4o.
TYPICAL_ICC = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class CasesNeeded:
    """A plan.

    Attributes:
        cases: Cases needed; None where no number of them is enough.
        runs: Cases times repeats; None likewise.
        repeats: Runs of each case.
        level: Confidence of what is to be shown.
        power: Chance to show it if it is so.
        method: How the number was found.
        reason: Why there is none; None where there is.
        warnings: What a reader must know.
    """

    cases: int | None
    runs: int | None
    repeats: int
    level: float
    power: float
    method: str
    reason: str | None = None
    warnings: tuple[str, ...] = ()


def check_plan(repeats: int, icc: float, power: float, confidence: float) -> None:
    """Refuse what no plan can have."""
    checked_whole(repeats, name="repeats", least=1)
    checked_share(icc, name="icc")
    checked_level(power, name="power")
    checked_level(confidence, name="confidence")


def worth_of(repeats: int, icc: float) -> float:
    """How many independent runs one case with its repeats is worth (Kish 1965)."""
    return repeats / (1 + (repeats - 1) * icc)


def icc_warning(repeats: int, icc: float) -> tuple[str, ...]:
    """What repeats are worth, where there are some."""
    if repeats == 1:
        return ()
    worth = worth_of(repeats, icc)
    return (f"{repeats} runs of a case count as {worth:.2f} at an intraclass correlation of {icc:g}",)


def miller_cases(
    delta: float,
    *,
    between: float,
    within_a: float = 0.0,
    within_b: float = 0.0,
    repeats: int = 1,
    power: float = POWER,
    level: float = LEVEL,
) -> float:
    """Cases for a paired comparison to see `delta`, before rounding up.

    `(z_a/2 + z_b)^2 (w^2 + sA^2/K + sB^2/K) / delta^2` (Miller 2024, arXiv:2411.00640, section 5).

    Args:
        delta: The difference of means to be seen, above 0.
        between: w^2, the variance of the cases' true differences.
        within_a: sA^2, the variance of one run of A around its case.
        within_b: sB^2, likewise of B.
        repeats: Runs of each case on each side, K.
        power: Chance to see it.
        level: Two-sided confidence.

    Raises:
        InvalidArgument: A variance below 0, or a share out of range.
    """
    check_plan(repeats, 0.0, power, level)
    if not delta > 0 or not math.isfinite(delta):
        raise InvalidArgument(f"`delta` must be above 0, got {delta!r}")
    if min(between, within_a, within_b) < 0:
        raise InvalidArgument("a variance must be 0 or above")
    z = normal_quantile((1 + level) / 2) + normal_quantile(power)
    return z * z * (between + (within_a + within_b) / repeats) / delta**2


def cases_for_comparison(
    rate: float,
    drop: float,
    *,
    repeats: int = 1,
    icc: float = TYPICAL_ICC,
    case_correlation: float = 0.5,
    power: float = POWER,
    level: float = LEVEL,
) -> CasesNeeded:
    """How many cases a paired comparison needs to see the pass rate fall from `rate` by `drop`.

    Miller's formula with the variances of pass rates: of each side `icc p (1 - p)` lies between cases, the
    rest within; the two sides' case means correlate by `case_correlation`.

    Args:
        rate: The rate of the old side.
        drop: How far the new side lies below.
        repeats: Runs of each case on each side.
        icc: The share of variance that lies between cases, 0 to 1.
        case_correlation: How far cases that are hard for one side are hard for the other, 0 to 1.
        power: Chance to see it.
        level: Two-sided confidence.

    Raises:
        InvalidArgument: A share is out of range, or the drop is not below the rate.
    """
    check_plan(repeats, icc, power, level)
    checked_share(case_correlation, name="case_correlation")
    if not 0 < drop < rate <= 1:
        raise InvalidArgument(f"give 0 < drop < rate <= 1, got rate {rate!r} and drop {drop!r}")
    old, new = rate * (1 - rate), (rate - drop) * (1 - rate + drop)
    between = icc * (old + new - 2 * case_correlation * math.sqrt(old * new))
    needed = miller_cases(
        drop,
        between=max(0.0, between),
        within_a=(1 - icc) * new,
        within_b=(1 - icc) * old,
        repeats=repeats,
        power=power,
        level=level,
    )
    cases = math.ceil(needed - 1e-9)
    return CasesNeeded(
        cases=cases,
        runs=2 * cases * repeats,
        repeats=repeats,
        level=level,
        power=power,
        method="paired, Miller's formula; runs of both sides",
        warnings=icc_warning(repeats, icc),
    )


def labels_needed(
    half_width: float, *, rate: float = 0.5, judge_r2: float = 0.0, level: float = LEVEL
) -> int:
    """How many human labels on a random subset give a corrected pass rate of about this half width.

    A judge that explains the share `judge_r2` of the variance of human labels saves about that share of them
    (arXiv:2603.16041), where the items without a label are many. Never fewer than 50, below which PPI++
    covers too rarely.

    Args:
        half_width: Of the interval, above 0 and below 1.
        rate: The pass rate that is expected; 0.5 is the worst case.
        judge_r2: Squared correlation of judge and human labels, 0 to 1.
        level: Confidence of the interval.

    Raises:
        InvalidArgument: A share is out of range.
    """
    checked_level(half_width, name="half_width")
    checked_share(rate, name="rate")
    checked_share(judge_r2, name="judge_r2")
    checked_level(level)
    z = normal_quantile((1 + level) / 2)
    needed = rate * (1 - rate) * (1 - judge_r2) * (z / half_width) ** 2
    return max(FEWEST_LABELS, math.ceil(needed - 1e-9))


def smallest_drop(
    cases: int,
    rate: float,
    *,
    repeats: int = 1,
    icc: float = TYPICAL_ICC,
    case_correlation: float = 0.5,
    power: float = POWER,
    level: float = LEVEL,
) -> float | None:
    """The least drop of a pass rate that a paired comparison of so many cases sees, in whole thousandths.

    The other direction of `cases_for_comparison`, by its own figures; None where even a drop to 0 takes more
    cases.

    Args:
        cases: Cases on each side, at least 1.
        rate: The rate of the old side, above 0.001 and at most 1.
        repeats: Runs of each case on each side.
        icc: The share of variance that lies between cases, 0 to 1.
        case_correlation: As in `cases_for_comparison`; 0 where the two sides have different cases.
        power: Chance to see it.
        level: Two-sided confidence.

    Raises:
        InvalidArgument: A number is out of range.
    """
    checked_whole(cases, name="cases", least=1)
    if not 0.001 < rate <= 1:
        raise InvalidArgument(f"`rate` must be above 0.001 and at most 1, got {rate!r}")
    least = None
    for thousandths in range(math.ceil(rate * 1000 - 1e-9) - 1, 0, -1):
        needed = cases_for_comparison(
            rate,
            thousandths / 1000,
            repeats=repeats,
            icc=icc,
            case_correlation=case_correlation,
            power=power,
            level=level,
        )
        if needed.cases is None or needed.cases > cases:
            break
        least = thousandths / 1000
    return least
