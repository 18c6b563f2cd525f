"""The rules that gates are made of. A new one is a class here, a line in RULES and a method of Gate."""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from judgekit.checking import is_finite_number
from judgekit.errors import InvalidArgument
from judgekit.evaluation import Outcome
from judgekit.gate.decision import Decision
from judgekit.gate.reference import Reference
from judgekit.gate.wording import TOLERANCE, attempts_text, case_list, decimals, missing_text
from judgekit.results import AttemptOutcome, Results, Unit
from judgekit.text import counted

__all__ = ["RULES", "Rule"]


@dataclass(frozen=True, slots=True)
class Rule(ABC):
    """One thing that a run must reach; its fields are its JSON.

    Attributes:
        factory: The method of Gate that makes it, which is also its name in JSON.
    """

    factory: ClassVar[str]

    @abstractmethod
    def decide(self, results: Results) -> Decision:
        """What the counts of a run with at least one attempt come to."""

    @property
    def reference(self) -> Reference | None:
        """What its `of=` names, where it has one."""
        return getattr(self, "of", None)

    def to_json(self) -> dict[str, Any]:
        """The rule as JSON data."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        plain = {
            k: v.to_json() if isinstance(v, Reference) else v for k, v in values.items() if v is not None
        }
        return {"rule": self.factory, **plain}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Rule:
        """Read the fields that `to_json` wrote."""
        return cls(**{k: Reference.from_json(v) if k == "of" else v for k, v in values.items()})

    def __str__(self) -> str:
        shown = []
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Reference):
                shown.append(f"{field.name}={value.name!r}")
            elif value is not None:
                shown.append(repr(value))
        return f"Gate.{self.factory}({', '.join(shown)})"


def _checked_share(rule: Rule, name: str, value: float) -> None:
    number = is_finite_number(value)
    if number and 0 <= value <= 1:
        return
    hint = f"; write {value / 100:g}" if number and 1 < value <= 100 else ""
    raise InvalidArgument(f"Gate.{rule.factory}: `{name}` must be a number from 0 to 1, got {value!r}{hint}")


def _outcome(low: float, high: float, required: float) -> Outcome:
    """PASS if the lower bound reaches what is required, FAIL if the upper one does not."""
    if low >= required - TOLERANCE:
        return Outcome.PASS
    return Outcome.FAIL if high < required - TOLERANCE else Outcome.INCONCLUSIVE


def _bounded(name: str, over: str, bounds: tuple[float, float], required: float, unit: Unit) -> Decision:
    low, high = bounds
    digits = decimals(required, (bound for bound in bounds if bound < required - TOLERANCE))
    value = f"between {low:.{digits}f} and {high:.{digits}f}" if unit.missing else f"{low:.{digits}f}"
    not_run = f", {unit.not_run} not run" if unit.not_run else ""
    text = f"{name} {value} over {over}, required {required:.{digits}f}{not_run}"
    return Decision(_outcome(low, high, required), text + missing_text(unit.missing))


def _judged(unit: Unit, number: int) -> str:
    if number == unit.attempts:
        return counted(number, "judged attempt")
    return f"{counted(number, 'result')} on {counted(unit.attempts, 'attempt')}"


def _unread(reason: str, unit: Unit) -> Decision:
    not_run = f", {unit.not_run} not run" if unit.not_run else ""
    return Decision(Outcome.FAIL, reason + not_run)


def _with(results: Results, outcome: Outcome) -> list[AttemptOutcome]:
    return [attempt for attempt in results.attempts() if attempt.outcome is outcome]


@dataclass(frozen=True, slots=True)
class AllCasesPass(Rule):
    """Every attempt passed."""

    factory: ClassVar[str] = "all_cases_should_pass"

    def decide(self, results: Results) -> Decision:
        """FAIL with a failed attempt, INCONCLUSIVE with one whose measurement is missing."""
        failed = _with(results, Outcome.FAIL)
        if failed:
            return Decision(Outcome.FAIL, f"failed cases {case_list(results, failed)}")
        undecided = _with(results, Outcome.INCONCLUSIVE)
        if undecided:
            head = f"{len(results) - len(undecided)} of {attempts_text(results)} passed"
            text = f"{head}, undecided {case_list(results, undecided)}{missing_text(results.missing)}"
            return Decision(Outcome.INCONCLUSIVE, text)
        return Decision(Outcome.PASS, f"all {attempts_text(results)} passed")


@dataclass(frozen=True, slots=True)
class PassRate(Rule):
    """A share of the attempts passed, or of the results that `of` names."""

    factory: ClassVar[str] = "pass_rate_should_be_at_least"
    rate: float
    of: Reference | None = None

    def __post_init__(self) -> None:
        _checked_share(self, "rate", self.rate)

    def decide(self, results: Results) -> Decision:
        """Compare the rate, with every missing measurement as a failure and as a pass."""
        if self.of is None:
            whole = Unit(
                passed=len(_with(results, Outcome.PASS)),
                failed=len(_with(results, Outcome.FAIL)),
                missing=results.missing,
            )
            return self._decide("pass rate", attempts_text(results), whole)
        unit = self.of.find(results)
        if not unit.counted:
            return _unread(f"{self.of.shown} judged no case, so its rate cannot be read", unit)
        return self._decide(f"{self.of.shown} rate", _judged(unit, unit.counted), unit)

    def _decide(self, name: str, over: str, unit: Unit) -> Decision:
        best = unit.passed + unit.missing.total()
        bounds = unit.passed / unit.counted, best / unit.counted
        return _bounded(name, over, bounds, self.rate, unit)


@dataclass(frozen=True, slots=True)
class MeanScore(Rule):
    """The mean of the scores that judges gave to what `of` names."""

    factory: ClassVar[str] = "mean_score_should_be_at_least"
    score: float
    of: Reference

    def __post_init__(self) -> None:
        _checked_share(self, "score", self.score)
        if self.of.never_scored:
            raise InvalidArgument(
                f"Gate.{self.factory}: `of` must name a judged criterion, got {self.of.name!r}, whose "
                "results have no score; write Gate.pass_rate_should_be_at_least(..., of=...)"
            )

    def decide(self, results: Results) -> Decision:
        """Compare the mean, with every missing score as 0 and as 1."""
        unit = self.of.find(results)
        number = len(unit.scores) + unit.missing.total()
        if not number:
            why = "has no score" if unit.counted else "judged no case"
            return _unread(f"{self.of.shown} {why}, so its mean score cannot be read", unit)
        known = math.fsum(unit.scores)
        bounds = known / number, (known + unit.missing.total()) / number
        name = f"{self.of.shown} mean score"
        return _bounded(name, _judged(unit, number), bounds, self.score, unit)


@dataclass(frozen=True, slots=True)
class TargetHolds(Rule):
    """No agent call raised or timed out, and no recorded call failed to load."""

    factory: ClassVar[str] = "target_should_not_fail"

    def decide(self, results: Results) -> Decision:
        """FAIL with such a failure, INCONCLUSIVE where an attempt never ran."""
        failed = [attempt for attempt in results.attempts() if attempt.failure]
        if failed:
            return Decision(Outcome.FAIL, f"target failed on {case_list(results, failed)}")
        unreached = [attempt for attempt in results.attempts() if attempt.unreached]
        if unreached:
            head = f"no target failures on {len(results) - len(unreached)} of {attempts_text(results)}"
            text = f"{head}, never ran {case_list(results, unreached)}"
            reasons = Counter(attempt.unreached or "" for attempt in unreached)
            return Decision(Outcome.INCONCLUSIVE, text + missing_text(reasons))
        return Decision(Outcome.PASS, "no target failures")


@dataclass(frozen=True, slots=True)
class EveryAttemptConclusive(Rule):
    """Every attempt has at least one result that passed or failed."""

    factory: ClassVar[str] = "every_attempt_should_be_conclusive"

    def decide(self, results: Results) -> Decision:
        """FAIL with an attempt about which nothing was found, for whatever reason."""
        empty = [attempt for attempt in results.attempts() if not attempt.is_conclusive]
        if empty:
            return Decision(Outcome.FAIL, f"nothing conclusive on {case_list(results, empty)}")
        return Decision(Outcome.PASS, "every attempt has a conclusive result")


@dataclass(frozen=True, slots=True)
class InconclusiveShare(Rule):
    """Few results are inconclusive, for lack of evidence or of a measurement."""

    factory: ClassVar[str] = "inconclusive_should_be_at_most"
    rate: float
    of: Reference | None = None

    def __post_init__(self) -> None:
        _checked_share(self, "rate", self.rate)

    def decide(self, results: Results) -> Decision:
        """Compare the share of inconclusive results with what is allowed."""
        units = [self.of.find(results)] if self.of else list(results.units.values())
        name = f"{self.of.shown} " if self.of else ""
        whole = Unit(not_run=sum(unit.not_run for unit in units))
        inconclusive = sum(unit.inconclusive for unit in units)
        number = inconclusive + sum(unit.passed + unit.failed for unit in units)
        if not number:
            subject = self.of.shown if self.of else "the run"
            return _unread(f"{subject} has no result, so its inconclusive share cannot be read", whole)
        share = inconclusive / number
        over = share > self.rate + TOLERANCE
        digits = decimals(self.rate, [share] if over else [])
        not_run = f", {whole.not_run} not run" if whole.not_run else ""
        text = f"{name}inconclusive {share:.{digits}f} of {number}, allowed {self.rate:.{digits}f}{not_run}"
        return Decision(Outcome.FAIL if over else Outcome.PASS, text)


RULES: Mapping[str, type[Rule]] = {
    rule.factory: rule
    for rule in (
        AllCasesPass,
        PassRate,
        MeanScore,
        TargetHolds,
        EveryAttemptConclusive,
        InconclusiveShare,
    )
}
