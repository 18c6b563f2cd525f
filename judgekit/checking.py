"""Checks of the fields of evidence and results: what no report could hold is refused where it is written."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from judgekit.errors import InvalidArgument

__all__ = ["check_amount", "check_count", "check_flag", "check_texts", "is_finite_number", "items_of"]

_NOUNS: Mapping[type, str] = {Mapping: "chat messages", str: "texts"}


def is_finite_number(value: object) -> bool:
    """Whether `value` is a finite int or float and no bool."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    # A whole number may lie beyond every float, where `math.isfinite` raises.
    return -sys.float_info.max <= value <= sys.float_info.max


def check_count(owner: str, name: str, value: object) -> None:
    """Refuse what is neither None nor a whole number from 0 up."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= sys.maxsize:
        raise InvalidArgument(f"{owner}: `{name}` must be a whole number >= 0 or None, got {value!r:.80}")


def check_amount(owner: str, name: str, value: float | None) -> None:
    """Refuse what is neither None nor a finite number from 0 up."""
    if value is not None and (not is_finite_number(value) or value < 0):
        raise InvalidArgument(f"{owner}: `{name}` must be a finite number >= 0 or None, got {value!r:.80}")


def check_texts(owner: str, holder: object, *names: str) -> None:
    """Refuse fields that are neither None nor text, such as an exception in the place of its text."""
    for name in names:
        value = getattr(holder, name)
        if value is not None and not isinstance(value, str):
            raise InvalidArgument(
                f"{owner}: `{name}` must be text or None, got {type(value).__name__}; write str(...)"
            )


def check_flag(owner: str, name: str, value: object) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(value, bool):
        raise InvalidArgument(f"{owner}: `{name}` must be True or False, got {value!r}")


def items_of(owner: str, name: str, value: object, kind: type) -> tuple[Any, ...]:
    """The items of a list, each of which must be a `kind`."""
    noun = _NOUNS.get(kind) or f"{kind.__name__} objects"
    if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
        raise InvalidArgument(f"{owner}: `{name}` must be a list of {noun}, got {value!r:.80}")
    items = tuple(value)
    for item in items:
        if not isinstance(item, kind):
            raise InvalidArgument(f"{owner}: `{name}` must hold {noun}, got {type(item).__name__}")
    return items
