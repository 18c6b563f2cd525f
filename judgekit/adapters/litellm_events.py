"""litellm's events, read: what was asked, what was answered, what it cost."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from judgekit.adapters.messages import plain_message
from judgekit.adapters.recorded import RecordedCall
from judgekit.errors import InvalidArgument
from judgekit.interaction import ModelCall

__all__ = [
    "SCRIPTED_PROVIDER",
    "StartedCall",
    "finished_call",
    "is_generative",
    "unended_call",
    "usage_of",
]

# The provider that scripted models are registered under; they cost nothing.
SCRIPTED_PROVIDER = "judgekit-scripted"

# Embeddings, images and speech are no turns of a conversation.
_GENERATIVE = frozenset(
    prefix + name
    for prefix in ("", "a")
    for name in (
        "completion",
        "text_completion",
        "responses",
        "anthropic_messages",
        "generate_content",
        "generate_content_stream",
    )
)
# Streams of the OpenAI shape report usage only on request; where it is missing litellm estimates it.
_STREAMS_REPORT_USAGE = ("anthropic", "bedrock", "cohere", "gemini", "vertex_ai")


def is_generative(call: Mapping[str, Any]) -> bool:
    """Whether the call is one turn of a conversation."""
    return (call.get("call_type") or "completion") in _GENERATIVE


class StartedCall:
    """A request as it was when it was sent: agents go on changing their list of messages."""

    __slots__ = ("messages", "model", "offers_tools", "provider")

    def __init__(self, call: Mapping[str, Any]) -> None:
        self.model = _text_or_none(call.get("model"))
        self.provider = _text_or_none(call.get("custom_llm_provider"))
        self.messages = tuple(_plain_messages(call.get("messages")))
        options = call.get("optional_params") or {}
        self.offers_tools = any(options.get(name) for name in ("tools", "functions"))


def _plain_messages(messages: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    for position, message in enumerate(messages if isinstance(messages, list | tuple) else ()):
        with contextlib.suppress(InvalidArgument):
            yield plain_message(message, position)


def finished_call(order: int, started: StartedCall, call: Mapping[str, Any], response: Any) -> RecordedCall:
    """The call as it is recorded; `response` is None where it failed."""
    answer = tuple(_answer_messages(response))
    tokens_in, tokens_out, cost = usage_of(call, response)
    model_call = ModelCall(
        model=_text_or_none(call.get("model")) or started.model,
        provider=_text_or_none(call.get("custom_llm_provider")) or started.provider,
        input_tokens=tokens_in,
        output_tokens=tokens_out,
        latency=_seconds(call.get("start_time"), call.get("end_time")),
        cost=cost,
        finish_reasons=_finish_reasons(response),
    )
    return RecordedCall(
        order=order,
        model_call=model_call,
        messages=started.messages,
        response=answer,
        offers_tools=started.offers_tools,
        from_cache=bool(call.get("cache_hit")),
    )


def unended_call(order: int, started: StartedCall) -> RecordedCall:
    """A call that was sent and whose end was never reported: an abandoned stream, or a lost callback."""
    return RecordedCall(
        order=order,
        model_call=ModelCall(model=started.model, provider=started.provider),
        messages=started.messages,
        offers_tools=started.offers_tools,
    )


def _text_or_none(value: Any) -> str | None:
    return str(value) if value else None


def _seconds(start: Any, end: Any) -> float | None:
    if isinstance(start, datetime) and isinstance(end, datetime):
        return max(0.0, (end - start) / timedelta(seconds=1))
    return None


def _answer_messages(response: Any) -> Iterator[Mapping[str, Any]]:
    """The message, or the items of the Responses API, that a call was answered with."""
    choices = getattr(response, "choices", None)
    found = [choices[0].message] if choices and hasattr(choices[0], "message") else []
    yield from _plain_messages(found or getattr(response, "output", None))


def _finish_reasons(response: Any) -> tuple[str, ...]:
    if response is None:
        return ("error",)
    choices = getattr(response, "choices", None) or ()
    return tuple(str(choice.finish_reason) for choice in choices if getattr(choice, "finish_reason", None))


def usage_of(call: Mapping[str, Any], response: Any) -> tuple[int | None, int | None, float | None]:
    """Tokens in and out and US dollars of a call, each None where it is not known."""
    tokens_in, tokens_out = _tokens(call, response)
    cost = call.get("response_cost") if tokens_in is not None else None
    known = isinstance(cost, int | float) and cost >= 0
    return tokens_in, tokens_out, float(cost) if known and cost is not None else None


def _tokens(call: Mapping[str, Any], response: Any) -> tuple[int | None, int | None]:
    """What the provider reported. litellm puts 0 where it reported nothing, and estimates streams."""
    usage = getattr(response, "usage", None)
    if usage is None or not _usage_is_reported(call):
        return None, None
    tokens_in = _count(usage, "prompt_tokens", "input_tokens")
    tokens_out = _count(usage, "completion_tokens", "output_tokens")
    # No request has an empty prompt.
    return (tokens_in, tokens_out) if tokens_in else (None, None)


def _count(usage: Any, *names: str) -> int | None:
    for name in names:
        value = getattr(usage, name, None)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
    return None


def _usage_is_reported(call: Mapping[str, Any]) -> bool:
    if not call.get("stream"):
        return True
    if str(call.get("custom_llm_provider") or "").startswith(_STREAMS_REPORT_USAGE):
        return True
    options = (call.get("optional_params") or {}).get("stream_options") or call.get("stream_options") or {}
    return bool(options.get("include_usage"))
