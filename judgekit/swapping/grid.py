"""Agents, cases, judges and criteria laid out as one plan of the runner."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeAlias

from judgekit.errors import InvalidArgument, InvalidPlan
from judgekit.evaluation import EvalCase
from judgekit.judging.criterion import Criterion
from judgekit.masking import Masker
from judgekit.runner.settings import Prepared, Settings, prepared
from judgekit.schedule import Agent
from judgekit.store import Axes
from judgekit.store.axes import JudgedName
from judgekit.swapping.recorded import Transcripts

__all__ = ["Answering", "Grid", "Maker", "prepared_grid"]

Answering: TypeAlias = "Agent | Transcripts"
Maker: TypeAlias = "Callable[[Any], Criterion | Iterable[Criterion]]"

_NAMED = 5


@dataclass(frozen=True, slots=True)
class Grid:
    """What a swap's methods have set.

    Attributes:
        settings: Of the runner, with the cases as every agent gets them.
        agents: Who answers, by name: a callable, or what it said before.
        judges: Who judges, by name.
        makers: Each makes criteria for a judge.
    """

    settings: Settings
    agents: Mapping[str, Answering]
    judges: Mapping[str, Any]
    makers: tuple[Maker, ...]


def prepared_grid(grid: Grid, masker: Masker, started_at: datetime) -> Prepared:
    """Check everything that can be checked before the first call, and lay out the plan.

    Raises:
        InvalidPlan: With every problem.
    """
    criteria, problems = _criteria(grid, masker)
    ids, gaps = _ids(grid), _transcripts(grid)
    problems += [*_missing_parts(grid), *ids, *gaps]
    if not grid.settings.cases or not grid.agents or ids or gaps:
        raise InvalidPlan(problems)
    try:
        plan = prepared(_laid_out(grid, criteria, masker), masker, started_at)
    except InvalidPlan as error:
        raise InvalidPlan([*problems, *error.problems]) from None
    if problems:
        raise InvalidPlan(problems)
    return plan


def _missing_parts(grid: Grid) -> Iterator[str]:
    if not grid.settings.cases:
        yield "there are no cases; write `.cases(EvalCase(...), ...)`"
    if not grid.agents:
        yield 'there are no agents; write `.agents({"small": small_agent, "large": large_agent})`'
    if grid.makers and not grid.judges:
        yield 'there are criteria and no judges; write `.judges({"strict": Judge(...), "kind": Judge(...)})`'
    if grid.judges and not grid.makers:
        yield (
            "there are judges and no criteria; write "
            '`.criteria(lambda judge: judge.should_satisfy("...", name="tone"))`'
        )


def _ids(grid: Grid) -> list[str]:
    """Cases that could not be told apart, in the run or in its report."""
    doubled = _doubled(case.id for case in grid.settings.cases)
    if doubled:
        return [f"the case id {case_id!r} is used twice; ids are unique" for case_id in doubled]
    seen: dict[str, tuple[str, str]] = {}
    problems: list[str] = []
    for case in grid.settings.cases:
        for agent in grid.agents:
            name = _id(agent, case.id)
            first = seen.setdefault(name, (agent, case.id))
            if first != (agent, case.id):
                problems.append(
                    f"agent {first[0]!r} at case {first[1]!r} and agent {agent!r} at case {case.id!r} would "
                    f"both be {name!r}; give one agent another name"
                )
    return problems


def _id(agent: str, case_id: str) -> str:
    return f"{agent}/{case_id}"


def _doubled(names: Iterable[str]) -> list[str]:
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
    return [name for name, count in seen.items() if count > 1]


def _transcripts(grid: Grid) -> list[str]:
    problems = []
    for name, agent in grid.agents.items():
        if not isinstance(agent, Transcripts):
            continue
        absent = [case.id for case in grid.settings.cases if not agent.by_case.get(case.id)]
        if absent:
            more = f" and {len(absent) - _NAMED} more" if len(absent) > _NAMED else ""
            problems.append(
                f"agent {name!r}: {agent.source} holds no attempt at "
                f"{', '.join(map(repr, absent[:_NAMED]))}{more}; leave these cases out"
            )
    return problems


def _criteria(grid: Grid, masker: Masker) -> tuple[dict[str, list[Criterion]], list[str]]:
    """The criteria of each judge, and what is wrong with them."""
    made: dict[str, list[Criterion]] = {}
    problems: list[str] = []
    for judge, decider in grid.judges.items():
        made[judge] = []
        for maker in grid.makers:
            try:
                made[judge] += _made(maker, decider)
            except InvalidArgument as error:
                problems.append(f"the criteria for judge {judge!r}: {error}")
        doubled = _doubled(criterion.name for criterion in made[judge])
        problems += [f"two criteria for judge {judge!r} have the name {name!r}" for name in doubled]
    if not problems:
        problems += _unlike(made)
        problems += _indistinct(made, grid.settings.cases, masker)
    return made, problems


def _made(maker: Maker, judge: Any) -> list[Criterion]:
    found = maker(judge)
    criteria = [found] if isinstance(found, Criterion) else found
    if not isinstance(criteria, list | tuple) or not all(isinstance(one, Criterion) for one in criteria):
        raise InvalidArgument(
            f"`criteria` must return a criterion or a list of them, such as judge.should_satisfy(...); "
            f"got {found!r}"
        )
    return list(criteria)


def _unlike(made: Mapping[str, Sequence[Criterion]]) -> Iterator[str]:
    """Judges can be held against each other only where all are asked about the same."""
    asked = {judge: [(one.name, one.criterion) for one in criteria] for judge, criteria in made.items()}
    first = next(iter(asked), None)
    for judge, criteria in asked.items():
        if first is not None and criteria != asked[first]:
            yield (
                f"judges {first!r} and {judge!r} have different criteria; "
                "`criteria` must return the same ones for every judge"
            )


def _indistinct(
    made: Mapping[str, Sequence[Criterion]], cases: Iterable[EvalCase], masker: Masker
) -> Iterator[str]:
    names = [judged.name for judged in _judged(made, masker)]
    for name in _doubled(names):
        yield f"a criterion and its judge would be {name!r} twice in a report; give one another name"
    own = {one.name for case in cases for one in case.evaluators if isinstance(one, Criterion)}
    for name in sorted(own & set(names)):
        yield f"a case has a criterion of its own with the name {name!r}; give it another name"


def _judged(made: Mapping[str, Sequence[Criterion]], masker: Masker) -> list[JudgedName]:
    """Criterion by criterion, so that what the judges say of one stands together; without secrets."""
    count = max(map(len, made.values()), default=0)
    return [
        JudgedName(masker.masked(f"{criteria[place].name} [{judge}]"), criteria[place].name, judge)
        for place in range(count)
        for judge, criteria in made.items()
        if place < len(criteria)
    ]


def _laid_out(grid: Grid, made: Mapping[str, Sequence[Criterion]], masker: Masker) -> Settings:
    """The settings of one run: every case by every agent in turn, before every judge."""
    settings = grid.settings
    judged = _judged(made, masker)
    by_name = {(one.name, judge): one for judge, criteria in made.items() for one in criteria}
    kept = settings.cases
    for select in settings.selections:
        kept = select(kept)
    wanted = {_id(agent, case.id) for case in kept for agent in grid.agents}
    return replace(
        settings,
        cases=tuple(_cases(grid)),
        selections=(lambda cases: tuple(case for case in cases if case.id in wanted),),
        evaluators=(
            *settings.evaluators,
            *(by_name[one.criterion, one.judge].named(one.name) for one in judged),
        ),
        agents={
            _id(name, case.id): agent
            for name, agent in grid.agents.items()
            if isinstance(agent, Agent)
            for case in settings.cases
        },
        axes=Axes(tuple(grid.agents), tuple(grid.judges), tuple(case.id for case in kept), tuple(judged)),
    )


def _cases(grid: Grid) -> Iterator[EvalCase]:
    # Case by case, so that all agents have met the same cases wherever a run is ended.
    for case in grid.settings.cases:
        for name, agent in grid.agents.items():
            said = agent.by_case.get(case.id, ()) if isinstance(agent, Transcripts) else ()
            yield case.replaced(id=_id(name, case.id), interactions=said)
