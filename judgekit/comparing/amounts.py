"""What an attempt took in both runs: seconds, US dollars, tokens."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from math import fsum

from judgekit.comparing.comparison import AmountComparison
from judgekit.comparing.pairing import RunPairing
from judgekit.comparing.reading import RunReading
from judgekit.statistics import paired_difference

__all__ = ["AMOUNTS", "amounts_of"]

AMOUNTS = (
    ("latency", "s"),
    ("cost", "$"),
    ("input tokens", "tokens"),
    ("output tokens", "tokens"),
    ("judge cost", "$"),
)
"""Name and unit, in the order in which a reading holds them."""


def amounts_of(
    pairing: RunPairing, clusters: Mapping[str, Hashable] | None, *, level: float
) -> Iterator[AmountComparison]:
    """The amounts that at least one side knows of at least one attempt."""
    keys = [pair.case_id if clusters is None else clusters[pair.case_id] for pair in pairing.pairs]
    for place, (name, unit) in enumerate(AMOUNTS):
        new, old = _known(pairing.new, place), _known(pairing.old, place)
        if not new and not old:
            continue
        yield AmountComparison(
            name=name,
            unit=unit,
            new_mean=_mean(new),
            old_mean=_mean(old),
            new_known=len(new),
            old_known=len(old),
            difference=paired_difference(
                [pair.new.amounts[place] for pair in pairing.pairs],
                [pair.old.amounts[place] for pair in pairing.pairs],
                keys,
                level=level,
            ),
        )


def _known(run: RunReading, place: int) -> list[float]:
    found = (attempt.amounts[place] for runs in run.cases.values() for attempt in runs.values())
    return [amount for amount in found if amount is not None]


def _mean(amounts: Sequence[float]) -> float | None:
    return fsum(amounts) / len(amounts) if amounts else None
