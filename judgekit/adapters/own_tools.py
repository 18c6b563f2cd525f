"""`@tool`: the calls of plain Python functions, recorded for agents that are loops of their own."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Coroutine, Iterable, Mapping
from typing import Any, ParamSpec, TypeVar, overload

from judgekit.adapters.tool_recorder import UnderWay, begin
from judgekit.errors import InvalidArgument

__all__ = ["declared_tools", "tool"]

P = ParamSpec("P")
R = TypeVar("R")

_MARK = "__judgekit_tool__"
_OWNERS = ("self", "cls")

# What frameworks give a tool beside the model's arguments: module root and class name.
_CONTEXTS = frozenset(
    {
        ("agents", "RunContextWrapper"),
        ("fastmcp", "Context"),
        ("langgraph", "ToolRuntime"),
        ("mcp", "Context"),
        ("pydantic_ai", "RunContext"),
    }
)

_JSON_TYPES = (str, int, float, bool, list, dict, type(None))


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
    signature = _signature_of(function)

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def recorded(*args: Any, **kwargs: Any) -> Any:
            begun = begin(shown, lambda: _named(signature, args, kwargs))
            if begun is None:
                return await function(*args, **kwargs)
            return await _awaited(begun, lambda: function(*args, **kwargs))

    else:

        @functools.wraps(function)
        def recorded(*args: Any, **kwargs: Any) -> Any:
            begun = begin(shown, lambda: _named(signature, args, kwargs))
            if begun is None:
                return function(*args, **kwargs)
            with begun.running():
                result = function(*args, **kwargs)
                if not inspect.iscoroutine(result):
                    begun.end(result)
                    return result
            # Some decorators hide that the function below them is async.
            return _awaited(begun, lambda: result)

    setattr(recorded, _MARK, shown)
    return recorded


async def _awaited(begun: UnderWay, call: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    with begun.running():
        result = await call()
        begun.end(result)
        return result


def _checked_name(function: object, name: str | None) -> str:
    if isinstance(function, staticmethod | classmethod):
        raise InvalidArgument(f"`tool` decorates a function, got {function!r}; write @judgekit.tool below it")
    if not inspect.isroutine(function):
        raise InvalidArgument(
            f"`tool` decorates a function, got {function!r:.200}; write @judgekit.tool right above the "
            "`def`, below decorators that make an object of it"
        )
    shown = function.__name__ if name is None else name
    if not isinstance(shown, str) or not shown.strip():
        raise InvalidArgument(f"`tool`: `name` must be text that is not blank, got {name!r}")
    if hasattr(function, _MARK):
        raise InvalidArgument(
            f"`tool`: calls of {function.__name__} are recorded already, as {getattr(function, _MARK)!r}"
        )
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise InvalidArgument(
            f"`tool` decorates a function that returns its result, and {function.__name__} yields; "
            "return a list instead"
        )
    return shown


def _signature_of(function: Callable[..., Any]) -> inspect.Signature:
    try:
        return inspect.signature(function)
    except ValueError as error:
        raise InvalidArgument(
            f"`tool`: {function!r} does not tell its parameters; write a function that calls it"
        ) from error


def declared_tools(tools: object) -> bool:
    """Whether an agent's tools were named, all of which are recorded then.

    Raises:
        InvalidArgument: One of them is not recorded.
    """
    if tools is None:
        return False
    if isinstance(tools, str) or not isinstance(tools, Iterable):
        raise InvalidArgument(f"`tools` must be a list of functions under @judgekit.tool, got {tools!r}")
    unrecorded = [one for one in tools if not hasattr(_inner(one), _MARK)]
    if unrecorded:
        names = ", ".join(str(getattr(one, "__name__", f"{one!r:.80}")) for one in unrecorded)
        raise InvalidArgument(
            f"`tools`: calls of {names} are not recorded; write @judgekit.tool above the `def` of each, and "
            "name the functions, not what a framework made of them"
        )
    return True


def _inner(function: object) -> object:
    while isinstance(function, functools.partial):
        function = function.func
    return function


def _named(signature: inspect.Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments by parameter name; a model's wrong ones are evidence too."""
    parameters = list(signature.parameters.values())
    try:
        bound = signature.bind(*args, **kwargs).arguments
    except TypeError:
        bound = dict(zip(signature.parameters, args, strict=False)) | dict(kwargs)
    found = {name: value for name, value in bound.items() if not _is_handed_in(name, value)}
    for parameter in parameters:
        if parameter.kind is parameter.VAR_KEYWORD and isinstance(found.get(parameter.name), dict):
            found |= found.pop(parameter.name)
    return found


def _is_handed_in(name: str, value: object) -> bool:
    """Whether no model gave it: a method's object, or what a framework tells a tool about its run."""
    # A model gives JSON; `cls` is a name like any other where the value is text.
    if name in _OWNERS and type(value) not in _JSON_TYPES:
        return True
    return any(
        (kind.__module__.partition(".")[0], kind.__name__) in _CONTEXTS for kind in type(value).__mro__
    )
