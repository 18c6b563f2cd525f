"""Tested text in Markdown, in which it stays text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from judgekit.text import one_line

__all__ = ["NAME_LIMIT", "code", "fenced"]

NAME_LIMIT = 120
_BACKTICKS = re.compile("`+")


def code(text: str, limit: int = NAME_LIMIT) -> str:
    """Text as a code span, in which Markdown reads nothing; right in a table cell too."""
    parts = one_line(text, limit).split("|")
    # A table is split at every pipe, in code too; as an entity it is none, but only outside of code.
    return "&#124;".join(_span(part) for part in parts)


def _span(text: str) -> str:
    if not text.strip():
        return text
    fence = "`" * (_longest_run(text) + 1)
    pad = " " if text[0] in "` " or text[-1] in "` " else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def fenced(lines: Iterable[str]) -> Iterator[str]:
    """Lines as a code block that none of them ends."""
    kept = list(lines)
    fence = "`" * max(3, 1 + max(map(_longest_run, kept), default=0))
    yield f"{fence}text"
    yield from kept
    yield fence


def _longest_run(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text)), default=0)
