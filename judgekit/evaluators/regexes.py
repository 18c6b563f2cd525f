"""Regular expressions over the reply, each match under a time limit."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalCase, EvalResult, Kind, built_in_label
from judgekit.evaluators.evidence import NO_REPLY, PASSED
from judgekit.evaluators.folding import normalized
from judgekit.evaluators.limits import checked_seconds
from judgekit.interaction import Interaction
from judgekit.text import one_line

if TYPE_CHECKING:
    import regex

__all__ = ["ReplyDoesNotMatch", "ReplyMatches", "compiled", "reply_should_match", "reply_should_not_match"]

TIME_LIMIT = 2.0
_FLAGS = ("IGNORECASE", "MULTILINE", "DOTALL", "VERBOSE", "ASCII", "UNICODE")
# Where none of this stands, a pattern that fits "" is found at the start of every text.
_LOOKS_AROUND = re.compile(r"\$|\\[bBGKmMXzZ]|\(\?(?:[=!(]|<[=!])")


def compiled(label: str, pattern: object) -> regex.Pattern[str]:
    """The pattern as the `regex` package has it, which knows a time limit.

    Text is compiled with DOTALL; a compiled pattern keeps its own flags.

    Raises:
        InvalidArgument: It is blank, does not compile, is for bytes, or is found in every text.
    """
    import regex

    source = getattr(pattern, "pattern", pattern)
    if not isinstance(source, str) or not source.strip():
        raise InvalidArgument(f"{label}: a pattern must be text that is not blank, got {source!r}")
    if isinstance(pattern, regex.Pattern):
        return _not_everywhere(label, pattern)
    flags = regex.DOTALL
    if isinstance(pattern, re.Pattern):
        flags = regex.VERSION0
        for name in _FLAGS:
            if pattern.flags & getattr(re, name):
                flags |= getattr(regex, name)
    try:
        return _not_everywhere(label, regex.compile(source, flags))
    except (regex.error, ValueError, OverflowError, RecursionError, MemoryError) as error:
        if isinstance(error, InvalidArgument):
            raise
        raise InvalidArgument(f"{label}: the pattern /{source}/ does not compile: {error}") from error


def _not_everywhere(label: str, pattern: regex.Pattern[str]) -> regex.Pattern[str]:
    if not _LOOKS_AROUND.search(pattern.pattern) and pattern.fullmatch("", timeout=TIME_LIMIT):
        raise InvalidArgument(
            f"{label}: the pattern /{pattern.pattern}/ fits the empty text, so it is found in every reply; "
            "write at least one character that must be there"
        )
    return pattern


@dataclass(frozen=True, slots=True)
class _ReplyPattern:
    """What both regular expression checks hold and how they search."""

    pattern: str | re.Pattern[str]
    normalize: bool = False
    time_limit: float = TIME_LIMIT
    _compiled: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        label: str = type(self).__eval_label__  # type: ignore[attr-defined]
        checked_seconds(label, "time_limit", self.time_limit)
        object.__setattr__(self, "_compiled", compiled(label, self.pattern))

    @property
    def _shown(self) -> str:
        return f"/{one_line(self._compiled.pattern)}/"

    def _search(self, reply: str) -> Any:
        text = normalized(reply) if self.normalize else reply
        return self._compiled.search(text, timeout=self.time_limit)

    def _too_slow(self) -> EvalResult:
        return EvalResult.inconclusive(
            f"{self._shown} took longer than {self.time_limit:g} s on this reply", kind=Kind.TIME_LIMIT
        )


@built_in_label("reply-matches")
@dataclass(frozen=True, slots=True)
class ReplyMatches(_ReplyPattern):
    """The pattern is found in the reply. See `reply_should_match`."""

    def evaluate(self, case: EvalCase, interaction: Interaction) -> EvalResult:
        """PASS where it is found; INCONCLUSIVE without a reply or past the time limit."""
        if interaction.reply is None:
            return NO_REPLY
        try:
            found = self._search(interaction.reply)
        except TimeoutError:
            return self._too_slow()
        return PASSED if found else EvalResult.failed(f"reply does not match {self._shown}")


@built_in_label("reply-does-not-match")
@dataclass(frozen=True, slots=True)
class ReplyDoesNotMatch(_ReplyPattern):
    """The pattern is nowhere in the reply. See `reply_should_not_match`."""

    def evaluate(self, case: EvalCase, interaction: Interaction) -> EvalResult:
        """PASS where it is not found; INCONCLUSIVE without a reply or past the time limit."""
        if interaction.reply is None:
            return NO_REPLY
        try:
            found = self._search(interaction.reply)
        except TimeoutError:
            return self._too_slow()
        if found is None:
            return PASSED
        return EvalResult.failed(f'reply matches {self._shown} at "{one_line(found.group())}"')


def reply_should_match(
    pattern: str | re.Pattern[str], *, normalize: bool = False, time_limit: float = TIME_LIMIT
) -> ReplyMatches:
    """The pattern is found anywhere in the reply.

    Args:
        pattern: Text, compiled so that a dot also fits a line break; or a compiled pattern with its own
            flags. Upper and lower case differ unless the pattern says `(?i)`.
        normalize: Search the reply with plain quotes, dashes and single spaces; write the pattern so.
        time_limit: Seconds after which the result is a missing measurement.

    Raises:
        InvalidArgument: The pattern is blank, does not compile, or is found in every text.
    """
    return ReplyMatches(pattern, normalize, time_limit)


def reply_should_not_match(
    pattern: str | re.Pattern[str], *, normalize: bool = False, time_limit: float = TIME_LIMIT
) -> ReplyDoesNotMatch:
    """The pattern is nowhere in the reply.

    Args:
        pattern: Text, compiled so that a dot also fits a line break; or a compiled pattern with its own
            flags. Upper and lower case differ unless the pattern says `(?i)`.
        normalize: Search the reply with plain quotes, dashes and single spaces; write the pattern so.
        time_limit: Seconds after which the result is a missing measurement.

    Raises:
        InvalidArgument: The pattern is blank, does not compile, or is found in every text.
    """
    return ReplyDoesNotMatch(pattern, normalize, time_limit)
