"""The figures of a swap by agent, by judge, and by measure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import median

from judgekit.spending import JudgeSpend, Spend
from judgekit.statistics import ClusterMean, Rate, cluster_mean, pass_rate
from judgekit.swapping.seen import AgentSeen, Measure, Seen

__all__ = ["AgentFigures", "Cell", "JudgeFigures", "agents_of", "cells_of", "judges_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What one measure found of one agent.

    Attributes:
        agent: Its name.
        measure: What was measured, and by which judge.
        rate: Passed over decided results, clustered by case.
        score: The mean score, clustered by case; None where nothing was scored.
        not_run: Results that were not reached, since the agent's call failed.
        missing: Missing measurements by reason.
    """

    agent: str
    measure: Measure
    rate: Rate
    score: ClusterMean | None
    not_run: int
    missing: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFigures:
    """What one agent did and spent.

    Attributes:
        name: As the plan has it.
        models: That it was seen to call.
        attempts: Planned at it.
        failures: Attempts whose call of the agent, or the loading of stubs before it, failed.
        unreached: Attempts that were never made: interrupted, or no money was left.
        spend: Model calls, tokens, dollars and seconds over all attempts.
        mean_cost: US dollars of one attempt, over the attempts whose cost is known; None of none.
        costs_known: How many those are.
        mean_latency: Seconds of one attempt, over those that were timed; None of none.
        median_latency: Likewise.
    """

    name: str
    models: tuple[str, ...]
    attempts: int
    failures: int
    unreached: int
    spend: Spend
    mean_cost: float | None
    costs_known: int
    mean_latency: float | None
    median_latency: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeFigures:
    """What one judge did and spent.

    Attributes:
        name: As the plan has it.
        missing: Measurements that it should have made and did not.
        spend: Verdicts, requests, tokens and dollars; verdicts from a cache cost nothing.
    """

    name: str
    missing: int
    spend: JudgeSpend

    @property
    def models(self) -> tuple[str, ...]:
        """The models that were asked."""
        return tuple(self.spend.models)


def cells_of(seen: Seen) -> Iterator[Cell]:
    """Measure by measure, each with its agents in the order of the plan."""
    for measure in seen.marks:
        for agent in seen.axes.agents:
            yield Cell(
                agent=agent,
                measure=measure,
                rate=pass_rate(seen.counts(measure, agent)),
                score=_score(seen, measure, agent),
                not_run=sum(
                    mark.not_run for runs in seen.of(measure, agent).values() for mark in runs.values()
                ),
                missing=dict(seen.missing.get((measure, agent), {})),
            )


def _score(seen: Seen, measure: Measure, agent: str) -> ClusterMean | None:
    if measure.kind == "attempt":
        return None
    scored = [
        (case, None if mark.verdict is None else mark.score)
        for case, runs in seen.of(measure, agent).items()
        for mark in runs.values()
        if mark.counts
    ]
    if all(score is None for _, score in scored):
        return None
    return cluster_mean([score for _, score in scored], [case for case, _ in scored])


def agents_of(seen: Seen) -> Iterator[AgentFigures]:
    """In the order of the plan."""
    for name, agent in seen.agents.items():
        yield _agent(name, agent)


def _agent(name: str, agent: AgentSeen) -> AgentFigures:
    return AgentFigures(
        name=name,
        models=tuple(agent.models),
        attempts=agent.attempts,
        failures=agent.failures,
        unreached=agent.unreached,
        spend=agent.spend,
        mean_cost=math.fsum(agent.costs) / len(agent.costs) if agent.costs else None,
        costs_known=len(agent.costs),
        mean_latency=math.fsum(agent.latencies) / len(agent.latencies) if agent.latencies else None,
        median_latency=median(agent.latencies) if agent.latencies else None,
    )


def judges_of(seen: Seen) -> Iterator[JudgeFigures]:
    """In the order of the plan."""
    for name, spend in seen.judges.items():
        missing = sum(
            reasons.total()
            for (measure, _), reasons in seen.missing.items()
            if measure.kind == "criterion" and measure.judge == name
        )
        yield JudgeFigures(name=name, missing=missing, spend=spend)
