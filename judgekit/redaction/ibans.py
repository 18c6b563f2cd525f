"""Where a text holds an account number: IBAN, with the length of its country and its check digits."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["ibans"]

# Lengths by country: the IBAN registry of SWIFT, release 99.
_LENGTHS = {
    country: int(length)
    for length, countries in (
        ("15", "NO"),
        ("16", "BE"),
        ("18", "DK FI FK FO GL NL SD"),
        ("19", "MK SI"),
        ("20", "AT BA EE KZ LT LU MN XK"),
        ("21", "CH HR LI LV"),
        ("22", "BG BH CR DE GB GE IE ME RS VA"),
        ("23", "AE GI IL IQ OM SO TL"),
        ("24", "AD CZ ES MD PK RO SA SE SK TN VG"),
        ("25", "LY PT ST"),
        ("26", "IS TR"),
        ("27", "BI DJ FR GR IT MC MR SM"),
        ("28", "AL AZ BY CY DO GT HU LB NI PL SV"),
        ("29", "BR EG PS QA UA"),
        ("30", "JO KW MU YE"),
        ("31", "MT SC"),
        ("32", "LC"),
        ("33", "RU"),
    )
    for country in countries.split()
}
_START = re.compile("(?<![A-Za-z0-9])[A-Za-z]{2}[0-9]{2}(?=[ -]?[A-Za-z0-9])")
_NEXT = re.compile("[ \u00a0-]?[A-Za-z0-9]")


def ibans(text: str) -> Iterator[tuple[int, int]]:
    """Account numbers, in one piece or in groups."""
    for start in _START.finditer(text):
        length = _LENGTHS.get(start.group()[:2].upper(), 0)
        end = start.end()
        for _ in range(length - 4):
            step = _NEXT.match(text, end)
            if step is None:
                break
            end = step.end()
        whole = re.sub("[^A-Za-z0-9]", "", text[start.start() : end])
        if length and len(whole) == length and not text[end : end + 1].isalnum() and _is_valid(whole):
            yield start.start(), end


def _is_valid(number: str) -> bool:
    """ISO 13616: read as digits, the check digits last, it leaves 1 when divided by 97."""
    digits = "".join(str(int(sign, 36)) for sign in number[4:] + number[:4])
    return int(digits) % 97 == 1
