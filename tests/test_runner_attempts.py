"""Attempts from setup to results: order, concurrency, failures, and what a run leaves alone."""

import asyncio
import signal
import subprocess
import sys
import textwrap
import threading
import time
from contextvars import ContextVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.context import current_attempt
from judgekit.errors import Blocked, InvalidPlan
from judgekit.evaluation import EvalCase, EvalResult, Kind, Outcome, eval_label
from judgekit.evaluators import (
    reply_should_contain,
    should_be_blocked,
    should_call_tool,
    should_not_be_blocked,
)
from judgekit.gate import Gate
from judgekit.interaction import GuardrailResult, Interaction, ToolCall
from judgekit.judging import Judge, Verdict
from judgekit.judging.criterion import Criterion
from judgekit.replay import ToolBindings
from judgekit.runner import ExperimentRunner, Observer
from judgekit.store import read_run
from judgekit.testing import ScriptedModel, otherwise, verdict


def plan(*cases: EvalCase) -> ExperimentRunner:
    return ExperimentRunner("run").cases(cases).without_report_file()


def echo(command):
    return command


def numbered(count: int, *evaluators) -> list[EvalCase]:
    return [EvalCase(f"c{i}", str(i), *evaluators) for i in range(count)]


def shown(result) -> list[tuple[str, str, str]]:
    return [(found.label, found.outcome.value, found.detail) for found in result.results]


class Scores:
    """A judge that answers by the reply: a number is the score, anything else raises."""

    def __init__(self):
        self.under_way = self.most = 0

    async def decide(self, criterion, interaction):
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            await asyncio.sleep(0.01)
            return Verdict(score=float(interaction.reply), reason="as it says")
        finally:
            self.under_way -= 1


def judged(judge, threshold: float = 0.0) -> Criterion:
    return Criterion(judge=judge, criterion="good", threshold=threshold)


# judges and evaluators in a run


def test_a_judge_that_raises_costs_one_result_only():
    # RN01
    report = plan(*numbered(3, judged(Scores()))).agent(lambda c: "nonsense" if c == "1" else "1").run()
    assert [result.outcome for result in report.results] == [Outcome.PASS, Outcome.INCONCLUSIVE, Outcome.PASS]
    assert report.results[1].results[0].kind is Kind.JUDGE_FAILED
    assert report.decision.outcome is Outcome.INCONCLUSIVE


def test_a_shared_evaluator_carries_nothing_from_case_to_case():
    # RN02
    @eval_label("shared")
    def shared(case, interaction):
        if case.id == "c0":
            raise ValueError("text of the first case")
        return EvalResult.passed()

    first, second = plan(*numbered(2, shared)).agent(echo).concurrency(1).run().results
    assert "text of the first case" in first.describe()
    assert second.passed
    assert "text of the first case" not in second.describe()


def test_results_stand_in_case_order_each_with_its_own_score():
    # RN03
    async def agent(command):
        await asyncio.sleep(0.1 - int(command) * 0.02)
        return str(int(command) / 10)

    report = plan(*numbered(5, judged(Scores()))).agent(agent).run()
    assert [result.case_id for result in report.results] == [f"c{i}" for i in range(5)]
    assert [result.results[0].score for result in report.results] == [0.0, 0.1, 0.2, 0.3, 0.4]


def test_run_works_inside_a_running_loop():
    # RN04
    async def main():
        return plan(*numbered(2, reply_should_contain("0"))).agent(echo).run()

    assert len(asyncio.run(main()).results) == 2


def test_run_async_runs_in_the_loop_of_its_caller():
    loops = []

    async def agent(command):
        loops.append(asyncio.get_running_loop())
        return command

    async def main():
        await plan(*numbered(1)).agent(agent).run_async()
        assert loops == [asyncio.get_running_loop()]

    asyncio.run(main())


def test_judges_are_asked_no_more_at_a_time_than_attempts_run():
    # RN06
    judge = Scores()
    report = plan(*numbered(50, judged(judge), judged(judge))).agent(lambda command: "1").concurrency(4).run()
    assert report.passed
    assert 2 <= judge.most <= 4


