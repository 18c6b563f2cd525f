"""What an experiment is called, where its author does not say."""

from __future__ import annotations

import os
import re
import sys
from os import PathLike
from pathlib import Path, PurePath

from judgekit.errors import InvalidArgument

__all__ = ["calling_module", "checked_name", "checked_path", "default_name"]

_LONGEST = 100
_UNPORTABLE = '<>:"/\\|?*'
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?", re.IGNORECASE)


def checked_name(name: str) -> str:
    """The name, which is also that of a directory.

    Raises:
        InvalidArgument: It could not be a file's name on every system.
    """
    if not isinstance(name, str) or not name.strip():
        raise InvalidArgument(f"ExperimentRunner: `name` must be text that is not blank, got {name!r}")
    if problem := _problem(name):
        raise InvalidArgument(
            f"ExperimentRunner: `name` is also the name of a directory, and {name!r} {problem}; "
            f"write {_portable(name)!r}"
        )
    return name


def checked_path(parameter: str, path: str | PathLike[str]) -> Path:
    """The path.

    Raises:
        InvalidArgument: It can be none, on any system.
    """
    if not isinstance(path, str | PathLike) or not str(path) or "\0" in str(path):
        raise InvalidArgument(f"ExperimentRunner: `{parameter}` must be a path, got {path!r}")
    return Path(path)


def _problem(name: str) -> str | None:
    found = [character for character in name if character in _UNPORTABLE or not character.isprintable()]
    if found:
        return f"holds {found[0]!r}"
    if len(name) > _LONGEST or len(name.encode()) > 2 * _LONGEST:
        return f"is longer than {_LONGEST} characters"
    if name != name.strip() or name.endswith(".") or name.startswith("."):
        return "begins or ends with a space or a dot"
    return "is a device on Windows" if _DEVICES.fullmatch(name) else None


def _portable(name: str) -> str:
    kept = "".join("-" if c in _UNPORTABLE or not c.isprintable() else c for c in name[:_LONGEST])
    while len(kept.encode()) > 2 * _LONGEST:
        kept = kept[:-1]
    kept = kept.strip(" .") or "experiment"
    return f"{kept}-" if _DEVICES.fullmatch(kept) else kept


def calling_module(depth: int) -> str:
    """The name of the module whose code is `depth` calls above; "" where it has none."""
    names = sys._getframe(depth + 1).f_globals
    name = str(names.get("__name__") or "")
    if name != "__main__":
        return name
    # A notebook has no file, code from a pipe has `<stdin>`; neither `__main__` says anything.
    file = str(names.get("__file__") or "")
    return "" if file.startswith("<") else PurePath(file).stem


def default_name(module: str) -> str:
    """The running test's id under pytest, else the module's name, else `experiment`."""
    return _portable(_running_test() or module or "experiment")


def _running_test() -> str | None:
    """`module.test_name`, from the id that pytest keeps in the environment."""
    # The environment of a test's child process has the id too, but the child is no test.
    if "pytest" not in sys.modules:
        return None
    path, *names = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0].split("::")
    return ".".join([PurePath(path).stem, *names]) if names else None
