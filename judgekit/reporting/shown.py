"""Tested text as report files show it: whole lines, nothing invisible or overwriting, cut with a note."""

from __future__ import annotations

from judgekit.text import visible

__all__ = ["shown"]

# Persian and emoji are spelled with the two joiners; unlike bidi controls they hide and move nothing.
_JOINERS = ("\u200c", "\u200d")


def shown(text: str, limit: int | None = None) -> str:
    r"""The text with line feeds and tabs as they are, and controls and bidi characters written out (`\x1b`).

    Args:
        text: What an agent, a tool or a judge said.
        limit: Characters to show; a longer text ends with a note of how many are left out.
    """
    if limit is not None and len(text) > limit:
        return f"{shown(text[:limit])}… ({len(text) - limit:,} more characters)"
    return _kept(text.replace("\r\n", "\n"), _JOINERS)


def _kept(text: str, joiners: tuple[str, ...]) -> str:
    if not joiners:
        return visible(text)
    first, *rest = joiners
    return first.join(_kept(part, tuple(rest)) for part in text.split(first))
