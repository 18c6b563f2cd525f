"""`judgekit report RUN` and `judgekit gate RUN`: a finished run read again, without a call."""

import json
import shutil

import pytest

from judgekit.reporting import EvalReport

SUITE = """
from judgekit import EvalCase, ExperimentRunner, Judge
from judgekit.evaluators import reply_should_contain
from judgekit.testing import ScriptedModel, verdict, when, otherwise

judge = Judge(ScriptedModel(when("bye", verdict(0.4, "short")), otherwise(verdict(0.8, "kind"))))
polite = judge.should_satisfy("It is polite", name="polite")
hello = EvalCase("a", "hello", reply_should_contain("hello"), polite, tags=["must_pass"])
cases = [hello, EvalCase("b", "bye", polite)]
experiment = ExperimentRunner("t").cases(cases).agent(lambda command: command)
"""


@pytest.fixture
def ran(judgekit):
    """The command line in a folder with one finished run, whose gate failed."""
    judgekit.write("suite.py", SUITE)
    judgekit.first = judgekit("run", "suite.py")
    assert judgekit.first.returncode == 1
    (journal,) = judgekit.folder.glob(".judgekit/runs/*/journal.jsonl")
    judgekit.run = journal.parent
    (judgekit.folder / "suite.py").unlink()
    return judgekit


def test_a_run_is_reported_again_from_its_folder_journal_name_or_report(ran):
    for run in ([], [ran.run], [ran.run.name], [ran.run / "journal.jsonl"], [ran.run / "report.json"]):
        done = ran("report", *run)
        assert done.out == ran.first.out, run
        assert done.returncode == 1


def test_other_formats_are_written_from_the_journal(ran):
    (ran.run / "report.json").unlink()
    done = ran("report", "-o", "again.json", "-o", "again.txt")
    assert done.returncode == 1
    again = EvalReport.read(ran.folder / "again.json")
    assert [case.case_id for case in again.results] == ["a", "b"]
    assert (ran.folder / "again.txt").read_text(encoding="utf-8") == ran.first.out


def test_json_is_the_report_itself(ran):
    document = json.loads(ran("report", "--json").out)
    assert document == json.loads((ran.run / "report.json").read_text(encoding="utf-8"))


def test_more_and_less_can_be_shown(ran):
    assert "case a run 1 PASSED" in ran("report", "--all").out
    assert "95% interval" in ran("report", "--intervals").out
    short = ran("report", "--all", "--most", "1").out
    assert short.count("\ncase ") == 1
    assert short.splitlines()[-1] == "and 1 more of 2 attempts"


def test_the_newest_run_is_meant_where_none_is_named(ran):
    ran.write("suite.py", SUITE.replace('EvalCase("b", "bye", polite)', 'EvalCase("c", "hi", polite)'))
    assert ran("run", "suite.py").returncode == 0
    assert ran("report").returncode == 0
    assert ran("report", ran.run).returncode == 1


def test_a_killed_run_is_reported_as_far_as_it_is(ran):
    journal = ran.run / "journal.jsonl"
    head, *attempts = journal.read_text(encoding="utf-8").splitlines(keepends=True)[:3]
    passed, torn = sorted(attempts, key=lambda line: '"id":"b"' in line)  # the journal has them as they end
    journal.write_text(head + passed + torn[:30], encoding="utf-8")
    (ran.run / "report.json").unlink()
    done = ran("report")
    assert done.returncode == 3
    assert "1/2 attempts passed (50%) (1 inconclusive" in done.out
    assert "interrupted 1" in done.out
    assert done.err.startswith("judgekit: warning: ")


@pytest.mark.parametrize("command", ["report", "gate", "rejudge"])
def test_a_run_that_is_not_there_is_one_line(judgekit, command):
    options = ["--judge-model", "m"] if command == "rejudge" else []
    for run in ([], ["nowhere"]):
        done = judgekit(command, *run, *options)
        assert done.returncode == 2
        assert done.out == ""
        assert len(done.err.splitlines()) == 1
        assert "there is no run" in done.err


