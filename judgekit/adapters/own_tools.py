"""`@tool`: the calls of plain Python functions, recorded for agents that are loops of their own."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar, overload

from judgekit.errors import InvalidArgument
from judgekit.interaction import Interaction, ToolCall
from judgekit.jsonable import jsonable
from judgekit.text import first_line

__all__ = ["ToolRecorder", "declared_tools", "merged", "recorded_tools", "tool"]

P = ParamSpec("P")
R = TypeVar("R")

_MARK = "__judgekit_tool__"
_OWNERS = ("self", "cls")

_current: ContextVar[ToolRecorder | None] = ContextVar("judgekit_tools", default=None)


@overload
def tool(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def tool(*, name: str) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def tool(function: Callable[..., Any] | None = None, /, *, name: str | None = None) -> Any:
    """Record the calls of a function that an agent uses as a tool; sync, async, or a method.

    During an attempt each call becomes a `ToolCall`: its arguments by parameter name, as they were when it
    was called and without defaults, and what it returned or raised. Outside an attempt, and in every other
    way, the function stays what it is.

    An attempt that calls none of them says nothing about tools, since the agent may have others. Name all of
    its tools with `ExperimentRunner.agent(..., tools=[...])`, and none called is none called.

    Args:
        function: Written below the decorator.
        name: The tool's name as the model knows it. Default: the function's.

    Raises:
        InvalidArgument: This is no function that returns its result, or the name is blank.
    """
    if function is None:
        return functools.partial(_decorated, name=name)
    return _decorated(function, name=name)


def _decorated(function: Callable[..., Any], name: str | None) -> Callable[..., Any]:
    shown = _checked_name(function, name)
    signature = inspect.signature(function)

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def recorded(*args: Any, **kwargs: Any) -> Any:
            with _reported(shown, signature, args, kwargs) as report:
                result = await function(*args, **kwargs)
                report(result)
                return result

    else:

        @functools.wraps(function)
        def recorded(*args: Any, **kwargs: Any) -> Any:
            with _reported(shown, signature, args, kwargs) as report:
                result = function(*args, **kwargs)
                report(result)
                return result

    setattr(recorded, _MARK, shown)
    return recorded


def _checked_name(function: object, name: str | None) -> str:
    if isinstance(function, staticmethod | classmethod):
        raise InvalidArgument(f"`tool` decorates a function, got {function!r}; write @judgekit.tool below it")
    if not inspect.isroutine(function):
        raise InvalidArgument(f"`tool` decorates a function, got {function!r}")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise InvalidArgument(
            f"`tool` decorates a function that returns its result, and {function.__name__} yields; "
            "return a list instead"
        )
    shown = function.__name__ if name is None else name
    if not isinstance(shown, str) or not shown.strip():
        raise InvalidArgument(f"`tool`: `name` must be text that is not blank, got {name!r}")
    return shown


def declared_tools(tools: object) -> bool:
    """Whether an agent's tools were named, all of which are recorded then.

    Raises:
        InvalidArgument: One of them is not recorded.
    """
    if tools is None:
        return False
    if isinstance(tools, str) or not isinstance(tools, Iterable):
        raise InvalidArgument(f"`tools` must be a list of functions under @judgekit.tool, got {tools!r}")
    unrecorded = [one for one in tools if not hasattr(one, _MARK)]
    if unrecorded:
        names = ", ".join(str(getattr(one, "__name__", repr(one))) for one in unrecorded)
        raise InvalidArgument(f"`tools`: calls of {names} are not recorded; write @judgekit.tool above each")
    return True


@dataclass(slots=True)
class _Made:
    """A call under way."""

    name: str
    arguments: Mapping[str, Any]
    result: Any = None
    error: str | None = None


class ToolRecorder:
    """The decorated calls of one attempt, in the order in which they began; from any thread.

    Args:
        all_tools: Whether every tool of the agent is decorated.
    """

    def __init__(self, *, all_tools: bool = False) -> None:
        self.all_tools = all_tools
        self._lock = threading.Lock()
        self._made: list[_Made] = []
        self._closed = False

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """Every call that began; of one that has not ended neither result nor error is known."""
        with self._lock:
            return tuple(ToolCall(one.name, one.arguments, one.result, one.error) for one in self._made)

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

    def close(self) -> None:
        """Record nothing more."""
        with self._lock:
            self._closed = True


@contextlib.contextmanager
def recorded_tools(*, all_tools: bool = False) -> Iterator[ToolRecorder]:
    """Record the decorated calls of the code inside, in its tasks and in threads with its context."""
    recorder = ToolRecorder(all_tools=all_tools)
    token = _current.set(recorder)
    try:
        yield recorder
    finally:
        _current.reset(token)
        recorder.close()


def merged(interaction: Interaction, recorder: ToolRecorder, *, answered: bool) -> Interaction:
    """The interaction with the recorded calls, unless another door saw more of them.

    Args:
        interaction: Completed by the other doors.
        recorder: Of the attempt.
        answered: Whether the agent's own answer tells its tool calls, which then stand.
    """
    calls = recorder.calls
    seen = interaction.tool_calls
    if answered or not (recorder.all_tools or len(calls) >= max(1, len(seen or ()))):
        return interaction
    return dataclasses.replace(interaction, tool_calls=calls)


@contextlib.contextmanager
def _reported(
    name: str, signature: inspect.Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Iterator[Callable[[object], None]]:
    recorder = _current.get()
    if recorder is None:
        yield lambda result: None
        return
    # As data, and at once: the function may change what it was given.
    made = _Made(name, jsonable(_named(signature, args, kwargs)))
    recorder.begin(made)
    try:
        yield lambda result: recorder.end(made, result=jsonable(result))
    except BaseException as error:
        recorder.end(made, error=first_line(error))
        raise


def _named(signature: inspect.Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments by parameter name; a model's wrong ones are evidence too."""
    parameters = list(signature.parameters.values())
    try:
        bound = signature.bind(*args, **kwargs).arguments
    except TypeError:
        bound = dict(zip(signature.parameters, args, strict=False)) | dict(kwargs)
    found = {name: value for name, value in bound.items() if name not in _OWNERS}
    for parameter in parameters:
        if parameter.kind is parameter.VAR_KEYWORD and isinstance(found.get(parameter.name), dict):
            found |= found.pop(parameter.name)
    return found
