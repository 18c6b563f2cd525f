"""Messages as spans hold them, as chat messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from judgekit.adapters import semconv
from judgekit.adapters.span_shapes import decoded, tree

__all__ = ["Messages", "messages_from_flat", "messages_from_json", "messages_from_openinference"]

Messages = tuple[Mapping[str, Any], ...]


def _mappings(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        value = [value] if value else []
    for item in value if isinstance(value, list | tuple) else ():
        if isinstance(item, Mapping):
            yield item


def messages_from_json(value: Any) -> Messages | None:
    """The messages of `gen_ai.input.messages` and its like: JSON text, or data. None: there are none.

    Each holds `parts`; older producers write chat messages, which stay as they are.
    """
    found = decoded(value)
    if not isinstance(found, list | tuple):
        return None
    return tuple(chat for message in _mappings(found) for chat in _chat_messages(message))


def _chat_messages(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    parts = message.get("parts")
    role = str(message.get("role") or "user")
    if not isinstance(parts, list | tuple):
        yield {**message, "role": role}
        return
    content: list[Mapping[str, Any]] = []
    calls: list[Mapping[str, Any]] = []
    results: list[Mapping[str, Any]] = []
    for part in _mappings(parts):
        kind = str(part.get("type") or "")
        if kind.endswith("tool_call"):
            calls.append(_call(part.get("id"), part.get("name"), _arguments(part)))
        elif kind.endswith("tool_call_response"):
            results.append(_result(part))
        else:
            content.append(_content_part(part))
    # Results stand in messages of the role tool, and in pydantic-ai's spans in the user's.
    said: dict[str, Any] = {"role": role, "content": content}
    if calls:
        said["tool_calls"] = calls
    if content or calls or not results:
        yield said
    yield from results


def _arguments(part: Mapping[str, Any]) -> Any:
    return part.get("arguments", part.get("server_tool_call"))


def _call(id: Any, name: Any, arguments: Any) -> Mapping[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _result(part: Mapping[str, Any]) -> Mapping[str, Any]:
    # The schema says `response`, the documentation's examples and pydantic-ai say `result`.
    names = ("response", "result", "server_tool_call_response", "content")
    content = next((part[name] for name in names if part.get(name) is not None), None)
    return {"role": "tool", "tool_call_id": part.get("id"), "name": part.get("name"), "content": content}


def _content_part(part: Mapping[str, Any]) -> Mapping[str, Any]:
    kind = part.get("type")
    if kind == "text":
        return {"type": "text", "text": part.get("content", part.get("text"))}
    if kind == "reasoning":
        return {"type": "thinking", "thinking": part.get("content")}
    return part


def messages_from_openinference(attributes: Mapping[str, Any], prefix: str) -> Messages | None:
    """The messages of `llm.input_messages.{i}.message...`; None where there are none, or not recorded."""
    if attributes.get(prefix) == semconv.OpenInference.REDACTED:
        return None
    found = tuple(_from_openinference(item.get("message")) for item in _mappings(tree(attributes, prefix)))
    return found or None


def _from_openinference(message: Any) -> Mapping[str, Any]:
    plain: Mapping[str, Any] = message if isinstance(message, Mapping) else {}
    chat: dict[str, Any] = {"role": str(plain.get("role") or "user"), "content": plain.get("content")}
    contents = [part.get("message_content") for part in _mappings(plain.get("contents"))]
    if contents:
        chat["content"] = [part for part in contents if isinstance(part, Mapping)]
    calls = [
        _call(call.get("id"), function.get("name"), function.get("arguments"))
        for item in _mappings(plain.get("tool_calls"))
        for call in _mappings(item.get("tool_call"))
        for function in _mappings(call.get("function"))
    ]
    if calls:
        chat["tool_calls"] = calls
    for name in ("tool_call_id", "name"):
        if plain.get(name):
            chat[name] = plain[name]
    return chat


def messages_from_flat(attributes: Mapping[str, Any], prefix: str) -> Messages | None:
    """The messages of `gen_ai.prompt.{i}.role`, as OpenLLMetry wrote them before 2026."""
    found = tuple(_from_flat(item) for item in _mappings(tree(attributes, prefix)))
    return found or None


def _from_flat(message: Mapping[str, Any]) -> Mapping[str, Any]:
    content = decoded(message.get("content"))
    chat: dict[str, Any] = {"role": str(message.get("role") or "assistant")}
    # Content with parts is written as JSON text; text that only looks like JSON is text.
    parts = isinstance(content, list) and all(isinstance(part, dict) and "type" in part for part in content)
    chat["content"] = content if parts and content else message.get("content")
    calls = [
        _call(call.get("id"), call.get("name"), call.get("arguments"))
        for call in _mappings(message.get("tool_calls"))
    ]
    if calls:
        chat["tool_calls"] = calls
    if message.get("tool_call_id"):
        chat["tool_call_id"] = message["tool_call_id"]
    return chat
