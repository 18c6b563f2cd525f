"""A gate that is looked at after every case, in seeded random order, until it is decided."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple

from judgekit.evaluation import Outcome
from judgekit.gate.counting import counts_of, referred
from judgekit.gate.decision import Decision
from judgekit.gate.reference import Reference
from judgekit.gate.wording import TOLERANCE, decimals, percent
from judgekit.results import AttemptOutcome, Results
from judgekit.statistics import ShareLooks, StopState
from judgekit.stopping import EarlyStop
from judgekit.text import counted

__all__ = ["CertainLook", "Look", "Share", "ShareLook"]

Runs = Sequence[AttemptOutcome]


class Look(ABC):
    """What decides one rule while cases come in."""

    outcome: Outcome | None = None
    """PASS or FAIL once it is decided, for good."""

    @abstractmethod
    def add(self, runs: Runs) -> None:
        """Look after one more case."""

    @abstractmethod
    def decision(self, seen: Results, cases: int) -> Decision:
        """What it came to.

        Args:
            seen: The cases that were looked at.
            cases: Those of the suite.
        """


class CertainLook(Look):
    """A rule on all cases: one that breaks it decides, and only the last one can confirm it."""

    def __init__(self, decide: Callable[[Results], Decision], breaks: Callable[[Runs], bool]) -> None:
        self._decide = decide
        self._breaks = breaks

    def add(self, runs: Runs) -> None:
        """Look after one more case."""
        if self._breaks(runs):
            self.outcome = Outcome.FAIL

    def decision(self, seen: Results, cases: int) -> Decision:
        """The rule's own, of the cases that were looked at."""
        found = self._decide(seen)
        if self.outcome is not None:
            return found
        return Decision(Outcome.INCONCLUSIVE, f"{found.detail} so far")


class Share(NamedTuple):
    """What one case adds to a share: missing measurements as failures, as passes; and out of how much."""

    low: float
    high: float
    weight: float


class ShareLook(Look):
    """A rule on a share. A case without anything to count stands exactly at the bar."""

    def __init__(
        self,
        name: str,
        bar: float,
        share: Callable[[Runs], Share],
        *,
        most: float,
        early: EarlyStop,
        alpha: float,
        confidence: float | None = None,
        step: float | None = None,
    ) -> None:
        """Begin before the first case.

        Args:
            name: Of the share, in its text.
            bar: What it must reach.
            share: Of one case.
            most: The largest weight that a case can have.
            early: The plan of the run.
            alpha: Chance of a wrong decision.
            confidence: Where the bar is for the rate in the long run, that of the gate.
            step: As for `ShareLooks`.
        """
        self._name, self._bar, self._share, self._most = name, bar, share, most
        self._alpha, self._confidence = alpha, confidence
        self._total, self._cases = Share(0, 0, 0), 0
        self._looks: ShareLooks | None = ShareLooks(
            at_least=bar,
            population=len(early.case_runs),
            alpha=alpha,
            of_suite=confidence is None,
            step=step,
        )

    @classmethod
    def of_rate(
        cls,
        early: EarlyStop,
        name: str,
        of: Reference | None,
        bar: float,
        *,
        alpha: float,
        confidence: float | None,
    ) -> ShareLook | None:
        """A pass rate over attempts, or over the results that `of` names; None where no case has any."""
        most = _most_results(early, of)
        names = {name for requirements, _ in early.requirements for _, name in requirements if name}
        count = referred(of, names)

        def share(runs: Runs) -> Share:
            counts = counts_of(runs, count)
            return Share(counts.passed, counts.passed + counts.missing, sum(counts))

        # Every attempt counts, so that with equal repeats no other share is possible.
        step = 1 / most if of is None and set(early.case_runs) == {most} else None
        if not most:
            return None
        return cls(name, bar, share, most=most, early=early, alpha=alpha, confidence=confidence, step=step)

    def add(self, runs: Runs) -> None:
        """Look after one more case."""
        share = self._share(runs)
        if self.outcome is None:
            self._total = Share(*(sum(pair) for pair in zip(self._total, share, strict=True)))
            self._cases += 1
        if share.weight > self._most:
            # A case of more results than were planned could outweigh the others: this one never decides.
            self._looks = None
        if self._looks is None or self.outcome is not None:
            return
        neutral = self._bar * (self._most - share.weight)
        low, high = (min(1.0, (value + neutral) / self._most) for value in (share.low, share.high))
        state = self._looks.add(low, max(low, high))
        self.outcome = {StopState.PASS: Outcome.PASS, StopState.FAIL: Outcome.FAIL}.get(state)

    def decision(self, seen: Results, cases: int) -> Decision:
        """The share of the cases that were looked at, on which side of the bar, and how sure that is."""
        low, high, weight = self._total
        ends = [low / weight, high / weight] if weight else []
        digits = decimals(self._bar, [end for end in ends if end < self._bar - TOLERANCE])
        value = " between " + " and ".join(f"{end:.{digits}f}" for end in ends)
        if not ends or high - low < TOLERANCE:
            value = f" {ends[0]:.{digits}f}" if ends else ""
        after = f"after {self._cases} of {counted(cases, 'case')}"
        level = "" if self._confidence is None else f" at {percent(self._confidence)}"
        said = {Outcome.PASS: "reached", Outcome.FAIL: "not reached", None: "not decided"}[self.outcome]
        sure = "" if self.outcome is None else f" (alpha {self._alpha:g})"
        text = f"{self._name}{value} {after}, required {self._bar:.{digits}f}{level}: {said}{sure}"
        return Decision(self.outcome or Outcome.INCONCLUSIVE, text)


def _most_results(early: EarlyStop, of: Reference | None) -> int:
    """The most results of a unit that a case can have over its runs."""
    if of is None:
        return max(early.case_runs, default=0)
    found = 0
    for requirements, runs in early.requirements:
        named = 0 if of.is_label else sum(name == of.name for _, name in requirements)
        found = max(found, runs * (named or sum(label == of.name for label, _ in requirements)))
    return found
