"""What every result says about itself, and the checks of what is given."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence, Sized
from dataclasses import dataclass, fields
from typing import Any

from judgekit.errors import InvalidArgument

__all__ = [
    "FEW_CLUSTERS",
    "LEVEL",
    "Estimate",
    "checked_confidence",
    "checked_level",
    "checked_numbers",
    "checked_same_length",
    "checked_share",
    "checked_whole",
    "cluster_sums",
    "few_clusters",
    "same_interval",
]

LEVEL = 0.95
FEW_CLUSTERS = 10
# Of numbers: sums of their squares must stay finite.
_LARGEST = 1e150


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number, how far it can be trusted, and what it stands on. Never holds a NaN.

    Attributes:
        estimate: The number; None where it is not defined, and `reason` says why.
        low: The lower end of its interval; None where there is none.
        high: The upper end.
        level: The confidence of the interval, such as 0.95.
        method: How number and interval were made.
        n_items: How many cases or items were given.
        n_runs: How many measurements entered, repeats counted one by one.
        n_clusters: How many independent groups they form.
        n_missing: How many measurements were missing.
        standard_error: Of the estimate; None where the method has none.
        reason: Why the estimate or the interval is not defined; None where both are.
        warnings: What a reader must know, one sentence each.
    """

    estimate: float | None
    low: float | None = None
    high: float | None = None
    level: float = LEVEL
    method: str
    n_items: int
    n_runs: int
    n_clusters: int
    n_missing: int = 0
    standard_error: float | None = None
    reason: str | None = None
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, float) and not math.isfinite(value):
                raise InvalidArgument(f"{type(self).__name__}: `{each.name}` must be finite, got {value!r}")

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends; None where one is not defined."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def half_width(self) -> float | None:
        """Half of the interval's width; None without an interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2


def same_interval(found: Estimate) -> dict[str, Any]:
    """The fields of an estimate that a larger result takes over."""
    names = ("estimate", "low", "high", "level", "standard_error", "reason")
    return {name: getattr(found, name) for name in names}


def few_clusters(count: int) -> tuple[str, ...]:
    """The warning that goes with fewer clusters than a cluster-robust error needs."""
    if count >= FEW_CLUSTERS:
        return ()
    return (f"{count} clusters: a cluster-robust error is unsure with fewer than {FEW_CLUSTERS}",)


def checked_level(level: float, *, name: str = "level") -> float:
    """A confidence above 0 and below 1."""
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
        percent = level if isinstance(level, int | float) and 1 < level < 100 else 95
        raise InvalidArgument(
            f"`{name}` must be above 0 and below 1, got {level!r}; write {percent / 100:g}, not {percent:g}"
        )
    return float(level)


def checked_confidence(confidence: float) -> float:
    """The confidence of a one-sided bound, above 0.5: below, the two bounds change places."""
    number = not isinstance(confidence, bool) and isinstance(confidence, int | float)
    if number and 0.5 < confidence < 1:
        return float(confidence)
    hint = f"{1 - confidence:g}" if number and 0 < confidence < 0.5 else "0.95"
    raise InvalidArgument(f"`confidence` must be above 0.5 and below 1, got {confidence!r}; write {hint}")


def checked_share(value: float, *, name: str) -> float:
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidArgument(f"`{name}` must be from 0 to 1, got {value!r}")
    return float(value)


def checked_whole(value: int, *, name: str, least: int = 0) -> int:
    """A whole number that is at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InvalidArgument(f"`{name}` must be a whole number >= {least}, got {value!r}")
    return value


def checked_numbers(values: Iterable[Any], *, name: str) -> list[float | None]:
    """Finite numbers up to 1e150; booleans count as 0 and 1, None stays None."""
    found: list[float | None] = []
    for value in values:
        if value is None:
            found.append(None)
        elif isinstance(value, bool | int | float) and -_LARGEST <= value <= _LARGEST:
            found.append(float(value))
        else:
            raise InvalidArgument(
                f"`{name}` must hold finite numbers up to {_LARGEST:g} or None, got {value!r}"
            )
    return found


def checked_same_length(**named: Sized | None) -> int:
    """The one length of what is given; what is None is left out."""
    lengths = {name: len(values) for name, values in named.items() if values is not None}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"`{name}` has {length}" for name, length in lengths.items())
        raise InvalidArgument(f"one entry an item is needed in each: {listed}")
    return next(iter(lengths.values()), 0)


def cluster_sums(values: Sequence[float], clusters: Sequence[Hashable]) -> list[tuple[float, int]]:
    """Sum and count of each cluster, in order of first appearance."""
    sums: dict[Hashable, list[float]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        held = sums.setdefault(cluster, [0.0, 0.0])
        held[0] += value
        held[1] += 1
    return [(total, int(count)) for total, count in sums.values()]
