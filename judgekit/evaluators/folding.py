"""Text as comparisons see it: case folded, and on request without typographic differences."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from judgekit.errors import InvalidArgument

__all__ = ["checked_text", "checked_texts", "fold", "typographic_difference"]

_QUOTES = dict.fromkeys(map(ord, "‘’‚‛′‵ʼʹ＇`´"), "'") | dict.fromkeys(map(ord, "“”„‟″‶«»＂"), '"')
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−﹘﹣－"), "-")
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))
_TYPOGRAPHY = str.maketrans(_QUOTES | _DASHES | _INVISIBLE)


def fold(text: str, *, normalize: bool = False) -> str:
    """The text case folded; with `normalize` also NFKC, plain quotes and dashes, single spaces."""
    if not normalize:
        return text.casefold()
    # Typography comes first: NFKC takes an acute accent apart into a space and a combining mark.
    plain = unicodedata.normalize("NFKC", text.translate(_TYPOGRAPHY)).casefold()
    return " ".join(unicodedata.normalize("NFKC", plain).split())


def normalized(text: str) -> str:
    """The text as `normalize=True` sees it, upper and lower case kept."""
    return " ".join(unicodedata.normalize("NFKC", text.translate(_TYPOGRAPHY)).split())


def typographic_difference(expected: str, text: str) -> str:
    """What alone keeps `expected` from standing in `text`: `U+2019`, `white space`; "" where it is more."""
    target = fold(expected, normalize=True)
    if not target or target not in fold(text, normalize=True):
        return ""
    passage = _shortest_with(target, text).casefold()
    differing = set(passage).symmetric_difference(expected.casefold())
    codes = sorted(ord(char) for char in differing if not " " <= char <= "~")
    return ", ".join(f"U+{code:04X}" for code in codes) or "white space"


def _shortest_with(target: str, text: str) -> str:
    """The passage of `text` that folds to `target`, found by halving from both ends."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high) // 2
        if target in fold(text[:middle], normalize=True):
            high = middle
        else:
            low = middle + 1
    head = text[:low]
    low, high = 0, len(head)
    while low < high:
        middle = (low + high + 1) // 2
        if target in fold(head[middle:], normalize=True):
            low = middle
        else:
            high = middle - 1
    return head[low:]


def checked_text(label: str, text: object) -> str:
    """A text to look for.

    Raises:
        InvalidArgument: It is blank, or no text.
    """
    if isinstance(text, int | float):
        raise InvalidArgument(f"{label}: a text must be a str, got {text!r}; write {str(text)!r}")
    if not isinstance(text, str) or not text.strip():
        raise InvalidArgument(f"{label}: a text must not be blank, got {text!r}")
    return text


def checked_texts(label: str, texts: Iterable[object], *, normalize: bool) -> tuple[str, ...]:
    """At least one text to look for, each checked.

    Raises:
        InvalidArgument: There is none, one is blank, or nothing of one is left to compare.
    """
    if isinstance(texts, str):
        raise InvalidArgument(f"{label}: texts must come as a tuple, got {texts!r}; write ({texts!r},)")
    found = tuple(texts)
    if not found:
        raise InvalidArgument(f"{label}: no text was given, so the check could never fail; write one")
    for text in found:
        if isinstance(text, list | tuple | set | frozenset):
            raise InvalidArgument(
                f"{label}: a text must be a str, got {text!r}; write the texts one by one, or *texts"
            )
        if not fold(checked_text(label, text), normalize=normalize):
            raise InvalidArgument(f"{label}: nothing of {text!r} is left to compare with normalize=True")
    return tuple(checked_text(label, text) for text in found)
