"""A run's results as they come in, with or without a journal, and a journal read back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from judgekit.errors import FileUnreadable
from judgekit.evaluation import EvalResult, Outcome
from judgekit.gate import Decision, Gate
from judgekit.interaction import Interaction
from judgekit.masking import Masker
from judgekit.reporting import EvalReport
from judgekit.results import AttemptOutcome, CaseResult, Results
from judgekit.stopping import Stopped
from judgekit.store.attempts import Attempts, JournalAttempts, MemoryAttempts, line_of
from judgekit.store.head import RunHead
from judgekit.store.journal import Journal
from judgekit.store.lines import AttemptLine, Tail, journal_path, read_head, read_lines
from judgekit.store.planned import same_plan, settled, take, was_made

__all__ = ["JournalStore", "MemoryStore", "RunStore", "StoredRun", "read_run"]


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

    def __init__(self, head: RunHead, masker: Masker) -> None:
        self.head = head
        self.results = head.results()
        self._masker = masker
        self._names: dict[str | None, str | None] = {None: None}

    def add(
        self, case_index: int, run: int, interaction: Interaction, results: tuple[EvalResult, ...]
    ) -> AttemptOutcome:
        """Keep and count a finished attempt; names are counted as they are shown, with secrets masked."""
        if any(result.name is not None and self._shown(result.name) != result.name for result in results):
            results = tuple(replace(result, name=self._shown(result.name)) for result in results)
        self._keep(case_index, run, interaction, results)
        return self.results.add(case_index, run, interaction, results)

    def _shown(self, name: str | None) -> str | None:
        if name not in self._names:
            self._names[name] = self._masker.masked(name or "")
        return self._names[name]

    @abstractmethod
    def _keep(
        self, case_index: int, run: int, interaction: Interaction, results: tuple[EvalResult, ...]
    ) -> None:
        """Put a finished attempt where it can be read again."""

    def holds(self, case_index: int, run: int) -> bool:
        """Whether an earlier run, which this one resumes, has finished this attempt."""
        return False

    def finish(self, gate: Gate, finished_at: str) -> StoredRun:
        """Count what never ran as interrupted, or leave it out after an early stop, and decide."""
        stopped = settled(self.head, self.results, self.attempts)
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
        super().__init__(head, masker)
        self.attempts: MemoryAttempts = MemoryAttempts(head, masker, at_once=at_once)

    def _keep(
        self, case_index: int, run: int, interaction: Interaction, results: tuple[EvalResult, ...]
    ) -> None:
        self.attempts.put(case_index, run, interaction, results)

    def _write_tail(self, gate: Gate, decision: Decision, finished_at: str) -> None:
        """Nothing to do: what is returned holds the decision."""

    def close(self) -> None:
        """Nothing to do: nothing is held open."""


class JournalStore(RunStore):
    """Attempts go to the journal at once; memory keeps where they are."""

    def __init__(self, head: RunHead, masker: Masker, journal: Journal) -> None:
        super().__init__(head, masker)
        self.attempts: JournalAttempts = JournalAttempts(head, journal.path)
        self.journal_path = journal.path
        self._journal = journal

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
                store = cls(same_plan(file, journal.path, planned), masker, journal)
                end = file.tell()
                unaffordable: list[AttemptLine] = []
                for line in read_lines(file, journal.path):
                    if not isinstance(line, AttemptLine):
                        continue
                    unaffordable.append(line)
                    if was_made(line.attempt):
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
            take(self.head, self.results, self.attempts, line)

    def holds(self, case_index: int, run: int) -> bool:
        """Whether the journal holds this attempt."""
        return self.attempts.holds(case_index, run)

    def _keep(
        self, case_index: int, run: int, interaction: Interaction, results: tuple[EvalResult, ...]
    ) -> None:
        line = line_of(self._masker, self.head.case_ids[case_index], run, interaction, results)
        self.attempts.put(case_index, run, *self._journal.append(line))

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
            elif take(head, results, attempts, line) and each is not None:
                each(line.attempt)
    try:
        if "stopped" in tail:
            results.looked_at = min(int(tail["stopped"]["looked_at"]), len(head.case_ids))
        stopped = settled(head, results, attempts)
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
