"""What a tool did inside itself: a framework's result tells of its own run, and not of a sub-agent's."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from judgekit.interaction import Interaction, ModelCall, ToolCall
from judgekit.jsonable import json_equal

__all__ = ["Executed", "with_nested_requests", "with_nested_tools"]

Executed: TypeAlias = "tuple[int, ToolCall]"
"""A call that was seen, and the number of tools that it lies in."""


def with_nested_tools(interaction: Interaction, executed: Sequence[Executed]) -> Interaction:
    """The interaction with the calls that were seen inside of its tools, and that it does not tell of.

    The calls that it tells of stand as they are, in their order; where it tells of none, nothing is added.

    Args:
        interaction: What the agent's own answer says.
        executed: Every call that was seen, in the order in which they began.
    """
    if interaction.tool_calls is None or not any(depth for depth, _ in executed):
        return interaction
    found, waiting = list(interaction.tool_calls), list(interaction.tool_calls)
    told: dict[int, ToolCall | None] = {}
    # Outer calls first: a result tells of those, and a sub-agent's may look the same.
    for place in sorted(range(len(executed)), key=lambda place: executed[place][0]):
        told[place] = _taken(executed[place][1], waiting)
    behind = 0
    for place, (depth, call) in enumerate(executed):
        same = told[place]
        if same is not None:
            behind = max(behind, next(at for at, item in enumerate(found) if item is same) + 1)
        elif depth:
            found.insert(behind, call)
            behind += 1
    return dataclasses.replace(interaction, tool_calls=found)


def _taken(call: ToolCall, waiting: list[ToolCall]) -> ToolCall | None:
    """The call that this one is, taken out of those that wait: each counts once."""
    for place, item in enumerate(waiting):
        if item.name == call.name and _is_same(item, call):
            return waiting.pop(place)
    return None


def _is_same(one: ToolCall, other: ToolCall) -> bool:
    if one.id and other.id:
        return one.id == other.id
    arguments = (one.arguments, other.arguments)
    return not all(isinstance(item, Mapping) for item in arguments) or json_equal(*arguments)


def with_nested_requests(interaction: Interaction, requests: Sequence[tuple[int, ModelCall]]) -> Interaction:
    """The interaction with the model calls that were seen inside of its tools.

    Args:
        interaction: What the agent's own answer says.
        requests: Every model call that was seen, with the number of tools that it lies in.
    """
    nested = [call for depth, call in requests if depth]
    # An answer with more calls than the outermost agent made tells of the others too.
    if interaction.model_calls is None or len(interaction.model_calls) > len(requests) - len(nested):
        return interaction
    if not nested:
        return interaction
    calls = (*interaction.model_calls, *nested)
    # Sums over some of the calls are none of the whole turn; they are made anew.
    return dataclasses.replace(
        interaction, model_calls=calls, input_tokens=None, output_tokens=None, cost=None
    )
