"""Chat messages in OpenAI's and Anthropic's shapes become the same evidence."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit import Interaction, InvalidArgument, ToolCall

USER = {"role": "user", "content": "Where is o_42?"}


def openai_call(id, name, arguments):
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def assistant(*calls, content=None):
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def result(id, content, **fields):
    return {"role": "tool", "tool_call_id": id, "content": content, **fields}


def test_openai_messages_give_reply_question_and_calls_with_their_results():
    messages = [
        {"role": "system", "content": "Be brief."},
        USER,
        assistant(openai_call("c1", "getOrder", '{"orderId": "o_42"}')),
        result("c1", "late"),
        {"role": "assistant", "content": "It is late."},
    ]
    found = Interaction.from_messages(messages, command_text="o_42", latency=0.5)
    assert found.reply == "It is late."
    assert found.user_message == "Where is o_42?"
    assert found.tool_calls == (ToolCall("getOrder", {"orderId": "o_42"}, "late", id="c1"),)
    assert found.messages == tuple(messages)
    assert (found.command_text, found.latency, found.model_calls) == ("o_42", 0.5, None)


def test_anthropic_messages_give_the_same_and_thinking_is_never_the_reply():
    found = Interaction.from_messages(
        [
            USER,
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "I should look it up", "signature": "x"},
                    {"type": "text", "text": "Let me see."},
                    {"type": "tool_use", "id": "t1", "name": "getOrder", "input": {"orderId": "o_42"}},
                    {"type": "tool_use", "id": "t2", "name": "getUser", "input": {}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "t2", "content": "no user", "is_error": True},
                    {
                        "type": "tool_result",
                        "tool_use_id": "t1",
                        "content": [{"type": "text", "text": "late"}],
                    },
                ],
            },
            {
                "role": "assistant",
                "content": [
                    {"type": "redacted_thinking", "data": "zzz"},
                    {"type": "text", "text": "It is "},
                    {"type": "text", "text": "late."},
                ],
            },
        ]
    )
    assert found.reply == "It is late."
    assert found.user_message == "Where is o_42?"
    assert found.tool_calls == (
        ToolCall("getOrder", {"orderId": "o_42"}, "late", id="t1"),
        ToolCall("getUser", {}, error="no user", id="t2"),
    )


def test_tools_that_the_provider_runs_are_answered_in_the_same_message():
    content = [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"type": "web_search_result"}]},
        {"type": "text", "text": "Found."},
    ]
    (call,) = Interaction.from_messages([USER, {"role": "assistant", "content": content}]).tool_calls
    assert (call.name, call.result) == ("web_search", [{"type": "web_search_result"}])


def test_items_of_the_responses_api_are_read_too():
    found = Interaction.from_messages(
        [
            {"role": "user", "content": [{"type": "input_text", "text": "hi"}]},
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
            {"type": "function_call", "call_id": "c1", "name": "getOrder", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "late"},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Late."}]},
        ]
    )
    assert (found.reply, found.user_message) == ("Late.", "hi")
    assert found.tool_calls == (ToolCall("getOrder", {}, "late", id="c1"),)


def test_content_that_is_a_list_of_parts_gives_only_its_text():
    # TC20
    parts = [
        {"type": "text", "text": "Total 12"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ]
    assert Interaction.from_messages([USER, {"role": "assistant", "content": parts}]).reply == "Total 12"


@pytest.mark.parametrize("content", [None, "", "  \n", [], [{"type": "thinking", "thinking": "deep"}]])
def test_no_assistant_text_is_no_reply_and_never_the_word_none(content):
    # JP18, on the agent's side
    found = Interaction.from_messages([USER, {"role": "assistant", "content": content}])
    assert found.reply is None
    assert found.user_message == "Where is o_42?"


def test_the_reply_is_the_last_text_that_is_not_empty_and_the_question_stands_before_it():
    found = Interaction.from_messages(
        [
            USER,
            {"role": "assistant", "content": "Late."},
            {"role": "user", "content": "Thanks, bye"},
            {"role": "assistant", "content": ""},
        ]
    )
    assert (found.reply, found.user_message) == ("Late.", "Where is o_42?")


def test_a_refusal_is_no_text_of_the_content():
    message = {"role": "assistant", "content": None, "refusal": "I cannot do that."}
    assert Interaction.from_messages([USER, message]).reply is None


def test_arguments_come_as_text_or_as_a_mapping():
    # TC01
    calls = [openai_call("a", "search", '{"city": "Oslo"}'), openai_call("b", "search", {"city": "Oslo"})]
    found = Interaction.from_messages([USER, assistant(*calls)]).tool_calls
    assert [call.arguments for call in found] == [{"city": "Oslo"}] * 2


@pytest.mark.parametrize("arguments", ["", None, "  "])
def test_a_tool_without_parameters_has_no_arguments(arguments):
    # TC02
    (call,) = Interaction.from_messages([USER, assistant(openai_call("a", "now", arguments))]).tool_calls
    assert call.arguments == {}


def test_arguments_that_are_no_object_are_kept_as_text():
    calls = [openai_call("a", "f", '{"city": "Os'), openai_call("b", "f", [1, 2]), openai_call("c", "", "{}")]
    found = Interaction.from_messages([USER, assistant(*calls)]).tool_calls
    assert [call.arguments for call in found] == ['{"city": "Os', "[1, 2]", {}]
    assert found[2].name == "(no name)"


def test_a_conversation_without_calls_made_none():
    # TC16: an empty list of calls is data; no trace is not.
    assert Interaction.from_messages([USER, {"role": "assistant", "content": "x"}]).tool_calls == ()
    assert Interaction(reply="x").tool_calls is None


def test_a_reused_id_answers_the_nearest_call_before_it():
    messages = [
        USER,
        assistant(openai_call("c", "first", "{}")),
        result("c", "one"),
        assistant(openai_call("c", "second", "{}")),
        result("c", "two"),
        assistant(openai_call("c", "third", "{}")),
    ]
    found = Interaction.from_messages(messages).tool_calls
    assert [(call.name, call.result) for call in found] == [
        ("first", "one"),
        ("second", "two"),
        ("third", None),
    ]


def test_one_id_twice_in_one_message_is_answered_in_order():
    messages = [
        USER,
        assistant(openai_call("c", "first", "{}"), openai_call("c", "second", "{}")),
        result("c", "one"),
        result("c", "two"),
    ]
    assert [call.result for call in Interaction.from_messages(messages).tool_calls] == ["one", "two"]


def test_a_result_that_answers_no_call_is_left_out():
    messages = [
        USER,
        assistant(openai_call("c", "f", "{}")),
        result("other", "x"),
        result("c", "y"),
        result("c", "z"),
    ]
    (call,) = Interaction.from_messages(messages).tool_calls
    assert call.result == "y"


def test_functions_of_the_older_shape_are_answered_by_name():
    messages = [
        USER,
        {"role": "assistant", "content": None, "function_call": {"name": "getOrder", "arguments": "{}"}},
        {"role": "function", "name": "other", "content": "x"},
        {"role": "function", "name": "getOrder", "content": "late"},
    ]
    (call,) = Interaction.from_messages(messages).tool_calls
    assert (call.name, call.result) == ("getOrder", "late")


def test_a_call_that_stands_in_both_shapes_counts_once():
    message = assistant(
        openai_call("c", "f", "{}"), content=[{"type": "tool_use", "id": "c", "name": "f", "input": {}}]
    )
    assert len(Interaction.from_messages([USER, message]).tool_calls) == 1


def test_structured_results_stay_data():
    messages = [USER, assistant(openai_call("c", "f", "{}")), result("c", {"status": "late"})]
    assert Interaction.from_messages(messages).tool_calls[0].result == {"status": "late"}


class FakeModel:
    """Stands for the message objects of client libraries, which are pydantic models."""

    def __init__(self, **fields):
        self._fields = fields

    def model_dump(self, **options):
        assert options == {"warnings": False, "exclude_none": True}
        return {k: v for k, v in self._fields.items() if v is not None}


def test_objects_of_client_libraries_are_read_by_their_shape():
    messages = [
        USER,
        FakeModel(role="assistant", content=None, tool_calls=[openai_call("c1", "f", "{}")]),
        result("c1", "late"),
        {"role": "assistant", "content": [FakeModel(type="text", text="It is late.")]},
    ]
    found = Interaction.from_messages(messages)
    assert found.reply == "It is late."
    assert found.tool_calls[0].result == "late"
    assert json.dumps(found.messages)


@pytest.mark.parametrize(
    ("messages", "text"),
    [
        ("hello", "must be a list of chat messages"),
        ({"role": "user", "content": "x"}, "must be a list of chat messages"),
        (3, "must be a list of chat messages"),
        ([USER, 3], r"messages\[1\] must be a chat message"),
        ([{"content": "x"}], r"messages\[0\] must be a chat message"),
        # Read as empty they would say that no tool was called.
        ([{"role": "user", "parts": [{"type": "text", "content": "x"}]}], r"messages\[0\] has `parts`"),
    ],
)
def test_what_is_no_conversation_is_refused(messages, text):
    with pytest.raises(InvalidArgument, match=text):
        Interaction.from_messages(messages)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
CALLS = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.sampled_from(["a", "b"]) | st.none(),
            "function": st.fixed_dictionaries({"name": JSON, "arguments": JSON}),
        }
    ),
    max_size=3,
)
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "tool", "function", "system"])},
        optional={
            "content": JSON
            | st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": JSON}), max_size=2),
            "tool_calls": CALLS | JSON,
            "tool_call_id": JSON,
            "function_call": JSON,
            "name": JSON,
        },
    ),
    max_size=8,
)


@given(MESSAGES)
def test_no_transcript_however_odd_breaks_the_reading(messages):
    found = Interaction.from_messages(messages)
    assert found.reply is None or found.reply.strip()
    assert len(found.messages) == len(messages)


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), st.text(min_size=1, max_size=5)), max_size=8))
def test_calls_that_are_answered_one_by_one_keep_their_own_results(steps):
    messages = [USER, {"role": "assistant", "content": "Let me see."}]
    for id, text in steps:
        messages += [assistant(openai_call(id, "f", "{}")), result(id, text)]
    assert [call.result for call in Interaction.from_messages(messages).tool_calls] == [
        text for _, text in steps
    ]


def response_items(*items):
    asked = {"role": "user", "content": [{"type": "input_text", "text": "hi"}]}
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]}
    return Interaction.from_messages([asked, *items, said])


@pytest.mark.parametrize(
    ("items", "call"),
    [
        (
            [
                {"type": "custom_tool_call", "call_id": "c", "id": "x", "name": "python", "input": "1 + 1"},
                {"type": "custom_tool_call_output", "call_id": "c", "output": "2"},
            ],
            ToolCall("python", "1 + 1", "2", id="c"),
        ),
        (
            [{"type": "mcp_call", "id": "m", "name": "pay", "arguments": '{"cents": 5}', "output": "paid"}],
            ToolCall("pay", {"cents": 5}, "paid", id="m"),
        ),
        (
            [{"type": "mcp_call", "id": "m", "name": "pay", "arguments": "{}", "error": "no money"}],
            ToolCall("pay", {}, None, "no money", "m"),
        ),
        (
            [{"type": "web_search_call", "id": "w", "action": {"type": "search", "query": "o_42"}}],
            ToolCall("web_search", {"type": "search", "query": "o_42"}, id="w"),
        ),
        (
            [{"type": "file_search_call", "id": "f", "queries": ["o_42"], "results": [{"text": "shipped"}]}],
            ToolCall("file_search", {"queries": ["o_42"]}, [{"text": "shipped"}], id="f"),
        ),
        (
            [
                {"type": "shell_call", "call_id": "s", "action": {"commands": ["ls"]}},
                {"type": "shell_call_output", "call_id": "s", "output": [{"stdout": "a"}]},
            ],
            ToolCall("shell", {"commands": ["ls"]}, [{"stdout": "a"}], id="s"),
        ),
    ],
)
def test_every_kind_of_call_of_the_responses_api_is_one(items, call):
    found = response_items(*items)
    assert found.tool_calls == (call,)
    assert found.reply == "done"


def test_items_that_are_no_calls_are_none():
    others = [{"type": "reasoning", "summary": []}, {"type": "mcp_list_tools", "tools": [{"name": "pay"}]}]
    assert response_items(*others).tool_calls == ()


def test_a_shape_that_would_hide_its_calls_is_refused():
    part = {"toolUse": {"toolUseId": "1", "name": "pay", "input": {}}}
    with pytest.raises(InvalidArgument, match="Bedrock's shape"):
        Interaction.from_messages([{"role": "assistant", "content": [part]}])


def test_an_id_of_zero_is_an_id():
    asked = [{"id": n, "function": {"name": f"t{n}", "arguments": "{}"}} for n in (0, 1)]
    answers = [{"role": "tool", "tool_call_id": n, "content": f"r{n}"} for n in (1, 0)]
    found = Interaction.from_messages([{"role": "assistant", "tool_calls": asked}, *answers])
    assert [(call.id, call.result) for call in found.tool_calls] == [("0", "r0"), ("1", "r1")]


def test_ollama_names_the_tool_that_answers():
    asked = [{"function": {"name": name, "arguments": {}}} for name in ("a", "b")]
    answers = [{"role": "tool", "tool_name": name, "content": f"of {name}"} for name in ("b", "a")]
    found = Interaction.from_messages([{"role": "assistant", "tool_calls": asked}, *answers])
    assert [call.result for call in found.tool_calls] == ["of a", "of b"]


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [{"role": "user", "content": "Where is o_42?"}],
        [{"role": "user", "content": "hi"}, {"role": "model", "content": "It is on its way."}],
    ],
)
def test_messages_without_any_of_the_agents_tell_nothing_of_its_tools(messages):  # TC16
    assert Interaction.from_messages(messages).tool_calls is None
    spoken = [*messages, {"role": "assistant", "content": "hi"}]
    assert Interaction.from_messages(spoken).tool_calls == ()
