"""What a run found, counted as it comes in: what gates read and reports sum up.

Memory stays small: of an attempt only its outcome codes are kept, one byte a result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import TypeAlias, TypeVar, cast

from judgekit.describing import describe_attempt
from judgekit.evaluation import EvalResult, Kind, Outcome
from judgekit.instruments import Instruments
from judgekit.interaction import Interaction
from judgekit.spending import JudgeSpend, Spend, UserSpend
from judgekit.stopping import EarlyStop
from judgekit.units import Unit

__all__ = [
    "AttemptOutcome",
    "CaseResult",
    "JudgeSpend",
    "Requirements",
    "Results",
    "Spend",
    "Unit",
    "UserSpend",
    "attempt_outcome",
    "code_of",
]

SETUP, TARGET = "setup", "target"
RUNNER_LABELS = frozenset({SETUP, TARGET})

Requirements: TypeAlias = "tuple[tuple[str, str | None], ...]"
Place: TypeAlias = "tuple[int, int]"
S = TypeVar("S", bound="bytes | Requirements")

_PASS, _FAIL, _NO_EVIDENCE, _NOT_RUN, _MISSING = b"PFNXM"


def code_of(result: EvalResult) -> int:
    """One byte for a result: P passed, F failed, N no evidence, X not run, M a missing measurement."""
    if result.outcome is Outcome.PASS:
        return _PASS
    if result.outcome is Outcome.FAIL:
        return _FAIL
    if result.kind is Kind.NO_EVIDENCE:
        return _NO_EVIDENCE
    return _NOT_RUN if result.kind is Kind.NOT_RUN else _MISSING


def attempt_outcome(results: Iterable[EvalResult]) -> Outcome:
    """FAIL with a failed result, else INCONCLUSIVE with a missing measurement, else PASS."""
    missing = False
    for result in results:
        if result.outcome is Outcome.FAIL:
            return Outcome.FAIL
        missing = missing or result.is_missing
    return Outcome.INCONCLUSIVE if missing else Outcome.PASS


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One attempt at one case: the evidence and what each evaluator found.

    Attributes:
        case_id: The case's id, as typed.
        run: 1-based.
        interaction: The evidence.
        results: In evaluator order; a `setup` or `target` failure of the runner itself comes first.
    """

    case_id: str
    run: int
    interaction: Interaction
    results: tuple[EvalResult, ...]

    @property
    def outcome(self) -> Outcome:
        """FAIL with a failed result, else INCONCLUSIVE with a missing measurement, else PASS."""
        return attempt_outcome(self.results)

    @property
    def passed(self) -> bool:
        """Whether the attempt passed."""
        return self.outcome is Outcome.PASS

    def describe(self) -> str:
        """The attempt as the text report shows it."""
        return describe_attempt(self.case_id, self.run, self.outcome, self.interaction, self.results)


@dataclass(frozen=True, slots=True)
class AttemptOutcome:
    """One attempt in short.

    Attributes:
        case_index: Position of the case in the experiment.
        run: 1-based.
        outcome: Of the whole attempt.
        failure: `setup` or `target` where the attempt failed before its evaluators, else None.
        codes: One byte an evaluator result, see `code_of`; without the runner's own result.
        requirements: Label and criterion name of each of these results.
        unreached: Why the agent was never called to an end, such as `interrupted`, so that nobody knows
            whether it would have failed; None where it was.
    """

    case_index: int
    run: int
    outcome: Outcome
    failure: str | None
    codes: bytes
    requirements: Requirements = ()
    unreached: str | None = None

    @property
    def is_conclusive(self) -> bool:
        """Whether at least one result passed or failed; a failed setup or target is conclusive."""
        return self.failure is not None or _PASS in self.codes or _FAIL in self.codes


_by_run = attrgetter("run")


def missing_reason(result: EvalResult) -> str:
    """The reason of a missing measurement as gates print it."""
    kind = (result.kind or Kind.JUDGE_FAILED).value.replace("_", " ")
    return f"{kind}: {result.cause}" if result.cause and result.cause != kind else kind


