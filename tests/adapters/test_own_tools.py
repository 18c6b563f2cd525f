"""Functions under `@tool`: what of their calls becomes evidence, and what does not."""

import asyncio
import contextlib
import contextvars
import functools
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

import judgekit
from judgekit import (
    EvalCase,
    EvalResult,
    ExperimentRunner,
    Interaction,
    InvalidArgument,
    Outcome,
    ToolCall,
    eval_label,
)
from judgekit.evaluators import pattern, should_not_call_tool
from judgekit.testing import ScriptedModel, after_tool, calls, otherwise, when


@judgekit.tool
def get_order(order_id: str, *, full: bool = False) -> dict:
    return {"id": order_id, "full": full}


@judgekit.tool(name="cancelOrder")
async def cancel_order(order_id: str) -> str:
    await asyncio.sleep(0)
    return f"cancelled {order_id}"


@judgekit.tool
def fails(**anything) -> None:
    raise LookupError("no such\norder")


def attempt(agent, *evaluators, tools=None):
    """The one attempt of a run."""
    checks = evaluators or (should_not_call_tool("unused"),)
    runner = ExperimentRunner("tools").cases(EvalCase("one", "go", *checks)).agent(agent, tools=tools)
    return runner.without_report_file().run().results[0]


def tool_calls(agent, **settings):
    return attempt(agent, **settings).interaction.tool_calls


def test_each_call_becomes_evidence_in_order_with_its_result():
    def agent(command):
        get_order("o_1", full=True)
        get_order(order_id="o_2")
        return "done"

    assert tool_calls(agent) == (
        ToolCall("get_order", {"order_id": "o_1", "full": True}, {"id": "o_1", "full": True}),
        ToolCall("get_order", {"order_id": "o_2"}, {"id": "o_2", "full": False}),
    )


def test_an_async_tool_is_recorded_under_the_name_it_was_given():
    async def agent(command):
        return await cancel_order("o_1")

    found = attempt(agent)
    assert found.interaction.reply == "cancelled o_1"
    assert found.interaction.tool_calls == (ToolCall("cancelOrder", {"order_id": "o_1"}, "cancelled o_1"),)


def test_a_tool_that_raises_is_a_call_with_an_error_and_still_raises():
    def agent(command):
        with pytest.raises(LookupError, match="no such"):
            fails(why="x")
        return "sorry"

    assert tool_calls(agent) == (ToolCall("fails", {"why": "x"}, None, "LookupError: no such order"),)


def test_arguments_that_the_function_does_not_take_are_evidence_too():
    def agent(command):
        with pytest.raises(TypeError):
            get_order("o_1", colour="red")
        return "sorry"

    (call,) = tool_calls(agent)
    assert call.arguments == {"order_id": "o_1", "colour": "red"}
    assert call.error.startswith("TypeError: ")


# TC16
def test_an_attempt_that_calls_no_tool_is_not_recorded():
    found = attempt(lambda command: "hello", should_not_call_tool(pattern("*")))
    assert found.interaction.tool_calls is None
    assert [result.outcome for result in found.results] == [Outcome.INCONCLUSIVE]


# TC16
def test_with_all_tools_named_none_called_is_none_called():
    found = attempt(
        lambda command: "hello", should_not_call_tool(pattern("*")), tools=[get_order, cancel_order]
    )
    assert found.interaction.tool_calls == ()
    assert found.passed


def test_a_tool_with_arguments_of_its_own_is_the_same_tool():
    full = functools.partial(get_order, full=True)
    assert tool_calls(lambda command: full("o_1")["id"], tools=[full])[0].arguments["full"] is True


def test_an_agent_without_tools_can_say_so():
    assert tool_calls(lambda command: "hello", tools=[]) == ()


def test_calls_made_before_the_agent_raises_are_kept():
    def agent(command):
        get_order("o_1")
        raise RuntimeError("lost")

    found = attempt(agent)
    assert [call.name for call in found.interaction.tool_calls] == ["get_order"]
    assert found.interaction.error == "RuntimeError: lost"


def test_what_the_agent_says_itself_stands():
    def agent(command):
        get_order("o_1")
        return Interaction(reply="done", tool_calls=(ToolCall("other"),))

    assert tool_calls(agent, tools=[get_order]) == (ToolCall("other"),)


def test_arguments_are_kept_as_they_were_when_the_tool_was_called():
    @judgekit.tool
    def fill(basket: list) -> list:
        basket.append("pear")
        return basket

    def agent(command):
        fill(["apple"]).append("plum")
        return "done"

    assert tool_calls(agent) == (ToolCall("fill", {"basket": ["apple"]}, ["apple", "pear"]),)


