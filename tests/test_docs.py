"""The documentation is run: every fenced Python block, and the commands that the README tells to type."""

import contextlib
import importlib.util
import io
import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import yaml
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

REPOSITORY = Path(__file__).resolve().parents[1]
README = REPOSITORY / "README.md"
PAGES = [README, *sorted((REPOSITORY / "docs").rglob("*.md"))]
# What a page of docs/frameworks needs beside judgekit (dependency group `frameworks`).
NEEDED = {
    "langgraph": ["langchain.agents", "langchain_openai", "openinference.instrumentation.langchain"],
    "litellm": ["litellm"],
    "openai-agents": ["agents", "openinference.instrumentation.openai_agents"],
    "openinference": ["openai", "openinference.instrumentation.openai"],
    "openllmetry": ["openai", "opentelemetry.instrumentation.openai"],
    "opentelemetry": ["opentelemetry.sdk.trace", "opentelemetry.proto_json"],
    "pydantic-ai": ["pydantic_ai", "openai", "opentelemetry.sdk.trace"],
}
FRAMEWORK_PAGES = [page for page in PAGES if page.parent.name == "frameworks"]
BLOCK = re.compile(r"^```(?:bash|sh|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PRINTS = re.compile(r"(?:```)?\s*It prints:?\n\n((?:(?: {4}.*)?\n)+)")
BEGINS = re.compile(r"prints a report that begins\n\n((?: {4}.*\n)+)")
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)")
ANCHOR = re.compile(r"\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
YAML = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)


def shown(page):
    return str(page.relative_to(REPOSITORY))


def run_blocks(page):
    """Run a page's Python blocks in order; they share their names, and print what the page says."""
    parser = Sybil(parsers=[PythonCodeBlockParser(), SkipParser()], path=str(page.parent))
    document = parser.parse(page)
    for example in document.examples():
        with contextlib.redirect_stdout(io.StringIO()) as out:
            example.evaluate()
        if promised := PRINTS.match(document.text, example.region.end):
            assert out.getvalue().strip() == textwrap.dedent(promised[1]).strip()


@pytest.mark.parametrize("page", [page for page in PAGES if page not in FRAMEWORK_PAGES], ids=shown)
def test_the_python_blocks_of_a_page_run_in_order(page, tmp_path, monkeypatch):
    """Files that they write land in a temporary folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(REPOSITORY / "examples")
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    monkeypatch.setenv("LITELLM_MODE", "PRODUCTION")
    run_blocks(page)


def is_installed(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.frameworks
@pytest.mark.slow
@pytest.mark.parametrize("page", FRAMEWORK_PAGES, ids=shown)
def test_the_python_blocks_of_a_frameworks_page_run_in_a_process_of_their_own(page, tmp_path):
    """Instrumentors and tracer providers are a process's, and would meet those of other pages."""
    for module in NEEDED[page.stem]:
        if not is_installed(module):
            pytest.skip(f"{module} is not installed (dependency group `frameworks`)")
    settings = {
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_MODE": "PRODUCTION",
        "LANGSMITH_TRACING": "false",
    }
    code = "import pathlib, runpy, sys; runpy.run_path(sys.argv[1])['run_blocks'](pathlib.Path(sys.argv[2]))"
    done = subprocess.run(
        [sys.executable, "-c", code, __file__, str(page)],
        cwd=tmp_path,
        env=os.environ | settings,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_frameworks_page_is_linked_from_the_page_on_evidence():
    linked = LINK.findall((REPOSITORY / "docs" / "evidence.md").read_text(encoding="utf-8"))
    assert {f"frameworks/{page.name}" for page in FRAMEWORK_PAGES} <= set(linked)
    assert {page.stem for page in FRAMEWORK_PAGES} == NEEDED.keys()


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_the_links_of_a_page_lead_somewhere(page):
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{shown(page)} links to {target}"


def anchors(page):
    """What the headings of a page are called in links, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", FENCED.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_the_links_of_a_page_lead_to_a_heading(page):
    for target, anchor in ANCHOR.findall(page.read_text(encoding="utf-8")):
        aimed = page.parent / target if target else page
        if aimed.suffix == ".md" and aimed.parent.name != "reference":
            assert anchor in anchors(aimed), f"{shown(page)} links to {target}#{anchor}"


def test_the_index_leads_to_every_page():
    index = REPOSITORY / "docs" / "index.md"
    linked = {(index.parent / target).resolve() for target in LINK.findall(index.read_text(encoding="utf-8"))}
    pages = {page for page in PAGES if page.parent.name != "reference"} - {README, index}
    assert pages <= linked


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_the_yaml_blocks_of_a_page_are_yaml(page):
    for block in YAML.findall(page.read_text(encoding="utf-8")):
        assert isinstance(yaml.safe_load(block), dict)


def test_the_options_of_the_build_files_exist():
    page = REPOSITORY / "docs" / "continuous-integration.md"
    shown_in_bash = {" ".join(words) for words in judgekit_commands(page)}
    in_yaml = [line for block in YAML.findall(page.read_text("utf-8")) for line in block.splitlines()]
    runs = [line.partition("judgekit ")[2].strip() for line in in_yaml if "judgekit run" in line]
    assert len(runs) == 2
    for run in runs:
        assert set(run.split()) <= set(" ".join(shown_in_bash).split())


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
