"""What one span tells, read by the convention in which it is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from judgekit.adapters import semconv
from judgekit.adapters.messages import message_text
from judgekit.adapters.semconv import OpenInference, OpenLLMetry
from judgekit.adapters.span_messages import (
    Messages,
    messages_from_flat,
    messages_from_json,
    messages_from_openinference,
)
from judgekit.adapters.span_shapes import Span, decoded, first_of
from judgekit.adapters.span_tools import ToolSeen, tool_seen
from judgekit.checking import is_finite_number
from judgekit.interaction import ModelCall
from judgekit.jsonable import json_text

__all__ = ["AgentSeen", "Flavour", "ModelSeen", "Seen", "flavour_of", "seen_in"]


class Flavour(Enum):
    """The convention of one span; mixed traces exist."""

    SEMCONV = "semantic conventions"
    OPENINFERENCE = "OpenInference"
    OPENLLMETRY = "OpenLLMetry"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSeen:
    """A request to a model.

    Attributes:
        call: What it was and what it cost.
        inputs: Its messages; None where nobody recorded them.
        outputs: What it was answered with; None likewise.
        offers_tools: Whether the model was offered tools.
        response_id: The provider's id of the answer.
        output_tools: Names that carry a structured answer, and are no tools of the agent's.
    """

    call: ModelCall
    inputs: Messages | None = None
    outputs: Messages | None = None
    offers_tools: bool = False
    response_id: str | None = None
    output_tools: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class AgentSeen:
    """A run of an agent, and its answer where it is text or was made text."""

    answer: str | None = None


Seen = ModelSeen | ToolSeen | AgentSeen


def flavour_of(span: Span) -> Flavour:
    """The convention that a span is written in."""
    names = span.attributes
    if OpenInference.KIND in names:
        return Flavour.OPENINFERENCE
    if OpenLLMetry.KIND in names or OpenLLMetry.REQUEST_TYPE in names:
        return Flavour.OPENLLMETRY
    flattened = (f"{OpenLLMetry.PROMPT}.", f"{OpenLLMetry.COMPLETION}.")
    return Flavour.OPENLLMETRY if any(name.startswith(flattened) for name in names) else Flavour.SEMCONV


def seen_in(span: Span) -> Seen | None:
    """What a span tells of the agent; None for all others (retrievals, chains, web requests)."""
    flavour = flavour_of(span)
    if flavour is Flavour.OPENINFERENCE:
        return _openinference(span)
    return _openllmetry(span) if flavour is Flavour.OPENLLMETRY else _semconv(span)


def _semconv(span: Span) -> Seen | None:
    names = span.attributes
    operation = _word(names.get(semconv.OPERATION))
    if operation == semconv.TOOL_OPERATION or (operation is None and names.get(semconv.TOOL_NAME)):
        return _semconv_tool(span)
    if operation in semconv.AGENT_OPERATIONS:
        return AgentSeen(_semconv_answer(names))
    if operation in semconv.MODEL_OPERATIONS or (operation is None and _looks_like_a_model_call(names)):
        return _semconv_model(span)
    return None


def _word(value: Any) -> str | None:
    return None if value is None else str(value)


def _looks_like_a_model_call(names: Mapping[str, Any]) -> bool:
    tokens = first_of(names, semconv.OUTPUT_TOKENS) is not None
    return semconv.REQUEST_MODEL in names and (tokens or semconv.OUTPUT_MESSAGES in names)


def _semconv_tool(span: Span) -> ToolSeen:
    names = span.attributes
    # `execute_tool getOrder`, and in older spans of pydantic-ai `running tool: getOrder`.
    name = names.get(semconv.TOOL_NAME) or span.name.rpartition(" ")[2]
    return tool_seen(
        span,
        name=str(name),
        id=names.get(semconv.TOOL_CALL_ID),
        arguments=first_of(names, semconv.TOOL_ARGUMENTS),
        result=first_of(names, semconv.TOOL_RESULT),
    )


def _semconv_answer(names: Mapping[str, Any]) -> str | None:
    final = names.get(semconv.AGENT_ANSWER)
    if final is not None:
        return final if isinstance(final, str) else json_text(final)
    return _last_text(messages_from_json(names.get(semconv.OUTPUT_MESSAGES)))


def _last_text(messages: Messages | None) -> str | None:
    texts = [message_text(message) for message in messages or () if message.get("role") != "user"]
    return next((text for text in reversed(texts) if text.strip()), None)


def _semconv_model(span: Span, **changes: Any) -> ModelSeen:
    names = _with_event_attributes(span)
    inputs = messages_from_json(names.get(semconv.INPUT_MESSAGES))
    if inputs is not None and (system := _system_message(names)) is not None:
        inputs = (system, *inputs)
    read: dict[str, Any] = {
        "inputs": inputs,
        "outputs": messages_from_json(names.get(semconv.OUTPUT_MESSAGES)),
        "offers_tools": bool(decoded(names.get(semconv.TOOL_DEFINITIONS))),
        "response_id": _word(names.get(semconv.RESPONSE_ID)),
        "output_tools": _output_tools(names),
    } | changes
    call = _model_call(
        span,
        model=names.get(semconv.RESPONSE_MODEL) or names.get(semconv.REQUEST_MODEL),
        provider=first_of(names, semconv.PROVIDER),
        tokens=(first_of(names, semconv.INPUT_TOKENS), first_of(names, semconv.OUTPUT_TOKENS)),
        reasons=names.get(semconv.FINISH_REASONS),
        inputs=read["inputs"],
    )
    return ModelSeen(call=call, **read)


def _output_tools(names: Mapping[str, Any]) -> frozenset[str]:
    parameters = decoded(names.get(semconv.REQUEST_PARAMETERS))
    listed = parameters.get(semconv.OUTPUT_TOOLS) if isinstance(parameters, Mapping) else None
    tools = [tool for tool in listed or () if isinstance(tool, Mapping)]
    return frozenset(str(tool.get("name")) for tool in tools)


def _with_event_attributes(span: Span) -> Mapping[str, Any]:
    """The span's attributes, and the messages of its events: some producers put the content there."""
    found: dict[str, Any] = {}
    for _, attributes in span.events:
        found |= {
            name: attributes[name]
            for name in (semconv.INPUT_MESSAGES, semconv.OUTPUT_MESSAGES, semconv.SYSTEM_INSTRUCTIONS)
            if name in attributes
        }
    return found | dict(span.attributes) if found else span.attributes


