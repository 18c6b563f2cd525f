"""pass@k and pass^k: what a case does in several tries."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from judgekit.errors import InvalidArgument
from judgekit.statistics.counts import CaseCounts, Cases, checked_counts
from judgekit.statistics.estimate import LEVEL, Estimate, checked_level, checked_whole
from judgekit.statistics.intervals import wilson_interval
from judgekit.statistics.special import t_quantile

__all__ = ["pass_at_k", "pass_hat_k"]


def pass_at_k(cases: Cases, k: int, *, level: float = LEVEL) -> Estimate:
    """The chance that at least one of k runs of a case passes, averaged over cases.

    `1 - C(n - c, k) / C(n, k)` with c of n runs passed (Chen et al. 2021, arXiv:2107.03374).

    Args:
        cases: Passed, failed and missing runs of each case. Missing runs count as failures for the lower end
            and as passes for the upper end.
        k: How many tries, at least 1 and at most the runs of every case.
        level: Confidence of the interval: Student's t over cases; Wilson's where k is the runs of every case,
            which then pass or fail as a whole.

    Raises:
        InvalidArgument: k is below 1 or above the runs of a case.
    """
    return _over_cases(cases, k, level, at_least_one=True)


def pass_hat_k(cases: Cases, k: int, *, level: float = LEVEL) -> Estimate:
    """pass^k, the chance that all of k runs of a case pass, averaged over cases: "works every time".

    `C(c, k) / C(n, k)` with c of n runs passed (Yao et al. 2024, tau-bench, arXiv:2406.12045). Arguments and
    errors are those of `pass_at_k`.
    """
    return _over_cases(cases, k, level, at_least_one=False)


def _chance(passed: int, runs: int, k: int, *, at_least_one: bool) -> float:
    if at_least_one:
        return 1 - math.comb(runs - passed, k) / math.comb(runs, k)
    return math.comb(passed, k) / math.comb(runs, k)


def _over_cases(
    cases: Cases,
    k: int,
    level: float,
    *,
    at_least_one: bool,
) -> Estimate:
    checked_whole(k, name="k", least=1)
    checked_level(level)
    number, given = checked_counts(cases, None)
    fewest = min(map(sum, given), default=k)
    if fewest < k:
        raise InvalidArgument(f"`k` is {k}, and a case has {fewest} runs; give k <= the runs of every case")

    def chances(of: Mapping[CaseCounts, tuple[int, int]]) -> list[tuple[float, int]]:
        return [
            (_chance(passed, runs, k, at_least_one=at_least_one), given[case])
            for case, (passed, runs) in of.items()
        ]

    found = chances(
        {case: (case.passed, decided) for case in given if (decided := case.passed + case.failed) >= k}
    )
    worst = chances({case: (case.passed, sum(case)) for case in given})
    best = chances({case: (case.passed + case.missing, sum(case)) for case in given})
    # With k the runs of every case each chance is 0 or 1, and cases are single trials.
    binary = all(chance in (0, 1) for chance, _ in (*worst, *best))
    end = _wilson_end if binary else _end
    low, high = (None, None) if number < 2 else (end(worst, level, -1), end(best, level, 1))
    clusters = sum(times for _, times in found)
    return Estimate(
        # Cases without k decided runs can be decided all the same: the mean of the others may be impossible.
        estimate=min(_mean(best), max(_mean(worst), _mean(found))) if found else None,
        low=low,
        high=high,
        level=level,
        method=f"{'pass@k' if at_least_one else 'pass^k'}, {'wilson' if binary else 't'} over cases",
        n_items=number,
        n_runs=sum((case.passed + case.failed) * times for case, times in given.items()),
        n_clusters=clusters,
        n_missing=sum(case.missing * times for case, times in given.items()),
        standard_error=_error(found) if clusters > 1 else None,
        reason=_why(number, clusters),
        warnings=_warnings(worst, low, high),
    )


def _mean(chances: Sequence[tuple[float, int]]) -> float:
    return math.fsum(chance * times for chance, times in chances) / sum(times for _, times in chances)


def _error(chances: Sequence[tuple[float, int]]) -> float:
    number, mean = sum(times for _, times in chances), _mean(chances)
    squares = math.fsum(times * (chance - mean) ** 2 for chance, times in chances)
    return math.sqrt(squares / (number - 1) / number)


def _end(chances: Sequence[tuple[float, int]], level: float, side: int) -> float:
    number = sum(times for _, times in chances)
    half = t_quantile((1 + level) / 2, number - 1) * _error(chances)
    return min(1.0, max(0.0, _mean(chances) + side * half))


def _wilson_end(chances: Sequence[tuple[float, int]], level: float, side: int) -> float:
    number = sum(times for _, times in chances)
    interval = wilson_interval(sum(chance * times for chance, times in chances), number, level=level)
    assert interval is not None  # noqa: S101 - there are cases
    return interval.low if side < 0 else interval.high


def _why(given: int, found: int) -> str | None:
    if not found:
        return "no case has k decided runs"
    return None if given > 1 else "an interval needs at least 2 cases, got 1"


def _warnings(worst: Sequence[tuple[float, int]], low: float | None, high: float | None) -> tuple[str, ...]:
    if low is None or low != high or not worst:
        return ()
    return ("no case differs from another, so the interval has no width and means little",)
