"""Which name was meant, where a suite's own code holds one that does not exist."""

from __future__ import annotations

import builtins
import inspect
import re
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from operator import attrgetter
from typing import Any

__all__ = ["meant"]

_IMPORTED = re.compile(r"cannot import name '(?P<name>\w+)' from '(?P<module>[\w.]+)'")
_KEYWORD = re.compile(r"^(?P<owner>[\w.]+)\(\) got an unexpected keyword argument '(?P<name>\w+)'")
_HOMES = ("judgekit", "judgekit.evaluators", "judgekit.testing", "judgekit.judging", "judgekit.adversarial")


def meant(error: BaseException) -> str:
    """`; did you mean EvalCase?` for an exception about a name; empty where nothing is near.

    Python says as much in a traceback, though not for an import or an argument, and a mistake is one
    line without a traceback.
    """
    if isinstance(error, ImportError):
        return _imported(str(error))
    if isinstance(error, NameError):
        return _near(error.name, _names_in_reach(error))
    if isinstance(error, AttributeError):
        return _near(error.name, dir(error.obj))
    if isinstance(error, TypeError) and (found := _KEYWORD.match(str(error))):
        return _near(found["name"], _parameters(found["owner"].removesuffix(".__init__")))
    return ""


def _near(name: object, known: Iterable[str]) -> str:
    near = get_close_matches(str(name), [one for one in known if not one.startswith("__")], n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _imported(text: str) -> str:
    found = _IMPORTED.search(text)
    if found is None or found["module"] not in sys.modules:
        return ""
    if found["module"].startswith("judgekit"):
        for home in _HOMES:
            if found["name"] in getattr(import_module(home), "__all__", ()):
                return f"; it is in {home}"
    return _near(found["name"], dir(sys.modules[found["module"]]))


def _names_in_reach(error: NameError) -> list[str]:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return []
    return [*trace.tb_frame.f_locals, *trace.tb_frame.f_globals, *dir(builtins)]


def _parameters(owner: str) -> list[str]:
    for home in _HOMES:
        try:
            held: Any = attrgetter(owner)(import_module(home))
            return list(inspect.signature(held).parameters)
        except (AttributeError, TypeError, ValueError):
            continue
    return []
