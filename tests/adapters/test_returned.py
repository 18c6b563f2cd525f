"""Whatever an agent may return becomes an Interaction, and nothing else does."""

from dataclasses import dataclass, field
from types import SimpleNamespace as Shape
from typing import Any

import pytest

from judgekit import Interaction, ToolCall
from judgekit.adapters import interaction_from
from judgekit.testing import ScriptedModel


def test_a_text_is_a_reply_and_says_nothing_about_calls():
    found = interaction_from("It is late.", command_text="o_42")
    assert found == Interaction(command_text="o_42", reply="It is late.")
    assert found.tool_calls is None
    assert found.model_calls is None
    assert interaction_from("", command_text="x").reply == ""


def test_a_subclass_of_text_becomes_plain_text():
    assert type(interaction_from(ScriptedModel("x"), command_text="x").reply) is str


def test_an_interaction_stands_as_it_is_and_learns_its_command():
    own = Interaction(reply="x", tool_calls=[])
    assert interaction_from(own, command_text="o_42") == Interaction(
        command_text="o_42", reply="x", tool_calls=[]
    )
    named = Interaction(command_text="mine", reply="x")
    assert interaction_from(named, command_text="o_42") is named


def test_a_list_of_messages_is_a_conversation():
    found = interaction_from(
        [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}], command_text="c"
    )
    assert (found.command_text, found.user_message, found.reply, found.tool_calls) == ("c", "hi", "ho", ())


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "the agent returned None; return the reply as a str, an Interaction, a list of chat messages"),
        (3, "the agent returned a int; return the reply as a str"),
        ({"reply": "x"}, "the agent returned a dict"),
        (Shape(choices=[]), r"the text of a SimpleNamespace is its choices\[0\].message.content"),
        (["a", "b"], "a list that is no list of chat messages"),
        (Interaction, "the agent returned a type"),
    ],
)
def test_anything_else_is_a_type_error_that_names_what_an_agent_may_return(value, text):
    with pytest.raises(TypeError, match=f"(?i){text}"):
        interaction_from(value, command_text="x")


@dataclass
class Message:
    """The shape of LangChain's messages."""

    type: str
    content: Any
    tool_calls: list[Any] = field(default_factory=list)
    invalid_tool_calls: list[Any] = field(default_factory=list)
    tool_call_id: str | None = None
    status: str | None = None
    name: str | None = None
    usage_metadata: Any = None
    response_metadata: dict[str, Any] = field(default_factory=dict)


LANGCHAIN = [
    Message("system", "Be brief."),
    Message("human", "Where is o_42?"),
    Message(
        "ai",
        [{"type": "tool_use", "id": "c1", "name": "getOrder", "input": {"orderId": "o_42"}}],
        tool_calls=[{"name": "getOrder", "args": {"orderId": "o_42"}, "id": "c1", "type": "tool_call"}],
        invalid_tool_calls=[{"name": "getUser", "args": '{"id": ', "id": "c2", "error": "no JSON"}],
        usage_metadata={"input_tokens": 30, "output_tokens": 5, "total_tokens": 35},
        response_metadata={"model_name": "m-1", "finish_reason": "tool_calls", "model_provider": "openai"},
    ),
    Message("tool", "down", tool_call_id="c1", status="error", name="getOrder"),
    Message("ai", [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "I cannot tell."}]),
]


@pytest.mark.parametrize("value", [LANGCHAIN, {"messages": LANGCHAIN}, Shape(messages=LANGCHAIN)])
def test_langchain_messages_and_langgraph_states_are_read(value):
    found = interaction_from(value, command_text="c")
    assert (found.reply, found.user_message, found.command_text) == ("I cannot tell.", "Where is o_42?", "c")
    assert found.tool_calls == (
        ToolCall("getOrder", {"orderId": "o_42"}, error="down", id="c1"),
        ToolCall("getUser", '{"id": ', id="c2"),
    )
    first, second = found.model_calls
    assert (first.model, first.provider, first.finish_reasons) == ("m-1", "openai", ("tool_calls",))
    assert (first.input_tokens, first.output_tokens) == (30, 5)
    # BG01: the second call reported nothing, so the total is unknown and not 35.
    assert (second.input_tokens, found.total_tokens) == (None, None)


def test_messages_without_any_metadata_tell_of_no_model_call():
    found = interaction_from({"messages": [Message("human", "hi"), Message("ai", "ho")]}, command_text="c")
    assert found.model_calls is None
    assert interaction_from({"messages": []}, command_text="c").reply is None


def test_a_state_that_holds_earlier_turns_is_read_with_the_calls_since_the_command():
    usage = {"input_tokens": 50, "output_tokens": 7}
    # A node's remark in the user's name is no new command.
    later = [
        Message("human", "And o_43?"),
        Message("ai", "", tool_calls=[{"name": "getOrder", "args": {"orderId": "o_43"}, "id": "c3"}]),
        Message("tool", "late", tool_call_id="c3"),
        Message("human", "Be more precise."),
        Message("ai", "It is late.", usage_metadata=usage),
    ]
    found = interaction_from({"messages": [*LANGCHAIN, *later]}, command_text="And o_43?")
    assert found.tool_calls == (ToolCall("getOrder", {"orderId": "o_43"}, "late", id="c3"),)
    assert [call.output_tokens for call in found.model_calls] == [None, 7]
    assert (found.reply, len(found.messages)) == ("It is late.", 10)


def test_a_state_without_the_command_is_read_whole():
    found = interaction_from({"messages": [*LANGCHAIN, Message("human", "x")]}, command_text="reworded")
    assert [call.name for call in found.tool_calls] == ["getOrder", "getUser"]
    assert len(found.model_calls) == 2


