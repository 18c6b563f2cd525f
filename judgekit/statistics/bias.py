"""What moves a judge that should not: the slot, the length, the family of a reply."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from judgekit.errors import InvalidArgument
from judgekit.statistics.accuracy import share_of
from judgekit.statistics.estimate import (
    LEVEL,
    Estimate,
    checked_level,
    checked_same_length,
    same_interval,
)
from judgekit.statistics.intervals import newcombe_difference
from judgekit.statistics.special import binomial_two_sided

__all__ = [
    "FamilyPreference",
    "LengthBias",
    "LengthChoice",
    "PositionBias",
    "exact_sign_test",
    "family_preference",
    "length_bias",
    "position_bias",
]


def exact_sign_test(successes: int, total: int, *, rate: float = 0.5) -> float:
    """The exact two-sided binomial p value of `successes` in `total` where `rate` is expected; 1.0 of none.

    Raises:
        InvalidArgument: `successes` is below 0 or above `total`, or `rate` is out of range.
    """
    if not 0 <= successes <= total or not 0 <= rate <= 1:
        raise InvalidArgument(
            f"give 0 <= successes <= total and a rate from 0 to 1, got {successes!r}, {total!r} and {rate!r}"
        )
    return binomial_two_sided(successes, total, rate) if total else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionBias(Estimate):
    """Pairs judged in both orders. `estimate` is the consistency: pairs with the same winner in both.

    Attributes:
        consistent: Pairs with the same verdict in both orders.
        inconsistent: Pairs with two verdicts that differ.
        first_slot: Those of them where the reply shown first won both times.
        second_slot: Those where the reply shown second did.
        first_slot_share: First over first and second; undefined where neither happened.
        p_value: Exact sign test of first against second, two-sided.
        primacy: (first - second) over pairs judged in both orders; None without one.
        unread_verdicts: Single verdicts that are missing; a pair may lack two.
    """

    consistent: int
    inconsistent: int
    first_slot: int
    second_slot: int
    first_slot_share: Estimate
    p_value: float
    primacy: float | None
    unread_verdicts: int


def position_bias(
    winners: Iterable[tuple[Hashable | None, Hashable | None]],
    *,
    first: Hashable,
    second: Hashable,
    tie: Hashable = "tie",
    level: float = LEVEL,
) -> PositionBias:
    """Whether the winner of a pair hangs on the order in which its replies are shown.

    Args:
        winners: For each pair who won when `first` was shown first, and who won when `second` was; who is
            meant, not the slot. None where there is no verdict; such pairs are counted and left out.
        first: The name of the reply that order one shows first.
        second: The name of the other.
        tie: What stands for a tie; a tie in one order only is inconsistent, but speaks for no slot.
        level: Confidence of the intervals, Wilson's.

    Raises:
        InvalidArgument: A winner is none of `first`, `second`, `tie` and None.
    """
    checked_level(level)
    pairs = list(winners)
    for pair in pairs:
        for winner in pair:
            if winner is not None and winner not in (first, second, tie):
                raise InvalidArgument(
                    f"a winner must be {first!r}, {second!r}, {tie!r} or None, got {winner!r}"
                )
    whole = [pair for pair in pairs if None not in pair]
    consistent = sum(one == other for one, other in whole)
    first_slot = sum(pair == (first, second) for pair in whole)
    second_slot = sum(pair == (second, first) for pair in whole)
    slots = first_slot + second_slot
    share = share_of(consistent, len(whole), level=level, reason="no pair has both verdicts")
    return PositionBias(
        **same_interval(share),
        method="position consistency, wilson",
        n_items=len(pairs),
        n_runs=2 * len(whole),
        n_clusters=len(whole),
        n_missing=len(pairs) - len(whole),
        consistent=consistent,
        inconsistent=len(whole) - consistent,
        first_slot=first_slot,
        second_slot=second_slot,
        first_slot_share=share_of(
            first_slot, slots, level=level, reason="no pair follows a slot in both orders"
        ),
        p_value=exact_sign_test(first_slot, slots),
        primacy=(first_slot - second_slot) / len(whole) if whole else None,
        unread_verdicts=sum(winner is None for pair in pairs for winner in pair),
    )


class LengthChoice(NamedTuple):
    """One pair of replies with their lengths and who was chosen.

    Attributes:
        length_a: Of reply A, in any unit.
        length_b: Of reply B.
        judge: `a`, `b`, or None for a tie or no verdict.
        human: Likewise.
    """

    length_a: float
    length_b: float
    judge: str | None
    human: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthBias(Estimate):
    """Whether a judge picks the longer reply. `estimate` is how often it does, minus how often humans do.

    Attributes:
        judge_longer: Share of the judge's picks that are the longer reply.
        human_longer: Share of the humans' picks that are.
        errors: Pairs where both picked and they differ.
        errors_longer: Share of those where the judge's pick is the longer one.
        p_value: Exact sign test of that share against one half.
    """

    judge_longer: Estimate
    human_longer: Estimate
    errors: int
    errors_longer: Estimate
    p_value: float


def length_bias(
    choices: Iterable[LengthChoice | tuple[float, float, str | None, str | None]], *, level: float = LEVEL
) -> LengthBias:
    """How a judge's taste for length compares with that of humans; the sign is not known beforehand.

    Pairs of equal length say nothing and are left out. The interval is Newcombe's for two samples; both saw
    the same pairs, so it is wider than it need be.

    Args:
        choices: Lengths and picks of each pair.
        level: Confidence of the intervals.

    Raises:
        InvalidArgument: A pick is none of `a`, `b` and None.
    """
    checked_level(level)
    given = [LengthChoice(*choice) for choice in choices]
    for choice in given:
        for pick in (choice.judge, choice.human):
            if pick not in ("a", "b", None):
                raise InvalidArgument(f"a pick must be 'a', 'b' or None, got {pick!r}")
    uneven = [choice for choice in given if choice.length_a != choice.length_b]
    longer = ["a" if choice.length_a > choice.length_b else "b" for choice in uneven]
    by_judge = [each.judge == long for each, long in zip(uneven, longer, strict=True) if each.judge]
    by_human = [each.human == long for each, long in zip(uneven, longer, strict=True) if each.human]
    wrong = [
        each.judge == long
        for each, long in zip(uneven, longer, strict=True)
        if each.judge and each.human and each.judge != each.human
    ]
    difference = newcombe_difference(sum(by_judge), len(by_judge), sum(by_human), len(by_human), level=level)
    value = sum(by_judge) / len(by_judge) - sum(by_human) / len(by_human) if difference else None
    none = "nothing was picked between replies of different length"
    return LengthBias(
        estimate=value,
        low=difference.low if difference else None,
        high=difference.high if difference else None,
        level=level,
        method="difference of shares, newcombe",
        n_items=len(given),
        n_runs=len(by_judge) + len(by_human),
        n_clusters=len(uneven),
        n_missing=sum(each.judge is None for each in uneven),
        reason=None if difference else none,
        judge_longer=share_of(sum(by_judge), len(by_judge), level=level, reason=none),
        human_longer=share_of(sum(by_human), len(by_human), level=level, reason=none),
        errors=len(wrong),
        errors_longer=share_of(sum(wrong), len(wrong), level=level, reason="judge and human never differ"),
        p_value=exact_sign_test(sum(wrong), len(wrong)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyPreference(Estimate):
    """`estimate`: how much more often a judge sees its own family's wins than those of others.

    Attributes:
        own_recall: Share of the own family's human-labelled wins that the judge gives to it.
        other_recall: Share of the others' wins that it gives to them.
    """

    own_recall: Estimate
    other_recall: Estimate


def family_preference(
    judge_own: Sequence[bool | None], human_own: Sequence[bool | None], *, level: float = LEVEL
) -> FamilyPreference:
    """Preference for replies of the judge's own family, given who really won.

    Recall on own wins minus recall on other wins (equal opportunity; Wataoka et al. 2024, arXiv:2410.21819).
    A positive number can also be skill at one kind of reply: compare a judge of another family.

    Args:
        judge_own: Whether the judge picked the reply of its own family; None for a tie or no verdict.
        human_own: Whether the human did.
        level: Confidence of the intervals.

    Raises:
        InvalidArgument: The lists differ in length.
    """
    checked_level(level)
    n_items = checked_same_length(judge_own=judge_own, human_own=human_own)
    kept = [(j, h) for j, h in zip(judge_own, human_own, strict=True) if j is not None and h is not None]
    own = [bool(j) for j, h in kept if h]
    other = [not j for j, h in kept if not h]
    difference = newcombe_difference(sum(own), len(own), sum(other), len(other), level=level)
    value = sum(own) / len(own) - sum(other) / len(other) if difference else None
    return FamilyPreference(
        estimate=value,
        low=difference.low if difference else None,
        high=difference.high if difference else None,
        level=level,
        method="difference of recalls, newcombe",
        n_items=n_items,
        n_runs=len(kept),
        n_clusters=len(kept),
        n_missing=n_items - len(kept),
        reason=None if difference else "one side never won by the human labels",
        own_recall=share_of(sum(own), len(own), level=level, reason="the own family never won"),
        other_recall=share_of(sum(other), len(other), level=level, reason="the others never won"),
    )