def _system_message(names: Mapping[str, Any]) -> Mapping[str, Any] | None:
    parts = decoded(names.get(semconv.SYSTEM_INSTRUCTIONS))
    if isinstance(parts, str):
        parts = [{"type": "text", "content": parts}]
    if not isinstance(parts, list | tuple) or not parts:
        return None
    read = messages_from_json([{"role": "system", "parts": parts}])
    return read[0] if read else None


def _model_call(
    span: Span, *, model: Any, provider: Any, tokens: tuple[Any, Any], reasons: Any, inputs: Messages | None
) -> ModelCall:
    tokens_in, tokens_out = _count(tokens[0]), _count(tokens[1])
    # A count of 0 prompt tokens is what producers put where none was reported.
    known = bool(tokens_in)
    listed = reasons if isinstance(reasons, list | tuple) else [reasons] if reasons else []
    cost = first_of(span.attributes, semconv.COST)
    return ModelCall(
        model=str(model) if model else None,
        provider=str(provider) if provider else None,
        input_tokens=tokens_in if known else None,
        output_tokens=tokens_out if known else None,
        latency=span.seconds,
        cost=float(cost) if is_finite_number(cost) and cost >= 0 else None,
        finish_reasons=("error",) if span.error is not None else tuple(map(str, listed)),
        messages=inputs or (),
    )


