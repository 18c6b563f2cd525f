"""The public names: present, documented, described, and nothing beside them."""

import ast
import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import judgekit

REPOSITORY = Path(__file__).resolve().parents[1]
MODULES = sorted(module.name for module in pkgutil.walk_packages(judgekit.__path__, "judgekit."))


def test_the_root_exports_what_it_lists_and_each_name_once():
    assert len(set(judgekit.__all__)) == len(judgekit.__all__)
    for name in judgekit.__all__:
        assert getattr(judgekit, name) is not None


def test_completion_shows_what_the_root_lists_and_its_packages_for_users():
    assert set(dir(judgekit)) == {*judgekit.__all__, "errors", "evaluators", "testing", "__version__"}


def test_the_types_of_the_root_are_its_names():
    tree = ast.parse(Path(judgekit.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom) and node.module != "judgekit"]
    typed = [alias.name for node in imports for alias in node.names]
    assert sorted(typed) == sorted(judgekit.__all__)


def test_the_packages_for_users_are_there_without_an_import_of_their_own():
    code = "import judgekit as j; j.evaluators.should_call_tool, j.testing.ScriptedModel, j.errors.Blocked"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="Evalcase"):
        judgekit.Evalcase  # noqa: B018


def test_the_version_is_that_of_the_distribution():
    assert judgekit.__version__.count(".") == 2


@pytest.mark.parametrize("name", judgekit.__all__)
def test_a_public_name_has_a_docstring_of_its_own(name):
    held = getattr(judgekit, name)
    if inspect.isclass(held) or inspect.isroutine(held):
        text = vars(held).get("__doc__") if inspect.isclass(held) else held.__doc__
        assert text, name
        assert text.strip(), name
        assert not text.startswith(f"{name}("), f"{name} has only the signature that dataclass writes"


@pytest.mark.parametrize("name", judgekit.__all__)
def test_a_public_name_is_in_the_docs(name):
    pages = [REPOSITORY / "README.md", *(REPOSITORY / "docs").rglob("*.md")]
    assert any(f"`{name}" in page.read_text(encoding="utf-8") for page in pages)


@pytest.mark.parametrize("module", [name for name in MODULES if not name.endswith("__main__")])
def test_a_module_holds_every_name_that_it_exports(module, monkeypatch):
    # The two modules that stand on litellm load it, and it must not ask the network for prices.
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    monkeypatch.setenv("LITELLM_MODE", "PRODUCTION")
    loaded = importlib.import_module(module)
    exported = getattr(loaded, "__all__", [])
    assert len(set(exported)) == len(exported)
    for name in exported:
        assert hasattr(loaded, name), f"{module}.{name}"
