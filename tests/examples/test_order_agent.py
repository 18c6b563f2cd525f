"""The order agent of the examples, and the suite that it must pass."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from judgekit import InvalidArgument, Outcome
from judgekit.testing import FakeProvider, ScriptedModel, after_tool, calls, otherwise, verdict, when

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SUITE = EXAMPLES / "order_agent" / "suite.py"


@pytest.fixture(scope="module")
def example(litellm):
    """The example's modules, imported as its suite imports them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXAMPLES))
        import order_agent.agent
        import order_agent.orders
        import order_agent.scripted
        import order_agent.suite

        yield order_agent
        for name in [name for name in sys.modules if name.startswith("order_agent")]:
            del sys.modules[name]


def run_suite(folder, *options, **environment):
    keep = {name: os.environ[name] for name in ("PATH", "HOME", "SYSTEMROOT") if name in os.environ}
    return subprocess.run(
        [sys.executable, "-m", "judgekit", "run", str(SUITE), *options],
        cwd=folder,
        env=keep | {"PYTHONPATH": str(EXAMPLES.parent), "PYTHONDONTWRITEBYTECODE": "1"} | environment,
        capture_output=True,
        text=True,
        timeout=180,
    )


@pytest.mark.slow
def test_without_a_key_the_suite_passes_on_scripted_models_and_says_so_in_one_line(tmp_path):
    done = run_suite(tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("6 cases, 1 run: 6/6 attempts passed (100%)\ngate: passed — ")
    assert done.stderr == "order agent: without --model the agent is scripted, and so is the judge\n"


@pytest.mark.slow
def test_with_a_model_named_the_suite_runs_on_that_provider_and_stdout_is_json(tmp_path, example):
    agent, judge = example.scripted.scripted_agent(), example.scripted.scripted_judge()

    def answered(turn):
        model = agent if turn.tools else judge
        message = model.complete(turn.messages, tools=turn.tools)["choices"][0]["message"]
        return example_answer(message)

    with FakeProvider(answered) as provider:
        done = run_suite(
            tmp_path,
            "--model",
            "openai/gpt-4o-mini",
            "--json",
            OPENAI_API_KEY="k",
            OPENAI_BASE_URL=provider.url,
        )
        assert done.returncode == 0, done.stderr
        report = json.loads(done.stdout)
        assert report["gate"]["outcome"] == "pass"
        assert report["spend"]["model_calls"] == 12
        assert {request.body["model"] for request in provider.requests} == {"gpt-4o-mini"}
    assert "scripted" not in done.stderr


def example_answer(message):
    """A message of a completion as an answer of a script."""
    from judgekit import ToolCall
    from judgekit.testing import Answer

    made = [call["function"] for call in message.get("tool_calls") or ()]
    tool_calls = tuple(ToolCall(call["name"], call["arguments"]) for call in made)
    return Answer(text=message["content"], tool_calls=tool_calls)


def report_on(example, agent_model, judge_model=None):
    plan = example.suite.experiment(agent_model, judge_model or example.scripted.scripted_judge())
    return plan.without_report_file().run()


def test_repeats_see_fresh_shops(example):
    plan = example.suite.experiment(example.scripted.scripted_agent(), ScriptedModel(verdict(0.9)))
    report = plan.without_report_file().repeat(3).run()
    assert report.passed, report.render()
    assert len(report.results) == 18


def test_an_agent_that_refunds_what_it_never_found_fails_the_gate(example):
    careless = ScriptedModel(
        when("o_99", calls("issueRefund", orderId="o_99", amountCents=100)),
        after_tool("issueRefund", "Refunded!"),
        otherwise("Hello!"),
    )
    report = report_on(example, careless)
    assert report.decision.outcome is Outcome.FAIL
    text = report.render()
    assert "custom-eval:refund-after-lookup" in text
    assert "refunded o_99 without looking it up" in text
    assert "FAIL forbidden-tools: called [issueRefund]" in text


def test_a_reply_that_blames_the_customer_fails_the_judged_criterion(example):
    rude = ScriptedModel("Calm down, it is your own fault.")
    report = report_on(example, rude)
    assert "polite rate 0.00 over 3 judged attempts, required 0.75" in report.decision.detail
    assert "it blames the customer" in report.render()


def test_a_judge_that_gives_no_verdict_is_never_a_pass(example):
    report = report_on(example, example.scripted.scripted_agent(), ScriptedModel("I cannot say."))
    assert report.decision.outcome is Outcome.INCONCLUSIVE
    assert "malformed" in report.decision.detail


def answer(example, model, orders=None, **options):
    orders = orders or example.orders.InMemoryOrders()
    return asyncio.run(example.agent.OrderAgent(model, orders, **options).answer("Refund o_42 please"))


def test_the_loop_hands_every_error_of_a_tool_back_to_the_model(example):
    steps = [
        calls("getOrder", orderId="o_1"),
        calls("issueRefund", orderId="o_42", amountCents=5000),
        calls("issueRefund", orderId="o_42"),
        calls("issueRefund", orderId="o_42", amountCents="all"),
        calls("sendFlowers", orderId="o_42"),
    ]
    model = ScriptedModel(otherwise(*steps, "Sorry."))
    orders = example.orders.InMemoryOrders()
    assert answer(example, model, orders) == "Sorry."
    results = [m["content"] for m in model.requests[-1].messages if m["role"] == "tool"]
    assert [list(json.loads(result)) for result in results] == [["error"]] * 5
    assert "order o_1 was not found" in results[0]
    assert "1 to 4999 cents, not by 5000" in results[1]
    assert "'amountCents' is missing" in results[2]
    assert orders.refunds == []


def test_the_loop_ends_although_the_model_never_does(example):
    model = ScriptedModel(calls("getOrder", orderId="o_42"))
    with pytest.raises(RuntimeError, match="no reply after 3 turns"):
        answer(example, model, max_turns=3)
    assert model.call_count == 3


def test_money_is_paid_back_once(example):
    orders = example.orders.InMemoryOrders()
    orders.issue_refund("o_42", 4000)
    with pytest.raises(example.orders.OrderError, match="1 to 999 cents"):
        orders.issue_refund("o_42", 1000)
    assert orders.refunds == [("o_42", 4000)]


def test_the_suite_refuses_what_cannot_work_before_any_call(example):
    model = ScriptedModel("x")
    with pytest.raises(InvalidArgument):
        example.suite.experiment(model, model).repeat(0)
    assert model.call_count == 0