def test_evaluators_see_the_evidence_as_it_is_and_the_report_holds_it_as_text():
    # RN10
    import datetime
    from decimal import Decimal

    arguments = {"day": datetime.date(2024, 1, 2), "amount": Decimal("9.90"), "tags": {"b"}, "raw": b"x"}
    seen = []

    @eval_label("look")
    def look(case, interaction):
        seen.append(interaction.tool_calls[0].arguments)
        return EvalResult.passed()

    report = (
        plan(EvalCase("a", "x", look))
        .agent(lambda c: Interaction(tool_calls=[ToolCall("t", arguments)]))
        .run()
    )
    assert seen == [arguments]
    assert report.results[0].interaction.tool_calls[0].arguments == {
        "day": "2024-01-02",
        "amount": "9.90",
        "tags": "{'b'}",
        "raw": "x",
    }


def test_an_evaluators_error_is_in_no_mean():
    # RN12
    broken = eval_label("mine")(lambda case, interaction: 1 / 0)
    gate = Gate.mean_score_should_be_at_least(0.9, of="good")
    report = plan(EvalCase("a", "x", broken, judged(Scores()))).agent(lambda c: "0.9").gate(gate).run()
    assert shown(report.results[0])[0] == (
        "custom-eval:mine",
        "fail",
        "the evaluator threw ZeroDivisionError: division by zero",
    )
    assert report.passed


# order and concurrency


def test_order_is_run_major_and_the_report_case_major():
    made = []
    report = plan(*numbered(3)).agent(lambda c: made.append(c) or c).repeat(2).concurrency(1).run()
    assert made == ["0", "1", "2", "0", "1", "2"]
    assert [(r.case_id, r.run) for r in report.results] == [
        ("c0", 1), ("c0", 2), ("c1", 1), ("c1", 2), ("c2", 1), ("c2", 2)
    ]  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(
    delays=st.lists(st.integers(0, 3), min_size=1, max_size=6),
    runs=st.integers(1, 3),
    concurrency=st.integers(1, 4),
)
def test_whatever_finishes_first_results_keep_their_place(delays, runs, concurrency):
    begun, under_way, most = [], 0, 0

    async def agent(command):
        nonlocal under_way, most
        begun.append(command)
        under_way += 1
        most = max(most, under_way)
        for _ in range(delays[int(command)]):
            await asyncio.sleep(0)
        under_way -= 1
        return f"{command} of {len(delays)}"

    report = plan(*numbered(len(delays))).agent(agent).repeat(runs).concurrency(concurrency).run()
    assert begun == [str(i) for _ in range(runs) for i in range(len(delays))]
    assert [(r.case_id, r.run) for r in report.results] == [
        (f"c{i}", run) for i in range(len(delays)) for run in range(1, runs + 1)
    ]
    assert [r.interaction.reply for r in report.results] == [
        f"{i} of {len(delays)}" for i in range(len(delays)) for _ in range(runs)
    ]
    assert most <= concurrency


def test_sync_agents_run_at_the_same_time():
    barrier = threading.Barrier(4, timeout=10)

    def agent(command):
        barrier.wait()
        return command

    assert plan(*numbered(8)).agent(agent).concurrency(4).run().passed


def test_the_default_is_eight_attempts_at_a_time():
    under_way, most = 0, 0

    async def agent(command):
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.005)
        under_way -= 1
        return command

    plan(*numbered(30)).agent(agent).run()
    assert most == 8


def test_a_timed_out_sync_agent_does_not_hold_up_the_attempts_after_it():
    release = threading.Event()

    def agent(command):
        if command in ("0", "1"):
            release.wait(30)
        return command

    report = plan(*numbered(6, reply_should_contain("2"))).agent(agent).concurrency(2).timeout(0.1).run()
    release.set()
    failed = [r.results[0].detail for r in report.results if r.results[0].label == "target"]
    assert failed == ["TimeoutError: the agent gave no answer within 0.1 s"] * 2
    assert [r.interaction.reply for r in report.results] == [None, None, "2", "3", "4", "5"]


# failures


def test_a_failed_agent_call_is_a_target_failure_and_stops_nothing():
    def agent(command):
        if command == "0":
            raise ValueError("no\norder")
        return "fine"

    cases = numbered(2, reply_should_contain("fine"), should_call_tool("t"))
    report = plan(*cases).agent(agent).run()
    first, second = report.results
    assert shown(first)[0] == ("target", "fail", "ValueError: no order")
    assert [(r.label, r.kind) for r in first.results[1:]] == [
        ("reply-contains", Kind.NOT_RUN),
        ("tools", Kind.NOT_RUN),
    ]
    assert first.interaction.error == "ValueError: no order"
    assert second.results[0].outcome is Outcome.PASS
    assert "1 not run" in report.render()


