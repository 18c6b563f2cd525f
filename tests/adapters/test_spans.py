"""Spans of real producers, recorded once, and the rules by which they are read."""

import json
from pathlib import Path

import pytest

from judgekit.adapters.spans import merged
from judgekit.errors import InvalidArgument
from judgekit.interaction import Interaction, ModelCall, ToolCall

RECORDED = json.loads(Path(__file__).with_name("recorded_spans.json").read_text(encoding="utf-8"))
SECOND = 1_000_000_000


def span(name="chat", attributes=None, *, id="", parent=None, at=1, lasts=1, error=None, events=()):
    return {
        "name": name,
        "context": {"trace_id": "0xaa", "span_id": id},
        "parent_id": parent,
        "start_time": at * SECOND,
        "end_time": (at + lasts) * SECOND,
        "attributes": attributes or {},
        "status": {"status_code": "ERROR", "description": error} if error else {"status_code": "UNSET"},
        "events": events,
    }


def said(*parts, role="assistant"):
    return json.dumps([{"role": role, "parts": list(parts)}])


def text(content):
    return {"type": "text", "content": content}


def chat(output=None, inputs=None, *, tokens=(10, 5), **more):
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
    if tokens:
        attributes |= {"gen_ai.usage.input_tokens": tokens[0], "gen_ai.usage.output_tokens": tokens[1]}
    if output is not None:
        attributes["gen_ai.output.messages"] = output
    if inputs is not None:
        attributes["gen_ai.input.messages"] = inputs
    return attributes | {f"gen_ai.{name.replace('__', '.')}": value for name, value in more.items()}


def tool(name="getOrder", arguments='{"orderId": "o_42"}', result="shipped", **more):
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
    if arguments is not None:
        attributes["gen_ai.tool.call.arguments"] = arguments
    if result is not None:
        attributes["gen_ai.tool.call.result"] = result
    return attributes | {f"gen_ai.{key.replace('__', '.')}": value for key, value in more.items()}


# What each producer's spans of one and the same turn say.
ORDER_TURNS = [
    "pydantic_ai",
    "pydantic_ai_stream",
    "openinference_openai",
    "openllmetry_openai",
    "openinference_langchain",
    "openllmetry_langchain",
]


@pytest.mark.parametrize("producer", ORDER_TURNS)
def test_every_producer_tells_of_the_same_turn(producer):
    interaction = Interaction.from_spans(RECORDED[producer])
    assert interaction.reply == "Your order is on its way."
    assert interaction.model_text is None
    assert interaction.user_message == "Where is order o_42?"
    (call,) = interaction.tool_calls
    assert (call.name, call.arguments, call.id, call.error) == (
        "getOrder",
        {"orderId": "o_42"},
        "call_1",
        None,
    )
    result = json.loads(call.result) if isinstance(call.result, str) else call.result
    assert result["id"] == "o_42"
    assert [made.model for made in interaction.model_calls] == ["gpt-x", "gpt-x"]
    assert [made.provider for made in interaction.model_calls] == ["openai", "openai"]
    assert interaction.input_tokens in {14, 17, 18}
    assert interaction.output_tokens == 35
    assert interaction.latency > 0
    assert interaction.error is None
    roles = [message["role"] for message in interaction.messages if message["role"] != "system"]
    assert roles == ["user", "assistant", "tool", "assistant"]


def test_a_streaming_agent_counts_once():
    whole = Interaction.from_spans(RECORDED["pydantic_ai"])
    streamed = Interaction.from_spans(RECORDED["pydantic_ai_stream"])
    assert streamed.total_tokens == whole.total_tokens == 52
    assert len(streamed.model_calls) == 2
    assert len(streamed.tool_calls) == 1


@pytest.mark.parametrize("producer", ["openinference_openai_stream", "openllmetry_openai_stream"])
def test_a_stream_without_usage_has_unknown_tokens(producer):
    interaction = Interaction.from_spans(RECORDED[producer])
    assert interaction.input_tokens is None
    assert [call.name for call in interaction.tool_calls] == ["getOrder"]
    assert interaction.reply is None


@pytest.mark.parametrize("producer", ["openinference_langchain_failed", "openllmetry_langchain_failed"])
def test_a_tool_that_ends_the_turn_is_a_failed_call_of_a_failed_turn(producer):
    interaction = Interaction.from_spans(RECORDED[producer])
    assert interaction.tool_calls == (ToolCall("getOrder", {"orderId": "o_43"}, error="boom", id="call_1"),)
    assert interaction.error == "boom"
    assert interaction.reply is None


