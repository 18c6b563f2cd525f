"""Published ground truth of function calling, as expected calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from judgekit.errors import InvalidArgument
from judgekit.evaluators.trajectory import ExpectedCall
from judgekit.evaluators.values import accepted, optional

__all__ = ["expected_calls"]


def expected_calls(
    ground_truth: Iterable[Mapping[str, Mapping[str, Any]]] | None,
) -> tuple[ExpectedCall, ...]:
    """The calls of a ground truth as the Berkeley Function Calling Leaderboard writes it.

    A call is `{"name": {"argument": [accepted values]}}`; an empty text among the values means that the
    argument may be left out. None means that no call is expected. Give the result to
    `should_make_calls(..., match="any_order")`.

    Raises:
        InvalidArgument: It is no such ground truth.
    """
    if isinstance(ground_truth, str | Mapping):
        raise InvalidArgument(f"`ground_truth` must be a list of calls, got {ground_truth!r:.200}")
    return tuple(_expected_call(call) for call in ground_truth or ())


def _expected_call(call: object) -> ExpectedCall:
    if not isinstance(call, Mapping) or len(call) != 1:
        raise InvalidArgument(
            f'a call of a ground truth is {{"name": {{"argument": [values]}}}}, got {call!r:.200}'
        )
    [(name, arguments)] = call.items()
    if not isinstance(arguments, Mapping):
        raise InvalidArgument(
            f"the arguments of {name} must be a mapping to lists of values, got {arguments!r:.200}"
        )
    return ExpectedCall(name, {key: _argument(values) for key, values in arguments.items()})


def _argument(values: Any) -> Any:
    # An empty list stands for itself: there are rows whose only right value it is.
    if not isinstance(values, list) or not values:
        return values
    build = optional if "" in values else accepted
    return build(*map(_value, values))


def _value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _argument(values) for name, values in value.items()}
    return [_value(item) for item in value] if isinstance(value, list) else value
