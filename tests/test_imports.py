"""What starting judgekit loads and touches: nothing that is slow, loud or online."""

import json
import os
import subprocess
import sys

SLOW = {"litellm", "openai", "jinja2", "rich", "scipy", "numpy", "opentelemetry", "tenacity", "httpx"}
HEAVY = SLOW | {"click", "yaml"}

WATCHED = """
import json, os, sys
before, opened = dict(os.environ), []
sys.addaudithook(lambda event, _: opened.append(event) if event.startswith("socket.") else None)
{code}
print(json.dumps({{
    "modules": sorted(sys.modules), "sockets": opened, "environment": dict(os.environ) == before,
}}))
"""


def watched(code, **environment):
    """Run `code` in a fresh interpreter and tell what it loaded, opened and changed."""
    done = subprocess.run(
        [sys.executable, "-c", WATCHED.format(code=code)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    assert done.stderr == ""
    return json.loads(done.stdout)


def loaded_by(arguments, cwd):
    """The top-level modules that `python -m judgekit ...` loads, and what it wrote on stdout."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "judgekit", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        check=True,
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}, done.stdout


def test_importing_judgekit_loads_no_client_template_or_number_library():
    found = watched("import judgekit; judgekit.EvalCase, judgekit.ExperimentRunner, judgekit.Gate")
    assert {name.partition(".")[0] for name in found["modules"]} & HEAVY == set()


def test_importing_judgekit_opens_no_socket_and_leaves_the_environment_alone():
    found = watched("import judgekit")
    assert found["sockets"] == []
    assert found["environment"]


def test_the_watcher_sees_a_socket_and_a_changed_environment():
    found = watched("import socket; socket.socket().close(); os.environ['CHANGED'] = 'yes'")
    assert "socket.__new__" in found["sockets"]
    assert not found["environment"]


def test_reading_every_public_name_loads_no_client_library():
    found = watched("import judgekit\nfor name in judgekit.__all__: getattr(judgekit, name)")
    assert {name.partition(".")[0] for name in found["modules"]} & {
        "litellm",
        "openai",
        "rich",
        "scipy",
    } == set()


def test_the_help_text_loads_neither_a_client_library_nor_a_terminal_one(tmp_path):
    modules, shown = loaded_by(["--help"], tmp_path)
    assert "Usage: judgekit" in shown
    assert "click" in modules
    assert modules & (HEAVY - {"click"}) == set()


DETERMINISTIC = """
from judgekit import EvalCase, ExperimentRunner
from judgekit.evaluators import reply_should_contain

experiment = (
    ExperimentRunner("plain")
    .cases([EvalCase("a", "hello", reply_should_contain("hello"))])
    .agent(lambda command: command)
)
"""


def test_a_deterministic_run_loads_no_client_library(tmp_path):
    (tmp_path / "suite.py").write_text(DETERMINISTIC, encoding="utf-8")
    modules, shown = loaded_by(["run", "suite.py"], tmp_path)
    assert "1/1 attempt passed" in shown
    assert modules & SLOW == set()
