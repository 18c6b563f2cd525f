"""Checks of the numbers that budgets and counts are built with."""

from __future__ import annotations

from datetime import timedelta

from judgekit.checking import is_finite_number
from judgekit.errors import InvalidArgument

__all__ = ["checked_count", "checked_seconds"]


def checked_count(label: str, name: str, value: object, *, minimum: int) -> int:
    """A whole number of at least `minimum`.

    Raises:
        InvalidArgument: It is none, or a bool.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < minimum:
        raise InvalidArgument(f"{label}: `{name}` must be a whole number from {minimum} up, got {value!r}")
    return value


def checked_seconds(label: str, name: str, value: object) -> float:
    """A finite number of seconds above 0; a timedelta is turned into one.

    Raises:
        InvalidArgument: It is none.
    """
    seconds = value.total_seconds() if isinstance(value, timedelta) else value
    if not is_finite_number(seconds) or not isinstance(seconds, int | float) or seconds <= 0:
        raise InvalidArgument(f"{label}: `{name}` must be a finite number above 0, got {value!r}")
    return seconds
