"""A chat completion as the server-sent events of OpenAI's streaming."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from judgekit.jsonable import json_line

__all__ = ["event_stream", "pieces"]

_PIECE = 20


def pieces(text: str) -> list[str]:
    """The text as a stream carries it, a few words at a time."""
    return [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)]


def event_stream(completion: Mapping[str, Any], request: Mapping[str, Any]) -> bytes:
    """The whole stream. Usage is sent as OpenAI does it: only where the request asks for it."""
    options = request.get("stream_options") or {}
    with_usage = isinstance(options, Mapping) and bool(options.get("include_usage"))
    lines = [f"data: {json_line(chunk)}\n\n" for chunk in _chunks(completion, with_usage)]
    return ("".join(lines) + "data: [DONE]\n\n").encode()


def _chunks(completion: Mapping[str, Any], with_usage: bool) -> Iterator[dict[str, Any]]:
    head = {key: completion[key] for key in ("id", "created", "model")}
    head["object"] = "chat.completion.chunk"
    for choice in completion["choices"]:
        deltas = list(_deltas(choice["message"]))
        for delta in deltas:
            yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        last = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
        yield {**head, "choices": [last]}
    if with_usage and completion.get("usage"):
        yield {**head, "choices": [], "usage": completion["usage"]}


def _deltas(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": ""}
    content = message.get("content")
    if isinstance(content, str):
        for piece in pieces(content):
            yield {"content": piece}
    elif content is not None:
        yield {"content": content}
    if message.get("refusal"):
        yield {"refusal": message["refusal"]}
    for index, call in enumerate(message.get("tool_calls") or ()):
        arguments = call["function"]["arguments"]
        yield {"tool_calls": [{**call, "index": index, "function": {**call["function"], "arguments": ""}}]}
        for piece in pieces(arguments):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
