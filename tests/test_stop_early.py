"""Runs that stop once their gate is decided: order, journal, resuming, reports, rejudging."""

import asyncio
import json
import warnings
from random import Random

import pytest

from judgekit.context import RunScope
from judgekit.errors import InvalidArgument, InvalidPlan
from judgekit.evaluation import EvalCase, Outcome
from judgekit.evaluators import reply_should_contain
from judgekit.gate import Gate
from judgekit.interaction import Interaction
from judgekit.judging import Judge
from judgekit.reporting import EvalReport
from judgekit.runner import ExperimentRunner
from judgekit.runner.rebuilding import from_journal
from judgekit.runner.rejudging import rejudge
from judgekit.schedule import Observer
from judgekit.store import read_run
from judgekit.testing import ScriptedModel, otherwise, verdict, when

RATE = Gate.pass_rate_should_be_at_least(0.8)


def cases(number, rate, *, runs=1, tags=()):
    random = Random(1)
    return [
        EvalCase(
            f"c{n}",
            "Where is it?",
            reply_should_contain("ok"),
            tags=tags,
            interactions=[Interaction(reply="ok" if random.random() < rate else "no") for _ in range(runs)],
        )
        for n in range(number)
    ]


def plan(number=200, rate=0.95, **fields):
    return ExperimentRunner("early").cases(cases(number, rate, **fields)).gate(RATE).stop_early(seed=5)


def test_a_run_stops_once_its_gate_is_decided_and_says_what_it_saved(tmp_path):
    report = plan().report_directory(tmp_path).run()
    stopped = report.stopped
    assert report.passed
    assert (stopped.cases, stopped.alpha, stopped.seed, stopped.judged) == (200, 0.05, 5, False)
    assert 20 < stopped.looked_at < 120
    assert stopped.attempts_saved == 200 - len(report.results)
    line = (
        f"stopped early after {stopped.looked_at} of 200 cases: the gate was decided (alpha 0.05), "
        f"{stopped.attempts_saved} attempts saved"
    )
    assert report.render().split("\n")[2] == line
    for name in ("markdown", "html", "junit"):
        assert line in report.render(name)
    data = json.loads(report.file.read_text())
    assert data["stopped"]["attempts_saved"] == stopped.attempts_saved
    assert data["summary"]["interval"]["warnings"] == [
        "the run stopped early, of which the interval takes no account"
    ]
    assert len(data["cases"]) == len(data["attempts"]) == len(report.results)
    assert EvalReport.read(report.file) == report


def test_the_journal_alone_says_the_same(tmp_path):
    report = plan(runs=3, rate=0.5).report_directory(tmp_path).run()
    stored = read_run(report.file.parent)
    assert stored.report(file=report.file) == report
    assert stored.gate.decide(stored.results) == report.decision
    assert report.decision.outcome is Outcome.FAIL
    assert len(stored.attempts) == len(report.results)
    assert [one.case_id for one in stored.attempts] == [one.case_id for one in report.results]
    assert stored.attempts[-1] == report.results[-1]
    assert list(stored.attempts[:3]) == list(report.results)[:3]


def test_a_run_without_files_stops_as_well():
    report = plan().without_report_file().run()
    assert report.stopped is not None
    assert len(report.results) == len(list(report.results)) == len(report.counts)


def test_a_run_that_nothing_decides_is_as_any_other(tmp_path):
    """That no target fails is sure with the last case only."""
    every, gate = cases(30, 0.9), RATE & Gate.target_should_not_fail()
    usual = ExperimentRunner("early").cases(every).gate(gate).without_report_file()
    whole, once = usual.stop_early().report_directory(tmp_path).run(), usual.run()
    assert whole.stopped is None
    assert whole.decision == once.decision
    assert whole.render() == once.render()


def test_cases_come_in_the_order_of_the_seed_with_all_their_runs():
    asked = []

    def agent(command):
        asked.append(command)
        return "no"

    every = [EvalCase(f"c{n}", f"q{n}", reply_should_contain("ok")) for n in range(50)]
    experiment = ExperimentRunner("x").cases(every).agent(agent).gate(RATE).without_report_file()
    seeded = experiment.repeat(2).concurrency(1).stop_early(seed=3)
    first = seeded.run()
    kept, asked[:] = list(asked), []
    second = seeded.run()
    assert kept == asked
    assert kept[::2] == kept[1::2]
    assert kept != sorted(kept)
    assert first.stopped == second.stopped
    asked.clear()
    assert experiment.concurrency(1).stop_early(seed=4).run().stopped
    assert asked[0] != kept[0]


