"""What became of each case over its runs, and of each of its requirements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from judgekit.evaluation import Outcome
from judgekit.results import AttemptOutcome, Results

__all__ = ["CaseOutcome", "CaseSummary", "RequirementSummary", "summarised"]

_PASSED, _FAILED = b"PF"


class CaseOutcome(Enum):
    """What all runs of one case came to."""

    PASS = "pass"  # noqa: S105 - an outcome, not a password
    """It passed in every run."""
    FAIL = "fail"
    """It failed in every run."""
    INCONSISTENT = "inconsistent"
    """It passed in some runs and failed in others."""
    INCONCLUSIVE = "inconclusive"
    """A measurement is missing in some runs, and the others agree."""


@dataclass(frozen=True, slots=True)
class RequirementSummary:
    """One evaluator of one case over the runs.

    Attributes:
        position: 1-based, among the case's results.
        label: The evaluator's label.
        name: The criterion's name, for judged ones.
        passed: The runs in which it passed, ascending.
        failed: The runs in which it failed, ascending.
        inconclusive: The runs in which it decided nothing, those that never reached it included.
    """

    position: int
    label: str
    name: str | None
    passed: tuple[int, ...]
    failed: tuple[int, ...]
    inconclusive: tuple[int, ...]

    @property
    def is_inconsistent(self) -> bool:
        """Whether it passed in some runs and failed in others."""
        return bool(self.passed and self.failed)


@dataclass(frozen=True, slots=True)
class CaseSummary:
    """One case over its runs; `requirements` are in the order in which its evaluators report."""

    id: str
    outcome: CaseOutcome
    requirements: tuple[RequirementSummary, ...]

    @property
    def inconsistent(self) -> tuple[RequirementSummary, ...]:
        """The requirements that passed in some runs and failed in others."""
        return tuple(one for one in self.requirements if one.is_inconsistent)

    def shown(self, requirement: RequirementSummary) -> str:
        """The requirement's label, with `#2`, its position, where the case has several of that label."""
        same = sum(one.label == requirement.label for one in self.requirements)
        return f"{requirement.label} #{requirement.position}" if same > 1 else requirement.label


def summarised(results: Results, *, at_least: int = 1) -> Iterator[CaseSummary]:
    """A summary of every case with at least so many attempts, in case order.

    Cases whose requirements came out alike share one tuple of them.
    """
    known: dict[object, tuple[RequirementSummary, ...]] = {}
    for index, case_id in enumerate(results.case_ids):
        attempts = results.runs_of(index)
        if len(attempts) < at_least:
            continue
        alike = tuple([(attempt.run, attempt.codes, attempt.requirements) for attempt in attempts])
        requirements = known.get(alike)
        if requirements is None:
            requirements = known[alike] = _requirements(attempts)
        yield CaseSummary(case_id, _outcome(attempts), requirements)


def _outcome(attempts: Sequence[AttemptOutcome]) -> CaseOutcome:
    outcomes = {attempt.outcome for attempt in attempts}
    if {Outcome.PASS, Outcome.FAIL} <= outcomes:
        return CaseOutcome.INCONSISTENT
    if Outcome.INCONCLUSIVE in outcomes:
        return CaseOutcome.INCONCLUSIVE
    return CaseOutcome.PASS if Outcome.PASS in outcomes else CaseOutcome.FAIL


def _requirements(attempts: Sequence[AttemptOutcome]) -> tuple[RequirementSummary, ...]:
    # An evaluator of several results that raises gives one, so that runs of a case can differ in length.
    runs: dict[tuple[int, str, str | None], tuple[list[int], list[int], list[int]]] = {}
    for attempt in attempts:
        for position, ((label, name), code) in enumerate(
            zip(attempt.requirements, attempt.codes, strict=True), start=1
        ):
            passed, failed, other = runs.setdefault((position, label, name), ([], [], []))
            (passed if code == _PASSED else failed if code == _FAILED else other).append(attempt.run)
    return tuple(
        RequirementSummary(*key, *map(tuple, found)) for key, found in sorted(runs.items(), key=_position)
    )


def _position(item: tuple[tuple[int, str, str | None], object]) -> int:
    return item[0][0]
