"""Pass rates whose repeats are clustered by case, never pooled."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from judgekit.statistics.counts import CaseCounts, Cases, Moments, checked_counts, moments_of
from judgekit.statistics.estimate import LEVEL, Estimate, checked_confidence, checked_level, few_clusters
from judgekit.statistics.intervals import clopper_pearson_lower, clopper_pearson_upper, wilson_interval
from judgekit.statistics.special import t_quantile

__all__ = ["Rate", "pass_rate", "pass_rate_bounds"]

# With fewer passing or failing cases than this, a variance between cases is a guess.
_FEW_CASES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate(Estimate):
    """A pass rate over cases and their repeats.

    Attributes:
        passed: Runs that passed.
        failed: Runs that failed.
        design_effect: How many times larger the variance is than if all runs were independent; None where
            it cannot be told (no variance, or fewer than two cases).
        effective_n: How many independent runs the evidence is worth; None without evidence.
    """

    passed: int
    failed: int
    design_effect: float | None
    effective_n: float | None


def _effective(moments: Moments) -> float:
    if moments.n == moments.clusters:
        return float(moments.n)
    return moments.n / moments.effect if moments.varies else float(moments.clusters)


def _cautious_effective(moments: Moments, confidence: float) -> float:
    """The effective n of a gate's bound, which must hold where the design effect itself is unsure.

    Korn and Graubard (1998): the effective n times (t with n - 1 over t with G - 1 degrees) squared. Before
    that the design effect is raised by half of its own relative error, sqrt(2 / f) with f the cases on the
    rarer side, up to its largest value, the repeats; with fewer than five of them repeats count for nothing.
    Without this a bound of t with G - 1 degrees is wrongly green in up to 12 % of suites of 10 to 50 cases.
    """
    if moments.n == moments.clusters:
        return float(moments.n)
    if not moments.varies:
        return float(moments.clusters)
    rarer = min(moments.passing, moments.failing)
    effect = min(moments.repeats, moments.corrected_effect * (1 + math.sqrt(2 / rarer) / 2))
    ratio = t_quantile(confidence, moments.n - 1) / t_quantile(confidence, moments.clusters - 1)
    size = min(moments.n, moments.n / max(1.0, effect) * ratio**2)
    return min(size, moments.clusters) if rarer < _FEW_CASES else size


def pass_rate(
    cases: Cases,
    *,
    clusters: Sequence[Hashable] | None = None,
    level: float = LEVEL,
) -> Rate:
    """A pass rate and its two-sided interval, for display.

    One run a case: Wilson. Repeats: cluster-robust, t with G - 1 degrees of freedom (Miller 2024,
    arXiv:2411.00640); with fewer than five cases that ever passed or ever failed, Wilson at the effective n,
    which is the number of cases where nothing varies. Missing runs count as failures for the lower end and as
    passes for the upper end; the estimate is over decided runs.

    Args:
        cases: Passed, failed and missing runs of each case; or how many cases have each of such counts.
        clusters: A coarser group of each case, such as its document or persona; None: each case is its own.
        level: Confidence of the interval.

    Raises:
        InvalidArgument: A count is no whole number >= 0, the level is out of range, or clusters differ in
            number from cases.
    """
    checked_level(level)
    n_items, groups = checked_counts(cases, clusters)
    low, _, lower = _display(_filled(groups, passed=False), level)
    _, high, upper = _display(_filled(groups, passed=True), level)
    return _rate(groups, n_items, low, high, level=level, method=_joined(lower, upper), bounds=False)


def pass_rate_bounds(
    cases: Cases,
    *,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = LEVEL,
) -> Rate:
    """The two one-sided bounds of a pass rate that gates decide by, each at `confidence`.

    Clopper and Pearson's exact bound; with repeats at the effective n of Korn and Graubard (1998, Survey
    Methodology 24:193), made cautious where few cases differ, so that a gate at the required rate is wrongly
    green at most 1 - confidence of the time. With one run a case the bound is exact. A single case has no
    bounds where it was repeated, and `reason` says so.

    Args:
        cases: As for `pass_rate`.
        clusters: A coarser group of each case; None: each case is its own.
        confidence: Of each bound by itself, above 0.5.

    Raises:
        InvalidArgument: As for `pass_rate`.
    """
    checked_confidence(confidence)
    n_items, groups = checked_counts(cases, clusters)
    low = high = None
    if groups.total() >= 2:
        low = _bound(_filled(groups, passed=False), confidence, upper=False)
        high = _bound(_filled(groups, passed=True), confidence, upper=True)
    repeated = any(sum(group) > 1 for group in groups)
    method = "clopper-pearson, one-sided" + (", at the effective n" if repeated else "")
    return _rate(groups, n_items, low, high, level=confidence, method=method, bounds=True)


def _filled(groups: Counter[CaseCounts], *, passed: bool) -> Counter[tuple[int, int]]:
    """Passed and failed of the clusters with missing runs on one side; empty clusters left out."""
    filled: Counter[tuple[int, int]] = Counter()
    for group, times in groups.items():
        if sum(group):
            missing = group.missing
            filled[group.passed + missing * passed, group.failed + missing * (not passed)] += times
    return filled


def _bound(counts: Mapping[tuple[int, int], int], confidence: float, *, upper: bool) -> float | None:
    if not counts:
        return None
    moments = moments_of(counts)
    size = _cautious_effective(moments, confidence)
    find = clopper_pearson_upper if upper else clopper_pearson_lower
    return find(min(moments.rate * size, size), size, confidence=confidence)


def _display(counts: Mapping[tuple[int, int], int], level: float) -> tuple[float | None, float | None, str]:
    if not counts:
        return None, None, "wilson"
    moments = moments_of(counts)
    repeated = moments.n > moments.clusters
    if moments.clusters < 2 and repeated:
        return None, None, "cluster-robust t"
    if repeated and moments.varies and min(moments.passing, moments.failing) >= _FEW_CASES:
        half = t_quantile((1 + level) / 2, moments.clusters - 1) * moments.error
        return max(0.0, moments.rate - half), min(1.0, moments.rate + half), "cluster-robust t"
    size = _effective(moments)
    interval = wilson_interval(min(moments.rate * size, size), size, level=level)
    method = "wilson at the effective n" if repeated else "wilson"
    return (interval.low, interval.high, method) if interval else (None, None, method)


def _joined(lower: str, upper: str) -> str:
    return lower if lower == upper else f"{lower} below, {upper} above"


def _rate(
    groups: Counter[CaseCounts],
    n_items: int,
    low: float | None,
    high: float | None,
    *,
    level: float,
    method: str,
    bounds: bool,
) -> Rate:
    decided: Counter[tuple[int, int]] = Counter()
    for group, times in groups.items():
        if group.passed + group.failed:
            decided[group.passed, group.failed] += times
    moments = moments_of(decided) if decided else None
    clusters = decided.total()
    missing = sum(group.missing * times for group, times in groups.items())
    repeated = any(sum(group) > 1 for group in groups)
    return Rate(
        estimate=moments.rate if moments else None,
        low=low,
        high=high,
        level=level,
        method=method,
        n_items=n_items,
        n_runs=moments.n if moments else 0,
        n_clusters=clusters,
        n_missing=missing,
        standard_error=moments.error if moments and moments.clusters > 1 else None,
        reason=_why_undefined(clusters, defined=low is not None, bounds=bounds),
        warnings=(few_clusters(clusters) if repeated else ()) + _missing_warning(missing),
        passed=sum(group.passed * times for group, times in groups.items()),
        failed=sum(group.failed * times for group, times in groups.items()),
        design_effect=moments.effect if moments and moments.varies and moments.clusters > 1 else None,
        effective_n=_effective(moments) if moments else None,
    )


def _why_undefined(clusters: int, *, defined: bool, bounds: bool) -> str | None:
    if not clusters:
        return "nothing was decided"
    if defined:
        return None
    wanted = "bounds need" if bounds else "an interval over repeats needs"
    return f"{wanted} at least 2 cases, got {clusters}"


def _missing_warning(missing: int) -> tuple[str, ...]:
    if not missing:
        return ()
    return (f"{missing} missing: failures for the lower end, passes for the upper end",)
