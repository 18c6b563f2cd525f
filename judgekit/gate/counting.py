"""How often the runs of each case passed and failed, as a whole or in one evaluator: what statistics read.

Cases whose runs came out alike are counted together, so that a large suite costs little.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from judgekit.evaluation import Outcome
from judgekit.gate.reference import Reference
from judgekit.results import AttemptOutcome, Results
from judgekit.statistics import CaseCounts

__all__ = ["CaseGroup", "Counted", "case_groups", "counts_of", "criterion", "label", "referred", "whole"]

_PASSED, _FAILED, _MISSING = b"PFM"

Counted: TypeAlias = Callable[[AttemptOutcome], CaseCounts]
"""What one attempt counts as."""


@dataclass(frozen=True, slots=True)
class CaseGroup:
    """Cases whose runs came out alike: the runs of one of them, and how many they are."""

    runs: tuple[AttemptOutcome, ...]
    cases: int


def case_groups(results: Results) -> list[CaseGroup]:
    """Every case that was run, those alike together."""
    found: dict[object, tuple[AttemptOutcome, ...]] = {}
    times: Counter[object] = Counter()
    for index in range(len(results.case_ids)):
        runs = results.runs_of(index)
        if runs:
            # By identity: equal requirements are one object in `Results`, and hashing an enum is slow.
            key = tuple([(id(one.outcome), one.codes, id(one.requirements)) for one in runs])
            found.setdefault(key, runs)
            times[key] += 1
    return [CaseGroup(runs, times[key]) for key, runs in found.items()]


def whole(attempt: AttemptOutcome) -> CaseCounts:
    """An attempt as one pass, failure or missing measurement."""
    outcome = attempt.outcome
    return CaseCounts(
        int(outcome is Outcome.PASS), int(outcome is Outcome.FAIL), int(outcome is Outcome.INCONCLUSIVE)
    )


def label(name: str) -> Counted:
    """The results of one label."""
    return lambda attempt: _counts(attempt, 0, name)


def criterion(name: str) -> Counted:
    """The results of one judged criterion."""
    return lambda attempt: _counts(attempt, 1, name)


def referred(reference: Reference | None, criteria: Iterable[str]) -> Counted:
    """What an `of=` names, among these criteria; whole attempts where there is none."""
    if reference is None:
        return whole
    by_name = not reference.is_label and reference.name in criteria
    return criterion(reference.name) if by_name else label(reference.name)


def _counts(attempt: AttemptOutcome, field: int, name: str) -> CaseCounts:
    codes = [
        code
        for requirement, code in zip(attempt.requirements, attempt.codes, strict=True)
        if requirement[field] == name
    ]
    return CaseCounts(codes.count(_PASSED), codes.count(_FAILED), codes.count(_MISSING))


def counts_of(runs: Sequence[AttemptOutcome], counted: Counted) -> CaseCounts:
    """The counts of one case over its runs."""
    passed = failed = missing = 0
    for attempt in runs:
        one = counted(attempt)
        passed, failed, missing = passed + one.passed, failed + one.failed, missing + one.missing
    return CaseCounts(passed, failed, missing)
