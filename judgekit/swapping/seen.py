"""What each measure found at each transcript, read from a run's attempts in one pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from judgekit.evaluation import EvalResult, Kind, Outcome
from judgekit.interaction import Interaction
from judgekit.results import RUNNER_LABELS, CaseResult, missing_reason
from judgekit.schedule import JUDGE
from judgekit.spending import JudgeSpend, Spend
from judgekit.statistics.counts import CaseCounts
from judgekit.store import Axes

__all__ = ["AgentSeen", "Mark", "Marks", "Measure", "Seen", "Transcript", "seen_in"]

_WHOLE = "whole attempt"


class Transcript(NamedTuple):
    """What one agent said at one case in one run."""

    agent: str
    case: str
    run: int


class Measure(NamedTuple):
    """What is measured.

    Attributes:
        kind: `check`: an evaluator that asks no judge of the swap. `criterion`: one before one judge.
            `attempt`: all checks together with all criteria before one judge; a failed agent call fails it.
        name: Of the label or the criterion.
        judge: None where no judge of the swap is asked.
    """

    kind: Literal["check", "criterion", "attempt"]
    name: str
    judge: str | None

    @classmethod
    def whole(cls, judge: str | None) -> Measure:
        """Everything before one judge."""
        return cls("attempt", _WHOLE, judge)


@dataclass(slots=True)
class Mark:
    """What one measure found at one transcript."""

    passed: int = 0
    failed: int = 0
    missing: int = 0
    not_run: int = 0
    score: float | None = None

    @property
    def counts(self) -> bool:
        """Whether it passed, failed, or should have been measured."""
        return bool(self.passed or self.failed or self.missing)

    @property
    def verdict(self) -> bool | None:
        """Failed with one failure, else missing with one missing measurement."""
        if self.failed:
            return False
        return None if self.missing or not self.passed else True

    def add(self, result: EvalResult) -> None:
        """Count one result."""
        if result.outcome is Outcome.PASS:
            self.passed += 1
        elif result.outcome is Outcome.FAIL:
            self.failed += 1
        elif result.kind is Kind.NOT_RUN:
            self.not_run += 1
        elif result.is_missing:
            self.missing += 1
        if result.score is not None and result.outcome is not Outcome.INCONCLUSIVE:
            # Of several turns the lowest: the verdict fails with one failure too.
            self.score = result.score if self.score is None else min(self.score, result.score)


Marks: TypeAlias = "dict[str, dict[int, Mark]]"
"""By case, then by run."""


@dataclass(slots=True)
class AgentSeen:
    """What one agent did over all its attempts; `latencies` and `costs` of those where they are known."""

    attempts: int = 0
    failures: int = 0
    unreached: int = 0
    spend: Spend = field(default_factory=Spend)
    models: dict[str, None] = field(default_factory=dict)
    latencies: list[float] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)

    def add(self, case: str, attempt: CaseResult) -> None:
        """Count one attempt."""
        evidence = attempt.interaction
        own = next(iter(attempt.results), None)
        self.attempts += 1
        if own is not None and own.label in RUNNER_LABELS:
            self.failures += own.outcome is Outcome.FAIL
            self.unreached += own.outcome is not Outcome.FAIL
        self.spend.add(case, attempt.run, evidence)
        self.models.update(dict.fromkeys(_models_of(evidence)))
        if evidence.latency is not None and not evidence.replayed:
            self.latencies.append(evidence.latency)
        if evidence.cost is not None:
            self.costs.append(evidence.cost)


def _models_of(evidence: Interaction) -> Iterator[str]:
    for part in (evidence, *evidence.turns):
        for call in part.model_calls or ():
            if call.model is not None:
                known = call.provider is None or call.model.startswith(f"{call.provider}/")
                yield call.model if known else f"{call.provider}/{call.model}"


@dataclass(slots=True)
class Seen:
    """Everything that the figures of a swap are made from.

    Attributes:
        axes: The grid.
        marks: By measure, then by agent.
        agents: By name.
        judges: What each spent, by name.
        missing: The missing measurements of each measure and agent by reason.
    """

    axes: Axes
    marks: dict[Measure, dict[str, Marks]] = field(default_factory=dict)
    agents: dict[str, AgentSeen] = field(default_factory=dict)
    judges: dict[str, JudgeSpend] = field(default_factory=dict)
    missing: dict[tuple[Measure, str], Counter[str]] = field(default_factory=dict)

    def of(self, measure: Measure, agent: str) -> Marks:
        """What a measure found at an agent's transcripts."""
        return self.marks.get(measure, {}).get(agent, {})

    def counts(self, measure: Measure, agent: str) -> list[CaseCounts]:
        """Results passed, failed and missing of each case that has any; of whole attempts one a run."""
        whole = measure.kind == "attempt"
        sums = (_sum(runs.values(), whole=whole) for runs in self.of(measure, agent).values())
        return [counts for counts in sums if any(counts)]


