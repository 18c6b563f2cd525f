"""The layers of the package are a contract, and the contract can be broken."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGE = REPOSITORY / "judgekit"


def lint_imports(folder):
    """Run import-linter over the package in `folder`."""
    code = "import sys; from importlinter.cli import lint_imports_command as c; c(['--no-cache'])"
    environment = {**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200"}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture
def copy(tmp_path):
    """A copy of the package that a test may damage."""
    shutil.copytree(PACKAGE, tmp_path / "judgekit", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "pyproject.toml", tmp_path)
    return tmp_path


def test_every_module_imports_only_from_below():
    done = lint_imports(REPOSITORY)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_import_from_above_breaks_the_contract(copy):
    with (copy / "judgekit" / "results.py").open("a", encoding="utf-8") as file:
        file.write("\nimport judgekit.cli\n")
    done = lint_imports(copy)
    assert done.returncode == 1
    assert "judgekit.results -> judgekit.cli" in done.stdout


def test_a_client_library_outside_its_place_breaks_the_contract(copy):
    with (copy / "judgekit" / "results.py").open("a", encoding="utf-8") as file:
        file.write("\ndef late() -> None:\n    import litellm\n")
    done = lint_imports(copy)
    assert done.returncode == 1
    assert "judgekit.results -> litellm" in done.stdout


def test_a_module_without_a_layer_breaks_the_contract(copy):
    (copy / "judgekit" / "drawer.py").write_text('"""A drawer."""\n', encoding="utf-8")
    done = lint_imports(copy)
    assert done.returncode == 1
    assert "drawer" in done.stdout + done.stderr


def imported_names(path):
    """What a module imports, as dotted names."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_no_module_takes_a_name_from_the_root_of_the_package():
    modules = {path.stem for path in PACKAGE.iterdir()}
    for path in PACKAGE.rglob("*.py"):
        for name in imported_names(path):
            package, _, rest = name.partition(".")
            if package == "judgekit":
                assert rest.partition(".")[0] in modules, f"{path}: import {name} from its own module"


def test_every_module_says_in_one_line_what_it_is():
    for path in PACKAGE.rglob("*.py"):
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        assert text, f"{path} has no docstring"
        assert text.splitlines()[0].endswith((".", ":")) or len(text.splitlines()) == 1, path


def test_no_module_is_too_long_to_read():
    long = {str(path): n for path in PACKAGE.rglob("*.py") if (n := len(path.read_text().splitlines())) > 400}
    assert long == {}
