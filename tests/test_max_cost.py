"""What a whole run may cost: judges, litellm agents and others, one ledger."""

import asyncio
import json
import threading

import pytest

from judgekit import (
    EvalCase,
    ExperimentRunner,
    Gate,
    Interaction,
    InvalidArgument,
    InvalidPlan,
    Judge,
    Kind,
    ModelCall,
    Outcome,
    Price,
    ToolCall,
    Verdict,
)
from judgekit.evaluators import reply_should_contain
from judgekit.judging import Criterion, Escalation, Panel
from judgekit.providers import price_of
from judgekit.schedule.metering import UncountedCostWarning
from judgekit.testing import Fault, ScriptedModel, otherwise, says, verdict

MODEL = "openai/gpt-4o-mini"
# An answer of 1000 + 100 tokens costs 1000 * 0.15e-6 + 100 * 0.6e-6 = 0.00021 dollars.
ANSWER = says("It is on its way.", usage=(1000, 100))
COST = 0.00021
# An answer that costs a little less than what is reserved for 100 tokens.
SHORT = says("It is on its way.", usage=(10, 100))
SHORT_COST = 0.0000615
VERDICT = says(json.dumps(verdict(0.9)), usage=(1000, 100))


def cases(count, *evaluators):
    return [EvalCase(f"c{number}", f"where is order {number}?", *evaluators) for number in range(count)]


def plan(*given, name="costs"):
    return ExperimentRunner(name).cases(*given).without_report_file().concurrency(1)


def echo(command):
    return command


@pytest.fixture
def agent_of(litellm):
    """Makes an agent that asks a provider's model once, or `calls` times."""

    def make(provider, *, calls=1, model=MODEL, **options):
        async def agent(command):
            for number in range(calls):
                messages = [{"role": "user", "content": f"{command} ({number})"}]
                answer = await litellm.acompletion(
                    model=model,
                    messages=messages,
                    api_base=provider.url,
                    api_key="k",
                    num_retries=0,
                    max_retries=0,
                    **{"max_tokens": 100, **options},
                )
            return answer.choices[0].message.content

        return agent

    return make


def kinds(report):
    return [[result.kind for result in attempt.results] for attempt in report.results]


# agents through litellm


def test_past_the_limit_no_agent_is_called_and_the_rest_is_a_missing_measurement(fake_provider, agent_of):
    provider = fake_provider(ANSWER)
    runner = plan(cases(10, reply_should_contain("way"))).agent(agent_of(provider)).max_cost(4.5 * COST)
    report = runner.run()
    # The fifth call fits its reservation of a short prompt and 100 tokens, and then costs more.
    assert provider.count == 5
    assert [attempt.outcome for attempt in report.results] == [Outcome.PASS] * 5 + [Outcome.INCONCLUSIVE] * 5
    assert kinds(report)[5:] == [[Kind.BUDGET_SPENT, Kind.BUDGET_SPENT]] * 5
    assert [result.label for result in report.results[9].results] == ["target", "reply-contains"]
    assert "limit of $0.0009 is reached: $0.0010 spent" in report.results[9].results[0].detail
    assert report.decision.outcome is Outcome.INCONCLUSIVE
    assert report.decision.detail.endswith("5 missing (budget spent 5)")
    assert report.spend.cost == pytest.approx(5 * COST)


def test_a_run_never_spends_more_than_its_limit_where_calls_cost_what_they_reserve(fake_provider, agent_of):
    provider = fake_provider(SHORT)
    runner = plan(cases(40)).agent(agent_of(provider, calls=2)).max_cost(20 * SHORT_COST).concurrency(8)
    report = runner.run()
    assert 0 < report.spend.cost <= 20 * SHORT_COST
    assert 14 <= provider.count <= 20


def test_a_call_in_the_middle_of_an_attempt_is_refused_and_what_was_spent_is_kept(fake_provider, agent_of):
    provider = fake_provider(SHORT)
    report = plan(cases(3)).agent(agent_of(provider, calls=3)).max_cost(5.5 * SHORT_COST).run()
    assert provider.count == 5
    first, second, third = report.results
    assert first.passed
    assert [result.kind for result in second.results] == [Kind.BUDGET_SPENT]
    assert "and the next call may cost $0.0001" in second.results[0].detail
    assert len(second.interaction.model_calls) == 2
    assert third.interaction.model_calls is None


