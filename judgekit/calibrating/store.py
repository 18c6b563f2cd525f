"""Calibrations on disk, one JSON file each, and whether one of them stands behind a judge."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judgekit.checking import is_finite_number
from judgekit.errors import FileUnreadable, InvalidArgument
from judgekit.instruments import Instrument
from judgekit.jsonable import parse_json
from judgekit.masking import Masker
from judgekit.text import one_line

if TYPE_CHECKING:
    from judgekit.calibrating.calibration import Calibration

__all__ = ["STORE", "StoredCalibration", "read_store", "save", "standing_behind"]

STORE = Path(".judgekit") / "calibrations"
_FORMAT, _VERSION = "judgekit-calibration", 1
_PORTABLE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCalibration:
    """What a gate needs of a calibration.

    Attributes:
        name: The criterion's line in reports.
        population: Its tag.
        made_at: When.
        instruments: What measured the verdicts, the most frequent first.
        labels: How many replies were labelled.
        kappa: None where it was not defined; `reason` says why.
        kappa_low: Its lower bound.
        reason: Why there is no kappa.
    """

    name: str
    population: str
    made_at: datetime
    instruments: tuple[Instrument, ...]
    labels: int
    kappa: float | None
    kappa_low: float | None
    reason: str | None

    @property
    def fingerprints(self) -> frozenset[str]:
        """Of all its instruments."""
        return frozenset(instrument.fingerprint for instrument in self.instruments)

    @classmethod
    def from_json(cls, data: Any) -> StoredCalibration:
        """Read what `Calibration.to_json` wrote.

        Raises:
            ValueError: It is something else.
        """
        try:
            if data["format"] != _FORMAT or data["version"] != _VERSION:
                raise ValueError(f"it is {data['format']!r} version {data['version']!r}")
            entries = [{k: v for k, v in entry.items() if k != "verdicts"} for entry in data["instruments"]]
            kappa = data["confusion"]["agreement"]["kappa"]
            found = cls(
                name=str(data["name"]),
                population=str(data["population"]),
                made_at=datetime.fromisoformat(data["made_at"]),
                instruments=tuple(map(Instrument.from_json, entries)),
                labels=int(data["labels"]),
                kappa=_share(kappa["estimate"]),
                kappa_low=_share(data["kappa_low"]),
                reason=kappa["reason"],
            )
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"{type(error).__name__}: {error}") from error
        if found.made_at.tzinfo is None or not found.instruments:
            raise ValueError("it has no date with a time zone, or no instrument")
        return found


def _share(value: Any) -> float | None:
    if value is None:
        return None
    if not is_finite_number(value) or not -1 <= value <= 1:
        raise ValueError(f"kappa is {value!r}")
    return float(value)


def save(calibration: Calibration, store: Path, masker: Masker) -> Path:
    """Write a calibration in one step; the file's path.

    Raises:
        InvalidArgument: Nobody recorded what measured the verdicts.
        OSError: The folder cannot be written.
    """
    from importlib.metadata import version

    fingerprint = calibration.fingerprint
    if fingerprint is None:
        raise InvalidArgument(
            "nothing says which judge gave these verdicts, so no gate could find the calibration; "
            "calibrate by asking the judge, or from a run that it judged"
        )
    data = {**calibration.to_json(), "judgekit": version("judgekit-evals")}
    if data["alternative"] is not None:
        # Raters are people, and no gate needs their names.
        data["alternative"] = {k: v for k, v in data["alternative"].items() if k != "by_annotator"}
    text = json.dumps(parse_json(masker.masked_json(data)), ensure_ascii=False, indent=1)
    path = store / f"{fingerprint}-{_slug(calibration.population)}.json"
    store.mkdir(parents=True, exist_ok=True)
    handle, partial = tempfile.mkstemp(dir=store, prefix=".", suffix=".partial")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        Path(partial).replace(path)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise
    return path


def _slug(population: str) -> str:
    """The tag where it can stand in a file's name on every system, else a hash of it."""
    if _PORTABLE.fullmatch(population) and population == population.casefold():
        return population
    return "p-" + hashlib.sha256(population.encode("utf-8", "replace")).hexdigest()[:16]