def test_a_tool_that_fails_is_no_failure_of_the_turn():
    interaction = Interaction.from_spans(RECORDED["openinference_openai_agents"])
    assert [call.error is None for call in interaction.tool_calls] == [True, False]
    assert interaction.tool_calls[1].arguments == {"orderId": "o_43"}
    assert interaction.error is None


def test_the_schema_of_a_tool_is_not_taken_for_its_arguments():
    tools = [s for s in RECORDED["openinference_openai_agents"] if s["name"] == "getOrder"]
    assert '"properties"' in tools[0]["attributes"]["tool.parameters"]
    interaction = Interaction.from_spans(RECORDED["openinference_openai_agents"])
    assert interaction.tool_calls[0].arguments == {"orderId": "o_42"}


def test_a_result_that_is_a_bare_word_is_that_word():
    interaction = Interaction.from_spans(RECORDED["util_genai"])
    assert interaction.tool_calls[0].result == "shipped"
    assert interaction.tool_calls[1].error == "no such order"
    assert interaction.reply == "Shipped"


def test_executed_tools_are_the_calls_and_requests_do_not_double_them():
    asks = said({"type": "tool_call", "id": "c1", "name": "getOrder", "arguments": {"orderId": "o_42"}})
    spans = [span(attributes=chat(asks), at=1), span("t", tool(tool__call__id="c1"), at=3)]
    assert len(Interaction.from_spans(spans).tool_calls) == 1


def test_without_any_executed_tool_the_requests_are_the_calls():
    asks = {"type": "tool_call", "id": "c1", "name": "getOrder", "arguments": '{"orderId": "o_42"}'}
    answered = [
        {"role": "assistant", "parts": [asks]},
        {"role": "user", "parts": [{"type": "tool_call_response", "id": "c1", "result": "shipped"}]},
    ]
    spans = [
        span(attributes=chat(said(asks), "[]"), at=1),
        span(attributes=chat(said(text("Done")), json.dumps(answered)), at=3),
    ]
    interaction = Interaction.from_spans(spans)
    assert interaction.tool_calls == (ToolCall("getOrder", {"orderId": "o_42"}, "shipped", id="c1"),)
    assert len(interaction.model_calls) == 2


def test_a_structured_answer_is_no_tool_call():
    answer = said({"type": "tool_call", "id": "c1", "name": "final_result", "arguments": '{"text": "Hi"}'})
    parameters = json.dumps({"function_tools": [], "output_tools": [{"name": "final_result"}]})
    spans = [
        span(
            "a", {"gen_ai.operation.name": "invoke_agent", "final_result": '{"text":"Hi"}'}, id="a", lasts=9
        ),
        span(attributes=chat(answer) | {"model_request_parameters": parameters}, parent="a", at=2),
    ]
    interaction = Interaction.from_spans(spans)
    assert interaction.tool_calls == ()
    assert interaction.reply == '{"text":"Hi"}'


@pytest.mark.parametrize("role", ["tool", "user"])
@pytest.mark.parametrize("key", ["response", "result"])
def test_a_response_is_read_under_both_keys_and_both_roles(key, role):
    asks = {"type": "tool_call", "id": "c1", "name": "getOrder", "arguments": None}
    history = [
        {"role": "assistant", "parts": [asks]},
        {"role": role, "parts": [{"type": "tool_call_response", "id": "c1", key: {"state": "sent"}}]},
    ]
    spans = [span(attributes=chat(said(asks)), at=1), span(attributes=chat("[]", json.dumps(history)), at=3)]
    assert Interaction.from_spans(spans).tool_calls[0].result == {"state": "sent"}


# TC01, TC02
@pytest.mark.parametrize(
    ("arguments", "read"),
    [
        ('{"city": "Oslo"}', {"city": "Oslo"}),
        ({"city": "Oslo"}, {"city": "Oslo"}),
        ("{}", {}),
        ("  ", {}),
        ("", {}),
    ],
)
def test_arguments_come_as_text_or_as_data(arguments, read):
    interaction = Interaction.from_spans([span(attributes=tool(arguments=arguments))])
    assert interaction.tool_calls[0].arguments == read


def test_arguments_that_nobody_recorded_are_unreadable_and_not_empty():
    (call,) = Interaction.from_spans([span(attributes=tool(arguments=None, result=None))]).tool_calls
    assert isinstance(call.arguments, str)


