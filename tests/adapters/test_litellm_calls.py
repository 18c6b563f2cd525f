"""Model calls made through the real litellm belong to the attempt that made them."""

import asyncio
import contextlib
import json
import subprocess
import sys
import threading

import pytest

from judgekit import Interaction, ModelCall, ToolCall
from judgekit.adapters import interaction_from
from judgekit.adapters.litellm_calls import merged, recorded_calls
from judgekit.adapters.recorded import RecordedCall
from judgekit.testing import Fault, ScriptedModel, after_tool, calls, otherwise, says, when

TOOLS = [
    {"type": "function", "function": {"name": "getOrder", "parameters": {"type": "object", "properties": {}}}}
]


def order_model():
    return ScriptedModel(
        when("where", calls("getOrder", orderId="o_42")),
        after_tool("getOrder", says("It is late.", usage=(70, 3))),
        otherwise("Hello!"),
    )


def user(text):
    return [{"role": "user", "content": text}]


async def agent(litellm, command, **options):
    """A loop like anyone's: it asks the model, runs its tools, and words the reply itself."""
    messages = [{"role": "system", "content": "Be brief."}, *user(f"where: {command}")]
    while True:
        answer = await litellm.acompletion(messages=messages, tools=TOOLS, num_retries=0, **options)
        message = answer.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return f"Answer: {message.content}"
        for call in message.tool_calls:
            messages.append({"role": "tool", "tool_call_id": call.id, "content": f"{command} is late"})


async def recorded(call, command="o_42"):
    with recorded_calls() as recorder:
        value = await call()
        await recorder.settle()
    return merged(interaction_from(value, command_text=command), recorder)