def read_store(store: str | Path = STORE) -> tuple[StoredCalibration, ...]:
    """Every calibration in a folder, the newest first; none where the folder is not there.

    Raises:
        FileUnreadable: A file in it is no calibration.
    """
    found = []
    for path in sorted(Path(store).glob("*.json")):
        try:
            found.append(StoredCalibration.from_json(parse_json(path.read_text(encoding="utf-8"))))
        except (OSError, ValueError) as error:
            raise FileUnreadable(f"{path} is no calibration that can be read: {error}") from error
    return tuple(sorted(found, key=lambda one: one.made_at, reverse=True))


def standing_behind(
    stored: Sequence[StoredCalibration],
    instruments: Iterable[tuple[Instrument, int]],
    *,
    name: str,
    population: str | None = None,
    max_age_days: float | None = None,
    now: datetime | None = None,
) -> tuple[StoredCalibration | None, str]:
    """The newest calibration of what measured a criterion; None with the reason where there is none.

    Args:
        stored: The newest first.
        instruments: Of the criterion, with how many verdicts each.
        name: Of the criterion, to find the calibration that it has outgrown.
        population: Only calibrations of this population; None: of any.
        max_age_days: An older one is stale; None: age does not matter.
        now: The time; None: that of the clock.
    """
    measured = list(instruments)
    fitting = [one for one in stored if population is None or one.population == population]
    matching = [one for one in fitting if _covers(one, measured)]
    if matching:
        age = (now or datetime.now(UTC)) - matching[0].made_at
        if max_age_days is not None and age / timedelta(days=1) > max_age_days:
            return None, f"its calibration is stale: {age.days} days old, at most {max_age_days:g} allowed"
        return matching[0], ""
    main = measured[0][0]
    outgrown = [one for one in fitting if one.name == name or one.instruments[0].criterion == main.criterion]
    if outgrown:
        changes = [_change(one, measured) for one in outgrown]
        nearest = min(changes, key=len)
        return None, f"its calibration is stale: {'; '.join(nearest)}"
    if any(_covers(one, measured) for one in stored):
        return None, f"it is calibrated on another population, not on {population!r}"
    return None, "it has no calibration"


def _covers(calibration: StoredCalibration, measured: Sequence[tuple[Instrument, int]]) -> bool:
    """Whether everything was measured with what was calibrated.

    A request whose answer was cut off is made again with more tokens, which changes the fingerprint of that
    one verdict; beside verdicts of the calibrated instrument it is no other instrument. A reference that
    differs from case to case changes it likewise: there what both record is compared. A panel is no
    single judge, though each of its members is.
    """
    if _models(calibration.instruments) != _models(one for one, _ in measured):
        return False
    exact = [one for one, _ in measured if one.fingerprint in calibration.fingerprints]
    others = [one for one, _ in measured if one.fingerprint not in calibration.fingerprints]
    if not others:
        return bool(exact)
    varies = _vary(calibration.instruments)
    return all(
        any(_alike(known, one, tokens=bool(exact), hidden=varies) for known in calibration.instruments)
        for one in others
    )


def _models(instruments: Iterable[Instrument]) -> str:
    return ", ".join(sorted({instrument.model for instrument in instruments}))


def _vary(instruments: Sequence[Instrument]) -> bool:
    """Whether the calibrated verdicts differ in something that only their fingerprints hold."""
    first = instruments[0]
    return any(
        not first.parts_unlike(one) and first.fingerprint != one.fingerprint for one in instruments[1:]
    )


def _alike(known: Instrument, other: Instrument, *, tokens: bool, hidden: bool) -> bool:
    unlike = known.parts_unlike(other)
    if not unlike:
        return hidden
    return tokens and unlike == ("parameters",) and _but_tokens(known) == _but_tokens(other)


def _but_tokens(instrument: Instrument) -> dict[str, Any]:
    limits = ("max_tokens", "max_completion_tokens")
    return {name: value for name, value in instrument.parameters.items() if name not in limits}


def _change(calibration: StoredCalibration, measured: Sequence[tuple[Instrument, int]]) -> tuple[str, ...]:
    """What the first instrument that is not calibrated has in place of the nearest that is."""
    asked = _models(calibration.instruments), _models(one for one, _ in measured)
    if asked[0] != asked[1] and any("," in models for models in asked):
        return (f"the judges were {one_line(asked[0])}, now {one_line(asked[1])}",)
    new = next(
        (one for one, _ in measured if one.fingerprint not in calibration.fingerprints), measured[0][0]
    )
    return min((known.differences(new) for known in calibration.instruments), key=len)
