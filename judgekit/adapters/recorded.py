"""Recorded model calls to what an agent's own answer left unsaid."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from judgekit.adapters.messages import Transcript, message_text
from judgekit.interaction import Interaction, ModelCall, ToolCall

__all__ = ["RecordedCall", "merged", "tool_calls_asked_for"]

Messages = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One model call.

    Attributes:
        order: Its position among the calls of the attempt, by when it began.
        model_call: What it was and what it cost.
        messages: The messages of the request.
        response: What it was answered with; empty where it failed.
        offers_tools: Whether the model was offered tools.
        from_cache: Whether a cache of litellm answered.
    """

    order: int
    model_call: ModelCall
    messages: tuple[Mapping[str, Any], ...] = ()
    response: tuple[Mapping[str, Any], ...] = ()
    offers_tools: bool = False
    from_cache: bool = False


class HasCalls(Protocol):
    """A recorder."""

    @property
    def calls(self) -> tuple[RecordedCall, ...]:
        """The calls, in order."""
        ...


class _Conversation:
    """Calls whose messages continue one another; an agent and its sub-agents hold one each."""

    def __init__(self, call: RecordedCall) -> None:
        self.messages: Messages = call.messages
        self.transcript = Transcript(())
        self._answered = True

    def continues(self, messages: Messages) -> bool:
        known = len(self.messages)
        return len(messages) >= known and list(messages[:known]) == list(self.messages)

    def add(self, call: RecordedCall, position: int) -> None:
        for message in call.messages[len(self.messages) :]:
            if self._answered:
                self.transcript.read_result(message)
            else:
                # Where the last answer was not recorded, the agent's own record of it stands here.
                self.transcript.read(position - 1, message)
        for message in call.response:
            self.transcript.read(position, message)
        self.messages = call.messages
        self._answered = bool(call.response)


def _conversations(calls: Sequence[RecordedCall]) -> list[_Conversation]:
    found: list[_Conversation] = []
    for position, call in enumerate(calls):
        known = next((c for c in reversed(found) if c.continues(call.messages)), None)
        if known is None:
            known = _Conversation(call)
            # An agent that shortens its history still hands the results on.
            for message in call.messages:
                for earlier in reversed(found):
                    if earlier.transcript.read_result(message):
                        break
            found.append(known)
        known.add(call, position)
    return found


def tool_calls_asked_for(calls: Sequence[RecordedCall]) -> tuple[ToolCall, ...]:
    """The tool calls that the answers ask for, each with the result that a later request hands on."""
    made = [made for conversation in _conversations(calls) for made in conversation.transcript.calls]
    return tuple(call.as_tool_call() for call in sorted(made, key=lambda call: call.message))


def merged(interaction: Interaction, recorder: HasCalls) -> Interaction:
    """The interaction, completed by what was recorded; what the agent said itself stands.

    Nothing recorded changes nothing: it may only mean that the agent uses another client. Tool calls are
    taken over only where a model was offered tools: an agent that calls them by a protocol of its own
    leaves no trace here.
    """
    calls = recorder.calls
    if not calls:
        return interaction
    fields: dict[str, Any] = {}
    if interaction.model_calls is None:
        fields["model_calls"] = tuple(call.model_call for call in calls)
    if interaction.tool_calls is None:
        made = tool_calls_asked_for(calls)
        if made or any(call.offers_tools for call in calls):
            fields["tool_calls"] = made
    last = next((call for call in reversed(calls) if call.response), calls[-1])
    if not interaction.messages:
        fields["messages"] = (*last.messages, *last.response)
    if not interaction.user_message:
        asked = [text for role, text in Transcript(last.messages).said if role == "user"]
        fields["user_message"] = asked[-1] if asked else ""
    if interaction.model_text is None:
        text = _last_text(calls)
        if text is not None and text != interaction.reply:
            fields["model_text"] = text
    if any(call.from_cache for call in calls):
        fields["replayed"] = True
    return dataclasses.replace(interaction, **fields)


def _last_text(calls: Sequence[RecordedCall]) -> str | None:
    for call in reversed(calls):
        for message in reversed(call.response):
            text = message_text(message)
            if text.strip():
                return text
    return None
