"""Verdict schemas of one's own: a pydantic class or a JSON Schema."""

from __future__ import annotations

import copy
import functools
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from judgekit.checking import is_finite_number
from judgekit.errors import InvalidArgument
from judgekit.jsonable import json_line, json_text
from judgekit.judging.criterion import Criterion
from judgekit.judging.reading import Malformed
from judgekit.judging.schemas import Reading, VerdictSchema
from judgekit.providers.base import AnswerFormat, Unusable
from judgekit.text import first_line, one_line

__all__ = ["OwnCriterion", "own_schema"]

_KNOWN = frozenset(
    {
        "$anchor", "$comment", "$defs", "$dynamicAnchor", "$dynamicRef", "$id", "$ref", "$schema",
        "$vocabulary", "additionalProperties", "allOf", "anyOf", "const", "contains", "contentEncoding",
        "contentMediaType", "contentSchema", "default", "definitions", "dependentRequired",
        "dependentSchemas", "deprecated", "description", "discriminator", "else", "enum", "examples",
        "exclusiveMaximum", "exclusiveMinimum", "format", "if", "items", "maxContains", "maxItems",
        "maxLength", "maxProperties", "maximum", "minContains", "minItems", "minLength", "minProperties",
        "minimum", "multipleOf", "not", "oneOf", "pattern", "patternProperties", "prefixItems",
        "properties", "propertyNames", "readOnly", "required", "then", "title", "type",
        "unevaluatedItems", "unevaluatedProperties", "uniqueItems", "writeOnly",
    }
)  # fmt: skip
_OF_SCHEMAS = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
_COMPOSED = frozenset({"allOf", "anyOf", "oneOf", "$ref", "if", "unevaluatedProperties", "patternProperties"})


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnCriterion(Criterion):
    """A question answered in a schema of one's own.

    Attributes:
        schema: A pydantic class or a JSON Schema.
        passes: Decides from the verdict, an object of the class or a dict; None: the schema's `score` does.
    """

    schema: Any = None
    passes: Callable[[Any], bool] | None = None

    @property
    def brings_schema(self) -> bool:
        """Always: that is its point."""
        return True

    @property
    def needs_model(self) -> bool:
        """A judge that only decides knows nothing of schemas."""
        return True

    def verdict_schema(self) -> VerdictSchema[Reading]:
        """The schema as given, and what decides."""
        return own_schema(self.schema, self.passes)

    def shaped_by(self) -> dict[str, Any]:
        """The schema belongs to what is measured."""
        # Not zero-argument `super()`: a slotted dataclass is a new class, which it does not find.
        return {**Criterion.shaped_by(self), "schema": self.verdict_schema().format.text}


def own_schema(definition: Any, passes: Callable[[Any], bool] | None = None) -> VerdictSchema[Reading]:
    """The verdict schema of a pydantic class or a JSON Schema.

    Raises:
        InvalidArgument: It is neither, it is not valid, it points outside itself, or nothing in it decides.
    """
    if passes is not None and not callable(passes):
        raise InvalidArgument(f"`passes` must be a function of the verdict, got {passes!r}")
    if isinstance(definition, type) and hasattr(definition, "model_json_schema"):
        return _of_class(definition, passes)
    if isinstance(definition, Mapping):
        return _of_json(json_line(definition), passes)
    raise InvalidArgument(f"`schema` must be a pydantic class or a JSON Schema, got {definition!r}")


@functools.lru_cache(maxsize=128)
def _of_class(model: Any, passes: Callable[[Any], bool] | None) -> VerdictSchema[Reading]:
    schema = _checked(model.model_json_schema(), passes)

    def parse(data: dict[str, Any]) -> Any:
        from pydantic import ValidationError

        try:
            return model.model_validate_json(json_line(data), strict=True)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(step) for step in first["loc"]) or "the verdict"
            raise Malformed(f'"{where}": {first["msg"]}') from None

    return _schema(schema, parse, passes)


@functools.lru_cache(maxsize=128)
def _of_json(text: str, passes: Callable[[Any], bool] | None) -> VerdictSchema[Reading]:
    import json

    return _schema(_checked(json.loads(text), passes), lambda data: data, passes)


