"""Spans that tell of one and the same call: a framework and a client library may both write one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from judgekit.adapters import semconv
from judgekit.adapters.messages import message_text
from judgekit.adapters.span_flavours import ModelSeen, Seen, flavour_of
from judgekit.adapters.span_shapes import Span
from judgekit.adapters.span_tools import ToolSeen

__all__ = ["Call", "calls_once"]

T = TypeVar("T", ModelSeen, ToolSeen)


@dataclass(slots=True)
class Call(Generic[T]):
    """One call: its first span, what all its spans tell together, and who wrote them."""

    span: Span
    seen: T
    producers: set[str] = field(default_factory=set)


def calls_once(spans: Mapping[int, tuple[Span, T]], above: Mapping[int, tuple[Span, Seen]]) -> list[Call[T]]:
    """The calls, each once, in the order in which they began.

    Args:
        spans: By a key of each, in the order in which they began.
        above: By the same key, the nearest span around it that tells something.
    """
    calls: list[Call[T]] = []
    owner: dict[int, Call[T]] = {}
    for key, (span, seen) in spans.items():
        outer = above.get(key)
        call = owner.get(id(outer[0])) if outer is not None else None
        if call is None or not _is_inside(call, outer, span, seen):
            call = next((known for known in calls if _is_twin(known, span, seen)), None)
        if call is None:
            call = Call(span, seen)
            calls.append(call)
        else:
            call.seen = _together(call.seen, seen)
        call.producers.add(_producer(span))
        owner[id(span)] = call
    return calls


def _producer(span: Span) -> str:
    return span.scope or flavour_of(span).value


def _is_inside(call: Call[T], outer: tuple[Span, Seen] | None, span: Span, seen: T) -> bool:
    """Whether a call inside of another is that call; a stream left open may hold later calls too."""
    if outer is None:
        return False
    holder = outer[1]
    if isinstance(seen, ToolSeen):
        return isinstance(holder, ToolSeen) and (
            _same_execution(holder, seen) or _is_handed_on(holder, span, seen)
        )
    return isinstance(holder, ModelSeen) and _overlap(outer[0], span) and _same_request(holder, seen)


def _is_twin(call: Call[T], span: Span, seen: T) -> bool:
    """Whether two spans side by side are one call: some producers do not nest theirs in others'."""
    known = call.seen
    if isinstance(seen, ModelSeen) and isinstance(known, ModelSeen):
        if seen.response_id and known.response_id:
            return seen.response_id == known.response_id and _overlap(call.span, span)
        told = seen.outputs is not None and known.outputs is not None
        alike = told and _said(seen) == _said(known)
    elif isinstance(seen, ToolSeen) and isinstance(known, ToolSeen):
        told = isinstance(seen.arguments, Mapping) and isinstance(known.arguments, Mapping)
        alike = told and _same_execution(known, seen)
    else:
        return False
    # Calls of one producer are calls of their own, however alike.
    return alike and _producer(span) not in call.producers and _covers(call.span, span)


def _same_request(one: ModelSeen, other: ModelSeen) -> bool:
    if one.response_id and other.response_id:
        return one.response_id == other.response_id
    return not (one.outputs and other.outputs) or _said(one) == _said(other)


def _said(seen: ModelSeen) -> tuple[str, int]:
    outputs = seen.outputs or ()
    calls = sum(len(message.get("tool_calls") or ()) for message in outputs)
    return "".join(map(message_text, outputs)), calls


def _same_execution(one: ToolSeen, other: ToolSeen) -> bool:
    if one.name != other.name or (one.id and other.id and one.id != other.id):
        return False
    return _same_arguments(one, other)


def _same_arguments(one: ToolSeen, other: ToolSeen) -> bool:
    return one.arguments is None or other.arguments in (None, one.arguments)


def _is_handed_on(holder: ToolSeen, span: Span, seen: ToolSeen) -> bool:
    """Whether a framework's tool is that of an MCP server, whose name it puts a prefix before."""
    if span.attributes.get(semconv.MCP_METHOD) != semconv.MCP_TOOL_CALL:
        return False
    prefix = holder.name.removesuffix(seen.name)
    return prefix != holder.name and not prefix[-1:].isalnum() and _same_arguments(holder, seen)


def _overlap(one: Span, other: Span) -> bool:
    if not one.end or not other.end:
        return True
    return one.start <= other.end and other.start <= one.end


def _covers(one: Span, other: Span) -> bool:
    if not one.end or not other.end:
        return False
    inside = one.start <= other.start and other.end <= one.end
    return inside or (other.start <= one.start and one.end <= other.end)


def _together(kept: T, other: T) -> T:
    """What two spans of one call tell."""
    if isinstance(kept, ToolSeen) and isinstance(other, ToolSeen):
        ended = kept.result is not None or kept.error is not None
        return replace(
            kept,
            id=kept.id or other.id,
            arguments=kept.arguments if isinstance(kept.arguments, Mapping) else other.arguments,
            result=kept.result if ended else other.result,
            error=kept.error if ended else other.error,
        )
    if not isinstance(kept, ModelSeen) or not isinstance(other, ModelSeen):
        return kept
    call = kept.call
    names = ["model", "provider", "cost", "finish_reasons", "messages"]
    missing = {name: getattr(other.call, name) for name in names if not getattr(call, name)}
    if call.input_tokens is None and call.output_tokens is None:
        missing |= {name: getattr(other.call, name) for name in ("input_tokens", "output_tokens")}
    return ModelSeen(
        call=replace(call, **missing),
        inputs=kept.inputs if kept.inputs is not None else other.inputs,
        outputs=kept.outputs if kept.outputs is not None else other.outputs,
        offers_tools=kept.offers_tools or other.offers_tools,
        response_id=kept.response_id or other.response_id,
        output_tools=kept.output_tools | other.output_tools,
    )
