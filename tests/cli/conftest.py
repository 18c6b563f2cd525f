"""The command line as a user meets it: a real process in a folder of its own."""

import os
import subprocess
import sys
import textwrap

import pytest

PLAIN = """
from judgekit import EvalCase, ExperimentRunner, Gate
from judgekit.evaluators import reply_should_contain

experiment_cases = [
    EvalCase("greeting", "hello", reply_should_contain("hello")),
    EvalCase("farewell", "goodbye", reply_should_contain("goodbye")),
    EvalCase("order", "where is order 7", reply_should_contain("7")),
]
experiment = ExperimentRunner("plain").cases(experiment_cases).agent(lambda command: command)
"""


class CommandLine:
    """Runs `python -m judgekit` in a folder; `write` puts files there."""

    def __init__(self, folder, suite_text=""):
        self.folder = folder
        self.suite_text = suite_text

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    def command(self, *arguments):
        return [sys.executable, "-m", "judgekit", *map(str, arguments)]

    def environment(self, **changes):
        kept = {key: value for key, value in os.environ.items() if not key.startswith("LITELLM_")}
        merged = {**kept, "COLUMNS": "80", **changes}
        return {key: value for key, value in merged.items() if value is not None}

    def __call__(self, *arguments, cwd=None, **environment):
        done = subprocess.run(
            self.command(*arguments),
            cwd=cwd or self.folder,
            env=self.environment(**environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=120,
        )
        done.out = done.stdout.decode("utf-8")
        done.err = done.stderr.decode("utf-8")
        return done


@pytest.fixture
def judgekit(tmp_path):
    """The command line in an empty folder."""
    return CommandLine(tmp_path)


@pytest.fixture
def plain(tmp_path):
    """The command line in a folder with a suite that passes: three cases, an agent that echoes."""
    command = CommandLine(tmp_path, PLAIN)
    command.write("suite.py", PLAIN)
    return command