def _sum(marks: Iterable[Mark], *, whole: bool) -> CaseCounts:
    counted = [mark for mark in marks if mark.counts]
    if whole:
        verdicts = [mark.verdict for mark in counted]
        return CaseCounts(verdicts.count(True), verdicts.count(False), verdicts.count(None))
    return CaseCounts(
        sum(mark.passed for mark in counted),
        sum(mark.failed for mark in counted),
        sum(mark.missing for mark in counted),
    )


def seen_in(attempts: Iterable[CaseResult], axes: Axes, case_ids: Iterable[str]) -> Seen:
    """Read a run's attempts; of evidence no more is kept than numbers and names."""
    seen = Seen(axes)
    seen.agents = {name: AgentSeen() for name in axes.agents}
    seen.judges = {name: JudgeSpend() for name in axes.judges}
    judged = {one.name: Measure("criterion", one.criterion, one.judge) for one in axes.judged}
    places = {case_id: axes.place(index) for index, case_id in enumerate(case_ids)}
    for attempt in attempts:
        agent, case = places[attempt.case_id]
        seen.agents[agent].add(case, attempt)
        _read(seen, Transcript(agent, case, attempt.run), attempt.results, judged)
    seen.marks = _in_order(seen)
    return seen


def _read(
    seen: Seen, transcript: Transcript, results: Iterable[EvalResult], judged: dict[str, Measure]
) -> None:
    for result in results:
        measure = None
        if result.label == JUDGE and result.name is not None:
            measure = judged.get(result.name)
        for judge in seen.axes.judges or (None,):
            if measure is None or measure.judge == judge:
                _mark(seen, Measure.whole(judge), transcript, result)
        if result.label in RUNNER_LABELS:
            continue
        if measure is not None and measure.judge is not None:
            seen.judges[measure.judge].add(result)
        own = measure or Measure("check", result.label if result.name is None else result.name, None)
        _mark(seen, own, transcript, result)


def _mark(seen: Seen, measure: Measure, transcript: Transcript, result: EvalResult) -> None:
    marks = seen.marks.setdefault(measure, {}).setdefault(transcript.agent, {})
    mark = marks.setdefault(transcript.case, {}).setdefault(transcript.run, Mark())
    mark.add(result)
    # A whole attempt is missing once, whatever else of it is missing too.
    if result.is_missing and (measure.kind != "attempt" or mark.missing == 1):
        reasons = seen.missing.setdefault((measure, transcript.agent), Counter())
        reasons[missing_reason(result)] += 1


def _in_order(seen: Seen) -> dict[Measure, dict[str, Marks]]:
    """Checks first, then criteria with their judges in the order of the plan, then whole attempts."""
    judged = [Measure("criterion", one.criterion, one.judge) for one in seen.axes.judged]
    whole = [Measure.whole(judge) for judge in seen.axes.judges or (None,)]
    checks = [measure for measure in seen.marks if measure.kind == "check"]
    return {measure: seen.marks[measure] for measure in (*checks, *judged, *whole) if measure in seen.marks}
