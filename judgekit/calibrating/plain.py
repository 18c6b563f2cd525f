"""Results of statistics as plain JSON data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

__all__ = ["plain"]

_PASSES = {True: "pass", False: "fail"}


def plain(value: Any) -> Any:
    """Dataclasses as objects, tuples as lists, pass and fail in place of booleans as names."""
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {_PASSES[k] if isinstance(k, bool) else str(k): plain(held) for k, held in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value
