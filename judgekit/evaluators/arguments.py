"""What the agent passed to a tool, one argument or several together, and what came back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalCase, EvalResult, built_in_label
from judgekit.evaluators.evidence import NO_TRACE, PASSED
from judgekit.evaluators.names import ToolName, checked_name, name_fits
from judgekit.evaluators.values import AcceptedValues, check_expected, object_fits, shown_expected, value_fits
from judgekit.evaluators.wording import ABSENT, called, shown, shown_beside
from judgekit.interaction import Interaction, ToolCall
from judgekit.text import bracketed, counted, one_line

__all__ = [
    "ToolArgument",
    "ToolArguments",
    "argument_differences",
    "should_call_tool_with",
    "should_call_tool_with_arguments",
]


def _calls_to(tool: ToolName, calls: Iterable[ToolCall]) -> list[ToolCall]:
    return [call for call in calls if name_fits(tool, call.name)]


def _never_called(tool: ToolName, calls: Iterable[ToolCall]) -> EvalResult:
    return EvalResult.inconclusive(f"never called {bracketed([tool])}; called {called(calls)}")


def unreadable(tool: object, calls: Iterable[ToolCall]) -> EvalResult | None:
    """The inconclusive result where a call's arguments are text that is no JSON object."""
    for call in calls:
        if isinstance(call.arguments, str):
            text = shown(call.arguments)
            return EvalResult.inconclusive(
                f"{tool} was called with arguments that are no JSON object: {text}"
            )
    return None


@built_in_label("tool-arguments")
@dataclass(frozen=True, slots=True)
class ToolArgument:
    """Some call to the tool carries the argument with this value. See `should_call_tool_with`."""

    tool: ToolName
    argument: str
    value: Any
    _shown: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        checked_name("tool-arguments", self.tool)
        _check_argument_name("tool-arguments", self.argument)
        check_expected("tool-arguments", {self.argument: self.value})
        # Shown once, when built: an object with its own `__eq__` may change its repr when it is compared.
        object.__setattr__(self, "_shown", shown_expected(self.value))

    def evaluate(self, case: EvalCase, interaction: Interaction) -> EvalResult:
        """PASS when one call carries it; INCONCLUSIVE where the tool was never called or no trace is."""
        calls = interaction.tool_calls
        if calls is None:
            return NO_TRACE
        tool, argument, value = self.tool, self.argument, self.value
        for call in calls:
            if name_fits(tool, call.name) and self._carried(call.arguments, argument, value):
                return PASSED
        made = _calls_to(tool, calls)
        if not made:
            return _never_called(tool, calls)
        return unreadable(tool, made) or self._failed(made)

    @staticmethod
    def _carried(arguments: Mapping[str, Any] | str, argument: str, value: Any) -> bool:
        if isinstance(arguments, str):
            return False
        if argument in arguments:
            return value_fits(value, arguments[argument])
        return isinstance(value, AcceptedValues) and value.may_be_absent

    def _failed(self, made: Iterable[ToolCall]) -> EvalResult:
        found = [
            ABSENT if isinstance(call.arguments, str) else call.arguments.get(self.argument, ABSENT)
            for call in made
        ]
        expected, actual = shown_beside(self._shown, self.value, found)
        return EvalResult.failed(
            f"{self.tool}({one_line(self.argument)}) expected {expected}, was {bracketed(actual)}"
        )


def _check_argument_name(label: str, name: object) -> None:
    if not isinstance(name, str) or not name.strip():
        raise InvalidArgument(f"{label}: an argument's name must be text that is not blank, got {name!r}")


def argument_differences(
    expected: Mapping[str, Any], actual: Mapping[str, Any], *, subset: bool
) -> tuple[str, ...]:
    """What is wrong with a call's arguments, one phrase an argument: `amount expected 5, was 6`."""
    wrong = []
    for key, value in expected.items():
        name = one_line(str(key))
        if key in actual:
            if not value_fits(value, actual[key]):
                text, found = shown_beside(shown_expected(value), value, [actual[key]])
                wrong.append(f"{name} expected {text}, was {found[0]}")
        elif not (isinstance(value, AcceptedValues) and value.may_be_absent):
            text, found = shown_beside(shown_expected(value), value, [ABSENT])
            wrong.append(f"{name} expected {text}, was {found[0]}")
    if not subset:
        wrong += [
            f"{one_line(str(key))} unexpected, was {shown_expected(value)}"
            for key, value in actual.items()
            if key not in expected
        ]
    return tuple(wrong)


