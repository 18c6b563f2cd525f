"""Results of agent frameworks, read by their shape; no framework is imported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from judgekit.adapters.messages import interaction_from_messages, message_text, plain_message, tool_calls_in
from judgekit.interaction import GuardrailResult, Interaction, ModelCall
from judgekit.jsonable import json_text

__all__ = [
    "from_graph_state",
    "from_openai_agents",
    "from_pydantic_ai",
    "is_graph_state",
]

# pydantic-ai answers the tool that carries a structured output with these; it is no tool of the agent's.
_OUTPUT_TOOL_ANSWERS = ("Final result processed", "Output tool not used")


def _with_output(output: object, read: Interaction, fields: dict[str, Any]) -> dict[str, Any]:
    """The reply as the framework gives it, and the model's own text where the two differ."""
    reply = output if isinstance(output, str) or output is None else json_text(output)
    if reply is not None and reply != read.reply:
        fields["model_text"] = read.reply
    return {**fields, "reply": reply}


def _call_made(model: Any, usage: Any, **fields: Any) -> ModelCall:
    """A model call. A count of 0 prompt tokens is what frameworks put where none was reported."""
    tokens_in, tokens_out = _field(usage, "input_tokens"), _field(usage, "output_tokens")
    reported = isinstance(tokens_in, int) and tokens_in > 0
    return ModelCall(
        model=str(model) if model else None,
        input_tokens=tokens_in if reported else None,
        output_tokens=tokens_out if reported else None,
        **fields,
    )


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def is_graph_state(value: object) -> bool:
    """Whether it is a LangGraph state: a mapping, or a state object, with a list of messages."""
    if isinstance(value, type | Interaction):
        return False
    return isinstance(_field(value, "messages"), list | tuple) and not hasattr(value, "choices")


def from_graph_state(state: Any, command_text: str) -> Interaction:
    """A LangGraph state: the calls are those since the command, the messages the whole conversation.

    A `structured_response` in it is the reply.
    """
    messages = _field(state, "messages")
    plain = [plain_message(message, position) for position, message in enumerate(messages)]
    begun = _asked_at(plain, command_text)
    fields: dict[str, Any] = {"command_text": command_text, "tool_calls": tool_calls_in(plain[begun:])}
    fields |= _langchain_calls(messages[begun:])
    structured = _field(state, "structured_response")
    if structured is not None:
        fields = _with_output(structured, interaction_from_messages(plain), fields)
    return interaction_from_messages(plain, **fields)


def _asked_at(messages: list[Mapping[str, Any]], command_text: str) -> int:
    """Where the command stands; 0 where it does not, so that no call is lost.

    The last user message will not do: nodes of a graph put some there too.
    """
    asked = command_text.strip()
    for position in range(len(messages) - 1, 0, -1):
        message = messages[position]
        if asked and message.get("role") == "user" and message_text(message).strip() == asked:
            return position
    return 0


def _langchain_calls(messages: Iterable[Any]) -> dict[str, Any]:
    """A model call for each answer, where the metadata of any answer tells of one."""
    answers = [m for m in messages if getattr(m, "type", None) in {"ai", "AIMessageChunk"}]
    about = [getattr(answer, "response_metadata", None) or {} for answer in answers]
    usages = [getattr(answer, "usage_metadata", None) for answer in answers]
    if not any(about) and not any(usages):
        return {}
    calls = tuple(
        _call_made(
            data.get("model_name") or data.get("model"),
            usage or {},
            provider=data.get("model_provider"),
            finish_reasons=_reasons(data.get("finish_reason") or data.get("stop_reason")),
        )
        for data, usage in zip(about, usages, strict=True)
    )
    return {"model_calls": calls}


def _reasons(reason: Any) -> tuple[str, ...]:
    return (str(reason),) if reason else ()


