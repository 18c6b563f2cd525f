"""How details show values, calls and numbers, so that unequal things never look equal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from judgekit.interaction import ToolCall
from judgekit.jsonable import is_json_value, json_text
from judgekit.text import bracketed, milliseconds, one_line

__all__ = [
    "ABSENT",
    "called",
    "dollars",
    "durations",
    "listed",
    "shown",
    "shown_arguments",
    "shown_beside",
    "shown_call",
    "told_apart",
]

VALUE_LIMIT = 80
ABSENT = object()


def shown(value: Any, *, quoted: bool = False) -> str:
    """A value on one short line: text as it is, `absent`, else JSON; an object of one's own by its repr."""
    if value is ABSENT:
        return "absent"
    if isinstance(value, str) and not quoted:
        return one_line(value, VALUE_LIMIT)
    return one_line(json_text(value) if is_json_value(value) else repr(value), VALUE_LIMIT)


def shown_beside(expected_text: str, expected: Any, actuals: Iterable[Any]) -> tuple[str, list[str]]:
    """The expected value and the found ones, quoted where `2` and `"2"` would look the same."""
    values = list(actuals)
    texts = [shown(value) for value in values]
    if expected_text not in texts:
        return expected_text, texts
    if isinstance(expected, str):
        expected_text = shown(expected, quoted=True)
    return expected_text, [shown(value, quoted=isinstance(value, str)) for value in values]


def shown_arguments(arguments: Mapping[str, Any] | str) -> str:
    """`{orderId=o_42, amount=5}`; text that is no JSON object as `(text)`."""
    if isinstance(arguments, str):
        return f"({one_line(arguments, VALUE_LIMIT)})"
    return "{" + ", ".join(f"{one_line(str(key))}={shown(value)}" for key, value in arguments.items()) + "}"


def shown_call(name: object, arguments: Mapping[str, Any] | str) -> str:
    """`getOrder{orderId=o_42}`."""
    return f"{one_line(str(name))}{shown_arguments(arguments)}"


def listed(calls: Iterable[ToolCall]) -> str:
    """Every call's name in call order, repeats too: `[a, b, a]`, or `no tools`."""
    names = [one_line(call.name) for call in calls]
    return bracketed(names) if names else "no tools"


def called(calls: Iterable[ToolCall]) -> str:
    """The distinct names in first-call order: `[a, b]`, or `no tools`."""
    names = dict.fromkeys(one_line(call.name) for call in calls)
    return bracketed(names) if names else "no tools"


def told_apart(
    value: float, bound: float, usual: Callable[[float], str], digits: Callable[[float, int], str]
) -> tuple[str, str]:
    """Both numbers as usual, or with as many decimals as keep unequal ones from looking equal."""
    texts = usual(value), usual(bound)
    if texts[0] != texts[1]:
        return texts
    for places in range(1, 13):
        texts = digits(value, places), digits(bound, places)
        if texts[0] != texts[1]:
            return texts
    return usual(value), usual(bound)


def durations(value: float, bound: float) -> tuple[str, str]:
    """Two numbers of seconds as milliseconds."""
    return told_apart(value, bound, milliseconds, lambda seconds, places: f"{seconds * 1000:.{places}f} ms")


def dollars(value: float, bound: float) -> tuple[str, str]:
    """Two amounts of US dollars, four decimals below one dollar."""

    def usual(amount: float) -> str:
        return f"${amount:.2f}" if amount >= 1 or amount == 0 else f"${amount:.4f}"

    return told_apart(value, bound, usual, lambda amount, places: f"${amount:.{places}f}")
