"""Agents called and evaluators run, whatever they do."""

import asyncio
import contextvars
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from judgekit.context import Session, current_attempt
from judgekit.errors import Blocked, InvalidArgument
from judgekit.evaluation import EvalCase, EvalResult, Kind, Outcome, eval_label
from judgekit.interaction import GuardrailResult, Interaction
from judgekit.schedule import Agent
from judgekit.schedule.agents import Target, scored
from judgekit.schedule.bounded import bounded
from judgekit.schedule.evaluating import Evaluation, requirements_of
from judgekit.schedule.threads import CallThreads

CASE = EvalCase("c", "hello")


def answer(agent, *, seconds: float = 5.0, blockable: bool = False, case: EvalCase = CASE) -> Target:
    async def call():
        threads = CallThreads()
        try:
            return await Agent.of(agent).answer(
                case.command, Session("s"), seconds=seconds, threads=threads, blockable=blockable
            )
        finally:
            threads.close()

    return asyncio.run(call())


def evaluate(*evaluators, interaction: Interaction | None = None) -> tuple[EvalResult, ...]:
    return asyncio.run(Evaluation().results(CASE, interaction or Interaction(reply="r"), evaluators))


# bounded


def test_what_awaited_code_returns_raises_or_exits_with_is_returned():
    async def run(code):
        return await bounded(code, 5)

    async def value():
        return 1

    async def leave():
        sys.exit(3)

    async def cancel():
        raise asyncio.CancelledError

    assert asyncio.run(run(value())).value == 1
    assert isinstance(asyncio.run(run(leave())).error, SystemExit)
    assert isinstance(asyncio.run(run(cancel())).error, asyncio.CancelledError)


def test_code_past_its_limit_is_cancelled():
    ends = []

    async def slow():
        try:
            await asyncio.sleep(60)
        finally:
            ends.append("cancelled")

    async def run():
        return await bounded(slow(), 0.01)

    assert asyncio.run(run()).expired
    assert ends == ["cancelled"]


def test_code_that_swallows_its_cancellation_is_left_behind(monkeypatch):
    monkeypatch.setattr("judgekit.schedule.bounded._GRACE_SECONDS", 0.05)
    released = threading.Event()

    async def stubborn():
        while not released.is_set():
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                continue

    async def run():
        ended = await bounded(stubborn(), 0.01)
        released.set()
        await asyncio.sleep(0.05)
        return ended

    assert asyncio.run(run()).expired


def test_cancelling_the_caller_cancels_the_code_even_before_its_first_step():
    async def never():
        raise AssertionError("it ran")

    async def run():
        task = asyncio.ensure_future(bounded(never(), 5))
        asyncio.get_running_loop().call_soon(task.cancel)
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())


# threads


def test_a_thread_is_used_again_after_its_call():
    async def run():
        threads = CallThreads()
        names = [(await threads.call(threading.get_ident)).value for _ in range(3)]
        threads.close()
        return names

    assert len(set(asyncio.run(run()))) == 1


def test_a_thread_sees_the_callers_context_variables():
    word = contextvars.ContextVar("word")

    async def run():
        word.set("x")
        return (await CallThreads().call(word.get)).value

    assert asyncio.run(run()) == "x"


def test_a_late_result_is_dropped_also_after_the_loop_is_closed():
    begun, go = threading.Event(), threading.Event()

    def late():
        begun.set()
        go.wait(5)
        return "late"

    async def run():
        threads = CallThreads()
        task = asyncio.ensure_future(threads.call(late))
        while not begun.is_set():
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return (await threads.call(lambda: "next")).value

    assert asyncio.run(run()) == "next"
    go.set()


