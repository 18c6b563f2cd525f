"""Runs that were killed, cut off or finished, gone on with."""

import json
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.errors import FileUnreadable, InvalidArgument
from judgekit.evaluation import EvalCase, EvalResult, Outcome, eval_label
from judgekit.evaluators import reply_should_contain, reply_should_not_contain
from judgekit.gate import Gate
from judgekit.interaction import Interaction, ModelCall, ToolCall
from judgekit.judging import Judge
from judgekit.reporting import EvalReport
from judgekit.runner import ExperimentRunner, Observer
from judgekit.store import JournalWarning, read_run

REPOSITORY = Path(__file__).parents[1]
GATE = Gate.pass_rate_should_be_at_least(0.5) & Gate.target_should_not_fail()


def answer(command: str) -> Interaction:
    call = ModelCall(model="m", input_tokens=3, output_tokens=int(command), cost=0.1)
    return Interaction(reply=f"reply {command}", latency=0.5, model_calls=[call])


def plan(agent=answer, *, cases: int = 5, runs: int = 2) -> ExperimentRunner:
    return (
        ExperimentRunner("resumed")
        .cases(EvalCase(f"c{i}", str(i), reply_should_contain(str(i % 3))) for i in range(cases))
        .evaluator(reply_should_not_contain("4"))
        .agent(agent, name="counted")
        .gate(GATE)
        .repeat(runs)
    )


def counting():
    made: Counter[str] = Counter()

    def agent(command):
        made[command] += 1
        return answer(command)

    return agent, made


def without_times(report: EvalReport) -> dict:
    data = json.loads(report.file.read_text(encoding="utf-8"))
    return {key: value for key, value in data.items() if key not in ("started_at", "finished_at")}


def test_a_finished_run_leaves_a_report_that_its_journal_gives_again(tmp_path):
    report = plan().report_directory(tmp_path).run()
    assert sorted(path.name for path in report.file.parent.iterdir()) == ["journal.jsonl", "report.json"]
    assert read_run(report.file.parent).report() == report
    assert EvalReport.read(report.file) == report
    assert read_run(report.file.parent).report().render(all=True) == report.render(all=True)


def test_by_default_runs_are_kept_under_judgekit_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = plan().run().file
    assert file.parent.parent.resolve() == (tmp_path / ".judgekit" / "runs").resolve()
    assert file.parent.name.startswith("resumed-")


def test_without_a_report_file_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    report = plan().without_report_file().run()
    assert report.file is None
    assert list(tmp_path.iterdir()) == []
    with_file = plan().run()
    assert list(report.results) == list(with_file.results)
    assert report.render(all=True) == with_file.render(all=True)


@settings(max_examples=40, deadline=None)
@given(share=st.floats(0, 1))
def test_from_any_prefix_of_its_journal_a_run_comes_to_the_same_report(tmp_path_factory, share):
    directory = tmp_path_factory.mktemp("prefix")
    whole = plan().concurrency(1).report_directory(directory).run()
    journal = whole.file.with_name("journal.jsonl")
    content = journal.read_bytes()
    head = content.index(b"\n")
    cut = head + round(share * (len(content) - head))
    journal.write_bytes(content[:cut])
    expected = without_times(whole)
    whole.file.unlink()
    finished = {(line["id"], line["run"]) for line in map(whole_line, content[:cut].split(b"\n")) if line}
    agent, made = counting()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", JournalWarning)
        resumed = plan(agent).resume(journal.parent).concurrency(3).run()
    assert without_times(resumed) == expected
    assert made.total() == 10 - len(finished)
    assert read_run(journal).report() == resumed


def whole_line(line: bytes) -> dict | None:
    try:
        data = json.loads(line)
    except ValueError:
        return None
    return data if "interaction" in data else None


