"""The rule that a run's judges are calibrated against human labels."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from judgekit.checking import is_finite_number
from judgekit.errors import FileUnreadable, InvalidArgument
from judgekit.evaluation import Outcome
from judgekit.gate.decision import Decision, joined
from judgekit.gate.looking import Look
from judgekit.gate.reference import Reference
from judgekit.gate.rule import Rule
from judgekit.results import AttemptOutcome, Results
from judgekit.stopping import EarlyStop
from judgekit.text import one_line

if TYPE_CHECKING:
    from judgekit.calibrating import StoredCalibration

__all__ = ["JudgeCalibrated"]

_NAME_SHOWN = 60
_FOUND = {
    Outcome.PASS: "is calibrated",
    Outcome.FAIL: "is calibrated, but agrees too little with people",
    Outcome.INCONCLUSIVE: "is calibrated, but not shown to agree with people",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCalibrated(Rule):
    """A stored calibration with a high enough kappa stands behind each judged criterion."""

    factory: ClassVar[str] = "judge_should_be_calibrated"
    kappa: float = 0.4
    of: Reference | None = None
    population: str | None = None
    max_age_days: float | None = None
    store: str | None = None

    def __post_init__(self) -> None:
        if not is_finite_number(self.kappa) or not -1 <= self.kappa < 1:
            raise InvalidArgument(
                f"Gate.{self.factory}: `kappa` must be a number from -1, below 1, got {self.kappa!r}; no "
                "number of labels shows that it is 1"
            )
        age = self.max_age_days
        if age is not None and (not is_finite_number(age) or age <= 0):
            raise InvalidArgument(
                f"Gate.{self.factory}: `max_age_days` must be days, more than 0, got {age!r}"
            )
        for name in ("population", "store"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, str) or not value.strip()):
                raise InvalidArgument(
                    f"Gate.{self.factory}: `{name}` must be text that is not blank, got {value!r}"
                )

    def decide(self, results: Results) -> Decision:
        """FAIL with a kappa below what is required, INCONCLUSIVE without a calibration that holds."""
        from judgekit.calibrating.store import STORE, read_store

        names = self._criteria(results)
        if not names:
            if self.of is None:
                return Decision(Outcome.PASS, "no judge was asked, so none needs a calibration")
            return Decision(
                Outcome.INCONCLUSIVE, f"{self.of.shown} judged no case, so nothing is known of its judge"
            )
        try:
            stored = read_store(self.store or STORE)
        except FileUnreadable as error:
            return Decision(Outcome.INCONCLUSIVE, f"judge not known to be calibrated: {one_line(str(error))}")
        return joined([self._decide_one(name, results, stored) for name in names])

    def look(self, results: Results, early: EarlyStop, alpha: float) -> Look:
        """Decided once the verdicts that are there say with what the judge measures."""
        return _CalibratedLook(self, results)

    def _criteria(self, results: Results) -> tuple[str, ...]:
        if self.of is None:
            return tuple(results.instruments)
        if not self.of.is_label and self.of.name in results.instruments:
            return (self.of.name,)
        return tuple(name for name in results.criteria_of(self.of.name) if name in results.instruments)

    def _decide_one(self, name: str, results: Results, stored: Sequence[StoredCalibration]) -> Decision:
        from judgekit.calibrating.calibration import kappa_decides
        from judgekit.calibrating.store import standing_behind

        shown, instruments = one_line(name, _NAME_SHOWN), results.instruments[name]
        if not len(instruments):
            return Decision(Outcome.INCONCLUSIVE, f"the judge of {shown} gave no verdict")
        found, why = standing_behind(
            stored, instruments, name=name, population=self.population, max_age_days=self.max_age_days
        )
        if found is None:
            command = f"judgekit calibrate labels.jsonl --run RUN --criterion {shlex.quote(shown)}"
            return Decision(
                Outcome.INCONCLUSIVE, f"the judge of {shown} is not known to be good: {why}; run `{command}`"
            )
        outcome, sentence = kappa_decides(found.kappa, found.kappa_low, self.kappa, reason=found.reason)
        on = f"{found.labels} labels of {one_line(found.population, _NAME_SHOWN)}"
        return Decision(outcome, f"the judge of {shown} {_FOUND[outcome]}: {sentence} ({on})")


class _CalibratedLook(Look):
    """The rule while cases come in: asked again whenever something else has measured."""

    def __init__(self, rule: JudgeCalibrated, results: Results) -> None:
        self._rule = rule
        self._results = results
        self._seen: frozenset[tuple[str, str]] = frozenset()

    def add(self, runs: Sequence[AttemptOutcome]) -> None:
        """Look after one more case."""
        measured = frozenset(
            (name, instrument.fingerprint)
            for name, instruments in self._results.instruments.items()
            for instrument, _ in instruments
        )
        if measured != self._seen:
            self._seen = measured
            outcome = self._rule.decide(self._results).outcome
            self.outcome = None if outcome is Outcome.INCONCLUSIVE else outcome

    def decision(self, seen: Results, cases: int) -> Decision:
        """The rule's own, over everything that was measured."""
        return self._rule.decide(self._results)