def test_a_method_is_recorded_without_its_object():
    class Desk:
        @judgekit.tool
        def look(self, place):
            return place

        @classmethod
        @judgekit.tool
        def ask(cls, *words, **more):
            return len(words)

    def agent(command):
        Desk().look("shelf")
        Desk.ask("a", "b", loud=True)
        return "done"

    assert tool_calls(agent, tools=[Desk().look, Desk.ask]) == (
        ToolCall("look", {"place": "shelf"}, "shelf"),
        ToolCall("ask", {"words": ["a", "b"], "loud": True}, 2),
    )


def test_tools_that_a_tool_calls_belong_to_the_turn():
    @judgekit.tool
    def outer(order_id):
        return get_order(order_id)

    def agent(command):
        outer("o_1")
        return "done"

    assert [call.name for call in tool_calls(agent)] == ["outer", "get_order"]


def test_concurrent_attempts_with_threads_of_their_own_do_not_mix():
    cases = [EvalCase(f"c{n}", f"o_{n}", should_not_call_tool("unused")) for n in range(50)]

    async def agent(command):
        await asyncio.gather(*(cancel_order(f"{command}-{n}") for n in range(3)))
        await asyncio.to_thread(get_order, command)
        return "done"

    report = ExperimentRunner("many").cases(cases).agent(agent).concurrency(50).without_report_file().run()
    for one, case in zip(report.results, cases, strict=True):
        orders = [call.arguments["order_id"] for call in one.interaction.tool_calls]
        assert orders == [f"{case.command}-0", f"{case.command}-1", f"{case.command}-2", case.command]


def test_a_thread_is_seen_where_the_context_is_handed_on():
    def agent(command):
        context = contextvars.copy_context()
        with ThreadPoolExecutor(1) as pool:
            pool.submit(context.run, get_order, "seen").result()
        return "done"

    assert [call.arguments["order_id"] for call in tool_calls(agent)] == ["seen"]


@pytest.mark.parametrize("tools", [None, [get_order]])
def test_with_a_call_in_a_thread_without_the_context_no_list_of_calls_is_whole(tools):
    def agent(command):
        get_order("seen")
        with ThreadPoolExecutor(1) as pool:
            pool.submit(get_order, "whose is it?").result()
        return "done"

    found = attempt(agent, should_not_call_tool("unused"), tools=tools)
    assert found.interaction.tool_calls is None
    assert [result.outcome for result in found.results] == [Outcome.INCONCLUSIVE]


def test_an_evaluator_that_calls_a_tool_takes_nothing_from_the_attempts_beside_it():
    @eval_label("looks-at-the-order")
    def looks(case, interaction):
        return EvalResult.passed() if get_order("o_1")["id"] == "o_1" else EvalResult.failed("gone")

    async def agent(command):
        await asyncio.sleep(0)
        get_order(command)
        return "done"

    cases = [EvalCase(f"c{n}", f"o_{n}", looks, should_not_call_tool("unused")) for n in range(20)]
    report = ExperimentRunner("beside").cases(cases).agent(agent).concurrency(5).without_report_file().run()
    assert report.passed
    assert all(len(one.interaction.tool_calls) == 1 for one in report.results)


def plainly(function):
    """A decorator that hides that the function below it is async."""

    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


@pytest.mark.parametrize("fault", [None, LookupError("gone")])
def test_a_decorator_that_hides_an_async_function_hides_no_result(fault):
    @judgekit.tool
    @plainly
    async def look_up(order_id):
        await asyncio.sleep(0)
        if fault:
            raise fault
        return "shipped"

    async def agent(command):
        with contextlib.suppress(LookupError):
            assert await look_up("o_1") == "shipped"
        return "done"

    error = None if fault is None else "LookupError: gone"
    result = "shipped" if fault is None else None
    assert tool_calls(agent) == (ToolCall("look_up", {"order_id": "o_1"}, result, error),)


def test_the_context_that_a_framework_hands_in_is_no_argument():
    # By the name of its class and of the framework: none is imported here.
    context = type("RunContext", (), {"__module__": "pydantic_ai._run_context"})()

    @judgekit.tool
    def look_up(ctx, order_id):
        return "shipped"

    def agent(command):
        return look_up(context, "o_1")

    assert tool_calls(agent) == (ToolCall("look_up", {"order_id": "o_1"}, "shipped"),)


def test_a_parameter_that_is_called_like_a_class_is_an_argument_where_a_model_gave_it():
    @judgekit.tool
    def book(cls, seat):
        return "booked"

    def agent(command):
        return book("economy", "12A")

    assert tool_calls(agent) == (ToolCall("book", {"cls": "economy", "seat": "12A"}, "booked"),)


def test_what_a_decorated_tool_calls_is_added_to_what_the_agents_answer_tells():
    @judgekit.tool
    def specialist(question):
        get_order("o_1")
        return "shipped"

    def agent(command):
        specialist("where?")
        asked = {"id": "1", "function": {"name": "specialist", "arguments": '{"question": "where?"}'}}
        return [
            {"role": "user", "content": command},
            {"role": "assistant", "tool_calls": [asked]},
            {"role": "tool", "tool_call_id": "1", "content": "shipped"},
            {"role": "assistant", "content": "done"},
        ]

    assert tool_calls(agent) == (
        ToolCall("specialist", {"question": "where?"}, "shipped", id="1"),
        ToolCall("get_order", {"order_id": "o_1"}, {"id": "o_1", "full": False}),
    )