def test_a_failed_setup_keeps_the_agent_from_being_called():
    called = []

    def load(call):
        raise KeyError(call.tool)

    case = EvalCase("a", "x", reply_should_contain("x"), recorded_calls=[ToolCall("t")])
    report = plan(case).agent(called.append).bindings(ToolBindings().bind("t", load)).run()
    assert called == []
    assert shown(report.results[0])[0] == ("setup", "fail", "KeyError: 't'")
    assert report.results[0].results[1].kind is Kind.NOT_RUN
    assert report.results[0].interaction.command_text == "x"
    assert report.decision.outcome is Outcome.FAIL


def test_a_loader_that_hangs_is_a_failed_setup_and_the_other_attempts_are_made():
    release = threading.Event()

    def load(call):
        if call.argument("id") == 1:
            release.wait(30)

    cases = [
        EvalCase(f"c{n}", "x", reply_should_contain("x"), recorded_calls=[ToolCall("t", {"id": n})])
        for n in (1, 2)
    ]
    bound = ToolBindings().bind("t", load)
    report = plan(*cases).agent(lambda command: "x").bindings(bound).timeout(0.2).run()
    release.set()
    first, second = report.results
    text = "TimeoutError: a loader or reset did not end within 0.2 s"
    assert shown(first)[0] == ("setup", "fail", text)
    assert second.passed


def test_stubs_are_reset_and_loaded_before_each_attempt_and_calls_take_turns():
    log = []

    async def load(call):
        await asyncio.sleep(0)
        log.append(f"load {call.argument('id')}")

    async def agent(command):
        log.append(f"begin {command}")
        await asyncio.sleep(0.002)
        log.append(f"end {command}")
        return command

    cases = [EvalCase(f"c{i}", str(i), recorded_calls=[ToolCall("t", {"id": i})]) for i in range(3)]
    bindings = ToolBindings(reset=lambda: log.append("reset")).bind("t", load)
    plan(*cases).agent(agent).bindings(bindings).run()
    assert log == [text for i in range(3) for text in ("reset", f"load {i}", f"begin {i}", f"end {i}")]


def test_judging_overlaps_while_agent_calls_take_turns():
    judge = Scores()
    bindings = ToolBindings(reset=lambda: None)
    assert plan(*numbered(6, judged(judge))).agent(lambda c: "1").bindings(bindings).run().passed
    assert judge.most > 1


def test_loaders_that_take_the_session_let_attempts_run_together():
    barrier = threading.Barrier(3, timeout=10)
    sessions: dict[str, str] = {}

    def load(call, session):
        sessions[session.id] = call.argument("id")

    def agent(command, session):
        barrier.wait()
        return sessions[session.id]

    cases = [EvalCase(f"c{i}", "x", recorded_calls=[ToolCall("t", {"id": str(i)})]) for i in range(3)]
    report = plan(*cases).agent(agent).bindings(ToolBindings().bind("t", load)).concurrency(3).run()
    assert [result.interaction.reply for result in report.results] == ["0", "1", "2"]


def test_every_attempt_has_a_fresh_session():
    seen = []
    cases = plan(*numbered(3)).agent(lambda command, session: seen.append(session.id) or "x").repeat(2)
    cases.run()
    cases.run()
    assert len(set(seen)) == 12


# blocks


def blocked(command):
    raise Blocked("against the rules")


def test_a_block_that_is_asked_for_is_judged_like_any_answer():
    case = EvalCase("a", "x", should_be_blocked(), reply_should_contain("x"))
    report = plan(case).agent(blocked).run()
    assert [(r.label, r.outcome.value) for r in report.results[0].results] == [
        ("blocked", "pass"),
        ("reply-contains", "inconclusive"),
    ]
    assert report.results[0].results[1].kind is Kind.NO_EVIDENCE
    assert report.passed


