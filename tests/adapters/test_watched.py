"""Both doors around one agent call: what both saw counts once."""

import asyncio
import contextlib

import pytest

from judgekit.adapters.watched import watched
from judgekit.interaction import Interaction, ModelCall
from judgekit.testing import ScriptedModel, after_tool, calls, when

trace_api = pytest.importorskip("opentelemetry.trace", reason="opentelemetry-sdk is not installed")
sdk = pytest.importorskip("opentelemetry.sdk.trace", reason="opentelemetry-sdk is not installed")

TOOLS = [{"type": "function", "function": {"name": "getOrder", "parameters": {"type": "object"}}}]


@pytest.fixture
def tracer():
    found = trace_api.get_tracer_provider()
    if not isinstance(found, sdk.TracerProvider):
        found = sdk.TracerProvider()
        trace_api.set_tracer_provider(found)
    return found.get_tracer("agent")


@pytest.fixture
def model():
    return ScriptedModel(
        when("where", calls("getOrder", orderId="o_42")),
        after_tool("getOrder", "On its way."),
        name="watched",
    )


def run(litellm, model, chat_span, own=None):
    """One turn: a call, a tool, a call; `chat_span(number)` is a context manager around each model call."""

    async def turn():
        messages = [{"role": "user", "content": "Where is it?"}]
        with watched() as seen:
            for number in (1, 2):
                with chat_span(number):
                    answer = await litellm.acompletion(model=model, messages=messages, tools=TOOLS)
                messages.append(answer.choices[0].message.model_dump(exclude_none=True))
                messages.append({"role": "tool", "tool_call_id": "call_1", "content": "shipped"})
            await seen.settle()
        return seen.completed(own or Interaction(reply="On its way."))

    return asyncio.run(turn())


def attributes(tokens):
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "by-span",
        "gen_ai.usage.input_tokens": tokens,
        "gen_ai.usage.output_tokens": tokens,
        "gen_ai.response.finish_reasons": ["stop"],
    }


def test_a_model_call_that_both_doors_saw_counts_once(litellm, model, tracer):
    def chat_span(number):
        return tracer.start_as_current_span("chat", attributes=attributes(number))

    interaction = run(litellm, model, chat_span)
    assert [call.model for call in interaction.model_calls] == ["by-span", "by-span"]
    assert interaction.input_tokens == 3


def test_the_door_that_saw_more_model_calls_is_believed(litellm, model, tracer):
    def chat_span(number):
        seen = attributes(number) if number == 2 else {}
        return tracer.start_as_current_span("chat", attributes=seen)

    interaction = run(litellm, model, chat_span)
    assert len(interaction.model_calls) == 2
    assert "by-span" not in [call.model for call in interaction.model_calls]
    assert [call.name for call in interaction.tool_calls] == ["getOrder"]
    assert interaction.input_tokens == sum(call.input_tokens for call in interaction.model_calls)


def test_without_spans_the_calls_through_litellm_are_the_evidence(litellm, model):
    interaction = run(litellm, model, lambda number: contextlib.nullcontext())
    assert len(interaction.model_calls) == 2
    assert interaction.tool_calls[0].arguments == {"orderId": "o_42"}


def test_executed_tools_win_over_requests(litellm, model, tracer):
    def chat_span(number):
        called = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "reallyCalled"}
        return tracer.start_as_current_span("execute_tool", attributes=called if number == 2 else {})

    interaction = run(litellm, model, chat_span)
    assert [call.name for call in interaction.tool_calls] == ["reallyCalled"]
    assert len(interaction.model_calls) == 2


def test_what_the_agent_says_itself_stands(litellm, model, tracer):
    own = Interaction(reply="x", tool_calls=(), model_calls=(ModelCall(input_tokens=1, output_tokens=1),))
    interaction = run(
        litellm, model, lambda number: tracer.start_as_current_span("chat", attributes=attributes(9)), own
    )
    assert interaction.model_calls == own.model_calls
    assert interaction.tool_calls == ()
    assert interaction.total_tokens == 2
