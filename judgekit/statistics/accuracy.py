"""A judge against labels that count as true: sensitivity, specificity, precision, recall, F1."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from judgekit.errors import InvalidArgument
from judgekit.statistics.by_case import (
    Tables,
    agreement_by_case,
    are_repeated,
    share_by_case,
    tables_by_case,
)
from judgekit.statistics.estimate import LEVEL, Estimate, checked_level, checked_same_length
from judgekit.statistics.intervals import wilson_interval
from judgekit.statistics.kappa import Agreement, agreement

__all__ = ["Confusion", "MacroScores", "confusion", "macro_scores", "share_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion(Estimate):
    """A judge's passes against human ones. `estimate` is the share of items on which they agree.

    Attributes:
        true_pass: Both say pass.
        false_pass: The judge passes what the human fails.
        false_fail: The judge fails what the human passes.
        true_fail: Both say fail.
        sensitivity: Share of human passes that the judge passes; undefined without human passes.
        specificity: Share of human fails that the judge fails; undefined without human fails.
        judge_rate: The judge's pass rate on these items.
        human_rate: The human one.
        leniency: Judge rate minus human rate; None without items.
        agreement: Kappa, pi and AC1 of the same table.
    """

    true_pass: int
    false_pass: int
    false_fail: int
    true_fail: int
    sensitivity: Estimate
    specificity: Estimate
    judge_rate: Estimate
    human_rate: Estimate
    leniency: float | None
    agreement: Agreement


def share_of(
    part: int, whole: int, *, level: float = LEVEL, missing: int = 0, reason: str = "nothing was counted"
) -> Estimate:
    """A share of independent items with its Wilson interval; undefined, with `reason`, where `whole` is 0."""
    interval = wilson_interval(part, whole, level=level)
    return Estimate(
        estimate=part / whole if whole else None,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        level=level,
        method="wilson",
        n_items=whole + missing,
        n_runs=whole,
        n_clusters=whole,
        n_missing=missing,
        reason=None if whole else reason,
    )


def _check_passes(**named: Sequence[bool | None]) -> None:
    for name, values in named.items():
        for value in values:
            if value is not None and not isinstance(value, bool):
                raise InvalidArgument(f"`{name}` must hold True, False or None, got {value!r}")


def confusion(
    judge: Sequence[bool | None],
    human: Sequence[bool | None],
    *,
    clusters: Sequence[Hashable] | None = None,
    level: float = LEVEL,
) -> Confusion:
    """Hold a judge's passes against human ones.

    Items that lack one of the two are counted as missing and enter nothing.

    Args:
        judge: The judge's pass or fail of each item; None where it gave none.
        human: The human's.
        clusters: The case of each item, where items repeat; None: each is its own.
        level: Confidence of the intervals: Wilson's, and with repeats those of `pass_rate` and the
            jackknife over cases.

    Raises:
        InvalidArgument: The lists differ in length, or hold something else than True, False and None.
    """
    checked_level(level)
    checked_same_length(judge=judge, human=human, clusters=clusters)
    _check_passes(judge=judge, human=human)
    both = agreement(judge, human, categories=[False, True], level=level)
    (true_fail, false_fail), (false_pass, true_pass) = both.table
    passes, fails = true_pass + false_fail, true_fail + false_pass
    n = passes + fails
    missing = both.n_missing

    def share(part: int, whole: int, reason: str) -> Estimate:
        return share_of(part, whole, level=level, reason=reason)

    found = Confusion(
        estimate=both.estimate,
        low=both.low,
        high=both.high,
        level=level,
        method=both.method,
        n_items=both.n_items,
        n_runs=both.n_runs,
        n_clusters=both.n_clusters,
        n_missing=missing,
        reason=both.reason,
        warnings=both.warnings,
        true_pass=true_pass,
        false_pass=false_pass,
        false_fail=false_fail,
        true_fail=true_fail,
        sensitivity=share(true_pass, passes, "the human passed no item"),
        specificity=share(true_fail, fails, "the human failed no item"),
        judge_rate=share(true_pass + false_pass, n, "no item has both labels"),
        human_rate=share(passes, n, "no item has both labels"),
        leniency=(false_pass - false_fail) / n if n else None,
        agreement=both,
    )
    if clusters is None or not are_repeated(clusters):
        return found
    return _by_case(found, tables_by_case(judge, human, clusters))


def _by_case(found: Confusion, tables: Tables) -> Confusion:
    """The same table with intervals for items that come in cases."""

    def share(one: Estimate, passed: tuple[int, ...], failed: tuple[int, ...]) -> Estimate:
        return one if one.estimate is None else share_by_case(tables, passed, failed, found.level)

    both = agreement_by_case(found.agreement, tables)
    return replace(
        found,
        low=both.low,
        high=both.high,
        method=both.method,
        n_clusters=both.n_clusters,
        reason=both.reason,
        sensitivity=share(found.sensitivity, (0,), (2,)),
        specificity=share(found.specificity, (3,), (1,)),
        judge_rate=share(found.judge_rate, (0, 1), (2, 3)),
        human_rate=share(found.human_rate, (0, 2), (1, 3)),
        agreement=both,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MacroScores(Estimate):
    """Multi-class scores; `estimate` is the accuracy. The macro means weigh categories alike.

    Attributes:
        precision: Mean over categories; None where one of them was never predicted and is not defined.
        recall: Mean over categories; None where one of them never occurs.
        f1: Mean over categories; None where one of them neither occurs nor was predicted.
        by_category: Precision, recall and F1 of each category.
    """

    precision: float | None
    recall: float | None
    f1: float | None
    by_category: Mapping[Any, tuple[float | None, float | None, float | None]]


def macro_scores(
    predicted: Sequence[Hashable | None],
    truth: Sequence[Hashable | None],
    *,
    categories: Sequence[Hashable],
    level: float = LEVEL,
) -> MacroScores:
    """Precision, recall and F1, averaged over `categories` (van Rijsbergen 1979).

    A prediction outside `categories`, such as an unreadable reply kept as a label of its own, is wrong and is
    averaged over in no category. A missing one (None) leaves the item out, and is counted.

    Args:
        predicted: The judge's label of each item.
        truth: The true one, each among `categories`.
        categories: What is averaged over.
        level: Confidence of the accuracy's Wilson interval.

    Raises:
        InvalidArgument: The lists differ in length, no category, or a true label is not among them.
    """
    n_items = checked_same_length(predicted=predicted, truth=truth)
    if not categories:
        raise InvalidArgument("`categories` is empty; name what is averaged over")
    strange = [label for label in truth if label is not None and label not in categories]
    if strange:
        raise InvalidArgument(f"`truth` holds {strange[0]!r}, which is not among `categories`")
    kept = [(p, t) for p, t in zip(predicted, truth, strict=True) if p is not None and t is not None]
    found = {category: _scores(kept, category) for category in categories}
    accuracy = share_of(sum(p == t for p, t in kept), len(kept), level=level, missing=n_items - len(kept))
    means = [_mean([scores[place] for scores in found.values()]) for place in range(3)]
    undefined = [str(category) for category, scores in found.items() if None in scores]
    return MacroScores(
        estimate=accuracy.estimate,
        low=accuracy.low,
        high=accuracy.high,
        level=level,
        method="accuracy, wilson; macro means",
        n_items=n_items,
        n_runs=len(kept),
        n_clusters=len(kept),
        n_missing=n_items - len(kept),
        reason=accuracy.reason,
        warnings=(f"not defined for {', '.join(undefined)}: never predicted or never true",)
        if undefined
        else (),
        precision=means[0],
        recall=means[1],
        f1=means[2],
        by_category=found,
    )


def _scores(
    kept: Sequence[tuple[Hashable, Hashable]], category: Hashable
) -> tuple[float | None, float | None, float | None]:
    right = sum(p == category == t for p, t in kept)
    said = sum(p == category for p, _ in kept)
    true = sum(t == category for _, t in kept)
    return (
        right / said if said else None,
        right / true if true else None,
        2 * right / (said + true) if said + true else None,
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if len(known) == len(values) else None
