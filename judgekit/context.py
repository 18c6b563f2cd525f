"""What code deep inside a run may know about it, without any global state.

A run owns one `RunScope`; lower layers keep there what calls of one run share (limiters, spend, caches)
and nothing of it outlives the run. `current_attempt()` tells an evaluator which attempt it judges.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Hashable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from judgekit.masking import Masker

__all__ = ["AttemptContext", "RunScope", "Session", "attempt_context", "current_attempt"]

T = TypeVar("T")


class RunScope:
    """Things that the calls of one run share; made on first use, closed at the end in reverse order.

    Attributes:
        masker: Masks every key that the run has been handed.
        case_ids: The cases of the plan; empty outside an experiment.
    """

    def __init__(self) -> None:
        self.masker = Masker()
        self.case_ids: frozenset[str] = frozenset()
        self._services: dict[Hashable, Any] = {}
        self._closers: list[Callable[[], Awaitable[None] | None]] = []

    def service(self, key: Hashable, make: Callable[[], T]) -> T:
        """The run's one object under `key`, made by `make` when it is first asked for."""
        if key not in self._services:
            self._services[key] = make()
        return cast("T", self._services[key])

    def on_close(self, closer: Callable[[], Awaitable[None] | None]) -> None:
        """Call `closer`, sync or async, when the run ends."""
        self._closers.append(closer)

    async def close(self) -> None:
        """Run every closer, the last registered first; all of them, whatever one raises."""
        errors: list[Exception] = []
        while self._closers:
            try:
                pending = self._closers.pop()()
                if inspect.isawaitable(pending):
                    await pending
            except Exception as error:  # noqa: BLE001 - the others still have to close
                errors.append(error)
        self._services.clear()
        if errors:
            raise ExceptionGroup("closing the run", errors)


@dataclass(frozen=True, slots=True)
class AttemptContext:
    """Which attempt is being made: case id and its position, 1-based run, and the run's shared scope."""

    case_id: str
    case_index: int
    run: int
    session_id: str
    scope: RunScope = field(repr=False)


@dataclass(frozen=True, slots=True)
class Session:
    """What an agent may keep a conversation by: `id` is fresh for every attempt."""

    id: str


attempt_context: ContextVar[AttemptContext | None] = ContextVar("judgekit_attempt", default=None)


def current_attempt() -> AttemptContext | None:
    """The attempt that the running code belongs to; None outside a run."""
    return attempt_context.get()
