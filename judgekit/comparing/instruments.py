"""Whether a judged result was measured with the same instrument on both sides, and if not, what differs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from judgekit.comparing.reading import Instrument, Measured

__all__ = ["InstrumentChange", "change_between"]

Seats: TypeAlias = "tuple[Instrument, ...]"

_JUDGE_PARTS = ("model", "prompt", "parameters")
_OF_CRITERION = ("criterion", "schema", "threshold", "settings")
_DRIFT = ("served", "rung")

_SAID = {
    "model": "model",
    "prompt": "prompt",
    "parameters": "parameters",
    "criterion": "text",
    "schema": "scale",
    "threshold": "threshold",
    "settings": "levels, reference or samples",
    "served": "model served",
    "rung": "way to ask for the format",
}


@dataclass(frozen=True, slots=True)
class InstrumentChange:
    """What differs between how two runs measured one evaluator; all empty where nothing does.

    The same judge is the same model, prompt and parameters; the same criterion is the same text, scale,
    threshold and whatever else its fingerprint holds. A server that answers with another version of the model
    under the same name, or takes the format in another way, is the same judge, with a warning.

    Attributes:
        judge: Of `model`, `prompt`, `parameters`: what makes it another judge.
        criterion: Of `text`, `scale`, `threshold`, and the rest: what makes it another criterion.
        drift: Of `model served`, `way to ask for the format`.
        new_models: The judges' models on the new side.
        old_models: Likewise on the old side.
    """

    judge: tuple[str, ...] = ()
    criterion: tuple[str, ...] = ()
    drift: tuple[str, ...] = ()
    new_models: tuple[str, ...] = ()
    old_models: tuple[str, ...] = ()

    @property
    def is_judged(self) -> bool:
        """Whether a judge measured it on either side."""
        return bool(self.new_models or self.old_models)

    @property
    def changed(self) -> tuple[str, ...]:
        """What makes it another instrument; empty where it is the same."""
        return self.judge + self.criterion


def change_between(changes: Mapping[tuple[Measured | None, Measured | None], int]) -> InstrumentChange:
    """What differs over all pairs of results, new before old."""
    pairs = [(new, old) for new, old in changes if new is not None and old is not None]
    # Where a judge failed before it was asked, nothing says which it would have been.
    asked = [(new.instruments, old.instruments) for new, old in pairs if new.instruments and old.instruments]
    new_seats, old_seats = [seats for seats, _ in asked], [seats for _, seats in asked]
    found = {
        part for part in _JUDGE_PARTS if asked and not _families(new_seats, part) & _families(old_seats, part)
    }
    found |= {part for new, old in pairs for part in _criterion_parts(new, old)}
    found |= {part for part in _DRIFT if _differs_by_model(new_seats, old_seats, part)}
    if _thresholds_differ(pairs):
        found.add("threshold")
    return InstrumentChange(
        _named(_JUDGE_PARTS, found),
        _named(_OF_CRITERION, found),
        _named(_DRIFT, found),
        _models(new.instruments for new, _ in pairs),
        _models(old.instruments for _, old in pairs),
    )


def _named(parts: Iterable[str], found: set[str]) -> tuple[str, ...]:
    return tuple(_SAID[part] for part in parts if part in found)


def _thresholds_differ(pairs: Iterable[tuple[Measured, Measured]]) -> bool:
    """Whether no score was needed on both sides; a panel needs another one where a seat stays empty."""
    # A result that nobody got to measure knows no threshold.
    known = [
        (new.threshold, old.threshold) for new, old in pairs if None not in (new.threshold, old.threshold)
    ]
    return bool(known) and not {new for new, _ in known} & {old for _, old in known}


def _models(seats: Iterable[Seats]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.model for held in seats for one in held))


def _families(seats: Iterable[Seats], part: str) -> set[frozenset[str]]:
    """What the judges of each result were together.

    One judge may ask another only where it is unsure, and a seat of a panel may stay empty: the judges of two
    runs are the same where any two of their results were measured alike, and others where none were.
    """
    return {frozenset(getattr(one, part) for one in held) for held in seats}


def _criterion_parts(new: Measured, old: Measured) -> Iterator[str]:
    if not new.instruments or not old.instruments:
        return
    seats = new.instruments, old.instruments
    named = [part for part in ("criterion", "schema") if _values(seats[0], part) != _values(seats[1], part)]
    yield from named
    alike = new.threshold == old.threshold and all(
        _values(seats[0], part) == _values(seats[1], part) for part in (*_JUDGE_PARTS, *_DRIFT)
    )
    if alike and not named and _values(seats[0], "fingerprint") != _values(seats[1], "fingerprint"):
        yield "settings"


def _values(seats: Seats, part: str) -> set[str | None]:
    return {getattr(one, part) for one in seats}


def _differs_by_model(new: Iterable[Seats], old: Iterable[Seats], part: str) -> bool:
    """Whether a model that both sides asked has other values on one of them."""
    sides: tuple[dict[str, set[str | None]], dict[str, set[str | None]]] = {}, {}
    for side, seats in zip(sides, (new, old), strict=True):
        for one in (one for held in seats for one in held):
            side.setdefault(one.model, set()).add(getattr(one, part))
    return any(values != sides[1][model] for model, values in sides[0].items() if model in sides[1])
