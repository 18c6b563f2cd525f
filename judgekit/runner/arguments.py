"""Checks of what the methods of an experiment are given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike, fspath

from judgekit.checking import is_finite_number
from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalCase

__all__ = ["checked_alpha", "checked_group", "checked_whole"]


def checked_group(cases: object) -> Iterable[EvalCase]:
    """One case, or several in a list."""
    if isinstance(cases, EvalCase):
        return (cases,)
    group = tuple(cases) if isinstance(cases, Iterable) and not isinstance(cases, str) else (cases,)
    for case in group:
        if not isinstance(case, EvalCase):
            raise InvalidArgument(f"`cases` must hold EvalCase objects, got {case!r}{_instead(case)}")
    return group


def _instead(case: object) -> str:
    if isinstance(case, str | PathLike):
        return f"; for a file write load_interactions({fspath(case)!r})"
    return "; write EvalCase(...)" if isinstance(case, Mapping) else ""


def checked_whole(name: str, value: object) -> int:
    """A whole number that is at least 1."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidArgument(f"`{name}` must be a whole number >= 1, got {value!r}")
    return value


def checked_alpha(value: float) -> float:
    """A chance of error: above 0 and below 1."""
    if not is_finite_number(value) or not 0 < value < 1:
        raise InvalidArgument(f"`stop_early`: `alpha` must be above 0 and below 1, got {value!r}; write 0.05")
    return float(value)
