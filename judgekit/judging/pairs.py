"""Which of two replies is better: asked in both orders, since judges prefer a place."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from judgekit.errors import InvalidArgument
from judgekit.evaluation import Measurement
from judgekit.interaction import Interaction
from judgekit.judging.criterion import Criterion
from judgekit.judging.material import NOT_RECORDED, conversation_text, tool_calls_text
from judgekit.judging.measured import Measured
from judgekit.judging.sampling import combined
from judgekit.judging.verdict import Verdict
from judgekit.text import counted

if TYPE_CHECKING:
    from judgekit.judging.judge import Judge
    from judgekit.judging.schemas import Reading, VerdictSchema

__all__ = ["PairCriterion", "PairSummary", "Preference", "preference_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairCriterion(Criterion):
    """The reply should be preferred over the reference; each of the two is shown first once."""

    def __post_init__(self) -> None:
        if not isinstance(self.reference, str) or not self.reference.strip():
            raise InvalidArgument(f"the reply to compare with must not be blank, got {self.reference!r}")
        # Not zero-argument `super()`: a slotted dataclass is a new class, which it does not find.
        Criterion.__post_init__(self)

    @property
    def brings_schema(self) -> bool:
        """Always: a judge's own schema cannot say which of two it prefers."""
        return True

    @property
    def needs_model(self) -> bool:
        """A judge that only decides cannot be shown two replies."""
        return True

    def verdict_schema(self) -> VerdictSchema[Reading]:
        """First, second or tie."""
        from judgekit.judging.schemas import pairwise_schema

        return pairwise_schema()

    def pair_parts(self, interaction: Interaction, *, reply_first: bool) -> dict[str, str]:
        """The parts of the user message; nothing in them says which reply is the tested one."""
        replies = (interaction.reply or "", self.reference or "")
        first, second = replies if reply_first else replies[::-1]
        conversation = conversation_text(interaction.messages[:-1])
        return {
            "criterion": self.criterion,
            "request": "" if conversation else interaction.asked() or NOT_RECORDED,
            "conversation": conversation,
            "tool_calls": tool_calls_text(interaction.tool_calls),
            "first": first,
            "second": second,
        }

    async def put_to(self, judge: Judge, interaction: Interaction) -> Measured:
        """Ask in both orders at once; agreement decides, and anything else is a tie."""
        straight, swapped = await asyncio.gather(
            self._in_order(judge, interaction, reply_first=True),
            self._in_order(judge, interaction, reply_first=False),
        )
        measurements = (*straight.measurements, *swapped.measurements)
        for order in (straight, swapped):
            if order.verdict is None:
                return replace(order, measurements=measurements)
        return _agreed(straight, swapped, measurements)

    async def _in_order(self, judge: Judge, interaction: Interaction, *, reply_first: bool) -> Measured:
        question = judge.question(
            self.verdict_schema(), self.pair_parts(interaction, reply_first=reply_first)
        )
        asked = await judge.ask(question, self.criterion, self.shaped_by())
        return combined(asked, 0.5, question.cuts)


def _agreed(straight: Measured, swapped: Measured, measurements: Sequence[Measurement]) -> Measured:
    first, second = straight.verdict_or_raise(), swapped.verdict_or_raise()
    orders = (_side(first.score), 1.0 - _side(second.score))
    remarks = [remark for remark in (straight.remark, swapped.remark) if remark]
    if orders[0] == orders[1]:
        verdict = Verdict(orders[0], first.reason)
    else:
        verdict = Verdict(0.5, f"tie; shown first: {first.reason}; shown second: {second.reason}")
        remarks.append("the two orders disagree")
    return Measured(
        verdict=verdict,
        remark="; ".join(dict.fromkeys(remarks)),
        measurements=measurements,
        flips=int(orders[0] != orders[1]),
        orders=orders,
    )


def _side(score: float) -> float:
    return 1.0 if score > 0.5 else 0.0 if score < 0.5 else 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """Which of two replies, a or b, is better.

    Attributes:
        score: 1: a; 0: b; 0.5: a tie, or the two orders disagree; None: it could not be measured.
        orders: The same for each order: a shown first, then a shown second. None where not known.
        reason: The judge's own words.
        cause: Why there is no score, in a word or two.
        detail: The same for people.
        measurements: How it was measured, one entry a model and order.
    """

    score: float | None
    orders: tuple[float, float] | None = None
    reason: str = ""
    cause: str = ""
    detail: str = ""
    measurements: tuple[Measurement, ...] = ()

    @property
    def is_consistent(self) -> bool | None:
        """Whether both orders came to the same; None where that is not known."""
        return None if self.orders is None else self.orders[0] == self.orders[1]


def preference_of(measured: Measured) -> Preference:
    """What asking about a pair came to."""
    verdict = measured.verdict
    return Preference(
        score=verdict.score if verdict is not None else None,
        orders=measured.orders,
        reason=verdict.reason if verdict is not None else "",
        cause=measured.cause,
        detail=measured.remark if verdict is not None else measured.why,
        measurements=tuple(measured.measurements),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSummary:
    """How a judge behaved over many pairs.

    Attributes:
        pairs: How many there were.
        measured: How many have a score.
        wins: Pairs that a won, in both orders.
        losses: Pairs that b won, in both orders.
        ties: The rest of the measured ones.
        consistent: Measured pairs whose two orders agree.
        first_slot: Single answers that preferred the reply shown first.
        preferring: Single answers that preferred one of the two.
        causes: Why pairs could not be measured, with counts.
    """

    pairs: int
    measured: int
    wins: int
    losses: int
    ties: int
    consistent: int
    first_slot: int
    preferring: int
    causes: Mapping[str, int]

    @classmethod
    def of(cls, preferences: Iterable[Preference]) -> PairSummary:
        """Count the preferences."""
        every = tuple(preferences)
        scores = [one.score for one in every if one.score is not None]
        orders = [one.orders for one in every if one.orders is not None]
        answers = [(order[0], 1.0 - order[1]) for order in orders]
        return cls(
            pairs=len(every),
            measured=len(scores),
            wins=scores.count(1.0),
            losses=scores.count(0.0),
            ties=sum(score not in (0.0, 1.0) for score in scores),
            consistent=sum(first == second for first, second in orders),
            first_slot=sum(answer == 1.0 for pair in answers for answer in pair),
            preferring=sum(answer != 0.5 for pair in answers for answer in pair),
            causes=Counter(one.cause for one in every if one.score is None),
        )

    @property
    def consistency(self) -> float | None:
        """Share of the measured pairs whose two orders agree; None without any."""
        return self.consistent / self.measured if self.measured else None

    @property
    def first_slot_share(self) -> float | None:
        """Share of preferring answers that went to the reply shown first: 0.5 is no bias, 1 is all bias."""
        return self.first_slot / self.preferring if self.preferring else None

    def __str__(self) -> str:
        """One line for people."""
        consistency = "unknown" if self.consistency is None else f"{self.consistency:.2f}"
        share = "unknown" if self.first_slot_share is None else f"{self.first_slot_share:.2f}"
        causes = ", ".join(f"{cause} {count}" for cause, count in sorted(self.causes.items()))
        missing = f", {self.pairs - self.measured} not measured ({causes})" if causes else ""
        return (
            f"{counted(self.pairs, 'pair')}: {self.wins} won, {self.losses} lost, {self.ties} tied{missing}; "
            f"both orders agree {consistency}, first place preferred {share}"
        )