def test_a_block_that_nobody_asked_for_is_a_failed_target_and_should_not_be_blocked_sees_it():
    report = plan(EvalCase("a", "x", should_not_be_blocked(), reply_should_contain("x"))).agent(blocked).run()
    assert [(r.label, r.outcome.value) for r in report.results[0].results] == [
        ("target", "fail"),
        ("blocked", "fail"),
        ("reply-contains", "inconclusive"),
    ]
    assert report.results[0].results[2].kind is Kind.NOT_RUN


def test_an_experiment_may_ask_for_the_block():
    guarded = Interaction(reply="no", guardrails=[GuardrailResult("pii", passed=False)])
    report = plan(EvalCase("a", "x", interactions=[guarded])).evaluator(should_be_blocked()).run()
    assert report.passed
    assert report.results[0].interaction.reply is None


# recorded interactions


def test_without_an_agent_the_ith_interaction_is_run_i():
    check = reply_should_contain("1")
    report = plan(
        EvalCase("a", "ask a", check, interactions=[Interaction(reply="1"), Interaction(reply="2")]),
        EvalCase("b", "ask b", check, interactions=[Interaction(reply="1", command_text="own")]),
    ).run()
    found = [(result.case_id, result.run, result.passed) for result in report.results]
    assert found == [("a", 1, True), ("a", 2, False), ("b", 1, True)]
    assert [r.interaction.command_text for r in report.results] == ["ask a", "ask a", "own"]
    assert report.runs == 2


def test_an_experiment_with_an_agent_ignores_recorded_interactions():
    case = EvalCase("a", "x", interactions=[Interaction(reply="recorded")] * 3)
    report = plan(case).agent(lambda c: "live").run()
    assert [r.interaction.reply for r in report.results] == ["live"]


def test_sync_evaluators_need_no_task_and_no_thread():
    before = threading.active_count()
    seen = []

    @eval_label("look")
    def look(case, interaction):
        seen.append((len(asyncio.all_tasks()), threading.active_count()))
        return EvalResult.passed()

    cases = [EvalCase(f"c{i}", "x", look, interactions=[Interaction()]) for i in range(50)]

    async def main():
        await plan(*cases).run_async()

    asyncio.run(main())
    # The caller and eight workers.
    assert max(tasks for tasks, _ in seen) <= 9
    assert max(threads for _, threads in seen) <= before


def test_a_long_run_of_sync_work_lets_others_run_now_and_then():
    @eval_label("busy")
    def busy(case, interaction):
        time.sleep(0.002)
        return EvalResult.passed()

    async def main():
        turns = 0
        cases = [EvalCase(f"c{i}", "x", busy, interactions=[Interaction()]) for i in range(100)]
        task = asyncio.ensure_future(plan(*cases).run_async())
        while not task.done():
            await asyncio.sleep(0)
            turns += 1
        return turns

    assert asyncio.run(main()) > 20


# context


word = ContextVar("word", default="none")


def test_agents_and_evaluators_know_their_attempt_and_the_callers_context():
    seen = []

    def look(where):
        attempt = current_attempt()
        seen.append((where, attempt.case_id, attempt.case_index, attempt.run, word.get()))

    def agent(command):
        look("agent")
        return command

    @eval_label("look")
    async def later(case, interaction):
        look("evaluator")
        return EvalResult.passed()

    token = word.set("mine")
    try:
        plan(*numbered(2, later)).agent(agent).repeat(2).concurrency(1).run()
    finally:
        word.reset(token)
    assert seen == [
        (where, f"c{i}", i, run, "mine") for run in (1, 2) for i in (0, 1) for where in ("agent", "evaluator")
    ]
    assert current_attempt() is None


def test_two_runs_in_one_process_share_nothing():
    scopes = []

    @eval_label("look")
    async def look(case, interaction):
        scope = current_attempt().scope
        scope.service("count", list).append(case.id)
        scope.masker.add("secret-of-" + interaction.reply)
        scopes.append(scope)
        await asyncio.sleep(0.001)
        return EvalResult.failed("secret-of-" + interaction.reply)

    reports = {}

    def run(name):
        reports[name] = plan(*numbered(5, look)).agent(lambda c: name * 8).run()

    threads = [threading.Thread(target=run, args=(name,)) for name in "xy"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(scope) for scope in scopes}) == 2
    for name, report in reports.items():
        assert {r.interaction.reply for r in report.results} == {name * 8}
        assert {r.results[0].detail for r in report.results} == {"[masked]"}


