"""The plugin itself: quiet where nobody uses it, its flags, its fixtures."""

import json

import pytest

ORDINARY = """
def test_one():
    assert True


def test_two(tmp_path):
    assert tmp_path.is_dir()
"""


def test_a_project_that_does_not_use_it_sees_and_loads_nothing(project):  # CL05
    project.write("test_ordinary.py", ORDINARY)
    project.write(
        "conftest.py",
        """
        import socket, sys
        from pathlib import Path

        def refused(*args, **kwargs):
            raise OSError("no network here")

        socket.socket.connect = refused

        def pytest_unconfigure(config):
            loaded = sorted(name for name in sys.modules if name.partition(".")[0] in ("judgekit", "litellm"))
            Path("loaded.txt").write_text(" ".join(loaded))
        """,
    )
    with_it, without = project(), project("-p", "no:judgekit")
    assert with_it.returncode == without.returncode == 0
    same = [out.stdout.replace("plugins: judgekit-evals", "plugins:") for out in (with_it, without)]
    assert with_it.section is None
    assert "judgekit" not in with_it.stdout.replace("judgekit-evals-0", "")
    assert len(same[0].splitlines()) == len(same[1].splitlines())
    project()
    loaded = (project.folder / "loaded.txt").read_text().split()
    assert set(loaded) <= {"judgekit", "judgekit.pytest_plugin"}


def test_the_plugin_imports_pytest_and_json_only():
    import ast
    import inspect

    from judgekit import pytest_plugin

    tree = ast.parse(inspect.getsource(pytest_plugin))
    names = set()
    for node in tree.body:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module)
    assert names == {"__future__", "collections.abc", "json", "pytest", "typing"}


MARKED = """
import pytest


@pytest.mark.judgekit
def test_paid():
    assert True


def test_free():
    assert True
"""


@pytest.mark.parametrize("how", ["flag", "ini"])
def test_marked_tests_run_only_when_that_is_asked_for(project, how):
    project.write("test_paid.py", MARKED)
    skipped = project("-rs", "--strict-markers")
    assert "1 passed, 1 skipped" in skipped.stdout
    assert "may call a model; run it with --judgekit" in skipped.stdout
    assert skipped.section is None
    if how == "flag":
        ran = project("--judgekit", "--strict-markers")
    else:
        project.write("pytest.ini", "[pytest]\njudgekit = true\n")
        ran = project("--strict-markers")
    assert "2 passed" in ran.stdout


REAL = """
import judgekit
from judgekit import EvalCase, Judge

polite = Judge("openai/old").should_satisfy("The reply is polite", name="polite")


@judgekit.cases([EvalCase("a", "hi", polite), EvalCase("b", "ho", polite)])
def test_real(case, judged):
    judged.answer("Hello!")
"""


def test_cases_before_a_real_judge_are_skipped_by_themselves(project):
    project.write("test_real.py", REAL)
    done = project("-rs")
    assert done.returncode == 0
    assert "2 skipped" in done.stdout
    assert "may call a model; run it with --judgekit" in done.stdout


def test_a_model_from_outside_judges_the_cases(project, fake_provider):
    from judgekit.testing import verdict

    provider = fake_provider(verdict(0.9, "kind"))
    project.write("test_real.py", REAL)
    done = project(
        "--judgekit", "--judgekit-model", "openai/new", OPENAI_API_KEY="k", OPENAI_API_BASE=provider.url,
        LITELLM_LOCAL_MODEL_COST_MAP="True",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert {request.body["model"] for request in provider.requests} == {"new"}
    assert done.section[-1].endswith("openai/new")


REPORTED = """
from judgekit import EvalCase, ExperimentRunner
from judgekit.evaluators import reply_should_contain

plan = ExperimentRunner("desk").without_report_file()


def report(*wanted):
    cases = [EvalCase(word, word, reply_should_contain(word)) for word in wanted]
    return plan.cases(cases).agent(lambda command: command.replace("bad", "worse")).run()


def test_good(judged):
    assert judged(report("one", "two")).passed


def test_bad(judged):
    judged(report("one", "bad"))


def test_twice(judged):
    judged(report("one"))
    judged(report("two"))
"""


def test_a_report_is_asserted_and_counted(project):
    project.write("test_reported.py", REPORTED)
    done = project("--judgekit-report", "all.json")
    assert done.returncode == 1
    assert "1 failed, 2 passed" in done.stdout
    assert "gate: FAILED — failed cases [bad (run 1)]" in done.stdout
    heads = [line.partition(": ")[0] for line in done.section if not line.startswith(" ")]
    nodes = [
        f"test_reported.py::{name}" for name in ("test_bad", "test_good", "test_twice", "test_twice (2)")
    ]
    assert heads == [*nodes, "written to all.json"]
    document = json.loads((project.folder / "all.json").read_text(encoding="utf-8"))
    assert document["gate"]["outcome"] == "fail"
    assert [case["id"] for case in document["cases"]][:2] == [
        "test_reported.py::test_bad::one",
        "test_reported.py::test_bad::bad",
    ]


def test_a_report_of_a_format_that_nobody_knows_is_refused_at_once(project):
    project.write("test_ordinary.py", ORDINARY)
    done = project("--judgekit-report", "x.docx")
    assert done.returncode == 4
    assert ".docx" in done.stderr


def test_a_report_that_cannot_be_written_is_said_and_fails_the_session(desk):
    desk.write("conftest.py", "def pytest_runtest_setup(item):\n    open('taken', 'w').close()\n")
    done = desk("--judgekit-report", "taken/all.json")
    assert done.returncode == 1
    assert "INTERNALERROR" not in done.stdout
    assert done.section[0].startswith("test_desk.py::test_desk: 4 cases")
    assert done.section[-1].startswith("taken/all.json was not written: ")


@pytest.mark.parametrize("path", ["test_desk.py/all.json", "folder.json"])
def test_a_report_that_can_never_be_written_is_refused_at_once(desk, path):
    (desk.folder / "folder.json").mkdir()
    done = desk("--judgekit-report", path)
    assert done.returncode == 4
    assert f"--judgekit-report: {path} cannot be written" in done.stderr


def test_a_report_that_was_asked_for_in_vain_is_said(project):
    project.write("test_ordinary.py", ORDINARY)
    done = project("--judgekit-report", "all.json")
    assert done.returncode == 0
    assert done.section == ["no test judged anything, so all.json was not written"]


def test_a_test_without_a_case_says_what_to_write(project):
    project.write("test_none.py", "def test_none(judged):\n    judged.answer('hi')\n")
    done = project()
    assert done.returncode == 1
    assert "write @judgekit.cases([...]) above it" in done.stdout
    project.write("test_none.py", "def test_none(judged):\n    judged(True)\n")
    assert "judged(...) takes the report of a run, got True" in project().stdout


def test_a_fake_provider_is_there_for_everyone(project):
    project.write(
        "test_provider.py",
        """
        import urllib.request

        def test_provider(fake_provider):
            with urllib.request.urlopen(fake_provider("hi").url + "/models") as answer:
                assert answer.status == 200
        """,
    )
    done = project()
    assert done.returncode == 0, done.stdout


def test_the_flags_are_in_a_group_of_their_own(project):
    shown = project("--help").stdout
    group = shown.partition("evaluations of LLM agents:")[2][:900]
    for flag in ("--judgekit ", "--judgekit-model", "--judgekit-report"):
        assert flag in group
    assert "judgekit_model" in shown
