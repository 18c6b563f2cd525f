"""Passes and failures by case, and what they say about one rate."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from judgekit.errors import InvalidArgument
from judgekit.statistics.estimate import checked_same_length, checked_whole

__all__ = [
    "AnyCounts",
    "CaseCounts",
    "Cases",
    "Moments",
    "checked_counts",
    "counts_by_cluster",
    "moments_of",
]

_ROUNDED = 1e-12


class CaseCounts(NamedTuple):
    """How often the runs of one case, or of one cluster of cases, passed and failed.

    Attributes:
        passed: Runs that passed.
        failed: Runs that failed.
        missing: Runs that could not be measured.
    """

    passed: int
    failed: int
    missing: int = 0


AnyCounts = CaseCounts | tuple[int, int] | tuple[int, int, int]

Cases: TypeAlias = Iterable[AnyCounts] | Mapping[CaseCounts, int]
"""The counts of each case; or, for a large suite, how many cases have each of them."""


@dataclass(frozen=True, slots=True)
class Moments:
    """What decided runs of clusters say about one rate.

    Attributes:
        n: Runs.
        clusters: Cases or coarser groups.
        rate: Passed over runs.
        repeats: Runs of the cluster of a run drawn at random.
        error: The cluster-robust standard error, with its factor sqrt(G / (G - 1)).
        effect: The design effect without that factor, at least 1.
        corrected_effect: The design effect with it.
        passing: Clusters with a pass.
        failing: Clusters with a failure.
    """

    n: int
    clusters: int
    rate: float
    repeats: float
    error: float
    effect: float
    corrected_effect: float
    passing: int
    failing: int

    @property
    def varies(self) -> bool:
        """Whether clusters differ; the same share of each may be rounded."""
        return self.error > _ROUNDED


def moments_of(counts: Mapping[tuple[int, int], int]) -> Moments:
    """From how many clusters have each passed and failed; at least one that decided anything."""
    n = sum((passed + failed) * times for (passed, failed), times in counts.items())
    groups = sum(counts.values())
    rate = sum(passed * times for (passed, _), times in counts.items()) / n
    squares = math.fsum(
        times * (passed - (passed + failed) * rate) ** 2 for (passed, failed), times in counts.items()
    )
    uncorrected = math.sqrt(squares) / n
    scale = groups / (groups - 1) if groups > 1 else 1.0
    spread = rate * (1 - rate) / n
    # A variance below that of independent runs is luck, not evidence.
    effect = max(1.0, uncorrected**2 / spread) if spread else 1.0
    return Moments(
        n=n,
        clusters=groups,
        rate=rate,
        repeats=sum(times * (passed + failed) ** 2 for (passed, failed), times in counts.items()) / n,
        error=uncorrected * math.sqrt(scale),
        effect=effect,
        corrected_effect=effect * scale,
        passing=sum(times for (passed, _), times in counts.items() if passed),
        failing=sum(times for (_, failed), times in counts.items() if failed),
    )


def checked_counts(cases: Cases, clusters: Sequence[Hashable] | None) -> tuple[int, Counter[CaseCounts]]:
    """How many cases there are, and how many clusters have each counts."""
    if isinstance(cases, Mapping):
        return _checked_mapping(cases, clusters)
    given = [CaseCounts(*case) for case in cases]
    for case in given:
        _check(case)
    if clusters is None:
        return len(given), Counter(given)
    checked_same_length(cases=given, clusters=clusters)
    merged: dict[Hashable, CaseCounts] = {}
    for case, key in zip(given, clusters, strict=True):
        held = merged.get(key, CaseCounts(0, 0, 0))
        merged[key] = CaseCounts(*(one + other for one, other in zip(held, case, strict=True)))
    return len(given), Counter(merged.values())


def _checked_mapping(
    cases: Mapping[CaseCounts, int], clusters: Sequence[Hashable] | None
) -> tuple[int, Counter[CaseCounts]]:
    if clusters is not None:
        raise InvalidArgument("`clusters` needs the counts of each case, in order; got a mapping")
    found: Counter[CaseCounts] = Counter()
    for case, times in cases.items():
        counts = CaseCounts(*case)
        _check(counts)
        found[counts] += checked_whole(times, name="number of cases")
    return found.total(), +found


def _check(case: CaseCounts) -> None:
    for name, value in zip(CaseCounts._fields, case, strict=True):
        checked_whole(value, name=name)


def counts_by_cluster(passes: Sequence[bool | None], clusters: Sequence[Hashable]) -> list[CaseCounts]:
    """The counts of each cluster, in order of first appearance, from one pass, fail or None a run.

    Raises:
        InvalidArgument: The two differ in number, or a pass is neither a boolean nor None.
    """
    checked_same_length(passes=passes, clusters=clusters)
    merged: dict[Hashable, list[int]] = {}
    for passed, key in zip(passes, clusters, strict=True):
        if passed is not None and not isinstance(passed, bool):
            raise InvalidArgument(f"`passes` must hold True, False or None, got {passed!r}")
        merged.setdefault(key, [0, 0, 0])[2 if passed is None else 1 - passed] += 1
    return [CaseCounts(*counts) for counts in merged.values()]
