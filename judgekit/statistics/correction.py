"""A true pass rate from an imperfect judge and some human labels: the triple that is shown together."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from judgekit.errors import InvalidArgument
from judgekit.statistics.accuracy import share_of
from judgekit.statistics.by_case import are_repeated
from judgekit.statistics.counts import counts_by_cluster
from judgekit.statistics.estimate import (
    LEVEL,
    Estimate,
    checked_level,
    checked_same_length,
    same_interval,
)
from judgekit.statistics.gladen import RoganGladen, rogan_gladen
from judgekit.statistics.prediction import FEWEST_LABELS, PredictionPowered, prediction_powered
from judgekit.statistics.rates import pass_rate

__all__ = ["CorrectedRate", "corrected_pass_rate"]


# With fewer of either kind PPI++ covered the truth in 60 to 90 % of intervals of nominally 95 %.
_FEWEST_OF_A_KIND = 5

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
    clusters: Sequence[Hashable] | None = None,
    level: float = LEVEL,
) -> CorrectedRate:
    """The triple of pass rates: judge, corrected, human-only.

    `random_subset`: the labelled items are a random draw from the evaluated ones; PPI++ (Angelopoulos, Duchi,
    Zrnic 2023, arXiv:2311.01453) with at least 50 labels, five of them passes and five fails; human-only
    below, where its normal interval of 95 % covered the truth in 60 to 90 % of draws.
    `separate_calibration`: they are a set of their own; Rogan-Gladen with Lee's interval, and labelled
    items are not counted as evaluated.

    Args:
        judge: The judge's pass or fail of each item; None where it gave none.
        human: The human label; None where nobody labelled the item.
        design: `random_subset` or `separate_calibration`.
        clusters: The case of each item, where items repeat; None: each is its own. Fifty labels are then
            labels of fifty cases.
        level: Confidence of the intervals.

    Raises:
        InvalidArgument: An unknown design, lists that differ in length, or values that are no booleans.
    """
    checked_level(level)
    if design not in ("random_subset", "separate_calibration"):
        raise InvalidArgument(f"`design` must be random_subset or separate_calibration, got {design!r}")
    checked_same_length(judge=judge, human=human, clusters=clusters)
    _check_passes("judge", judge)
    _check_passes("human", human)
    cases = range(len(judge)) if clusters is None else clusters
    items = [_Item(*item) for item in zip(judge, human, cases, strict=True)]
    both = [item for item in items if item.judge is not None and item.human is not None]
    alone = [item for item in items if item.judge is not None and item.human is None]
    subset = design == "random_subset"
    evaluated = alone + both if subset else alone
    judged = _rate([(one.judge, one.case) for one in evaluated], level, "the judge decided no item")
    by_human = _rate([(one.human, one.case) for one in items], level, "no item has a human label")
    corrected = _by_prediction(both, alone, level) if subset else _by_calibration(both, alone, level)
    # PPI++ pays only for its evaluated population; labels of another set say nothing about this one.
    chosen = corrected if corrected.estimate is not None or not subset else by_human
    warnings = () if corrected.reason is None else (f"not corrected: {corrected.reason}",)
    return CorrectedRate(
        **same_interval(chosen),
        method=chosen.method if chosen is corrected else f"human-only, {chosen.method}",
        n_items=len(judge),
        n_runs=len(evaluated),
        n_clusters=judged.n_clusters,
        n_missing=sum(j is None for j in judge),
        warnings=warnings + chosen.warnings,
        judge=replace(judged, method=f"judge rate, {judged.method}"),
        corrected=corrected,
        human=by_human,
        design=design,
        label_saving=_saving(corrected, by_human) if subset else None,
    )


class _Item(NamedTuple):
    judge: bool | None
    human: bool | None
    case: Hashable


def _rate(values: Sequence[tuple[bool | None, Hashable]], level: float, reason: str) -> Estimate:
    """Of what is known: Wilson's interval, or one clustered by case where items repeat."""
    known = [(value, case) for value, case in values if value is not None]
    passes, cases = [value for value, _ in known], [case for _, case in known]
    if are_repeated(cases):
        return pass_rate(counts_by_cluster(passes, cases), level=level)
    return share_of(sum(passes), len(passes), level=level, reason=reason)


def _by_prediction(both: Sequence[_Item], alone: Sequence[_Item], level: float) -> Estimate:
    cases = [item.case for item in both], [item.case for item in alone]
    repeated = are_repeated([*cases[0], *cases[1]])
    result = prediction_powered(
        [float(item.human or 0) for item in both],
        [float(item.judge or 0) for item in both],
        [float(item.judge or 0) for item in alone],
        level=level,
        clusters=cases[0] if repeated else None,
        other_clusters=cases[1] if repeated else None,
    )
    if result.estimate is None or result.low is None or result.high is None:
        return result
    reason = _too_few(both)
    if reason is None:
        value, low, high = (min(1.0, max(0.0, end)) for end in (result.estimate, result.low, result.high))
        return replace(result, estimate=value, low=low, high=high)
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


def _too_few(both: Sequence[_Item]) -> str | None:
    """Why the normal interval of PPI++ cannot be trusted on these labels; None where it can."""
    labels = len({item.case for item in both})
    if labels < FEWEST_LABELS:
        return f"{labels} labels, and PPI++ covers too rarely below {FEWEST_LABELS}"
    for kind, value in (("pass", True), ("fail", False)):
        count = len({item.case for item in both if item.human is value})
        if count < _FEWEST_OF_A_KIND:
            return (
                f"{count} of {labels} labels {'is' if count == 1 else 'are'} a {kind}, and PPI++ covers too "
                f"rarely below {_FEWEST_OF_A_KIND}"
            )
    return None


def _by_calibration(both: Sequence[_Item], alone: Sequence[_Item], level: float) -> RoganGladen:
    passes = [bool(item.judge) for item in both if item.human]
    fails = [bool(item.judge) for item in both if not item.human]
    found = rogan_gladen(
        len(alone),
        sum(bool(item.judge) for item in alone),
        human_passes=len(passes),
        judge_passed=sum(passes),
        human_fails=len(fails),
        judge_failed=len(fails) - sum(fails),
        level=level,
    )
    if not are_repeated([item.case for item in (*both, *alone)]):
        return found
    warning = "Lee's interval takes each repeat of a case for a case of its own, and is too narrow"
    return replace(found, warnings=(*found.warnings, warning))


def _saving(corrected: Estimate, human: Estimate) -> float | None:
    if corrected.standard_error is None or human.estimate is None or not human.n_runs:
        return None
    variance = human.estimate * (1 - human.estimate) / human.n_runs
    if human.standard_error is not None:
        variance = human.standard_error**2
    return max(0.0, 1 - corrected.standard_error**2 / variance) if variance else None


def _check_passes(name: str, values: Sequence[object]) -> None:
    for value in values:
        if value is not None and not isinstance(value, bool):
            raise InvalidArgument(f"`{name}` must hold True, False or None, got {value!r}")
