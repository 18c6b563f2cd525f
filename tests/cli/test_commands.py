"""What every command shares, and the small ones: validate, evaluators, prompts, probe, the dry run."""

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest

import judgekit.evaluators
from judgekit.cli.main import cli
from judgekit.testing import ScriptedModel, otherwise, verdict, when


def commands(group=cli, prefix=()):
    for name, command in group.commands.items():
        yield (*prefix, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*prefix, name))


COMMANDS = dict(commands())


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_the_help_of_a_command_has_an_example_that_it_takes(words):
    command = COMMANDS[words]
    example = command.epilog.partition("Example: judgekit ")[2]
    assert example.startswith(" ".join(words))
    assert command.help.strip().endswith(".") or "\n" in command.help
    options = {option for one in command.params for option in one.opts} | {"--criterion"}
    for word in example.split():
        if word.startswith("-"):
            assert word in options


@pytest.mark.parametrize("columns", ["60", "200"])
def test_help_fits_the_terminal(judgekit, columns):
    for words in ([], ["score"], ["gate"]):
        done = judgekit(*words, "--help", COLUMNS=columns, NO_COLOR="1", LC_ALL="C")
        assert done.returncode == 0
        assert max(map(len, done.out.splitlines())) <= int(columns)
        assert "\x1b" not in done.out


