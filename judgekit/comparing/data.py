"""A comparison as plain JSON data, for machines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from judgekit.comparing.comparison import RunComparison

__all__ = ["FORMAT", "FORMAT_VERSION", "comparison_data"]

FORMAT = "judgekit-comparison"
FORMAT_VERSION = 1


def comparison_data(comparison: RunComparison) -> dict[str, Any]:
    """Every field by its name; verdicts as text, None where they are withheld."""
    data: dict[str, Any] = {"format": FORMAT, "format_version": FORMAT_VERSION, **_plain(comparison)}
    return {**data, "cases_needed": comparison.cases_needed}


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {_key(key): _plain(held) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(held) for held in value]
    return value


def _key(key: Any) -> str:
    """Categories are keys too: True becomes `true`, as in JSON."""
    return str(key).lower() if isinstance(key, bool) else str(key)
