"""Where a text holds a key, a card number, an e-mail address or a phone number; accounts are in `ibans`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from judgekit.evaluators.cards import luhn_numbers, of_known_network
from judgekit.masking import KEY_PATTERNS

__all__ = ["Finder", "Found", "cards", "emails", "keys", "phones", "plainly_spelled"]

Found: TypeAlias = "tuple[int, int]"
Finder: TypeAlias = "Callable[[str], Iterator[Found]]"

_CARD_DIGITS = (13, 19)

# Formats that the masking of journals leaves alone, since some of them need their context to be told.
_MORE_KEYS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<![A-Za-z0-9])rk_(?:live|test)_[A-Za-z0-9]{8,}",
        r"(?<![A-Za-z0-9])whsec_[A-Za-z0-9+/=]{16,}",
        r"(?<![A-Za-z0-9])ya29\.[A-Za-z0-9_-]{16,}",
        r"(?<![A-Za-z0-9])SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
        r"(?<![A-Za-z0-9])(?:npm|dop_v1|doo_v1|lin_api|ntn|pscale_tkn|sbp|shp(?:at|ca|pa|ss)|nvapi|r8|dckr_pat|figd|jina|fw|sntry[su]|tvly|csk)[_-][A-Za-z0-9_-]{16,}",
        r"(?<![A-Za-z0-9])(?:pypi-AgEI|PMAK-|NRAK-|GOCSPX-|gl(?:dt|rt|ptt|ft|cbt|soat|imt|agent)-|tskey-|xapp-|dapi|hv[sbr]\.|dp\.pt\.|key-|1//0|AKCp)[A-Za-z0-9_-]{20,}",
        r"(?<![A-Za-z0-9])(?:AC|SK)[0-9a-f]{32}(?![A-Za-z0-9])",
        r"(?<![A-Za-z0-9])sq0(?:atp|csp)-[A-Za-z0-9_-]{20,}",
        r"(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{32,}",
        r"(?<![A-Za-z0-9])secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])",
        r"(?<![A-Za-z0-9])EAA(?=[A-Za-z]*[0-9])[A-Za-z0-9]{30,}",
        r"(?<![A-Za-z0-9])AGE-SECRET-KEY-1[A-Z0-9]{20,}",
        r"(?<![A-Za-z0-9])xox(?:c|d|e(?:\.xox[bp])?)-[A-Za-z0-9%-]{10,}",
        # Without a signature, and encrypted.
        r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}",
        r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]{8,}){3}",
        r"-----BEGIN PGP PRIVATE KEY BLOCK-----[^\"]*?-----END PGP PRIVATE KEY BLOCK-----",
        r"(?<=://)[^\s/:@\"'<>]*:[^\s/@\"'<>]+(?=@)",
        r"(?<=[Bb]asic )[A-Za-z0-9+/]{16,}={0,2}",
        r"(?<=BEARER )[A-Za-z0-9._~+/=-]{12,}",
        r"(?i)(?<=authorization: token )[^\s\"',;]{12,}",
        r"(?i)(?<=cookie: )[\w.-]+=[^\s;\"']+(?:; *[\w.-]+=[^\s;\"']+)*",
        r"(?i)(?<=[?&]sig=)[^\s&#\"'<>]{8,}",
        r"(?i)(?<=-signature=)[^\s&#\"'<>]{16,}",
        r"https://hooks\.slack\.com/services/[A-Za-z0-9/]{20,}",
        r"https://discord(?:app)?\.com/api/webhooks/[0-9]+/[A-Za-z0-9_-]{20,}",
    )
)
# A value counts only where it mixes letters with digits: `password: required` is none.
_ASSIGNED = re.compile(
    r"(?i)(?:(?:api|access|account|secret|private)[_-]?key|secret|passwd|password|passphrase|\bpass|pwd|token"
    r"|authorization)[\"']?"
    r"\s*(?::|=|\bis\b)\s*[\"']?(?!\$[A-Z][A-Z0-9_]*\b)(?P<value>(?=[^\s\"',;]*[0-9])(?=[^\s\"',;]*[A-Za-z])[^\s\"',;\[\]{}()]{6,})"
)
_UUID = re.compile("(?i)(?<![0-9a-z])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-z])")
_WORDS = re.compile(r"[A-Za-z]?[a-z]+(?:[-_.][a-z]+)*\.?")

_EMAIL = re.compile(
    r"(?<![\w.+%'\u2019@-])(?<!//)(?:[\w.+%'\u2019-]*[\w+-]|\"[^\"\n@]{1,64}\")(?:@|%40)(?:[^\W_](?:[\w-]*[^\W_])?\.)+(?P<end>[^\W\d_]{2,24})(?![\w-]|:\w)"
)
# `logo@2x.png` is a file.
_FILE_ENDINGS = frozenset(
    ["css", "gif", "html", "jpeg", "jpg", "js", "json", "md", "mjs", "png", "svg", "ts", "webp"]
)

_PHONES = tuple(
    re.compile(pattern)
    for pattern in (
        # International: +49 30 1234567, 0049 30 1234567
        r"(?<![\w+.])\+[1-9][0-9]{0,2}(?:[ \u00a0./-]?(?:\([0-9]+\)|[0-9]++)){1,6}+(?!\w)",
        r"(?<![\w+.-])00[1-9][0-9]?[ /-](?:[ /-]?(?:\([0-9]+\)|[0-9]++)){1,6}+(?!\w)",
        # North America: (555) 123-4567, 555-123-4567, 1 555 123 4567
        r"(?<![\w.+-])(?:1[ .-])?\([2-9][0-9]{2}\) ?[0-9]{3}[ .-][0-9]{4}(?![\w-])",
        r"(?<![\w.+/-])(?:1[ .-])?[2-9][0-9]{2}([ .-])[2-9][0-9]{2}\1[0-9]{4}(?![\w-]|\.[0-9])",
        r"(?<![\w.+-])(?:8 ?)?\([3-9][0-9]{2}\) ?[0-9]{3}[ -][0-9]{2}[ -][0-9]{2}(?![\w-])",
        r"(?<![\w.+-])0[1-9](?:\.[0-9]{2}){4}(?![\w-]|\.[0-9])",
        # With a national prefix: 030 1234567, 0171/2345678, 01 42 68 53 00
        r"(?<![\w.+:/-])(?:\(0[1-9][0-9]{0,3}\)|0[1-9][0-9]{0,3})(?:[ /-][0-9]{2,8}){1,4}(?![\w-]|[.:][0-9])",
    )
)
_NAMED_PHONE = re.compile(
    r"(?i)\b(?:phone|telephone|tel|mobile|cell|whatsapp|fax|(?:my|his|her|our) number"
    r"|(?:call|text|reach) (?:me|him|her|us)(?: back)? (?:on|at))\b[^\w\n]{0,6}(?:number|no|nr|is|:)?"
    r"[^\w\n]{0,6}"
    r"(?P<value>\+?[0-9][0-9 ().-]{5,18}[0-9])(?!\w)"
)
# Full-width signs, and the spaces and hyphens that texts are set with.
_PLAIN = str.maketrans(
    {
        **{chr(0xFF10 + digit): str(digit) for digit in range(10)},
        **dict.fromkeys(map(chr, (*range(0x2000, 0x200B), 0xA0, 0x202F, 0x205F, 0x3000)), " "),
        **dict.fromkeys(map(chr, (*range(0x2010, 0x2016), 0x2212, 0xFF0D)), "-"),
        "\uff0b": "+",
    }
)
_PHONE_DIGITS = (8, 15)
_NATIONAL_DIGITS = (9, 12)
_DIGIT = re.compile("[0-9]")


def keys(text: str) -> Iterator[Found]:
    """API keys, tokens, passwords in URLs and after their names, private keys."""
    for literal, pattern in KEY_PATTERNS:
        if literal in text:
            yield from (m.span() for m in pattern.finditer(text) if not _WORDS.fullmatch(m.group()))
    for pattern in _MORE_KEYS:
        yield from (m.span() for m in pattern.finditer(text) if not _WORDS.fullmatch(m.group()))
    yield from (match.span("value") for match in _ASSIGNED.finditer(text))


def plainly_spelled(text: str) -> str:
    """The text with plain digits, spaces and hyphens, each in the place where it stood."""
    return text if text.isascii() else text.translate(_PLAIN)


def cards(text: str) -> Iterator[Found]:
    """Card numbers: Luhn, with the prefix and length of a network; groups may be apart."""
    text = plainly_spelled(text)
    uuids = [match.span() for match in _UUID.finditer(text)]
    at = 0
    for digits in luhn_numbers(text, *_CARD_DIGITS, of_known_network):
        spelled = "[ \u00a0\u2013.-]?".join(digits)
        match = re.compile(f"(?<![0-9]){spelled}(?![0-9])").search(text, at)
        if match is None:
            continue
        at = match.end()
        if not any(start <= match.start() < end for start, end in uuids):
            yield match.span()


def emails(text: str) -> Iterator[Found]:
    """E-mail addresses, also percent-encoded."""
    if "@" in text or "%40" in text:
        for match in _EMAIL.finditer(text):
            if match["end"].casefold() not in _FILE_ENDINGS:
                yield match.span()


def phones(text: str) -> Iterator[Found]:
    """Phone numbers that are written as such; a bare run of digits is one only after its name."""
    text = plainly_spelled(text)
    for pattern in _PHONES:
        national = pattern is _PHONES[-1]
        fewest, most = _NATIONAL_DIGITS if national else _PHONE_DIGITS
        for match in pattern.finditer(text):
            if fewest <= len(_DIGIT.findall(match.group())) <= most:
                yield match.span()
    for match in _NAMED_PHONE.finditer(text):
        if 7 <= len(_DIGIT.findall(match["value"])) <= _PHONE_DIGITS[1]:
            yield match.span("value")
