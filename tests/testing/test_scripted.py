"""Scripted models answer by their rules, on their own and through litellm."""

import asyncio
import copy
import gc
import json
import pickle
import re
import subprocess
import sys
import threading

import pytest

from judgekit.errors import InvalidArgument
from judgekit.interaction import ToolCall
from judgekit.testing import (
    Answer,
    ScriptedModel,
    UnscriptedMessage,
    after_tool,
    calls,
    on_call,
    otherwise,
    says,
    verdict,
    when,
)


def user(text):
    return {"role": "user", "content": text}


def asked(model, *messages, **options):
    return model.complete(messages, **options)["choices"][0]


def text_from(model, *messages):
    return asked(model, *messages)["message"]["content"]


def test_the_first_rule_that_matches_the_last_message_answers():
    model = ScriptedModel(when("refund", "A"), when("REFUND me", "B"), otherwise("C"))
    assert text_from(model, user("please REFUND me")) == "A"
    assert text_from(model, user("refund"), {"role": "assistant", "content": "x"}, user("hello")) == "C"


def test_a_compiled_pattern_and_a_predicate_match_too():
    model = ScriptedModel(
        when(re.compile(r"o_\d+"), "order"), when(lambda turn: turn.number > 2, "late"), "else"
    )
    assert [text_from(model, user(t)) for t in ("about o_42", "about o_x", "again")] == [
        "order",
        "else",
        "late",
    ]


def test_content_parts_are_matched_by_their_text():
    parts = [
        {"type": "text", "text": "where is "},
        {"type": "image_url", "image_url": {}},
        {"type": "text", "text": "it"},
    ]
    assert text_from(ScriptedModel(when("where is it", "here")), user(parts)) == "here"


def test_a_text_rule_ignores_tool_results_so_that_a_loop_ends():
    model = ScriptedModel(when("o_42", calls("getOrder", orderId="o_42")), after_tool("getOrder", "done"))
    first = asked(model, user("where is o_42"))
    assert first["finish_reason"] == "tool_calls"
    call = first["message"]["tool_calls"][0]
    assert json.loads(call["function"]["arguments"]) == {"orderId": "o_42"}
    result = {"role": "tool", "tool_call_id": call["id"], "content": "o_42 is late"}
    assert text_from(model, user("where is o_42"), first["message"], result) == "done"


def test_after_tool_tells_results_apart_by_tool_and_by_text():
    model = ScriptedModel(
        after_tool("getOrder", "gone", containing="not found"),
        after_tool("getOrder", "there"),
        after_tool(None, "other"),
    )

    def replied(tool, content):
        call = {"id": "c1", "type": "function", "function": {"name": tool, "arguments": "{}"}}
        return text_from(
            model,
            user("x"),
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": content},
        )

    assert replied("getOrder", "Order NOT FOUND") == "gone"
    assert replied("getOrder", "shipped") == "there"
    assert replied("issueRefund", "not found") == "other"


def test_a_reused_call_id_names_the_nearest_call():
    def call(tool):
        return {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": tool, "arguments": ""}}]}

    result = {"role": "tool", "tool_call_id": "c", "content": "ok"}
    model = ScriptedModel(after_tool("second", "yes"))
    assert text_from(model, user("x"), call("first"), result, call("second"), result) == "yes"


def test_several_answers_are_given_in_turn_and_the_last_one_stays():
    model = ScriptedModel(on_call(2, "second call"), otherwise("a", "b"))
    assert [text_from(model, user("x")) for _ in range(5)] == ["a", "second call", "b", "b", "b"]


def test_an_answer_may_be_a_dict_a_function_or_whole():
    model = ScriptedModel(
        when("score", verdict(0.9, "good")),
        when("echo", lambda turn: turn.text.upper()),
        when("both", Answer(tool_calls=(ToolCall("a"), ToolCall("b", id="mine")), text="thinking aloud")),
    )
    assert json.loads(text_from(model, user("score"))) == {"reason": "good", "score": 0.9}
    assert text_from(model, user("echo")) == "ECHO"
    both = asked(model, user("both"))["message"]
    assert [call["id"] for call in both["tool_calls"]] == ["call_1", "mine"]


def test_usage_is_counted_given_or_left_out():
    model = ScriptedModel(
        when("counted", "four"), when("given", says("x", usage=(7, 3))), when("none", says("x", usage=None))
    )
    counted = model.complete([user("counted!")])["usage"]
    assert counted == {"prompt_tokens": 2, "completion_tokens": 1, "total_tokens": 3}
    assert model.complete([user("given")])["usage"]["total_tokens"] == 10
    assert "usage" not in model.complete([user("none")])


def test_an_unmatched_message_is_an_error_that_shows_it_and_the_rules():
    model = ScriptedModel(when("refund", "A"), after_tool("getOrder", "B"), name="shop")
    with pytest.raises(
        UnscriptedMessage, match=r"shop: no rule answers the user message 'good bye' \(request 1\)"
    ) as e:
        model.complete([user("good\nbye")])
    assert "when('refund'), after_tool('getOrder')" in str(e.value)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: ScriptedModel(), "at least one rule"),
        (lambda: ScriptedModel("x", name="a/b"), "without a slash"),
        (lambda: ScriptedModel(when("x")), "has no answer"),
        (lambda: ScriptedModel(when("x", 3)), "an answer is text"),
        (lambda: ScriptedModel(when(3, "x")), "`pattern` must be"),
        (lambda: ScriptedModel(on_call(0, "x")), "counts from 1"),
        (lambda: says("x", usage=(1, -1)), "`usage` must be"),
        (lambda: verdict(float("nan")), "finite"),
    ],
)
def test_what_cannot_work_is_refused_when_built(build, message):
    with pytest.raises(InvalidArgument, match=message):
        build()


