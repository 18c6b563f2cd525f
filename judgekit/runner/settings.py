"""What the methods of an experiment have set, and what it comes to when it is run."""

from __future__ import annotations

import secrets
from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

from judgekit.errors import InvalidPlan
from judgekit.evaluation import EvalCase, EvaluatorLike
from judgekit.gate import Gate
from judgekit.jsonable import jsonable, parse_json
from judgekit.masking import Masker
from judgekit.replay import ToolBindings
from judgekit.results import Requirements
from judgekit.runner.checks import Checked, checked, tags_of
from judgekit.runner.fingerprint import checks_of, fingerprint_of
from judgekit.runner.naming import default_name
from judgekit.schedule import Agent, CostLimit, Plan, requirements_of
from judgekit.store import Axes, JournalStore, MemoryStore, RunHead, RunStore

__all__ = ["Prepared", "Settings", "prepared"]

DEFAULT_CONCURRENCY = 8
DEFAULT_TIMEOUT = 300.0
DEFAULT_DIRECTORY = Path(".judgekit") / "runs"


Selection: TypeAlias = Callable[[tuple[EvalCase, ...]], tuple[EvalCase, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The state of an `ExperimentRunner`; None where nothing was set.

    `agents` and `axes` are those of a provider swap: who answers each case, and what the cases stand for.
    `early` is the alpha of an early stop and the seed of its order, None for one drawn anew.
    """

    name: str | None = None
    module: str = ""
    cases: tuple[EvalCase, ...] = ()
    selections: tuple[Selection, ...] = ()
    evaluators: tuple[EvaluatorLike, ...] = ()
    bindings: ToolBindings | None = None
    agent: Agent | None = None
    agents: Mapping[str, Agent] = field(default_factory=dict)
    axes: Axes | None = None
    gate: Gate | None = None
    runs: int = 1
    concurrency: int | None = None
    timeout: float = DEFAULT_TIMEOUT
    max_cost: CostLimit | None = None
    early: tuple[float, int | None] | None = None
    journal: Path | None = None
    directory: Path | None = DEFAULT_DIRECTORY

    def plan(self) -> Plan:
        """What is to be run, before any filter."""
        return Plan(
            cases=self.cases,
            evaluators=self.evaluators,
            agent=self.agent,
            agents=self.agents,
            bindings=self.bindings,
            runs=self.runs,
            concurrency=self.concurrency or DEFAULT_CONCURRENCY,
            timeout=self.timeout,
            max_cost=self.max_cost,
        )


@dataclass(frozen=True, slots=True)
class Prepared:
    """A checked plan, its gate, and the head that its journal begins with."""

    plan: Plan
    gate: Gate
    head: RunHead
    settings: Settings

    def open_store(self, masker: Masker) -> RunStore:
        """Where attempts go: the journal to resume, a new one, or memory.

        Raises:
            InvalidPlan: The directory cannot be written.
            InvalidArgument: The journal belongs to another plan, or another run is writing it.
            FileUnreadable: The journal to resume is none.
        """
        settings = self.settings
        if settings.journal is not None:
            return JournalStore.resume(settings.journal, self.head, masker)
        if settings.directory is None:
            return MemoryStore(self.head, masker, at_once=self.plan.calls_agents)
        try:
            return JournalStore.create(settings.directory, self.head, masker)
        except OSError as error:
            raise InvalidPlan(
                [
                    f"the run cannot be written to {settings.directory}: {error}; "
                    "write `.report_directory(...)` or `.without_report_file()`"
                ]
            ) from error


def prepared(settings: Settings, masker: Masker, started_at: datetime) -> Prepared:
    """Check everything that can be checked before the first call.

    Secrets that evaluators name are given to `masker`.

    Raises:
        InvalidPlan: With every problem.
    """
    if not settings.cases:
        raise InvalidPlan(["there are no cases; write `.cases([EvalCase(...), ...])`"])
    gate = Gate.all_cases_should_pass() if settings.gate is None else settings.gate
    whole = settings.plan()

    def shown(case_id: str) -> str:
        return masker.masked(jsonable(case_id))

    found = checked(whole, gate, shown=shown)
    problems = [*found.problems, *_limits(settings)]
    if problems:
        raise InvalidPlan(problems)
    for secret in found.secrets:
        masker.add(secret)
    plan = _filtered(settings, whole)
    # Names are shown with secrets masked, so the gate has to know them so.
    gate = Gate.from_json(parse_json(masker.masked_json(gate.to_json())))
    head = _head(settings, plan, gate, found, shown, started_at)
    if problem := _cannot_stop(settings, gate, head):
        raise InvalidPlan([problem])
    return Prepared(plan, gate, head, settings)


def _cannot_stop(settings: Settings, gate: Gate, head: RunHead) -> str | None:
    if settings.early is None or not head.case_ids:
        return None
    if settings.axes is not None:
        return "a provider swap holds agents against each other on the same cases; leave out `.stop_early()`"
    if gate.can_stop_early(head.results()):
        return None
    return (
        f"`stop_early` cannot decide {gate!r} before the last case; it can decide pass rates, pass@k, "
        "pass^k, and rules that one attempt or case can break"
    )


def _limits(settings: Settings) -> list[str]:
    shared = settings.bindings is not None and settings.bindings.shared
    if not shared or not settings.plan().calls_agents or (settings.concurrency or 1) == 1:
        return []
    return [
        f"concurrency({settings.concurrency}) needs loaders and a reset that take the session, "
        "`loader(call, session)`: stubs that all attempts share serve one agent call at a time"
    ]


def _filtered(settings: Settings, plan: Plan) -> Plan:
    cases = tuple(plan.cases)
    for select in settings.selections:
        cases = select(cases)
    return replace(plan, cases=cases)


def _head(
    settings: Settings,
    plan: Plan,
    gate: Gate,
    found: Checked,
    shown: Callable[[str], str],
    started_at: datetime,
) -> RunHead:
    counts = array("L", [plan.runs_of(case) for case in plan.cases])
    sets: dict[Requirements, int] = {}
    positions = array(
        "L", [sets.setdefault(requirements_of(plan.evaluators_of(case)), len(sets)) for case in plan.cases]
    )
    agent = plan.agent_names
    judges = tuple(found.judges)
    kept = settings.journal is not None or settings.directory is not None
    return RunHead(
        name=shown(settings.name or default_name(settings.module)),
        started_at=started_at.isoformat(),
        runs=max(counts, default=plan.runs),
        agent=None if agent is None else shown(agent),
        judges=tuple(map(shown, judges)),
        fingerprint=fingerprint_of(plan, judges) if kept else "",
        checks=checks_of(plan) if kept else {},
        gate=gate.to_json(),
        case_ids=tuple(shown(case.id) for case in plan.cases),
        case_runs=counts,
        requirement_sets=tuple(
            tuple((label, None if name is None else shown(name)) for label, name in requirements)
            for requirements in sets
        ),
        requirement_of=positions,
        axes=None if settings.axes is None else settings.axes.renamed(shown),
        tags={shown(tag): found for tag, found in tags_of(plan.cases).items()},
        early=_drawn(settings.early),
    )


def _drawn(early: tuple[float, int | None] | None) -> tuple[float, int] | None:
    if early is None:
        return None
    alpha, seed = early
    return alpha, secrets.randbits(32) if seed is None else seed
