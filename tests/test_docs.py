"""The documentation is run: every fenced Python block, and the commands that the README tells to type."""

import contextlib
import io
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

REPOSITORY = Path(__file__).resolve().parents[1]
README = REPOSITORY / "README.md"
PAGES = [README, *sorted((REPOSITORY / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(?:bash|sh|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PRINTS = re.compile(r"(?:```)?\s*It prints:?\n\n((?:(?: {4}.*)?\n)+)")
BEGINS = re.compile(r"prints a report that begins\n\n((?: {4}.*\n)+)")
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)")


def shown(page):
    return str(page.relative_to(REPOSITORY))


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_the_python_blocks_of_a_page_run_in_order(page, tmp_path, monkeypatch):
    """Blocks of one page share their names; files they write land in a temporary folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(REPOSITORY / "examples")
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    monkeypatch.setenv("LITELLM_MODE", "PRODUCTION")
    parser = Sybil(parsers=[PythonCodeBlockParser(), SkipParser()], path=str(page.parent))
    document = parser.parse(page)
    for example in document.examples():
        with contextlib.redirect_stdout(io.StringIO()) as out:
            example.evaluate()
        if promised := PRINTS.match(document.text, example.region.end):
            assert out.getvalue().strip() == textwrap.dedent(promised[1]).strip()


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_the_links_of_a_page_lead_somewhere(page):
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{shown(page)} links to {target}"


def commands(page):
    """The lines of a page's shell blocks, with continued lines joined."""
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        for line in block.replace("\\\n", " ").splitlines():
            if line.strip() and not line.lstrip().startswith("#"):
                yield line.strip().removeprefix("$ ")


def judgekit_commands(page):
    """The arguments of each call of judgekit in a page's shell blocks."""
    for line in commands(page):
        for part in line.split("&&"):
            words = shlex.split(part, comments=True)
            if words and Path(words[0]).name == "judgekit":
                yield words[1:]


def judgekit(*arguments, cwd):
    command = [sys.executable, "-m", "judgekit", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_the_options_of_every_command_exist(page, tmp_path):
    for words in judgekit_commands(page):
        command = [word for word in words if not word.startswith("-")][:1]
        help_text = judgekit(*command, "--help", cwd=tmp_path)
        assert help_text.returncode == 0, f"{shown(page)}: judgekit {' '.join(words)}"
        for option in (word.partition("=")[0] for word in words if word.startswith("-")):
            assert re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", help_text.stdout), option


def test_the_readme_says_first_how_to_run_and_how_to_test():
    run, *_ = [line for line in commands(README) if "judgekit run" in line]
    test, *_ = [line for line in commands(README) if "pytest" in line]
    assert run.startswith("python3 -m venv .venv && ")
    assert "--group" not in run, "the pip of Python 3.11 knows no groups"
    assert "install -q --upgrade pip" in test


def test_continuous_integration_runs_the_test_command_of_the_readme():
    test, *_ = [line for line in commands(README) if "pytest" in line]
    arguments = test.rpartition("/python -m ")[2]
    assert f'"$python" -m {arguments} | tee' in (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8")


def test_the_example_of_the_readme_passes_its_gate(tmp_path):
    run, *_ = judgekit_commands(README)
    done = judgekit("run", str(REPOSITORY / run[1]), *run[2:], cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    promised = textwrap.dedent(BEGINS.search(README.read_text(encoding="utf-8"))[1])
    assert done.stdout.startswith(promised)
    assert "gate: passed" in promised


def test_the_case_of_the_readme_is_one_of_the_example():
    suite = (REPOSITORY / "examples" / "order_agent" / "suite.py").read_text(encoding="utf-8")
    block = README.read_text(encoding="utf-8").partition("EvalCase(\n")[2].partition("        )\n")[0]
    for line in block.splitlines():
        assert line.strip().removeprefix("judge.").rstrip(",") in suite