def test_it_is_a_model_string_whose_name_is_free_again_once_it_is_gone():
    model = ScriptedModel("x", name="unique-name")
    assert model == "judgekit-scripted/unique-name"
    second = ScriptedModel("y", name="unique-name")
    assert second == "judgekit-scripted/unique-name-2"
    del model
    gc.collect()
    assert ScriptedModel("z", name="unique-name") == "judgekit-scripted/unique-name"


def test_copies_are_the_model_and_a_pickle_is_its_name():
    model = ScriptedModel("x", name="copied")
    assert copy.deepcopy([model])[0] is model
    assert pickle.loads(pickle.dumps(model)) == "judgekit-scripted/copied"


def test_instances_share_nothing_and_threads_lose_no_call():
    first, second = ScriptedModel(otherwise("a", "b")), ScriptedModel(otherwise("a", "b"))
    threads = [
        threading.Thread(target=lambda: [text_from(first, user("x")) for _ in range(50)]) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert first.call_count == len(first.requests) == 400
    assert second.call_count == 0
    assert text_from(second, user("x")) == "a"


def test_creating_one_imports_no_client_library_and_litellm_finds_it_once_imported():
    program = """
import sys
from judgekit.testing import ScriptedModel, calls, when
model = ScriptedModel(when("where", calls("getOrder", orderId="o_1")))
assert not {"litellm", "openai", "pydantic", "httpx"} & set(sys.modules), sys.modules
before = len(sys.meta_path)
import litellm
assert len(sys.meta_path) >= before - 1 and not any("judgekit" in type(f).__module__ for f in sys.meta_path)
assert litellm.__spec__.loader.__class__.__module__ == "_frozen_importlib_external"
r = litellm.completion(model=model, messages=[{"role": "user", "content": "where"}])
print(r.choices[0].message.tool_calls[0].function.arguments)
"""
    environment = {
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_MODE": "PRODUCTION",
        "PATH": "/usr/bin:/bin",
    }
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == '{"orderId": "o_1"}'


TOOLS = [
    {"type": "function", "function": {"name": "getOrder", "parameters": {"type": "object", "properties": {}}}}
]


def test_through_litellm_usage_tools_and_parameters_arrive(litellm):
    model = ScriptedModel(when("where", Answer(tool_calls=(ToolCall("getOrder", {"n": 1}),), usage=(11, 5))))
    answer = asyncio.run(
        litellm.acompletion(model=model, messages=[user("where")], tools=TOOLS, temperature=0)
    )
    assert answer.choices[0].message.tool_calls[0].function.name == "getOrder"
    assert answer.choices[0].finish_reason == "tool_calls"
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (11, 5)
    (request,) = model.requests
    assert list(request.tools) == TOOLS
    assert request.parameters == {"temperature": 0}


def test_through_litellm_it_streams(litellm):
    text = "It is on its way and will be with you on Friday."
    model = ScriptedModel(when("where", says(text, usage=(11, 5))))

    async def streamed():
        stream = await litellm.acompletion(
            model=model, messages=[user("where")], stream=True, stream_options={"include_usage": True}
        )
        return [chunk async for chunk in stream]

    for chunks in (
        asyncio.run(streamed()),
        list(litellm.completion(model=model, messages=[user("where")], stream=True)),
    ):
        whole = litellm.stream_chunk_builder(chunks)
        assert whole.choices[0].message.content == text
    assert model.call_count == 2


def test_through_litellm_an_unmatched_message_is_a_bad_request(litellm):
    model = ScriptedModel(when("where", "x"))
    with pytest.raises(litellm.BadRequestError, match="no rule answers the user message 'bye'"):
        litellm.completion(model=model, messages=[user("bye")])
    assert model.call_count == 1


def test_through_litellm_two_models_answer_for_themselves(litellm):
    models = [ScriptedModel(f"answer {n}", name="twin") for n in range(5)]

    async def all_of_them():
        return await asyncio.gather(*(litellm.acompletion(model=m, messages=[user("x")]) for m in models * 4))

    answers = asyncio.run(all_of_them())
    assert [a.choices[0].message.content for a in answers] == [f"answer {n}" for n in range(5)] * 4
