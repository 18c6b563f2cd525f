"""Two runs of the same cases: the difference, a test of it, and one of four verdicts."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from judgekit.errors import InvalidArgument
from judgekit.statistics.estimate import LEVEL, Estimate, checked_level, few_clusters
from judgekit.statistics.multiplicity import ADJUSTMENTS
from judgekit.statistics.pairing import Pairing, paired_by_case
from judgekit.statistics.resampling import RESAMPLES
from judgekit.statistics.scenarios import Testing, scenario
from judgekit.text import counted

__all__ = ["Comparison", "ComparisonVerdict", "adjusted", "compare_pass_fail", "compare_scores"]

# A two-sided exact test of fewer clusters than this cannot reach 0.05.
_LEAST_FOR_A_TEST = 6


class ComparisonVerdict(Enum):
    """What a comparison shows.

    IMPROVED and REGRESSED: the difference is beyond chance, by its p value and by its interval. EQUIVALENT:
    no drop larger than the one allowed, and no improvement shown. UNDERPOWERED: the evidence shows none of
    the three.
    """

    IMPROVED = "IMPROVED"
    EQUIVALENT = "EQUIVALENT"
    REGRESSED = "REGRESSED"
    UNDERPOWERED = "UNDERPOWERED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Estimate):
    """New minus old, over cases that both measured.

    `estimate` and `p_value` stand on complete pairs. With missing measurements the interval runs from the
    worst to the best that they could have made of it, and so do the verdicts.

    Attributes:
        verdict: What is shown, at the level of the interval.
        new_mean: Mean over the complete pairs, cases weighing alike; None without one.
        old_mean: Likewise.
        p_value: Two-sided; None without a complete pair.
        p_improved: The same if missing measurements speak against the new side.
        p_regressed: The same if they speak for it.
        adjusted_by: Such as `holm`, where the three p values are adjusted for several comparisons.
        max_drop: The drop that is allowed; None: none was named, and EQUIVALENT cannot be shown.
        improved: Ids of the cases that went from failing to passing.
        worsened: Ids of the cases that went from passing to failing.
        only_new: Ids of cases that the old side does not have.
        only_old: Ids of cases that the new side does not have.
        unpaired_runs: Repeats of shared cases that only one side has.
    """

    verdict: ComparisonVerdict
    new_mean: float | None
    old_mean: float | None
    p_value: float | None
    p_improved: float | None
    p_regressed: float | None
    adjusted_by: str | None = None
    max_drop: float | None
    improved: tuple[str, ...] = ()
    worsened: tuple[str, ...] = ()
    only_new: tuple[str, ...]
    only_old: tuple[str, ...]
    unpaired_runs: int


def compare_pass_fail(
    new: Mapping[str, Sequence[bool | None]],
    old: Mapping[str, Sequence[bool | None]],
    *,
    max_drop: float | None = None,
    clusters: Mapping[str, Hashable] | None = None,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Comparison:
    """Compare passes, paired by case id and repeat.

    One run a case: McNemar's exact test (1947) and Newcombe's paired interval (1998). Repeats or coarser
    clusters: a sign-flip permutation of cluster sums and the cluster-robust interval, cases weighing alike;
    where half of the clusters or more agree and fewer than ten lie off them, wide enough for as many rare
    ones as Wilson's interval of their share allows.
    A case counts as flipped where its pass rate moved by at least one half.

    Args:
        new: Passes of each case's runs by case id, in order of repeats; None is a missing measurement.
        old: Likewise.
        max_drop: How far the rate may fall, above 0 and below 1; None where no drop was named.
        clusters: A coarser group of every case id, such as its document.
        level: Confidence of the interval; verdicts hold at 1 - level, two-sided.
        resamples: Of the permutation.
        seed: Of the permutation.

    Raises:
        InvalidArgument: A pass is neither a boolean nor None, a case has no cluster, or `max_drop` or the
            level is out of range.
    """
    checked_level(level)
    for side in (new, old):
        for case, runs in side.items():
            if any(run is not None and not isinstance(run, bool) for run in runs):
                raise InvalidArgument(
                    f"case {case!r}: passes must be True, False or None, got {list(runs)!r}"
                )
    pairing = paired_by_case(new, old, clusters)
    single = clusters is None and all(pair.runs == 1 for pair in pairing.pairs)
    how = Testing(
        single_run=single, clustered=clusters is not None, level=level, resamples=resamples, seed=seed
    )
    comparison = _compared(pairing, max_drop, how)
    flips = [pair for pair in pairing.pairs if pair.is_complete and abs(pair.seen) >= 0.5]
    return replace(
        comparison,
        improved=tuple(pair.case for pair in flips if pair.seen > 0),
        worsened=tuple(pair.case for pair in flips if pair.seen < 0),
    )


def compare_scores(
    new: Mapping[str, Sequence[float | None]],
    old: Mapping[str, Sequence[float | None]],
    *,
    max_drop: float | None = None,
    clusters: Mapping[str, Hashable] | None = None,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Comparison:
    """Compare scores from 0 to 1, paired by case id and repeat.

    Sign-flip permutation of cluster sums, and the paired interval with t and G - 1 degrees of freedom.
    Arguments are those of `compare_pass_fail`, with scores in place of passes.

    Raises:
        InvalidArgument: A score is not from 0 to 1, a case has no cluster, or `max_drop` or the level is out
            of range.
    """
    checked_level(level)
    for side in (new, old):
        for case, runs in side.items():
            if any(run is not None and not (isinstance(run, int | float) and 0 <= run <= 1) for run in runs):
                raise InvalidArgument(
                    f"case {case!r}: scores must be from 0 to 1 or None, got {list(runs)!r}"
                )
    how = Testing(
        single_run=False, clustered=clusters is not None, level=level, resamples=resamples, seed=seed
    )
    return _compared(paired_by_case(new, old, clusters), max_drop, how)


def _compared(pairing: Pairing, max_drop: float | None, how: Testing) -> Comparison:
    if max_drop is not None:
        checked_level(max_drop, name="max_drop")
    whole = [pair for pair in pairing.pairs if pair.is_complete]
    seen = worst = best = scenario(whole, "seen", how)
    if pairing.missing:
        worst, best = scenario(pairing.pairs, "low", how), scenario(pairing.pairs, "high", how)
    groups = len({pair.cluster for pair in whole})
    comparison = Comparison(
        estimate=seen.difference,
        low=worst.low if whole else None,
        high=best.high if whole else None,
        level=how.level,
        method=how.method,
        n_items=len(pairing.pairs),
        n_runs=2 * sum(pair.complete_runs for pair in pairing.pairs),
        n_clusters=groups,
        n_missing=pairing.missing,
        standard_error=seen.error,
        reason=_reason(len(whole), groups, single_run=how.single_run),
        warnings=_warnings(pairing, groups, single_run=how.single_run),
        verdict=ComparisonVerdict.UNDERPOWERED,
        new_mean=sum(pair.new for pair in whole) / len(whole) if whole else None,
        old_mean=sum(pair.old for pair in whole) / len(whole) if whole else None,
        p_value=seen.p,
        p_improved=worst.p if _above(worst.difference, 0) else 1.0,
        p_regressed=best.p if _above(0, best.difference) else 1.0,
        max_drop=max_drop,
        only_new=pairing.only_new,
        only_old=pairing.only_old,
        unpaired_runs=pairing.unpaired_runs,
    )
    return replace(comparison, verdict=_verdict(comparison))


def _above(high: float | None, low: float | None) -> bool:
    return high is not None and low is not None and high > low


def _verdict(comparison: Comparison) -> ComparisonVerdict:
    alpha = 1 - comparison.level
    if comparison.low is None or comparison.high is None:
        return ComparisonVerdict.UNDERPOWERED
    # A p value and an interval from other assumptions may disagree; what is shown, both show.
    if _below(comparison.p_improved, alpha) and comparison.low > 0:
        return ComparisonVerdict.IMPROVED
    if comparison.max_drop is not None and comparison.low > -comparison.max_drop:
        return ComparisonVerdict.EQUIVALENT
    if _below(comparison.p_regressed, alpha) and comparison.high < 0:
        return ComparisonVerdict.REGRESSED
    return ComparisonVerdict.UNDERPOWERED


def _below(p: float | None, alpha: float) -> bool:
    return p is not None and p < alpha


def _reason(whole: int, groups: int, *, single_run: bool) -> str | None:
    if not whole:
        return "no case was measured on both sides"
    if groups < 2 and not single_run:
        return f"an interval needs at least 2 clusters, got {groups}"
    return None


def too_few(groups: int) -> tuple[str, ...]:
    """The warning that goes with too few groups for any exact test."""
    if not 0 < groups < _LEAST_FOR_A_TEST:
        return ()
    return (
        f"{counted(groups, 'independent case')}: no exact test of fewer than {_LEAST_FOR_A_TEST} can show a "
        "difference at 0.05, however large; more repeats do not help",
    )


def _warnings(pairing: Pairing, groups: int, *, single_run: bool) -> tuple[str, ...]:
    found = list(() if single_run else few_clusters(groups))
    found += too_few(groups)
    unpaired = len(pairing.only_new) + len(pairing.only_old)
    if unpaired:
        found.append(f"{unpaired} cases are on one side only and are not compared")
    if pairing.unpaired_runs:
        found.append(f"{pairing.unpaired_runs} repeats are on one side only and are not compared")
    if pairing.missing:
        found.append(
            f"{pairing.missing} pairs were not measured on both sides: the lower end of the interval counts "
            "them against the new side, the upper end for it"
        )
    return tuple(found)


def adjusted(comparisons: Mapping[str, Comparison], *, by: str = "holm") -> dict[str, Comparison]:
    """The same comparisons with p values and verdicts that hold for all of them together.

    Args:
        comparisons: By evaluator or by pair, from `compare_pass_fail` or `compare_scores`.
        by: `holm` (for gates), `benjamini-hochberg` (for exploring), `benjamini-yekutieli` or `bonferroni`.

    Raises:
        InvalidArgument: An unknown adjustment, or comparisons that are adjusted already.
    """
    if by not in ADJUSTMENTS:
        raise InvalidArgument(f"`by` must be one of {', '.join(ADJUSTMENTS)}, got {by!r}")
    if any(comparison.adjusted_by for comparison in comparisons.values()):
        raise InvalidArgument("`comparisons` are adjusted already; give them as they were compared")
    adjust = ADJUSTMENTS[by]
    tested = {name: each for name, each in comparisons.items() if each.p_value is not None}
    columns = {
        column: dict(zip(tested, adjust([getattr(each, column) for each in tested.values()]), strict=True))
        for column in ("p_value", "p_improved", "p_regressed")
    }
    changed = {}
    for name, each in comparisons.items():
        values = {column: found[name] for column, found in columns.items() if name in found}
        moved = replace(each, adjusted_by=by, **values)  # type: ignore[arg-type]
        changed[name] = replace(moved, verdict=_verdict(moved))
    return changed
