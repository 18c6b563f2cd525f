"""Rank agreement of judge and human scores, under three protocols that are never mixed."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from judgekit.errors import InvalidArgument
from judgekit.statistics.estimate import LEVEL, Estimate, checked_level, checked_numbers, checked_whole
from judgekit.statistics.paired import correlation
from judgekit.statistics.resampling import bootstrap_interval
from judgekit.statistics.special import normal_quantile, t_quantile

__all__ = ["Coefficient", "Protocol", "RankAgreement", "ScoredItem", "rank_agreement", "rank_correlation"]

Coefficient = Literal["spearman", "kendall-b", "kendall-c", "pearson"]
Protocol = Literal["dataset", "group", "system"]
_COEFFICIENTS = ("spearman", "kendall-b", "kendall-c", "pearson")
_PROTOCOLS = ("dataset", "group", "system")


class ScoredItem(NamedTuple):
    """One answer with its two scores.

    Attributes:
        item: What was answered, such as a document or a question.
        system: Who answered.
        judge: The judge's score; None is missing.
        human: The human one; None is missing.
    """

    item: Hashable
    system: Hashable
    judge: float | None
    human: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RankAgreement(Estimate):
    """A coefficient under one protocol; two protocols must not stand in one column.

    Attributes:
        protocol: `dataset`, `group` or `system`.
        coefficient: `spearman`, `kendall-b`, `kendall-c` or `pearson`.
        dropped_groups: Groups left out because they were too small or one side was constant.
    """

    protocol: Protocol
    coefficient: Coefficient
    dropped_groups: int = 0


def _ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1, ties at their mean."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for place in order[start : end + 1]:
            ranks[place] = (start + end) / 2 + 1
        start = end + 1
    return ranks


def rank_correlation(
    a: Sequence[float], b: Sequence[float], *, coefficient: Coefficient = "spearman"
) -> float | None:
    """One coefficient of two lists; None where one of them is constant or below two long.

    Spearman's with ties at their mean rank, Kendall's tau-b (1945) or Stuart's tau-c (1953), or Pearson's.

    Raises:
        InvalidArgument: An unknown coefficient, lists that differ in length, or numbers that are not finite.
    """
    if coefficient not in _COEFFICIENTS:
        raise InvalidArgument(f"`coefficient` must be one of {', '.join(_COEFFICIENTS)}, got {coefficient!r}")
    if len(a) != len(b):
        raise InvalidArgument(f"both lists need one score an item, got {len(a)} and {len(b)}")
    if None in checked_numbers(a, name="a") or None in checked_numbers(b, name="b"):
        raise InvalidArgument("a rank correlation needs both scores of every item; leave the others out")
    if len(set(a)) < 2 or len(set(b)) < 2:
        return None
    if coefficient == "pearson":
        return correlation(a, b)
    if coefficient == "spearman":
        return correlation(_ranks(a), _ranks(b))
    from scipy.stats import kendalltau

    return float(kendalltau(a, b, variant="b" if coefficient == "kendall-b" else "c").statistic)


def rank_agreement(
    rows: Iterable[ScoredItem | tuple[Hashable, Hashable, float | None, float | None]],
    *,
    protocol: Protocol,
    coefficient: Coefficient = "spearman",
    min_group: int = 3,
    level: float = LEVEL,
    resamples: int = 1_000,
    seed: int = 0,
) -> RankAgreement:
    """How far judge and human put answers in the same order.

    `dataset`: one coefficient over all rows. `group`: one an item over its systems, then their mean; groups
    where a side is constant are dropped and counted (the meta-evaluation of G-Eval, Liu et al. 2023,
    arXiv:2303.16634). `system`: one over the means of the systems. The three differ widely on the same data.

    Intervals: for `dataset` Bonett and Wright's (2000) where no item repeats, else a bootstrap over items;
    for `group` Student's t over groups; for `system` Bonett and Wright's over systems.

    Args:
        rows: Item, system, judge score and human score.
        protocol: Which of the three.
        coefficient: `spearman`, `kendall-b`, `kendall-c` or `pearson`.
        min_group: Rows that a group needs, at least 2.
        level: Confidence of the interval.
        resamples: Of the bootstrap.
        seed: Of the bootstrap.

    Raises:
        InvalidArgument: An unknown protocol or coefficient, or a score that is not finite.
    """
    checked_level(level)
    checked_whole(min_group, name="min_group", least=2)
    if protocol not in _PROTOCOLS:
        raise InvalidArgument(f"`protocol` must be one of {', '.join(_PROTOCOLS)}, got {protocol!r}")
    given = [ScoredItem(*row) for row in rows]
    checked_numbers([score for row in given for score in row[2:]], name="rows")
    kept = [row for row in given if row.judge is not None and row.human is not None]
    groups, dropped = _grouped(kept, by_system=protocol == "system"), 0
    if protocol == "group":
        value, ends, dropped = _by_group(groups, coefficient, min_group, level)
    elif protocol == "system":
        value, ends = _by_system(groups, coefficient, level)
    else:
        value, ends = _over_all(kept, groups, coefficient, level, resamples, seed)
    return RankAgreement(
        estimate=value,
        low=ends[0] if ends else None,
        high=ends[1] if ends else None,
        level=level,
        method=f"{coefficient}, {protocol} protocol",
        n_items=len(given),
        n_runs=len(kept),
        n_clusters=len(groups) - dropped,
        n_missing=len(given) - len(kept),
        reason=_why(value, ends, protocol),
        warnings=(f"{dropped} group{'s' * (dropped > 1)} dropped: too small, or one side is constant",)
        if dropped
        else (),
        protocol=protocol,
        coefficient=coefficient,
        dropped_groups=dropped,
    )


def _why(value: float | None, ends: tuple[float, float] | None, protocol: Protocol) -> str | None:
    if value is None and protocol == "group":
        return "no group is large enough with both sides varying"
    if value is None:
        return "fewer than 2 scores, or one side is constant"
    return None if ends else "too few scores, or too little variation, for an interval"


def _grouped(kept: Sequence[ScoredItem], *, by_system: bool) -> list[list[ScoredItem]]:
    groups: dict[Hashable, list[ScoredItem]] = {}
    for row in kept:
        groups.setdefault(row.system if by_system else row.item, []).append(row)
    return list(groups.values())


def _scores(rows: Iterable[ScoredItem]) -> tuple[list[float], list[float]]:
    pairs = [(row.judge, row.human) for row in rows if row.judge is not None and row.human is not None]
    return [judge for judge, _ in pairs], [human for _, human in pairs]


def _by_group(
    groups: Sequence[Sequence[ScoredItem]], coefficient: Coefficient, min_group: int, level: float
) -> tuple[float | None, tuple[float, float] | None, int]:
    found = [
        value
        for group in groups
        if len(group) >= min_group
        and (value := rank_correlation(*_scores(group), coefficient=coefficient)) is not None
    ]
    dropped = len(groups) - len(found)
    if not found:
        return None, None, dropped
    mean = math.fsum(found) / len(found)
    if len(found) < 2:
        return mean, None, dropped
    variance = math.fsum((value - mean) ** 2 for value in found) / (len(found) - 1)
    half = t_quantile((1 + level) / 2, len(found) - 1) * math.sqrt(variance / len(found))
    return mean, (max(-1.0, mean - half), min(1.0, mean + half)), dropped


def _by_system(
    groups: Sequence[Sequence[ScoredItem]], coefficient: Coefficient, level: float
) -> tuple[float | None, tuple[float, float] | None]:
    scores = [_scores(group) for group in groups]
    judge = [math.fsum(judged) / len(judged) for judged, _ in scores]
    human = [math.fsum(humans) / len(humans) for _, humans in scores]
    value = rank_correlation(judge, human, coefficient=coefficient)
    return value, _bonett_wright(value, len(groups), coefficient, level)


def _over_all(
    kept: Sequence[ScoredItem],
    groups: Sequence[Sequence[ScoredItem]],
    coefficient: Coefficient,
    level: float,
    resamples: int,
    seed: int,
) -> tuple[float | None, tuple[float, float] | None]:
    value = rank_correlation(*_scores(kept), coefficient=coefficient)
    if value is None:
        return None, None
    if len(groups) == len(kept):
        return value, _bonett_wright(value, len(kept), coefficient, level)

    def of_sample(sample: Sequence[Sequence[ScoredItem]]) -> float | None:
        return rank_correlation(*_scores(row for group in sample for row in group), coefficient=coefficient)

    return value, bootstrap_interval(groups, of_sample, level=level, resamples=resamples, seed=seed)


def _bonett_wright(
    value: float | None, n: int, coefficient: Coefficient, level: float
) -> tuple[float, float] | None:
    """Bonett and Wright's interval (2000, Psychometrika 65:23) on Fisher's scale."""
    spare = n - (4 if coefficient.startswith("kendall") else 3)
    if value is None or spare < 1 or abs(value) >= 1:
        return None
    spread = {"spearman": 1 + value * value / 2, "pearson": 1.0}.get(coefficient, 0.437)
    half = normal_quantile((1 + level) / 2) * math.sqrt(spread / spare)
    return math.tanh(math.atanh(value) - half), math.tanh(math.atanh(value) + half)