def test_a_tool_without_arguments_whose_result_is_recorded_was_called_without_any():
    (call,) = Interaction.from_spans([span(attributes=tool(arguments=None))]).tool_calls
    assert call.arguments == {}


def test_what_a_tool_span_leaves_out_is_taken_from_the_request():
    asks = {"type": "tool_call", "id": "c1", "name": "getOrder", "arguments": {"orderId": "o_42"}}
    history = [
        {"role": "assistant", "parts": [asks]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "shipped"}]},
    ]
    spans = [
        span(attributes=chat(said(asks)), at=1),
        span("t", tool(arguments=None, result=None, tool__call__id="c1"), at=3),
        span(attributes=chat(said(text("Done")), json.dumps(history)), at=5),
    ]
    interaction = Interaction.from_spans(spans)
    assert interaction.tool_calls == (ToolCall("getOrder", {"orderId": "o_42"}, "shipped", id="c1"),)


# TC05, TC19
def test_equal_calls_stay_two_and_parallel_calls_stay_in_the_order_in_which_they_began():
    spans = [
        span("t", tool("ping", "{}"), id="a", at=2),
        span("t", tool("weather", '{"city": "Rome"}'), id="b", at=1, lasts=5),
        span("t", tool("ping", "{}"), id="c", at=2),
    ]
    interaction = Interaction.from_spans(reversed(spans))
    assert [call.name for call in interaction.tool_calls] == ["weather", "ping", "ping"]


# TC16
def test_no_spans_of_a_model_or_a_tool_is_no_evidence_of_no_calls():
    interaction = Interaction.from_spans([span("GET /", {"http.request.method": "GET"})])
    assert interaction.tool_calls is None
    assert interaction.model_calls is None
    assert interaction.reply is None
    assert Interaction.from_spans([]).tool_calls is None


def test_without_content_only_the_finish_reasons_say_that_no_tool_was_asked_for():
    stopped = span(attributes=chat(response__finish_reasons=["stop"]))
    asked = span(attributes=chat(response__finish_reasons=["tool_calls"]))
    silent = span(attributes=chat())
    assert Interaction.from_spans([stopped]).tool_calls == ()
    assert Interaction.from_spans([asked]).tool_calls is None
    assert Interaction.from_spans([silent]).tool_calls is None
    assert Interaction.from_spans([span(attributes=chat(said(text("Hi"))))]).tool_calls == ()


# TC17
def test_a_tool_that_returned_nothing_has_no_result():
    (call,) = Interaction.from_spans([span(attributes=tool(result="null"))]).tool_calls
    assert call.result is None
    assert call.error is None


# TC20
def test_only_text_parts_are_the_reply():
    parts = [
        {"type": "reasoning", "content": "they want a total"},
        text("Total 12"),
        {"type": "blob", "mime_type": "image/png", "content": "AAAA"},
    ]
    interaction = Interaction.from_spans([span(attributes=chat(said(*parts)))])
    assert interaction.reply == "Total 12"


def test_usage_is_summed_over_model_calls_and_never_over_agents_too():
    agent = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.usage.input_tokens": 30,
        "gen_ai.aggregated_usage.input_tokens": 30,
    }
    spans = [
        span("a", agent, id="a", at=1, lasts=9),
        span(attributes=chat(said(text("x")), tokens=(10, 5)), id="b", parent="a", at=2),
        span(attributes=chat(said(text("y")), tokens=(20, 6)), id="c", parent="a", at=4),
    ]
    interaction = Interaction.from_spans(spans)
    assert (interaction.input_tokens, interaction.output_tokens) == (30, 11)


def test_nested_agents_belong_to_the_turn_and_the_outermost_answers():
    spans = [
        span("a", {"gen_ai.operation.name": "invoke_agent"}, id="a", at=1, lasts=30),
        span(attributes=chat(said({"type": "tool_call", "name": "ask"})), id="b", parent="a", at=2),
        span("t", tool("ask", '{"q": "how much?"}', "49"), id="t", parent="a", at=4, lasts=10),
        span("s", {"gen_ai.operation.name": "invoke_agent"}, id="s", parent="t", at=5, lasts=8),
        span(attributes=chat(said(text("49"))), id="m", parent="s", at=6),
        span("t", tool("price", "{}", "49"), id="p", parent="s", at=8),
        span(
            attributes=chat(said(text("It costs 49.")), said(text("Price?"), role="user")), parent="a", at=20
        ),
    ]
    interaction = Interaction.from_spans(spans)
    assert [call.name for call in interaction.tool_calls] == ["ask", "price"]
    assert len(interaction.model_calls) == 3
    assert interaction.reply == "It costs 49."
    assert interaction.user_message == "Price?"