def test_quick_cases_are_not_looked_at_before_slow_ones_that_stand_first():
    """Failures take longer: by time of finishing, the first cases would all have passed."""
    random = Random(2)
    good = {f"c{n}": random.random() < 0.7 for n in range(300)}

    async def agent(command):
        if not good[command]:
            await asyncio.sleep(0.002)
        return "ok" if good[command] else "no"

    every = [EvalCase(name, name, reply_should_contain("ok")) for name in good]
    experiment = ExperimentRunner("x").cases(every).agent(agent).gate(RATE).without_report_file()
    many = experiment.stop_early(seed=3).concurrency(20).run()
    one = experiment.stop_early(seed=3).concurrency(1).run()
    assert many.stopped.looked_at == one.stopped.looked_at < 200
    assert many.decision == one.decision


def test_attempts_under_way_at_the_decision_are_finished_and_kept():
    async def agent(command):
        await asyncio.sleep(0.001)
        return "no"

    every = [EvalCase(f"c{n}", "q", reply_should_contain("ok")) for n in range(100)]
    experiment = ExperimentRunner("x").cases(every).agent(agent).without_report_file()
    report = experiment.concurrency(16).stop_early().run()
    assert report.stopped.looked_at == 1
    assert (
        report.counts.outcomes()[Outcome.FAIL] == len(report.results) == 100 - report.stopped.attempts_saved
    )
    assert 1 <= len(report.results) <= 32


class Stop(Observer):
    def __init__(self, after):
        self.left = after

    def finished(self, outcome):
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


def test_a_resumed_run_keeps_its_order_and_comes_to_the_same(tmp_path):
    experiment = ExperimentRunner("early").cases(cases(200, 0.95)).gate(RATE).stop_early()
    with pytest.raises(KeyboardInterrupt):
        experiment.report_directory(tmp_path).concurrency(1).run(observer=Stop(10))
    (folder,) = tmp_path.iterdir()
    seed = json.loads((folder / "journal.jsonl").read_text().split("\n")[0])["stop_early"]["seed"]
    assert read_run(folder).stopped is None
    resumed = experiment.resume(folder).run()
    straight = ExperimentRunner("early").cases(cases(200, 0.95)).gate(RATE).stop_early(seed=seed)
    assert resumed.stopped.looked_at == straight.without_report_file().run().stopped.looked_at
    assert resumed.stopped.seed == seed
    again = experiment.resume(folder).run()
    assert again.decision == resumed.decision
    assert again.stopped == resumed.stopped


def test_the_rest_of_a_stopped_run_may_be_made_later(tmp_path):
    stopped = plan().report_directory(tmp_path).run()
    whole = ExperimentRunner("early").cases(cases(200, 0.95)).gate(RATE).resume(stopped.file.parent).run()
    assert whole.stopped is None
    assert len(whole.results) == 200
    assert "over 200 attempts" in whole.decision.detail


def test_a_run_that_was_begun_otherwise_cannot_be_stopped(tmp_path):
    usual = ExperimentRunner("early").cases(cases(5, 1)).gate(RATE).report_directory(tmp_path).run()
    with pytest.raises(InvalidArgument, match=r"was begun without `.stop_early\(\)`"):
        plan(5, 1).resume(usual.file.parent).run()
    early = plan(5, 1).report_directory(tmp_path / "other").run()
    with pytest.raises(InvalidArgument, match=r"was begun with `alpha=0\.05`"):
        ExperimentRunner("early").cases(cases(5, 1)).gate(RATE).stop_early(alpha=0.1).resume(
            early.file.parent
        ).run()


