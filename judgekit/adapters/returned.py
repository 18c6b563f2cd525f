"""What an agent returned, as an Interaction."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from judgekit.adapters import frameworks
from judgekit.errors import InvalidArgument
from judgekit.interaction import Interaction

__all__ = ["interaction_from"]


def interaction_from(value: object, *, command_text: str) -> Interaction:
    """The Interaction that an agent's return value stands for.

    A str is a reply and nothing else: its tool calls and model calls are not recorded.

    Args:
        value: A str, an Interaction, a list of chat messages (plain or LangChain's), a LangGraph state, or
            the result of pydantic-ai or openai-agents; frameworks are told by their shape.
        command_text: What the agent was given.

    Raises:
        TypeError: Anything else; the text names what an agent may return.
    """
    if isinstance(value, str):
        # Subclasses of str carry more than text; a reply is text.
        return Interaction(command_text=command_text, reply=str.__str__(value))
    if isinstance(value, Interaction):
        return value if value.command_text else dataclasses.replace(value, command_text=command_text)
    found = _from_framework(value, command_text)
    if found is not None:
        return found
    if isinstance(value, list | tuple):
        try:
            return frameworks.from_graph_state({"messages": value}, command_text)
        except InvalidArgument as error:
            raise TypeError(f"the agent returned a list that is no list of chat messages: {error}") from error
    raise TypeError(_refusal(value))


def _from_framework(value: Any, command_text: str) -> Interaction | None:
    if frameworks.is_graph_state(value):
        return frameworks.from_graph_state(value, command_text)
    if isinstance(value, type | Mapping):
        return None
    if callable(getattr(value, "new_messages", None)) and hasattr(value, "output"):
        return frameworks.from_pydantic_ai(value, command_text)
    if callable(getattr(value, "to_input_list", None)) and hasattr(value, "final_output"):
        return frameworks.from_openai_agents(value, command_text)
    return None


def _refusal(value: object) -> str:
    kind = type(value).__name__
    text = (
        f"the agent returned {'None' if value is None else f'a {kind}'}; return the reply as a str, an "
        "Interaction, a list of chat messages, or the result object of pydantic-ai, openai-agents or "
        "LangGraph"
    )
    if hasattr(value, "choices"):
        return f"{text}. The text of a {kind} is its choices[0].message.content"
    if value is None:
        return f"{text}. Does the function end without `return`?"
    return f"{text}. For anything else build the Interaction yourself: Interaction(reply=..., tool_calls=...)"
