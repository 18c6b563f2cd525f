"""The evidence of one turn with an agent: what was asked, said, called and spent.

`None` means that nobody recorded it; an empty tuple means that there was none. The two never mix:
a check on evidence that nobody recorded is inconclusive, never green.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judgekit.checking import check_amount, check_count, check_flag, check_texts, items_of
from judgekit.errors import InvalidArgument
from judgekit.jsonable import parse_json

__all__ = ["GuardrailResult", "Interaction", "ModelCall", "ToolCall"]

_MAY_BE_UNRECORDED = ("tool_calls", "model_calls")


def _arguments(value: object) -> Mapping[str, Any] | str:
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return dict(value)
    if not isinstance(value, str):
        raise InvalidArgument(
            f"ToolCall: `arguments` must be a mapping, JSON text or None, got {type(value).__name__}"
        )
    if not value.strip():
        return {}
    try:
        parsed = parse_json(value)
    except ValueError:
        return value
    return parsed if isinstance(parsed, dict) else value


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call that the agent made to a tool.

    Attributes:
        name: The tool's name as the agent called it, prefix and all.
        arguments: A mapping. JSON text is parsed, empty text and None become `{}`; text that is no JSON
            object is kept as it is: the call counts, and argument checks on it are inconclusive.
        result: What the tool returned, None where nothing was recorded.
        error: The text of the tool's failure, None where it did not fail.
        id: The provider's id of the call; real transcripts reuse ids.
    """

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    result: Any = None
    error: str | None = None
    id: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InvalidArgument(f"ToolCall: `name` must be a tool's name, got {self.name!r}")
        if type(self.arguments) is not dict:
            object.__setattr__(self, "arguments", _arguments(self.arguments))
        check_texts("ToolCall", self, "error", "id")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One request that the agent made to a model.

    Token counts that the provider did not report are None, never 0. `latency` is in seconds, `cost` in
    US dollars, None where the price is unknown. `messages` are those of the request, where recorded.
    """

    model: str | None = None
    provider: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    latency: float | None = None
    cost: float | None = None
    finish_reasons: Sequence[str] = ()
    messages: Sequence[Mapping[str, Any]] = ()

    def __post_init__(self) -> None:
        check_count("ModelCall", "input_tokens", self.input_tokens)
        check_count("ModelCall", "output_tokens", self.output_tokens)
        check_amount("ModelCall", "latency", self.latency)
        check_amount("ModelCall", "cost", self.cost)
        check_texts("ModelCall", self, "model", "provider")
        put = object.__setattr__
        put(self, "finish_reasons", items_of("ModelCall", "finish_reasons", self.finish_reasons, str))
        put(self, "messages", items_of("ModelCall", "messages", self.messages, Mapping))


@dataclass(frozen=True, slots=True)
class GuardrailResult:
    """What one guardrail decided about the turn; `passed` False means that it blocked."""

    name: str
    category: str | None = None
    passed: bool = True
    explanation: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise InvalidArgument(f"GuardrailResult: `name` must be text, got {self.name!r}")
        check_texts("GuardrailResult", self, "category", "explanation")
        check_flag("GuardrailResult", "passed", self.passed)


def _total(values: Iterable[float | None]) -> float | None:
    known = list(values)
    if not known or any(value is None for value in known):
        return None
    return sum(value for value in known if value is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """Everything recorded about one turn.

    Attributes:
        command_text: What the agent was given, as text.
        user_message: What the agent really sent the model, from the trace; "" where unknown.
        reply: The agent's answer. None: there is none. "": an empty answer.
        model_text: The model's own last text, where the agent mapped it into something else.
        tool_calls: In call order. None: nobody recorded tool calls. (): none was made.
        model_calls: In call order. None: nobody recorded model calls.
        guardrails: What guardrails decided, if any ran.
        latency: Seconds of the agent call; None when untimed.
        input_tokens: Prompt tokens of the turn; summed from `model_calls` where all of those are known.
        output_tokens: Completion tokens of the turn; summed likewise.
        cost: US dollars of the turn; summed likewise.
        blocked: A guardrail stopped the turn.
        replayed: The reply came from a cache, so its latency is no evidence.
        error: The text of a failed agent call.
        messages: The whole conversation as chat messages, where recorded.
        turns: Of a conversation of several turns: the evidence of each; the other fields sum them up.
        user_calls: What a simulated user asked its model; no part of what the agent did.
    """

    command_text: str = ""
    user_message: str = ""
    reply: str | None = None
    model_text: str | None = None
    tool_calls: Sequence[ToolCall] | None = None
    model_calls: Sequence[ModelCall] | None = None
    guardrails: Sequence[GuardrailResult] = ()
    latency: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    blocked: bool = False
    replayed: bool = False
    error: str | None = None
    messages: Sequence[Mapping[str, Any]] = ()
    turns: Sequence[Interaction] = ()
    user_calls: Sequence[ModelCall] = ()

    def __post_init__(self) -> None:
        for name in ("command_text", "user_message"):
            if not isinstance(text := getattr(self, name), str):
                raise InvalidArgument(f"Interaction: `{name}` must be text, got {type(text).__name__}")
        check_texts("Interaction", self, "reply", "model_text", "error")
        check_flag("Interaction", "blocked", self.blocked)
        check_flag("Interaction", "replayed", self.replayed)
        self._as_tuple("tool_calls", self.tool_calls, ToolCall)
        self._as_tuple("model_calls", self.model_calls, ModelCall)
        self._as_tuple("guardrails", self.guardrails, GuardrailResult)
        self._as_tuple("messages", self.messages, Mapping)
        if self.turns or self.user_calls:
            self._as_tuple("turns", self.turns, Interaction)
            self._as_tuple("user_calls", self.user_calls, ModelCall)
        check_amount("Interaction", "latency", self.latency)
        check_amount("Interaction", "cost", self.cost)
        check_count("Interaction", "input_tokens", self.input_tokens)
        check_count("Interaction", "output_tokens", self.output_tokens)
        if self.model_calls:
            for name in ("input_tokens", "output_tokens", "cost"):
                if getattr(self, name) is None:
                    total = _total(getattr(call, name) for call in self.model_calls)
                    object.__setattr__(self, name, total)

    def _as_tuple(self, name: str, value: Sequence[object] | None, kind: type) -> None:
        if value == () or (value is None and name in _MAY_BE_UNRECORDED):
            return
        items = items_of("Interaction", name, value, kind)
        if items is not value:
            object.__setattr__(self, name, items)

    @classmethod
    def from_messages(cls, messages: Iterable[Any], **fields: Any) -> Interaction:
        """Read the evidence from chat messages, in OpenAI's or Anthropic's shape.

        `reply` is the last assistant text that is not empty, `user_message` the last user text before
        it. Each tool result belongs to the nearest preceding unanswered call with its id. Only text
        parts are text; thinking never is. The messages are kept.

        Args:
            messages: Mappings, or message objects of a client library.
            fields: Other fields of the Interaction, such as `command_text`; they win over what was read.

        Raises:
            InvalidArgument: Something is no chat message.
        """
        from judgekit.adapters import interaction_from_messages

        return interaction_from_messages(messages, **fields)

    @classmethod
    def from_spans(cls, spans: Iterable[Any], **fields: Any) -> Interaction:
        """Read the evidence of one turn from OpenTelemetry spans, in any order.

        The GenAI semantic conventions, OpenInference and OpenLLMetry are told apart a span at a time.
        Tool calls are the executed ones; where no span shows an execution, those that the model asked
        for. Nested agents belong to the turn. Usage is that of the model calls, each counted once.

        Args:
            spans: Spans of the OpenTelemetry SDK, or mappings as `span.to_json()` writes them.
            fields: Other fields of the Interaction, such as `command_text`; they win over what was read.

        Raises:
            InvalidArgument: Something is no span.
        """
        from judgekit.adapters.spans import interaction_from_spans

        return interaction_from_spans(spans, **fields)

    def asked(self) -> str:
        """What a judge is told the agent was asked: the message really sent, else the command."""
        return self.user_message or self.command_text

    @property
    def total_tokens(self) -> int | None:
        """Input plus output tokens; None where either is unknown."""
        if self.input_tokens is None or self.output_tokens is None:
            return None
        return self.input_tokens + self.output_tokens

    def known_tokens(self) -> tuple[int, int]:
        """The input and output tokens that are known, 0 for what is not: a lower bound of the truth."""
        return self._known("input_tokens"), self._known("output_tokens")

    def known_cost(self) -> float:
        """The US dollars that are known, 0 for what is not: a lower bound of the truth."""
        if self.cost is not None:
            return self.cost
        if self.model_calls:
            return math.fsum(call.cost or 0.0 for call in self.model_calls)
        return math.fsum(turn.known_cost() for turn in self.turns) if self.turns else 0.0

    def _known(self, name: str) -> int:
        whole: int | None = getattr(self, name)
        if whole is not None:
            return whole
        return sum(getattr(call, name) or 0 for call in self.model_calls or ())

    def tools_called(self) -> tuple[str, ...]:
        """The distinct tool names in first-call order; () also where nobody recorded calls."""
        return tuple(dict.fromkeys(call.name for call in self.tool_calls or ()))

    def calls_to(self, tool: str) -> tuple[ToolCall, ...]:
        """The calls to exactly this tool, in order."""
        return tuple(call for call in self.tool_calls or () if call.name == tool)