def test_a_hanging_agent_does_not_keep_the_process_alive():
    code = """
    import time
    from judgekit.evaluation import EvalCase
    from judgekit.runner import ExperimentRunner
    plan = ExperimentRunner("x").cases(EvalCase("a", "b")).agent(lambda c: time.sleep(60)).timeout(0.1)
    print(plan.without_report_file().run().decision.detail)
    """
    child = [sys.executable, "-W", "error", "-c", textwrap.dedent(code)]
    done = subprocess.run(child, capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (0, "failed cases [a (run 1)]\n", "")


# agents


class Thing:
    """Callable objects of every kind."""

    def sync(self, command):
        return f"sync {command}"

    async def later(self, command):
        await asyncio.sleep(0)
        return f"later {command}"

    def __call__(self, command, session):
        return f"call {command} {session.id}"


class AsyncThing:
    async def __call__(self, command):
        return f"async {command}"


@pytest.mark.parametrize(
    ("agent", "reply"),
    [
        (lambda command: command.upper(), "HELLO"),
        (lambda command, session: f"{command} {session.id}", "hello s"),
        (lambda command, model="gpt": f"{command} {model}", "hello gpt"),
        (lambda command, session=None: f"{command} {session.id}", "hello s"),
        (lambda *arguments: f"{len(arguments)}", "1"),
        (lambda command: Thing().later(command), "later hello"),
        (Thing().sync, "sync hello"),
        (Thing().later, "later hello"),
        (Thing(), "call hello s"),
        (AsyncThing(), "async hello"),
        (str.title, "Hello"),
    ],
)
def test_an_agent_is_called_with_command_or_with_command_and_session(agent, reply):
    target = answer(agent)
    assert (target.interaction.reply, target.failed) == (reply, None)


@pytest.mark.parametrize(
    "agent",
    [lambda: "x", lambda a, b, c: "x", lambda command, *, model: "x", Thing, "not callable", None],
)
def test_what_cannot_be_called_so_is_refused_when_built(agent):
    with pytest.raises(InvalidArgument):
        Agent.of(agent)


def test_the_agents_name_is_its_own_unless_given():
    def support(command):
        return command

    assert Agent.of(support).name == "support"
    assert Agent.of(Thing()).name == "Thing"
    assert Agent.of(support, name="small").name == "small"
    with pytest.raises(InvalidArgument, match="name"):
        Agent.of(support, name=" ")


def test_the_agent_call_is_clocked_where_the_agent_gives_no_latency():
    def slow(command):
        time.sleep(0.05)
        return "x"

    assert answer(slow).interaction.latency >= 0.05
    assert answer(lambda c: Interaction(reply="x", latency=7.0)).interaction.latency == 7.0
    assert answer(lambda c: Interaction(reply="x", replayed=True)).interaction.latency is None


def test_the_command_is_kept_as_text():
    case = EvalCase("c", {"order": 1})
    target = answer(lambda command: str(command["order"]), case=case)
    assert (target.interaction.command_text, target.interaction.reply) == ('{"order": 1}', "1")
    assert answer(lambda c: Interaction(command_text="own")).interaction.command_text == "own"


def raising(error):
    def agent(command):
        raise error

    return agent


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("no\norder"), "ValueError: no order"),
        (StopIteration(), "StopIteration"),
        (SystemExit(2), "SystemExit: 2"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (TimeoutError("their own"), "TimeoutError: their own"),
        (asyncio.CancelledError("odd"), "CancelledError"),
    ],
)
def test_whatever_an_agent_raises_is_a_failed_target(error, text):
    async def later(command):
        raise error

    # Python forbids StopIteration in a coroutine, and takes KeyboardInterrupt in the main thread for Ctrl-C.
    forbidden = isinstance(error, StopIteration | KeyboardInterrupt)
    for agent in (raising(error),) if forbidden else (raising(error), later):
        target = answer(agent)
        assert target.failed.startswith(text)
        assert target.interaction.reply is None
        assert target.interaction.error is not None
        assert target.interaction.latency is not None


def test_an_agent_past_its_time_is_a_failed_target_sync_or_async():
    async def slow(command):
        await asyncio.sleep(60)

    release = threading.Event()
    for agent in (slow, lambda command: release.wait(60)):
        target = answer(agent, seconds=0.05)
        assert target.failed == "TimeoutError: the agent gave no answer within 0.05 s"
        assert 0.05 <= target.interaction.latency < 5
    release.set()


