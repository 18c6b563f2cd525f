"""A hash over what a run measures, the same in every process, so that a journal goes on with its own plan."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Mapping, Set
from types import CodeType, FunctionType, ModuleType
from typing import Any

from judgekit.evaluation import EvalCase, label_of
from judgekit.jsonable import json_line
from judgekit.records import interaction_to_json
from judgekit.schedule import JUDGE, Plan

__all__ = ["checks_of", "fingerprint_of"]

_DEPTH_LIMIT = 8
_MOST_PARTS = 1_000_000
_PLAIN = (str, int, float, bytes, bool, type(None))


def fingerprint_of(plan: Plan, judges: Iterable[str]) -> str:
    """The hash over cases, evaluators, agent and judges of a plan."""
    digest = hashlib.sha256()
    head = [
        plan.agent_names,
        list(judges),
        plan.runs,
        [described(evaluator) for evaluator in plan.evaluators],
    ]
    digest.update(json_line(head).encode())
    for case in plan.cases:
        digest.update(json_line(_case(case, scored=plan.agent_of(case) is None)).encode())
    return digest.hexdigest()[:16]


def checks_of(plan: Plan) -> dict[str, str]:
    """A hash over all checks of each label that no judge answers: what a journal says of their parameters."""
    found: dict[str, set[str]] = {}
    # Most suites share their evaluators.
    every = {id(evaluator): evaluator for case in plan.cases for evaluator in plan.evaluators_of(case)}
    for evaluator in every.values():
        label = label_of(evaluator)
        if label != JUDGE:
            found.setdefault(label, set()).add(described(evaluator))
    return {
        label: hashlib.sha256(json_line(sorted(checks)).encode()).hexdigest()[:16]
        for label, checks in found.items()
    }


def _case(case: EvalCase, *, scored: bool) -> list[Any]:
    calls = [[call.name, call.arguments, call.result, call.error] for call in case.recorded_calls]
    evidence = [interaction_to_json(interaction) for interaction in case.interactions] if scored else []
    evaluators = [described(evaluator) for evaluator in case.evaluators]
    found = [case.id, case.command, evaluators, calls, evidence]
    if case.dialogue is not None:
        talk = case.dialogue
        found += [list(talk.commands), list(talk.counts), described(talk.user), talk.stop_on_failure]
    return found


def described(value: Any) -> str:
    """What shapes an evaluator's results, as text that does not change from process to process."""
    text = _own_text(value)
    return _Walk().text(value, 0) if text is None else text


def _own_text(value: Any) -> str | None:
    """The `repr`, where it is the same in every process."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - a user's repr may do anything
        return None
    # Addresses differ between processes, and so does the order of a set.
    return None if " at 0x" in text or "{" in text else text


class _Walk:
    """Writes a value down with all that it holds.

    An evaluator may hold a client, a logger or a module, and so half of the process: an object is entered
    once, and of an object inside another only what is public, since the rest is its state.
    """

    def __init__(self) -> None:
        self._entered: dict[int, object] = {}
        self._left = _MOST_PARTS

    def text(self, value: Any, depth: int) -> str:
        if isinstance(value, _PLAIN):
            return repr(value)
        self._left -= 1
        if depth > _DEPTH_LIMIT or self._left < 0:
            return type(value).__qualname__
        if isinstance(value, Set):
            return "{" + ", ".join(sorted(self.text(item, depth + 1) for item in value)) + "}"
        if isinstance(value, Mapping):
            return self._fields(value.items(), depth)
        if isinstance(value, list | tuple):
            return "[" + ", ".join(self.text(item, depth + 1) for item in value) + "]"
        if isinstance(value, type | ModuleType):
            return f"{type(value).__qualname__} {getattr(value, '__qualname__', value.__name__)}"
        if isinstance(value, CodeType):
            return f"{value.co_name} {value.co_code.hex()} {self.text(value.co_consts, depth + 1)}"
        return self._once(value, depth)

    def _once(self, value: Any, depth: int) -> str:
        name = type(value).__qualname__
        if id(value) in self._entered:
            return name
        self._entered[id(value)] = value
        if isinstance(value, FunctionType):
            return self._function(value, depth)
        if dataclasses.is_dataclass(value):
            shown = [field.name for field in dataclasses.fields(value) if field.repr]
            return name + self._fields([(key, getattr(value, key, None)) for key in shown], depth)
        if depth and (text := _own_text(value)) is not None:
            return text
        return name + self._fields(_attributes(value, private=not depth), depth)

    def _fields(self, items: Iterable[tuple[Any, Any]], depth: int) -> str:
        # Listed first: what belongs to others may change while it is read.
        shown = [f"{self.text(k, depth + 1)}={self.text(v, depth + 1)}" for k, v in list(items)]
        return "(" + ", ".join(shown) + ")"

    def _function(self, function: FunctionType, depth: int) -> str:
        code, cells = function.__code__, function.__closure__ or ()
        held = [self.text(cell.cell_contents, depth + 1) for cell in cells if _is_filled(cell)]
        return f"{function.__qualname__} {self.text(code, depth + 1)} {code.co_names} {held}"


def _attributes(value: Any, *, private: bool) -> list[tuple[str, Any]]:
    slots = [name for kind in type(value).__mro__ for name in _slots_of(kind)]
    found = [(name, getattr(value, name)) for name in slots if hasattr(value, name)]
    found += list(getattr(value, "__dict__", {}).items())
    return [item for item in found if private or not item[0].startswith("_")]


def _slots_of(kind: type) -> tuple[str, ...]:
    names = vars(kind).get("__slots__", ())
    own = (names,) if isinstance(names, str) else tuple(names)
    return tuple(name for name in own if name not in ("__dict__", "__weakref__"))


def _is_filled(cell: Any) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True
