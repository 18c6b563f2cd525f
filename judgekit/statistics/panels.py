"""Several judges as one: the vote, how far they err together, and how many they are worth."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from judgekit.errors import InvalidArgument
from judgekit.statistics.accuracy import share_of
from judgekit.statistics.estimate import LEVEL, Estimate, checked_level, same_interval
from judgekit.statistics.kappa import cohen_kappa
from judgekit.statistics.paired import correlation

__all__ = ["PanelReading", "panel_reading"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelReading(Estimate):
    """A panel's majority against labels. `estimate` is the share of items where the majority is right.

    Attributes:
        kappa: Of the majority against the labels.
        accuracy: Each judge's share of right votes.
        error_correlation: Mean correlation of the judges' errors over pairs of judges; None where no pair has
            one (a judge that is always right, or always wrong, has none).
        n_eff: How many independent judges the panel is worth, k / (1 + (k - 1) error correlation), never more
            than its judges; None likewise.
        unanimous: Share of items on which all judges say the same.
        unanimous_accuracy: Share of those on which they are right; undefined where none is.
        ties: Items that an even panel split in halves; they are counted in no share.
    """

    kappa: Estimate
    accuracy: Mapping[str, Estimate]
    error_correlation: float | None
    n_eff: float | None
    unanimous: Estimate
    unanimous_accuracy: Estimate
    ties: int


def panel_reading(
    votes: Mapping[str, Sequence[bool | None]], labels: Sequence[bool | None], *, level: float = LEVEL
) -> PanelReading:
    """Hold a panel's votes against labels.

    Items that lack a label or any judge's vote are counted as missing and left out. The effective number of
    judges is Kish's (1965), with the mean correlation of errors. An error must not be divided by the
    number of judges: see `n_eff`.

    Args:
        votes: Each judge's votes by name, one an item.
        labels: What is right, one an item.
        level: Confidence of the intervals, Wilson's.

    Raises:
        InvalidArgument: Fewer than two judges, or votes that do not match the labels in number.
    """
    checked_level(level)
    if len(votes) < 2:
        raise InvalidArgument(f"`votes` needs at least 2 judges, got {len(votes)}")
    for name, mine in votes.items():
        if len(mine) != len(labels):
            raise InvalidArgument(f"`votes` of {name!r} has {len(mine)} entries for {len(labels)} labels")
    rows = [
        (tuple(vote for vote in row if vote is not None), label)
        for row, label in zip(zip(*votes.values(), strict=True), labels, strict=True)
        if label is not None and None not in row
    ]
    errors = {name: [float(row[k] != label) for row, label in rows] for k, name in enumerate(votes)}
    majority = [_majority(row) for row, _ in rows]
    truth = [label for _, label in rows]
    decided = [vote == label for vote, label in zip(majority, truth, strict=True) if vote is not None]
    unanimous = [row[0] == label for row, label in rows if len(set(row)) == 1]
    shared = _error_correlation(list(errors.values()))
    none = "no item has a label and every vote"
    whole = share_of(sum(decided), len(decided), level=level, reason=none)
    return PanelReading(
        **same_interval(whole),
        method="majority accuracy, wilson",
        n_items=len(labels),
        n_runs=len(rows) * len(votes),
        n_clusters=len(rows),
        n_missing=len(labels) - len(rows),
        kappa=cohen_kappa(majority, truth, categories=[False, True], level=level),
        accuracy={
            name: share_of(len(wrong) - int(sum(wrong)), len(wrong), level=level, reason=none)
            for name, wrong in errors.items()
        },
        error_correlation=shared,
        n_eff=_effective(len(votes), shared),
        unanimous=share_of(len(unanimous), len(rows), level=level, reason=none),
        unanimous_accuracy=share_of(sum(unanimous), len(unanimous), level=level, reason="never unanimous"),
        ties=len(rows) - len(decided),
    )


def _majority(row: Sequence[bool]) -> bool | None:
    return None if 2 * sum(row) == len(row) else 2 * sum(row) > len(row)


def _error_correlation(errors: Sequence[Sequence[float]]) -> float | None:
    found = [value for a, b in combinations(errors, 2) if (value := correlation(a, b)) is not None]
    return math.fsum(found) / len(found) if found else None


def _effective(judges: int, shared: float | None) -> float | None:
    if shared is None:
        return None
    # Errors that cancel out are worth no more than independent ones can be counted for.
    return judges / (1 + (judges - 1) * max(0.0, shared))
