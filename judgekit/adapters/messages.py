"""Chat messages, in OpenAI's or Anthropic's shape, to an Interaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgekit.adapters.langchain import chat_message
from judgekit.adapters.response_items import response_answer, response_item, text_of_id
from judgekit.errors import InvalidArgument
from judgekit.interaction import Interaction, ToolCall
from judgekit.jsonable import json_text

__all__ = [
    "Transcript",
    "interaction_from_messages",
    "message_text",
    "plain_message",
    "reply_and_question",
    "tool_calls_in",
]

_TEXT_PARTS = frozenset({"text", "output_text", "input_text"})
_TOOL_ROLES = frozenset({"tool", "function"})
_UNNAMED = "(no name)"


def plain_message(message: object, position: int) -> Mapping[str, Any]:
    """A message as a mapping; message objects of client libraries are read by their shape.

    Raises:
        InvalidArgument: It is no chat message.
    """
    found = _plain(chat_message(message))
    if not isinstance(found, Mapping) or not (found.get("role") or found.get("type")):
        raise InvalidArgument(
            f"messages[{position}] must be a chat message such as "
            f"{{'role': 'user', 'content': 'hello'}}, got {message!r:.200}"
        )
    if not isinstance(role := found.get("role"), str | None):
        raise InvalidArgument(f"messages[{position}]: `role` must be text such as 'user', got {role!r:.200}")
    if "parts" in found and "content" not in found:
        raise InvalidArgument(
            f"messages[{position}] has `parts` and no `content`: it is of another shape than OpenAI's and "
            "Anthropic's; write its text under `content` and its calls under `tool_calls`"
        )
    if any("toolUse" in part or "toolResult" in part for part in _parts(found.get("content"))):
        raise InvalidArgument(
            f"messages[{position}] is of Bedrock's shape; write its calls as `tool_use` and `tool_result` "
            "blocks of Anthropic's shape"
        )
    # Loops of one's own put a client's objects inside plain messages.
    holders = [key for key in ("content", "tool_calls") if _holds_objects(found.get(key))]
    if not holders:
        return found
    return {**found, **{key: [_plain(item) for item in found[key]] for key in holders}}


def _plain(value: object) -> Any:
    dump = getattr(value, "model_dump", None)
    if isinstance(value, Mapping | type) or not callable(dump):
        return value
    return dump(warnings=False, exclude_none=True)


def _holds_objects(value: object) -> bool:
    return isinstance(value, list | tuple) and any(hasattr(item, "model_dump") for item in value)


def _parts(content: object) -> Iterable[Mapping[str, Any]]:
    if isinstance(content, Sequence) and not isinstance(content, str | bytes):
        for part in content:
            if isinstance(part, Mapping):
                yield part


def _text(content: object) -> str:
    """The text of a message's content; only text parts count, thinking and images never do."""
    if isinstance(content, str):
        return content
    found = []
    for part in _parts(content):
        if part.get("type", "text") in _TEXT_PARTS and isinstance(part.get("text"), str):
            found.append(part["text"])
    return "".join(found)


def message_text(message: Mapping[str, Any]) -> str:
    """The text that a message carries, "" where it carries none."""
    return _text(message.get("content"))


def _result(content: object) -> Any:
    """What a tool returned: text where it is text, else the data as it stands."""
    parts = list(_parts(content))
    if parts and all(part.get("type") in _TEXT_PARTS for part in parts):
        return _text(content)
    return content


@dataclass(slots=True)
class CallMade:
    """A tool call with the position of its message, and what answered it."""

    name: str
    arguments: Any
    id: str | None
    message: int
    answered: bool = False
    result: Any = None
    error: str | None = None

    def as_tool_call(self) -> ToolCall:
        arguments = self.arguments
        if arguments is not None and not isinstance(arguments, str | Mapping):
            arguments = json_text(arguments)
        return ToolCall(self.name, arguments, self.result, self.error, self.id)


