"""What a judge is shown of an interaction: the parts of the user message, as plain text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from judgekit.interaction import Interaction, ToolCall
from judgekit.jsonable import json_text
from judgekit.judging.scales import Levels

__all__ = [
    "NOT_RECORDED",
    "conversation_text",
    "is_blank",
    "levels_text",
    "one_a_line",
    "tested_parts",
    "tool_calls_text",
]

NOT_RECORDED = "not recorded"

# Line separators that JSON leaves as they are and that some readers break lines at.
_LINE_BREAKS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}
_LOOK_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_TEXT_PARTS = frozenset({"text", "input_text", "output_text"})


def is_blank(text: str | None) -> bool:
    """Whether there is nothing to see: no text, or only white space, controls and invisible characters."""
    return text is None or not any(
        sign.isprintable() and not sign.isspace() and sign not in _LOOK_BLANK for sign in text
    )


def one_a_line(items: Iterable[Mapping[str, Any]]) -> str:
    """Each item as JSON on its own line, so that no text in one can pass for another."""
    return "\n".join(json_text(item).translate(_LINE_BREAKS) for item in items)


def levels_text(scale: Levels) -> str:
    """The levels with their descriptions, worst first, one a line."""
    return one_a_line({"level": name, "description": text} for name, text in scale.levels)


def tool_calls_text(calls: Sequence[ToolCall] | None) -> str:
    """The tool calls, one a line; `not recorded` where nobody recorded them, "" where none was made."""
    if calls is None:
        return NOT_RECORDED
    return one_a_line(_call(number, call) for number, call in enumerate(calls, start=1))


def _call(number: int, call: ToolCall) -> dict[str, Any]:
    shown: dict[str, Any] = {"call": number, "tool": call.name, "arguments": call.arguments}
    if call.result is not None:
        shown["result"] = call.result
    if call.error is not None:
        shown["error"] = call.error
    return shown


def conversation_text(messages: Sequence[Mapping[str, Any]]) -> str:
    """The turns of a conversation, one a line; "" where it has fewer than two user turns.

    Tool calls stand by name where they were made; their arguments and results are in the tool calls' own
    part. The agent's own system message is not shown, as it is not for a single turn.
    """
    turns = [turn for message in messages if (turn := _turn(message))]
    if sum(turn["role"] == "user" for turn in turns) < 2:
        return ""
    return one_a_line(turns)


def _turn(message: Mapping[str, Any]) -> dict[str, Any] | None:
    role = str(message.get("role", ""))
    if role not in ("user", "assistant"):
        return None
    content = message.get("content")
    turn: dict[str, Any] = {"role": role}
    text = _text(content)
    if text:
        turn["text"] = text
    called = [*_called(message.get("tool_calls")), *_used(content)]
    if called:
        turn["calls"] = called
    return turn if len(turn) > 1 else None


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list | tuple):
        return ""
    texts = [
        part if isinstance(part, str) else str(part.get("text", ""))
        for part in content
        if isinstance(part, str) or (isinstance(part, Mapping) and part.get("type", "text") in _TEXT_PARTS)
    ]
    return "\n".join(text for text in texts if text)


def _called(calls: Any) -> list[str]:
    if not isinstance(calls, list | tuple):
        return []
    names: list[str] = []
    for call in calls:
        if isinstance(call, Mapping):
            function = call.get("function")
            name = (function if isinstance(function, Mapping) else call).get("name")
            names += [str(name)] if name else []
    return names


def _used(content: Any) -> list[str]:
    if not isinstance(content, list | tuple):
        return []
    return [
        str(part.get("name"))
        for part in content
        if isinstance(part, Mapping) and part.get("type") == "tool_use"
    ]


def tested_parts(interaction: Interaction) -> dict[str, str]:
    """The parts that every prompt may show, by variable name; "" for a part that is not there."""
    conversation = conversation_text(interaction.messages)
    return {
        "request": "" if conversation else interaction.asked() or NOT_RECORDED,
        "conversation": conversation,
        "reply": interaction.reply or "",
        "tool_calls": tool_calls_text(interaction.tool_calls),
    }
