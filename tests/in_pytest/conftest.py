"""Scratch projects, each tested by a pytest process of its own."""

import os
import re
import subprocess
import sys
import textwrap

import pytest

DESK = """
import judgekit
from judgekit import EvalCase, Gate, Judge
from judgekit.evaluators import reply_should_contain
from judgekit.testing import ScriptedModel, otherwise, verdict, when

judge = Judge(ScriptedModel(when("curt", verdict(0.1, "curt")), otherwise(verdict(0.9, "kind"))))
polite = judge.should_satisfy("The reply is polite", name="polite")
CASES = [
    EvalCase("first", "one kind", reply_should_contain("one"), polite),
    EvalCase("second", "two kind", reply_should_contain("two"), polite),
    EvalCase("third", "three curt", reply_should_contain("three"), polite),
    EvalCase("fourth", "four kind", reply_should_contain("four"), polite),
]


def agent(command):
    return f"{command} indeed"


@judgekit.cases(CASES, gate=Gate.pass_rate_should_be_at_least(RATE, of="polite"))
def test_desk(case, judged):
    judged.answer(agent(case.command))
"""


class Project:
    """A folder with tests; calling it runs pytest there."""

    def __init__(self, folder):
        self.folder = folder

    def write(self, name, text):
        (self.folder / name).write_text(textwrap.dedent(text), encoding="utf-8")

    def __call__(self, *arguments, **environment):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "COV_", "LITELLM"))}
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "--color=no", *arguments],
            cwd=self.folder,
            env={**kept, "COLUMNS": "100", **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        done.section = section(done.stdout)
        return done


def section(out):
    """The lines of the section `judgekit` of a terminal summary; None where there is none."""
    found = re.search(r"^=+ judgekit =+\n(.*?)(?=^=)", out, re.MULTILINE | re.DOTALL)
    return found and found[1].rstrip().splitlines()


@pytest.fixture
def project(tmp_path):
    """An empty scratch project."""
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    return Project(tmp_path)


@pytest.fixture
def desk(project):
    """A project with four judged cases, one of which fails; the gate passes."""
    project.write("test_desk.py", DESK.replace("RATE", "0.7"))
    return project
