"""How the command line finds, imports and asks a suite, and how it tells what is wrong with it."""

import pytest

HEAD = "from judgekit import EvalCase, ExperimentRunner\n"
PLAN = 'ExperimentRunner("t").cases([EvalCase("a", "hi")]).agent(lambda command: command)'


def one_line(done):
    """The one line on stderr about a mistake: exit code 2, no traceback, nothing on stdout."""
    assert done.returncode == 2, done.out + done.err
    assert done.out == ""
    assert "Traceback" not in done.err
    (line,) = done.err.splitlines()
    assert line.startswith("judgekit: ")
    return line.removeprefix("judgekit: ")


def passes(done):
    assert done.returncode == 0, done.out + done.err
    return "passed (100%)" in done.out


def test_a_plan_at_module_level_is_found_under_any_name(judgekit):
    judgekit.write("suite.py", f"{HEAD}nightly = {PLAN}\n")
    assert passes(judgekit("run", "suite.py"))


def test_a_function_named_experiment_is_called(judgekit):
    judgekit.write("suite.py", f"{HEAD}def experiment():\n    return {PLAN}\n")
    assert passes(judgekit("run", "suite.py"))


def test_a_function_gets_the_options_that_it_declares_and_keeps_its_own_defaults(judgekit):
    judgekit.write(
        "suite.py",
        f"{HEAD}def experiment(*, model='mine', judge_model=None):\n"
        "    assert (model, judge_model) == WANTED\n"
        f"    return {PLAN}\nWANTED = ('openai/x', 'openai/y')\n",
    )
    assert passes(judgekit("run", "suite.py", "--model", "openai/x", "--judge-model", "openai/y"))
    suite = judgekit.folder / "suite.py"
    suite.write_text(suite.read_text().replace("('openai/x', 'openai/y')", "('mine', None)"))
    assert passes(judgekit("run", "suite.py"))


def test_a_required_option_that_was_not_given_is_none(judgekit):
    judgekit.write("suite.py", f"{HEAD}def experiment(model):\n    assert model is None\n    return {PLAN}\n")
    assert passes(judgekit("run", "suite.py"))


def test_a_name_behind_a_colon_chooses_among_several(judgekit):
    judgekit.write("suite.py", f"{HEAD}quick = {PLAN}\nfull = {PLAN}.repeat(3)\n")
    assert "1 case, 3 runs" in judgekit("run", "suite.py:full").out
    line = one_line(judgekit("run", "suite.py"))
    assert line == "suite.py holds several experiments (quick, full); say which, as suite.py:quick"
    assert one_line(judgekit("run", "suite.py:none")) == "suite.py holds no none; it holds quick, full"
    line = one_line(judgekit("run", "suite.py:HEAD"))
    assert line == "suite.py holds no HEAD; it holds quick, full"


def test_one_plan_under_two_names_is_one_plan(judgekit):
    judgekit.write("suite.py", f"{HEAD}first = {PLAN}\nsecond = first\n")
    assert passes(judgekit("run", "suite.py"))


def test_a_module_is_found_by_its_dotted_name(judgekit):
    judgekit.write("checks/__init__.py", "")
    judgekit.write("checks/helper.py", "NAME = 'a'\n")
    judgekit.write("checks/nightly.py", f"from .helper import NAME\n{HEAD}plan = {PLAN}\n")
    assert passes(judgekit("run", "checks.nightly"))
    assert passes(judgekit("run", "checks.nightly:plan"))
    assert passes(judgekit("run", "checks/nightly.py"))


def test_a_suite_imports_its_neighbours_from_any_working_folder(judgekit, tmp_path):
    judgekit.write("deep/suite/agent.py", "def agent(command):\n    return command\n")
    judgekit.write(
        "deep/suite/suite.py",
        f"from agent import agent\n{HEAD}"
        "experiment = ExperimentRunner('t').cases([EvalCase('a', 'hi')]).agent(agent)\n",
    )
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert passes(judgekit("run", tmp_path / "deep" / "suite" / "suite.py", cwd=elsewhere))


@pytest.mark.parametrize("name", ["json.py", "agent with space.py", "Ünïcode.py", "two.dots.py"])
def test_a_file_may_have_any_name(judgekit, name):
    judgekit.write(f"odd/{name}", f"import dataclasses\n{HEAD}experiment = {PLAN}\n")
    assert passes(judgekit("run", f"odd/{name}"))


def test_a_dataclass_in_a_suite_works(judgekit):
    judgekit.write(
        "suite.py",
        "from __future__ import annotations\nimport dataclasses\n"
        f"@dataclasses.dataclass(kw_only=True)\nclass Order:\n    number: int\n{HEAD}experiment = {PLAN}\n",
    )
    assert passes(judgekit("run", "suite.py"))


def test_a_path_that_does_not_exist_is_one_line(judgekit):
    assert one_line(judgekit("run", "missing.py")) == "there is no file missing.py"
    assert one_line(judgekit("run", "missing/suite.py:x")) == "there is no file missing/suite.py"
    assert one_line(judgekit("run", "no such thing")) == "there is no file no such thing"


def test_a_module_that_does_not_exist_is_one_line(judgekit):
    assert one_line(judgekit("run", "no_such.module")) == "there is no file and no module no_such.module"
    judgekit.write("checks/__init__.py", "")
    assert one_line(judgekit("run", "checks.nightly")) == "there is no file and no module checks.nightly"


