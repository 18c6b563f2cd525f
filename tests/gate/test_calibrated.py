"""The gate that asks for calibrated judges."""

import json

import pytest

from judgekit import EvalCase, ExperimentRunner, Gate, Interaction
from judgekit.calibrating import calibrate
from judgekit.errors import InvalidArgument
from judgekit.evaluation import Outcome
from judgekit.evaluators import reply_should_contain
from judgekit.judging import Judge
from judgekit.store import read_run
from judgekit.testing import ScriptedModel, otherwise, verdict, when

ROWS = [
    {
        "id": f"r{n}",
        "asked": f"What about {n}?",
        "reply": f"Wait, {n}{' please' * (n % 2)}.",
        "label": n % 2 if n > 5 else 1 - n % 2,
    }
    for n in range(120)
]


@pytest.fixture
def judge():
    return Judge(ScriptedModel(when("please", verdict(0.9, "nice")), otherwise(verdict(0.2, "curt"))))


@pytest.fixture
def run(tmp_path):
    def run_it(*evaluators, replies=ROWS[:8], **options):
        gate = Gate.judge_should_be_calibrated(store=tmp_path / "calibrations", **options)
        cases = [
            EvalCase(row["id"], row["asked"], interactions=[Interaction(reply=row["reply"])])
            for row in replies
        ]
        plan = ExperimentRunner("gated").cases(cases).evaluator(*evaluators).gate(gate)
        return plan.report_directory(tmp_path / "runs").run()

    return run_it


def test_a_judge_with_a_calibration_passes(judge, run, tmp_path):
    polite = judge.should_score_at_least("It is courteous.", 0.7, name="polite")
    calibrate(polite, ROWS).save(tmp_path / "calibrations")
    decision = run(polite).decision
    assert decision.outcome is Outcome.PASS
    assert decision.detail == (
        "the judge of polite is calibrated: kappa 0.90, at least 0.82, required 0.40 (120 labels of default)"
    )
    poor = run(polite, kappa=0.91).decision
    assert poor.outcome is Outcome.FAIL
    assert poor.detail.startswith(
        "the judge of polite is calibrated, but agrees too little with people: kappa"
    )
    between = run(polite, kappa=0.85).decision
    assert between.outcome is Outcome.INCONCLUSIVE
    assert between.detail.startswith("the judge of polite is calibrated, but not shown to agree with people:")
    assert "label more replies" in between.detail


def test_without_a_calibration_it_is_inconclusive_and_says_what_to_run(judge, run):
    decision = run(judge.should_satisfy("It is polite.", name="so polite")).decision
    assert decision.outcome is Outcome.INCONCLUSIVE
    assert decision.detail == (
        "the judge of so polite is not known to be good: it has no calibration; "
        "run `judgekit calibrate labels.jsonl --run RUN --criterion 'so polite'`"
    )


def test_a_changed_judge_makes_it_stale(judge, run, tmp_path):
    polite = judge.should_score_at_least("It is courteous.", 0.7, name="polite")
    calibrate(polite, ROWS).save(tmp_path / "calibrations")
    stricter = judge.should_score_at_least("It is courteous.", 0.8, name="polite")
    decision = run(stricter).decision
    assert decision.outcome is Outcome.INCONCLUSIVE
    assert "its calibration is stale: threshold was 0.7, now 0.8" in decision.detail
    other = polite.with_judge(Judge(ScriptedModel(verdict(0.9, "nice"), name="other")))
    assert "stale: model was 'judgekit-scripted/model" in run(other).decision.detail


def test_every_judged_criterion_counts_unless_one_is_named(judge, run, tmp_path):
    polite = judge.should_score_at_least("It is courteous.", 0.7, name="polite")
    short = judge.should_satisfy("It is short.", name="short")
    calibrate(polite, ROWS).save(tmp_path / "calibrations")
    both = run(polite, short).decision
    assert both.outcome is Outcome.INCONCLUSIVE
    assert both.detail.startswith("the judge of polite is calibrated")
    assert "the judge of short is not known to be good" in both.detail
    assert run(polite, short, of="polite").decision.outcome is Outcome.PASS
    assert run(polite, short, of="judge").decision.outcome is Outcome.INCONCLUSIVE


