"""The rules of a scripted model: what it answers, and when."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from judgekit.checking import is_finite_number
from judgekit.errors import InvalidArgument
from judgekit.interaction import ToolCall
from judgekit.jsonable import json_text

__all__ = [
    "Answer",
    "Answerable",
    "Rule",
    "Turn",
    "after_tool",
    "calls",
    "on_call",
    "otherwise",
    "says",
    "text_of",
    "verdict",
    "when",
]

COUNTED: Literal["counted"] = "counted"
Usage: TypeAlias = 'tuple[int, int] | Literal["counted"] | None'


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer of a model.

    Attributes:
        text: What it says; None where it says nothing.
        tool_calls: The tools that it asks for. An id of None becomes `call_1`, `call_2`, ... counted
            within the conversation.
        usage: `(input tokens, output tokens)`; None: the answer reports no usage; `"counted"`: a token
            for every four characters.
        finish_reason: None: `tool_calls` where there are some, else `stop`.
        refusal: The text of a refusal, as OpenAI reports it.
    """

    text: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = COUNTED
    finish_reason: str | None = None
    refusal: str | None = None

    def __post_init__(self) -> None:
        if self.usage is None or self.usage == COUNTED:
            return
        if not (
            isinstance(self.usage, tuple)
            and len(self.usage) == 2
            and all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in self.usage)
        ):
            raise InvalidArgument(
                f'`usage` must be (input tokens, output tokens), None or "counted", got {self.usage!r}'
            )


Answerable: TypeAlias = "str | Mapping[str, Any] | Answer | Callable[[Turn], Any]"
Pattern: TypeAlias = "str | re.Pattern[str] | Callable[[Turn], bool]"


@dataclass(frozen=True, slots=True)
class Turn:
    """One request to a model, as rules see it.

    Attributes:
        messages: The chat messages of the request.
        tools: The tools offered, as OpenAI spells them.
        number: Which request of this model it is, counted from 1.
    """

    messages: Sequence[Mapping[str, Any]]
    tools: Sequence[Mapping[str, Any]] = ()
    number: int = 1

    @property
    def last(self) -> Mapping[str, Any]:
        """The last message; empty where there is none."""
        return self.messages[-1] if self.messages else {}

    @property
    def text(self) -> str:
        """The text of the last message."""
        return text_of(self.last)

    def tool_results(self) -> list[tuple[str, str]]:
        """Name and text of the tool results at the end of the conversation, in order."""
        found: list[tuple[str, str]] = []
        for position in range(len(self.messages) - 1, -1, -1):
            message = self.messages[position]
            if message.get("role") not in {"tool", "function"}:
                break
            found.append((self._tool_name(position), text_of(message)))
        return found[::-1]

    def _tool_name(self, position: int) -> str:
        message = self.messages[position]
        if message.get("name"):
            return str(message["name"])
        for earlier in reversed(self.messages[:position]):
            for call in earlier.get("tool_calls") or ():
                if call.get("id") == message.get("tool_call_id"):
                    return str(call["function"]["name"])
        return ""


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a chat message, whose content may be text or parts."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, Sequence) else ()
    return "".join(str(part.get("text") or "") for part in parts if isinstance(part, Mapping))


@dataclass(frozen=True, slots=True)
class Rule:
    """When to answer, and what; several answers are given in turn, and the last one stays."""

    description: str
    matches: Callable[[Turn], bool]
    answers: tuple[Answerable, ...]

    def __post_init__(self) -> None:
        if not self.answers:
            raise InvalidArgument(f"the rule {self.description} has no answer")
        for answer in self.answers:
            if not isinstance(answer, str | Mapping | Answer) and not callable(answer):
                raise InvalidArgument(
                    f"the rule {self.description}: an answer is text, a dict (sent as JSON), an Answer or "
                    f"a function of the Turn, got {answer!r}"
                )


def _contains(pattern: str | re.Pattern[str]) -> Callable[[str], bool]:
    if isinstance(pattern, str):
        folded = pattern.casefold()
        return lambda text: folded in text.casefold()
    return lambda text: pattern.search(text) is not None


def _shown(pattern: Pattern) -> str:
    if isinstance(pattern, str):
        return repr(pattern)
    if isinstance(pattern, re.Pattern):
        return f"/{pattern.pattern}/"
    return getattr(pattern, "__name__", repr(pattern))