def test_a_folder_is_told_to_name_a_file(judgekit):
    judgekit.write("checks/__init__.py", "")
    judgekit.write("checks/suite.py", "")
    line = one_line(judgekit("run", "checks"))
    assert line == "checks is a folder; name the file, such as checks/suite.py"


def test_another_kind_of_file_is_refused(judgekit):
    judgekit.write("suite.txt", "")
    line = one_line(judgekit("run", "suite.txt"))
    assert line == "suite.txt is no suite; a suite is a .py or .yaml file, or a module"
    judgekit.write("replies.jsonl", "{}")
    line = one_line(judgekit("run", "replies.jsonl"))
    assert line.endswith("or a module. For a file of replies write judgekit score replies.jsonl")
    judgekit.write("suite.yaml", "cases: []")
    line = one_line(judgekit("run", "suite.yaml:first"))
    assert line == "suite.yaml:first: a YAML suite is one experiment; write suite.yaml"


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        ("from judgekit import should_call_tool", "it is in judgekit.evaluators"),
        ("from judgekit import ScriptedModel", "it is in judgekit.testing"),
        ("from judgekit import Evalcase", "did you mean EvalCase?"),
        ("from judgekit.evaluators import should_call_tol", "did you mean should_call_tool?"),
        ("import judgekit\njudgekit.EvalCas", "did you mean EvalCase?"),
        (
            "from judgekit import Gate\nGate.pass_rate_should_be_atleast(1)",
            "did you mean pass_rate_should_be_at_least?",
        ),
        ("from judgekit import EvalCase\nEvalCase('c', 'x', tag=['a'])", "did you mean tags?"),
        ("ExperimentRunner = 1\nExperimentRuner('x')", "did you mean ExperimentRunner?"),
    ],
)
def test_a_mistyped_name_in_a_suite_is_told_the_right_one(judgekit, code, hint):
    judgekit.write("suite.py", code + "\n")
    assert one_line(judgekit("run", "suite.py")).endswith(hint)


def test_a_name_that_resembles_none_is_told_as_python_tells_it(judgekit):
    judgekit.write("suite.py", "import json\njson.qqqqqq\n")
    line = one_line(judgekit("run", "suite.py"))
    assert line == "suite.py:2: AttributeError: module 'json' has no attribute 'qqqqqq'"


def test_a_suite_without_an_experiment_says_what_to_write(judgekit):
    judgekit.write("suite.py", "x = 1\n")
    line = one_line(judgekit("run", "suite.py"))
    assert line.startswith("suite.py holds no experiment; write `experiment = ExperimentRunner(...)`")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("import json\nx = unknown_name\n", "suite.py:2: NameError: name 'unknown_name' is not defined"),
        ("import no_such_library\n", "suite.py:1: ModuleNotFoundError: No module named 'no_such_library'"),
        ("\n\ndef broken(:\n", "suite.py:3: SyntaxError: invalid syntax"),
        ("raise SystemExit('no key')\n", "suite.py:1: SystemExit: no key"),
        ("raise ValueError\n", "suite.py:1: ValueError"),
        ("raise ValueError('two\\nlines \\x1b[2J')\n", "suite.py:1: ValueError: two lines \\x1b[2J"),
        (
            HEAD + "\nEvalCase('', 'hi')\n",
            "suite.py:3: InvalidArgument: EvalCase: `id` must be text that is not blank, got ''",
        ),
    ],
)
def test_whatever_importing_a_suite_raises_is_one_line_with_its_place(judgekit, text, line):
    judgekit.write("suite.py", text)
    assert one_line(judgekit("run", "suite.py")) == line


def test_the_place_is_the_deepest_line_of_the_users_own_code(judgekit):
    judgekit.write("helper.py", "import json\n\ndef load():\n    return json.loads('{')\n")
    judgekit.write("suite.py", "import helper\nhelper.load()\n")
    assert one_line(judgekit("run", "suite.py")).startswith("helper.py:4: JSONDecodeError: ")


def test_what_the_function_of_a_suite_raises_is_one_line_too(judgekit):
    judgekit.write("suite.py", "def experiment(model=None):\n    return {}[model]\n")
    assert one_line(judgekit("run", "suite.py")) == "suite.py:2: KeyError: None"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "def experiment():\n    return 3\n",
            "suite.py:experiment() returned 3; it must return an ExperimentRunner",
        ),
        (
            "async def experiment():\n    return 3\n",
            "suite.py:experiment is async; a suite's function returns its ExperimentRunner directly",
        ),
        (
            "def experiment(size):\n    return 3\n",
            "suite.py:experiment has no default for size; the command line gives model and judge_model only",
        ),
    ],
)
def test_a_function_that_makes_no_experiment_is_refused(judgekit, text, line):
    judgekit.write("suite.py", text)
    assert one_line(judgekit("run", "suite.py")) == line


def test_a_suite_that_takes_no_model_refuses_one(judgekit):
    judgekit.write("suite.py", f"{HEAD}experiment = {PLAN}\n")
    line = one_line(judgekit("run", "suite.py", "--model", "openai/gpt-5-mini"))
    assert line == (
        "--model: suite.py takes no model; its agent is fixed in the file. "
        "Write `def experiment(model=None): return ExperimentRunner(...)`"
    )