def test_a_folder_without_a_journal_is_one_line(ran):
    shutil.copytree(ran.run, ran.folder / "empty")
    for file in (ran.folder / "empty").iterdir():
        file.unlink()
    done = ran("report", "empty")
    assert done.returncode == 2
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ([], 1, "FAILED — failed cases [b (run 1)]"),
        (["--pass-rate", "0.5"], 0, "passed — pass rate 0.50 over 2 attempts"),
        (["--pass-rate", "polite=0.5"], 0, "passed — polite rate 0.50"),
        (["--pass-rate", "reply-contains=1"], 0, "passed — reply-contains rate 1.00"),
        (["--mean-score", "polite=0.7"], 1, "FAILED — polite mean score 0.60"),
        (["--max-inconclusive", "0", "--all-conclusive", "--no-target-failures"], 0, "no target failures"),
        (["--max-inconclusive", "judge=0"], 0, "judge inconclusive 0.00 of 2"),
        (["--pass-rate", "0.5", "--all-pass"], 1, "pass rate 0.50"),
        (["--pass-rate", "0.5", "--confidence", "0.9"], 3, "lower bound 0.05 at 90 %, required 0.50; more"),
        (["--cases-pass", "all"], 1, "1 of 2 cases did not pass in every run: [b (0 of 1 passed)]"),
        (["--cases-pass", "must_pass=1"], 0, "all 1 case tagged must_pass passed in at least 1 run"),
        (["--pass-at-k", "1=0.5", "--pass-hat-k", "1=0.6"], 1, "pass@1 0.50 over 2 attempts"),
    ],
)
def test_a_run_is_decided_again_by_the_gate_that_is_asked_for(ran, options, code, said):
    done = ran("gate", *options)
    assert done.returncode == code, done.err
    assert done.out.startswith("gate: ")
    assert said in done.out
    assert len(done.out.splitlines()) == 1


def test_a_decision_as_json(ran):
    done = ran("gate", ran.run, "--mean-score", "polite=0.6", "--json")
    document = json.loads(done.out)
    assert document["outcome"] == "pass"
    assert document["gate"] == [
        {"rule": "mean_score_should_be_at_least", "score": 0.6, "of": {"name": "polite"}}
    ]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--pass-rate", "impolite=0.5"], "'impolite'"),
        (["--pass-rate", "polite"], "write 0.8"),
        (["--pass-rate", "polite=high"], "write polite=0.8"),
        (["--pass-rate", "95"], "write 0.95"),
        (["--mean-score", "0.5"], "NAME=SCORE"),
        (["--mean-score", "reply-contains=0.5", "--pass-rate", "nan"], "0 to 1"),
        (["--confidence", "0.95"], "--confidence goes with --pass-rate"),
        (["--pass-rate", "1", "--confidence", "0.95"], "a rate of 1 cannot be shown with a confidence"),
        (["--cases-pass", "2"], "asks for 2 passes of every case"),
        (["--cases-pass", "core=all"], "is a tag of no case; known are [must_pass]"),
        (["--cases-pass", "often"], "'often' is no number of runs; write 2, all, or TAG=2"),
        (["--pass-at-k", "0.5"], "write K=RATE, such as 3=0.8"),
        (["--pass-hat-k", "2=0.5"], "pass^2 needs 2 runs of every case"),
    ],
)
def test_a_gate_that_cannot_be_is_one_line(ran, options, said):
    done = ran("gate", *options)
    assert done.returncode == 2
    assert done.out == ""
    assert len(done.err.splitlines()) == 1
    assert said in done.err


STOPPING = """
from judgekit import EvalCase, ExperimentRunner, Gate
from judgekit.evaluators import reply_should_contain

cases = [EvalCase(f"c{n}", "hello", reply_should_contain("hello")) for n in range(100)]
gate = Gate.pass_rate_should_be_at_least(0.5)
experiment = ExperimentRunner("t").cases(cases).agent(lambda command: command).gate(gate)
"""


def test_a_run_that_stopped_early_says_so_again(judgekit):
    judgekit.write("suite.py", STOPPING)
    done = judgekit("run", "suite.py", "--stop-early")
    assert done.returncode == 0, done.err
    line = done.out.splitlines()[2]
    assert line.startswith("stopped early after ")
    assert line.endswith("attempts saved")
    assert judgekit("report").out == done.out
    assert judgekit("gate").out == done.out.splitlines()[1] + "\n"
    document = json.loads(judgekit("report", "--json").out)
    assert document["stopped"]["cases"] == 100
    assert judgekit("gate", "--pass-rate", "0.4").returncode == 0
    assert judgekit("gate", "--pass-rate", "1").returncode == 3
