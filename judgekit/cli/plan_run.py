"""What `judgekit plan` takes from an earlier run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from judgekit.cli.mistakes import Mistake
from judgekit.cli.runs import stored_report
from judgekit.evaluation import Outcome
from judgekit.reporting import EvalReport
from judgekit.spending import total_cost
from judgekit.statistics import CaseCounts

__all__ = ["EarlierRun", "earlier_run"]

_CODES = {ord("P"): True, ord("F"): False, ord("M"): None}


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierRun:
    """What a plan takes from a run.

    Attributes:
        name: The experiment's name.
        repeats: Runs of a case.
        readings: Whether each run of each case passed; None where it was not measured.
        attempts: How many there are.
        cost: US dollars of agents, judges and simulated users; None where nothing is known.
        cost_complete: Whether nothing of it is unknown.
    """

    name: str
    repeats: int
    readings: Sequence[Sequence[bool | None]]
    attempts: int
    cost: float | None
    cost_complete: bool

    @property
    def counts(self) -> list[CaseCounts]:
        """Passed, failed and missing runs of each case."""
        return [CaseCounts(case.count(True), case.count(False), case.count(None)) for case in self.readings]


def earlier_run(place: Path | None, *, of: str | None) -> EarlierRun | None:
    """The run that a plan learns from; None where none is named.

    Raises:
        Mistake: There is no such run, nothing was measured in it, or it has nothing of this name.
    """
    if place is None:
        if of is not None:
            raise Mistake("--of names what is taken from an earlier run; name that with --run")
        return None
    report = stored_report(place)
    readings = list(_readings(report, of))
    if not any(reading is not None for case in readings for reading in case):
        raise Mistake(f"in the run {place} nothing was decided that a plan could learn from")
    counts = report.counts
    cost, complete = total_cost(counts.spend, counts.judges, counts.users)
    return EarlierRun(
        name=report.name,
        repeats=max(map(len, readings)),
        readings=readings,
        attempts=len(report.counts),
        cost=cost,
        cost_complete=complete,
    )


def _readings(report: EvalReport, of: str | None) -> list[list[bool | None]]:
    counts = report.counts
    known = [*counts.units, *counts.criteria]
    if of is not None and of not in known:
        raise Mistake(f"the run has nothing called {of}; it has {', '.join(known) or 'no evaluator'}")
    cases = (counts.runs_of(index) for index in range(len(counts.case_ids)))
    if of is None:
        values = {Outcome.PASS: True, Outcome.FAIL: False}
        found = [[values.get(attempt.outcome) for attempt in case] for case in cases]
    else:
        found = [
            [
                _CODES[code]
                for attempt in case
                for (label, name), code in zip(attempt.requirements, attempt.codes, strict=True)
                if of == (name if of in counts.criteria else label) and code in _CODES
            ]
            for case in cases
        ]
    return [case for case in found if case]