def _count(value: Any) -> int | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _openinference(span: Span) -> Seen | None:
    names = {k: v for k, v in span.attributes.items() if v != OpenInference.REDACTED}
    kind = str(names.get(OpenInference.KIND)).upper()
    if kind == OpenInference.MODEL:
        return _openinference_model(span, names)
    if kind == OpenInference.TOOL:
        arguments = names.get(OpenInference.INPUT)
        if not isinstance(decoded(arguments), dict):
            # Some producers put the tool's schema here, others the arguments.
            parameters = decoded(names.get(OpenInference.TOOL_PARAMETERS))
            is_schema = isinstance(parameters, dict) and parameters.get("type") == "object"
            arguments = arguments if is_schema or parameters is None else parameters
        return tool_seen(
            span,
            name=str(names.get(OpenInference.TOOL_NAME) or span.name),
            id=names.get(OpenInference.TOOL_ID),
            arguments=arguments,
            result=names.get(OpenInference.OUTPUT),
        )
    if kind == OpenInference.AGENT:
        # Data is a framework's state, and no answer.
        is_text = "json" not in str(names.get(OpenInference.OUTPUT_TYPE) or "")
        answer = names.get(OpenInference.OUTPUT)
        return AgentSeen(answer if is_text and isinstance(answer, str) else None)
    return None


def _openinference_model(span: Span, names: Mapping[str, Any]) -> ModelSeen:
    inputs = messages_from_openinference(names, OpenInference.INPUT_MESSAGES)
    outputs = messages_from_openinference(names, OpenInference.OUTPUT_MESSAGES)
    answer = names.get(OpenInference.OUTPUT)
    if outputs is None and isinstance(answer, str) and isinstance(decoded(answer), str):
        outputs = ({"role": "assistant", "content": answer},)
    call = _model_call(
        span,
        model=names.get(OpenInference.MODEL_NAME),
        provider=first_of(names, OpenInference.PROVIDER),
        tokens=(first_of(names, OpenInference.INPUT_TOKENS), first_of(names, OpenInference.OUTPUT_TOKENS)),
        reasons=names.get(OpenInference.FINISH_REASON),
        inputs=inputs,
    )
    offers = any(name.startswith(OpenInference.TOOLS + ".") for name in names)
    return ModelSeen(call=call, inputs=inputs, outputs=outputs, offers_tools=offers)


def _openllmetry(span: Span) -> Seen | None:
    names = span.attributes
    kind = _word(names.get(OpenLLMetry.KIND))
    if kind == OpenLLMetry.TOOL:
        return tool_seen(
            span,
            name=str(names.get(semconv.TOOL_NAME) or names.get(OpenLLMetry.NAME) or span.name),
            id=names.get(semconv.TOOL_CALL_ID),
            arguments=first_of(names, (*semconv.TOOL_ARGUMENTS, OpenLLMetry.INPUT)),
            result=first_of(names, (*semconv.TOOL_RESULT, OpenLLMetry.OUTPUT)),
        )
    if kind in {OpenLLMetry.AGENT, OpenLLMetry.WORKFLOW}:
        answer = decoded(names.get(OpenLLMetry.OUTPUT))
        return AgentSeen(answer if isinstance(answer, str) else None)
    if kind is not None:
        return None
    if (_word(names.get(OpenLLMetry.REQUEST_TYPE)) or "chat") not in OpenLLMetry.GENERATIVE_TYPES:
        return None
    read: dict[str, Any] = {}
    for field, prefix in (("inputs", OpenLLMetry.PROMPT), ("outputs", OpenLLMetry.COMPLETION)):
        messages = messages_from_flat(names, prefix)
        if messages is not None:
            read[field] = messages
    reasons = [
        names[name]
        for name in names
        if name.startswith(OpenLLMetry.COMPLETION + ".") and name.endswith(".finish_reason")
    ]
    if any(name.startswith(OpenLLMetry.TOOLS + ".") for name in names):
        read["offers_tools"] = True
    return _with_reasons(_semconv_model(span, **read), reasons)


def _with_reasons(seen: ModelSeen, reasons: list[Any]) -> ModelSeen:
    if seen.call.finish_reasons or not reasons:
        return seen
    return replace(seen, call=replace(seen.call, finish_reasons=tuple(map(str, reasons))))