def test_the_last_word_of_a_sub_agent_is_no_reply():
    spans = [
        span(attributes=chat(said(text("Let me ask."))), id="b", at=1),
        span("t", tool("ask", "{}", "49"), id="t", at=4, lasts=10),
        span(attributes=chat(said(text("49 it is"))), id="m", parent="t", at=6),
    ]
    assert Interaction.from_spans(spans).reply == "Let me ask."


def test_an_agent_that_maps_the_models_text_keeps_both():
    agent = {"gen_ai.operation.name": "invoke_agent", "final_result": '{"state": "sent"}'}
    spans = [
        span("a", agent, id="a", at=1, lasts=9),
        span(attributes=chat(said(text("It was sent."))), parent="a", at=2),
    ]
    interaction = Interaction.from_spans(spans)
    assert interaction.reply == '{"state": "sent"}'
    assert interaction.model_text == "It was sent."


def openinference_model(**more):
    return {
        "openinference.span.kind": "LLM",
        "llm.model_name": "m",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "Hi",
    } | more


def test_one_request_that_a_framework_and_a_client_both_write_counts_once():
    framework = openinference_model()
    spans = [
        span("ChatOpenAI", framework, id="a", at=1, lasts=5),
        span("chat", chat(said(text("Hi"))), id="b", parent="a", at=2),
    ]
    interaction = Interaction.from_spans(spans)
    (call,) = interaction.model_calls
    assert (call.input_tokens, call.output_tokens) == (10, 5)


def test_two_spans_side_by_side_with_one_response_id_are_one_request():
    spans = [
        span("x", chat(said(text("Hi")), response__id="r1"), id="a", at=1, lasts=5),
        span("y", chat(said(text("Hi")), response__id="r1"), id="b", at=2, lasts=1),
    ]
    assert len(Interaction.from_spans(spans).model_calls) == 1


def test_one_request_that_two_producers_write_side_by_side_counts_once():
    spans = [
        span("ChatOpenAI", openinference_model(), id="a", at=1, lasts=5),
        span("openai.chat", chat(said(text("Hi")), response__id="r1"), id="b", at=2),
        span("ChatOpenAI", openinference_model(), id="c", at=1, lasts=6),
        span("openai.chat", chat(said(text("Hi")), response__id="r2"), id="d", at=3),
        span("openai.chat", chat(said(text("Ho")), response__id="r3"), id="e", at=4),
    ]
    calls = Interaction.from_spans(spans).model_calls
    assert len(calls) == 3
    assert [call.input_tokens for call in calls] == [10, 10, 10]


def test_one_execution_that_two_producers_write_side_by_side_counts_once():
    other = {
        "openinference.span.kind": "TOOL",
        "tool.name": "getOrder",
        "input.value": '{"orderId": "o_42"}',
        "output.value": "shipped",
    }
    spans = [
        span("getOrder", other, id="a", at=1, lasts=5),
        span("execute_tool", tool(tool__call__id="c1"), id="b", at=2),
        span("execute_tool", tool(tool__call__id="c2"), id="c", at=3),
        span("execute_tool", tool(arguments='{"orderId": "o_43"}'), id="d", at=4),
    ]
    made = Interaction.from_spans(spans).tool_calls
    assert [(call.arguments["orderId"], call.id) for call in made] == [
        ("o_42", "c1"),
        ("o_42", "c2"),
        ("o_43", None),
    ]


def test_a_server_that_gives_every_answer_one_id_still_counts_every_request():
    spans = [
        span("x", chat(said(text("Hi")), response__id="r1"), id="a", at=1),
        span("y", chat(said(text("Ho")), response__id="r1"), id="b", at=9),
    ]
    assert len(Interaction.from_spans(spans).model_calls) == 2


def test_a_later_request_inside_a_stream_left_open_is_a_request_of_its_own():
    spans = [
        span("x", chat(said(text("Hi")), response__id="r1"), id="a", at=1, lasts=20),
        span("y", chat(said(text("Ho")), response__id="r2"), id="b", parent="a", at=9),
        span("z", chat(said(text("Hu"))), id="c", parent="a", at=12),
    ]
    assert len(Interaction.from_spans(spans).model_calls) == 3


