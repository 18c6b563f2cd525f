"""Scales that a criterion is judged on."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from judgekit.checking import is_finite_number
from judgekit.errors import InvalidArgument

__all__ = ["ABSTAIN", "SCORE", "Binary", "Levels", "Scale", "Score", "checked_threshold", "needed_score"]

ABSTAIN = "abstain"
"""What a judge writes in place of a value when the material does not let it decide."""

FEWEST_LEVELS, MOST_LEVELS = 3, 7


@dataclass(frozen=True, slots=True)
class Score:
    """Any number from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Binary:
    """Yes or no: no scores 0, yes scores 1."""


@dataclass(frozen=True, slots=True, init=False)
class Levels:
    """Three to seven described levels, worst first.

    Attributes:
        levels: Name and description of each, worst first.
        scores: What each is worth, evenly spaced over 0..1 unless given.
    """

    levels: tuple[tuple[str, str], ...]
    scores: tuple[float, ...]

    def __init__(self, levels: Mapping[str, str], *, scores: Sequence[float] | None = None) -> None:
        """Describe the levels.

        Args:
            levels: Description by name, worst first. A judge sees both.
            scores: One number from 0 to 1 a level, rising.

        Raises:
            InvalidArgument: Fewer than 3 or more than 7 levels, a blank name or description, or scores that
                do not rise from 0 towards 1.
        """
        pairs = _checked_levels(levels)
        count = len(pairs)
        worth = tuple(index / (count - 1) for index in range(count)) if scores is None else tuple(scores)
        if len(worth) != count or not all(is_finite_number(value) and 0 <= value <= 1 for value in worth):
            raise InvalidArgument(f"Levels: `scores` must be {count} numbers from 0 to 1, got {scores!r}")
        if any(left >= right for left, right in itertools.pairwise(worth)):
            raise InvalidArgument(
                f"Levels: `scores` must rise from the worst level to the best, got {scores!r}"
            )
        object.__setattr__(self, "levels", pairs)
        object.__setattr__(self, "scores", tuple(float(value) for value in worth))

    @property
    def names(self) -> tuple[str, ...]:
        """The levels' names, worst first."""
        return tuple(name for name, _ in self.levels)

    def score_of(self, name: str) -> float:
        """What the level `name` is worth."""
        return self.scores[self.names.index(name)]


Scale: TypeAlias = Score | Binary | Levels
SCORE = Score()


def _checked_levels(levels: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(levels, Mapping):
        raise InvalidArgument(f'Levels: write Levels({{"cold": "what cold is", ...}}), got {levels!r}')
    if not FEWEST_LEVELS <= len(levels) <= MOST_LEVELS:
        hint = "; with two, use Binary()" if len(levels) == 2 else ""
        raise InvalidArgument(
            f"Levels: there must be {FEWEST_LEVELS} to {MOST_LEVELS} levels, got {len(levels)}{hint}"
        )
    for name, text in levels.items():
        if not isinstance(name, str) or not name.strip() or name != name.strip() or not name.isprintable():
            raise InvalidArgument(f"Levels: a level's name must be a plain word or two, got {name!r}")
        if not isinstance(text, str) or not text.strip():
            raise InvalidArgument(f"Levels: the level {name!r} needs a description, got {text!r}")
    if len({name.casefold() for name in levels} | {ABSTAIN}) != len(levels) + 1:
        raise InvalidArgument(f"Levels: names must differ, and none may be {ABSTAIN!r}; got {list(levels)}")
    return tuple(levels.items())


def checked_threshold(threshold: object, scale: Scale) -> float | str:
    """The threshold as given, if a score on this scale can be held against it.

    Raises:
        InvalidArgument: It is no number from 0 to 1 and no name of a level.
    """
    if isinstance(threshold, str):
        if isinstance(scale, Levels) and threshold in scale.names:
            return threshold
        known = (
            f"; the levels are {', '.join(scale.names)}"
            if isinstance(scale, Levels)
            else "; for a level's name write scale=Levels({...})"
        )
        raise InvalidArgument(
            f"`threshold` must be a number from 0 to 1 or a level's name, got {threshold!r}{known}"
        )
    if not is_finite_number(threshold) or not 0 <= threshold <= 1:  # type: ignore[operator]
        raise InvalidArgument(f"`threshold` must be a number from 0 to 1, got {threshold!r}")
    return threshold  # type: ignore[return-value]


def needed_score(threshold: float | str, scale: Scale) -> float:
    """The score that `threshold` asks for."""
    if isinstance(threshold, str):
        assert isinstance(scale, Levels)  # noqa: S101 - `checked_threshold` lets a name through only for levels
        return scale.score_of(threshold)
    return float(threshold)
