"""The calls an agent made, compared as a whole with the calls expected of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalCase, EvalResult, built_in_label
from judgekit.evaluators.arguments import unreadable
from judgekit.evaluators.differences import described, laid_beside
from judgekit.evaluators.evidence import NO_TRACE, PASSED
from judgekit.evaluators.matching import is_subsequence, maximum_matching
from judgekit.evaluators.names import NamePattern, ToolName, checked_name, checked_names, name_fits
from judgekit.evaluators.values import check_expected, object_fits
from judgekit.interaction import Interaction, ToolCall

__all__ = ["ExpectedCall", "Trajectory", "should_make_calls"]

Match = Literal["exact", "any_order", "in_order", "superset"]
Arguments = Literal["equal", "subset", "ignore"]
CallLike: TypeAlias = (
    "ToolCall | ExpectedCall | tuple[ToolName, Mapping[str, Any]] | Mapping[str, Any] | ToolName"
)

_LABEL = "trajectory"


@dataclass(frozen=True, slots=True)
class ExpectedCall:
    """One call that the agent is expected to make; `arguments` None where they are not looked at."""

    name: ToolName
    arguments: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        checked_name(_LABEL, self.name)
        if self.arguments is None:
            return
        if not isinstance(self.arguments, Mapping):
            raise InvalidArgument(
                f"{_LABEL}: the arguments of {self.name} must be a mapping, got {self.arguments!r}"
            )
        check_expected(_LABEL, self.arguments)
        object.__setattr__(self, "arguments", dict(self.arguments))

    def fits(self, call: ToolCall, arguments: Arguments, *, lenient: bool = False) -> bool:
        """Whether a made call is this one; arguments that cannot be read fit only where `lenient`."""
        if not name_fits(self.name, call.name):
            return False
        if arguments == "ignore" or self.arguments is None:
            return True
        if isinstance(call.arguments, str):
            return lenient
        return object_fits(self.arguments, call.arguments, subset=arguments == "subset")


def _expected_call(call: object, arguments: Arguments) -> ExpectedCall:
    if isinstance(call, str | NamePattern):
        if arguments != "ignore":
            raise InvalidArgument(
                f"{_LABEL}: the call {str(call)!r} has no arguments to compare; "
                f'write ({str(call)!r}, {{...}}), or arguments="ignore"'
            )
        return ExpectedCall(call)
    if isinstance(call, ExpectedCall):
        return call
    if isinstance(call, ToolCall):
        return _with_arguments(call.name, call.arguments)
    if isinstance(call, tuple) and len(call) == 2:
        return _with_arguments(*call)
    if isinstance(call, Mapping) and set(call) == {"name", "arguments"}:
        return _with_arguments(call["name"], call["arguments"])
    raise InvalidArgument(
        f'{_LABEL}: a call must be a ToolCall, ("name", {{...}}) or {{"name": ..., "arguments": {{...}}}}, '
        f"got {call!r}"
    )


def _with_arguments(name: Any, arguments: Any) -> ExpectedCall:
    if isinstance(name, NamePattern):
        return ExpectedCall(name, {} if arguments is None else arguments)
    # ToolCall reads arguments in every form that providers send: mapping, JSON text, empty, None.
    checked_name(_LABEL, name)
    read = ToolCall(name, arguments).arguments
    if isinstance(read, str):
        raise InvalidArgument(f"{_LABEL}: the arguments of {name} are text that is no JSON object: {read!r}")
    return ExpectedCall(name, read)


@built_in_label(_LABEL)
@dataclass(frozen=True, slots=True)
class Trajectory:
    """The calls made are the expected ones. See `should_make_calls`."""

    calls: tuple[ExpectedCall, ...]
    match: Match = "exact"
    only: tuple[ToolName, ...] | None = None
    arguments: Arguments = "equal"
    allow_empty: bool = False
    _selected: tuple[ExpectedCall, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name, value, kind in (("match", self.match, Match), ("arguments", self.arguments, Arguments)):
            if value not in get_args(kind):
                allowed = ", ".join(map(repr, get_args(kind)))
                raise InvalidArgument(f"{_LABEL}: `{name}` must be one of {allowed}, got {value!r}")
        _check_list(self.calls)
        put(self, "calls", tuple(_expected_call(call, self.arguments) for call in self.calls))
        if self.only is not None:
            put(self, "only", checked_names(_LABEL, self.only))
        put(self, "_selected", tuple(call for call in self.calls if self._concerns(call.name)))
        if not self._selected and self.match in ("in_order", "superset") and not self.allow_empty:
            raise InvalidArgument(
                f'{_LABEL}: no call is expected, so match="{self.match}" could never fail; '
                'write match="exact" where none may be made, or allow_empty=True'
            )

    def _concerns(self, name: ToolName) -> bool:
        if self.only is None:
            return True
        if isinstance(name, NamePattern):
            return name in self.only or any(name_fits(only, name.glob) for only in self.only)
        return any(name_fits(only, name) for only in self.only)

    def evaluate(self, case: EvalCase, interaction: Interaction) -> EvalResult:
        """PASS when they are; INCONCLUSIVE without a trace, or where unreadable arguments decide."""
        made: Sequence[ToolCall] | None = interaction.tool_calls
        if made is None:
            return NO_TRACE
        if self.only is not None:
            made = [call for call in made if self._concerns(call.name)]
        if self._holds(made, lenient=False):
            return PASSED
        if self.arguments != "ignore":
            for call in made:
                if isinstance(call.arguments, str) and self._holds(made, lenient=True):
                    return unreadable(call.name, [call]) or NO_TRACE
        return EvalResult.failed(self._difference(made))

    def _holds(self, made: Sequence[ToolCall], *, lenient: bool) -> bool:
        def fits(expected: ExpectedCall, call: ToolCall) -> bool:
            return expected.fits(call, self.arguments, lenient=lenient)

        expected = self._selected
        if self.match in ("exact", "any_order") and len(expected) != len(made):
            return False
        if self.match == "exact":
            return all(map(fits, expected, made))
        if self.match == "in_order":
            return is_subsequence(expected, made, fits)
        if all(map(fits, expected, made)) and len(expected) <= len(made):
            return True
        return None not in maximum_matching(expected, made, fits)

    def _difference(self, made: Sequence[ToolCall]) -> str:
        def fits(expected: ExpectedCall, call: ToolCall) -> bool:
            return expected.fits(call, self.arguments)

        def alike(expected: ExpectedCall, call: ToolCall) -> bool:
            return name_fits(expected.name, call.name)

        in_order = self.match in ("exact", "in_order")
        extra_allowed = self.match in ("in_order", "superset")
        steps = laid_beside(self._selected, made, fits, alike, in_order=in_order, extra_allowed=extra_allowed)
        return described(
            steps,
            [(call.name, call.arguments) for call in self._selected],
            made,
            match=self.match,
            subset=self.arguments == "subset",
        )


def should_make_calls(
    calls: Iterable[CallLike],
    *,
    match: Match = "exact",
    only: Iterable[ToolName] | None = None,
    arguments: Arguments = "equal",
    allow_empty: bool = False,
) -> Trajectory:
    """The agent makes these calls; each made call is used once.

    Args:
        calls: The expected calls: `ToolCall`, `("name", {...})` or `{"name": ..., "arguments": {...}}`.
            Values compare as in `should_call_tool_with`; `accepted(...)` takes several and `optional(...)`
            may be left out. With `arguments="ignore"` bare names will do.
        match: `"exact"`: these and no others, in this order. `"any_order"`: these and no others.
            `"in_order"`: in this order, others allowed. `"superset"`: any order, others allowed.
        only: Names or patterns; calls to other tools are left out of both lists first.
        arguments: `"equal"`: these arguments and no others. `"subset"`: at least these. `"ignore"`:
            names alone.
        allow_empty: Allow an empty list where it can never fail (`"in_order"`, `"superset"`).

    Raises:
        InvalidArgument: A call that cannot be understood, another mode, or an empty list that can never
            fail.
    """
    if isinstance(only, str | NamePattern):
        raise InvalidArgument(f"{_LABEL}: `only` must be a list of names, got {str(only)!r}; write [...]")
    _check_list(calls)
    selected = None if only is None else tuple(only)
    expected = tuple(_expected_call(call, arguments) for call in calls)
    return Trajectory(expected, match, selected, arguments, allow_empty)


def _check_list(calls: object) -> None:
    one = isinstance(calls, str | NamePattern | Mapping | ToolCall | ExpectedCall)
    if one or not isinstance(calls, Iterable):
        raise InvalidArgument(f"{_LABEL}: `calls` must be a list of calls, got {calls!r}; write [...]")
