"""Chat messages of any shape as pairs of a role and its text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from judgekit.interaction import Interaction
from judgekit.jsonable import json_text

__all__ = ["conversation"]


def conversation(evidence: Interaction) -> Iterator[tuple[str, str]]:
    """The recorded conversation: its messages, those of the last model call, or its turns."""
    messages: Sequence[object] = evidence.messages
    if not messages and evidence.model_calls:
        messages = evidence.model_calls[-1].messages
    for message in messages:
        if isinstance(message, Mapping):
            yield str(message.get("role") or "unknown"), _text(message)
        else:
            yield "unknown", json_text(message)
    if messages:
        return
    for turn in evidence.turns:
        yield "user", turn.asked()
        yield "assistant", turn.reply if turn.reply is not None else "(no reply)"


def _text(message: Mapping[str, Any]) -> str:
    parts = list(_parts(message.get("content")))
    calls = message.get("tool_calls")
    if isinstance(calls, Sequence) and not isinstance(calls, str):
        parts += map(_call, calls)
    return "\n".join(part for part in parts if part) or json_text(
        {name: value for name, value in message.items() if name != "role" and value is not None}
    )


def _parts(content: object) -> Iterator[str]:
    if content is None:
        return
    if isinstance(content, str):
        yield content
    elif isinstance(content, Sequence):
        for part in content:
            text = part.get("text") if isinstance(part, Mapping) else part
            yield text if isinstance(text, str) else json_text(part)
    else:
        yield json_text(content)


def _call(call: object) -> str:
    function = call.get("function", call) if isinstance(call, Mapping) else call
    if isinstance(function, Mapping) and "name" in function:
        arguments = function.get("arguments")
        return f"→ {function['name']} {arguments if isinstance(arguments, str) else json_text(arguments)}"
    return json_text(call)