def test_what_a_run_shares_is_closed_at_its_end_also_when_closing_fails():
    closed = []

    @eval_label("open")
    def opener(case, interaction):
        current_attempt().scope.on_close(lambda: closed.append("closed"))
        current_attempt().scope.on_close(lambda: 1 / 0)
        return EvalResult.passed()

    runner = plan(EvalCase("a", "x", opener)).agent(echo)
    with pytest.warns(RuntimeWarning, match="after the run"):
        assert runner.run().passed
    assert closed == ["closed"]


# progress


def test_an_observer_hears_of_every_attempt():
    class Heard(Observer):
        def __init__(self):
            self.log = []

        def planned(self, attempts):
            self.log.append(attempts)

        def finished(self, outcome):
            self.log.append((outcome.case_index, outcome.run, outcome.outcome))

        def ended(self, report):
            self.log.append(report.decision.outcome)

    heard = Heard()
    plan(*numbered(2, reply_should_contain("1"))).agent(echo).concurrency(1).run(observer=heard)
    assert heard.log == [2, (0, 1, Outcome.FAIL), (1, 1, Outcome.PASS), Outcome.FAIL]


# interruption


def test_ctrl_c_keeps_what_is_finished_and_raises(tmp_path):
    code = """
    import sys, time
    from pathlib import Path
    from judgekit.evaluation import EvalCase
    from judgekit.runner import ExperimentRunner
    def agent(command):
        if command == "2":
            print("ready", flush=True)
            time.sleep(60)
        return command
    plan = ExperimentRunner("stop").cases(EvalCase(f"c{i}", str(i)) for i in range(5)).agent(agent)
    try:
        plan.concurrency(1).report_directory(sys.argv[1]).run()
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    """
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(code), str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (0, "interrupted\n", "")

    from judgekit.reporting import EvalReport
    from judgekit.store import read_run

    (directory,) = tmp_path.iterdir()
    report = EvalReport.read(directory / "report.json")
    assert report == read_run(directory).report()
    assert [r.interaction.reply for r in report.results] == ["0", "1", None, None, None]
    assert [r.outcome for r in report.results[2:]] == [Outcome.INCONCLUSIVE] * 3
    assert report.decision.outcome is Outcome.INCONCLUSIVE


def test_cancelling_run_async_ends_it_in_order(tmp_path):
    ended = []
    first = asyncio.Event()

    class Heard(Observer):
        def finished(self, outcome):
            first.set()

        def ended(self, report):
            ended.append(report)

    async def agent(command):
        if command != "0":
            await asyncio.sleep(60)
        return command

    async def main():
        runner = ExperimentRunner("stop").cases(numbered(3)).agent(agent).report_directory(tmp_path)
        task = asyncio.ensure_future(runner.run_async(observer=Heard()))
        await first.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert [result.interaction.reply for result in ended[0].results] == ["0", None, None]
    assert ended[0].file.is_file()


# evidence and secrets


@pytest.mark.parametrize("journal", [True, False])
def test_a_secret_in_any_name_reaches_no_report_and_no_file(tmp_path, journal):
    secret = "sk-" + "a1b2c3d4e5f6"
    judge = Judge(ScriptedModel(otherwise(verdict(0.2, f"it says {secret}"))))
    checks = judge.should_score_at_least(f"keeps {secret} to itself", 0.5, name=f"keeps {secret}")
    case = EvalCase(f"case {secret}", "x", checks, tags=[f"tag {secret}"])
    gate = Gate.pass_rate_should_be_at_least(0.5, of=f"keeps {secret}")
    experiment = ExperimentRunner(f"run {secret}").cases(case).agent(lambda command: secret, name=secret)
    experiment = experiment.gate(gate & Gate.cases_should_pass(tagged=f"tag {secret}"))
    experiment = experiment.report_directory(tmp_path) if journal else experiment.without_report_file()
    report = experiment.run()
    assert report.decision.outcome is Outcome.FAIL
    assert report.counts.criteria["keeps [masked]"].failed == 1
    for format in ("text", "json", "markdown", "html", "junit", "csv"):
        assert secret not in report.render(format), format
    paths = list(tmp_path.rglob("*"))
    assert bool(paths) == journal
    for path in paths:
        assert secret not in str(path)
        assert path.is_dir() or secret not in path.read_text(encoding="utf-8")
    if journal:
        assert read_run(report.file.parent).report().decision == report.decision


