"""Text as reports show it: one line, nothing that moves a terminal, numbers that do not mislead."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

__all__ = [
    "bracketed",
    "counted",
    "first_line",
    "folded",
    "milliseconds",
    "one_line",
    "shown_apart",
    "visible",
]

LINE_LIMIT = 200

# C0 and C1 controls, bidi marks and overrides, zero-width characters, line separators, lone surrogates.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_UNSAFE_OR_BREAK = re.compile(_UNSAFE.pattern[:-1] + "\r]")


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible(text: str) -> str:
    r"""The text with every control, bidi and invisible character written out (`\x1b`).

    Tabs and line feeds stay; a carriage return is written out, since it can overwrite a line.
    """
    return _UNSAFE_OR_BREAK.sub(_escape, text)


def folded(text: str) -> str:
    """The text with every run of white space as one space."""
    return " ".join(text.split())


def one_line(text: str, limit: int = LINE_LIMIT) -> str:
    """One safe line of at most `limit` characters: white space folded, controls visible, cut with `…`."""
    # Cutting first keeps a 1 MB reply cheap; four times the limit leaves room for what folding removes.
    head = text[: limit * 4 + 64]
    line = _UNSAFE.sub(_escape, folded(head))
    if len(line) <= limit and len(head) < len(text):
        line = _UNSAFE.sub(_escape, folded(text))
    return line if len(line) <= limit else line[: limit - 1] + "…"


def first_line(error: BaseException) -> str:
    """`ValueError: text` of an exception, on one line; the bare type where it has no text."""
    try:
        text = one_line(str(error))
    except Exception:  # noqa: BLE001 - an exception whose text cannot be had must not end a run
        text = ""
    name = type(error).__name__
    return f"{name}: {text}" if text else name


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """`1 case`, `2 cases`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def bracketed(items: Iterable[object]) -> str:
    """`[a, b]`, each item as its own text."""
    return "[" + ", ".join(str(item) for item in items) + "]"


def milliseconds(seconds: float) -> str:
    """`550 ms`; a fraction only below ten milliseconds."""
    value = seconds * 1000
    if value and value < 10:
        return f"{value:.3g} ms"
    return f"{math.floor(value + 0.5)} ms"


def shown_apart(value: float, bound: float) -> tuple[str, str]:
    """Both numbers with two decimals, or as many more as keep unequal numbers from looking equal."""
    for digits in range(2, 10):
        left, right = f"{value:.{digits}f}", f"{bound:.{digits}f}"
        if left != right or abs(value - bound) <= 1e-9:
            return (f"{value:.2f}", f"{bound:.2f}") if abs(value - bound) <= 1e-9 else (left, right)
    return repr(value), repr(bound)
