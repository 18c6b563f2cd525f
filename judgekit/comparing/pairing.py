"""The attempts of two runs laid side by side: what both checked, and what each came to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from judgekit.comparing.reading import AttemptReading, Measured, RunReading, Unit
from judgekit.results import Requirements

__all__ = ["AttemptPair", "RunPairing", "UnitPairs", "paired_runs"]

Values: TypeAlias = "dict[str, list[bool | None]]"
Scores: TypeAlias = "dict[str, list[float | None]]"

_PASS, _FAIL, _MISSING = b"PFM"


@dataclass(frozen=True, slots=True)
class AttemptPair:
    """The same case and run on both sides; `shared` are the places of results that both sides have."""

    case_id: str
    new: AttemptReading
    old: AttemptReading
    shared: tuple[tuple[Unit, int, int], ...]

    @property
    def same_evidence(self) -> bool | None:
        """Whether the agent said and did the same; None where one side was never called to an end."""
        if self.new.evidence is None or self.old.evidence is None:
            return None
        return self.new.evidence == self.old.evidence

    def outcome(self, *, new: bool) -> bool | None:
        """Whether the attempt passed what both runs checked; None where a measurement is missing."""
        side = self.new if new else self.old
        if side.own is not None:
            return False
        codes = {side.codes[left if new else right] for _, left, right in self.shared}
        if _FAIL in codes:
            return False
        return None if side.is_missing or _MISSING in codes else True

    def failed_on(self, *, new: bool) -> Iterator[Unit]:
        """What the attempt failed on: evaluators, or the runner's own `setup` or `target`."""
        side = self.new if new else self.old
        if side.own is not None:
            yield side.own, None
        for unit, left, right in self.shared:
            if side.codes[left if new else right] == _FAIL:
                yield unit


@dataclass(slots=True)
class UnitPairs:
    """One evaluator on both sides, over attempts in which both decided or missed a measurement.

    Attributes:
        new, old: Passes of each case, None for a missing measurement; places are those of the other side.
        new_scores, old_scores: Likewise the scores; None also where a side has none.
        alone: Results that only one side has, such as where the other had no evidence.
        changes: How each pair of judged results came about, new before old, and how often.
        same: The places whose evidence is the same on both sides, as (case id, place).
    """

    new: Values = field(default_factory=dict)
    old: Values = field(default_factory=dict)
    new_scores: Scores = field(default_factory=dict)
    old_scores: Scores = field(default_factory=dict)
    alone: int = 0
    changes: Counter[tuple[Measured | None, Measured | None]] = field(default_factory=Counter)
    same: list[tuple[str, int]] = field(default_factory=list)

    def add(self, pair: AttemptPair, place_new: int, place_old: int) -> None:
        """Take in one result of both sides."""
        codes = pair.new.codes[place_new], pair.old.codes[place_old]
        values = [_value(code) for code in codes]
        if not all(known for known, _ in values):
            self.alone += any(known for known, _ in values)
            return
        passes = self.new.setdefault(pair.case_id, [])
        if pair.same_evidence:
            self.same.append((pair.case_id, len(passes)))
        passes.append(values[0][1])
        self.old.setdefault(pair.case_id, []).append(values[1][1])
        self.changes[pair.new.measured[place_new], pair.old.measured[place_old]] += 1
        for scores, side, place, (_, passed) in (
            (self.new_scores, pair.new, place_new, values[0]),
            (self.old_scores, pair.old, place_old, values[1]),
        ):
            score = side.scores[place] if side.scores and passed is not None else None
            scores.setdefault(pair.case_id, []).append(score)

    @property
    def has_scores(self) -> bool:
        """Whether both sides have scores that say more than passed and failed."""
        scored = [
            [
                (score, passed)
                for case, found in scores.items()
                for score, passed in zip(found, values[case], strict=True)
            ]
            for scores, values in ((self.new_scores, self.new), (self.old_scores, self.old))
        ]
        if not all(any(score is not None for score, _ in side) for side in scored):
            return False
        return any(score is not None and score != passed for side in scored for score, passed in side)


def _value(code: int) -> tuple[bool, bool | None]:
    """Whether there is a value, and which; None is one that could not be measured."""
    if code == _PASS:
        return True, True
    if code == _FAIL:
        return True, False
    return code == _MISSING, None


@dataclass(frozen=True, slots=True)
class _Shared:
    """What two lists of requirements have in common, and what only one of them has."""

    places: tuple[tuple[Unit, int, int], ...]
    only_new: tuple[Unit, ...]
    only_old: tuple[Unit, ...]