def test_an_agent_that_catches_every_exception_does_not_ask_again(fake_provider, litellm):
    provider = fake_provider(SHORT)

    async def stubborn(command):
        for _ in range(50):
            try:
                await litellm.acompletion(
                    model=MODEL,
                    messages=[{"role": "user", "content": command}],
                    api_base=provider.url,
                    api_key="k",
                    num_retries=3,
                    max_tokens=100,
                )
            except Exception:  # noqa: BLE001
                continue
        return "done"

    report = plan(cases(2)).agent(stubborn).max_cost(3.5 * SHORT_COST).run()
    assert provider.count == 3
    assert kinds(report) == [[Kind.BUDGET_SPENT], [Kind.BUDGET_SPENT]]


def test_an_agent_that_catches_everything_is_budget_spent_all_the_same(fake_provider, litellm):
    provider = fake_provider(SHORT)

    def sync_agent(command):
        try:
            for _ in range(10):
                litellm.completion(
                    model=MODEL,
                    messages=[{"role": "user", "content": command}],
                    api_base=provider.url,
                    api_key="k",
                    max_tokens=100,
                )
        except BaseException:  # noqa: BLE001
            return "I could not ask."
        return "done"

    report = plan(cases(1, reply_should_contain("could"))).agent(sync_agent).max_cost(3.5 * SHORT_COST).run()
    assert provider.count == 3
    assert kinds(report) == [[Kind.BUDGET_SPENT, Kind.BUDGET_SPENT]]


def test_a_model_that_nobody_knows_the_price_of_is_not_called(fake_provider, agent_of):
    # BG03
    provider = fake_provider(ANSWER)
    agent = agent_of(provider, model="openai/house-model-7")
    report = plan(cases(2)).agent(agent).max_cost(1).run()
    assert provider.count == 0
    assert (
        "no price is known for the agent's model openai/house-model-7" in report.results[0].results[0].detail
    )
    assert report.decision.detail.endswith("2 missing (budget spent: no price 2)")


def test_a_price_may_be_given_for_an_agents_model(fake_provider, agent_of):
    provider = fake_provider(ANSWER)
    agent = agent_of(provider, model="openai/house-model-7")
    runner = plan(cases(9)).agent(agent).max_cost(0.32, prices={"openai/house-model-7": Price(100, 100)})
    report = runner.run()
    assert provider.count == 3
    assert [attempt.passed for attempt in report.results].count(True) == 3


def test_a_scripted_agent_is_free(litellm):
    model = ScriptedModel(otherwise("Hello!"))

    async def agent(command):
        answer = await litellm.acompletion(model=model, messages=[{"role": "user", "content": command}])
        return answer.choices[0].message.content

    report = plan(cases(3)).agent(agent).max_cost(0).run()
    assert report.passed
    assert model.call_count == 3


def test_an_error_of_the_server_costs_nothing_and_a_lost_answer_counts_in_full(fake_provider, agent_of):
    failing = fake_provider(ANSWER, faults=[Fault.status(400)] * 20)
    report = plan(cases(20)).agent(agent_of(failing)).max_cost(0.0001).run()
    assert failing.count == 20
    assert report.decision.outcome is Outcome.FAIL
    losing = fake_provider(ANSWER, faults=[Fault.reset()] * 20)
    report = plan(cases(20)).agent(agent_of(losing)).max_cost(0.0003).run()
    assert losing.count == 4  # 60 tokens at most in, 100 out: each may have cost up to 0.00007


def test_a_stream_that_says_nothing_of_tokens_counts_in_full(fake_provider, litellm):
    provider = fake_provider(ANSWER)

    async def agent(command):
        stream = await litellm.acompletion(
            model=MODEL,
            messages=[{"role": "user", "content": command}],
            api_base=provider.url,
            api_key="k",
            stream=True,
            max_tokens=1000,
        )
        return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

    report = plan(cases(9)).agent(agent).max_cost(0.0021).run()
    assert provider.count == 3
    assert [attempt.passed for attempt in report.results].count(True) == 3
    assert report.results[0].interaction.cost is None


