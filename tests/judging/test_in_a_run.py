"""Judges inside an experiment: requests, spend, gates, other judges."""

import pytest

from judgekit import EvalCase, ExperimentRunner, Gate, Judge, Verdict
from judgekit.errors import InvalidPlan, RateLimited
from judgekit.judging import Escalation, JudgeBase, Panel, criteria
from judgekit.testing import FakeProvider, verdict


def plan(*evaluators, cases=2):
    return (
        ExperimentRunner("judged")
        .cases([EvalCase(f"case-{number}", f"question {number}", *evaluators) for number in range(cases)])
        .agent(lambda command: f"an answer to {command}")
        .without_report_file()
    )


def rubric(**scores):
    return {"verdicts": [{"criterion": n, "reason": f"{n}!", "score": s} for n, s in scores.items()]}


def test_a_rubric_makes_one_request_an_attempt_and_one_line_a_criterion(scripted):
    model = scripted(rubric(polite=0.9, complete=0.2))
    criteria_of_one = Judge(model).should_satisfy_all({"polite": "Is it polite?", "complete": "Is it all?"})
    report = plan(criteria_of_one).repeat(3).gate(Gate.pass_rate_should_be_at_least(1, of="polite")).run()
    assert report.passed
    assert len(model.requests) == 6
    text = report.render()
    assert "    polite 6/6\n    complete 0/6\n" in text
    assert "judges: 12 verdicts, 6 asked" in text


def test_every_kind_of_judged_check_pools_under_one_label(scripted):
    model = scripted(
        {"reason": "r", "score": 0.9},
        {"reason": "r", "level": "warm"},
        {"reason": "r", "preferred": "first"},
        {"reason": "r", "preferred": "second"},
        {"reason": "r", "score": 0.9},
        {"reason": "r", "score": 0.9},
    )
    judge = Judge(model)
    checks = [
        judge.should_satisfy("ok", name="single"),
        criteria.warmth(judge),
        judge.should_be_preferred_over("other", "better?", name="pair"),
        Escalation([judge, judge]).should_satisfy("ok", name="escalated"),
        judge.should_answer({"type": "object", "properties": {"score": {}, "reason": {}}}, "q", name="own"),
    ]
    report = plan(*checks, cases=1).run()
    assert report.passed, report.render(all=True)
    assert (
        "  judge 5/5\n    single 1/1\n    warmth 1/1\n    pair 1/1\n    escalated 1/1\n    own 1/1\n"
        in report.render()
    )


def test_a_failed_judge_bounds_the_gate_and_the_report_says_why():
    class Failing(JudgeBase):
        async def decide(self, criterion, interaction):
            if "question 0" in interaction.reply:
                return Verdict(1.0, "fine")
            raise RateLimited("slow down")

    report = (
        plan(Failing().should_satisfy("ok", name="ok"), cases=10)
        .gate(Gate.pass_rate_should_be_at_least(0.8))
        .run()
    )
    assert report.decision.outcome.value == "inconclusive"
    assert "9 missing (judge failed: rate limited 9)" in report.decision.detail


def test_another_judge_model_reaches_every_judge_of_a_plan(scripted, scores):
    old, new = scores(0.1, name="old"), scores(0.9, name="new")
    panel = Panel([Judge(old), Judge(old, temperature=1)])
    swapped = plan(panel.should_satisfy("ok"), Judge(old).should_satisfy("fine")).map_judges(
        lambda judge: judge.with_model(new)
    )
    assert swapped.run().passed
    assert len(old.requests) == 0


def test_one_name_with_two_texts_is_refused():
    judge = Judge("openai/x")
    with pytest.raises(InvalidPlan, match="'ok' stands for two texts"):
        plan(judge.should_satisfy("a", name="ok"), judge.should_satisfy("b", name="ok")).run()


def test_identical_samples_and_runs_are_asked_each(scripted):
    # RC06: repeats are samples.
    with FakeProvider(verdict(0.9)) as provider:
        judge = Judge("openai/m", api_base=provider.url, api_key="k", samples=2)
        report = plan(judge.should_satisfy("ok"), cases=1).repeat(3).run()
        assert report.passed
        assert provider.count == 6
        assert "judges: 3 verdicts, 6 asked" in report.render()


def test_the_cap_holds_over_all_judges_of_a_run():
    # RN06
    with FakeProvider(verdict(0.9), latency=0.02) as provider:
        judge = Judge("openai/m", api_base=provider.url, api_key="k")
        checks = [judge.should_satisfy(f"criterion {number}") for number in range(3)]
        assert plan(*checks, cases=10).concurrency(20).run().passed
        assert provider.count == 30
        assert provider.max_in_flight <= 8