def test_two_criteria_whose_names_differ_in_a_secret_only_are_refused():
    judge = Judge(ScriptedModel(otherwise(verdict(0.2, "no"))))
    both = [judge.should_satisfy("keeps it", name=f"keeps sk-{letter * 12}") for letter in "ab"]
    with pytest.raises(InvalidPlan, match="both read 'keeps \\[masked\\]' in a report"):
        plan(EvalCase("a", "x", *both)).agent(lambda command: "x").run()


def test_model_calls_through_litellm_are_evidence_of_their_attempt_also_when_the_agent_fails(litellm):
    from judgekit.testing import ScriptedModel, otherwise

    model = ScriptedModel(otherwise("certainly"), name="evidence")

    def agent(command):
        message = {"role": "user", "content": f"please {command}"}
        response = litellm.completion(model=model, messages=[message])
        if command == "1":
            raise ValueError("afterwards")
        return response.choices[0].message.content

    report = plan(*numbered(4)).agent(agent).run()
    replies = [result.interaction.reply for result in report.results]
    assert replies == ["certainly", None, "certainly", "certainly"]
    assert [len(result.interaction.model_calls) for result in report.results] == [1, 1, 1, 1]
    assert [result.interaction.user_message for result in report.results] == [f"please {i}" for i in range(4)]
    assert report.results[1].results[0].detail == "ValueError: afterwards"
    assert report.spend.model_calls == 4


def test_the_key_of_a_judge_reaches_no_file_even_if_an_agent_says_it(tmp_path):
    from judgekit.judging import Judge

    judge = Judge("openai/none", api_key="a-key-that-looks-like-nothing", attempts=1)
    case = EvalCase("a", "x", judge.should_satisfy("warm"))

    def agent(command):
        raise ValueError(judge.api_key)

    report = ExperimentRunner("secret").cases(case).agent(agent).report_directory(tmp_path).run()
    assert report.results[0].results[0].detail == "ValueError: [masked]"
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or "looks-like-nothing" not in path.read_text(encoding="utf-8")


def test_a_header_of_a_judge_and_keys_of_the_environment_reach_no_file_even_before_the_judge_is_asked(
    tmp_path, monkeypatch
):
    from judgekit.judging import Judge

    monkeypatch.setenv("OPENAI_API_KEY", key := "a-key-that-looks-like-nothing")
    header = "a-header-that-looks-like-nothing"
    judge = Judge("openai/none", attempts=1, params={"extra_headers": {"X-Tenant": header}})
    early = EvalCase("early", "x", reply_should_contain("header"))
    late = EvalCase("late", "x", judge.should_satisfy("warm"), interactions=[Interaction(reply="")])
    experiment = ExperimentRunner("secret").cases(early, late).agent(lambda command: f"say {header} {key}")
    report = experiment.concurrency(1).report_directory(tmp_path).run()
    assert report.results[0].interaction.reply == "say [masked] [masked]"
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or "looks-like-nothing" not in path.read_text(encoding="utf-8")


def test_a_task_of_an_agent_that_exits_ends_its_attempt_only():
    async def agent(command):
        async def exiting():
            raise SystemExit(3)

        return await asyncio.create_task(exiting())

    report = plan(EvalCase("a", "x", reply_should_contain("x"))).agent(agent).run()
    assert [r.detail for r in report.results[0].results][:1] == ["SystemExit: 3"]
    assert plan(EvalCase("a", "x", reply_should_contain("x"))).agent(lambda command: "x").run().passed


def test_evidence_of_a_wrong_type_is_the_agents_failure_and_stops_nothing():
    def agent(command):
        return Interaction(reply="x", error=ValueError("boom")) if command == "bad" else "x"

    cases = [EvalCase(word, word, reply_should_contain("x")) for word in ("bad", "good")]
    report = plan(*cases).agent(agent).run()
    assert [attempt.passed for attempt in report.results] == [False, True]
    assert "`error` must be text or None, got ValueError" in report.results[0].results[0].detail
