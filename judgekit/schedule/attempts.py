"""The attempts of a run: workers take them in order and carry each one through to its results."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import uuid4

from judgekit.context import AttemptContext, RunScope, Session, attempt_context
from judgekit.evaluation import EvalCase, EvalResult, EvaluatorLike, Outcome
from judgekit.interaction import Interaction
from judgekit.replay import ToolBindings
from judgekit.results import SETUP, TARGET, Spend, UserSpend
from judgekit.schedule.agents import Agent, Target, scored
from judgekit.schedule.bounded import bounded
from judgekit.schedule.conversing import Conversation
from judgekit.schedule.evaluating import Evaluation
from judgekit.schedule.judged import results_of
from judgekit.schedule.metering import Budget, CostLimit
from judgekit.schedule.missing import not_run
from judgekit.schedule.observing import Observer
from judgekit.schedule.stopping import EarlyLooks
from judgekit.schedule.threads import CallThreads
from judgekit.store import RunStore
from judgekit.text import first_line, one_line

__all__ = ["Plan", "run_attempts"]

# How long sync work may hold the loop: a run must notice Ctrl-C and time limits.
_TURN_SECONDS = 0.005
_NONE_LEFT = 0, 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be run.

    Attributes:
        cases: In order.
        evaluators: On every case, after its own.
        agent: None to score recorded interactions.
        agents: Of single cases, by case id, in the place of `agent`.
        bindings: What loads recorded calls into stubs.
        runs: How often each case is run by an agent.
        concurrency: How many attempts may be under way.
        timeout: Seconds for one agent call.
        max_cost: What judges and agents together may spend; None: no limit.
    """

    cases: Sequence[EvalCase]
    evaluators: tuple[EvaluatorLike, ...]
    agent: Agent | None
    bindings: ToolBindings | None
    runs: int
    concurrency: int
    timeout: float
    max_cost: CostLimit | None = None
    agents: Mapping[str, Agent] = field(default_factory=dict)

    def agent_of(self, case: EvalCase) -> Agent | None:
        """Who answers a case; None where its recorded interactions are scored."""
        return self.agents.get(case.id, self.agent)

    @property
    def calls_agents(self) -> bool:
        """Whether any agent is called."""
        return self.agent is not None or bool(self.agents)

    @property
    def agent_names(self) -> str | None:
        """The name of the agent, or of several with commas between; None where none is called."""
        own = [] if self.agent is None else [self.agent.name]
        return ", ".join(dict.fromkeys([*own, *(agent.name for agent in self.agents.values())])) or None

    def runs_of(self, case: EvalCase) -> int:
        """The number of attempts at a case."""
        return self.runs if self.agent_of(case) is not None else len(case.interactions)

    def evaluators_of(self, case: EvalCase) -> tuple[EvaluatorLike, ...]:
        """All evaluators that an attempt at this case must pass, in order."""
        return case.evaluators + self.evaluators


async def run_attempts(
    plan: Plan, store: RunStore, scope: RunScope, observer: Observer, *, looks: EarlyLooks | None = None
) -> None:
    """Make every attempt that `store` does not hold yet.

    Order is run-major: all cases once, then again; with `looks` all runs of a case, then of the next in their
    order, until they are decided. Cancelling ends it at once; what is finished is kept.
    """
    run = _Run(plan, store, scope, observer, looks)
    try:
        async with asyncio.TaskGroup() as workers:
            for _ in range(max(1, min(plan.concurrency, store.head.planned))):
                workers.create_task(run.work())
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None
    finally:
        run.close()
    run.give_up_the_rest()


