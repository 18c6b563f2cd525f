"""From a judge's raw reply to its one verdict object, or to the exact complaint.

Plain JSON first. Only where that fails: text around one object, a fence around it, a thinking block before
it, a missing last brace. Nothing inside a string is ever touched, and no number is read from prose.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from judgekit.jsonable import json_equal, json_text
from judgekit.text import one_line

__all__ = ["Malformed", "stands_in", "verdict_object"]

_TOKEN = re.compile(
    r"(?P<open><(?:seed:)?(?:think|thinking|thought|reasoning)>|\[THINK\]|<\|START_THINKING\|>)"
    r"|(?P<close></(?:seed:)?(?:think|thinking|thought|reasoning)>|\[/THINK\]|<\|END_THINKING\|>)"
    r"|[{}\[\]]",
    re.IGNORECASE,
)
_QUOTES = "[\"'`\u2018\u2019\u201c\u201d]"
_FENCE_END = re.compile(r"\s*`{3,}\s*\Z")
_MOST_BRACES = 1000


class Malformed(ValueError):
    """A reply that holds no usable verdict; the text says exactly why."""


def _constant(name: str) -> Any:
    raise Malformed(f"{name} is not a JSON number")


def _float(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise Malformed(f"the number {one_line(digits, 40)} is too large")
    return value


def _int(digits: str) -> int:
    if len(digits) > 400:
        raise Malformed(f"a number of {len(digits)} digits is too large")
    return int(digits)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise Malformed(f"the key {json_text(one_line(key, 60))} appears twice")
        found[key] = value
    return found


# `strict=False` takes raw control characters inside strings as they are: a line break in a reason is common.
_decoder = json.JSONDecoder(
    strict=False, parse_constant=_constant, parse_float=_float, parse_int=_int, object_pairs_hook=_unique
)


def _decode_at(text: str, start: int) -> tuple[Any, int]:
    try:
        return _decoder.raw_decode(text, start)
    except RecursionError as error:
        raise Malformed("the JSON is nested too deeply") from error


def _decode_all(text: str) -> Any:
    value, end = _decode_at(text, 0)
    if text[end:].strip():
        raise json.JSONDecodeError("Extra data", text, end)
    return value


def verdict_object(text: str, keys: Set[str], *, ended: bool = True) -> dict[str, Any]:
    """The one verdict object that stands in a judge's reply.

    Args:
        text: The reply, thinking block and all.
        keys: The verdict's top-level keys. An object with none of them is a quotation and no verdict.
        ended: Whether the model ended its reply by itself. Where it may have been cut, a number at the very
            end may lack digits, so a missing brace after it is not repaired.

    Raises:
        Malformed: There is not exactly one distinct verdict object.
    """
    # The end stays: white space after a number says that the number is whole.
    text = text.lstrip().removeprefix("\ufeff").lstrip()
    if not text:
        raise Malformed("the reply is empty")
    try:
        value = _decode_all(text)
    except ValueError:
        return _Scan(text).one_object(keys, ended=ended)
    if not isinstance(value, dict):
        raise Malformed(f"the reply is JSON but {_kind(value)} and not an object")
    return value


def _kind(value: Any) -> str:
    kinds = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")


@dataclass(slots=True)
class _Scan:
    """What stands in a reply that is not plain JSON: objects, and the prose around them."""

    text: str
    objects: list[dict[str, Any] | Malformed] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    depth: int = 0
    thinking: bool = False
    last_open: int = 0

    def __post_init__(self) -> None:
        position = 0
        while found := _TOKEN.search(self.text, position):
            self.prose.append(self.text[position : found.start()])
            position = self._take(found)
        self.prose.append(self.text[position:])

    def _take(self, found: re.Match[str]) -> int:
        if found["close"]:
            # What came before was thinking, also where the opening tag stood in the model's own prompt.
            self.objects, self.prose, self.depth, self.thinking = [], [], 0, False
            return found.end()
        if found["open"]:
            self.thinking = True
            return found.end()
        sign = found.group()
        if sign == "{" and self.depth == 0:
            end = self._take_object(found.start())
            if end is not None:
                return end
        self.depth = self.depth + 1 if sign in "{[" else max(0, self.depth - 1)
        self.prose.append(sign)
        return found.end()

    def _take_object(self, start: int) -> int | None:
        self.last_open = start
        try:
            value, end = _decode_at(self.text, start)
        except json.JSONDecodeError:
            return None
        except Malformed as error:
            self.objects.append(error)
            return None
        self.objects.append(value)
        self.prose.append(" ")
        return end

    def one_object(self, keys: Set[str], *, ended: bool) -> dict[str, Any]:
        if self.thinking:
            raise Malformed("a thinking block never ends, so there is no answer after it")
        for item in self.objects:
            if isinstance(item, Malformed):
                raise item
        if self.depth and not self.objects:
            return self._with_last_brace(keys, ended=ended)
        objects = [item for item in self.objects if isinstance(item, dict)]
        if self.depth:
            raise Malformed(
                "the reply holds an object and after or around it a part that is not complete JSON"
            )
        self._refuse_broken_verdict("".join(self.prose), keys)
        return self._the_one(objects, keys)

    @staticmethod
    def _the_one(objects: list[dict[str, Any]], keys: Set[str]) -> dict[str, Any]:
        if not objects:
            raise Malformed("the reply holds no JSON object")
        lowered = {key.casefold() for key in keys}
        verdicts = [item for item in objects if not keys or any(key.casefold() in lowered for key in item)]
        distinct: list[dict[str, Any]] = []
        for item in verdicts or objects:
            if not any(json_equal(item, other) for other in distinct):
                distinct.append(item)
        if len(distinct) > 1:
            raise Malformed(f"the reply holds {len(distinct)} different objects; write exactly one")
        return distinct[0]

    def _with_last_brace(self, keys: Set[str], *, ended: bool) -> dict[str, Any]:
        tail = self.text[self.last_open :]
        body = _FENCE_END.sub("\n", tail)
        if body[-1:].isdigit() and not ended:
            raise Malformed("the JSON ends in the middle of a number")
        try:
            value = _decode_all(body + "}")
        except json.JSONDecodeError:
            raise Malformed("the JSON is not complete or not valid" + _where(tail)) from None
        self._refuse_broken_verdict(self.text[: self.last_open], keys)
        return dict(value)

    def _refuse_broken_verdict(self, prose: str, keys: Set[str]) -> None:
        names = "|".join(re.escape(key) for key in sorted(keys))
        if not names or not re.search(
            rf"{_QUOTES}(?:{names}){_QUOTES}\s*[:=]|[{{,]\s*(?:{names})\s*[:=]", prose, re.IGNORECASE
        ):
            return
        if self.objects:
            raise Malformed("the reply holds a verdict object and another one that is not valid JSON")
        raise Malformed(
            "the reply holds a verdict that is not valid JSON" + _where(self.text[self.last_open :])
        )


def _where(text: str) -> str:
    try:
        _decode_at(text, 0)
    except json.JSONDecodeError as error:
        return f" ({error.msg.lower()} at character {error.pos} of the object)"
    except Malformed:
        return ""
    return ""


def stands_in(verdict: dict[str, Any], texts: Iterable[str], words: Sequence[str]) -> bool:
    """Whether the verdict is a copy of an object in one of the tested `texts`.

    Args:
        verdict: The object read.
        texts: The tested texts.
        words: The verdict's own words. A text that holds none of them is not searched.
    """
    spelled = [spelling for word in words for spelling in (word, json_text(word)[1:-1])]
    for text in texts:
        if "{" not in text or not any(spelling in text for spelling in spelled):
            continue
        start = text.find("{")
        for _ in range(_MOST_BRACES):
            if start < 0:
                break
            if _same_object_at(text, start, verdict):
                return True
            start = text.find("{", start + 1)
    return False


def _same_object_at(text: str, start: int, verdict: dict[str, Any]) -> bool:
    try:
        value, _ = _decode_at(text, start)
    except ValueError:
        return False
    return json_equal(verdict, value)
