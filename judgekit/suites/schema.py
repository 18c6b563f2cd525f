"""The JSON Schema of a YAML suite, for editors; made from the signatures of what a suite may name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from judgekit.suites.calling import MEANT, checks, criteria, parameters_of, rules

__all__ = ["CASE_KEYS", "FILE_KEYS", "JUDGE_KEYS", "SUITE_KEYS", "suite_schema"]

SUITE_KEYS = (
    "name", "agent", "judge", "cases", "evaluators", "gate", "repeat", "concurrency", "timeout", "max_cost",
    "stop_early",
)  # fmt: skip
CASE_KEYS = ("id", "command", "evaluators", "reply", "messages", "tags", "metadata")
FILE_KEYS = ("file", "asked", "reply", "messages", "expected", "id")
JUDGE_KEYS = (
    "model", "system_message", "prompt", "prompts", "schema", "temperature", "samples", "score_from",
    "timeout", "attempts", "deadline", "api_base", "max_tokens", "cache", "params", "rung",
)  # fmt: skip

_TEXT = {"type": "string", "minLength": 1}
_COUNT = {"type": "integer", "minimum": 1}
_MESSAGE = {"type": "object", "properties": {"role": {"type": ["string", "null"]}}}
_SECONDS = {"type": "number", "exclusiveMinimum": 0}
_SHARE = {"type": "number", "minimum": 0, "maximum": 1}


def suite_schema() -> dict[str, Any]:
    """The schema, JSON Schema 2020-12."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A judgekit suite",
        "type": "object",
        "required": ["cases"],
        "additionalProperties": False,
        "properties": {
            "name": _TEXT,
            "agent": {"type": "string", "pattern": r"^[^:]+:[A-Za-z_]\w*$"},
            "judge": {"oneOf": [_TEXT, _judge()]},
            "cases": {"oneOf": [_list("case"), _file()]},
            "evaluators": {"type": "array", "items": {"$ref": "#/$defs/evaluator"}},
            "gate": {"oneOf": [{"$ref": "#/$defs/gate"}, _list("gate")]},
            "repeat": _COUNT,
            "concurrency": _COUNT,
            "timeout": _SECONDS,
            "max_cost": {"type": "number", "minimum": 0},
            "stop_early": {"oneOf": [{"type": "boolean"}, _early()]},
        },
        "$defs": {
            "case": _case(),
            "evaluator": _entry(checks(), bound=False, more=_entry(criteria(), bound=True)),
            "gate": _entry(rules(), bound=False),
        },
    }


def _list(name: str) -> dict[str, Any]:
    return {"type": "array", "minItems": 1, "items": {"$ref": f"#/$defs/{name}"}}


def _judge() -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["model"],
        "additionalProperties": False,
        "properties": {
            **{key: {} for key in JUDGE_KEYS},
            "model": _TEXT,
            "samples": _COUNT,
            "attempts": _COUNT,
            "timeout": _SECONDS,
            "temperature": {"type": ["number", "null"], "minimum": 0, "maximum": 2},
        },
    }


def _file() -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["file"],
        "additionalProperties": False,
        "properties": dict.fromkeys(FILE_KEYS, _TEXT),
    }


def _early() -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "alpha": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
            "seed": {"type": "integer", "minimum": 0},
        },
    }


def _case() -> dict[str, Any]:
    known: dict[str, Any] = {
        "id": _TEXT,
        "command": {"not": {"enum": [None, ""]}},
        "evaluators": {"type": "array", "items": {"$ref": "#/$defs/evaluator"}},
        "reply": {"type": "string"},
        "messages": {"type": "array", "items": _MESSAGE},
        "tags": {"type": "array", "items": {"type": "string"}},
        "metadata": {"type": "object"},
    }
    return {
        "type": "object",
        "required": ["id", "command"],
        "additionalProperties": False,
        "properties": {key: known[key] for key in CASE_KEYS},
    }


def _entry(
    known: dict[str, Callable[..., Any]], *, bound: bool, more: dict[str, Any] | None = None
) -> dict[str, Any]:
    """A name, where nothing has to be given, or one `name: arguments`."""
    bare = [name for name, function in known.items() if not _needed(function, bound=bound)]
    properties = {name: _arguments(function, bound=bound) for name, function in known.items()}
    if more is not None:
        bare += more["oneOf"][0]["enum"]
        properties |= more["oneOf"][1]["properties"]
    mapping = {
        "type": "object",
        "minProperties": 1,
        "maxProperties": 1,
        "additionalProperties": False,
        "properties": properties,
    }
    return {"oneOf": [{"enum": bare}, mapping]}


def _needed(function: Callable[..., Any], *, bound: bool) -> list[str]:
    parameters = parameters_of(function, bound=bound)
    return [
        one.name
        for one in parameters
        if one.kind is one.VAR_POSITIONAL or (one.default is one.empty and one.kind is not one.VAR_KEYWORD)
    ]


def _arguments(function: Callable[..., Any], *, bound: bool) -> dict[str, Any]:
    """What may stand behind a name: arguments by name, by position, or the only one."""
    parameters = parameters_of(function, bound=bound)
    needed = _needed(function, bound=bound)
    description = {"description": (inspect.getdoc(function) or "").partition("\n")[0]}
    nothing = [] if needed else [{"type": "null"}]
    if parameters and "Mapping" in str(parameters[0].annotation):
        return {**description, "oneOf": [{"type": "object"}, *nothing]}
    positional = [one for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.VAR_POSITIONAL)]
    named = {
        "type": "object",
        "additionalProperties": False,
        "required": needed,
        "properties": {one.name: _value(one) for one in parameters},
    }
    listed: dict[str, Any] = {"type": "array", "minItems": len(needed)}
    if all(one.kind is not one.VAR_POSITIONAL for one in parameters):
        listed["maxItems"] = len(positional)
    meant = [one for one in parameters if one.name == MEANT.get(function.__name__)] or positional
    alone = bool(positional) and len(needed) <= 1
    single = [{"type": ["string", "number", "boolean"], **_value(meant[0])}] if alone else []
    return {**description, "oneOf": [named, listed, *single, *nothing]}


def _value(parameter: inspect.Parameter) -> dict[str, Any]:
    """What is sure about a value; the rest is checked when the suite is read."""
    if parameter.name == "kappa":
        return {"type": "number", "minimum": -1, "exclusiveMaximum": 1}
    if parameter.name == "confidence":
        return {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}
    if parameter.name == "seconds":
        return {**_SECONDS, "type": ["number", "null"]}
    return dict(_SHARE) if parameter.name in ("rate", "score", "threshold") else {}
