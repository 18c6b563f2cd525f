"""What a judge answers."""

from __future__ import annotations

from dataclasses import dataclass

from judgekit.checking import is_finite_number
from judgekit.errors import InvalidArgument

__all__ = ["Verdict"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge decided about one interaction and one criterion.

    Attributes:
        score: From 0 to 1.
        reason: The judge's own words, letter for letter.
    """

    score: float
    reason: str = ""

    def __post_init__(self) -> None:
        if not is_finite_number(self.score) or not 0 <= self.score <= 1:
            raise InvalidArgument(f"Verdict: `score` must be a number from 0 to 1, got {self.score!r}")
        if not isinstance(self.reason, str):
            raise InvalidArgument(f"Verdict: `reason` must be text, got {self.reason!r}")