def test_a_loop_is_recorded_with_its_calls_results_question_and_tokens(litellm):
    model = order_model()
    found = asyncio.run(recorded(lambda: agent(litellm, "o_42", model=model)))
    assert (found.reply, found.model_text) == ("Answer: It is late.", "It is late.")
    assert found.user_message == "where: o_42"
    (call,) = found.tool_calls
    assert (call.name, call.arguments, call.result) == ("getOrder", {"orderId": "o_42"}, "o_42 is late")
    assert [c.output_tokens for c in found.model_calls][1] == 3
    assert [c.finish_reasons for c in found.model_calls] == [("tool_calls",), ("stop",)]
    assert found.model_calls[0].provider == "judgekit-scripted"
    assert found.model_calls[0].latency >= 0
    assert found.input_tokens > 70
    assert found.cost is None
    assert [m["role"] for m in found.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert json.dumps(found.messages)


def test_attempts_at_the_same_time_do_not_mix(litellm):
    model = order_model()

    async def all_of_them():
        return await asyncio.gather(
            *(
                recorded(lambda name=name: agent(litellm, name, model=model), name)
                for name in map(str, range(12))
            )
        )

    for name, found in enumerate(asyncio.run(all_of_them())):
        assert found.user_message == f"where: {name}"
        assert found.tool_calls[0].result == f"{name} is late"
        assert len(found.model_calls) == 2


def test_a_sync_agent_in_a_thread_is_recorded(litellm, fake_provider):
    provider = fake_provider(says("Hi", usage=(5, 2)))

    def sync_agent():
        options = {"model": "openai/gpt-4o-mini", "api_base": provider.url, "api_key": "k", "num_retries": 0}
        return litellm.completion(messages=user("hello"), **options).choices[0].message.content

    found = asyncio.run(recorded(lambda: asyncio.to_thread(sync_agent)))
    (call,) = found.model_calls
    assert (call.model, call.provider, call.input_tokens, call.output_tokens) == (
        "gpt-4o-mini",
        "openai",
        5,
        2,
    )
    assert found.cost == pytest.approx(5 * 1.5e-7 + 2 * 6e-7)
    assert found.model_text is None


def test_an_agent_with_a_loop_of_its_own_is_recorded(litellm):
    model = order_model()
    found = asyncio.run(
        recorded(lambda: asyncio.to_thread(lambda: asyncio.run(agent(litellm, "o_42", model=model))))
    )
    assert len(found.model_calls) == 2
    assert found.tool_calls[0].result == "o_42 is late"


@pytest.mark.parametrize("is_async", [True, False])
def test_a_stream_is_one_call_with_the_tokens_that_were_reported(litellm, fake_provider, is_async):
    provider = fake_provider(says("It is on its way and will be with you soon.", usage=(5, 11)))
    options = {
        "model": "openai/gpt-4o-mini",
        "messages": user("hello"),
        "api_base": provider.url,
        "api_key": "k",
        "stream": True,
        "stream_options": {"include_usage": True},
        "num_retries": 0,
    }

    async def stream():
        chunks = [chunk async for chunk in await litellm.acompletion(**options)]
        return "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)

    def sync_stream():
        chunks = list(litellm.completion(**options))
        return "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)

    found = asyncio.run(recorded(stream if is_async else lambda: asyncio.to_thread(sync_stream)))
    assert found.reply == "It is on its way and will be with you soon."
    assert found.model_text is None
    (call,) = found.model_calls
    assert (call.input_tokens, call.output_tokens) == (5, 11)


@pytest.mark.parametrize("stream", [False, True])
def test_usage_that_nobody_reported_is_unknown_and_neither_zero_nor_an_estimate(
    litellm, fake_provider, stream
):
    # BG01: litellm fills in 0 here, and an estimate for a stream.
    provider = fake_provider("Hi", faults=[Fault.no_usage()])

    async def call():
        options = {"api_base": provider.url, "api_key": "k", "stream": stream, "num_retries": 0}
        answer = await litellm.acompletion(model="openai/gpt-4o-mini", messages=user("hello"), **options)
        if stream:
            _ = [chunk async for chunk in answer]
        return "Hi"

    found = asyncio.run(recorded(call))
    (call,) = found.model_calls
    assert (call.input_tokens, call.output_tokens, call.cost) == (None, None, None)
    assert (found.total_tokens, found.cost) == (None, None)


def test_an_unknown_price_is_unknown(litellm, fake_provider):
    provider = fake_provider(says("Hi", usage=(5, 2)))
    options = {"model": "openai/local-model", "api_base": provider.url, "api_key": "k", "num_retries": 0}

    async def call():
        return (await litellm.acompletion(messages=user("x"), **options)).choices[0].message.content

    found = asyncio.run(recorded(call))
    assert (found.input_tokens, found.output_tokens, found.cost) == (5, 2, None)


def test_a_call_that_fails_is_a_call_of_unknown_tokens(litellm, fake_provider):
    provider = fake_provider(says("Hi", usage=(5, 2)), faults=[Fault.status(500)])
    options = {"model": "openai/gpt-4o-mini", "api_base": provider.url, "api_key": "k", "num_retries": 0}

    async def call():
        with contextlib.suppress(litellm.InternalServerError):
            await litellm.acompletion(messages=user("x"), **options)
        return (await litellm.acompletion(messages=user("x"), **options)).choices[0].message.content

    found = asyncio.run(recorded(call))
    assert [c.finish_reasons for c in found.model_calls] == [("error",), ("stop",)]
    assert (found.input_tokens, found.known_tokens()) == (None, (5, 2))


def test_a_retry_of_litellms_own_is_one_call(litellm, fake_provider):
    provider = fake_provider(says("Hi", usage=(5, 2)), faults=[Fault.status(500)])
    options = {"model": "openai/gpt-4o-mini", "api_base": provider.url, "api_key": "k", "num_retries": 1}

    async def call():
        return (await litellm.acompletion(messages=user("x"), **options)).choices[0].message.content

    found = asyncio.run(recorded(call))
    assert len(found.model_calls) == 1
    assert provider.count >= 2


def test_what_the_agent_says_itself_stands(litellm):
    model = order_model()
    own = Interaction(reply="mine", tool_calls=[], model_calls=[], user_message="asked", model_text="thought")

    async def call():
        await agent(litellm, "o_42", model=model)
        return own

    found = asyncio.run(recorded(call))
    assert (found.tool_calls, found.model_calls) == ((), ())
    assert (found.user_message, found.model_text, found.total_tokens) == ("asked", "thought", None)


def test_nothing_seen_changes_nothing(litellm):
    async def call():
        return "Hello"

    assert asyncio.run(recorded(call)) == Interaction(command_text="o_42", reply="Hello")


def test_without_tools_on_offer_nobody_recorded_tool_calls(litellm):
    # TC16: an agent may call its tools by a protocol of its own.
    model = order_model()

    async def call():
        return (await litellm.acompletion(model=model, messages=user("hi"))).choices[0].message.content

    found = asyncio.run(recorded(call))
    assert found.tool_calls is None
    assert len(found.model_calls) == 1


def test_tools_on_offer_that_were_not_called_are_no_calls(litellm):
    model = order_model()

    async def call():
        answer = await litellm.acompletion(model=model, messages=user("hi"), tools=TOOLS)
        return answer.choices[0].message.content

    assert asyncio.run(recorded(call)).tool_calls == ()


def test_an_embedding_is_no_turn(litellm, fake_provider):
    async def call():
        await litellm.aembedding(
            model="openai/text-embedding-3-small", input=["x"], mock_response=[0.1], api_key="k"
        )
        return "x"

    assert asyncio.run(recorded(call)).model_calls is None


def test_calls_outside_of_an_attempt_are_not_recorded_and_nothing_is_left_behind(litellm):
    model = order_model()
    lists = [
        "callbacks",
        *(f"{e}_callback" for e in ("input", "success", "failure")),
        *(f"_async_{e}_callback" for e in ("success", "failure")),
    ]
    before = {name: list(getattr(litellm, name)) for name in lists}

    async def both():
        found = await recorded(lambda: agent(litellm, "o_42", model=model))
        await litellm.acompletion(model=model, messages=user("judge this"))
        return found

    assert len(asyncio.run(both()).model_calls) == 2
    assert {name: list(getattr(litellm, name)) for name in lists} == before
    assert not [finder for finder in sys.meta_path if type(finder).__module__.startswith("judgekit")]


def test_a_nested_agent_belongs_to_the_turn_and_keeps_its_own_results(litellm):
    inner = ScriptedModel(
        when("look up", calls("search", query="x")), after_tool("search", says("Found it.", usage=(1, 1)))
    )
    outer = ScriptedModel(
        when("where", calls("delegate", task="look up")), after_tool("delegate", says("Done.", usage=(1, 1)))
    )

    async def loop(model, text, run_tool):
        messages = user(text)
        while True:
            message = (
                (await litellm.acompletion(model=model, messages=messages, tools=TOOLS)).choices[0].message
            )
            messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                result = await run_tool(call.function.name)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result})

    async def searched(name):
        return "a page"

    async def call():
        return await loop(outer, "where", lambda name: loop(inner, "look up", searched))

    found = asyncio.run(recorded(call))
    assert [(c.name, c.result) for c in found.tool_calls] == [("delegate", "Found it."), ("search", "a page")]
    assert len(found.model_calls) == 4
    assert (found.reply, found.user_message) == ("Done.", "where")


