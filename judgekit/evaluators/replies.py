"""What the reply says, word for word, and how long it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalCase, EvalResult, built_in_label
from judgekit.evaluators.evidence import NO_REPLY, PASSED
from judgekit.evaluators.folding import checked_texts, fold, typographic_difference
from judgekit.evaluators.limits import checked_count
from judgekit.interaction import Interaction
from judgekit.text import bracketed, counted, one_line

__all__ = [
    "ReplyContains",
    "ReplyEquals",
    "ReplyLacks",
    "ReplyLength",
    "reply_should_contain",
    "reply_should_equal",
    "reply_should_have_length",
    "reply_should_not_contain",
]

Unit = Literal["characters", "words", "sentences"]
_SHOWN_BEFORE_DIFFERENCE = 20
_SHOWN_LIMIT = 80


@built_in_label("reply-contains")
@dataclass(frozen=True, slots=True)
class ReplyContains:
    """The reply carries all of the texts. See `reply_should_contain`."""

    texts: tuple[str, ...]
    normalize: bool = False
    _folded: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        texts = checked_texts("reply-contains", self.texts, normalize=self.normalize)
        object.__setattr__(self, "texts", texts)
        object.__setattr__(self, "_folded", tuple(fold(text, normalize=self.normalize) for text in texts))

    def evaluate(self, case: EvalCase, interaction: Interaction) -> EvalResult:
        """PASS when all are there, INCONCLUSIVE without a reply."""
        if interaction.reply is None:
            return NO_REPLY
        reply = fold(interaction.reply, normalize=self.normalize)
        for text in self._folded:
            if text not in reply:
                break
        else:
            return PASSED
        missing = [t for t, f in zip(self.texts, self._folded, strict=True) if f not in reply]
        detail = f"reply does not carry {bracketed(map(one_line, missing))}"
        return EvalResult.failed(detail + self._hint(missing, interaction.reply))

    def _hint(self, missing: Sequence[str], reply: str) -> str:
        if self.normalize:
            return ""
        found = {text: typographic_difference(text, reply) for text in missing}
        if all(found.values()):
            codes = dict.fromkeys(code for text in missing for code in found[text].split(", "))
            return f"; differs only in {', '.join(codes)}, see normalize=True"
        return "".join(
            f"; {one_line(text)} differs only in {codes}, see normalize=True"
            for text, codes in found.items()
            if codes
        )


@built_in_label("reply-lacks")
@dataclass(frozen=True, slots=True)
class ReplyLacks:
    """The reply carries none of the texts. See `reply_should_not_contain`."""

    texts: tuple[str, ...]
    normalize: bool = False
    _folded: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        texts = checked_texts("reply-lacks", self.texts, normalize=self.normalize)
        object.__setattr__(self, "texts", texts)
        object.__setattr__(self, "_folded", tuple(fold(text, normalize=self.normalize) for text in texts))

    def evaluate(self, case: EvalCase, interaction: Interaction) -> EvalResult:
        """PASS when none is there, INCONCLUSIVE without a reply."""
        if interaction.reply is None:
            return NO_REPLY
        reply = fold(interaction.reply, normalize=self.normalize)
        for text in self._folded:
            if text in reply:
                break
        else:
            return PASSED
        found = [one_line(t) for t, f in zip(self.texts, self._folded, strict=True) if f in reply]
        return EvalResult.failed(f"reply carries {bracketed(found)}")


@built_in_label("reply-equals")
@dataclass(frozen=True, slots=True)
class ReplyEquals:
    """The reply is this text, white space at the ends aside. See `reply_should_equal`."""

    text: str
    normalize: bool = False
    _folded: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        checked_texts("reply-equals", (self.text,), normalize=self.normalize)
        object.__setattr__(self, "_folded", fold(self.text.strip(), normalize=self.normalize))

    def evaluate(self, case: EvalCase, interaction: Interaction) -> EvalResult:
        """PASS when it is equal, INCONCLUSIVE without a reply."""
        if interaction.reply is None:
            return NO_REPLY
        reply = interaction.reply.strip()
        if fold(reply, normalize=self.normalize) == self._folded:
            return PASSED
        expected, actual = _from_difference(self.text.strip(), reply)
        hint = ""
        if not self.normalize and fold(reply, normalize=True) == fold(self.text, normalize=True):
            difference = typographic_difference(self.text.strip(), reply)
            hint = f"; differs only in {difference}, see normalize=True"
        return EvalResult.failed(f'reply expected "{expected}", was "{actual}"{hint}')


def _from_difference(expected: str, actual: str) -> tuple[str, str]:
    """Both texts on one line, from shortly before the place where they part."""
    shared = 0
    for left, right in zip(expected, actual, strict=False):
        if left.casefold() != right.casefold():
            break
        shared += 1
    start = shared - _SHOWN_BEFORE_DIFFERENCE
    if start <= 0 or max(len(expected), len(actual)) <= _SHOWN_LIMIT:
        return one_line(expected, _SHOWN_LIMIT), one_line(actual, _SHOWN_LIMIT)
    return "…" + one_line(expected[start:], _SHOWN_LIMIT), "…" + one_line(actual[start:], _SHOWN_LIMIT)


# A sentence ends at its mark (with closing quotes or brackets), at a blank line, or before a list item.
_SENTENCE_END = re.compile(
    r"(?<![.!?…])[.!?…]++[\"'”’)\]]*+(?=\s|$)|[。！？]++[”’」』）]*+"
    r"|\n[ \t]*\n|\n(?=[ \t]*(?:[-*•]|[0-9]+[.)])[ \t])"
)
_ABBREVIATIONS = frozenset({"mr", "mrs", "ms", "dr", "prof", "st", "vs", "e.g", "i.e", "approx", "fig", "cf"})


def _sentences(text: str) -> int:
    count = start = 0
    for end in _SENTENCE_END.finditer(text):
        sentence = text[start : end.start()]
        if end.group() == "." and _is_abbreviation(sentence):
            continue
        count += any(map(str.isalpha, sentence))
        start = end.end()
    count += any(map(str.isalpha, text[start:]))
    return count or int(any(map(str.isalnum, text)))


def _is_abbreviation(sentence: str) -> bool:
    words = sentence.split()
    last = words[-1].lstrip("(\"'“‘") if words else ""
    # A lone capital is an initial (`J. Smith`), but not where it ends a phrase (`Plan B.`).
    return last.lower() in _ABBREVIATIONS or (len(words) == 1 and len(last) == 1 and last.isupper())


_MEASURES: dict[str, tuple[Callable[[str], int], str]] = {
    "characters": (len, "character"),
    "words": (lambda text: len(text.split()), "word"),
    "sentences": (_sentences, "sentence"),
}


@built_in_label("reply-length")
@dataclass(frozen=True, slots=True)
class ReplyLength:
    """The reply's length lies within the limits. See `reply_should_have_length`."""

    min: int | None = None
    max: int | None = None
    unit: Unit = "characters"

    def __post_init__(self) -> None:
        label = "reply-length"
        if self.unit not in _MEASURES:
            allowed = ", ".join(map(repr, get_args(Unit)))
            raise InvalidArgument(f"{label}: `unit` must be one of {allowed}, got {self.unit!r}")
        for name, limit in (("min", self.min), ("max", self.max)):
            if limit is not None:
                checked_count(label, name, limit, minimum=0)
        if self.max is None and not self.min:
            raise InvalidArgument(
                f"{label}: every reply has this length, so the check could never fail; "
                "write `max`, or a `min` of at least 1"
            )
        if self.min is not None and self.max is not None and self.max < self.min:
            raise InvalidArgument(f"{label}: `max` must not be under `min`, got {self.min} to {self.max}")

    def evaluate(self, case: EvalCase, interaction: Interaction) -> EvalResult:
        """PASS within the limits, which are inclusive; INCONCLUSIVE without a reply."""
        if interaction.reply is None:
            return NO_REPLY
        measure, noun = _MEASURES[self.unit]
        length = measure(interaction.reply)
        if self.min is not None and length < self.min:
            return EvalResult.failed(f"reply has {counted(length, noun)}, required at least {self.min}")
        if self.max is not None and length > self.max:
            return EvalResult.failed(f"reply has {counted(length, noun)}, allowed at most {self.max}")
        return PASSED


