"""An earlier run scored once more: other evaluators, another judge, the same transcripts, no agent call."""

import asyncio

import pytest

from judgekit import (
    EvalCase,
    ExperimentRunner,
    FileUnreadable,
    Gate,
    Interaction,
    InvalidArgument,
    Judge,
    Observer,
    Outcome,
    ToolCall,
    Turn,
    load_interactions,
)
from judgekit.evaluators import reply_should_contain, should_call_tool, should_not_call_tool
from judgekit.testing import ScriptedModel, otherwise, verdict

called = []


def agent(command):
    called.append(command)
    call = ToolCall("getOrder", {"orderId": command}, result={"status": "shipped"})
    return Interaction(reply=f"{command} is shipped.", tool_calls=[call], cost=0.5)


def judge_that_scores(score, name):
    return Judge(ScriptedModel(otherwise(verdict(score)), name=name))


def suite(judge):
    kind = judge.should_satisfy("kind", name="kind")
    return [EvalCase(f"o_{n}", f"o_{n}", should_call_tool("getOrder"), kind) for n in range(3)]


@pytest.fixture
def run(tmp_path):
    """A finished run of three cases and two repeats."""
    called.clear()
    plan = ExperimentRunner("first").cases(suite(judge_that_scores(0.9, "kind-judge"))).agent(agent)
    report = plan.repeat(2).report_directory(tmp_path).run()
    assert report.passed
    assert len(called) == 6
    return report


def evidence(report):
    return [(attempt.case_id, attempt.run, attempt.interaction) for attempt in report.results]


@pytest.mark.parametrize("part", [".", "journal.jsonl", "report.json"])
def test_other_evaluators_see_the_same_transcripts_and_no_agent_is_called(run, part):
    plan = ExperimentRunner("again").cases(load_interactions(run.file.parent / part))
    again = (
        plan.evaluator(reply_should_contain("shipped"), should_not_call_tool("getOrder"))
        .without_report_file()
        .run()
    )
    assert len(called) == 6
    assert evidence(again) == evidence(run)
    assert [[result.outcome for result in attempt.results] for attempt in again.results] == [
        [Outcome.PASS, Outcome.FAIL]
    ] * 6
    assert again.results[0].results[1].detail == "called [getOrder]"


def test_a_suite_is_scored_before_another_judge(run):
    strict = judge_that_scores(0.2, "strict")
    plan = (
        ExperimentRunner("first")
        .cases(suite(strict))
        .agent(agent)
        .repeat(2)
        .gate(Gate.pass_rate_should_be_at_least(1, of="kind"))
    )
    again = plan.rescore(run.file.parent).without_report_file().run()
    assert len(called) == 6
    assert strict.model.call_count == 6
    assert evidence(again) == evidence(run)
    assert [attempt.results[0].outcome for attempt in again.results] == [Outcome.PASS] * 6
    assert again.decision.detail == "kind rate 0.00 over 6 judged attempts, required 1.00"


def test_the_judge_of_a_plan_is_swapped_in_one_line(run):
    strict = judge_that_scores(0.2, "strict")
    plan = ExperimentRunner("first").cases(suite(judge_that_scores(0.9, "unused"))).agent(agent)
    again = (
        plan.rescore(run.file)
        .map_judges(lambda judge: judge.with_model(strict.model))
        .without_report_file()
        .run()
    )
    assert strict.model.call_count == 6
    assert list(again.counts.judges.models) == [strict.model]
    assert again.decision.outcome is Outcome.FAIL


def test_evaluators_may_be_chosen_for_each_case(run):
    cases = load_interactions(run.file.parent, evaluators=lambda row: [reply_should_contain(row["id"])])
    assert ExperimentRunner("again").cases(cases).without_report_file().run().passed


def test_a_part_of_the_suite_is_scored_and_a_case_that_the_run_lacks_is_named(run):
    fair = judge_that_scores(0.9, "fair")
    some = ExperimentRunner("again").cases(suite(fair)[:2]).rescore(run.file.parent)
    assert len(some.without_report_file().run().results) == 4
    more = ExperimentRunner("again").cases(suite(fair), EvalCase("new", "x"))
    with pytest.raises(InvalidArgument, match="holds no attempt at 'new'; leave these cases out"):
        more.rescore(run.file.parent)
    with pytest.raises(InvalidArgument, match="needs the cases first"):
        ExperimentRunner("again").rescore(run.file.parent)
    with pytest.raises(FileUnreadable, match="there is no such file"):
        more.rescore(run.file.parent / "nothing.jsonl")


def test_a_failed_agent_call_stays_one(tmp_path):
    def broken(command):
        raise RuntimeError("no network")

    cases = [EvalCase("a", "x", should_not_call_tool("pay"))]
    first = ExperimentRunner("first").cases(cases).agent(broken).report_directory(tmp_path).run()
    again = ExperimentRunner("again").cases(cases).rescore(first.file.parent).without_report_file().run()
    assert [result.label for result in again.results[0].results] == ["target", "forbidden-tools"]
    assert again.results[0].results[0].detail == "RuntimeError: no network"


@pytest.mark.parametrize("part", [".", "report.json"])
def test_what_was_never_run_is_not_there_to_be_scored(tmp_path, part):
    cases = [EvalCase(f"c{n}", f"c{n}") for n in range(4)]
    plan = ExperimentRunner("first").cases(cases).agent(agent).concurrency(1).report_directory(tmp_path)
    short = plan.max_cost(0.9).run()
    loaded = load_interactions(short.file.parent / part)
    assert [case.id for case in loaded] == ["c0", "c1"]


def test_an_interrupted_run_is_scored_as_far_as_it_came(tmp_path):
    async def stuck(command):
        if command == "c2":
            await asyncio.sleep(60)
        return agent(command)

    cases = [EvalCase(f"c{n}", f"c{n}") for n in range(4)]
    plan = ExperimentRunner("first").cases(cases).agent(stuck).concurrency(1).report_directory(tmp_path)

    second = asyncio.Event()

    class Heard(Observer):
        def finished(self, outcome):
            if outcome.case_index == 1:
                second.set()

    async def interrupted():
        task = asyncio.create_task(plan.run_async(observer=Heard()))
        await second.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(interrupted())
    (folder,) = tmp_path.iterdir()
    for part in (folder, folder / "report.json"):
        assert [case.id for case in load_interactions(part)] == ["c0", "c1"]


def test_a_limit_counts_what_judges_cost_and_not_what_the_agent_cost_then(run, tmp_path):
    fair = judge_that_scores(0.9, "fair")
    plan = ExperimentRunner("again").cases(suite(fair)).rescore(run.file.parent).max_cost(0.1)
    again = plan.report_directory(tmp_path / "again").run()
    assert again.passed
    journal = again.file.with_name("journal.jsonl")
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:4]))
    assert plan.resume(journal).run().passed


def test_a_conversation_is_scored_turn_by_turn_again(tmp_path):
    async def chat(command, session):
        return f"You said {command}"

    def talk(*evaluators):
        return EvalCase.conversation("talk", ["hello", Turn("bye", *evaluators)])

    first = ExperimentRunner("first").cases(talk()).agent(chat).report_directory(tmp_path).run()
    plan = ExperimentRunner("again").cases(talk(reply_should_contain("hello"), reply_should_contain("bye")))
    (attempt,) = plan.rescore(first.file.parent).without_report_file().run().results
    assert [result.detail for result in attempt.results] == ["turn 2: reply does not carry [hello]", "turn 2"]
    assert attempt.interaction == first.results[0].interaction