class Transcript:
    """The calls of a conversation with their results, who said what, and whether the agent is in it."""

    def __init__(self, messages: Iterable[Mapping[str, Any]]) -> None:
        self.calls: list[CallMade] = []
        self.said: list[tuple[str, str]] = []
        self.has_agent = False
        for position, message in enumerate(messages):
            self.read(position, message)

    def read(self, position: int, message: Mapping[str, Any]) -> None:
        """Take in one message; `position` tells which calls stand in one message."""
        role, content = message.get("role"), message.get("content")
        if (item := response_item(message)) is not None:
            self.has_agent = True
            self.calls.append(CallMade(*item, message=position))
            self.read_result(message)
            return
        if role in _TOOL_ROLES:
            self.read_result(message)
            return
        calls_before = len(self.calls)
        if role == "assistant":
            self.has_agent = True
            self._openai_calls(position, message)
        # Some frameworks carry a call twice: in `tool_calls` and as a block of the content.
        if len(self.calls) == calls_before:
            for part in _parts(content):
                if str(part.get("type") or "").endswith("tool_use"):
                    self._call(position, part.get("name"), part.get("input"), part.get("id"))
        # After the calls: tools that the provider runs itself are answered in the same message.
        self.read_result(message)
        text = message_text(message)
        if text.strip() and role in {"user", "assistant"}:
            self.said.append((str(role), text))

    def _openai_calls(self, position: int, message: Mapping[str, Any]) -> None:
        for call in _parts(message.get("tool_calls")):
            spelled = call.get("function") or call.get("custom") or call
            arguments = spelled.get("arguments", spelled.get("input", spelled.get("args")))
            self._call(position, spelled.get("name"), arguments, call.get("id"))
        legacy = message.get("function_call")
        if isinstance(legacy, Mapping):
            self._call(position, legacy.get("name"), legacy.get("arguments"), None)

    def read_result(self, message: Mapping[str, Any]) -> bool:
        """Take in only the tool results of a message; whether one of them answered a call."""
        if message.get("role") in _TOOL_ROLES:
            id, content = message.get("tool_call_id"), message.get("content")
            name = message.get("name") or message.get("tool_name")
            return self._answer(id, name, content, _failed(message))
        if (answer := response_answer(message)) is not None:
            return self._answer(answer.id, None, answer.content, answer.failed)
        answered = False
        for part in _parts(message.get("content")):
            if str(part.get("type") or "").endswith("tool_result"):
                answered |= self._answer(part.get("tool_use_id"), None, part.get("content"), _failed(part))
        return answered

    def _call(self, position: int, name: object, arguments: object, id: object) -> None:
        self.calls.append(CallMade(str(name or _UNNAMED), arguments, text_of_id(id), position))

    def _answer(self, id: object, name: object, content: object, failed: bool) -> bool:
        call = self._answered_call(text_of_id(id), str(name) if name else None)
        if call is None:
            return False
        call.answered = True
        if failed:
            text = _text(content)
            call.error = text or (json_text(content) if content else "the tool failed")
        else:
            call.result = _result(content)
        return True

    def _answered_call(self, id: str | None, name: str | None) -> CallMade | None:
        """The nearest preceding unanswered call with this id; in one message, the first of them."""
        waiting = [call for call in self.calls if not call.answered]
        if id is not None:
            waiting = [call for call in waiting if call.id == id]
        named = [call for call in waiting if call.name == name]
        # An id decides even where the names differ; without one only the name can.
        candidates = named or (waiting if id is not None or name is None else [])
        if not candidates:
            return None
        nearest = candidates[-1].message
        return next(call for call in candidates if call.message == nearest)


def _failed(message: Mapping[str, Any]) -> bool:
    return message.get("status") == "error" or bool(message.get("is_error"))


def tool_calls_in(messages: Iterable[Mapping[str, Any]] | Transcript) -> tuple[ToolCall, ...] | None:
    """The tool calls of a conversation, in order, each with the result that answers it.

    None where no message is the agent's: that tells nothing of what it did.
    """
    transcript = messages if isinstance(messages, Transcript) else Transcript(messages)
    return tuple(call.as_tool_call() for call in transcript.calls) if transcript.has_agent else None


def reply_and_question(said: Sequence[tuple[str, str]]) -> tuple[str | None, str]:
    """The last assistant text, and the last user text before it."""
    replies = [position for position, (role, _) in enumerate(said) if role == "assistant"]
    before = said[: replies[-1]] if replies else said
    questions = [text for role, text in before if role == "user"]
    return (said[replies[-1]][1] if replies else None), (questions[-1] if questions else "")


def interaction_from_messages(messages: Iterable[Any], **fields: Any) -> Interaction:
    """Read a conversation; see `Interaction.from_messages`."""
    if isinstance(messages, str | Mapping) or not isinstance(messages, Iterable):
        raise InvalidArgument(f"`messages` must be a list of chat messages, got {messages!r:.200}")
    plain = tuple(plain_message(message, position) for position, message in enumerate(messages))
    transcript = Transcript(plain)
    reply, question = reply_and_question(transcript.said)
    read: dict[str, Any] = {
        "reply": reply,
        "user_message": question,
        "tool_calls": tool_calls_in(transcript),
        "messages": plain,
    }
    return Interaction(**(read | fields))
