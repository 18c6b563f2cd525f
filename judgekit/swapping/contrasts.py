"""Agents held against each other before each judge, and whether their order depends on who judges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from judgekit.statistics import (
    Comparison,
    ComparisonVerdict,
    adjusted,
    compare_pass_fail,
    compare_scores,
)
from judgekit.swapping.seen import Mark, Marks, Measure, Seen

__all__ = ["AgentComparison", "Ranking", "Reversal", "comparisons_of", "rankings_of"]

_ADJUSTMENT = "holm"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentComparison:
    """One agent minus another by one measure, paired by case and repeat.

    P values and verdicts are Holm's over all comparisons of the report, of passes and of scores together.

    Attributes:
        measure: What was measured, and by which judge.
        new: The agent that is better where the difference is positive.
        old: The other one.
        passes: Of passes and failures.
        scores: Of scores; None where nothing was scored, or scores only say passed and failed again.
        left_out: Pairs of transcripts of which one was not there to be judged, since the agent's call failed.
    """

    measure: Measure
    new: str
    old: str
    passes: Comparison
    scores: Comparison | None
    left_out: int

    @property
    def difference(self) -> float | None:
        """Of mean scores where there are scores, else of rates."""
        return (self.scores or self.passes).estimate

    @property
    def better(self) -> tuple[str, ...]:
        """The agent that is better beyond chance, by its rate or by its score; both where these disagree."""
        verdicts = {one.verdict for one in (self.passes, self.scores) if one is not None}
        shown = ((ComparisonVerdict.IMPROVED, self.new), (ComparisonVerdict.REGRESSED, self.old))
        return tuple(agent for verdict, agent in shown if verdict in verdicts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reversal:
    """Two agents whose order one judge sees one way and another judge the other.

    Attributes:
        better: The agent that `judge` finds better.
        worse: The one that `other_judge` finds better.
        judge: One judge.
        other_judge: The other.
        is_shown: Whether both differences are beyond chance.
    """

    better: str
    worse: str
    judge: str
    other_judge: str
    is_shown: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The agents in order of what each judge says on one criterion, by mean score or else by rate.

    Attributes:
        criterion: Its name.
        orders: For each judge the agents with their values, best first.
        reversals: Where judges contradict each other.
    """

    criterion: str
    orders: Mapping[str, tuple[tuple[str, float], ...]]
    reversals: tuple[Reversal, ...]

    @property
    def depends_on_judge(self) -> bool:
        """Whether any two agents change places with the judge."""
        return bool(self.reversals)


def comparisons_of(seen: Seen) -> tuple[AgentComparison, ...]:
    """Every pair of agents by every measure, adjusted for their number."""
    found = [
        _compared(seen, measure, new=new, old=old)
        for measure in seen.marks
        for old, new in combinations(seen.axes.agents, 2)
    ]
    passes = {f"passes {n}": one.passes for n, one in enumerate(found)}
    scores = {f"scores {n}": one.scores for n, one in enumerate(found) if one.scores is not None}
    held = adjusted({**passes, **scores}, by=_ADJUSTMENT)
    return tuple(
        replace(one, passes=held[f"passes {n}"], scores=held.get(f"scores {n}"))
        for n, one in enumerate(found)
    )


def _compared(seen: Seen, measure: Measure, *, new: str, old: str) -> AgentComparison:
    pairs, left_out = _paired(seen.of(measure, new), seen.of(measure, old))
    passes = compare_pass_fail(
        {case: [one.verdict for one, _ in runs] for case, runs in pairs.items()},
        {case: [other.verdict for _, other in runs] for case, runs in pairs.items()},
    )
    # Scores that only say passed and failed again would be a second test of the same.
    scored = measure.kind != "attempt" and any(
        mark.score not in (None, mark.verdict) for runs in pairs.values() for pair in runs for mark in pair
    )
    scores = None
    if scored:
        scores = compare_scores(
            {case: [one.score for one, _ in runs] for case, runs in pairs.items()},
            {case: [other.score for _, other in runs] for case, runs in pairs.items()},
        )
    return AgentComparison(measure=measure, new=new, old=old, passes=passes, scores=scores, left_out=left_out)


def _paired(new: Marks, old: Marks) -> tuple[dict[str, list[tuple[Mark, Mark]]], int]:
    """Both agents' marks of each case and run, and of how many pairs one side is not there."""
    pairs: dict[str, list[tuple[Mark, Mark]]] = {}
    left_out = 0
    for case in dict.fromkeys((*new, *old)):
        mine, theirs = new.get(case, {}), old.get(case, {})
        for run in sorted({*mine, *theirs}):
            pair = mine.get(run, Mark()), theirs.get(run, Mark())
            if pair[0].counts and pair[1].counts:
                pairs.setdefault(case, []).append(pair)
            elif pair[0].counts or pair[1].counts:
                left_out += 1
    return pairs, left_out


def rankings_of(seen: Seen, comparisons: Sequence[AgentComparison]) -> Iterator[Ranking]:
    """One a criterion, where there are agents to be put in order."""
    if len(seen.axes.agents) < 2:
        return
    for criterion in dict.fromkeys(one.criterion for one in seen.axes.judged):
        own = [
            one for one in comparisons if one.measure.kind == "criterion" and one.measure.name == criterion
        ]
        yield Ranking(
            criterion=criterion,
            orders={judge: _order(seen, criterion, judge) for judge in seen.axes.judges},
            reversals=tuple(_reversals(own)),
        )


def _order(seen: Seen, criterion: str, judge: str) -> tuple[tuple[str, float], ...]:
    measure = Measure("criterion", criterion, judge)
    marks = {
        agent: [mark for runs in seen.of(measure, agent).values() for mark in runs.values()]
        for agent in seen.axes.agents
    }
    scored = all(any(mark.score is not None for mark in own) for own in marks.values())
    means = [
        (agent, _mean([mark.score if scored else mark.verdict for mark in own]))
        for agent, own in marks.items()
    ]
    known = [(agent, value) for agent, value in means if value is not None]
    return tuple(sorted(known, key=lambda entry: -entry[1]))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _reversals(comparisons: Sequence[AgentComparison]) -> Iterator[Reversal]:
    for one, other in combinations(comparisons, 2):
        if (one.new, one.old) != (other.new, other.old) or one.measure.judge == other.measure.judge:
            continue
        mine, theirs = one.difference or 0.0, other.difference or 0.0
        if mine * theirs < 0:
            better, worse = (one.new, one.old) if mine > 0 else (one.old, one.new)
            yield Reversal(
                better=better,
                worse=worse,
                judge=str(one.measure.judge),
                other_judge=str(other.measure.judge),
                is_shown=(one.better, other.better) == ((better,), (worse,)),
            )
