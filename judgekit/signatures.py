"""Whether a user's function takes the session beside what it is always given."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from judgekit.errors import InvalidArgument

__all__ = ["check_takes", "takes_session"]

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def takes_session(function: Callable[..., Any], *, given: int) -> bool:
    """Whether `function` wants the session after its `given` arguments.

    A parameter with a default wants it only if it is called `session`; so does one without.

    Raises:
        InvalidArgument: The function can be called neither with nor without the session.
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return False
    places = [parameter for parameter in parameters if parameter.kind in _POSITIONAL]
    takes_more = any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters)
    needed = [parameter.name for parameter in parameters if _is_needed(parameter)]
    wants = len(places) > given and (places[given].name == "session" or _is_needed(places[given]))
    room = takes_more or len(places) >= given
    if (
        not room
        or len(needed) > given + wants
        or any(p.kind is p.KEYWORD_ONLY and _is_needed(p) for p in parameters)
    ):
        raise InvalidArgument(_unfit(function, given))
    return wants


def check_takes(shown: str, function: Callable[..., Any], *names: str) -> None:
    """Refuse a function that cannot be called with so many arguments by position.

    Raises:
        InvalidArgument: It takes more or fewer; the text begins with `shown`.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*names)
    except TypeError:
        raise InvalidArgument(f"{shown} must take ({', '.join(names)}), got {signature}") from None


def _is_needed(parameter: inspect.Parameter) -> bool:
    variadic = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    return parameter.default is parameter.empty and not variadic


def _unfit(function: Callable[..., Any], given: int) -> str:
    name = getattr(function, "__name__", type(function).__name__)
    first = "value" if given else ""
    both = "value, session" if given else "session"
    return f"{name}{inspect.signature(function)} must take ({first}) or ({both})"
