"""The agent of an experiment: how it is called, and what its call leaves as evidence."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from judgekit.adapters import interaction_from
from judgekit.adapters.own_tools import declared_tools
from judgekit.adapters.watched import watched
from judgekit.context import Session
from judgekit.errors import Blocked, InvalidArgument
from judgekit.evaluation import EvalCase, command_text
from judgekit.interaction import Interaction
from judgekit.schedule.bounded import Ended, bounded
from judgekit.schedule.metering import AgentMeter, Budget
from judgekit.schedule.missing import Missing
from judgekit.schedule.threads import CallThreads
from judgekit.signatures import takes_session
from judgekit.text import first_line, one_line

__all__ = ["Agent", "Target", "scored", "target_of"]

# Exceptions by which a framework says that a guardrail stopped the turn: module root and class name.
_TRIPWIRES = frozenset(
    {
        ("agents", "InputGuardrailTripwireTriggered"),
        ("agents", "OutputGuardrailTripwireTriggered"),
        ("agents", "ToolInputGuardrailTripwireTriggered"),
        ("agents", "ToolOutputGuardrailTripwireTriggered"),
        ("litellm", "BlockedPiiEntityError"),
        ("litellm", "GuardrailRaisedException"),
    }
)


@dataclass(frozen=True, slots=True)
class Target:
    """What an attempt has to judge.

    Attributes:
        interaction: The evidence.
        failed: How the agent call failed, where it did.
        missing: Why there is nothing to judge, where that is not the agent's failure.
    """

    interaction: Interaction
    failed: str | None = None
    missing: Missing | None = None


@dataclass(frozen=True, slots=True)
class Agent:
    """A callable that answers a command. Build it with `Agent.of`."""

    function: Callable[..., Any]
    name: str
    takes_session: bool
    is_async: bool
    all_tools: bool = False

    @classmethod
    def of(
        cls,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        tools: Iterable[Callable[..., Any]] | None = None,
    ) -> Agent:
        """The agent behind `function`, which is called as `agent(command)` or `agent(command, session)`.

        Args:
            function: The agent.
            name: Default: the function's.
            tools: All of its tools, each under `@tool`; None where they were not named.

        Raises:
            InvalidArgument: It cannot be called so, the name is blank, or a tool is not recorded.
        """
        if not callable(function):
            raise InvalidArgument(
                f"`agent` must be callable as agent(command), got {function!r}; "
                "give the function itself, without calling it"
            )
        if isinstance(function, type):
            raise InvalidArgument(
                f"`agent` is the class {function.__name__}; give an object of it, or a function"
            )
        shown = name if name is not None else _name_of(function)
        if not isinstance(shown, str) or not shown.strip():
            raise InvalidArgument(f"the agent's `name` must be text that is not blank, got {name!r}")
        takes = takes_session(function, given=1)
        return cls(function, shown, takes, _is_async(function), declared_tools(tools))

    async def answer(
        self,
        command: Any,
        session: Session,
        *,
        seconds: float,
        threads: CallThreads,
        blockable: bool,
        budget: Budget | None = None,
    ) -> Target:
        """Call the agent, timed and for at most `seconds`.

        Args:
            command: What the agent gets.
            session: Of this attempt.
            seconds: For the agent call alone.
            threads: Where a sync agent runs.
            blockable: Whether a block is asked for, which then is no failure.
            budget: What the run may still spend, where it is limited.
        """
        if budget is None:
            return await self._answer(command, session, seconds, threads, blockable=blockable, meter=None)
        meter = AgentMeter(budget)
        try:
            target = await self._answer(command, session, seconds, threads, blockable=blockable, meter=meter)
        finally:
            meter.close()
        budget.charge(target.interaction, meter)
        return target if meter.refused is None else Target(target.interaction, missing=meter.refused)

    async def _answer(
        self,
        command: Any,
        session: Session,
        seconds: float,
        threads: CallThreads,
        *,
        blockable: bool,
        meter: AgentMeter | None,
    ) -> Target:
        text = command_text(command)
        with watched(meter, all_tools=self.all_tools) as seen:
            began = time.perf_counter()
            ended = await bounded(self._call(command, session, threads), seconds)
            latency = time.perf_counter() - began
            await seen.settle()
        error = ended.error
        if ended.expired:
            error = TimeoutError(f"the agent gave no answer within {seconds:g} s")
        try:
            answer = Interaction() if error else interaction_from(ended.value, command_text=text)
        except Exception as unreadable:  # noqa: BLE001 - an answer of a type nobody knows is the agent's failure
            answer, error = Interaction(), unreadable
        completed = seen.completed(answer, is_own=isinstance(ended.value, Interaction))
        return _target(_completed(completed, text, latency), error, blockable=blockable)

    async def _call(self, command: Any, session: Session, threads: CallThreads) -> Ended:
        arguments = (command, session) if self.takes_session else (command,)
        if self.is_async:
            return Ended(await self.function(*arguments))
        return await threads.call(lambda: self.function(*arguments))


def scored(case: EvalCase, run: int, *, blockable: bool) -> Target:
    """A recorded interaction of a case, as if the agent had given it just so."""
    interaction = case.interactions[run - 1]
    if not interaction.command_text:
        interaction = replace(interaction, command_text=case.command_text())
    return target_of(interaction, blockable=blockable)


def target_of(interaction: Interaction, *, blockable: bool) -> Target:
    """What recorded evidence stands for: an answer, a failed call, or a block that was asked for."""
    if interaction.error is None and not interaction.guardrails and not interaction.blocked:
        return Target(interaction)
    return _target(interaction, None, blockable=blockable)


def _completed(interaction: Interaction, text: str, latency: float) -> Interaction:
    changes: dict[str, Any] = {}
    if not interaction.command_text:
        changes["command_text"] = text
    if interaction.latency is None and not interaction.replayed:
        changes["latency"] = latency
    return replace(interaction, **changes) if changes else interaction


def _target(interaction: Interaction, error: BaseException | None, *, blockable: bool) -> Target:
    tripped = error is not None and _is_tripwire(error)
    failed = interaction.error if error is None else first_line(error)
    # A record of a turn that was blocked by an exception has no guardrail that tells so.
    blocked = tripped or interaction.blocked or any(not one.passed for one in interaction.guardrails)
    if blocked and blockable:
        return Target(replace(interaction, blocked=True, reply=None, error=failed))
    if error is not None:
        interaction = replace(interaction, blocked=interaction.blocked or tripped, error=failed)
    return Target(interaction, None if failed is None else one_line(failed))


def _is_tripwire(error: BaseException) -> bool:
    if isinstance(error, Blocked):
        return True
    return any(
        (kind.__module__.partition(".")[0], kind.__name__) in _TRIPWIRES for kind in type(error).__mro__
    )


def _name_of(function: Any) -> str:
    while (inner := getattr(function, "func", None)) is not None:
        function = inner
    return str(getattr(function, "__name__", type(function).__name__))


def _is_async(function: Any) -> bool:
    call = getattr(function, "__call__", None)  # noqa: B004 - an object whose class has an async `__call__`
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)