def test_the_structured_response_of_a_graph_is_its_reply():
    state = {"messages": LANGCHAIN, "structured_response": {"status": "unknown"}}
    found = interaction_from(state, command_text="c")
    assert (found.reply, found.model_text) == ('{"status": "unknown"}', "I cannot tell.")


def part(kind, **fields):
    return Shape(part_kind=kind, **fields)


def pydantic_ai_result(output, *more):
    old = [
        Shape(kind="request", parts=[part("user-prompt", content="Hello")]),
        Shape(kind="response", parts=[part("tool-call", tool_name="old", args={}, tool_call_id="c0")]),
        Shape(kind="request", parts=[part("tool-return", tool_name="old", content="x", tool_call_id="c0")]),
        Shape(kind="response", parts=[part("text", content="Hi!")]),
    ]
    new = [
        Shape(
            kind="request",
            parts=[
                part("system-prompt", content="Be brief."),
                part("user-prompt", content=["Where is ", "o_42?"]),
            ],
        ),
        Shape(
            kind="response",
            parts=[
                part("thinking", content="hm"),
                part("tool-call", tool_name="getOrder", args='{"orderId": "o_42"}', tool_call_id="c1"),
                part("tool-call", tool_name="getUser", args=None, tool_call_id="c2"),
            ],
            usage=Shape(input_tokens=40, output_tokens=9),
            model_name="m-1",
            provider_name="openai",
            finish_reason="tool_call",
        ),
        Shape(
            kind="request",
            parts=[
                part(
                    "tool-return",
                    tool_name="getOrder",
                    content={"s": 1},
                    tool_call_id="c1",
                    outcome="success",
                ),
                part("retry-prompt", tool_name="getUser", content="no user", tool_call_id="c2"),
            ],
        ),
        *more,
    ]
    return Shape(new_messages=lambda: new, all_messages=lambda: [*old, *new], output=output)


def test_a_pydantic_ai_result_is_read_with_the_calls_of_its_own_run():
    last = Shape(
        kind="response", parts=[part("text", content="Late.")], usage=Shape(input_tokens=0, output_tokens=0)
    )
    found = interaction_from(pydantic_ai_result("Late.", last), command_text="c")
    assert (found.reply, found.model_text, found.user_message) == ("Late.", None, "Where is o_42?")
    assert found.tool_calls == (
        ToolCall("getOrder", {"orderId": "o_42"}, {"s": 1}, id="c1"),
        ToolCall("getUser", {}, error="no user", id="c2"),
    )
    assert [call.input_tokens for call in found.model_calls] == [40, None]
    assert found.model_calls[0].finish_reasons == ("tool_call",)
    assert found.input_tokens is None
    assert len(found.messages) > 6


def test_the_tool_that_carries_a_structured_output_is_no_tool_of_the_agent():
    done = (
        Shape(
            kind="response",
            parts=[part("tool-call", tool_name="final_result", args={"late": True}, tool_call_id="c3")],
            usage=Shape(input_tokens=50, output_tokens=3),
        ),
        Shape(
            kind="request",
            parts=[
                part(
                    "tool-return",
                    tool_name="final_result",
                    content="Final result processed.",
                    tool_call_id="c3",
                )
            ],
        ),
    )
    found = interaction_from(pydantic_ai_result({"late": True}, *done), command_text="c")
    assert found.reply == '{"late": true}'
    assert [call.name for call in found.tool_calls] == ["getOrder", "getUser"]
    assert (found.input_tokens, found.output_tokens) == (90, 12)


def agents_result(final_output):
    new = [
        {"type": "function_call", "call_id": "c1", "name": "getOrder", "arguments": '{"orderId": "o_42"}'},
        {"type": "function_call_output", "call_id": "c1", "output": "late"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It is late."}]},
    ]
    old = [
        {"role": "user", "content": "Hello"},
        {"type": "function_call", "call_id": "c0", "name": "old", "arguments": "{}"},
        {"role": "user", "content": "Where is o_42?"},
    ]
    checked = Shape(guardrail=Shape(get_name=lambda: "pii"), output=Shape(tripwire_triggered=False))
    return Shape(
        to_input_list=lambda: [*old, *new],
        new_items=[Shape(to_input_item=lambda item=item: item) for item in new],
        final_output=final_output,
        raw_responses=[
            Shape(
                output=[Shape(provider_data={"model": "m-1"})], usage=Shape(input_tokens=20, output_tokens=4)
            ),
            Shape(output=[], usage=Shape(input_tokens=30, output_tokens=6)),
        ],
        input_guardrail_results=[checked],
        output_guardrail_results=[],
    )


def test_an_openai_agents_result_is_read_with_the_calls_of_its_own_run():
    found = interaction_from(agents_result("It is late."), command_text="c")
    assert (found.reply, found.user_message, found.model_text) == ("It is late.", "Where is o_42?", None)
    assert found.tool_calls == (ToolCall("getOrder", {"orderId": "o_42"}, "late", id="c1"),)
    assert [call.model for call in found.model_calls] == ["m-1", None]
    assert (found.input_tokens, found.output_tokens) == (50, 10)
    assert [(g.name, g.category, g.passed) for g in found.guardrails] == [("pii", "input", True)]
    assert len(found.messages) == 6


def test_a_typed_output_is_the_reply_as_json_beside_the_models_own_text():
    found = interaction_from(agents_result({"late": True}), command_text="c")
    assert (found.reply, found.model_text) == ('{"late": true}', "It is late.")


def test_a_stream_of_openai_agents_that_was_not_read_to_its_end_is_refused():
    stream = agents_result(None)
    stream.is_complete = False
    with pytest.raises(TypeError, match="not read to its end"):
        interaction_from(stream, command_text="c")
    stream.is_complete = True
    assert interaction_from(stream, command_text="c").tool_calls
