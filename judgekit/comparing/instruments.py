"""Whether a judged result was measured with the same instrument on both sides, and if not, what differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from judgekit.comparing.reading import Instrument, Measured

__all__ = ["NO_CHANGE", "InstrumentChange", "change_between"]

_OF_JUDGE = ("model", "prompt", "parameters")
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


NO_CHANGE = InstrumentChange()


def change_between(changes: Mapping[tuple[Measured | None, Measured | None], int]) -> InstrumentChange:
    """What differs over all pairs of results, new before old."""
    found: set[str] = set()
    models: tuple[dict[str, None], dict[str, None]] = {}, {}
    for new, old in changes:
        if new is None or old is None:
            continue
        # A result that nobody got to measure knows no threshold.
        if None not in (new.threshold, old.threshold) and new.threshold != old.threshold:
            found.add("threshold")
        for side, held in zip((new, old), models, strict=True):
            held.update(dict.fromkeys(one.model for one in side.instruments))
        # Where a judge failed before it was asked, nothing says which it would have been.
        if new.instruments and old.instruments:
            found.update(_differing(new, old))
    return InstrumentChange(
        _named(_OF_JUDGE, found),
        _named(_OF_CRITERION, found),
        _named(_DRIFT, found),
        tuple(models[0]),
        tuple(models[1]),
    )


def _named(parts: Iterable[str], found: set[str]) -> tuple[str, ...]:
    return tuple(_SAID[part] for part in parts if part in found)


def _differing(new: Measured, old: Measured) -> set[str]:
    """The parts in which the judges of two results differ, whatever the order they were asked in."""
    sides = new.instruments, old.instruments
    parts = ("model", "prompt", "parameters", "criterion", "schema", "served", "rung")
    found = {part for part in parts if _values(sides[0], part) != _values(sides[1], part)}
    hidden = _values(sides[0], "fingerprint") != _values(sides[1], "fingerprint")
    if hidden and not found and new.threshold == old.threshold:
        found.add("settings")
    return found


def _values(instruments: Iterable[Instrument], part: str) -> Counter[str | None]:
    return Counter(getattr(one, part) for one in instruments)