def _numbered(requirements: Requirements) -> dict[tuple[Unit, int], int]:
    """The place of each result by its unit and which of that unit's it is."""
    seen: Counter[Unit] = Counter()
    places = {}
    for place, unit in enumerate(requirements):
        places[unit, seen[unit]] = place
        seen[unit] += 1
    return places


def _shared(new: Requirements, old: Requirements) -> _Shared:
    left, right = _numbered(new), _numbered(old)
    return _Shared(
        tuple((key[0], place, right[key]) for key, place in left.items() if key in right),
        tuple(dict.fromkeys(key[0] for key in left if key not in right)),
        tuple(dict.fromkeys(key[0] for key in right if key not in left)),
    )


@dataclass(frozen=True)
class RunPairing:
    """Two runs side by side.

    Attributes:
        new, old: The two sides.
        pairs: Attempts of the same case and run.
        only_new: Evaluators of shared cases that only the new side has, and of how many attempts.
        only_old: Likewise.
    """

    new: RunReading
    old: RunReading
    pairs: tuple[AttemptPair, ...]
    only_new: Counter[Unit]
    only_old: Counter[Unit]

    @cached_property
    def cases_only_new(self) -> tuple[str, ...]:
        """Ids of cases that the old side does not have."""
        return tuple(case for case in self.new.cases if case not in self.old.cases)

    @cached_property
    def cases_only_old(self) -> tuple[str, ...]:
        """Ids of cases that the new side does not have."""
        return tuple(case for case in self.old.cases if case not in self.new.cases)

    @cached_property
    def unpaired_runs(self) -> int:
        """Repeats of shared cases that only one side has."""
        shared = self.new.cases.keys() & self.old.cases.keys()
        return sum(len(self.new.cases[case].keys() ^ self.old.cases[case].keys()) for case in shared)

    @cached_property
    def by_case(self) -> dict[str, list[AttemptPair]]:
        """The pairs of each case, runs ascending."""
        found: dict[str, list[AttemptPair]] = {}
        for pair in self.pairs:
            found.setdefault(pair.case_id, []).append(pair)
        return found

    @cached_property
    def units(self) -> dict[Unit, UnitPairs]:
        """What both sides checked, in order of first appearance."""
        found: dict[Unit, UnitPairs] = {}
        for pair in self.pairs:
            for unit, place_new, place_old in pair.shared:
                found.setdefault(unit, UnitPairs()).add(pair, place_new, place_old)
        return found

    @cached_property
    def transcripts(self) -> tuple[int, int]:
        """How many paired attempts have the same evidence, and how many other evidence."""
        same = [pair.same_evidence for pair in self.pairs]
        return same.count(True), same.count(False)

    @cached_property
    def asked_otherwise(self) -> int:
        """How many cases were given something else."""
        return sum(
            any(pair.new.asked != pair.old.asked for pair in pairs if pair.same_evidence is not None)
            for pairs in self.by_case.values()
        )

    @cached_property
    def changed_checks(self) -> tuple[str, ...]:
        """Labels whose checks have other parameters or other code; empty where that cannot be told."""
        if self.new.cases.keys() != self.old.cases.keys():
            # A check of one case alone says nothing about the others.
            return ()
        known = ((label, now, self.old.checks.get(label, "")) for label, now in self.new.checks.items())
        return tuple(label for label, now, before in known if _is_other(now, before))

    def outcomes(self) -> tuple[Values, Values]:
        """Whether each paired attempt passed what both runs checked: new and old, by case."""
        new = {case: [pair.outcome(new=True) for pair in pairs] for case, pairs in self.by_case.items()}
        old = {case: [pair.outcome(new=False) for pair in pairs] for case, pairs in self.by_case.items()}
        return new, old


def _is_other(now: str, before: str) -> bool:
    """Whether the same versions of judgekit and Python describe two checks in other words."""
    return now != before and now.partition(" ")[2] == before.partition(" ")[2]


def paired_runs(new: RunReading, old: RunReading) -> RunPairing:
    """Lay two runs side by side by case id and run."""
    known: dict[tuple[int, int], _Shared] = {}
    pairs: list[AttemptPair] = []
    only_new: Counter[Unit] = Counter()
    only_old: Counter[Unit] = Counter()
    for case_id, runs in new.cases.items():
        others = old.cases.get(case_id, {})
        for run, attempt in sorted(runs.items()):
            other = others.get(run)
            if other is None:
                continue
            # A reading keeps one object for equal requirements.
            key = id(attempt.requirements), id(other.requirements)
            shared = known.get(key)
            if shared is None:
                shared = known[key] = _shared(attempt.requirements, other.requirements)
            pairs.append(AttemptPair(case_id, attempt, other, shared.places))
            only_new.update(shared.only_new)
            only_old.update(shared.only_old)
    return RunPairing(new, old, tuple(pairs), only_new, only_old)
