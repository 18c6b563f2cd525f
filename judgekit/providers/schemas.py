"""JSON Schemas as providers take them: without the keywords that strict modes refuse."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

__all__ = ["AnswerFormat", "Plain", "plain_schema", "strict_schema"]

Plain = dict[str, Any]

# Values are checked by the reader against the whole schema, so nothing is lost by not sending these.
_LEFT_OUT = frozenset(
    {
        "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
        "minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType",
        "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains",
        "minProperties", "maxProperties", "default", "examples", "title",
        "$schema", "$id", "$comment", "$anchor", "readOnly", "writeOnly", "deprecated",
    }
)  # fmt: skip
_OF_SCHEMAS = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
_OF_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_OF_ONE = (
    "items", "additionalProperties", "not", "if", "then", "else", "propertyNames",
    "unevaluatedItems", "unevaluatedProperties", "additionalItems",
)  # fmt: skip
_NOT_STRICT = frozenset(
    {
        "oneOf", "allOf", "not", "if", "then", "else", "patternProperties", "propertyNames", "prefixItems",
        "dependentRequired", "dependentSchemas", "unevaluatedItems", "unevaluatedProperties",
        "additionalItems", "$dynamicRef",
    }
)  # fmt: skip


class AnswerFormat:
    """The JSON Schema an answer must follow, prepared once for every rung of the ladder.

    Build one a schema and keep it: what is sent is worked out here and not per call.

    Attributes:
        name: The schema's name; providers take letters, digits, `_` and `-`.
        schema: The whole JSON Schema, bounds included. The reader checks all of it.
    """

    __slots__ = ("name", "native_json", "schema", "strict", "text", "tool_json")

    def __init__(self, name: str, schema: Mapping[str, Any]) -> None:
        self.name = name
        self.schema: Plain = dict(schema)
        sent, self.strict = strict_schema(schema)
        # Kept as JSON text: every call gets its own objects, since litellm changes what it is handed.
        self.native_json = json.dumps(
            {
                "type": "json_schema",
                "json_schema": {"name": name, "schema": sent, "strict": self.strict},
            }
        )
        description = "Give the answer. Every field as its description says."
        function = {"name": name, "description": description, "parameters": plain_schema(schema)}
        self.tool_json = json.dumps({"type": "function", "function": function})
        self.text = json.dumps(self.schema, ensure_ascii=False, separators=(",", ":"))

    def __repr__(self) -> str:
        return f"AnswerFormat({self.name!r})"


def plain_schema(schema: Mapping[str, Any]) -> Plain:
    """The schema without bounds and the other keywords that providers refuse; the shape stays."""
    plain: Plain = _plain(schema)
    return plain


def strict_schema(schema: Mapping[str, Any]) -> tuple[Plain, bool]:
    """The schema for a native strict mode, and whether it can be strict.

    Strict modes want every property required and no others allowed. A schema with free-form objects or
    with `oneOf`, `not` and the like cannot say that; it is sent with `strict` false.
    """
    plain = plain_schema(schema)
    if not _can_be_strict(plain):
        return plain, False
    _make_strict(plain)
    return plain, True


def _plain(node: Any) -> Any:
    if not isinstance(node, Mapping):
        return node
    found: Plain = {}
    for key, value in node.items():
        if key in _LEFT_OUT:
            continue
        if key in _OF_SCHEMAS and isinstance(value, Mapping):
            found[key] = {name: _plain(child) for name, child in value.items()}
        elif key in _OF_LISTS and isinstance(value, list | tuple):
            found[key] = [_plain(child) for child in value]
        elif key in _OF_ONE:
            found[key] = _plain(value)
        elif key == "const":
            found["enum"] = [value]
        else:
            found[key] = value
    return found


def _children(node: Plain) -> list[Any]:
    children: list[Any] = []
    for key in _OF_SCHEMAS:
        children.extend(node.get(key, {}).values())
    for key in _OF_LISTS:
        children.extend(node.get(key, ()))
    children.extend(node[key] for key in _OF_ONE if key in node)
    return children


def _can_be_strict(node: Any) -> bool:
    if not isinstance(node, dict):
        return not isinstance(node, bool) or node is False
    if _NOT_STRICT & node.keys():
        return False
    if _is_object(node) and (
        "properties" not in node or node.get("additionalProperties", False) is not False
    ):
        return False
    return all(_can_be_strict(child) for child in _children(node))


def _is_object(node: Plain) -> bool:
    kind = node.get("type")
    return kind == "object" or "properties" in node or (isinstance(kind, list) and "object" in kind)


def _make_strict(node: Any) -> None:
    if not isinstance(node, dict):
        return
    if _is_object(node):
        node["required"] = list(node["properties"])
        node["additionalProperties"] = False
    for child in _children(node):
        _make_strict(child)