class _Run:
    def __init__(
        self, plan: Plan, store: RunStore, scope: RunScope, observer: Observer, looks: EarlyLooks | None
    ) -> None:
        self._looks = looks
        self._threads = CallThreads()
        self._plan = plan
        self._store = store
        self._scope = scope
        self._observer = observer
        self._evaluation = Evaluation()
        self._sessions = uuid4().hex
        # Stubs that all attempts share can serve one agent call at a time.
        shared = plan.bindings is not None and plan.bindings.shared
        self._agent_calls = asyncio.Semaphore(1 if shared else plan.concurrency)
        self._turn_called = False
        self._turn_began = time.perf_counter()
        self._attempts = self._in_order()
        self._budget = _budget(plan, store, scope)
        self._unaffordable: list[tuple[int, int]] = []

    def _in_order(self) -> Iterator[tuple[int, int]]:
        cases, holds = self._plan.cases, self._store.holds
        runs = list(map(self._plan.runs_of, cases))
        if self._looks is not None:
            for index in self._looks.order:
                yield from ((index, run) for run in range(1, runs[index] + 1) if not holds(index, run))
            return
        for run in range(1, max(runs, default=0) + 1):
            for index, most in enumerate(runs):
                if run <= most and not holds(index, run):
                    yield index, run

    async def work(self) -> None:
        """Make attempts until there is none left."""
        looks = self._looks
        while True:
            if time.perf_counter() - self._turn_began > _TURN_SECONDS:
                await self._next_turn()
            decided = looks is not None and looks.decided
            index, run = _NONE_LEFT if decided else next(self._attempts, _NONE_LEFT)
            if not run:
                return
            case = self._plan.cases[index]
            exhausted = self._budget is not None and self._budget.is_exhausted
            if exhausted and self._plan.agent_of(case) is not None:
                self._unaffordable.append((index, run))
                continue
            session = f"{self._sessions}-{index}-{run}"
            attempt_context.set(AttemptContext(case.id, index, run, session, self._scope))
            interaction, results = await self._attempt(case, run, Session(session))
            self._observer.finished(self._store.add(index, run, interaction, results))
            if looks is not None:
                looks.look()

    def give_up_the_rest(self) -> None:
        """Keep the attempts that no money was left for. They come last: a resumed run may make them."""
        if self._budget is None or (self._looks is not None and self._looks.decided):
            return
        missing = self._budget.missing()
        for index, run in self._unaffordable:
            case = self._plan.cases[index]
            results = missing.results(self._plan.evaluators_of(case))
            nothing = Interaction(command_text=case.command_text())
            self._observer.finished(self._store.add(index, run, nothing, results))

    def close(self) -> None:
        """Give back what is held open."""
        self._threads.close()
        if self._budget is not None:
            self._budget.close()

    async def _next_turn(self) -> None:
        """Let the loop go round. All workers share a turn, or each would hold the loop for one in a row."""
        while time.perf_counter() - self._turn_began > _TURN_SECONDS:
            if not self._turn_called:
                self._turn_called = True
                asyncio.get_running_loop().call_soon(self._begin_turn)
            await asyncio.sleep(0)

    def _begin_turn(self) -> None:
        self._turn_began = time.perf_counter()
        self._turn_called = False

    async def _attempt(
        self, case: EvalCase, run: int, session: Session
    ) -> tuple[Interaction, tuple[EvalResult, ...]]:
        evaluators = self._plan.evaluators_of(case)
        if case.dialogue is not None:
            return await self._conversation(case, run, session, evaluators)
        blockable = any(getattr(evaluator, "expects_block", False) for evaluator in evaluators)
        agent = self._plan.agent_of(case)
        if agent is None:
            target = scored(case, run, blockable=blockable)
        else:
            async with self._agent_calls:
                if (broken := await self._set_up(case, session)) is not None:
                    return _set_up_failed(case, broken, evaluators)
                target = await self._answer(case.command, agent, session, blockable=blockable)
        if target.missing is not None:
            return target.interaction, target.missing.results(evaluators)
        if target.failed is None:
            return target.interaction, await self._evaluation.results(case, target.interaction, evaluators)
        found = await results_of(self._evaluation, case, target, evaluators)
        return target.interaction, (EvalResult(Outcome.FAIL, target.failed, label=TARGET), *found)

    async def _conversation(
        self, case: EvalCase, run: int, session: Session, evaluators: tuple[EvaluatorLike, ...]
    ) -> tuple[Interaction, tuple[EvalResult, ...]]:
        talk = Conversation(case, evaluators, self._evaluation)
        agent = self._plan.agent_of(case)
        if agent is None:
            talk.take_recorded(case.interactions[run - 1])
        else:
            # Stubs hold the state of the whole conversation.
            async with self._agent_calls:
                if (broken := await self._set_up(case, session)) is not None:
                    return _set_up_failed(case, broken, evaluators)
                await talk.hold(partial(self._answer, agent=agent, session=session))
        return talk.whole(), await talk.results()

    async def _answer(self, command: Any, agent: Agent, session: Session, *, blockable: bool) -> Target:
        return await agent.answer(
            command,
            session,
            seconds=self._plan.timeout,
            threads=self._threads,
            blockable=blockable,
            budget=self._budget,
        )

    async def _set_up(self, case: EvalCase, session: Session) -> str | None:
        """Load the recorded calls; the text of the failure, None where all went well."""
        bindings = self._plan.bindings
        if bindings is None:
            return None
        for step in bindings.steps(case.recorded_calls, session):
            ended = await bounded(self._threads.call(step), self._plan.timeout)
            if ended.expired:
                return f"TimeoutError: a loader or reset did not end within {self._plan.timeout:g} s"
            if ended.error is not None:
                return first_line(ended.error)
        return None


def _budget(plan: Plan, store: RunStore, scope: RunScope) -> Budget | None:
    if plan.max_cost is None:
        return None
    earlier = store.results
    spent = earlier.judges.cost
    # What recorded agents cost was spent by another run.
    if all(plan.agent_of(case) is not None for case in plan.cases):
        spent += earlier.spend.cost + earlier.users.cost
    elif plan.calls_agents:
        spent += _spent_by_agents(plan, store)
    return Budget(plan.max_cost, scope, spent=spent)


def _spent_by_agents(plan: Plan, store: RunStore) -> float:
    """What the agents that are called, and the users before them, spent in a run that is resumed."""
    spend, users = Spend(), UserSpend()
    for position, attempt in enumerate(store.attempts):
        if plan.agent_of(plan.cases[store.head.place(position)[0]]) is not None:
            spend.add(attempt.case_id, attempt.run, attempt.interaction)
            users.add(attempt.interaction.user_calls)
    return spend.cost + users.cost


def _set_up_failed(
    case: EvalCase, broken: str, evaluators: Sequence[EvaluatorLike]
) -> tuple[Interaction, tuple[EvalResult, ...]]:
    own = EvalResult(Outcome.FAIL, one_line(broken), label=SETUP)
    return Interaction(command_text=case.command_text()), (own, *not_run(evaluators))
