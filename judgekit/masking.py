"""Secrets go nowhere: values that look like keys, and every key we were handed, are masked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from judgekit.jsonable import json_line, parse_json

__all__ = ["KEY_PATTERNS", "MASK", "Masker"]

MASK = "[masked]"
_SHORTEST_SECRET = 8
_FIELD_NAME = re.compile("[a-z_]+")

# Each pattern stands behind a literal that must occur first: `in` scans a line far faster than `re`.
# Patterns never match a quote or a backslash, so that masking a line of JSON leaves it JSON.
KEY_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (literal, re.compile(pattern))
    for literal, pattern in (
        ("sk-", r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{8,}"),
        ("sk_", r"(?<![A-Za-z0-9])sk_(?:live|test)_[A-Za-z0-9]{8,}"),
        ("AKIA", r"(?<![A-Za-z0-9])AKIA[A-Z0-9]{16}"),
        ("ASIA", r"(?<![A-Za-z0-9])ASIA[A-Z0-9]{16}"),
        ("AIza", r"(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{30,}"),
        ("gh", r"(?<![A-Za-z0-9])gh[opusr]_[A-Za-z0-9]{20,}"),
        ("github_pat_", r"github_pat_[A-Za-z0-9_]{20,}"),
        ("glpat-", r"glpat-[A-Za-z0-9_-]{16,}"),
        ("hf_", r"(?<![A-Za-z0-9])hf_[A-Za-z0-9]{20,}"),
        ("gsk_", r"(?<![A-Za-z0-9])gsk_[A-Za-z0-9]{20,}"),
        ("xai-", r"(?<![A-Za-z0-9])xai-[A-Za-z0-9]{20,}"),
        ("pplx-", r"(?<![A-Za-z0-9])pplx-[A-Za-z0-9]{20,}"),
        ("xox", r"xox[abposr]-[A-Za-z0-9-]{10,}"),
        ("eyJ", r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
        ("earer ", r"(?<=[Bb]earer )[A-Za-z0-9._~+/=-]{12,}"),
        ("PRIVATE KEY-----", r"-----BEGIN [A-Z ]*PRIVATE KEY-----[^\"]*?-----END [A-Z ]*PRIVATE KEY-----"),
    )
)


class Masker:
    """Masks secrets in text. Keys that judges and agents were given are added as they become known.

    Secrets under 8 characters are left alone: `x` and `none` are what local servers get as keys, and
    masking them would eat the text.
    """

    __slots__ = ("_secrets",)

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets: dict[str, None] = {}
        for secret in secrets:
            self.add(secret)

    def add(self, secret: str | None) -> None:
        """Mask this value from now on, also as it is spelled inside JSON."""
        if secret and len(secret.strip()) >= _SHORTEST_SECRET:
            self._secrets[secret.strip()] = None
            self._secrets[json_line(secret.strip())[1:-1]] = None

    def masked(self, text: str) -> str:
        """The text with every secret replaced by `[masked]`."""
        for secret in self._secrets:
            if secret in text:
                text = text.replace(secret, MASK)
        return _without_keys(text)

    def masked_json(self, data: Any) -> str:
        """`data` as a line of JSON with every secret in its texts masked."""
        line = json_line(data)
        if any(secret in line for secret in self._secrets):
            # A secret may read like a number, a field's name or the punctuation of the line itself.
            line = json_line(self._masked_data(parse_json(line)))
        return _without_keys(line)

    def _masked_data(self, data: Any) -> Any:
        if isinstance(data, str):
            return self.masked(data)
        if isinstance(data, list):
            return [self._masked_data(item) for item in data]
        if isinstance(data, dict):
            return {self._masked_name(name): self._masked_data(item) for name, item in data.items()}
        return data

    def _masked_name(self, name: str) -> str:
        """Names of fields stay, or nobody could read the line; users' own names are masked like values."""
        return name if _FIELD_NAME.fullmatch(name) else self.masked(name)


def _without_keys(text: str) -> str:
    for literal, pattern in KEY_PATTERNS:
        if literal in text:
            text = pattern.sub(MASK, text)
    return text