def test_an_execution_that_a_framework_and_a_client_both_write_counts_once():
    spans = [
        span("t", tool(), id="a", at=1, lasts=5),
        span("tools/call getOrder", tool(), id="b", parent="a", at=2),
        span("t", tool("other", "{}"), id="c", parent="a", at=3),
    ]
    assert [call.name for call in Interaction.from_spans(spans).tool_calls] == ["getOrder", "other"]


def test_a_span_that_was_exported_twice_counts_once():
    spans = [span("t", tool(), id="a"), span("t", tool(), id="a")]
    assert len(Interaction.from_spans(spans).tool_calls) == 1


def test_spans_of_different_conventions_in_one_trace_are_read_each_in_its_own():
    flat = {
        "llm.request.type": "chat",
        "gen_ai.request.model": "m",
        "gen_ai.usage.prompt_tokens": 7,
        "gen_ai.usage.completion_tokens": 3,
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "Where is it?",
        "gen_ai.completion.0.finish_reason": "tool_calls",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.tool_calls.0.id": "c1",
        "gen_ai.completion.0.tool_calls.0.name": "getOrder",
        "gen_ai.completion.0.tool_calls.0.arguments": '{"orderId": "o_42"}',
        "gen_ai.system": "OpenAI",
    }
    traceloop_tool = {
        "traceloop.span.kind": "tool",
        "traceloop.entity.name": "getOrder",
        "traceloop.entity.input": '{"args": [], "kwargs": {"orderId": "o_42"}}',
        "traceloop.entity.output": '{"state": "sent"}',
    }
    spans = [
        span("openai.chat", flat, at=1),
        span("getOrder.tool", traceloop_tool, at=3),
        span(
            "LLM", openinference_model(**{"llm.token_count.prompt": 9, "llm.token_count.completion": 1}), at=5
        ),
        span("chat", chat(said(text("Sent."))), at=7),
    ]
    interaction = Interaction.from_spans(spans)
    assert interaction.tool_calls == (ToolCall("getOrder", {"orderId": "o_42"}, {"state": "sent"}, id="c1"),)
    assert [made.input_tokens for made in interaction.model_calls] == [7, 9, 10]
    assert interaction.model_calls[0].finish_reasons == ("tool_calls",)
    assert interaction.model_calls[0].provider == "OpenAI"
    assert interaction.reply == "Sent."


def test_positional_arguments_of_a_decorated_tool_are_unreadable():
    attributes = {
        "traceloop.span.kind": "tool",
        "traceloop.entity.name": "getOrder",
        "traceloop.entity.input": '{"args": ["o_42"], "kwargs": {}}',
    }
    (call,) = Interaction.from_spans([span(attributes=attributes)]).tool_calls
    assert isinstance(call.arguments, str)


def test_content_that_openinference_hides_was_not_recorded():
    hidden = {
        "openinference.span.kind": "LLM",
        "llm.model_name": "m",
        "input.value": "__REDACTED__",
        "output.value": "__REDACTED__",
        "llm.output_messages": "__REDACTED__",
    }
    interaction = Interaction.from_spans([span(attributes=hidden)])
    assert interaction.tool_calls is None
    assert interaction.reply is None
    assert len(interaction.model_calls) == 1


def test_older_names_of_pydantic_ai_are_read():
    attributes = {
        "gen_ai.tool.name": "getOrder",
        "gen_ai.tool.call.id": "c1",
        "tool_arguments": '{"orderId": "o_42"}',
        "tool_response": '{"state": "sent"}',
    }
    interaction = Interaction.from_spans([span("running tool", attributes)])
    assert interaction.tool_calls == (ToolCall("getOrder", {"orderId": "o_42"}, {"state": "sent"}, id="c1"),)


def test_messages_in_an_event_of_the_span_are_read():
    event = {
        "name": "gen_ai.client.inference.operation.details",
        "attributes": {"gen_ai.output.messages": said(text("Hi"))},
    }
    assert Interaction.from_spans([span(attributes=chat(), events=[event])]).reply == "Hi"


def test_system_instructions_open_the_conversation():
    attributes = chat(said(text("Hi")), said(text("Hello"), role="user"))
    attributes["gen_ai.system_instructions"] = json.dumps([text("Be kind")])
    messages = Interaction.from_spans([span(attributes=attributes)]).messages
    assert [message["role"] for message in messages] == ["system", "user", "assistant"]