def test_a_call_that_outlives_its_attempt_changes_nothing_any_more():
    release, ended = threading.Event(), threading.Event()

    @judgekit.tool
    def slow():
        release.wait(10)
        return "late"

    def agent(command):
        def work():
            slow()
            ended.set()

        threading.Thread(target=contextvars.copy_context().run, args=(work,)).start()
        return "done"

    found = attempt(agent)
    release.set()
    assert ended.wait(10)
    assert all(call.result is None for call in found.interaction.tool_calls or ())


def test_outside_an_attempt_the_function_stays_what_it_is():
    assert get_order("o_1") == {"id": "o_1", "full": False}
    assert asyncio.run(cancel_order("o_1")) == "cancelled o_1"
    assert get_order.__name__ == "get_order"
    with pytest.raises(LookupError):
        fails()


def test_results_that_json_has_no_type_for_become_text_as_in_every_report():
    @judgekit.tool
    def odd(value):
        return {"set": {1}, "value": value}

    def agent(command):
        odd(b"\xff\x00")
        return "done"

    assert tool_calls(agent) == (
        ToolCall("odd", {"value": "\\xff\x00"}, {"set": "{1}", "value": "\\xff\x00"}),
    )


TOOLS = [{"type": "function", "function": {"name": name, "parameters": {}}} for name in ("look", "pay")]


def agent_over_litellm(pay):
    model = ScriptedModel(
        when("go", calls("look", at="shelf")), after_tool("look", calls("pay", cents=1)), otherwise("done")
    )

    @judgekit.tool
    def look(at):
        return "seen"

    async def agent(command):
        import litellm

        messages = [{"role": "user", "content": command}]
        while True:
            answer = await litellm.acompletion(model=model, messages=messages, tools=TOOLS)
            message = answer.choices[0].message
            messages.append(message.model_dump(exclude_none=True))
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                result = look("shelf") if call.function.name == "look" else pay(1)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result})

    return agent, look


def test_a_call_that_litellm_saw_too_counts_once():
    agent, _ = agent_over_litellm(judgekit.tool(lambda cents: "paid"))
    assert len(tool_calls(agent)) == 2


def test_where_litellm_saw_a_tool_that_is_not_decorated_litellm_is_believed():
    agent, _ = agent_over_litellm(lambda cents: "paid")
    assert [call.name for call in tool_calls(agent)] == ["look", "pay"]


def test_the_tools_that_were_named_are_all_of_them():
    agent, look = agent_over_litellm(lambda cents: "refused")
    assert [call.name for call in tool_calls(agent, tools=[look])] == ["look"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: judgekit.tool(dict), "decorates a function"),
        (lambda: judgekit.tool(staticmethod(len)), "write @judgekit.tool below it"),
        (lambda: judgekit.tool(functools.partial(print, 1)), "right above the `def`"),
        (lambda: judgekit.tool(name=" ")(print), "not blank"),
        (lambda: judgekit.tool(max), "does not tell its parameters"),
        (lambda: judgekit.tool(name="again")(get_order), "recorded already, as 'get_order'"),
        (lambda: judgekit.tool(lambda: (yield 1)), "return a list instead"),
    ],
)
def test_what_is_no_tool_is_refused(wrong, said):
    with pytest.raises(InvalidArgument, match=said):
        wrong()


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        ([get_order, print, len], "calls of print, len are not recorded"),
        ([functools.partial(print, 1)], "name the functions"),
        ("get_order", "must be a list"),
        (get_order, "must be a list"),
    ],
)
def test_named_tools_must_be_recorded(tools, said):
    with pytest.raises(InvalidArgument, match=said):
        ExperimentRunner("x").agent(lambda command: "hi", tools=tools)


@given(
    positional=st.lists(st.integers() | st.text(max_size=5), max_size=4),
    named=st.dictionaries(st.sampled_from("abcde"), st.integers(), max_size=3),
)
def test_every_call_is_recorded_whatever_it_is_called_with(positional, named):
    from judgekit.adapters.tool_recorder import recorded_tools

    @judgekit.tool
    def free(a=1, *rest, b=2, **more):
        return "ok"

    with recorded_tools() as recorder:
        try:
            result = free(*positional, **named)
        except TypeError:
            result = None
    (call,) = recorder.calls
    assert call.result == result
    assert (call.error is None) == (result is not None)
    flat = [
        item for value in call.arguments.values() for item in (value if isinstance(value, list) else [value])
    ]
    assert all(value in flat for value in named.values())