@pytest.mark.parametrize("value", [None, 5, object()])
def test_an_answer_of_an_unknown_type_is_a_failed_target(value):
    assert answer(lambda command: value).failed.startswith("TypeError: the agent returned")


def test_an_interaction_that_tells_of_a_failed_call_is_a_failed_target():
    assert answer(lambda command: Interaction(error="HTTP 500")).failed == "HTTP 500"
    case = EvalCase("c", "x", interactions=[Interaction(error="HTTP 500")])
    assert scored(case, 1, blockable=False).failed == "HTTP 500"


def tripwire(module, name):
    return type(name, (Exception,), {"__module__": module})("tripped")


@pytest.mark.parametrize(
    "error",
    [
        Blocked("no"),
        tripwire("agents.exceptions", "InputGuardrailTripwireTriggered"),
        tripwire("agents.exceptions", "OutputGuardrailTripwireTriggered"),
        type("Mine", (type(tripwire("agents.x", "InputGuardrailTripwireTriggered")),), {})("derived"),
    ],
)
def test_a_block_is_no_failure_where_it_is_asked_for(error):
    wanted = answer(raising(error), blockable=True)
    assert (wanted.failed, wanted.interaction.blocked, wanted.interaction.reply) == (None, True, None)
    unwanted = answer(raising(error))
    assert unwanted.failed is not None
    assert unwanted.interaction.blocked


def test_a_class_of_the_same_name_elsewhere_is_no_tripwire():
    error = tripwire("my.code", "InputGuardrailTripwireTriggered")
    assert answer(raising(error), blockable=True).failed == "InputGuardrailTripwireTriggered: tripped"


def test_a_recorded_guardrail_that_did_not_pass_is_a_block():
    interaction = Interaction(reply="I cannot", guardrails=[GuardrailResult("pii", passed=False)])
    wanted = answer(lambda command: interaction, blockable=True)
    assert (wanted.failed, wanted.interaction.blocked, wanted.interaction.reply) == (None, True, None)
    unwanted = answer(lambda command: interaction)
    assert (unwanted.failed, unwanted.interaction.reply) == (None, "I cannot")
    case = EvalCase("c", "x", interactions=[interaction])
    assert scored(case, 1, blockable=True).interaction.reply is None


@pytest.mark.parametrize("error", ["Blocked: no", None])
def test_evidence_that_says_it_was_blocked_is_a_block(error):
    interaction = Interaction(blocked=True, reply="I cannot", error=error)
    case = EvalCase("c", "x", interactions=[interaction])
    for wanted in (answer(lambda command: interaction, blockable=True), scored(case, 1, blockable=True)):
        assert (wanted.failed, wanted.interaction.blocked, wanted.interaction.reply) == (None, True, None)
        assert wanted.interaction.error == error
    for unwanted in (answer(lambda command: interaction), scored(case, 1, blockable=False)):
        assert (unwanted.failed, unwanted.interaction.reply) == (error, "I cannot")


def test_a_block_is_scored_again_as_it_was_scored_first():
    first = answer(raising(Blocked("no")), blockable=True)
    case = EvalCase("c", "x", interactions=[first.interaction])
    assert scored(case, 1, blockable=True) == first


# evaluators


@eval_label("good")
def good(case, interaction):
    return EvalResult.passed()


def raiser(error):
    @eval_label("bad")
    def bad(case, interaction):
        raise error

    return bad


def test_results_come_in_order_with_their_labels():
    @eval_label("later")
    class Later:
        async def evaluate(self, case, interaction):
            await asyncio.sleep(0.01)
            return EvalResult.failed("late")

    results = evaluate(good, Later(), good)
    assert [(r.label, r.outcome.value, r.detail) for r in results] == [
        ("custom-eval:good", "pass", ""),
        ("custom-eval:later", "fail", "late"),
        ("custom-eval:good", "pass", ""),
    ]


