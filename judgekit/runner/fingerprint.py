"""A hash over what a run measures, the same in every process, so that a journal goes on with its own plan."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Mapping, Set
from types import CodeType, FunctionType
from typing import Any

from judgekit.evaluation import EvalCase
from judgekit.jsonable import json_line
from judgekit.records import interaction_to_json
from judgekit.schedule import Plan

__all__ = ["fingerprint_of"]

_DEPTH_LIMIT = 8
_PLAIN = (str, int, float, bytes, bool, type(None))


def fingerprint_of(plan: Plan, judges: Iterable[str]) -> str:
    """The hash over cases, evaluators, agent and judges of a plan."""
    digest = hashlib.sha256()
    agent = plan.agent.name if plan.agent is not None else None
    head = [agent, list(judges), plan.runs, [described(evaluator) for evaluator in plan.evaluators]]
    digest.update(json_line(head).encode())
    for case in plan.cases:
        digest.update(json_line(_case(case, scored=plan.agent is None)).encode())
    return digest.hexdigest()[:16]


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
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - a user's repr may do anything
        text = "{"
    # Addresses differ between processes, and so does the order of a set.
    return _structure(value, 0) if " at 0x" in text or "{" in text else text


def _structure(value: Any, depth: int) -> str:
    if isinstance(value, _PLAIN):
        return repr(value)
    if depth > _DEPTH_LIMIT:
        return type(value).__qualname__
    if isinstance(value, Set):
        return "{" + ", ".join(sorted(_structure(item, depth + 1) for item in value)) + "}"
    if isinstance(value, Mapping):
        return _fields(value.items(), depth)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_structure(item, depth + 1) for item in value) + "]"
    if isinstance(value, FunctionType):
        return _function(value, depth)
    if isinstance(value, CodeType):
        return f"{value.co_name} {value.co_code.hex()} {_structure(value.co_consts, depth + 1)}"
    return type(value).__qualname__ + _object(value, depth)


def _object(value: Any, depth: int) -> str:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        shown = [field.name for field in dataclasses.fields(value) if field.repr]
        return _fields(((name, getattr(value, name, None)) for name in shown), depth)
    if isinstance(value, type):
        return f" {value.__qualname__}"
    return _fields(getattr(value, "__dict__", {}).items(), depth)


def _fields(items: Iterable[tuple[Any, Any]], depth: int) -> str:
    return "(" + ", ".join(f"{_structure(k, depth + 1)}={_structure(v, depth + 1)}" for k, v in items) + ")"


def _function(function: FunctionType, depth: int) -> str:
    code, cells = function.__code__, function.__closure__ or ()
    held = [_structure(cell.cell_contents, depth + 1) for cell in cells if _is_filled(cell)]
    return f"{function.__qualname__} {_structure(code, depth + 1)} {code.co_names} {held}"


def _is_filled(cell: Any) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True
