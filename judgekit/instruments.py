"""Which instruments measured a criterion: what their verdicts hang on, and in what two of them differ."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from judgekit.evaluation import EvalResult, Measurement, Outcome
from judgekit.jsonable import json_equal, json_line
from judgekit.text import one_line

__all__ = ["Instrument", "Instruments"]

_SHOWN = 60
_PARTS = {
    "model": "model",
    "model_served": "model served",
    "prompt": "prompt",
    "schema": "schema",
    "criterion": "criterion",
    "threshold": "threshold",
    "rung": "form of asking",
    "parameters": "parameters",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Instrument:
    """What a verdict was measured with. Equal fingerprints are one instrument.

    Attributes:
        fingerprint: Of the measurement; a hash over the other attributes where it has none.
        model: The model asked.
        model_served: The model that answered; None where nobody says.
        prompt: Name, version and content hash.
        schema: The verdict schema's name.
        criterion: The whole text.
        threshold: The score needed; None where there is none.
        rung: How the format was asked for.
        parameters: The parameters sent.
    """

    fingerprint: str
    model: str
    model_served: str | None = None
    prompt: str = ""
    schema: str = ""
    criterion: str = ""
    threshold: float | None = None
    rung: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, measured: Measurement, threshold: float | None) -> Instrument:
        """The instrument behind one measurement."""
        parts: dict[str, Any] = {
            name: getattr(measured, name) for name in _PARTS if name not in ("threshold", "parameters")
        }
        parts |= {"threshold": threshold, "parameters": dict(measured.parameters)}
        return cls(fingerprint=measured.fingerprint or _hash(parts), **parts)

    def parts_unlike(self, other: Instrument) -> tuple[str, ...]:
        """The names of the recorded parts in which two instruments differ."""
        return tuple(name for name in _PARTS if not json_equal(getattr(self, name), getattr(other, name)))

    def differences(self, other: Instrument) -> tuple[str, ...]:
        """What `other` has in place of this one's parts, one phrase each: `model was 'a', now 'b'`.

        Where no recorded part differs and the fingerprints do, it is something that only they hold.
        """
        found = tuple(
            f"{_PARTS[name]} was {_value(getattr(self, name))}, now {_value(getattr(other, name))}"
            for name in self.parts_unlike(other)
        )
        if found or self.fingerprint == other.fingerprint:
            return found
        return ("the scale, the schema's text, a reference or the number of samples is another",)

    def to_json(self) -> dict[str, Any]:
        """The instrument as JSON data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Instrument:
        """Read what `to_json` wrote; a TypeError where it is something else."""
        found = cls(**data)
        if not isinstance(found.fingerprint, str) or not isinstance(found.model, str):
            raise TypeError("an instrument needs a fingerprint and a model, both text")
        if not isinstance(found.parameters, Mapping):
            raise TypeError("the parameters of an instrument are no object")
        return found


def _hash(parts: Mapping[str, Any]) -> str:
    return hashlib.sha256(json_line(dict(parts)).encode()).hexdigest()[:16]


def _value(value: Any) -> str:
    if value in (None, ""):
        return "unknown"
    return repr(one_line(value, _SHOWN)) if isinstance(value, str) else one_line(json_line(value), _SHOWN)


class Instruments:
    """The instruments of one criterion, and how many results each of them measured."""

    __slots__ = ("_counts", "_known")

    def __init__(self) -> None:
        self._known: dict[str, Instrument] = {}
        self._counts: dict[str, int] = {}

    def add(self, result: EvalResult) -> None:
        """Count a result; one that decided nothing says nothing of what it was measured with."""
        if result.outcome is Outcome.INCONCLUSIVE:
            return
        for mark, measured in {one.fingerprint: one for one in _answered(result.measurements)}.items():
            key = mark
            if not mark or mark not in self._known:
                made = Instrument.of(measured, result.threshold)
                key = made.fingerprint
                self._known.setdefault(key, made)
            self._counts[key] = self._counts.get(key, 0) + 1

    def __len__(self) -> int:
        return len(self._known)

    def __iter__(self) -> Iterator[tuple[Instrument, int]]:
        """Each instrument with its count, the most frequent first."""
        ordered = sorted(self._counts.items(), key=lambda item: (-item[1], item[0]))
        return ((self._known[key], count) for key, count in ordered)


def _answered(measurements: Iterable[Measurement]) -> list[Measurement]:
    """Without the member of a panel that failed while others answered: it measured nothing."""
    every = list(measurements)
    return [one for one in every if one.model_served is not None] or every
