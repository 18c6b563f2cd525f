"""The redactor: evidence of any structure, with placeholders where secrets stood."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from judgekit.errors import InvalidArgument
from judgekit.jsonable import json_line, json_text, jsonable, parse_json
from judgekit.redaction import finders
from judgekit.redaction.finders import Finder, Found
from judgekit.redaction.ibans import ibans

__all__ = ["KINDS", "Redactor"]

KINDS = ("key", "iban", "card", "email", "phone")
_FINDERS: dict[str, Finder] = {
    "key": finders.keys,
    "iban": ibans,
    "card": finders.cards,
    "email": finders.emails,
    "phone": finders.phones,
}
_SHORTEST_SECRET = 6
# Kinds with check digits: neighbours are read as one for them before each is read on its own, since a half
# may look like something else. Without check digits a join may swallow the word behind a secret.
_CHECKED = ("iban", "card")
_TEXT_FIELDS = (None, "text", "content")

# What may go on with a key, and is no word: letters with digits, or what a dash joins to it.
_REST = re.compile(
    r"(?:[-_](?=[A-Za-z0-9])|(?=[A-Za-z_-]*[0-9])(?=[0-9_-]*[A-Za-z]))[A-Za-z0-9_-]{6,}(?![^\s.,;:!?)\]}'\"])"
)

# Fields whose text is a secret whatever it looks like; names without case, dashes and underscores.
_PASSWORDS = frozenset(
    [
        "password", "passwd", "pwd", "passphrase", "apikey", "xapikey", "secretkey", "clientsecret",
        "privatekey", "accesstoken", "refreshtoken", "authtoken", "idtoken", "sessiontoken", "authorization",
        "cookie", "setcookie", "cvv", "cvc",
    ]
)  # fmt: skip
_MAYBE_SECRET = frozenset(["token", "secret", "credential", "credentials", "auth"])
_PHONE_FIELDS = frozenset(
    ["phone", "phonenumber", "mobile", "mobilenumber", "telephone", "tel", "cell", "cellphone", "fax"]
)


class Redactor:
    """Masks secrets and personal data; one value always has one placeholder, such as `[email 1]`.

    Found are keys and tokens (`key`), account numbers with the length and check digits of an IBAN (`iban`),
    card numbers that pass Luhn and have a network's prefix and length (`card`), e-mail addresses (`email`),
    phone numbers that are written as such (`phone`), and what `patterns` match. JSON inside of strings is
    looked into, fields such as `password` are masked whole, and a secret that is split over neighbouring
    texts is found too.

    Attributes:
        counts: How often something was masked, by kind.
    """

    def __init__(
        self,
        *,
        patterns: Mapping[str, str | re.Pattern[str]] | None = None,
        secrets: Iterable[str] = (),
        kinds: Iterable[str] = KINDS,
    ) -> None:
        """Choose what is masked.

        Args:
            patterns: Own patterns by the kind that placeholders and counts show.
            secrets: Values that are masked wherever they stand, such as keys that the agent was given.
            kinds: Which of `key`, `iban`, `card`, `email` and `phone` to look for.

        Raises:
            InvalidArgument: A kind that is none, a pattern that does not compile or matches empty text, or
                a secret under 6 characters.
        """
        self.counts: Counter[str] = Counter()
        self._placeholders: dict[tuple[str, str], str] = {}
        self._numbers: Counter[str] = Counter()
        self._finders: dict[str, Finder] = {}
        secret = [_checked_secret(value) for value in secrets]
        if secret:
            self._finders["secret"] = _matches(re.compile("|".join(sorted(secret, key=len, reverse=True))))
        for name, pattern in (patterns or {}).items():
            self._finders[name] = _matches(_checked_pattern(name, pattern))
        for kind in [kinds] if isinstance(kinds, str) else kinds:
            if kind not in _FINDERS:
                raise InvalidArgument(f"`kinds` may hold {', '.join(KINDS)}, got {kind!r}")
            self._finders[kind] = _FINDERS[kind]

    def text(self, text: str) -> str:
        """The text with placeholders; JSON is looked into and stays JSON."""
        if text.lstrip()[:1] in ("{", "[", '"'):
            try:
                data = parse_json(text)
            except ValueError:
                pass
            else:
                redacted = self.value(data)
                return text if redacted == data else json_text(redacted)
        return self._masked(text)

    def value(self, value: Any) -> Any:
        """Any evidence as plain JSON data with placeholders: mappings, lists, texts and numbers."""
        return self._redacted(jsonable(value))

    def texts(self, texts: Sequence[str]) -> list[str]:
        """Neighbouring texts, such as what a user said in turn; also what is split over two of them."""
        texts = self._over_gaps(list(texts), _CHECKED)
        return self._over_gaps(self._without_rests(texts, [self.text(text) for text in texts]))

    def _redacted(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, int):
            return self._number(value)
        if isinstance(value, list):
            return self._list(value)
        if isinstance(value, dict):
            return {self.text(key): self._field(key, item) for key, item in value.items()}
        return value

    def _number(self, value: int) -> Any:
        text = str(value)
        masked = self._masked(text)
        return value if masked == text else masked

    def _list(self, values: list[Any]) -> list[Any]:
        values = list(values)
        for name in _TEXT_FIELDS:
            for places in _neighbours(values, name):
                whole = self._over_gaps([_text_at(values[place], name) for place in places], _CHECKED)
                for place, text in zip(places, whole, strict=True):
                    values[place] = text if name is None else {**values[place], name: text}
        redacted = [self._redacted(item) for item in values]
        for name in _TEXT_FIELDS:
            for places in _neighbours(redacted, name):
                raw = [_text_at(values[place], name) for place in places]
                masked = [_text_at(redacted[place], name) for place in places]
                texts = self._over_gaps(self._without_rests(raw, masked))
                for place, text in zip(places, texts, strict=True):
                    redacted[place] = text if name is None else {**redacted[place], name: text}
        return redacted

    def _field(self, name: str, value: Any) -> Any:
        plain = re.sub(r"[-_ ]", "", name).casefold()
        text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
        if text.strip() and "key" in self._finders:
            mixed = len(text) >= 8 and any(map(str.isdigit, text)) and " " not in text
            if plain in _PASSWORDS or (plain in _MAYBE_SECRET and mixed):
                return self._placeholder("key", text)
        if plain in _PHONE_FIELDS and "phone" in self._finders and sum(map(str.isdigit, text)) >= 7:
            return self._placeholder("phone", text)
        return self._redacted(value)

    def _masked(self, text: str) -> str:
        for kind, finder in self._finders.items():
            parts, at = [], 0
            for start, end in _merged(finder(text)):
                parts += [text[at:start], self._placeholder(kind, text[start:end])]
                at = end
            if parts:
                text = "".join([*parts, text[at:]])
        return text

    def _placeholder(self, kind: str, value: str) -> str:
        self.counts[kind] += 1
        key = (kind, _same(kind, value))
        if key not in self._placeholders:
            self._numbers[kind] += 1
            self._placeholders[key] = f"[{kind} {self._numbers[kind]}]"
        return self._placeholders[key]

    def _without_rests(self, raw: Sequence[Any], texts: list[str]) -> list[str]:
        """Take out the rest of a key whose first half, at the end of the text before, was a key by itself."""
        if "key" not in self._finders:
            return texts
        found, goes_on = list(texts), False
        for place in range(1, len(texts)):
            before, text = (str(item).strip() for item in raw[place - 1 : place + 1])
            rest = _REST.match(text)
            if rest is None or not found[place].lstrip().startswith(rest.group()):
                goes_on = False
            elif goes_on or any(end == len(before) for _, end in finders.keys(before)):
                found[place] = found[place].lstrip()[rest.end() :]
                goes_on = rest.end() == len(text)
        return found

    def _over_gaps(self, texts: list[str], kinds: Iterable[str] | None = None) -> list[str]:
        """Mask what only shows when neighbours are read as one; of all kinds, unless some are named."""
        if len(texts) < 2:
            return texts
        finders = {kind: finder for kind, finder in self._finders.items() if not kinds or kind in kinds}
        for gap in ("", " "):
            for kind, finder in finders.items():
                joined = gap.join(texts)
                for start, end in reversed(_merged(finder(joined))):
                    texts = self._cut(texts, len(gap), (start, end), kind, joined[start:end])
        return texts

    def _cut(self, texts: list[str], gap: int, span: Found, kind: str, value: str) -> list[str]:
        """The texts without what the span covers, a placeholder in the first of them."""
        begins, places = 0, []
        for place, text in enumerate(texts):
            first, last = max(span[0] - begins, 0), min(span[1] - begins, len(text))
            if first < last:
                places.append((place, first, last))
            begins += len(text) + gap
        if len(places) < 2:
            return texts
        cut = list(texts)
        for place, first, last in places:
            mark = self._placeholder(kind, value) if place == places[0][0] else ""
            cut[place] = cut[place][:first] + mark + cut[place][last:]
        return cut


def _text_at(item: Any, name: str | None) -> Any:
    if name is None:
        return item
    return item.get(name) if isinstance(item, dict) else None


def _neighbours(items: list[Any], name: str | None) -> Iterable[list[int]]:
    """The places of texts that may be read as one: those of one speaker, others between them or not."""
    found: dict[str, list[int]] = {}
    for place, item in enumerate(items):
        if isinstance(_text_at(item, name), str):
            speaker = str(item.get("role")) if isinstance(item, dict) else ""
            found.setdefault(speaker, []).append(place)
    return found.values()


def _same(kind: str, value: str) -> str:
    """What makes two spellings one value."""
    if kind in ("card", "phone"):
        return re.sub("[^0-9+]", "", finders.plainly_spelled(value))
    if kind == "iban":
        return re.sub("[^A-Z0-9]", "", value.upper())
    return value.casefold().replace("%40", "@") if kind == "email" else value


def _merged(spans: Iterable[Found]) -> list[Found]:
    found: list[Found] = []
    for start, end in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        elif start < end:
            found.append((start, end))
    return found


def _matches(pattern: re.Pattern[str]) -> Callable[[str], Iterator[Found]]:
    return lambda text: (match.span() for match in pattern.finditer(text))


def _checked_secret(value: object) -> str:
    if not isinstance(value, str) or len(value) < _SHORTEST_SECRET:
        raise InvalidArgument(
            f"`secrets` must hold texts of {_SHORTEST_SECRET} characters or more, shorter ones eat the text"
        )
    # Also as it is spelled inside of JSON.
    return "|".join({re.escape(value), re.escape(json_line(value)[1:-1])})


def _checked_pattern(name: object, pattern: str | re.Pattern[str]) -> re.Pattern[str]:
    if (
        not isinstance(name, str)
        or not re.fullmatch(r"[a-z][a-z0-9 _-]*", name)
        or name in (*KINDS, "secret")
    ):
        raise InvalidArgument(
            f"the name of a pattern must be a lower-case word of your own, such as 'booking', got {name!r}"
        )
    try:
        compiled = re.compile(pattern)
    except (re.error, TypeError) as error:
        raise InvalidArgument(f"the pattern {name!r} does not compile: {pattern!r}: {error}") from error
    if compiled.search(""):
        raise InvalidArgument(f"the pattern {name!r} matches empty text: {pattern!r}")
    return compiled