def test_the_population_and_the_age_may_be_asked_for(judge, run, tmp_path):
    polite = judge.should_score_at_least("It is courteous.", 0.7, name="polite")
    calibrate(polite, ROWS, population="chat").save(tmp_path / "calibrations")
    for days in (1, 1e300):
        assert run(polite, population="chat", max_age_days=days).decision.outcome is Outcome.PASS
    assert "another population, not on 'mail'" in run(polite, population="mail").decision.detail
    assert "stale: 0 days old" in run(polite, max_age_days=1e-9).decision.detail


def test_a_run_without_a_judge_needs_no_calibration(run):
    assert run(reply_should_contain("Wait")).decision.outcome is Outcome.PASS


def test_a_judge_that_gave_no_verdict_is_inconclusive(run):
    judge = Judge(ScriptedModel("no verdict"), attempts=1)
    mixed = run(judge.should_satisfy("It is polite.", name="polite"), reply_should_contain("Wait")).decision
    assert mixed.outcome is Outcome.INCONCLUSIVE
    assert mixed.detail == "the judge of polite gave no verdict"


def test_an_unreadable_calibration_decides_nothing(judge, run, tmp_path):
    (tmp_path / "calibrations").mkdir()
    (tmp_path / "calibrations" / "x.json").write_text("{}", encoding="utf-8")
    decision = run(judge.should_satisfy("It is polite.")).decision
    assert decision.outcome is Outcome.INCONCLUSIVE
    assert "is no calibration that can be read" in decision.detail


def test_the_journal_alone_decides_again(judge, run, tmp_path):
    polite = judge.should_score_at_least("It is courteous.", 0.7, name="polite")
    report = run(polite, kappa=0.5, population="default")
    assert report.decision.outcome is Outcome.INCONCLUSIVE
    calibrate(polite, ROWS).save(tmp_path / "calibrations")
    stored = read_run(report.file.parent)
    assert stored.gate == report.gate
    assert stored.gate.decide(stored.results).outcome is Outcome.PASS
    assert Gate.from_json(json.loads(json.dumps(stored.gate.to_json()))) == stored.gate


@pytest.mark.parametrize(
    "options",
    [
        {"kappa": 1},
        {"kappa": -1.1},
        {"kappa": True},
        {"kappa": "0.4"},
        {"max_age_days": 0},
        {"max_age_days": float("inf")},
        {"population": " "},
        {"store": ""},
        {"of": ""},
    ],
)
def test_what_cannot_work_is_refused_when_built(options):
    with pytest.raises(InvalidArgument):
        Gate.judge_should_be_calibrated(**options)


def test_it_prints_as_it_is_written():
    gate = Gate.judge_should_be_calibrated(kappa=0.5, of="polite", max_age_days=90)
    assert repr(gate) == "Gate.judge_should_be_calibrated(kappa=0.5, of='polite', max_age_days=90)"


def test_a_run_that_may_stop_early_does_where_the_judge_is_calibrated(judge, tmp_path):
    polite = judge.should_score_at_least("It is courteous.", 0.7, name="polite")
    gate = Gate.judge_should_be_calibrated(store=tmp_path / "kept") & Gate.pass_rate_should_be_at_least(0.5)
    kind = [
        EvalCase(f"c{n}", "When?", interactions=[Interaction(reply=f"Wait, {n} please.")]) for n in range(60)
    ]
    plan = ExperimentRunner("early").cases(kind).evaluator(polite).gate(gate).stop_early(seed=3)
    whole = plan.report_directory(tmp_path / "whole").run()
    assert whole.decision.outcome is Outcome.INCONCLUSIVE
    assert len(whole.results) == 60
    calibrate(polite, ROWS).save(tmp_path / "kept")
    stopped = plan.report_directory(tmp_path / "stopped").run()
    assert stopped.decision.outcome is Outcome.PASS
    assert stopped.counts.looked_at < 60
    assert "the judge of polite is calibrated" in stopped.decision.detail
    again = read_run(stopped.file.parent)
    assert again.gate.decide(again.results) == stopped.decision