@built_in_label("tool-arguments-together")
@dataclass(frozen=True, slots=True)
class ToolArguments:
    """One and the same call carries all the arguments. See `should_call_tool_with_arguments`."""

    tool: ToolName
    arguments: Mapping[str, Any]
    match: Literal["subset", "exact"] = "subset"

    def __post_init__(self) -> None:
        label = "tool-arguments-together"
        checked_name(label, self.tool)
        if not isinstance(self.arguments, Mapping):
            raise InvalidArgument(f"{label}: `arguments` must be a mapping, got {self.arguments!r}")
        if self.match not in ("subset", "exact"):
            raise InvalidArgument(f'{label}: `match` must be "subset" or "exact", got {self.match!r}')
        if not self.arguments and self.match == "subset":
            raise InvalidArgument(
                f"{label}: `arguments` is empty, which every call carries; write should_call_tool("
                f'{str(self.tool)!r}), or match="exact" for a call without arguments'
            )
        for name in self.arguments:
            _check_argument_name(label, name)
        check_expected(label, self.arguments)
        object.__setattr__(self, "arguments", dict(self.arguments))

    def evaluate(self, case: EvalCase, interaction: Interaction) -> EvalResult:
        """PASS when one call has them all; INCONCLUSIVE where the tool was never called or no trace is."""
        calls = interaction.tool_calls
        if calls is None:
            return NO_TRACE
        subset = self.match == "subset"
        for call in calls:
            if (
                name_fits(self.tool, call.name)
                and not isinstance(call.arguments, str)
                and object_fits(self.arguments, call.arguments, subset=subset)
            ):
                return PASSED
        made = _calls_to(self.tool, calls)
        if not made:
            return _never_called(self.tool, calls)
        return unreadable(self.tool, made) or self._failed(made, subset)

    def _failed(self, made: list[ToolCall], subset: bool) -> EvalResult:
        wrong = [
            argument_differences(self.arguments, call.arguments, subset=subset)
            for call in made
            if not isinstance(call.arguments, str)
        ]
        closest = min(wrong, key=len)
        return EvalResult.failed(
            f"{self.tool}: no call carries all of {shown_expected_call(self.arguments)}; "
            f"closest of {counted(len(made), 'call')}: {', '.join(closest)}"
        )


def shown_expected_call(arguments: Mapping[str, Any]) -> str:
    """Expected arguments as `{orderId=o_42, qty=accepted(2, 3)}`."""
    return "{" + ", ".join(f"{one_line(str(key))}={shown_expected(v)}" for key, v in arguments.items()) + "}"


def should_call_tool_with(tool: ToolName, argument: str, value: Any) -> ToolArgument:
    """Some call to the tool carries the argument with this value.

    Values compare as JSON, all the way down: 2 equals 2.0, true is not 1, "2" is not 2, absent is not
    null. `accepted(2, 3)` takes several, and an object with its own `__eq__` decides by itself.
    Where the tool was never called the result is inconclusive: that failure belongs to `should_call_tool`.

    Raises:
        InvalidArgument: The tool's or the argument's name is blank.
    """
    return ToolArgument(tool, argument, value)


def should_call_tool_with_arguments(
    tool: ToolName, arguments: Mapping[str, Any], *, match: Literal["subset", "exact"] = "subset"
) -> ToolArguments:
    """One and the same call to the tool carries all these arguments.

    Args:
        tool: The tool's exact name, or `pattern(...)`.
        arguments: Names and values; they compare as in `should_call_tool_with`, and `optional(...)` may
            be left out.
        match: `"subset"` allows further arguments, `"exact"` none.

    Raises:
        InvalidArgument: A blank name, another `match`, or no arguments where every call would do.
    """
    return ToolArguments(tool, arguments, match)