def _checked(schema: dict[str, Any], passes: object) -> dict[str, Any]:
    from jsonschema import SchemaError

    try:
        _dialect(schema).check_schema(schema)
    except SchemaError as error:
        where = "/".join(str(step) for step in error.path) or "its top"
        raise InvalidArgument(
            f"`schema` is not a valid JSON Schema at {where}: {one_line(error.message)}"
        ) from None
    if schema.get("type") != "object" or not schema.get("properties"):
        raise InvalidArgument("`schema` must describe an object with properties")
    if passes is None and "score" not in schema["properties"]:
        raise InvalidArgument(
            "`schema` has no `score`, so give `passes=`, a function that decides from the verdict"
        )
    for node in _nodes(schema):
        _check_node(node, schema)
    return schema


def _dialect(schema: Mapping[str, Any]) -> Any:
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for

    return validator_for(schema, default=Draft202012Validator)


def _check_node(node: Mapping[str, Any], schema: Mapping[str, Any]) -> None:
    reference = node.get("$ref")
    if isinstance(reference, str) and not _resolves(reference, schema):
        raise InvalidArgument(f"`schema` refers to {reference!r}; only references inside the schema work")
    unknown = sorted(set(node) - _KNOWN)
    if unknown:
        warnings.warn(
            f"the verdict schema has the keyword {unknown[0]!r}, which JSON Schema does not know; "
            "nothing checks it",
            stacklevel=2,
        )


def _resolves(reference: str, schema: Any) -> bool:
    if not reference.startswith("#/"):
        return reference == "#"
    for step in reference[2:].split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(schema, Mapping) or name not in schema:
            return False
        schema = schema[name]
    return True


def _nodes(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, list):
        for item in node:
            yield from _nodes(item)
    if not isinstance(node, dict):
        return
    yield node
    for key, value in node.items():
        if key in _OF_SCHEMAS and isinstance(value, dict):
            for child in value.values():
                yield from _nodes(child)
        elif key not in ("enum", "const", "default", "examples", "required", "type"):
            yield from _nodes(value)


def _closed(schema: dict[str, Any]) -> dict[str, Any]:
    # A key that the schema does not name is refused, as in every schema of judgekit's own.
    closed = copy.deepcopy(schema)
    for node in _nodes(closed):
        if "properties" in node and not _COMPOSED & node.keys():
            node.setdefault("additionalProperties", False)
    return closed


def _schema(
    schema: dict[str, Any], parse: Callable[[dict[str, Any]], Any], passes: Callable[[Any], bool] | None
) -> VerdictSchema[Reading]:
    closed = _closed(schema)
    validator = _dialect(closed)(closed)

    def check(data: dict[str, Any]) -> Reading:
        errors = sorted(validator.iter_errors(data), key=lambda error: list(map(str, error.path)))
        if errors:
            raise Malformed("; ".join(_said(error) for error in errors[:5]))
        score = _passing(passes, parse(data)) if passes is not None else _score(data, parse)
        reason = data.get("reason")
        return Reading(reason if isinstance(reason, str) else one_line(json_text(data)), score)

    form = AnswerFormat("verdict", closed)
    instructions = (
        "Answer with one JSON object and nothing else: no code fence, no text around it, no other keys. "
        f"It follows this JSON Schema:\n{form.text}"
    )
    return VerdictSchema("own", form, frozenset(schema["properties"]), instructions, check)


def _said(error: Any) -> str:
    where = ".".join(str(step) for step in error.absolute_path)
    return f'"{where}": {one_line(error.message, 200)}' if where else one_line(error.message, 200)


def _score(data: dict[str, Any], parse: Callable[[dict[str, Any]], Any]) -> float:
    parse(data)
    score = data.get("score")
    if not is_finite_number(score):
        raise Malformed(f'"score" must be a number from 0 to 1, got {one_line(json_text(score), 60)}')
    if not 0 <= score <= 1:  # type: ignore[operator]
        raise Malformed(f'"score" is {score}, outside 0..1')
    return float(score) + 0.0  # type: ignore[arg-type]


def _passing(passes: Callable[[Any], bool], verdict: Any) -> float:
    try:
        passed = passes(verdict)
    except Exception as error:  # noqa: BLE001 - the user's code; a verdict it cannot read is no verdict
        raise Unusable("malformed", f"`passes` raised {first_line(error)}", again=False) from None
    if not isinstance(passed, bool):
        raise Unusable("malformed", f"`passes` must return True or False, got {passed!r}", again=False)
    return float(passed)