def test_a_failed_model_call_counts_and_is_the_failure_of_a_turn_that_ends_with_it():
    spans = [
        span(attributes=chat(said(text("Hi"))), at=1),
        span(attributes=chat(tokens=None), at=3, error="rate limited"),
    ]
    interaction = Interaction.from_spans(spans)
    assert interaction.model_calls[1].finish_reasons == ("error",)
    assert interaction.error == "rate limited"
    assert interaction.input_tokens is None


def test_embeddings_and_retrievals_are_no_turns():
    spans = [
        span("embeddings m", {"gen_ai.operation.name": "embeddings", "gen_ai.usage.input_tokens": 5}),
        span("retrieval", {"gen_ai.operation.name": "retrieval"}),
        span("r", {"openinference.span.kind": "RETRIEVER", "output.value": "x"}),
        span("e", {"llm.request.type": "embedding", "gen_ai.prompt.0.content": "x"}),
    ]
    interaction = Interaction.from_spans(spans)
    assert interaction.model_calls is None
    assert interaction.tool_calls is None


def test_a_token_count_of_zero_was_not_reported():
    assert Interaction.from_spans([span(attributes=chat(tokens=(0, 0)))]).input_tokens is None


def test_a_loop_of_parents_ends():
    spans = [span("t", tool(), id="a", parent="b"), span("t", tool("b", "{}"), id="b", parent="a")]
    assert len(Interaction.from_spans(spans).tool_calls) == 2


@pytest.mark.parametrize("value", ["chat", {"name": "chat"}, [1], [{"attributes": {}}], None])
def test_what_is_no_span_is_refused(value):
    with pytest.raises(InvalidArgument, match="span"):
        Interaction.from_spans(value)


def test_given_fields_win_over_what_was_read():
    interaction = Interaction.from_spans(
        [span(attributes=chat(said(text("Hi"))))], reply="Ho", command_text="Go"
    )
    assert (interaction.reply, interaction.command_text) == ("Ho", "Go")


def test_what_the_agent_says_itself_stands():
    own = Interaction(reply="x", tool_calls=(), model_calls=(ModelCall(model="mine"),), user_message="q")
    spans = [span(attributes=chat(said(text("Hi")))), span("t", tool(), at=3)]
    completed = merged(own, spans)
    assert completed.tool_calls == ()
    assert completed.model_calls == own.model_calls
    assert completed.user_message == "q"
    assert completed.model_text == "Hi"


def test_a_reply_alone_is_completed_from_its_spans():
    completed = merged(
        Interaction(reply="Hi"), [span(attributes=chat(said(text("Hi")))), span("t", tool(), at=3)]
    )
    assert [call.name for call in completed.tool_calls] == ["getOrder"]
    assert completed.input_tokens == 10
    assert completed.model_text is None


def test_spans_that_tell_nothing_change_nothing():
    own = Interaction(reply="Hi")
    assert merged(own, [span("GET /", {"http.request.method": "GET"})]) == own


def of_mcp(name, arguments=None):
    return tool(name, arguments, None) | {"mcp.method.name": "tools/call"}


@pytest.mark.parametrize("outer", ["crm_delete_user", "mcp__crm__delete_user", "delete_user"])
@pytest.mark.parametrize("arguments", [None, '{"id": 3}'])
def test_a_call_that_a_framework_hands_on_to_an_mcp_server_counts_once(outer, arguments):
    spans = [
        span("execute_tool", tool(outer, '{"id": 3}', "gone"), id="1", lasts=9),
        span("tools/call", of_mcp("delete_user", arguments), id="2", parent="1", at=2, lasts=7),
        span("tools/call", of_mcp("delete_user", arguments), id="3", parent="2", at=3, lasts=5),
    ]
    assert Interaction.from_spans(spans).tool_calls == (ToolCall(outer, {"id": 3}, "gone"),)


@pytest.mark.parametrize(
    "inner",
    [
        of_mcp("delete_user", '{"id": 4}'),
        of_mcp("user", '{"id": 4}'),
        of_mcp("ete_user"),
        of_mcp("get_user"),
        tool("delete_user", '{"id": 3}'),
    ],
)
def test_another_call_inside_of_a_tool_is_one_of_its_own(inner):
    spans = [
        span("execute_tool", tool("crm_delete_user", '{"id": 3}', "gone"), id="1", lasts=9),
        span("tools/call", inner, id="2", parent="1", at=2, lasts=7),
    ]
    assert len(Interaction.from_spans(spans).tool_calls) == 2
