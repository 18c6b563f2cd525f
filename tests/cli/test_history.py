"""`judgekit history` as a user meets it."""

import json

import pytest

FAILING = """
from judgekit import EvalCase, ExperimentRunner
from judgekit.evaluators import reply_should_contain
from pathlib import Path

wrong = Path("wrong.txt").read_text().split() if Path("wrong.txt").exists() else []
cases = [EvalCase(name, name, reply_should_contain("yes")) for name in ("a", "b", "c")]
experiment = ExperimentRunner("desk").cases(cases).agent(lambda name: "no" if name in wrong else "yes")
"""


@pytest.fixture
def three_runs(judgekit):
    """A folder in which a suite ran three times: all passed, b failed, c failed."""
    judgekit.write("suite.py", FAILING)
    for wrong in ("", "b", "c"):
        judgekit.write("wrong.txt", wrong)
        judgekit("run", "suite.py")
    return judgekit


def test_the_newest_runs_are_shown_with_what_moved(three_runs):
    done = three_runs("history", LC_ALL="C", COLUMNS="60", NO_COLOR="1")
    assert done.returncode == 0, done.err
    assert done.err == ""
    assert done.out.isascii()
    assert done.out.startswith("desk: 3 runs, ")
    assert "    new failures 1: c\n    fixed 1: b\n" in done.out
    assert "█" in three_runs("history", LC_ALL="C.UTF-8").out
    limited = three_runs("history", "-n", "1", "--name", "desk", "--of", "reply-contains").out
    assert "2 earlier runs not listed" in limited
    assert "new failures 1: c" in limited
    assert "\n  attempts " not in limited


def test_json_is_one_document(three_runs):
    document = json.loads(three_runs("history", "--json").out)
    assert [run["new_failures"] for run in document["experiments"][0]["runs"]] == [[], ["b"], ["c"]]


def test_files_are_written_in_the_format_of_their_suffix(three_runs):
    done = three_runs("history", ".judgekit/runs", "-o", "new/h.html", "-o", "h.md", "-o", "h.json")
    assert done.returncode == 0, done.err
    assert "<svg" in (three_runs.folder / "new" / "h.html").read_text(encoding="utf-8")
    assert "| run | gate |" in (three_runs.folder / "h.md").read_text(encoding="utf-8")
    assert json.loads((three_runs.folder / "h.json").read_text(encoding="utf-8"))["experiments"]


def test_a_history_in_which_nothing_could_be_read_is_no_failure(judgekit):
    (judgekit.folder / "runs" / "foreign").mkdir(parents=True)
    done = judgekit("history", "runs")
    assert done.returncode == 0
    assert (
        done.out == "no runs under runs\nnot read:\n  foreign: it holds no journal.jsonl and no report.json\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "there is no run under .judgekit/runs; name a folder of runs, or begin one with `judgekit run`"),
        (["nothing"], "there is no folder nothing"),
        (["runs", "-o", "h.xml"], "a history is written by its suffix, one of"),
        (["runs", "--name", "desk"], "no run under runs is of 'desk'; there are none"),
        (["runs", "--of", "tone"], "no run has a criterion or label 'tone'; there are none"),
        (["runs", "-n", "0"], "0 is not in the range x>=1"),
    ],
)
def test_wrong_use_is_one_line(judgekit, arguments, message):
    (judgekit.folder / "runs").mkdir()
    done = judgekit("history", *arguments)
    assert done.returncode == 2
    assert done.out == ""
    (line,) = done.err.splitlines()
    assert message in line


def test_the_folder_of_one_run_is_refused(three_runs):
    run = next((three_runs.folder / ".judgekit" / "runs").iterdir())
    done = three_runs("history", run)
    assert done.returncode == 2
    assert "is one run; name the folder that it is in" in done.err
