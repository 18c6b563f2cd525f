"""Entries of a suite to calls: an evaluator or a gate by its name, and its arguments by position or name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

from judgekit.errors import InvalidArgument

__all__ = ["MEANT", "called", "checks", "criteria", "named_entry", "parameters_of", "rules"]

_NO_CHECKS = frozenset({"accepted", "expected_calls", "optional", "pattern"})
# What an argument by position means, where it is not the first parameter.
MEANT = {"should_reply_within": "seconds"}


def checks() -> dict[str, Callable[..., Any]]:
    """The evaluators that need no judge, by name."""
    from judgekit import evaluators

    found = {name: getattr(evaluators, name) for name in evaluators.__all__ if name not in _NO_CHECKS}
    return {name: held for name, held in found.items() if inspect.isfunction(held)}


def criteria() -> dict[str, Callable[..., Any]]:
    """What is asked of a judge, by name; each takes the judge first."""
    from judgekit.judging import Judge
    from judgekit.judging import criteria as ready

    methods = inspect.getmembers(Judge, inspect.isfunction)
    asked = {name: held for name, held in methods if name.startswith("should_") and name != "should_answer"}
    return asked | {name: getattr(ready, name) for name in ready.READY_MADE}


def rules() -> dict[str, Callable[..., Any]]:
    """The gates, by name."""
    from judgekit.gate import Gate
    from judgekit.gate.rules import RULES

    return {name: getattr(Gate, name) for name in RULES}


def named_entry(entry: object, known: Mapping[str, Any], what: str) -> tuple[str, Any]:
    """The name of an entry, and its arguments as they stand; None where it has none.

    Raises:
        InvalidArgument: It is neither a name nor one `name: arguments`, or nothing has that name.
    """
    name, arguments = entry, None
    if isinstance(entry, Mapping) and len(entry) == 1:
        ((name, arguments),) = entry.items()
    if not isinstance(name, str):
        shown = f"{len(entry)} keys" if isinstance(entry, Mapping) else repr(entry)
        raise InvalidArgument(f"{what} is a name, or one `name: arguments`; got {shown}")
    if name not in known:
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
        raise InvalidArgument(f"there is no {what} {name}; {hint}")
    return name, arguments


def parameters_of(function: Callable[..., Any], *, bound: bool) -> list[inspect.Parameter]:
    """What a suite may give it; with `bound` the first parameter is given already."""
    return list(inspect.signature(function).parameters.values())[int(bound) :]


def called(name: str, function: Callable[..., Any], arguments: Any, *, first: tuple[Any, ...] = ()) -> Any:
    """Call it: a mapping gives arguments by name, a list by position, anything else is the only one.

    Raises:
        InvalidArgument: The arguments do not fit, or their values cannot work.
    """
    given, named = _spread(name, function, arguments, bound=bool(first))
    try:
        inspect.signature(function).bind(*first, *given, **named)
    except TypeError as error:
        wanted = ", ".join(map(_shown, parameters_of(function, bound=bool(first)))) or "nothing"
        raise InvalidArgument(f"{name}: {error}; it takes {wanted}") from None
    try:
        return function(*first, *given, **named)
    except (TypeError, AttributeError) as error:
        raise InvalidArgument(f"{name}: {error}") from error


def _spread(
    name: str, function: Callable[..., Any], arguments: Any, *, bound: bool
) -> tuple[list[Any], dict[str, Any]]:
    parameters = {one.name: one for one in parameters_of(function, bound=bound)}
    if arguments is None:
        return [], {}
    if isinstance(arguments, list):
        return arguments, {}
    if not isinstance(arguments, Mapping):
        return ([], {MEANT[name]: arguments}) if name in MEANT else ([arguments], {})
    if not _names(arguments, parameters):
        # `should_satisfy_all: {polite: ..., plain: ...}` is the one mapping that it takes.
        return [arguments], {}
    named = {key: _converted(key, value) for key, value in arguments.items()}
    many = next((one.name for one in parameters.values() if one.kind is one.VAR_POSITIONAL), None)
    given = named.pop(many, []) if many is not None else []
    return given if isinstance(given, list) else [given], named


def _names(arguments: Mapping[Any, Any], parameters: Mapping[str, inspect.Parameter]) -> bool:
    """Whether the keys are parameters' names; a call that takes one mapping may be given just that."""
    first = next(iter(parameters.values()), None)
    takes_mapping = first is not None and "Mapping" in str(first.annotation)
    return not takes_mapping or any(key in parameters for key in arguments)


def _converted(key: object, value: Any) -> Any:
    if key != "scale":
        return value
    from judgekit.judging.scales import SCORE, Binary, Levels

    if value in ("score", "binary"):
        return SCORE if value == "score" else Binary()
    if isinstance(value, Mapping):
        return Levels(value)
    raise InvalidArgument(f"`scale` is score, binary, or descriptions by level; got {value!r}")


def _shown(parameter: inspect.Parameter) -> str:
    if parameter.kind is parameter.VAR_POSITIONAL:
        return f"{parameter.name} (a list)"
    return parameter.name if parameter.default is parameter.empty else f"{parameter.name} (optional)"
