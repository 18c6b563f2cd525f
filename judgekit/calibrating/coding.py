"""Labels as values: pass or fail, or a number; and the refusal of two codings that do not match."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from judgekit.datasets.rows import BadRow
from judgekit.errors import InvalidArgument
from judgekit.judging import Levels, Scale
from judgekit.statistics.coding import shared_categories
from judgekit.text import one_line

__all__ = ["check_coding", "label_value", "range_problem"]

_WORDS = {
    "pass": True, "passed": True, "yes": True, "true": True,
    "fail": False, "failed": False, "no": False, "false": False,
}  # fmt: skip


def label_value(value: Any, scale: Scale) -> bool | float | None:
    """One label: True or False, a number, or None where there is none.

    Raises:
        BadRow: It is something else.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return _finite(value)
    if isinstance(value, str):
        return _from_text(value.strip(), scale)
    raise BadRow(f"a label must be {_allowed(scale)}, got {type(value).__name__}")


def _from_text(text: str, scale: Scale) -> bool | float:
    if isinstance(scale, Levels) and text in scale.names:
        return scale.score_of(text)
    word = _WORDS.get(text.casefold())
    if word is not None:
        return word
    try:
        return _finite(float(text))
    except ValueError:
        shown = one_line(text, 40)
        raise BadRow(f"{shown!r} is no label; write {_allowed(scale)}") from None


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise BadRow(f"a label must be a finite number, got {value!r}; leave it out where there is none")
    return float(value)


def _allowed(scale: Scale) -> str:
    if isinstance(scale, Levels):
        return f"pass or fail, a number, or one of the levels {', '.join(scale.names)}"
    return "pass or fail, or a number"


def range_problem(value: bool | float | None, passes_at: float | None) -> str | None:
    """Why a label cannot be held against a score from 0 to 1; None where it can."""
    if value is None or isinstance(value, bool) or passes_at is not None or 0 <= value <= 1:
        return None
    return (
        f"{value:g} is no score from 0 to 1; give scores on the criterion's scale, or say from which number "
        "on a label is a pass: `passes_at`, on the command line --passes-at"
    )


def check_coding(
    raters: Sequence[Sequence[bool | float | None]],
    verdicts: Iterable[bool | float | None],
    passes_at: float | None,
) -> None:
    """Refuse raters that mix kinds of labels, and codes of humans and judge that do not match.

    Args:
        raters: The labels of each rater.
        verdicts: What the judge said, where that is stored.
        passes_at: From where a human label passes; then the two may have scales of their own.

    Raises:
        InvalidArgument: The label sets share no coding.
    """
    humans = [value for labels in raters for value in labels if value is not None]
    if humans:
        # All of them declared: only the kind is compared, since raters may use parts of one scale.
        shared_categories(raters, list(dict.fromkeys(humans)) if _one_kind(humans) else None)
    said = [value for value in verdicts if value is not None]
    codes = {*humans, *said}
    whole = all(not isinstance(value, bool) and float(value).is_integer() for value in codes)
    if passes_at is None and said and whole and not codes <= {0, 1}:
        try:
            shared_categories([humans, said])
        except InvalidArgument:
            raise InvalidArgument(
                f"the labels and the judge's verdicts do not share a coding: {_codes(humans)} against "
                f"{_codes(said)}; map both onto the same labels, or say from which number on a label is a "
                "pass: `passes_at`, on the command line --passes-at"
            ) from None


def _codes(values: Iterable[bool | float]) -> str:
    found = sorted(set(values))
    return ", ".join(f"{value:g}" for value in found[:6]) + (", ..." if len(found) > 6 else "")


def _one_kind(values: Sequence[bool | float]) -> bool:
    return len({isinstance(value, bool) for value in values}) == 1