def test_an_agent_that_was_given_up_still_pays(litellm, fake_provider):
    provider = fake_provider(ANSWER)
    go_on, done = threading.Event(), threading.Event()

    def ask(command):
        messages = [{"role": "user", "content": command}]
        litellm.completion(
            model=MODEL, messages=messages, api_base=provider.url, api_key="k", max_tokens=1000
        )

    def slow(command):
        if "order 0" in command:
            go_on.wait(20)
            try:
                ask(command)
            finally:
                done.set()
        elif "order 1" in command:
            go_on.set()
            done.wait(20)
        else:
            ask(command)
        return "fine"

    report = plan(cases(3)).agent(slow).timeout(2).max_cost(0.001).run()
    assert [result.label for result in report.results[0].results] == ["target"]
    assert provider.count == 1
    assert kinds(report)[2] == [Kind.BUDGET_SPENT]


# judges


def test_judges_and_agents_share_one_ledger(fake_provider, agent_of):
    provider = fake_provider(lambda turn: ANSWER if len(turn.messages) == 1 else VERDICT)
    judge = Judge(MODEL, api_base=provider.url, api_key="k", max_tokens=100)
    report = (
        plan(cases(6, judge.should_satisfy("kind", name="kind"))).agent(agent_of(provider)).max_cost(7 * COST)
    )
    report = report.run()
    spent = report.spend.cost + report.judges.cost
    assert provider.count == 7
    assert spent == pytest.approx(7 * COST)
    assert [attempt.outcome for attempt in report.results[:3]] == [Outcome.PASS] * 3
    (judged,) = report.results[3].results
    assert (judged.kind, judged.cause) == (Kind.BUDGET_SPENT, "budget spent")
    assert kinds(report)[4] == [Kind.BUDGET_SPENT, Kind.BUDGET_SPENT]
    assert report.decision.detail.endswith("3 missing (budget spent 3)")


def test_a_judge_without_a_price_is_refused_before_any_call(litellm):
    # BG03
    called = []
    unpriced = Judge("openai/house-judge-7")
    for judge in (
        unpriced,
        Panel([unpriced, Judge(MODEL), Judge(ScriptedModel("x"))]),
        Escalation([Judge(MODEL), unpriced]),
        Escalation([Judge("openai/house-judge-7", price=Price(1, 1)), unpriced]),
    ):
        runner = plan(cases(1, judge.should_satisfy("kind"))).agent(called.append).max_cost(1)
        with pytest.raises(InvalidPlan) as refused:
            runner.run()
        assert refused.value.problems == (
            "no price is known for openai/house-judge-7, so max_cost cannot hold; write "
            "Judge('openai/house-judge-7', price=Price(dollars in, dollars out)), for a million tokens",
        )
    assert called == []
    priced = Judge("openai/house-judge-7", price=Price(1, 1)).should_satisfy("kind")
    with pytest.raises(InvalidPlan, match="there is no agent"):
        plan(cases(1, priced)).max_cost(1).run()


def test_a_judge_of_ones_own_needs_no_price():
    class Fair:
        model = None

        async def decide(self, criterion, interaction):
            return Verdict(score=1.0, reason="fair")

    report = plan(cases(2, Criterion(judge=Fair(), criterion="x"))).agent(echo).max_cost(0).run()
    assert report.passed


def test_recorded_interactions_are_judged_up_to_the_limit(fake_provider):
    provider = fake_provider(VERDICT)
    judge = Judge(MODEL, api_base=provider.url, api_key="k", max_tokens=100)
    recorded = [
        EvalCase(f"c{n}", "hi", judge.should_satisfy("kind"), interactions=[Interaction(reply=f"Hello {n}!")])
        for n in range(6)
    ]
    report = plan(recorded).max_cost(3 * COST).run()
    assert provider.count == 3
    assert [attempt.outcome for attempt in report.results] == [Outcome.PASS] * 3 + [Outcome.INCONCLUSIVE] * 3


# other agents


def priced(dollars):
    return lambda command: Interaction(reply="ok", cost=dollars)


