"""The alternative annotator test: may the judge stand in for one of the humans?"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from judgekit.errors import InvalidArgument
from judgekit.statistics.estimate import LEVEL, Estimate, checked_numbers, checked_same_length, checked_whole
from judgekit.statistics.intervals import wilson_interval
from judgekit.statistics.multiplicity import benjamini_yekutieli
from judgekit.statistics.special import t_below

__all__ = ["AlternativeTest", "AnnotatorComparison", "alt_test"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorComparison:
    """The judge beside one annotator.

    Attributes:
        n_items: Items that this annotator shares with at least one other.
        judge_wins: Share of items on which the judge is at least as close to the others as the annotator.
        annotator_wins: The other way round; ties count for both.
        p_value: One-sided, that the annotator is better by `epsilon` or more; None where skipped.
        adjusted_p: After Benjamini and Yekutieli; None where skipped.
        rejected: Whether the judge holds its own here.
        skipped: Why this annotator was left out; None where it was not.
    """

    n_items: int
    judge_wins: float | None
    annotator_wins: float | None
    p_value: float | None
    adjusted_p: float | None
    rejected: bool
    skipped: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlternativeTest(Estimate):
    """The alt-test. `estimate` is the winning rate: the share of annotators beside whom the judge holds.

    Attributes:
        passed: Whether the winning rate is at least one half; None where it is not defined.
        advantage: The mean over annotators of the judge's wins, the advantage probability; None likewise.
        by_annotator: One comparison an annotator.
    """

    passed: bool | None
    advantage: float | None
    by_annotator: Mapping[str, AnnotatorComparison]


Scoring = Literal["accuracy", "rmse"]


def _closeness(label: Hashable, others: Sequence[Hashable], scoring: Scoring) -> float:
    if scoring == "accuracy":
        return sum(label == other for other in others) / len(others)
    squares = [(float(label) - float(other)) ** 2 for other in others]  # type: ignore[arg-type]
    return -math.sqrt(math.fsum(squares) / len(squares))


def alt_test(
    judge: Sequence[Hashable | None],
    humans: Mapping[str, Sequence[Hashable | None]],
    *,
    epsilon: float,
    scoring: Scoring = "accuracy",
    min_items: int = 30,
    alpha: float = 0.05,
) -> AlternativeTest:
    """Compare the judge with each annotator in how close both are to the other annotators.

    For each annotator a one-sided t test of `mean(annotator wins - judge wins) < epsilon`, adjusted after
    Benjamini and Yekutieli (Calderon, Reichart, Dror 2025, arXiv:2501.10970).

    Args:
        judge: The judge's label of each item; None leaves the item out.
        humans: The labels of each annotator by name; None where an item was not annotated.
        epsilon: How much better a human may be: the paper takes 0.2 for experts, 0.15 for skilled, 0.1 for
            crowd annotators.
        scoring: `accuracy` for categories; `rmse` for scales, which need numbers.
        min_items: An annotator with fewer items is skipped.
        alpha: Of the adjusted tests.

    Raises:
        InvalidArgument: Fewer than two annotators, lists that differ in length, an unknown scoring, or an
            epsilon or alpha out of range.
    """
    _check(judge, humans, epsilon, scoring, min_items, alpha)
    found = {name: _beside(name, judge, humans, epsilon, scoring, min_items) for name in humans}
    tested = {name: each for name, each in found.items() if each.p_value is not None}
    adjusted = benjamini_yekutieli([each.p_value for each in tested.values() if each.p_value is not None])
    by = dict(found)
    for (name, each), p in zip(tested.items(), adjusted, strict=True):
        by[name] = replace(each, adjusted_p=p, rejected=p < alpha)
    wins = sum(each.rejected for each in by.values())
    rate = wins / len(tested) if tested else None
    interval = wilson_interval(wins, len(tested))
    skipped = [name for name, each in by.items() if each.skipped]
    shares = [each.judge_wins for name, each in by.items() if name in tested and each.judge_wins is not None]
    return AlternativeTest(
        estimate=rate,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        level=LEVEL,
        method=f"alt-test, {scoring}, epsilon {epsilon}, wilson over annotators",
        n_items=len(judge),
        n_runs=sum(each.n_items for each in by.values()),
        n_clusters=len(tested),
        n_missing=sum(label is None for label in judge),
        reason=None if tested else f"no annotator has {min_items} items that another annotated too",
        warnings=(f"skipped, with fewer than {min_items} items: {', '.join(skipped)}",) if skipped else (),
        passed=None if rate is None else rate >= 0.5,
        advantage=math.fsum(shares) / len(shares) if shares else None,
        by_annotator=by,
    )


def _check(
    judge: Sequence[Hashable | None],
    humans: Mapping[str, Sequence[Hashable | None]],
    epsilon: float,
    scoring: str,
    min_items: int,
    alpha: float,
) -> None:
    if scoring not in ("accuracy", "rmse"):
        raise InvalidArgument(f"`scoring` must be accuracy or rmse, got {scoring!r}")
    if len(humans) < 2:
        raise InvalidArgument(f"`humans` needs at least 2 annotators, got {len(humans)}")
    if not 0 <= epsilon < 1 or not 0 < alpha < 1:
        raise InvalidArgument(f"`epsilon` and `alpha` must be from 0 to 1, got {epsilon!r} and {alpha!r}")
    checked_whole(min_items, name="min_items", least=2)
    checked_same_length(judge=judge, **humans)
    if scoring == "rmse":
        for labels in (judge, *humans.values()):
            checked_numbers(labels, name="labels")


def _beside(
    name: str,
    judge: Sequence[Hashable | None],
    humans: Mapping[str, Sequence[Hashable | None]],
    epsilon: float,
    scoring: Scoring,
    min_items: int,
) -> AnnotatorComparison:
    judge_wins: list[int] = []
    human_wins: list[int] = []
    for place, (verdict, label) in enumerate(zip(judge, humans[name], strict=True)):
        labels = (humans[other][place] for other in humans if other != name)
        others = [other for other in labels if other is not None]
        if verdict is None or label is None or not others:
            continue
        mine, theirs = _closeness(verdict, others, scoring), _closeness(label, others, scoring)
        judge_wins.append(mine >= theirs)
        human_wins.append(theirs >= mine)
    n = len(judge_wins)
    skipped = f"{n} items, {min_items} needed" if n < min_items else None
    differences = [float(h - j) for h, j in zip(human_wins, judge_wins, strict=True)]
    return AnnotatorComparison(
        n_items=n,
        judge_wins=sum(judge_wins) / n if n else None,
        annotator_wins=sum(human_wins) / n if n else None,
        p_value=None if skipped else _below(differences, epsilon),
        adjusted_p=None,
        rejected=False,
        skipped=skipped,
    )


def _below(differences: Sequence[float], epsilon: float) -> float:
    """The one-sided p value of a mean below epsilon; without variance the mean alone decides."""
    n = len(differences)
    mean = math.fsum(differences) / n
    variance = math.fsum((value - mean) ** 2 for value in differences) / (n - 1)
    if not variance:
        return 0.0 if mean < epsilon else 1.0
    return t_below((mean - epsilon) / math.sqrt(variance / n), n - 1)
