"""Messages of LangChain, as objects or as data, as chat messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["chat_message"]

_ROLES = {"human": "user", "ai": "assistant", "tool": "tool", "function": "function", "system": "system"}
_CHUNK = "MessageChunk"
_FIELDS = ("content", "tool_calls", "invalid_tool_calls", "tool_call_id", "status", "name")


def chat_message(message: Any) -> Any:
    """A LangChain message as a chat message; anything else as it is."""
    if isinstance(message, Mapping):
        return _from_data(message)
    role = _role(getattr(message, "type", None))
    if role is None or not hasattr(message, "content"):
        return message
    return _read(role, {name: getattr(message, name, None) for name in _FIELDS})


def _role(kind: object) -> str | None:
    """The role that a LangChain type stands for, such as `ai` or `AIMessageChunk`."""
    return _ROLES.get(kind.removesuffix(_CHUNK).lower()) if isinstance(kind, str) else None


def _from_data(message: Mapping[str, Any]) -> Any:
    """What `model_dump()` or `message_to_dict()` makes of one."""
    role, data = _role(message.get("type")), message.get("data")
    inner = data if isinstance(data, Mapping) else message
    if role is None or "role" in message or "content" not in inner:
        return message
    return _read(role, {name: inner.get(name) for name in _FIELDS})


def _read(role: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"role": role, "content": fields["content"]}
    calls = [*(fields["tool_calls"] or ()), *(fields["invalid_tool_calls"] or ())]
    if calls:
        found["tool_calls"] = [
            {"id": call.get("id"), "function": {"name": call.get("name"), "arguments": call.get("args")}}
            for call in calls
        ]
    if role == "tool":
        found["tool_call_id"] = fields["tool_call_id"]
        found["status"] = fields["status"]
    return {**found, "name": fields["name"]} if fields["name"] else found