def test_other_agents_are_charged_with_what_they_say_they_cost():
    report = plan(cases(5)).agent(priced(0.4)).max_cost(1).run()
    assert [attempt.passed for attempt in report.results] == [True, True, True, False, False]
    parts = [ModelCall(cost=0.4), ModelCall(cost=None)]
    report = plan(cases(5)).agent(lambda command: Interaction(reply="ok", model_calls=parts)).max_cost(1)
    with pytest.warns(UncountedCostWarning, match="max_cost does not count 3 agent calls of unknown cost"):
        report = report.run()
    assert [attempt.passed for attempt in report.results] == [True, True, True, False, False]


def test_a_cost_that_was_metered_is_not_charged_twice(fake_provider, litellm):
    provider = fake_provider(ANSWER)

    async def agent(command):
        answer = await litellm.acompletion(
            model=MODEL, messages=[{"role": "user", "content": command}], api_base=provider.url, api_key="k"
        )
        return Interaction(reply=answer.choices[0].message.content, cost=COST, tool_calls=[ToolCall("t")])

    report = plan(cases(9)).agent(agent).max_cost(7 * COST).run()
    assert [attempt.passed for attempt in report.results].count(True) == 5  # the sixth may cost 0.0006


def test_agents_that_say_nothing_of_cost_are_not_limited():
    assert plan(cases(5)).agent(echo).max_cost(0).run().passed


# the run


def test_with_more_money_a_run_is_resumed_where_it_ran_out(tmp_path):
    asked = []

    def agent(command):
        asked.append(command)
        return Interaction(reply="ok", cost=0.4)

    runner = ExperimentRunner("costs").cases(cases(5)).agent(agent).report_directory(tmp_path).concurrency(1)
    short = runner.max_cost(0.7).run()
    assert [attempt.passed for attempt in short.results] == [True, True, False, False, False]
    again = runner.max_cost(0.7).resume(short.file.parent).run()
    assert len(asked) == 2
    assert again.decision.detail == short.decision.detail
    enough = runner.max_cost(1.9).resume(short.file.parent).run()
    assert len(asked) == 5
    assert enough.passed, enough.render()


def test_what_a_killed_run_spent_counts_when_it_is_resumed(tmp_path):
    runner = ExperimentRunner("costs").cases(cases(4)).agent(priced(0.4)).report_directory(tmp_path)
    runner = runner.concurrency(1)
    whole = runner.run()
    journal = whole.file.with_name("journal.jsonl")
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:3]))  # the head and two attempts
    resumed = runner.max_cost(1).resume(journal).run()
    assert [attempt.passed for attempt in resumed.results] == [True, True, True, False]


def test_the_gate_on_target_failures_says_why_attempts_never_ran():
    report = plan(cases(3)).agent(priced(1)).max_cost(1).gate(Gate.target_should_not_fail()).run()
    assert report.decision.outcome is Outcome.INCONCLUSIVE
    assert report.decision.detail == (
        "no target failures on 1 of 3 attempts (3 cases, 1 run), never ran [c1 (run 1), c2 (run 1)]; "
        "2 missing (budget spent 2)"
    )


def test_a_limit_works_in_a_running_loop_and_with_many_attempts_at_once(fake_provider):
    provider = fake_provider(says(json.dumps(verdict(0.9)), usage=(200, 100)), latency=0.01)
    cost = price_of(MODEL).of(200, 100)
    judge = Judge(MODEL, api_base=provider.url, api_key="k", max_tokens=100)
    runner = plan(cases(30, judge.should_satisfy("kind"))).agent(echo).concurrency(16).max_cost(10 * cost)
    report = asyncio.run(runner.run_async())
    assert 8 <= provider.count <= 10
    assert report.judges.cost == pytest.approx(provider.count * cost)


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (lambda: plan(cases(1)).max_cost(-1), "`max_cost` must be a finite number of dollars >= 0, got -1"),
        (lambda: plan(cases(1)).max_cost(float("nan")), "got nan"),
        (lambda: plan(cases(1)).max_cost(True), "got True"),
        (lambda: plan(cases(1)).max_cost("5"), "got '5'"),
        (
            lambda: plan(cases(1)).max_cost(5, prices={"m": 3}),
            r"must hold a Price by model string, got 'm': 3",
        ),
        (lambda: plan(cases(1)).max_cost(5, prices=[Price(1, 1)]), "must be prices by model string"),
    ],
)
def test_a_limit_that_cannot_work_is_refused_when_it_is_set(build, text):
    with pytest.raises(InvalidArgument, match=text):
        build()
