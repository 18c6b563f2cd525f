"""Cases of two runs laid side by side, by case id and repeat."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from judgekit.errors import InvalidArgument

__all__ = ["Pair", "Pairing", "paired_by_case"]


@dataclass(frozen=True, slots=True)
class Pair:
    """One case on both sides, averaged over its repeats.

    Attributes:
        case: Its id.
        cluster: The group it belongs to; its id where none was given.
        runs: Repeats that both sides have.
        complete_runs: Those of them that both sides measured.
        new: Mean of the new side over complete repeats; 0 without one.
        old: Likewise.
        low: New minus old if every missing measurement speaks against the new side.
        high: The same if every one speaks for it.
        worst_new: Mean of the new side over all shared repeats, missing ones as 0.
        best_new: The same with missing ones as 1.
    """

    case: str
    cluster: Hashable
    runs: int
    complete_runs: int
    new: float
    old: float
    low: float
    high: float
    worst_new: float
    best_new: float

    @property
    def seen(self) -> float:
        """New minus old over complete repeats."""
        return self.new - self.old

    @property
    def is_complete(self) -> bool:
        """Whether at least one repeat was measured on both sides."""
        return self.complete_runs > 0

    def difference_in(self, side: str) -> float:
        """New minus old as it is seen, or as missing measurements make it `low` or `high`."""
        return {"low": self.low, "seen": self.seen, "high": self.high}[side]

    def new_in(self, side: str) -> float:
        """The new side's mean as it is seen, or as missing measurements make it `low` or `high`."""
        return {"low": self.worst_new, "seen": self.new, "high": self.best_new}[side]


@dataclass(frozen=True, slots=True)
class Pairing:
    """The shared cases of two runs, and what is on one side only.

    Attributes:
        pairs: The shared cases, in the new side's order.
        only_new: Ids that the old side does not have.
        only_old: Ids that the new side does not have.
        unpaired_runs: Repeats of shared cases that one side has and the other does not.
        missing: Shared repeats that were not measured on both sides.
    """

    pairs: tuple[Pair, ...]
    only_new: tuple[str, ...]
    only_old: tuple[str, ...]
    unpaired_runs: int
    missing: int


def _pair(case: str, cluster: Hashable, new: Sequence[float | None], old: Sequence[float | None]) -> Pair:
    runs = list(zip(new, old, strict=False))
    whole = [(a, b) for a, b in runs if a is not None and b is not None]
    worst = [(0.0 if a is None else a, 1.0 if b is None else b) for a, b in runs]
    best = [(1.0 if a is None else a, 0.0 if b is None else b) for a, b in runs]

    def mean(values: Sequence[float]) -> float:
        return sum(values) / len(values) if values else 0.0

    return Pair(
        case=case,
        cluster=cluster,
        runs=len(runs),
        complete_runs=len(whole),
        new=mean([a for a, _ in whole]),
        old=mean([b for _, b in whole]),
        low=mean([a - b for a, b in worst]),
        high=mean([a - b for a, b in best]),
        worst_new=mean([a for a, _ in worst]),
        best_new=mean([a for a, _ in best]),
    )


def paired_by_case(
    new: Mapping[str, Sequence[float | None]],
    old: Mapping[str, Sequence[float | None]],
    clusters: Mapping[str, Hashable] | None = None,
) -> Pairing:
    """Lay two sides beside each other.

    Args:
        new: One number a run by case id, in order of repeats; None is missing.
        old: Likewise.
        clusters: The group of every shared case id; None: each case is its own.

    Raises:
        InvalidArgument: A shared case has no cluster.
    """
    shared = [case for case in new if case in old]
    without = [case for case in shared if clusters is not None and case not in clusters]
    if without:
        raise InvalidArgument(f"`clusters` names no group for {', '.join(map(repr, without[:5]))}")
    pairs = [_pair(case, clusters[case] if clusters else case, new[case], old[case]) for case in shared]
    kept = tuple(pair for pair in pairs if pair.runs)
    return Pairing(
        pairs=kept,
        only_new=tuple(case for case in new if case not in old),
        only_old=tuple(case for case in old if case not in new),
        unpaired_runs=sum(abs(len(new[case]) - len(old[case])) for case in shared),
        missing=sum(pair.runs - pair.complete_runs for pair in kept),
    )
