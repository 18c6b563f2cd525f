"""A callback waits for a module without importing it."""

import importlib
import sys

import pytest

from judgekit.adapters.post_import import when_imported


@pytest.fixture
def module(tmp_path, monkeypatch):
    """The name of a module that can be imported and is forgotten afterwards."""
    name = "judgekit_test_module"
    (tmp_path / f"{name}.py").write_text("import sys\nLOADER = __spec__.loader\nVALUE = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, name, raising=False)
    before = list(sys.meta_path)
    yield name
    sys.modules.pop(name, None)
    assert sys.meta_path == before


def test_it_is_called_right_after_the_import_and_once(module):
    seen = []
    when_imported(module, lambda: seen.append(sys.modules[module].VALUE))
    assert seen == []
    assert module not in sys.modules
    importlib.import_module(module)
    importlib.import_module(module)
    assert seen == [1]


def test_it_is_called_at_once_where_the_module_is_there():
    seen = []
    when_imported("json", lambda: seen.append(1))
    assert seen == [1]


def test_the_module_sees_its_own_loader(module):
    when_imported(module, lambda: None)
    found = importlib.import_module(module)
    assert found.LOADER is found.__spec__.loader is found.__loader__
    assert type(found.LOADER).__module__ != "judgekit.adapters.post_import"


def test_several_can_wait_for_one_module(module):
    seen = []
    for number in range(3):
        when_imported(module, lambda number=number: seen.append(number))
    importlib.import_module(module)
    assert sorted(seen) == [0, 1, 2]


def test_one_that_is_cancelled_is_not_called(module):
    seen = []
    pending = when_imported(module, lambda: seen.append(1))
    pending.cancel()
    importlib.import_module(module)
    assert seen == []


def test_other_modules_are_imported_as_ever(module):
    pending = when_imported(module, lambda: None)
    importlib.import_module("colorsys")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("judgekit_no_such_module")
    pending.cancel()


def test_an_import_that_fails_may_be_tried_again(module, tmp_path):
    seen = []
    good = (tmp_path / f"{module}.py").read_text()
    (tmp_path / f"{module}.py").write_text("raise ImportError('not today')")
    when_imported(module, lambda: seen.append(1))
    with pytest.raises(ImportError, match="not today"):
        importlib.import_module(module)
    assert seen == []
    (tmp_path / f"{module}.py").write_text(good + "# longer, so that no cached bytecode is taken\n")
    importlib.invalidate_caches()
    importlib.import_module(module)
    assert seen == [1]
