"""Items of OpenAI's Responses API that are tool calls, the agent's own and those that OpenAI runs itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

__all__ = ["Answer", "Asked", "response_answer", "response_item", "text_of_id"]

_CALL, _OUTPUT = "_call", "_call_output"
# Where an item keeps what it was asked; of the tools that OpenAI runs each has a field of its own.
_ARGUMENTS = ("arguments", "input", "action", "operation")
_OWN_ARGUMENTS = ("queries", "code", "container_id")
# Likewise what came of it.
_RESULTS = ("output", "results", "outputs", "result")


class Asked(NamedTuple):
    """A tool call of an item: `web_search` where the item is a `web_search_call`."""

    name: str
    arguments: Any
    id: str | None


class Answer(NamedTuple):
    """What came of a call."""

    id: str | None
    content: Any
    failed: bool


def text_of_id(id: object) -> str | None:
    """An id as text; None where there is none. 0 is one."""
    return None if id is None or id == "" else str(id)


def response_item(item: Mapping[str, Any]) -> Asked | None:
    """The tool call that an item is, such as `function_call` or `mcp_call`; None for all others."""
    kind = str(item.get("type") or "")
    if not kind.endswith(_CALL):
        return None
    arguments = next((item[name] for name in _ARGUMENTS if item.get(name) is not None), None)
    if arguments is None:
        arguments = {name: item[name] for name in _OWN_ARGUMENTS if item.get(name) is not None}
    return Asked(str(item.get("name") or kind.removesuffix(_CALL)), arguments, _id_of(item))


def response_answer(item: Mapping[str, Any]) -> Answer | None:
    """What came of a call: an item of its own, or part of the call where OpenAI ran the tool."""
    kind = str(item.get("type") or "")
    if kind.endswith(_OUTPUT):
        return Answer(_id_of(item), item.get("output"), failed=False)
    if not kind.endswith(_CALL):
        return None
    if item.get("error"):
        return Answer(_id_of(item), item["error"], failed=True)
    results = (item[name] for name in _RESULTS if item.get(name) is not None)
    content = next(results, None)
    return None if content is None else Answer(_id_of(item), content, failed=False)


def _id_of(item: Mapping[str, Any]) -> str | None:
    return text_of_id(item.get("call_id")) or text_of_id(item.get("id"))