class Results:
    """The counts of a run over its planned cases, filled by `add` as attempts finish, in any order.

    Attributes:
        case_ids: In experiment order.
        units: Counts by label; `labels()` has them in order.
        criteria: Counts of judged criteria by name; `criteria_of()` has them in order.
        missing: Inconclusive attempts by the reason of their first missing measurement.
        instruments: What each judged criterion was measured with.
        spend, judges, users: What agents, judges and simulated users spent.
        tags: The positions of the cases that bear each tag.
        checks: A hash over the checks of each label that no judge answers, and the versions it was made by;
            empty where that is not known.
        early: How the run may stop early; None where it may not.
        looked_at: After how many cases, in the order of `early`, it stopped; None where it did not.
    """

    def __init__(
        self,
        case_ids: Sequence[str],
        *,
        tags: Mapping[str, Collection[int]] | None = None,
        early: EarlyStop | None = None,
        checks: Mapping[str, str] | None = None,
    ) -> None:
        self.case_ids = tuple(case_ids)
        self.tags: Mapping[str, Collection[int]] = {} if tags is None else tags
        self.checks: Mapping[str, str] = {} if checks is None else checks
        self.early = early
        self.looked_at: int | None = None
        self.units: dict[str, Unit] = {}
        self.criteria: dict[str, Unit] = {}
        self.missing: Counter[str] = Counter()
        self.instruments: dict[str, Instruments] = {}
        self.spend = Spend()
        self.judges = JudgeSpend()
        self.users = UserSpend()
        self._by_case: list[tuple[AttemptOutcome, ...]] = [()] * len(self.case_ids)
        self._label_at: dict[str, Place] = {}
        self._criterion_at: dict[str, tuple[Place, str]] = {}
        self._shared: dict[bytes | Requirements, bytes | Requirements] = {}

    def add(
        self, case_index: int, run: int, interaction: Interaction, results: Sequence[EvalResult]
    ) -> AttemptOutcome:
        """Count one finished attempt.

        `results` starts with the runner's own result where it has one: a failed `setup` or `target`, or
        an inconclusive `target` of kind `interrupted` for an attempt that never ran.
        """
        own = results[0] if results and results[0].label in RUNNER_LABELS else None
        declared = results[1:] if own else results
        failed = own is not None and own.outcome is Outcome.FAIL
        entry = AttemptOutcome(
            case_index,
            run,
            attempt_outcome(results),
            own.label if own and failed else None,
            self._once(bytes(map(code_of, declared))),
            self._once(tuple([(result.label, result.name) for result in declared])),
            missing_reason(own) if own is not None and not failed else None,
        )
        if entry.outcome is Outcome.INCONCLUSIVE:
            self.missing[next(missing_reason(result) for result in results if result.is_missing)] += 1
        # A tuple a case, in run order: of a large run this is most of what stays in memory.
        self._by_case[case_index] = tuple(sorted((*self._by_case[case_index], entry), key=_by_run))
        self.spend.add(self.case_ids[case_index], run, interaction)
        if interaction.user_calls:
            self.users.add(interaction.user_calls)
        self._count(case_index, results)
        return entry

    def _once(self, value: S) -> S:
        """The one kept object equal to `value`: most attempts look alike, and each keeps two."""
        return cast("S", self._shared.setdefault(value, value))

    def _count(self, case_index: int, results: Sequence[EvalResult]) -> None:
        seen: set[int] = set()
        for position, result in enumerate(results):
            if result.label not in RUNNER_LABELS:
                self._count_in(self._unit(result.label, (case_index, position)), result, seen)
            if result.name is not None:
                self._count_in(self._criterion(result, (case_index, position)), result, seen)
            if result.measurements:
                self.judges.add(result)
                self.instruments.setdefault(result.name or result.label, Instruments()).add(result)

    def _unit(self, label: str, place: Place) -> Unit:
        unit = self.units.get(label)
        if unit is None:
            unit = self.units[label] = Unit()
            self._label_at[label] = place
        elif place < self._label_at[label]:
            self._label_at[label] = place
        return unit

    def _criterion(self, result: EvalResult, place: Place) -> Unit:
        name = result.name or ""
        unit = self.criteria.get(name)
        if unit is None:
            unit = self.criteria[name] = Unit()
            self._criterion_at[name] = place, result.label
        elif place < self._criterion_at[name][0]:
            self._criterion_at[name] = place, result.label
        return unit

    @staticmethod
    def _count_in(unit: Unit, result: EvalResult, seen: set[int]) -> None:
        if result.outcome is Outcome.PASS:
            unit.passed += 1
        elif result.outcome is Outcome.FAIL:
            unit.failed += 1
        elif result.kind is Kind.NO_EVIDENCE:
            unit.no_evidence += 1
            return
        elif result.kind is Kind.NOT_RUN:
            unit.not_run += 1
            return
        else:
            unit.missing[missing_reason(result)] += 1
        if result.score is not None and result.outcome is not Outcome.INCONCLUSIVE:
            unit.scores.append(result.score)
        if id(unit) not in seen:
            seen.add(id(unit))
            unit.attempts += 1

    def labels(self) -> tuple[str, ...]:
        """The labels in order of first appearance: by case, then by position in the case."""
        return tuple(sorted(self.units, key=self._label_at.__getitem__))

    def criteria_of(self, label: str) -> tuple[str, ...]:
        """The names of the criteria judged under `label`, in order of first appearance."""
        placed = sorted(
            (place, name) for name, (place, owner) in self._criterion_at.items() if owner == label
        )
        return tuple(name for _, name in placed)

    def attempts(self) -> Iterator[AttemptOutcome]:
        """Every attempt, in case order, runs ascending."""
        return chain.from_iterable(self._by_case)

    def runs_of(self, case_index: int) -> tuple[AttemptOutcome, ...]:
        """The attempts of one case, runs ascending."""
        return self._by_case[case_index]

    def outcomes(self) -> Counter[Outcome]:
        """How many attempts came to each outcome."""
        return Counter(attempt.outcome for attempt in self.attempts())

    def run_counts(self) -> tuple[int, ...]:
        """How many attempts each case has, in case order."""
        return tuple(map(len, self._by_case))

    def of_cases(self, positions: Iterable[int]) -> Results:
        """The attempts of these cases alone, without counts of labels, criteria and spend."""
        some = Results(self.case_ids, tags=self.tags, early=self.early)
        for position in positions:
            some._by_case[position] = self._by_case[position]
        return some

    def __len__(self) -> int:
        return sum(len(runs) for runs in self._by_case)
