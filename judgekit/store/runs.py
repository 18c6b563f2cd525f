"""A run's results as they come in, with or without a journal, and a journal read back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from judgekit.errors import FileUnreadable, InvalidArgument
from judgekit.evaluation import EvalResult, Kind, Outcome
from judgekit.gate import Decision, Gate
from judgekit.interaction import Interaction
from judgekit.masking import Masker
from judgekit.reporting import EvalReport
from judgekit.results import TARGET, AttemptOutcome, CaseResult, Results
from judgekit.stopping import Stopped
from judgekit.store.attempts import Attempts, JournalAttempts, MemoryAttempts, line_of
from judgekit.store.head import RunHead
from judgekit.store.journal import Journal
from judgekit.store.lines import AttemptLine, Tail, journal_path, read_head, read_lines, skip
from judgekit.text import counted

__all__ = ["JournalStore", "MemoryStore", "RunStore", "StoredRun", "read_run"]

JUDGE = "judge"


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run as its journal or its memory holds it: all that a report is made from.

    Attributes:
        head: What was planned.
        results: The counts, attempts that never ran included.
        attempts: Every planned attempt in report order.
        gate: The gate that decides.
        decision: What it comes to.
        finished_at: UTC, ISO 8601; None for a run that was killed.
        journal: The journal's file, None where there is none.
        stopped: What it left out where it stopped early.
    """

    head: RunHead
    results: Results
    attempts: Attempts
    gate: Gate
    decision: Decision
    finished_at: str | None
    journal: Path | None
    stopped: Stopped | None = None

    def report(self, *, file: Path | None = None) -> EvalReport:
        """The report of the run; `file` is where its own `report.json` stands."""
        finished_at = self.finished_at
        return EvalReport(
            name=self.head.name,
            started_at=datetime.fromisoformat(self.head.started_at),
            finished_at=None if finished_at is None else datetime.fromisoformat(finished_at),
            runs=self.head.runs,
            counts=self.results,
            results=self.attempts,
            decision=self.decision,
            gate=self.gate,
            file=file,
            stopped=self.stopped,
        )


class RunStore(ABC):
    """Where a run puts its attempts. `close` it, whatever happens."""

    attempts: Attempts
    journal_path: Path | None = None

    def __init__(self, head: RunHead) -> None:
        self.head = head
        self.results = head.results()

    @abstractmethod
    def add(
        self, case_index: int, run: int, interaction: Interaction, results: tuple[EvalResult, ...]
    ) -> AttemptOutcome:
        """Keep and count a finished attempt."""

    def holds(self, case_index: int, run: int) -> bool:
        """Whether an earlier run, which this one resumes, has finished this attempt."""
        return False

    def finish(self, gate: Gate, finished_at: str) -> StoredRun:
        """Count what never ran as interrupted, or leave it out after an early stop, and decide."""
        stopped = _settled(self.head, self.results, self.attempts)
        decision = gate.decide(self.results)
        self._write_tail(gate, decision, finished_at)
        return StoredRun(
            self.head, self.results, self.attempts, gate, decision, finished_at, self.journal_path, stopped
        )

    @abstractmethod
    def _write_tail(self, gate: Gate, decision: Decision, finished_at: str) -> None:
        """Put the decision where the attempts are."""

    @abstractmethod
    def close(self) -> None:
        """Give back what is held open."""


class MemoryStore(RunStore):
    """Attempts of a run without a journal; `at_once` as in `MemoryAttempts`."""

    def __init__(self, head: RunHead, masker: Masker, *, at_once: bool) -> None:
        super().__init__(head)
        self.attempts: MemoryAttempts = MemoryAttempts(head, masker, at_once=at_once)

    def add(
        self, case_index: int, run: int, interaction: Interaction, results: tuple[EvalResult, ...]
    ) -> AttemptOutcome:
        """Keep and count a finished attempt."""
        self.attempts.put(case_index, run, interaction, results)
        return self.results.add(case_index, run, interaction, results)

    def _write_tail(self, gate: Gate, decision: Decision, finished_at: str) -> None:
        """Nothing to do: what is returned holds the decision."""

    def close(self) -> None:
        """Nothing to do: nothing is held open."""