def test_asking_for_help_loads_nothing_that_a_run_needs(judgekit):
    code = (
        "import sys\nfrom judgekit.cli.main import cli\ncli(['--help'], standalone_mode=False)\n"
        "heavy = {'pydantic', 'rich', 'litellm', 'jinja2', 'yaml', 'asyncio'}\n"
        "heavy |= {'judgekit.runner', 'judgekit.judging'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


ENDING = """
import atexit, gc, warnings
from judgekit.cli.main import main

class OpenAIChatCompletion:
    async def acompletion(self): pass

async def agent(): pass

def end():
    OpenAIChatCompletion().acompletion()
    agent()
    print(gc.get_freeze_count() > 0)

atexit.register(end)
main(["--version"])
"""


def test_the_end_of_a_process_is_quick_and_quiet():
    done = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "True"
    # A coroutine of the user's that nobody awaited is still told.
    assert done.stderr.count("was never awaited") == 1
    assert "coroutine 'agent' was never awaited" in done.stderr


def test_a_suite_is_validated_without_a_call(plain):
    plain.write(
        "suite.py",
        plain.suite_text + "\ndef agent(command):\n    raise SystemExit('called')\n"
        "experiment = ExperimentRunner('plain').cases(experiment_cases).agent(agent)\n",
    )
    done = plain("validate", "suite.py")
    assert done.returncode == 0, done.err
    assert done.out.splitlines() == [
        "plain: 3 cases, 3 attempts",
        "  agent: 3 calls to agent",
        "  evaluators: reply-contains",
        "  gate: Gate.all_cases_should_pass()",
    ]
    assert json.loads(plain("validate", "suite.py", "--json").out)["cases"] == 3
    assert not (plain.folder / ".judgekit").exists()


def test_every_problem_of_a_suite_is_a_line(plain):
    plain.write("suite.py", plain.suite_text.replace('"farewell"', '"greeting"').replace("order", "greeting"))
    done = plain("validate", "suite.py")
    assert done.returncode == 2
    assert done.out == ""
    assert len(done.err.splitlines()) == 2


JUDGED = """
from judgekit import EvalCase, ExperimentRunner, Judge, Panel, Price
from judgekit.testing import ScriptedModel, verdict, otherwise

priced = Judge("openai/mine", price=Price(1, 2), samples=3)
panel = Panel([priced, Judge("openai/nobody-knows")])
rubric = priced.should_satisfy_all({"a": "A", "b": "B"})
cases = [
    EvalCase("x", "hi", priced.should_satisfy("kind")),
    EvalCase("y", "hi", panel.should_satisfy("warm"), rubric),
]
experiment = ExperimentRunner("t").cases(cases).agent(print).repeat(2)
"""


def test_a_dry_run_counts_the_calls_and_what_they_may_cost(judgekit):
    judgekit.write("suite.py", JUDGED)
    done = judgekit("run", "suite.py", "--dry-run", "--json")
    assert done.returncode == 0, done.err
    document = json.loads(done.out)
    assert document["attempts"] == document["agent_calls"] == 4
    # A run asks 3 + 3 + 3 questions of the one model (the rubric is one request), and 1 of the other.
    assert document["questions"] == {"openai/mine": 18, "openai/nobody-knows": 2}
    cost = document["judge_cost"]
    assert cost["unpriced"] == ["openai/nobody-knows"]
    # At most: 18 answers of 1024 tokens at 2 dollars a million, and what is sent.
    assert 18 * 1024 * 2e-6 < cost["most"] < 0.1
    assert 0 < cost["usual"] < cost["most"]
    text = judgekit("run", "suite.py", "--dry-run").out
    assert "judge: 18 questions to openai/mine" in text
    assert text.splitlines()[-1] == "nothing was called"
    assert not (judgekit.folder / ".judgekit").exists()


TALK = """
from judgekit import EvalCase, ExperimentRunner, Price, SimulatedUser

ida = SimulatedUser("openai/ida", "Ida", "a refund", max_turns=4, price=Price(1, 2))
talk = EvalCase.conversation("talk", ["hello", ida])
desk = lambda command, session: command
experiment = ExperimentRunner("talks").cases(talk).agent(desk, name="desk").repeat(2)
"""


def test_a_dry_run_counts_turns_and_simulated_users(judgekit):
    judgekit.write("suite.py", TALK)
    text = judgekit("run", "suite.py", "--dry-run").out
    assert "  agent: at most 10 calls to desk\n" in text
    assert "  simulated users: at most 8 questions to openai/ida\n" in text
    document = json.loads(judgekit("run", "suite.py", "--dry-run", "--json").out)
    assert (document["agent_calls"], document["open_ended"]) == (10, True)
    assert document["user_questions"] == {"openai/ida": 8}
    assert 0 < document["user_cost"]["usual"] < document["user_cost"]["most"]


def test_a_dry_run_of_a_resumed_run_counts_what_is_left(plain):
    plain("run", "suite.py")
    (journal,) = plain.folder.glob(".judgekit/runs/*/journal.jsonl")
    lines = journal.read_text(encoding="utf-8").splitlines(keepends=True)
    journal.write_text("".join(lines[:2]), encoding="utf-8")
    done = plain("run", "suite.py", "--dry-run", "--resume", journal.parent)
    assert done.out.splitlines()[0] == "plain: 3 cases, 2 attempts"


def test_every_evaluator_is_listed_with_what_it_says(judgekit):
    listed = judgekit("evaluators").out
    names = [name for name in judgekit_factories() if name not in {"pattern", "accepted", "optional"}]
    for name in (*names, "should_satisfy", "warmth"):
        assert f"  {name} " in listed
    document = json.loads(judgekit("evaluators", "--json").out)
    assert {entry["name"] for entry in document} >= set(names)
    assert all(entry["text"] and entry["signature"].startswith(entry["name"] + "(") for entry in document)


def judgekit_factories():
    return [name for name in judgekit.evaluators.__all__ if name[0].islower()]


def test_one_evaluator_is_told_whole(judgekit):
    out = judgekit("evaluators", "should_call_tool_with").out
    assert out.startswith("should_call_tool_with(")
    assert "Raises:" in out
    wrong = judgekit("evaluators", "should_call_tol")
    assert wrong.returncode == 2
    assert "did you mean should_call_tool" in wrong.err


def test_prompts_are_listed_with_the_hash_that_results_record(judgekit):
    from judgekit.judging.prompts import load_prompt

    entries = {entry["name"]: entry for entry in json.loads(judgekit("prompts", "list", "--json").out)}
    prompt = load_prompt("judge/score")
    assert entries["judge/score"]["hash"] == prompt.hash
    assert entries["judge/score"]["version"] == prompt.version
    assert entries["tone/warmth"]["kind"] == "criterion"
    assert "judge/score" in judgekit("prompts", "list").out


def test_a_prompt_is_shown_so_that_it_can_be_copied_and_laid_over(judgekit):
    shown = judgekit("prompts", "show", "judge/score").out
    judgekit.write("mine/judge/score.md", shown.replace("version: 1", "version: mine"))
    entries = json.loads(judgekit("prompts", "list", "--folder", "mine", "--json").out)
    assert {entry["name"]: entry["version"] for entry in entries}["judge/score"] == "mine"
    for arguments in (["show", "judge/none"], ["list", "--folder", "nowhere"]):
        wrong = judgekit("prompts", *arguments)
        assert wrong.returncode == 2
        assert len(wrong.err.splitlines()) == 1


def probed(judgekit, provider, *arguments):
    return judgekit(
        "probe", "--judge-model", "openai/m", "--api-base", provider.url, *arguments, OPENAI_API_KEY="k"
    )


def test_a_judge_that_is_fooled_is_exit_code_one(judgekit, fake_provider):
    gullible = ScriptedModel(
        when("verified", verdict(1.0, "it says so")), otherwise(verdict(0.0, "no answer"))
    )
    provider = fake_provider(gullible)
    done = probed(judgekit, provider, "--kind", "attack", "--json")
    assert done.returncode == 1, done.err
    document = json.loads(done.out)
    assert (document["probes"], document["judged"], document["false_passes"]) == (12, 12, 3)
    kind = document["kinds"]["attack"]
    assert (kind["passed"], kind["judged"]) == (3, 12)
    assert kind["rate"] == document["rate"]
    assert (kind["rate"]["estimate"], kind["rate"]["n_missing"]) == (0.25, 0)
    assert [round(kind["rate"][end], 4) for end in ("low", "high")] == [0.0549, 0.5719]
    allowed = probed(judgekit, provider, "--kind", "attack", "--allow", "0.25")
    assert allowed.returncode == 0
    assert "3 of 12 probes passed that must fail" in allowed.out


def test_a_judge_that_cannot_be_asked_is_inconclusive(judgekit):
    done = judgekit("probe", "--judge-model", "openai/m", "--kind", "truncated", OPENAI_API_KEY=None)
    assert done.returncode == 3
    assert "not judged: authentication 3" in done.out
    wrong = judgekit("probe", "--judge-model", "openai/m", "--kind", "nonsense")
    assert wrong.returncode == 2
    assert "nonsense" in wrong.err


PAGE = Path(__file__).resolve().parents[2] / "docs" / "command-line.md"


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_the_help_of_a_command_is_that_of_the_page(judgekit, words):
    shown = PAGE.read_text(encoding="utf-8").partition(f"### judgekit {' '.join(words)}\n\n```text\n")[2]
    done = judgekit(*words, "--help", COLUMNS="100")
    assert shown.partition("\n```")[0] == done.out.rstrip()
