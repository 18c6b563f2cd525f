"""Fences around tested text: it can neither close one nor open another."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["PART_LIMIT", "Fenced", "fence"]

PART_LIMIT = 100_000
"""Characters of one part that reach a judge; a longer part is visibly cut in the middle."""

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Fenced:
    """Parts of a prompt, each between two lines that hold a marker found in none of them.

    Attributes:
        parts: The fenced text by the part's name.
        marker: What both lines of every fence carry.
        notes: One sentence for each part that was cut or changed.
    """

    parts: Mapping[str, str]
    marker: str
    notes: tuple[str, ...]


def fence(parts: Mapping[str, str], *, limit: int = PART_LIMIT) -> Fenced:
    """Fence every part.

    The marker is a hash over all parts, so it is the same on every machine; a counter changes it until it
    occurs in none of them.

    Args:
        parts: Text by name. Names come from judgekit, never from tested text.
        limit: Characters of one part that are kept.
    """
    notes: list[str] = []
    cleaned = {name: _sendable(name, text, notes) for name, text in parts.items()}
    marker = _marker(cleaned)
    fenced = {
        name: f"<<<{name} {marker}\n{_cut(name, text, marker, limit, notes)}\n{name} {marker}>>>"
        for name, text in cleaned.items()
    }
    return Fenced(fenced, marker, tuple(notes))


def _sendable(name: str, text: str, notes: list[str]) -> str:
    # Lone surrogates cannot be encoded at all, and servers written in C end a text at its first NUL.
    clean = _SURROGATE.sub("\ufffd", text).replace("\x00", "\u2400")
    if clean != text:
        notes.append(f"characters that cannot be sent were replaced in the {name}")
    return clean


def _marker(parts: Mapping[str, str]) -> str:
    digest = hashlib.sha256()
    for name, text in parts.items():
        digest.update(f"{name}\x00{len(text)}\x00{text}\x00".encode())
    # A model may not tell an upper-case marker from ours, so one that differs only in case is taken too.
    haystacks = [text.casefold() for text in parts.values()]
    counter = 0
    while True:
        marker = hashlib.sha256(digest.digest() + str(counter).encode()).hexdigest()[:16]
        if not any(marker in text for text in haystacks):
            return marker
        counter += 1


def _cut(name: str, text: str, marker: str, limit: int, notes: list[str]) -> str:
    if len(text) <= limit:
        return text
    head = limit - limit // 2
    tail = limit - head
    left_out = len(text) - limit
    notes.append(f"{left_out} characters in the middle of the {name} were left out")
    return f"{text[:head]}\n[{marker}: {left_out} characters left out here]\n{text[len(text) - tail :]}"