def reply_should_contain(*texts: str, normalize: bool = False) -> ReplyContains:
    """The reply carries all of these texts, upper and lower case alike.

    Args:
        texts: What the reply must carry, each as one piece.
        normalize: Also treat typographic quotes, dashes, spaces and Unicode forms alike.

    Raises:
        InvalidArgument: No text, or a blank one.
    """
    return ReplyContains(texts, normalize)


def reply_should_not_contain(*texts: str, normalize: bool = False) -> ReplyLacks:
    """The reply carries none of these texts, upper and lower case alike.

    Args:
        texts: What the reply must not carry.
        normalize: Also treat typographic quotes, dashes, spaces and Unicode forms alike.

    Raises:
        InvalidArgument: No text, or a blank one.
    """
    return ReplyLacks(texts, normalize)


def reply_should_equal(text: str, *, normalize: bool = False) -> ReplyEquals:
    """The reply is this text, upper and lower case alike; white space at the ends is ignored.

    Args:
        text: The whole reply.
        normalize: Also treat typographic quotes, dashes, spaces and Unicode forms alike.

    Raises:
        InvalidArgument: The text is blank.
    """
    return ReplyEquals(text, normalize)


def reply_should_have_length(
    *, min: int | None = None, max: int | None = None, unit: Unit = "characters"
) -> ReplyLength:
    """The reply's length lies within the limits, which are inclusive.

    Args:
        min: The least that is needed.
        max: The most that is allowed; 0 is a real value.
        unit: `"characters"` counts code points, `"words"` what white space separates, `"sentences"` what
            ends in `.`, `!`, `?` or their kin, at a blank line or before a list item. `Dr.`, `e.g.` and
            a leading initial end nothing.

    Raises:
        InvalidArgument: No limit that could fail, `max` under `min`, a negative one, or another unit.
    """
    return ReplyLength(min, max, unit)
