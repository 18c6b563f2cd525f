"""Rules on shares: a pass rate, a mean score, a share of inconclusive results."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

from judgekit.errors import InvalidArgument
from judgekit.evaluation import Outcome
from judgekit.gate.counting import case_groups, counts_of, referred
from judgekit.gate.decision import Decision
from judgekit.gate.looking import Look, ShareLook
from judgekit.gate.reference import Reference
from judgekit.gate.rule import Rule, bounded, checked_share, judged_text, not_run_text, unread
from judgekit.gate.wording import TOLERANCE, attempts_text, decimals, missing_text, percent
from judgekit.results import Results
from judgekit.statistics import CaseCounts, more_cases_needed, pass_rate_bounds
from judgekit.stopping import EarlyStop
from judgekit.text import counted
from judgekit.units import Unit

__all__ = ["InconclusiveShare", "MeanScore", "PassRate"]


@dataclass(frozen=True, slots=True)
class PassRate(Rule):
    """A share of the attempts passed, or of the results that `of` names; by its bounds with a confidence."""

    factory: ClassVar[str] = "pass_rate_should_be_at_least"
    rate: float
    of: Reference | None = None
    confidence: float | None = None

    def __post_init__(self) -> None:
        checked_share(self, "rate", self.rate)
        if self.confidence is None:
            return
        checked_share(self, "confidence", self.confidence)
        if not 0.5 < self.confidence < 1:
            sure = 1 - self.confidence if 0 < self.confidence < 0.5 else 0.95
            raise InvalidArgument(
                f"Gate.{self.factory}: `confidence` must be above 0.5 and below 1, got {self.confidence!r}; "
                f"write {sure:g}"
            )
        if self.rate == 1:
            raise InvalidArgument(
                f"Gate.{self.factory}: a rate of 1 cannot be shown with a confidence, since no number of "
                "passes rules out that the next run fails; write 0.99, or leave out `confidence`"
            )

    def decide(self, results: Results) -> Decision:
        """Compare the rate or its bounds, with every missing measurement as a failure and as a pass."""
        unit = _whole(results) if self.of is None else self.of.find(results)
        if self.of is not None and not unit.counted:
            return unread(f"{self.of.shown} judged no case, so its rate cannot be read", unit)
        if self.confidence is not None:
            return _confident(self, self.confidence, results, unit)
        over = attempts_text(results) if self.of is None else judged_text(unit, unit.counted)
        best = unit.passed + unit.missing.total()
        bounds = unit.passed / unit.counted, best / unit.counted
        return bounded(self.name, over, bounds, self.rate, unit)

    @property
    def name(self) -> str:
        """`pass rate`, or `tool-arguments rate`."""
        return "pass rate" if self.of is None else f"{self.of.shown} rate"

    def look(self, results: Results, early: EarlyStop, alpha: float) -> Look | None:
        """Over the share of each case's runs that passed."""
        if self.confidence is not None:
            alpha = _spent_on_looks(self.confidence, alpha)
        return ShareLook.of_rate(
            early, self.name, self.of, self.rate, alpha=alpha, confidence=self.confidence
        )


def _spent_on_looks(confidence: float, alpha: float) -> float:
    """What of a gate's own error looks may use: half of it, or alpha where that is less.

    The decision at the end has the rest, so that a suite at the very rate is green at most 1 - confidence of
    the time.
    """
    return min(alpha, (1 - confidence) / 2)


def _whole(results: Results) -> Unit:
    outcomes = results.outcomes()
    return Unit(
        passed=outcomes[Outcome.PASS],
        failed=outcomes[Outcome.FAIL],
        missing=results.missing,
        attempts=len(results),
    )


def _confident(rule: PassRate, confidence: float, results: Results, unit: Unit) -> Decision:
    if results.early is not None:
        confidence += _spent_on_looks(confidence, results.early.alpha)
    count = referred(rule.of, results.criteria)
    cases: Counter[CaseCounts] = Counter()
    for group in case_groups(results):
        cases[counts_of(group.runs, count)] += group.cases
    found = pass_rate_bounds(cases, confidence=confidence)
    judged = sum(number for counts, number in cases.items() if sum(counts))
    noun = "attempt" if unit.counted == unit.attempts else "result"
    passed = f"{unit.passed} of {counted(unit.counted, noun)}, {counted(judged, 'case')}"
    rest = not_run_text(unit) + missing_text(unit.missing)
    rate, level = unit.passed / unit.counted, percent(confidence)
    if found.low is None or found.high is None:
        shown = f"{rule.name} {rate:.2f} ({passed}), required {rule.rate:.2f} at {level}; {found.reason}"
        return Decision(Outcome.INCONCLUSIVE, shown + rest)
    outcome, bound, value = Outcome.INCONCLUSIVE, "lower", found.low
    if found.low >= rule.rate - TOLERANCE:
        outcome = Outcome.PASS
    elif found.high < rule.rate - TOLERANCE:
        outcome, bound, value = Outcome.FAIL, "upper", found.high
    digits = decimals(rule.rate, [one for one in (rate, value) if one < rule.rate - TOLERANCE])
    shown = (
        f"{rule.name} {rate:.{digits}f} ({passed}), {bound} bound {value:.{digits}f} at {level}, "
        f"required {rule.rate:.{digits}f}"
    )
    if outcome is Outcome.INCONCLUSIVE:
        more = more_cases_needed(cases, at_least=rule.rate, confidence=confidence)
        shown += f"; about {more} more cases" if more else "; more cases like these would not decide it"
    return Decision(outcome, shown + rest)


@dataclass(frozen=True, slots=True)
class MeanScore(Rule):
    """The mean of the scores that judges gave to what `of` names."""

    factory: ClassVar[str] = "mean_score_should_be_at_least"
    score: float
    of: Reference

    def __post_init__(self) -> None:
        checked_share(self, "score", self.score)
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
            return unread(f"{self.of.shown} {why}, so its mean score cannot be read", unit)
        known = math.fsum(unit.scores)
        bounds = known / number, (known + unit.missing.total()) / number
        name = f"{self.of.shown} mean score"
        return bounded(name, judged_text(unit, number), bounds, self.score, unit)


@dataclass(frozen=True, slots=True)
class InconclusiveShare(Rule):
    """Few results are inconclusive, for lack of evidence or of a measurement."""

    factory: ClassVar[str] = "inconclusive_should_be_at_most"
    rate: float
    of: Reference | None = None

    def __post_init__(self) -> None:
        checked_share(self, "rate", self.rate)

    def decide(self, results: Results) -> Decision:
        """Compare the share of inconclusive results with what is allowed."""
        units = [self.of.find(results)] if self.of else list(results.units.values())
        name = f"{self.of.shown} " if self.of else ""
        whole = Unit(not_run=sum(unit.not_run for unit in units))
        inconclusive = sum(unit.inconclusive for unit in units)
        number = inconclusive + sum(unit.passed + unit.failed for unit in units)
        if not number:
            subject = self.of.shown if self.of else "the run"
            return unread(f"{subject} has no result, so its inconclusive share cannot be read", whole)
        share = inconclusive / number
        over = share > self.rate + TOLERANCE
        digits = decimals(self.rate, [share] if over else [])
        allowed = f"allowed {self.rate:.{digits}f}{not_run_text(whole)}"
        text = f"{name}inconclusive {share:.{digits}f} of {number}, {allowed}"
        return Decision(Outcome.FAIL if over else Outcome.PASS, text)
