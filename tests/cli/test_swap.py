"""A provider swap on the command line."""

import json

import pytest

SWAP = """
from judgekit import EvalCase, ExperimentRunner, Gate, ProviderSwap, Verdict
from judgekit.evaluators import reply_should_contain
from judgekit.judging import JudgeBase

class Strict(JudgeBase):
    async def decide(self, criterion, interaction):
        return Verdict(len(interaction.reply) / 20, "by its length")

class Kind(JudgeBase):
    async def decide(self, criterion, interaction):
        return Verdict(0.9, "fine")

experiment = (
    ProviderSwap("desk")
    .cases(EvalCase(f"case-{n}", f"question {n}", reply_should_contain("answer")) for n in range(4))
    .agents({"small": lambda command: "answer", "large": lambda command: "an answer with care"})
    .judges({"strict": Strict(), "kind": Kind()})
    .criteria(lambda judge: judge.should_satisfy("polite", name="tone"))
    .gate(Gate.pass_rate_should_be_at_least(0.5))
)
"""


@pytest.fixture
def swap(judgekit):
    judgekit.write("suite.py", SWAP)
    return judgekit


def newest(swap):
    [folder] = (swap.folder / ".judgekit" / "runs").iterdir()
    return folder


def test_run_prints_the_tables_and_writes_every_format(swap):
    files = [f"out/swap.{suffix}" for suffix in ("html", "md", "json", "txt", "xml", "csv")]
    written = [word for file in files for word in ("-o", file)]
    done = swap("run", "suite.py", "--repeat", "2", *written, COLUMNS="200")
    assert done.returncode == 0, done.err
    assert done.err == ""
    assert done.out.startswith(
        "2 agents and 2 judges over 4 cases: 16 transcripts, each before every judge\n"
    )
    assert (swap.folder / "out" / "swap.txt").read_text(encoding="utf-8") == done.out
    assert json.loads((swap.folder / "out" / "swap.json").read_text())["format"] == "judgekit-swap"
    assert "small/case-0" in (swap.folder / "out" / "swap.xml").read_text()


def test_a_narrow_terminal_gets_the_tables_row_by_row(swap):
    done = swap("run", "suite.py", COLUMNS="60")
    assert done.returncode == 0, done.err
    assert max(map(len, done.out.splitlines())) <= 60
    assert "tone, kind, large" in done.out


def test_the_exit_code_is_that_of_the_gate(swap):
    swap.write("suite.py", SWAP.replace("at_least(0.5)", "at_least(0.9)"))
    assert swap("run", "suite.py").returncode == 1


def test_json_leaves_stdout_to_machines(swap):
    done = swap("run", "suite.py", "--json", "-k", "case-1", "-j", "2")
    document = json.loads(done.out)
    assert document["cases"] == ["case-1"]
    assert [agent["attempts"] for agent in document["agents"]] == [1, 1]


def test_report_prints_the_tables_of_the_journal_again(swap):
    first = swap("run", "suite.py")
    assert swap("report", newest(swap)).out == first.out
    again = swap("report", "--json", "-o", "again.html")
    assert json.loads(again.out)["format"] == "judgekit-swap"
    assert "judgekit provider swap" in (swap.folder / "again.html").read_text(encoding="utf-8")


def test_report_lists_attempts_and_flips_where_it_is_asked_to(swap):
    swap("run", "suite.py")
    assert "case small/case-0 run 1" in swap("report", "--all").out
    short = swap("report", "--most", "1").out
    assert "and 3 more" in short


def test_a_finished_run_is_resumed_without_a_call(swap):
    first = swap("run", "suite.py")
    swap.write("suite.py", SWAP.replace('lambda command: "answer"', "lambda command: 1 / 0"))
    again = swap("run", "suite.py", "--resume", newest(swap))
    assert again.returncode == 0, again.err
    assert again.out == first.out


def test_a_dry_run_says_who_would_be_called(swap):
    done = swap("run", "suite.py", "--dry-run", "--repeat", "3")
    assert done.returncode == 0, done.err
    assert "agent: 24 calls to small, large" in done.out
    assert not (swap.folder / ".judgekit").exists()


def test_validate_names_every_problem(swap):
    swap.write("suite.py", SWAP.replace('.judges({"strict": Strict(), "kind": Kind()})', ""))
    done = swap("validate", "suite.py")
    assert done.returncode == 2
    assert "there are criteria and no judges" in done.err


def test_a_swap_names_its_models_itself_unless_its_function_takes_them(swap):
    done = swap("run", "suite.py", "--judge-model", "openai/gpt-5")
    assert done.returncode == 2
    assert done.err == (
        "judgekit: --judge-model: suite.py is a provider swap, which names its judges itself\n"
    )
    assert swap("run", "suite.py", "--model", "openai/gpt-5").returncode == 2


def test_a_swap_does_not_stop_early(swap):
    done = swap("run", "suite.py", "--stop-early")
    assert done.returncode == 2
    assert done.err.startswith("judgekit: --stop-early: a provider swap holds agents against each other")


def test_a_swap_is_not_judged_again_but_extended(swap):
    swap("run", "suite.py")
    done = swap("rejudge", "--judge-model", "openai/gpt-5")
    assert done.returncode == 2
    assert done.err.startswith("judgekit: a provider swap has judges of its own; add one to its plan")
    again = swap("rejudge", "--judge-model", "openai/gpt-5", "--suite", "suite.py")
    assert again.returncode == 2
    assert "which names its judges itself" in again.err


def test_a_function_may_return_a_swap(swap):
    swap.write(
        "made.py",
        SWAP.replace("experiment = (", "made = (") + "\ndef experiment(model=None):\n    return made\n",
    )
    assert swap("run", "made.py", "--model", "x").returncode == 0


def test_of_several_experiments_one_must_be_named(swap):
    swap.write("two.py", SWAP.replace("experiment = (", "swap = (") + "\nplain = ExperimentRunner('plain')\n")
    done = swap("run", "two.py")
    assert done.returncode == 2
    assert "several experiments (swap, plain)" in done.err
    assert swap("run", "two.py:swap").returncode == 0


def test_gate_decides_a_swap_again(swap):
    swap("run", "suite.py")
    assert swap("gate", "--pass-rate", "tone [kind]=1").returncode == 0
    assert swap("gate", "--pass-rate", "tone [strict]=0.9").returncode == 1
