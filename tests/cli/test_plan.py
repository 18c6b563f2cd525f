"""`judgekit plan`: how many cases are needed, and what a number of cases shows."""

import json
import re
import textwrap
from pathlib import Path

import pytest

from judgekit.statistics import cases_for_comparison, cases_for_drop, cases_for_gate, labels_needed

REWARDS = """
import csv
from judgekit import EvalCase, ExperimentRunner, Interaction
from judgekit.evaluators import reply_should_contain

tasks = {}
with open("rewards.csv", encoding="utf-8") as file:
    for row in csv.DictReader(file):
        tasks.setdefault(row["task_id"], []).append(Interaction(command_text="a task", reply=row["reward"]))
cases = [
    EvalCase(f"task-{task}", "a task", reply_should_contain("1.0"), interactions=runs)
    for task, runs in tasks.items()
]
experiment = ExperimentRunner("airline").cases(cases)
"""


def planned(judgekit, *arguments):
    done = judgekit("plan", *arguments, "--json")
    assert done.returncode == 0, done.err
    return json.loads(done.out)


def test_every_purpose_has_the_number_that_the_statistics_give(judgekit):
    document = planned(judgekit, "--target", "0.9", "--drop", "0.05", "--repeat", "3", "--rate", "0.96")
    repeated = {"repeats": 3, "icc": 0.4}
    needed = document["needed"]
    assert needed["gate_passes"]["cases"] == cases_for_gate(0.96, 0.9, **repeated).cases
    assert needed["gate_fails"]["cases"] == cases_for_drop(0.9, 0.05, **repeated).cases
    same, other = needed["drop_same_cases"], needed["drop_other_cases"]
    assert same["cases"] == cases_for_comparison(0.96, 0.05, **repeated).cases
    assert other["cases"] == cases_for_comparison(0.96, 0.05, case_correlation=0.0, **repeated).cases
    assert same["runs"] == 2 * 3 * same["cases"] < other["runs"]
    assert needed["gate_passes_without_failure"]["cases"] == 29
    assert document["labels"] == {"half_width": 0.05, "labels": labels_needed(0.05, rate=0.96)}


def test_options_change_what_they_name(judgekit):
    base = ["--target", "0.9", "--drop", "0.05", "--repeat", "2"]
    before = planned(judgekit, *base)
    for option, place in [
        (["--power", "0.95"], ("needed", "gate_passes", "cases")),
        (["--confidence", "0.99"], ("needed", "gate_fails", "cases")),
        (["--icc", "0.9"], ("needed", "gate_passes", "cases")),
        (["--correlation", "0.9"], ("needed", "gate_fails", "cases")),
        (["--half-width", "0.02"], ("labels", "labels")),
    ]:
        changed = planned(judgekit, *base, *option)
        values = before, changed
        for step in place:
            values = [value[step] for value in values]
        assert values[1] > values[0], option
    alike = planned(judgekit, *base, "--case-correlation", "0.9")["needed"]
    assert alike["drop_same_cases"]["cases"] < before["needed"]["drop_same_cases"]["cases"]
    assert alike["drop_other_cases"] == before["needed"]["drop_other_cases"]
    good = planned(judgekit, *base, "--half-width", "0.02", "--judge-r2", "0.6")
    assert (
        good["labels"]["labels"] < 0.5 * planned(judgekit, *base, "--half-width", "0.02")["labels"]["labels"]
    )


def test_sixty_cases_show_what_they_can(judgekit):
    document = planned(judgekit, "--n", "60", "--target", "0.9", "--rate", "0.95")
    shown = document["shown"]
    assert shown["perfect_score_lower_bound"] == pytest.approx(0.05 ** (1 / 60))
    assert cases_for_comparison(0.95, shown["smallest_drop_same_cases"]).cases <= 60
    assert cases_for_comparison(0.95, shown["smallest_drop_same_cases"] - 0.001).cases > 60
    assert shown["smallest_drop_other_cases"] > shown["smallest_drop_same_cases"]
    # A Clopper-Pearson bound of 59 of 60 is 0.923, of 58 it is 0.899.
    assert shown["most_failed_runs_at_target"] == 1
    assert (shown["runs"], shown["effective_runs"]) == (60, 60)
    bare = planned(judgekit, "--n", "60")
    assert (bare["assumed"]["rate"], bare["needed"]) == (0.5, {})
    assert "cannot pass" in judgekit("plan", "--n", "20", "--target", "0.9").out


def test_the_text_says_its_assumptions_and_fits_sixty_columns(judgekit):
    for arguments in (
        ["--target", "0.9", "--drop", "0.05", "--repeat", "3"],
        ["--target", "0.9925", "--rate", "0.99375", "--drop", "0.0125"],
        ["--n", "1234567", "--target", "0.9", "--repeat", "12", "--drop", "0.1"],
    ):
        done = judgekit("plan", *arguments, COLUMNS="60", NO_COLOR="1", LC_ALL="C")
        assert done.returncode == 0, done.err
        assert done.out.isascii()
        lines = done.out.splitlines()
        assert max(map(len, lines)) <= 60
        assert lines[0] == "assumed:"
        assert any(line.startswith("  pass rate 0.") for line in lines)
    assert "  0.95 to 0.9, same cases" in judgekit("plan", "--target", "0.9", "--drop", "0.05").out


