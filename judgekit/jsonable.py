"""JSON of whatever tools and agents hand over, and JSON equality.

Evidence may hold dates, decimals, bytes, sets, model objects and worse. Everything that leaves the
process goes through here: it becomes plain JSON (RFC 8259: no NaN, string keys, no lone surrogates).
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Mapping, Sequence, Set
from decimal import Decimal
from enum import Enum
from typing import Any

__all__ = [
    "DuplicateKey",
    "is_json_value",
    "json_equal",
    "json_line",
    "json_text",
    "jsonable",
    "parse_json",
]

_SURROGATE = re.compile("[\ud800-\udfff]")
_BRACKETS = re.compile(r"[\[\]{}]")
_DEPTH_LIMIT = 200
# Python refuses to write whole numbers of more than 4,300 digits.
_BITS_LIMIT = 14_000


class DuplicateKey(ValueError):
    """A JSON object carries one key twice; `key` is that key."""

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(f"the key {key!r} appears twice")

    def __reduce__(self) -> tuple[type[DuplicateKey], tuple[str]]:
        return type(self), (self.key,)


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise DuplicateKey(key)
            seen.add(key)
    return found


def parse_json(text: str, *, unique_keys: bool = False) -> Any:
    """Parse strict JSON: no NaN or Infinity, and with `unique_keys` no repeated key.

    Raises:
        ValueError: For everything that is not JSON, absurd nesting and 5,000-digit numbers included,
            so that one `except ValueError` is enough.
    """
    try:
        return json.loads(
            text,
            parse_constant=_refuse_constant,
            object_pairs_hook=_unique if unique_keys else None,
        )
    except RecursionError as error:
        raise ValueError("nested too deeply to be read") from error


def jsonable(value: Any, _above: tuple[int, ...] = ()) -> Any:
    """`value` as plain JSON data; what JSON has no type for becomes text."""
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        text = value.value if isinstance(value, Enum) else value
        return _SURROGATE.sub("\ufffd", str(text))
    if isinstance(value, Enum):
        return jsonable(value.value, _above)
    if isinstance(value, int):
        return int(value) if value.bit_length() <= _BITS_LIMIT else hex(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value))
    if id(value) in _above or len(_above) > _DEPTH_LIMIT:
        return "…"
    try:
        return _jsonable_object(value, (*_above, id(value)))
    except Exception:  # noqa: BLE001 - an object that cannot be converted must not cost a paid-for run
        return _text_of(value)


def _jsonable_object(value: Any, above: tuple[int, ...]) -> Any:
    if isinstance(value, Mapping):
        return {_key(key): jsonable(item, above) for key, item in value.items()}
    if isinstance(value, bytes | bytearray | memoryview):
        return jsonable(bytes(value).decode("utf-8", "backslashreplace"))
    if isinstance(value, Set):
        return jsonable("{" + ", ".join(sorted(repr(item) for item in value)) + "}")
    if isinstance(value, Sequence):
        return [jsonable(item, above) for item in value]
    if isinstance(value, Decimal):
        return str(value)
    if hasattr(value, "isoformat"):
        return jsonable(str(value.isoformat()))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: jsonable(getattr(value, f.name), above) for f in dataclasses.fields(value)}
    if hasattr(type(value), "model_dump"):
        return jsonable(value.model_dump(), above)
    return _text_of(value)


def _text_of(value: Any) -> str:
    try:
        return _SURROGATE.sub("\ufffd", str(value))
    except Exception:  # noqa: BLE001 - an object whose str() raises must not cost a paid-for run
        return f"<{type(value).__name__}>"


def _key(key: Any) -> str:
    plain = jsonable(key)
    return plain if isinstance(plain, str) else json_text(plain)


_fast = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=jsonable)
_readable = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def json_line(value: Any) -> str:
    """Compact JSON of `value` on one line, always encodable as UTF-8."""
    try:
        text = _fast.encode(value)
        text.encode()
    except Exception:  # noqa: BLE001 - a user's mapping may raise anything
        text = None
    # Rare: NaN, odd keys, lone surrogates, cycles, nesting too deep to be read. The slow walk cleans all.
    return _fast.encode(jsonable(value)) if text is None or _may_be_deep(text) else text


def _may_be_deep(text: str) -> bool:
    """Whether JSON may nest deeper than the limit; brackets in its strings count too, which harms nothing."""
    if text.count("[") + text.count("{") <= _DEPTH_LIMIT:
        return False
    depth = 0
    for bracket in _BRACKETS.findall(text):
        depth += 1 if bracket in "[{" else -1
        if depth > _DEPTH_LIMIT:
            return True
    return False


def json_text(value: Any) -> str:
    """Readable JSON of `value` (spaces after separators), non-Latin text as it is."""
    return _readable.encode(jsonable(value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def json_equal(expected: Any, actual: Any) -> bool:
    """JSON equality all the way down: 2 equals 2.0, true is not 1, "2" is not 2, absent is not null.

    An expected object that is no JSON value and has its own `__eq__` decides by itself.
    """
    if isinstance(expected, bool) or isinstance(actual, bool):
        if isinstance(expected, bool):
            return isinstance(actual, bool) and expected == actual
        return not is_json_value(expected) and bool(expected == actual)
    if _is_number(expected) and _is_number(actual):
        return bool(expected == actual)
    if isinstance(expected, str) and isinstance(actual, str):
        return str.__eq__(expected, actual)
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        return expected.keys() == actual.keys() and all(json_equal(v, actual[k]) for k, v in expected.items())
    if isinstance(expected, list | tuple) and isinstance(actual, list | tuple):
        return len(expected) == len(actual) and all(
            json_equal(e, a) for e, a in zip(expected, actual, strict=True)
        )
    if is_json_value(expected):
        return expected is None and actual is None
    return bool(expected == actual)


def is_json_value(value: Any) -> bool:
    """Whether JSON has a type for `value` itself; what it holds is not looked at."""
    return value is None or isinstance(value, bool | int | float | Decimal | str | Mapping | list | tuple)