def from_pydantic_ai(result: Any, command_text: str) -> Interaction:
    """A pydantic-ai result: the calls are those of this run, the messages the whole conversation."""
    new, whole = _from_parts(result.new_messages()), _from_parts(result.all_messages())
    responses = [m for m in result.new_messages() if getattr(m, "kind", "") == "response"]
    calls = tuple(
        _call_made(
            getattr(response, "model_name", None),
            getattr(response, "usage", None),
            provider=getattr(response, "provider_name", None),
            finish_reasons=_reasons(getattr(response, "finish_reason", None)),
        )
        for response in responses
    )
    fields = {"command_text": command_text, "tool_calls": tool_calls_in(new), "model_calls": calls}
    read = interaction_from_messages(whole)
    return interaction_from_messages(whole, **_with_output(result.output, read, fields))


def _from_parts(messages: Iterable[Any]) -> list[dict[str, Any]]:
    listed = list(messages)
    hidden = {
        part.tool_call_id
        for message in listed
        for part in message.parts
        if part.part_kind == "tool-return" and str(part.content).startswith(_OUTPUT_TOOL_ANSWERS)
    }
    found: list[dict[str, Any]] = []
    for message in listed:
        if getattr(message, "kind", "") == "response":
            found.append(_response_message(message.parts, hidden))
        else:
            found.extend(_request_message(part) for part in message.parts if _id_of(part) not in hidden)
    return found


def _id_of(part: Any) -> Any:
    return getattr(part, "tool_call_id", None)


def _response_message(parts: Iterable[Any], hidden: set[Any]) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    for part in parts:
        if part.part_kind == "text":
            content.append({"type": "text", "text": part.content})
        elif part.part_kind.endswith("tool-call") and _id_of(part) not in hidden:
            content.append(
                {"type": "tool_use", "id": _id_of(part), "name": part.tool_name, "input": part.args}
            )
        elif part.part_kind.endswith("tool-return"):  # of a tool that the provider runs itself
            content.append({"type": "tool_result", "tool_use_id": _id_of(part), "content": part.content})
    return {"role": "assistant", "content": content}


def _request_message(part: Any) -> dict[str, Any]:
    kind = part.part_kind
    if kind == "tool-return" or (kind == "retry-prompt" and getattr(part, "tool_name", None)):
        failed = kind == "retry-prompt" or getattr(part, "outcome", None) not in {None, "success"}
        return {
            "role": "tool",
            "tool_call_id": _id_of(part),
            "name": part.tool_name,
            "content": part.content,
            "status": "error" if failed else "success",
        }
    content = getattr(part, "content", None)
    if isinstance(content, list | tuple):
        content = [{"type": "text", "text": item} if isinstance(item, str) else item for item in content]
    # Instructions and complaints of the framework are nothing that a user said.
    return {"role": "user" if kind == "user-prompt" else "system", "content": content}


def from_openai_agents(result: Any, command_text: str) -> Interaction:
    """An openai-agents result: the calls are those of this run, the messages the whole conversation.

    Raises:
        TypeError: It is a stream that was not read to its end, and tells of too few calls.
    """
    if getattr(result, "is_complete", True) is False:
        raise TypeError(
            "the agent returned a stream of openai-agents that was not read to its end; write "
            "`async for _ in result.stream_events(): pass` before `return result`"
        )
    whole = result.to_input_list()
    new = [item.to_input_item() for item in getattr(result, "new_items", None) or ()]
    calls = tuple(
        _call_made(_served(response), getattr(response, "usage", None))
        for response in getattr(result, "raw_responses", None) or ()
    )
    fields: dict[str, Any] = {
        "command_text": command_text,
        "tool_calls": tool_calls_in(new),
        "model_calls": calls,
        "guardrails": tuple(_guardrails(result)),
    }
    read = interaction_from_messages(whole)
    return interaction_from_messages(whole, **_with_output(result.final_output, read, fields))


def _served(response: Any) -> Any:
    for item in getattr(response, "output", None) or ():
        data = getattr(item, "provider_data", None)
        if isinstance(data, Mapping) and data.get("model"):
            return data["model"]
    return None


def _guardrails(result: Any) -> Iterable[GuardrailResult]:
    for category in ("input", "output"):
        for found in getattr(result, f"{category}_guardrail_results", None) or ():
            guardrail = found.guardrail
            name = guardrail.get_name() if hasattr(guardrail, "get_name") else guardrail.name
            yield GuardrailResult(str(name), category, passed=not found.output.tripwire_triggered)