def test_earlier_turns_in_the_request_are_no_calls_of_this_one(litellm):
    model = order_model()
    history = [
        *user("hello"),
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "old", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "x"},
        {"role": "assistant", "content": "Hi"},
        *user("and again"),
    ]

    async def call():
        answer = await litellm.acompletion(model=model, messages=history, tools=TOOLS)
        return answer.choices[0].message.content

    found = asyncio.run(recorded(call))
    assert (found.tool_calls, found.user_message) == ((), "and again")
    assert len(found.messages) == 6


def test_an_agent_that_shortens_its_history_still_hands_its_results_on(litellm):
    model = order_model()

    async def call():
        first = (
            (await litellm.acompletion(model=model, messages=user("where"), tools=TOOLS)).choices[0].message
        )
        result = {"role": "tool", "tool_call_id": first.tool_calls[0].id, "content": "late"}
        last = await litellm.acompletion(model=model, messages=[first, result], tools=TOOLS)
        return last.choices[0].message.content

    (call_made,) = asyncio.run(recorded(call)).tool_calls
    assert call_made.result == "late"


def test_threads_that_record_by_themselves_do_not_mix(litellm):
    model = order_model()
    found = {}

    def one(name):
        found[name] = asyncio.run(recorded(lambda: agent(litellm, name, model=model), name))

    threads = [threading.Thread(target=one, args=(str(n),)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {name: i.tool_calls[0].result for name, i in found.items()} == {
        str(n): f"{n} is late" for n in range(4)
    }


def test_a_call_whose_end_was_never_reported_is_still_a_call_with_its_tools():
    question = tuple(user("where"))
    asked = {
        "role": "assistant",
        "tool_calls": [{"id": "c", "function": {"name": "getOrder", "arguments": "{}"}}],
    }
    result = {"role": "tool", "tool_call_id": "c", "content": "late"}
    lost = RecordedCall(order=0, model_call=ModelCall(model="m"), messages=question, offers_tools=True)
    last = RecordedCall(
        order=1,
        model_call=ModelCall(model="m", input_tokens=5, output_tokens=2),
        messages=(*question, asked, result),
        response=({"role": "assistant", "content": "It is late."},),
    )

    class Recorder:
        calls = (lost, last)

    found = merged(Interaction(reply="It is late."), Recorder())
    assert found.tool_calls == (ToolCall("getOrder", {}, "late", id="c"),)
    assert (len(found.model_calls), found.input_tokens, found.known_tokens()) == (2, None, (5, 2))


def test_settling_ends_in_time_although_a_stream_was_abandoned(litellm, fake_provider):
    provider = fake_provider("Hi there, this goes on for a while")

    async def call():
        stream = await litellm.acompletion(
            model="openai/m",
            messages=user("x"),
            api_base=provider.url,
            api_key="k",
            stream=True,
            num_retries=0,
        )
        with recorded_calls():  # an attempt inside does not disturb the one around it
            async for _ in stream:
                break
        await stream.aclose()
        return "cut short"

    async def bounded():
        with recorded_calls() as recorder:
            value = await call()
            async with asyncio.timeout(10):
                await recorder.settle(seconds=0.3)
        return merged(interaction_from(value, command_text="x"), recorder)

    found = asyncio.run(bounded())
    assert found.reply == "cut short"
    (unended,) = found.model_calls
    assert (unended.model, unended.finish_reasons, unended.input_tokens) == ("m", (), None)


def test_an_attempt_does_not_wait_for_the_reports_of_others(litellm, fake_provider, monkeypatch):
    from litellm.integrations.custom_logger import CustomLogger
    from litellm.litellm_core_utils.logging_worker import GLOBAL_LOGGING_WORKER

    held = asyncio.Event()

    class Slow(CustomLogger):
        async def async_log_success_event(self, kwargs, response_obj, start_time, end_time):
            await held.wait()

    provider = fake_provider("Hi")
    monkeypatch.setattr(litellm, "callbacks", [Slow()])

    async def beside_a_judge():
        await litellm.acompletion(
            model="openai/m", messages=user("judge"), api_base=provider.url, api_key="k", num_retries=0
        )
        while not GLOBAL_LOGGING_WORKER.pending_count:
            await asyncio.sleep(0)
        with recorded_calls() as recorder:
            async with asyncio.timeout(5):
                await recorder.settle(seconds=60)
        pending = GLOBAL_LOGGING_WORKER.pending_count
        held.set()
        await GLOBAL_LOGGING_WORKER.flush()
        return recorder.calls, pending

    calls, pending = asyncio.run(beside_a_judge())
    assert calls == ()
    assert pending > 0


def test_litellm_is_recorded_from_the_import_on_and_never_imported_for_it():
    program = """
import asyncio, json, sys
from judgekit.adapters.litellm_calls import merged, recorded_calls
from judgekit.adapters.recorded import RecordedCall
from judgekit.adapters import interaction_from
from judgekit.testing import ScriptedModel

model = ScriptedModel("Hi")

async def plain():
    with recorded_calls() as recorder:
        await recorder.settle()
    return recorder.calls

async def with_import():
    with recorded_calls() as recorder:
        import litellm
        answer = await litellm.acompletion(model=model, messages=[{"role": "user", "content": "hello"}])
        await recorder.settle()
    return merged(interaction_from(answer.choices[0].message.content, command_text="x"), recorder)

assert asyncio.run(plain()) == ()
assert not {"litellm", "openai"} & set(sys.modules)
found = asyncio.run(with_import())
print(json.dumps([len(found.model_calls), found.user_message]))
"""
    environment = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MODE": "PRODUCTION"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [1, "hello"]


def test_a_users_own_logger_of_any_class_name_does_not_hide_the_calls(litellm, fake_provider, monkeypatch):
    from litellm.integrations.custom_logger import CustomLogger

    # litellm tells loggers apart by the name of their class, and drops the second of one name.
    names = ("Logger", "CallLogger", "Recorder", "CustomLogger")
    monkeypatch.setattr(litellm, "callbacks", [type(name, (CustomLogger,), {})() for name in names])
    provider = fake_provider(says("Hello!", usage=(5, 2)))
    options = {"model": "openai/m", "api_base": provider.url, "api_key": "none-needed"}

    async def twice():
        await litellm.acompletion(messages=user("before any attempt"), **options)
        return await recorded(lambda: agent(litellm, "o_42", **options))

    found = asyncio.run(twice())
    assert (found.input_tokens, found.output_tokens) == (5, 2)
