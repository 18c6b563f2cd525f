"""Rules on each case or attempt by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from judgekit.errors import InvalidArgument
from judgekit.evaluation import Outcome
from judgekit.gate.counting import counts_of, whole
from judgekit.gate.decision import Decision
from judgekit.gate.looking import CertainLook, Look
from judgekit.gate.rule import Planned, Rule
from judgekit.gate.wording import attempts_text, case_list, missing_text
from judgekit.results import AttemptOutcome, Results
from judgekit.statistics import CaseCounts
from judgekit.stopping import EarlyStop
from judgekit.text import bracketed, counted, one_line

__all__ = ["AllCasesPass", "CasesPass", "EveryAttemptConclusive", "TargetHolds", "checked_count"]


def checked_count(rule: Rule, name: str, value: int) -> None:
    """Refuse what is no whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidArgument(f"Gate.{rule.factory}: `{name}` must be a whole number >= 1, got {value!r}")


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

    def look(self, results: Results, early: EarlyStop, alpha: float) -> Look:
        """A failed attempt decides."""
        return CertainLook(self.decide, lambda runs: any(one.outcome is Outcome.FAIL for one in runs))


@dataclass(frozen=True, slots=True)
class CasesPass(Rule):
    """Every case passed in so many of its runs, or in all; with a tag, every case that bears it."""

    factory: ClassVar[str] = "cases_should_pass"
    at_least: int | None = None
    tagged: str | None = None

    def __post_init__(self) -> None:
        if self.at_least is not None:
            checked_count(self, "at_least", self.at_least)
        if self.tagged is not None and (not isinstance(self.tagged, str) or not self.tagged.strip()):
            raise InvalidArgument(
                f"Gate.{self.factory}: `tagged` must be a tag that is not blank, got {self.tagged!r}"
            )

    def problems(self, planned: Planned) -> Iterator[str]:
        """A tag that no case bears, or more passes than a case has runs."""
        if self.tagged is not None and self.tagged not in planned.tags:
            yield (
                f"the gate's `tagged={self.tagged!r}` is a tag of no case; "
                f"known are {bracketed(map(one_line, sorted(planned.tags)))}"
            )
            return
        asked = range(len(planned.case_runs)) if self.tagged is None else planned.tags[self.tagged]
        fewest = min((planned.case_runs[index] for index in asked), default=0)
        if self.at_least is not None and asked and self.at_least > fewest:
            yield (
                f"the gate asks for {counted(self.at_least, 'pass', 'passes')} of every case "
                f"(`at_least={self.at_least}`), and a case has {counted(fewest, 'run')}; "
                f"write `.repeat({self.at_least})` or fewer passes"
            )

    def decide(self, results: Results) -> Decision:
        """FAIL where a case cannot have passed so often, INCONCLUSIVE where missing runs decide."""
        judged = [
            (index, counts_of(runs, whole))
            for index in self._asked(results)
            if (runs := results.runs_of(index))
        ]
        scope = counted(len(judged), "case") + ("" if self.tagged is None else f" tagged {self._tag}")
        if not judged:
            return Decision(Outcome.INCONCLUSIVE, f"no case tagged {self._tag} ran")
        failed = [case for case in judged if self._outcome(case[1]) is Outcome.FAIL]
        if failed:
            text = f"{len(failed)} of {scope} did not pass {self._need}: {_shown(results, failed)}"
            return Decision(Outcome.FAIL, text)
        open_ones = [case for case in judged if self._outcome(case[1]) is None]
        if open_ones:
            text = (
                f"{len(open_ones)} of {scope} undecided, to pass {self._need}: {_shown(results, open_ones)}"
            )
            return Decision(Outcome.INCONCLUSIVE, text)
        return Decision(Outcome.PASS, f"all {scope} passed {self._need}")

    def look(self, results: Results, early: EarlyStop, alpha: float) -> Look:
        """A case that cannot pass so often decides."""
        asked = frozenset(self._asked(results))

        def breaks(runs: Sequence[AttemptOutcome]) -> bool:
            return runs[0].case_index in asked and self._outcome(counts_of(runs, whole)) is Outcome.FAIL

        return CertainLook(self.decide, breaks)

    @property
    def _tag(self) -> str:
        return one_line(self.tagged or "")

    @property
    def _need(self) -> str:
        return "in every run" if self.at_least is None else f"in at least {counted(self.at_least, 'run')}"

    def _asked(self, results: Results) -> Collection[int]:
        if self.tagged is None:
            return range(len(results.case_ids))
        return sorted(results.tags.get(self.tagged, ()))

    def _outcome(self, counts: CaseCounts) -> Outcome | None:
        runs = sum(counts)
        needed = runs if self.at_least is None else self.at_least
        if counts.passed >= needed:
            return Outcome.PASS
        # A plan with fewer runs is refused, so that of fewer here some were not made.
        return Outcome.FAIL if max(runs, needed) - counts.failed < needed else None


def _shown(results: Results, cases: Sequence[tuple[int, CaseCounts]]) -> str:
    """`[a (1 of 3 passed), b (1 of 3 passed, 1 missing)]`."""
    return bracketed(
        f"{one_line(results.case_ids[index])} ({counts.passed} of {sum(counts)} passed"
        f"{f', {counts.missing} missing' if counts.missing else ''})"
        for index, counts in cases
    )


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

    def look(self, results: Results, early: EarlyStop, alpha: float) -> Look:
        """A failed target decides."""
        return CertainLook(self.decide, lambda runs: any(one.failure for one in runs))


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

    def look(self, results: Results, early: EarlyStop, alpha: float) -> Look:
        """An attempt about which nothing was found decides."""
        return CertainLook(self.decide, lambda runs: any(not one.is_conclusive for one in runs))