def test_a_finished_run_is_resumed_without_any_call(tmp_path):
    first = plan().report_directory(tmp_path).run()
    agent, made = counting()

    class Heard(Observer):
        count = 0

        def finished(self, outcome):
            self.count += 1

    heard = Heard()
    again = plan(agent).resume(first.file.parent).run(observer=heard)
    assert made.total() == 0
    assert heard.count == 10
    assert without_times(again) == without_times(first)
    assert again.started_at == first.started_at
    assert (again.file.parent, len(list(tmp_path.iterdir()))) == (first.file.parent, 1)


def test_a_journal_of_another_plan_is_refused_before_any_call(tmp_path):
    first = plan().report_directory(tmp_path).run()
    agent, made = counting()
    others = [plan(agent, cases=6), plan(agent, runs=3), plan(agent).evaluator(reply_should_contain("x"))]
    for other in others:
        with pytest.raises(InvalidArgument, match="is the journal of another plan"):
            other.resume(first.file.parent).run()
    assert made.total() == 0


def test_what_is_no_run_cannot_be_resumed(tmp_path):
    with pytest.raises(FileUnreadable, match="holds no journal"):
        plan().resume(tmp_path).run()


def test_a_run_that_still_goes_on_cannot_be_resumed_beside(tmp_path):
    seen = []

    @eval_label("beside")
    def beside(case, interaction):
        (directory,) = tmp_path.iterdir()
        with pytest.raises(InvalidArgument, match="being written by another run"):
            runner().resume(directory).run()
        seen.append(case.id)
        return EvalResult.passed()

    def runner():
        return ExperimentRunner("busy").cases(EvalCase("a", "x", beside, interactions=[Interaction()]))

    assert runner().report_directory(tmp_path).run().passed
    assert seen == ["a"]


CHILD = """
import os, sys, time
sys.path.insert(0, sys.argv[3])
from judgekit.evaluation import EvalCase
from judgekit.evaluators import reply_should_contain, reply_should_not_contain
from judgekit.gate import Gate
from judgekit.interaction import Interaction
from judgekit.runner import ExperimentRunner

log = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND | os.O_CREAT)

def agent(command, session):
    time.sleep(0.001)
    # A long reply makes a line that a kill can tear.
    answer = Interaction(reply=f"reply {command} " + "é" * 20_000, latency=0.5)
    os.write(log, f"{command}\\n".encode())
    return answer

plan = (
    ExperimentRunner("killed")
    .cases(EvalCase(f"c{i}", str(i), reply_should_contain(str(i % 3))) for i in range(40))
    .evaluator(reply_should_not_contain("7"))
    .agent(agent)
    .gate(Gate.pass_rate_should_be_at_least(0.1))
    .repeat(2)
    .concurrency(4)
)
runs = [path for path in os.scandir(sys.argv[1]) if not path.name.startswith(".")]
plan = plan.resume(runs[0].path) if runs else plan.report_directory(sys.argv[1])
print(plan.run().file)
"""


