"""The calls of tools under `@tool`, kept for the attempt in which they were made."""

from __future__ import annotations

import contextlib
import dataclasses
import threading
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from judgekit.adapters.nested import Executed
from judgekit.context import current_attempt
from judgekit.interaction import Interaction, ToolCall
from judgekit.jsonable import jsonable
from judgekit.text import first_line

__all__ = ["ToolRecorder", "UnderWay", "begin", "merged", "recorded_tools"]

_current: ContextVar[ToolRecorder | None] = ContextVar("judgekit_tools", default=None)
_depth: ContextVar[int] = ContextVar("judgekit_tools_depth", default=0)


@dataclass(slots=True)
class _Made:
    """A call under way, and the number of decorated calls that it lies in."""

    name: str
    arguments: Mapping[str, Any]
    depth: int
    result: Any = None
    error: str | None = None


class ToolRecorder:
    """The decorated calls of one attempt, in the order in which they began; from any thread.

    Args:
        all_tools: Whether every tool of the agent is decorated.
    """

    def __init__(self, *, all_tools: bool = False) -> None:
        self.all_tools = all_tools
        # Whether no call can be missing here.
        self.is_whole = True
        self._lock = threading.Lock()
        self._made: list[_Made] = []
        self._closed = False

    @property
    def executed(self) -> tuple[Executed, ...]:
        """Every call that began; of one that has not ended neither result nor error is known."""
        with self._lock:
            return tuple(
                (one.depth, ToolCall(one.name, one.arguments, one.result, one.error)) for one in self._made
            )

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls alone."""
        return tuple(call for _, call in self.executed)

    def begin(self, made: _Made) -> None:
        """A call begins."""
        with self._lock:
            if not self._closed:
                self._made.append(made)

    def end(self, made: _Made, *, result: Any = None, error: str | None = None) -> None:
        """A call has ended; once the attempt is over, nobody hears of it."""
        with self._lock:
            if not self._closed:
                made.result, made.error = result, error

    def missed(self) -> None:
        """A call was made that nobody can tell whose it is."""
        with self._lock:
            if not self._closed:
                self.is_whole = False

    def close(self) -> None:
        """Record nothing more."""
        with self._lock:
            self._closed = True


class _Recorders:
    """The recorders of the attempts under way."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: list[ToolRecorder] = []

    def enter(self, recorder: ToolRecorder) -> None:
        with self._lock:
            self._open.append(recorder)

    def leave(self, recorder: ToolRecorder) -> None:
        recorder.close()
        with self._lock:
            self._open.remove(recorder)

    def missed(self) -> None:
        """A call was made in none of their contexts."""
        if not self._open:
            return
        with self._lock:
            for recorder in self._open:
                recorder.missed()


_recorders = _Recorders()


@contextlib.contextmanager
def recorded_tools(*, all_tools: bool = False) -> Iterator[ToolRecorder]:
    """Record the decorated calls of the code inside, in its tasks and in threads with its context."""
    recorder = ToolRecorder(all_tools=all_tools)
    _recorders.enter(recorder)
    tokens = _current.set(recorder), _depth.set(0)
    try:
        yield recorder
    finally:
        _current.reset(tokens[0])
        _depth.reset(tokens[1])
        _recorders.leave(recorder)


def merged(interaction: Interaction, recorder: ToolRecorder, *, answered: bool) -> Interaction:
    """The interaction with the recorded calls, unless another door saw more of them.

    Args:
        interaction: Completed by the other doors.
        recorder: Of the attempt.
        answered: Whether the agent's own answer tells its tool calls, which then stand.
    """
    calls = recorder.calls
    seen = interaction.tool_calls
    if answered or not recorder.is_whole:
        return interaction
    if not recorder.all_tools and len(calls) < max(1, len(seen or ())):
        return interaction
    return dataclasses.replace(interaction, tool_calls=calls)


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A call under way, and the recorder of its attempt."""

    recorder: ToolRecorder
    made: _Made

    def end(self, result: object) -> None:
        """As data, and at once: whoever gets the result may change it."""
        self.recorder.end(self.made, result=jsonable(result))

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """While its code runs; what that raises is its error."""
        token = _depth.set(self.made.depth + 1)
        try:
            yield
        except BaseException as error:
            self.recorder.end(self.made, error=first_line(error))
            raise
        finally:
            _depth.reset(token)


def begin(name: str, arguments: Callable[[], Mapping[str, Any]]) -> UnderWay | None:
    """A call begins; None outside an attempt.

    A call that should belong to one and does not, since its thread has no context, is noted.
    """
    recorder = _current.get()
    if recorder is None:
        # An evaluator or a loader may call a tool too, in an attempt but not in its agent.
        if current_attempt() is None:
            _recorders.missed()
        return None
    # As data, and at once: the function may change what it was given.
    made = _Made(name, jsonable(arguments()), _depth.get())
    recorder.begin(made)
    return UnderWay(recorder, made)