WRONG = {
    "": "give what is to be planned: --target 0.9, --drop 0.05, --n 60 or --run RUN",
    "--target 1": "1.0 is not in the range 0<x<1",
    "--target 0.9 --rate 0.9": "--rate 0.9 is not above --target 0.9: no number of cases",
    "--target 0.9 --drop 0.9": "--drop 0.9 must be below --target 0.9",
    "--rate 0.3 --drop 0.4": "--drop 0.4 must be below the rate 0.3",
    "--target 0.9 --of polite": "--of names what is taken from an earlier run",
    "--run nothing": "there is no run nothing",
    "--target nan": "nan",
    "--n 0": "0 is not in the range",
    "--n 60 --icc 1.5": "1.5 is not in the range",
}


@pytest.mark.parametrize("arguments", WRONG)
def test_wrong_use_is_one_line(judgekit, arguments):
    done = judgekit("plan", *arguments.split())
    assert done.returncode == 2
    assert done.out == ""
    (line,) = done.err.splitlines()
    assert WRONG[arguments] in line


def test_an_earlier_run_gives_rate_correlation_and_what_it_shows(judgekit, data_folder):
    rewards = data_folder / "tau_bench_airline" / "rewards.csv"
    judgekit.write("rewards.csv", rewards.read_text(encoding="utf-8"))
    judgekit.write("suite.py", REWARDS)
    assert judgekit("run", "suite.py").returncode == 1
    (run,) = judgekit.folder.glob(".judgekit/runs/*")
    document = planned(judgekit, "--run", run)
    # data/acceptance.json: tau_airline
    assert document["assumed"]["rate"] == pytest.approx(0.42)
    assert document["assumed"]["icc"] == pytest.approx(0.404584, abs=1e-6)
    assert document["run"]["interval"] == pytest.approx([0.315068, 0.524932], abs=1e-6)
    assert (document["run"]["cases"], document["run"]["attempts"]) == (50, 200)
    assert (document["shown"]["cases"], document["shown"]["runs"]) == (50, 200)
    assert document["run"]["cost_per_attempt"] is None
    above = planned(judgekit, "--run", run, "--target", "0.5")
    assert above["needed"]["gate_passes"]["cases"] is None
    assert above["needed"]["gate_passes"]["reason"] == "the rate 0.42 is not above the target 0.5"
    more = above["run"]["more_cases_to_decide"]
    assert 10 < more < 100
    text = " ".join(judgekit("plan", "--run", run.name, "--target", "0.5").out.split())
    assert f"about {more} more cases like these would decide a gate at 0.5 with confidence" in text
    below = judgekit("plan", "--run", run.name, "--target", "0.9")
    assert "a gate at 0.9 with confidence is decided by it" in " ".join(below.out.split())


COSTLY = """
from judgekit import EvalCase, ExperimentRunner, Interaction, ModelCall
from judgekit.evaluators import reply_should_contain

asked = []


def desk(command):
    asked.append(command)
    call = ModelCall(model="m", input_tokens=1, output_tokens=1, cost=0.02)
    wrong = command == "q3" or (command == "q4" and asked.count("q4") == 1)
    return Interaction(reply="no" if wrong else "yes", model_calls=[call], cost=0.02)


cases = [EvalCase(f"q{n}", f"q{n}", reply_should_contain("yes"), reply_should_contain("e")) for n in range(8)]
experiment = ExperimentRunner("desk").cases(cases).agent(desk).repeat(2).concurrency(1)
"""


def test_the_cost_of_an_attempt_makes_the_cost_of_a_plan(judgekit):
    judgekit.write("suite.py", COSTLY)
    judgekit("run", "suite.py")
    (run,) = judgekit.folder.glob(".judgekit/runs/*")
    document = planned(judgekit, "--run", run, "--target", "0.7", "--repeat", "2")
    assert document["run"]["cost_per_attempt"] == pytest.approx(0.02)
    gate = document["needed"]["gate_passes"]
    assert gate["cost"] == pytest.approx(0.02 * gate["runs"])
    assert document["run"]["rate"] == pytest.approx(13 / 16)
    text = judgekit("plan", "--run", run, "--target", "0.7").out
    assert "cost $0.02 an attempt" in text
    assert max(map(len, text.splitlines())) <= 60


def test_a_label_of_a_run_can_be_planned_for(judgekit):
    judgekit.write("suite.py", COSTLY)
    judgekit("run", "suite.py")
    (run,) = judgekit.folder.glob(".judgekit/runs/*")
    document = planned(judgekit, "--run", run, "--of", "reply-contains")
    # Both checks of a reply fail together.
    assert document["run"]["rate"] == pytest.approx(13 / 16)
    done = judgekit("plan", "--run", run, "--of", "polite")
    assert done.returncode == 2
    assert done.err == "judgekit: the run has nothing called polite; it has reply-contains\n"


def test_a_run_in_which_all_passed_is_planned_from_too(plain):
    plain("run", "suite.py")
    (run,) = plain.folder.glob(".judgekit/runs/*")
    document = planned(plain, "--run", run)
    assert (document["assumed"]["rate"], document["assumed"]["icc"]) == (1, 0.4)
    assert document["shown"]["perfect_score_lower_bound"] == pytest.approx(0.05 ** (1 / 3))
    assert json.dumps(document, allow_nan=False)


PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-many-cases.md"
PRINTED = re.compile(r"^```bash\njudgekit (plan [^\n]+)\n```\n\n((?: {4}.*\n)+)", re.MULTILINE)


def test_the_page_shows_what_the_command_prints(judgekit):
    shown = PRINTED.findall(PAGE.read_text(encoding="utf-8"))
    assert len(shown) == 2
    for command, text in shown:
        assert textwrap.dedent(text) in judgekit(*command.split()).out