class JournalStore(RunStore):
    """Attempts go to the journal at once; memory keeps where they are."""

    def __init__(self, head: RunHead, masker: Masker, journal: Journal) -> None:
        super().__init__(head)
        self.attempts: JournalAttempts = JournalAttempts(head, journal.path)
        self.journal_path = journal.path
        self._journal = journal
        self._masker = masker

    @classmethod
    def create(cls, directory: Path, head: RunHead, masker: Masker) -> JournalStore:
        """Begin a run in a new directory under `directory`.

        Raises:
            OSError: The directory cannot be written.
        """
        return cls(head, masker, Journal.create(directory, head, masker))

    @classmethod
    def resume(cls, path: str | Path, planned: RunHead, masker: Masker) -> JournalStore:
        """Go on with the run of a journal.

        Raises:
            FileUnreadable: It is no journal.
            InvalidArgument: It is the journal of another plan, or another run is writing it.
        """
        journal = Journal.open(path)
        try:
            with journal.path.open("rb") as file:
                store = cls(_same_plan(file, journal.path, planned), masker, journal)
                end = file.tell()
                unaffordable: list[AttemptLine] = []
                for line in read_lines(file, journal.path):
                    if not isinstance(line, AttemptLine):
                        continue
                    unaffordable.append(line)
                    if _was_made(line.attempt):
                        store._take_all(unaffordable)
                        unaffordable.clear()
                        end = line.offset + line.length
            journal.cut(end)
        except BaseException:
            journal.close()
            raise
        return store

    def _take_all(self, lines: Iterable[AttemptLine]) -> None:
        for line in lines:
            _take(self.head, self.results, self.attempts, line)

    def holds(self, case_index: int, run: int) -> bool:
        """Whether the journal holds this attempt."""
        return self.attempts.holds(case_index, run)

    def add(
        self, case_index: int, run: int, interaction: Interaction, results: tuple[EvalResult, ...]
    ) -> AttemptOutcome:
        """Write and count a finished attempt."""
        line = line_of(self._masker, self.head.case_ids[case_index], run, interaction, results)
        self.attempts.put(case_index, run, *self._journal.append(line))
        return self.results.add(case_index, run, interaction, results)

    def _write_tail(self, gate: Gate, decision: Decision, finished_at: str) -> None:
        # The gate stands here too: it may have changed between a killed run and the one that resumes it.
        looked_at = self.results.looked_at
        tail = {
            "finished_at": finished_at,
            "gate": gate.to_json(),
            "decision": {"outcome": decision.outcome.value, "detail": decision.detail},
            **({} if looked_at is None else {"stopped": {"looked_at": looked_at}}),
        }
        self._journal.write_tail(tail, self._masker)

    def close(self) -> None:
        """Sync and close the journal."""
        self._journal.close()


def read_run(path: str | Path, *, each: Callable[[CaseResult], object] | None = None) -> StoredRun:
    """A finished, interrupted or killed run, from its directory or its journal.

    Planned attempts that the journal does not hold are `interrupted`. Lines that cannot be used are left
    out with a `JournalWarning`.

    Args:
        path: The run's directory, or its journal.
        each: Called with every attempt that the journal holds, in the order in which they finished, so that
            more than the counts can be had from reading it once.

    Raises:
        FileUnreadable: There is no journal, or it is none.
    """
    file_path = journal_path(path)
    tail: Mapping[str, Any] = {}
    with file_path.open("rb") as file:
        head = read_head(file, file_path)
        results, attempts = head.results(), JournalAttempts(head, file_path)
        for line in read_lines(file, file_path):
            if isinstance(line, Tail):
                tail = line.data
            elif _take(head, results, attempts, line) and each is not None:
                each(line.attempt)
    try:
        if "stopped" in tail:
            results.looked_at = min(int(tail["stopped"]["looked_at"]), len(head.case_ids))
        stopped = _settled(head, results, attempts)
        gate = Gate.from_json(tail.get("gate", head.gate))
        decision = _decision(tail) if tail else gate.decide(results)
        finished_at = tail.get("finished_at")
        if finished_at is not None:
            datetime.fromisoformat(finished_at)
    except (ValueError, KeyError, TypeError) as error:
        raise FileUnreadable(f"{file_path} is no journal that can be read: {error}") from error
    return StoredRun(head, results, attempts, gate, decision, finished_at, file_path, stopped)