def test_an_old_journal_without_tags_and_seed_reads_as_before(tmp_path):
    report = ExperimentRunner("early").cases(cases(5, 1, tags=["x"])).report_directory(tmp_path).run()
    shown, journal = report.render(all=True), report.file.with_name("journal.jsonl")
    head, *rest = journal.read_text().split("\n")
    data = json.loads(head)
    assert data.pop("tags") == {"x": [0, 1, 2, 3, 4]}
    assert "stop_early" not in data
    journal.write_text("\n".join([json.dumps(data), *rest]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_run(journal).report().render(all=True) == shown


def test_tags_decide_from_the_journal_alone(tmp_path):
    gate = Gate.cases_should_pass(tagged="must_pass")
    good = EvalCase(
        "good", "q", reply_should_contain("ok"), tags=["must_pass"], interactions=[Interaction(reply="ok")]
    )
    report = ExperimentRunner("t").cases([*cases(3, 0), good]).gate(gate).report_directory(tmp_path).run()
    assert report.passed
    assert gate.decide(read_run(report.file.parent).results) == report.decision
    assert gate.decide(EvalReport.read(report.file).counts) == report.decision


@pytest.mark.parametrize(
    ("gate", "complaint"),
    [
        (Gate.cases_should_pass(at_least=2), "asks for 2 passes of every case"),
        (Gate.cases_should_pass(tagged="core"), r"`tagged='core'` is a tag of no case; known are \[x\]"),
        (Gate.pass_at_k_should_be_at_least(0.5, k=3), "pass@3 needs 3 runs of every case"),
    ],
)
def test_a_gate_that_the_plan_cannot_satisfy_is_refused_before_any_call(gate, complaint):
    with pytest.raises(InvalidPlan, match=complaint):
        ExperimentRunner("x").cases(cases(3, 1, tags=["x"])).gate(gate).run()


def test_a_gate_that_only_a_whole_run_decides_cannot_be_stopped_early():
    share = Gate.inconclusive_should_be_at_most(0.1)
    with pytest.raises(InvalidPlan, match=r"`stop_early` cannot decide Gate\.inconclusive_should"):
        ExperimentRunner("x").cases(cases(3, 1)).gate(share).stop_early().run()


@pytest.mark.parametrize("fields", [{"alpha": 0}, {"alpha": 1}, {"alpha": True}, {"seed": -1}, {"seed": 1.5}])
def test_what_cannot_be_is_refused(fields):
    with pytest.raises(InvalidArgument, match="`stop_early`"):
        ExperimentRunner("x").stop_early(**fields)


def test_a_filter_that_leaves_no_case_is_as_without_stopping():
    report = plan(5).filter(lambda case: False).without_report_file().run()
    assert (report.decision.outcome, report.decision.detail) == (Outcome.INCONCLUSIVE, "no cases ran")
    assert report.stopped is None


def test_judged_cases_that_are_left_out_cost_no_question(tmp_path):
    model = ScriptedModel(otherwise(verdict(1.0)))
    polite = Judge(model).should_satisfy("Is it polite?", name="polite")
    every = [EvalCase(f"c{n}", "q", polite, interactions=[Interaction(reply="Thanks")]) for n in range(100)]
    gate = Gate.pass_rate_should_be_at_least(0.5, of="polite", confidence=0.95)
    report = ExperimentRunner("x").cases(every).gate(gate).stop_early(seed=1).report_directory(tmp_path).run()
    assert report.stopped.judged
    assert "attempts and their judge calls saved" in report.render()
    assert report.judges.verdicts == len(report.results) < 60


def test_a_stopped_run_judged_again_is_decided_by_the_same_cases_or_not_at_all(tmp_path):
    kind = ScriptedModel(otherwise(verdict(1.0)), name="kind")
    halves = ScriptedModel(when("odd", verdict(1.0)), otherwise(verdict(0.0)), name="halves")
    polite = Judge(kind).should_satisfy("Is it polite?", name="polite")
    every = [
        EvalCase(f"c{n}", "q", polite, interactions=[Interaction(reply="odd" if n % 2 else "even")])
        for n in range(100)
    ]
    gate = Gate.pass_rate_should_be_at_least(0.5, of="polite")
    plan = ExperimentRunner("x").cases(every).gate(gate).stop_early(seed=1)
    first = plan.report_directory(tmp_path / "first").run()
    stored = read_run(first.file.parent)

    def again(model):
        return rejudge(
            stored,
            from_journal(stored, Judge(model)),
            judges=[str(model)],
            scope=RunScope(),
            directory=tmp_path / str(model).replace("/", "-"),
            observer=Observer(),
        )

    same, other = asyncio.run(again(kind)), asyncio.run(again(halves))
    assert same.decision == first.decision
    assert same.stopped == first.stopped == other.stopped
    assert len(other.results) == len(first.results)
    assert other.decision.outcome is Outcome.INCONCLUSIVE
    assert other.decision.detail.endswith("required 0.50: not decided")
    assert read_run(other.file.parent).report(file=other.file) == other
