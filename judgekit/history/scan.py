"""One run read once: its counts, and what its attempts were measured with."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from judgekit.evaluation import Outcome
from judgekit.gate import Decision
from judgekit.history.model import HistoryRate
from judgekit.instruments import Instrument, Instruments
from judgekit.reporting import EvalReport
from judgekit.reporting.intervals import Rates, interval_of
from judgekit.results import CaseResult, Results
from judgekit.statistics import Rate
from judgekit.stopping import Stopped
from judgekit.store import JournalWarning, RunHead, read_run
from judgekit.units import Unit

__all__ = ["JOURNAL", "Scan", "moment", "scan_of"]

JOURNAL = "journal.jsonl"


@dataclass(slots=True)
class Scan:
    """What a history keeps of a run while it reads the next one.

    Attributes:
        folder: Where it is kept.
        started_at: UTC.
        finished_at: UTC, None without an end.
        head: None for a run of which only the report is left.
        counts: Of its attempts.
        decision: What its gate came to.
        left_out: Lines that could not be read.
        models: Models that the agent's calls named.
        instruments: What measured each criterion.
        stopped: What it left out where it stopped early.
    """

    folder: Path
    started_at: datetime
    finished_at: datetime | None
    head: RunHead | None
    counts: Results
    decision: Decision
    left_out: int = 0
    models: frozenset[str] = frozenset()
    instruments: Mapping[str, Instrument] = field(default_factory=dict)
    stopped: Stopped | None = None

    @property
    def units(self) -> frozenset[tuple[str, str | None]]:
        """What every attempt could be checked for: label and criterion of each evaluator."""
        if self.head is not None:
            return frozenset(unit for units in self.head.requirement_sets for unit in units)
        return frozenset(unit for attempt in self.counts.attempts() for unit in attempt.requirements)

    def rates(self) -> tuple[HistoryRate, ...]:
        """The rate of whole attempts, of each label, and of each criterion under it."""
        counts, outcomes, rates = self.counts, self.counts.outcomes(), Rates(self.counts)
        found = [
            HistoryRate(
                label=None,
                name=None,
                passed=outcomes[Outcome.PASS],
                failed=outcomes[Outcome.FAIL],
                missing=outcomes[Outcome.INCONCLUSIVE],
                interval=interval_of(rates.whole()),
            )
        ]
        for label in counts.labels():
            found.append(_rate(label, None, counts.units[label], rates.label(label)))
            found += (
                _rate(label, name, counts.criteria[name], rates.criterion(name))
                for name in counts.criteria_of(label)
            )
        return tuple(found)

    def states(self) -> dict[str, bool]:
        """Whether each decided case passed in all of its runs."""
        found = {}
        for index, case_id in enumerate(self.counts.case_ids):
            outcomes = {attempt.outcome for attempt in self.counts.runs_of(index)}
            if Outcome.FAIL in outcomes:
                found[case_id] = False
            elif outcomes == {Outcome.PASS}:
                found[case_id] = True
        return found

    def flaky(self) -> tuple[str, ...]:
        """Cases that passed in some runs and failed in others."""
        return tuple(
            case_id
            for index, case_id in enumerate(self.counts.case_ids)
            if {Outcome.PASS, Outcome.FAIL} <= {attempt.outcome for attempt in self.counts.runs_of(index)}
        )


def _rate(label: str, name: str | None, unit: Unit, rate: Rate) -> HistoryRate:
    return HistoryRate(
        label=label,
        name=name,
        passed=unit.passed,
        failed=unit.failed,
        missing=unit.missing.total(),
        interval=interval_of(rate),
    )


class _Seen:
    """What attempts were measured with, as they come by."""

    def __init__(self) -> None:
        self.models: set[str] = set()
        self._instruments: dict[str, Instruments] = {}

    def take(self, attempt: CaseResult) -> None:
        """Note the agent's models and the judges of an attempt."""
        evidence = attempt.interaction
        for turn in evidence.turns or (evidence,):
            self.models.update(call.model for call in turn.model_calls or () if call.model)
        for result in attempt.results:
            if result.name is not None and result.measurements:
                self._instruments.setdefault(result.name, Instruments()).add(result)

    def instruments(self) -> dict[str, Instrument]:
        """The instrument that measured most results of each criterion."""
        return {name: next(iter(found))[0] for name, found in self._instruments.items() if len(found)}


def scan_of(folder: Path) -> Scan:
    """Read the run of a folder: its journal, or where there is none its report.

    Raises:
        FileUnreadable: It is neither.
        OSError: It cannot be opened.
    """
    seen = _Seen()
    if not (folder / JOURNAL).is_file():
        report = EvalReport.read(folder)
        for attempt in report.results:
            seen.take(attempt)
        return Scan(
            folder=folder,
            started_at=report.started_at,
            finished_at=report.finished_at,
            head=None,
            counts=report.counts,
            decision=report.decision,
            models=frozenset(seen.models),
            instruments=seen.instruments(),
            stopped=report.stopped,
        )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        stored = read_run(folder, each=seen.take)
    return Scan(
        folder=folder,
        started_at=moment(stored.head.started_at),
        finished_at=None if stored.finished_at is None else moment(stored.finished_at),
        head=stored.head,
        counts=stored.results,
        decision=stored.decision,
        left_out=sum(issubclass(one.category, JournalWarning) for one in caught),
        models=frozenset(seen.models),
        instruments=seen.instruments(),
        stopped=stored.stopped,
    )


def moment(text: str) -> datetime:
    """The moment that a journal names, in UTC; without a zone it is UTC already."""
    found = datetime.fromisoformat(text)
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