def start(directory: Path, log: Path) -> subprocess.Popen:
    directory.mkdir(exist_ok=True)
    command = [sys.executable, "-c", CHILD, str(directory), str(log), str(REPOSITORY)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finished_in(directory: Path) -> Counter:
    journals = [path for path in directory.glob("*/journal.jsonl") if not path.parent.name.startswith(".")]
    lines = [line for path in journals for line in path.read_bytes().split(b"\n")]
    return Counter(data["id"].removeprefix("c") for data in map(whole_line, lines) if data)


def go_on(directory: Path, log: Path, seconds: float) -> bool:
    """Run a child until it ends or is killed; whether it ended. It must repeat nothing that was finished."""
    finished, called = finished_in(directory), calls_in(log)
    process = start(directory, log)
    try:
        _, err = process.communicate(timeout=seconds)
        assert process.returncode == 0, err
        ended = True
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        ended = False
    made = calls_in(log) - called
    assert all(made[command] <= 2 - finished[command] for command in made)
    return ended


def calls_in(log: Path) -> Counter:
    return Counter(log.read_text().split() if log.exists() else [])


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL here")
def test_a_run_killed_at_any_moment_resumes_to_the_same_report_and_repeats_no_finished_attempt(tmp_path):
    began = time.monotonic()
    assert go_on(tmp_path / "whole", tmp_path / "whole.log", 60)
    length = time.monotonic() - began
    (file,) = (tmp_path / "whole").glob("killed-*/report.json")
    whole = EvalReport.read(file)
    moments = random.Random(4)
    kills = suite = 0
    while kills < 20:
        directory, log = tmp_path / f"runs{suite}", tmp_path / f"calls{suite}.log"
        # The first third of a run is Python starting up.
        if go_on(directory, log, moments.uniform(0.3, 0.9) * length):
            check_same(directory, whole)
            suite += 1
        else:
            kills += 1
    directory, log = tmp_path / f"runs{suite}", tmp_path / f"calls{suite}.log"
    assert go_on(directory, log, 60)
    check_same(directory, whole)


def check_same(directory: Path, whole: EvalReport) -> None:
    (file,) = directory.glob("killed-*/report.json")
    assert without_times(EvalReport.read(file)) == without_times(whole)
    assert file.read_bytes().count(b'"id":"c7","run":') == 2


@pytest.mark.slow
def test_in_any_locale_files_are_utf_8(tmp_path):
    # RP09
    code = """
    import sys
    sys.path.insert(0, sys.argv[2])
    from judgekit.evaluation import EvalCase, EvalResult, eval_label
    from judgekit.runner import ExperimentRunner
    mark = eval_label("mark")(lambda case, interaction: EvalResult.failed("\\xe9 \\u2705 \\u6f22"))
    plan = ExperimentRunner("locale").cases(EvalCase("\\u6f22", "\\xe9", mark)).agent(lambda command: command)
    report = plan.report_directory(sys.argv[1]).run()
    report.write(sys.argv[1] + "/report.txt")
    """
    environment = {**os.environ, "PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(code), str(tmp_path), str(REPOSITORY)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (file,) = tmp_path.glob("*/report.json")
    for path in (file, file.with_name("journal.jsonl"), tmp_path / "report.txt"):
        assert "é ✅ 漢" in path.read_text(encoding="utf-8")
    assert EvalReport.read(file).results[0].results[0].detail == "é ✅ 漢"
    assert EvalReport.read(file).decision.outcome is Outcome.FAIL


def test_with_a_journal_passing_attempts_are_not_kept_in_memory(tmp_path):
    import gc

    kept = ExperimentRunner("memory").cases(EvalCase(f"c{i}", "x") for i in range(200))
    report = kept.agent(lambda command: "reply of 200 " * 100).report_directory(tmp_path).run()
    gc.collect()
    # Other tests of the process may hold evidence of their own.
    evidence = [found for found in gc.get_objects() if isinstance(found, Interaction)]
    alive = [found for found in evidence if (found.reply or "").startswith("reply of 200")]
    assert len(alive) < 20
    assert len(report.results) == 200
    assert report.results[150].interaction.reply == "reply of 200 " * 100


def test_a_judges_key_of_digits_leaves_journal_and_report_readable(tmp_path):
    judge = Judge("openai/gpt-5-mini", api_key="00000000", api_base="http://127.0.0.1:9")
    said = Interaction(reply="", latency=0.30000000000000004, tool_calls=[ToolCall("t", {"key": "00000000"})])
    case = EvalCase("a", "x", judge.should_satisfy("polite"), interactions=[said])
    report = ExperimentRunner("digits").cases(case).report_directory(tmp_path).run()
    again = EvalReport.read(report.file)
    assert again == report == read_run(report.file.parent).report()
    assert again.results[0].interaction.latency == 0.30000000000000004
    assert again.results[0].interaction.tool_calls[0].arguments == {"key": "[masked]"}