def when(pattern: Pattern, *answers: Answerable) -> Rule:
    """Answer when the last message, not a tool result, matches.

    Args:
        pattern: Text that it contains in any case, a compiled pattern found anywhere in it, or a
            function of the Turn (which then decides about tool results too).
        answers: One, or several that are given in turn.
    """
    if not isinstance(pattern, str | re.Pattern):
        if not callable(pattern):
            raise InvalidArgument(
                f"when: `pattern` must be text, a compiled pattern or a function, got {pattern!r}"
            )
        return Rule(f"when({_shown(pattern)})", pattern, answers)
    found = _contains(pattern)
    return Rule(
        f"when({_shown(pattern)})",
        lambda turn: turn.last.get("role") not in {"tool", "function"} and found(turn.text),
        answers,
    )


def after_tool(
    name: str | None, *answers: Answerable, containing: str | re.Pattern[str] | None = None
) -> Rule:
    """Answer when the conversation ends with a result of this tool; None: of any tool.

    Args:
        name: The tool.
        answers: One, or several that are given in turn.
        containing: What the result must carry, as in `when`.
    """
    found = _contains(containing) if containing is not None else None

    def matches(turn: Turn) -> bool:
        return any(
            name in {None, tool} and (found is None or found(text)) for tool, text in turn.tool_results()
        )

    condition = f", containing={_shown(containing)}" if containing is not None else ""
    return Rule(f"after_tool({name!r}{condition})", matches, answers)


def on_call(number: int, *answers: Answerable) -> Rule:
    """Answer the n-th request that the model gets, counted from 1."""
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise InvalidArgument(f"on_call: `number` counts from 1, got {number!r}")
    return Rule(f"on_call({number})", lambda turn: turn.number == number, answers)


def otherwise(*answers: Answerable) -> Rule:
    """Answer whatever no earlier rule answered."""
    return Rule("otherwise", lambda turn: True, answers)


def says(text: str, *, usage: Usage = COUNTED, finish_reason: str | None = None) -> Answer:
    """An answer in words."""
    return Answer(text=text, usage=usage, finish_reason=finish_reason)


def calls(tool: str, /, **arguments: Any) -> Answer:
    """An answer that asks for one tool call; several are `Answer(tool_calls=(ToolCall(...), ...))`."""
    return Answer(tool_calls=(ToolCall(tool, arguments),))


def verdict(score: float, reason: str = "as scripted") -> dict[str, Any]:
    """A judge's answer in the `score` schema, for a scripted judge."""
    if not is_finite_number(score):
        raise InvalidArgument(f"verdict: `score` must be a finite number, got {score!r}")
    return {"reason": reason, "score": score}


def answer_from(value: object) -> Answer:
    """An Answer of what a rule may give: text, a dict that is sent as JSON, or an Answer."""
    if isinstance(value, Answer):
        return value
    if isinstance(value, str):
        return Answer(text=value)
    if isinstance(value, Mapping):
        return Answer(text=json_text(value))
    raise InvalidArgument(f"an answer is text, a dict or an Answer, got {type(value).__name__}")


def _tokens(text: str) -> int:
    return -(-len(text) // 4)


def _wire_call(call: ToolCall, number: int) -> dict[str, Any]:
    arguments = call.arguments if isinstance(call.arguments, str) else json_text(call.arguments)
    return {
        "id": call.id or f"call_{number}",
        "type": "function",
        "function": {"name": call.name, "arguments": arguments},
    }


def _usage(answer: Answer, turn: Turn, tool_calls: Sequence[Any]) -> tuple[int, int] | None:
    if isinstance(answer.usage, tuple) or answer.usage is None:
        return answer.usage
    answered = (answer.text or "") + (json_text(tool_calls) if tool_calls else "")
    return _tokens("".join(map(text_of, turn.messages))), _tokens(answered)


def completion(answer: Answer, turn: Turn, model: str) -> dict[str, Any]:
    """The answer as an OpenAI chat.completion."""
    earlier = sum(len(message.get("tool_calls") or ()) for message in turn.messages)
    tool_calls = [_wire_call(call, earlier + i) for i, call in enumerate(answer.tool_calls, start=1)]
    message: dict[str, Any] = {"role": "assistant", "content": answer.text}
    if tool_calls:
        message["tool_calls"] = tool_calls
    if answer.refusal is not None:
        message["refusal"] = answer.refusal
    reason = answer.finish_reason or ("tool_calls" if tool_calls else "stop")
    found: dict[str, Any] = {
        "id": f"chatcmpl-{turn.number}",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
    }
    usage = _usage(answer, turn, tool_calls)
    if usage is not None:
        tokens_in, tokens_out = usage
        found["usage"] = {
            "prompt_tokens": tokens_in,
            "completion_tokens": tokens_out,
            "total_tokens": tokens_in + tokens_out,
        }
    return found
