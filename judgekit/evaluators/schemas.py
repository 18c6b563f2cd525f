"""JSON Schemas that are checked when a check is built, and that never fetch anything."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from datetime import datetime
from difflib import get_close_matches
from typing import Any

import regex
from jsonschema import FormatChecker, ValidationError, validators
from jsonschema.exceptions import SchemaError
from jsonschema.protocols import Validator
from referencing import Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import EMPTY_REGISTRY, specification_with

from judgekit.errors import InvalidArgument
from judgekit.text import one_line

__all__ = ["checked_schema"]

PATTERN_SECONDS = 2.0

_DRAFTS: tuple[type[Validator], ...] = (
    validators.Draft3Validator,
    validators.Draft4Validator,
    validators.Draft6Validator,
    validators.Draft7Validator,
    validators.Draft201909Validator,
    validators.Draft202012Validator,
)
_CHECKING = frozenset(keyword for draft in _DRAFTS for keyword in draft.VALIDATORS) | {
    "then",
    "else",
    "minContains",
    "maxContains",
}
_SAYING_NOTHING = frozenset(
    {
        "$schema",
        "$id",
        "id",
        "$anchor",
        "$dynamicAnchor",
        "$recursiveAnchor",
        "$vocabulary",
        "$comment",
        "$defs",
        "definitions",
        "title",
        "description",
        "default",
        "example",
        "examples",
        "deprecated",
        "readOnly",
        "writeOnly",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "nullable",
        "discriminator",
        "xml",
        "externalDocs",
    }
)
_COMPANIONS = {"if": ("then", "else"), "contains": ("minContains", "maxContains")}
_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\dt\d\d:\d\d:\d\d(\.\d+)?(z|[+-]\d\d:\d\d)", re.IGNORECASE | re.ASCII)


def checked_schema(label: str, schema: Any) -> Validator:
    """A validator for the schema, which is checked first and copied.

    Raises:
        InvalidArgument: It is no schema, allows everything, refers to something outside itself or to
            nothing, or holds a misspelt keyword.
    """
    if not isinstance(schema, Mapping):
        raise InvalidArgument(f"{label}: `schema` must be a mapping, got {schema!r}")
    own = deepcopy(dict(schema))
    draft = _draft(label, own)
    try:
        draft.check_schema(own)
    except SchemaError as error:
        place = one_line(error.json_path)
        raise InvalidArgument(
            f"{label}: the schema is wrong at {place}: {one_line(error.message)}"
        ) from error
    if not _CHECKING.intersection(own):
        raise InvalidArgument(
            f"{label}: the schema allows everything; leave `schema` out where any JSON will do"
        )
    _check_parts(label, own, draft)
    return _validator(label, own, draft)


def _draft(label: str, schema: dict[str, Any]) -> type[Validator]:
    newest = validators.Draft202012Validator
    if "$schema" not in schema:
        return newest
    unknown: Any = object()
    found: Any = validators.validator_for(schema, default=unknown)
    if found is unknown:
        raise InvalidArgument(
            f"{label}: `$schema` names a draft that is not known, got {schema['$schema']!r}; "
            "write 'https://json-schema.org/draft/2020-12/schema'"
        )
    kind: type[Validator] = found
    return kind


def _check_parts(label: str, schema: dict[str, Any], draft: type[Validator]) -> None:
    """Every subschema: references that lead somewhere inside, keywords that mean something."""
    dialect = draft.META_SCHEMA.get("$schema", "")
    root = specification_with(dialect).create_resource(schema)
    base = root.id() or ""
    resolver = EMPTY_REGISTRY.with_resource(base, root).resolver(base)
    for part, here in _parts(root, resolver):
        for keyword in ("$ref", "$dynamicRef"):
            _check_reference(label, part.get(keyword), here)
        for keyword in part:
            _check_keyword(label, keyword, draft)


def _parts(resource: Resource[Any], resolver: Any) -> Iterator[tuple[dict[str, Any], Any]]:
    if isinstance(resource.contents, dict):
        yield resource.contents, resolver
    for part in resource.subresources():
        yield from _parts(part, resolver.in_subresource(part))


def _check_reference(label: str, reference: object, resolver: Any) -> None:
    if not isinstance(reference, str):
        return
    try:
        resolver.lookup(reference)
    except Unresolvable as error:
        raise InvalidArgument(
            f"{label}: the schema refers to {reference!r}, which it does not hold, and nothing is fetched; "
            'put it under "$defs" and write {"$ref": "#/$defs/..."}'
        ) from error


def _check_keyword(label: str, keyword: str, draft: type[Validator]) -> None:
    known = set(draft.VALIDATORS) | _SAYING_NOTHING
    for keyword_with, companions in _COMPANIONS.items():
        if keyword_with in draft.VALIDATORS:
            known.update(companions)
    if keyword in known or keyword.startswith("x-"):
        return
    if keyword in _CHECKING:
        raise InvalidArgument(
            f"{label}: the schema's keyword {keyword!r} means nothing in its draft, so it would check nothing"
        )
    lowered = {name.lower(): name for name in known & _CHECKING}
    near = get_close_matches(keyword.lower(), lowered, n=1, cutoff=0.8)
    if near:
        raise InvalidArgument(
            f"{label}: the schema's keyword {keyword!r} is not known and would check nothing; "
            f"write {lowered[near[0]]!r}, or 'x-{keyword}' where it is a note of your own"
        )


def _validator(label: str, schema: dict[str, Any], draft: type[Validator]) -> Validator:
    formats = FormatChecker(formats=())
    formats.checkers = {**draft.FORMAT_CHECKER.checkers, "date-time": (_is_date_time, ValueError)}
    limited: dict[str, Any] = {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
    }
    extend: Any = validators.extend
    validator: Validator = extend(draft, limited)(schema, registry=EMPTY_REGISTRY, format_checker=formats)
    try:
        validator.is_valid(None)
    except RecursionError as error:
        raise InvalidArgument(f"{label}: the schema refers to itself without end") from error
    return validator


def _is_date_time(value: object) -> bool:
    if not isinstance(value, str):
        return True
    return bool(_DATE_TIME.fullmatch(value)) and bool(datetime.fromisoformat(value.upper()))


def _found(pattern: str, text: str) -> bool:
    # jsonschema would use `re`, which a reply can keep busy for ever.
    return regex.search(pattern, text, timeout=PATTERN_SECONDS) is not None


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if validator.is_type(instance, "string") and not _found(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(
    validator: Any, patterns: Mapping[str, Any], instance: Any, schema: Any
) -> Iterator[ValidationError]:
    if not validator.is_type(instance, "object"):
        return
    for pattern, subschema in patterns.items():
        for name, value in instance.items():
            if _found(pattern, name):
                yield from validator.descend(value, subschema, path=name, schema_path=pattern)


def _additional_properties(
    validator: Any, allowed: Any, instance: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    if not validator.is_type(instance, "object"):
        return
    named, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    extra = [
        name for name in instance if name not in named and not any(_found(each, name) for each in patterns)
    ]
    if validator.is_type(allowed, "object"):
        for name in extra:
            yield from validator.descend(instance[name], allowed, path=name)
    elif not allowed and extra:
        yield ValidationError(f"{', '.join(map(repr, extra))} not allowed")