def test_an_evaluator_that_raises_fails_on_its_own_label_and_the_others_still_report():
    # RN12
    results = evaluate(good, eval_label("mine")(lambda case, interaction: 1 / 0), good)
    assert [r.outcome for r in results] == [Outcome.PASS, Outcome.FAIL, Outcome.PASS]
    assert results[1].detail == "the evaluator threw ZeroDivisionError: division by zero"
    assert (results[1].label, results[1].score) == ("custom-eval:mine", None)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (AssertionError(), "the evaluator threw AssertionError"),
        (SystemExit(1), "the evaluator threw SystemExit: 1"),
        (pytest.fail.Exception("nope"), "the evaluator threw Failed: nope"),
        (asyncio.CancelledError(), "the evaluator threw CancelledError"),
        (GeneratorExit(), "the evaluator threw GeneratorExit"),
    ],
)
def test_what_an_evaluator_raises_never_ends_the_run(error, text):
    @eval_label("later")
    async def later(case, interaction):
        raise error

    assert evaluate(raiser(error))[0].detail == text
    assert evaluate(later)[0].detail.startswith(text)


@pytest.mark.parametrize("value", [None, True, float("nan"), "pass", [], [EvalResult.passed()], {}])
def test_an_evaluator_that_returns_something_else_fails(value):
    # RP11
    async def later(case, interaction):
        return value

    for evaluator in (eval_label("odd")(lambda case, interaction: value), eval_label("odd")(later)):
        (result,) = evaluate(evaluator)
        assert (result.outcome, result.detail) == (Outcome.FAIL, "the evaluator returned no result")


def several(count, made):
    class Several:
        result_count = count

        def evaluate(self, case, interaction):
            return made()

    return eval_label("several")(Several)()


def test_an_evaluator_may_declare_that_it_returns_several_results():
    results = evaluate(good, several(2, lambda: [EvalResult.passed(), EvalResult.failed("x")]), good)
    assert [r.outcome.value for r in results] == ["pass", "pass", "fail", "pass"]
    assert [r.label for r in results[1:3]] == ["custom-eval:several"] * 2


@pytest.mark.parametrize("made", [lambda: [EvalResult.passed()], lambda: EvalResult.passed(), lambda: 1 / 0])
def test_one_that_declared_several_and_returns_fewer_fails_for_each(made):
    results = evaluate(several(2, made), good)
    assert [r.outcome.value for r in results] == ["fail", "fail", "pass"]


def test_an_async_evaluator_past_its_limit_is_inconclusive(monkeypatch):
    monkeypatch.setattr("judgekit.schedule.evaluating.LIMIT_SECONDS", 0.02)

    @eval_label("slow")
    async def slow(case, interaction):
        await asyncio.sleep(60)

    (result, after) = evaluate(slow, good)
    assert (result.outcome, result.kind) == (Outcome.INCONCLUSIVE, Kind.TIME_LIMIT)
    assert after.outcome is Outcome.PASS


def test_evaluators_share_one_labelled_result_where_they_return_a_constant():
    constant = EvalResult.passed()
    first, second = evaluate(*[eval_label(name)(lambda case, interaction: constant) for name in "ab"])
    assert (first.label, second.label) == ("custom-eval:a", "custom-eval:b")
    assert constant.label == ""


def test_objects_of_one_class_may_carry_labels_of_their_own():
    class Callable:
        def __init__(self, text):
            self.text = text

        def __call__(self, case, interaction):
            return EvalResult.passed(self.text)

    labelled = [eval_label(text)(Callable(text)) for text in ("x", "y")]
    assert [(r.label, r.detail) for r in evaluate(*labelled)] == [
        ("custom-eval:x", "x"),
        ("custom-eval:y", "y"),
    ]


def test_requirements_are_labels_and_names_one_a_result():
    class Judged:
        __eval_label__ = "judge"
        name = "polite"

        def evaluate(self, case, interaction):
            return EvalResult.passed()

    assert requirements_of([good, several(2, list), Judged()]) == (
        ("custom-eval:good", None),
        ("custom-eval:several", None),
        ("custom-eval:several", None),
        ("judge", "polite"),
    )


def test_outside_a_run_there_is_no_attempt():
    assert current_attempt() is None