def _decision(tail: Mapping[str, Any]) -> Decision:
    decision = tail["decision"]
    return Decision(Outcome(decision["outcome"]), decision["detail"])


def _was_made(attempt: CaseResult) -> bool:
    """Whether the agent was called. Attempts that there was no money for stand at a journal's end."""
    own = next(iter(attempt.results), None)
    spent = own is not None and own.label == TARGET and own.kind is Kind.BUDGET_SPENT
    return not spent or attempt.interaction.latency is not None


def _take(head: RunHead, results: Results, attempts: JournalAttempts, line: AttemptLine) -> bool:
    """Count an attempt; whether it is one of the plan, and the first of its place."""
    attempt: CaseResult = line.attempt
    index = head.case_at.get(attempt.case_id)
    if index is None or attempt.run > head.case_runs[index]:
        skip(attempts.path, f"case {attempt.case_id!r} run {attempt.run} is not in its plan")
    elif attempts.holds(index, attempt.run):
        skip(attempts.path, f"case {attempt.case_id!r} run {attempt.run} is there twice")
    else:
        attempts.put(index, attempt.run, line.offset, line.length)
        results.add(index, attempt.run, attempt.interaction, attempt.results)
        return True
    return False


def _settled(head: RunHead, results: Results, attempts: Attempts) -> Stopped | None:
    """Account for planned attempts that were not made: left out by an early stop, or else interrupted."""
    saved = head.planned - len(results)
    early, looked_at = results.early, results.looked_at
    if not saved or early is None or looked_at is None:
        # Nothing was left out, so that the whole run decides.
        results.looked_at = None
        _count_interrupted(head, results)
        return None
    attempts.leave_out_absent()
    return Stopped(
        looked_at=looked_at,
        cases=len(head.case_ids),
        attempts_saved=saved,
        judged=any(label == JUDGE for required in head.requirement_sets for label, _ in required),
        alpha=early.alpha,
        seed=early.seed,
    )


def _count_interrupted(head: RunHead, results: Results) -> None:
    for index, runs in enumerate(head.case_runs):
        done = {outcome.run for outcome in results.runs_of(index)}
        for run in range(1, runs + 1):
            if run not in done:
                results.add(index, run, Interaction(), head.interrupted(index))


def _same_plan(file: BinaryIO, path: Path, planned: RunHead) -> RunHead:
    head = read_head(file, path)
    if head.fingerprint != planned.fingerprint:
        difference = _difference(head, planned)
        raise InvalidArgument(
            f"{path} is the journal of another plan: {difference}; run it without `.resume(...)`"
        )
    if planned.early is not None and (head.early is None or head.early[0] != planned.early[0]):
        begun = "without `.stop_early()`" if head.early is None else f"with `alpha={head.early[0]:g}`"
        raise InvalidArgument(
            f"{path} was begun {begun}, so that its cases cannot be looked at as this plan would; go on "
            "without `.stop_early(...)`, or run it without `.resume(...)`"
        )
    return head


def _difference(head: RunHead, planned: RunHead) -> str:
    if head.agent != planned.agent:
        return f"its agent is {head.agent!r}, now it is {planned.agent!r}"
    if head.judges != planned.judges:
        return f"its judges are {list(head.judges)}, now they are {list(planned.judges)}"
    if head.runs != planned.runs:
        return f"it has {counted(head.runs, 'run')}, now there are {planned.runs}"
    gone = len(set(head.case_ids) - set(planned.case_ids))
    new = len(set(planned.case_ids) - set(head.case_ids))
    if gone or new:
        return f"{gone} of its cases are gone and {new} are new"
    return "its cases or evaluators have changed, or their order"
