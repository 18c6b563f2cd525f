"""Spans of executed tools: what was passed in and what came out, whatever a producer wraps them in."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judgekit.adapters.span_shapes import Span, decoded
from judgekit.interaction import ToolCall
from judgekit.jsonable import json_text

__all__ = ["ARGUMENTS_NOT_RECORDED", "ToolSeen", "tool_seen"]

# Stands where arguments would: the call counts, and checks on its arguments are inconclusive.
ARGUMENTS_NOT_RECORDED = "(the span holds no arguments)"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSeen:
    """An executed tool.

    Attributes:
        name: The tool's.
        id: The call's, where recorded.
        arguments: A mapping, or text that is none; None where nobody recorded them.
        result: None where nobody recorded it.
        error: The text of its failure.
    """

    name: str
    id: str | None = None
    arguments: Mapping[str, Any] | str | None = None
    result: Any = None
    error: str | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the span tells what was passed in and what came out."""
        ended = self.result is not None or self.error is not None
        return isinstance(self.arguments, Mapping) and ended and self.id is not None

    def as_tool_call(self) -> ToolCall:
        """The call; arguments that nobody recorded are text, so that no check on them can fail."""
        arguments = self.arguments
        if arguments is None:
            # A producer that records content leaves out the arguments of a tool that has none.
            arguments = ARGUMENTS_NOT_RECORDED if self.result is None else {}
        return ToolCall(self.name, arguments, self.result, self.error, self.id)


def tool_seen(span: Span, *, name: str, id: Any, arguments: Any, result: Any) -> ToolSeen:
    """What the span of a tool tells."""
    answer, answered_id, failure = _unwrapped(decoded(result))
    error = span.error if span.error is not None else failure
    return ToolSeen(
        name=name.strip() or "(no name)",
        id=str(id or answered_id or "") or None,
        arguments=_arguments(arguments),
        result=None if error is not None else answer,
        error=error,
    )


def _arguments(value: Any) -> Mapping[str, Any] | str | None:
    found = decoded(value)
    if isinstance(found, Mapping):
        return _passed(found)
    if found is None:
        return None
    return value if isinstance(value, str) else json_text(value)


def _passed(found: Mapping[str, Any]) -> Mapping[str, Any] | str:
    """The arguments in what decorators and callbacks wrap them in."""
    if found.keys() == {"args", "kwargs"}:
        args, kwargs = found["args"], found["kwargs"]
        # Positional arguments have no names here: a list, which no check can read.
        return dict(kwargs) if not args and isinstance(kwargs, Mapping) else json_text([args, kwargs])
    if "input_str" in found and "tags" in found:  # LangChain's callback
        inputs = found.get("inputs")
        return inputs if isinstance(inputs, Mapping) and inputs else _literal(str(found["input_str"]))
    return found


def _literal(text: str) -> Mapping[str, Any] | str:
    """LangChain writes arguments as Python does."""
    with contextlib.suppress(ValueError, SyntaxError, MemoryError, RecursionError):
        value = ast.literal_eval(text)
        if isinstance(value, dict):
            return value
    return text


def _unwrapped(result: Any) -> tuple[Any, str | None, str | None]:
    """A result, the id of its call and the text of its failure; LangChain wraps it in a message."""
    found = result
    if isinstance(found, Mapping) and isinstance(found.get("output"), Mapping) and "kwargs" in found:
        found = found["output"]
    inner = found
    if isinstance(found, Mapping):
        inner = found.get("data") if found.get("type") == "tool" else found.get("kwargs")
    if not isinstance(inner, Mapping) or "tool_call_id" not in inner or "content" not in inner:
        return result, None, None
    content, id = inner["content"], inner["tool_call_id"]
    failed = inner.get("status") == "error"
    text = content if isinstance(content, str) else json_text(content)
    return decoded(content), str(id) if id else None, text if failed else None
