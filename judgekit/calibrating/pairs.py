"""`pair_reliability`: whether order, length or family of two replies move a judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from judgekit.calibrating.asking import Asking, Question, Told
from judgekit.calibrating.pair_rows import ReplyPair, pairs_from
from judgekit.calibrating.plain import plain
from judgekit.calibrating.reliability import checked_samples
from judgekit.calibrating.wording import figure, missing_line, spend_line
from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalResult, Outcome
from judgekit.judging import Preference
from judgekit.judging.base import ModelJudging
from judgekit.loop import run_sync
from judgekit.spending import JudgeSpend
from judgekit.statistics import (
    Estimate,
    FamilyPreference,
    LengthBias,
    PositionBias,
    Repeatability,
    family_preference,
    length_bias,
    position_bias,
    repeatability,
)
from judgekit.statistics.accuracy import share_of
from judgekit.statistics.estimate import LEVEL, checked_level
from judgekit.text import counted, one_line

__all__ = ["PairReliability", "pair_reliability", "pair_reliability_async"]

_WINNER = {1.0: "a", 0.0: "b", 0.5: "tie"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PairReliability:
    """How a judge behaves over pairs of replies, each asked about in both orders.

    Order, length and family are read from the first time that a pair is judged, since repeats are no new
    pairs.

    Attributes:
        criterion: What makes a reply better.
        samples: How often each pair was judged.
        repeats: Of the preferences: the estimate is the share of pairs whose preference changed.
        position: Consistency over both orders, and the exact sign test of the first place.
        human: Share of the human choices that the judge makes too; undefined without any.
        length: How much more often than humans it picks the longer reply; undefined without human choices.
        family: How much more often it sees the wins of its own family; None with `family_reason`.
        family_reason: Why there is no such figure.
        causes: Why preferences are missing, with how many.
        spend: What asking took.
    """

    criterion: str
    samples: int
    repeats: Repeatability
    position: PositionBias
    human: Estimate
    length: LengthBias
    family: FamilyPreference | None
    family_reason: str | None
    causes: Mapping[str, int]
    spend: JudgeSpend

    @property
    def is_measured(self) -> bool:
        """Whether one pair at least was judged in both orders."""
        return self.position.estimate is not None

    def render(self) -> str:
        """The figures for people."""
        return "\n".join(_lines(self))

    __str__ = render

    def to_json(self) -> dict[str, Any]:
        """The figures as JSON data, with no text of any reply."""
        return {
            "criterion": self.criterion,
            "samples": self.samples,
            "repeats": plain(self.repeats),
            "position": plain(self.position),
            "human": plain(self.human),
            "length": plain(self.length),
            "family": plain(self.family),
            "family_reason": self.family_reason,
            "missing": dict(self.causes),
        }


def pair_reliability(
    judge: ModelJudging,
    criterion: str,
    pairs: Iterable[ReplyPair | Mapping[str, Any]],
    *,
    samples: int = 2,
    family: str | None = None,
    level: float = LEVEL,
    concurrency: int = 8,
    max_cost: float | None = None,
    told: Told | None = None,
) -> PairReliability:
    """Ask a judge about pairs in both orders, several times, and say what moves it.

    Args:
        judge: A `Judge`, `Panel` or `Escalation`.
        criterion: What makes a reply better, in words.
        pairs: From `load_pairs`, or rows with the usual column names (`a`, `b`, `asked`, `label`).
        samples: How often each pair is judged, at least twice; each time is two questions.
        family: What the names of the judge's own family hold, such as `gpt`; None: what stands before the
            slash in the judge's model.
        level: Confidence of the intervals.
        concurrency: Pairs judged at once.
        max_cost: US dollars that may be spent; what it does not cover is a missing preference.
        told: Hears how many pairs are judged, of how many.

    Raises:
        InvalidArgument: An option cannot work; nothing has been asked.
        FileUnreadable: Naming every row that cannot be used.
    """
    return run_sync(
        lambda: pair_reliability_async(
            judge, criterion, pairs, samples=samples, family=family, level=level, concurrency=concurrency,
            max_cost=max_cost, told=told,
        )
    )  # fmt: skip


async def pair_reliability_async(
    judge: ModelJudging,
    criterion: str,
    pairs: Iterable[ReplyPair | Mapping[str, Any]],
    *,
    samples: int = 2,
    family: str | None = None,
    level: float = LEVEL,
    concurrency: int = 8,
    max_cost: float | None = None,
    told: Told | None = None,
) -> PairReliability:
    """`pair_reliability` in the running loop."""
    checked_level(level)
    checked_samples(samples)
    asking = Asking(concurrency=concurrency, max_cost=max_cost, told=told)
    if not isinstance(judge, ModelJudging):
        raise InvalidArgument(f"`judge` must be a judge that asks a model, got {judge!r}")
    given = _given(pairs)
    # Builds the criterion once, so that what it refuses is refused before anything is asked.
    judge.should_be_preferred_over(given[0].b, criterion)
    questions = [
        Question(pair.id or f"pair-{number}", sample, partial(_asked, judge, criterion, pair))
        for number, pair in enumerate(given, start=1)
        for sample in range(1, samples + 1)
    ]
    answers = await asking.answers(questions)
    repeats = [answers[start : start + samples] for start in range(0, len(answers), samples)]
    own = family or str(getattr(judge, "model", "")).partition("/")[0]
    return _measured(criterion, given, repeats, own, level)


def _given(pairs: Iterable[ReplyPair | Mapping[str, Any]]) -> tuple[ReplyPair, ...]:
    every = tuple(pairs)
    if every and all(isinstance(one, ReplyPair) for one in every):
        return every  # type: ignore[return-value]
    return pairs_from(every)  # type: ignore[arg-type]


async def _asked(judge: ModelJudging, criterion: str, pair: ReplyPair) -> Preference:
    return await judge.pairwise(pair.a, pair.b, criterion, asked=pair.asked)


def _measured(
    criterion: str,
    pairs: Sequence[ReplyPair],
    repeats: Sequence[Sequence[Preference]],
    own: str,
    level: float,
) -> PairReliability:
    first = [given[0] for given in repeats]
    picks = [_pick(one.score) for one in first]
    humans = [pair.human if pair.human in ("a", "b") else None for pair in pairs]
    lengths = [(len(pair.a), len(pair.b)) for pair in pairs]
    family, reason = _family(pairs, picks, own, level)
    both = [(pick, human) for pick, human in zip(picks, humans, strict=True) if pick and human]
    return PairReliability(
        criterion=criterion,
        samples=len(repeats[0]),
        repeats=repeatability([[one.score for one in given] for given in repeats], level=level),
        position=position_bias(map(_winners, first), first="a", second="b", level=level),
        human=share_of(
            sum(pick == human for pick, human in both), len(both), level=level,
            reason="no pair was decided by both a human and the judge",
        ),
        length=length_bias(
            [(*size, pick, human) for size, pick, human in zip(lengths, picks, humans, strict=True)],
            level=level,
        ),
        family=family,
        family_reason=reason,
        causes=Counter(one.cause or "unknown" for given in repeats for one in given if one.score is None),
        spend=_spend(repeats),
    )  # fmt: skip


def _pick(score: float | None) -> str | None:
    """The reply that won in both orders; None for a tie."""
    return None if score is None or score == 0.5 else _WINNER[score]


def _winners(preference: Preference) -> tuple[str | None, str | None]:
    orders = preference.orders
    return (None, None) if orders is None else (_WINNER[orders[0]], _WINNER[orders[1]])


def _family(
    pairs: Sequence[ReplyPair], picks: Sequence[str | None], own: str, level: float
) -> tuple[FamilyPreference | None, str | None]:
    if not any(pair.writer_a and pair.writer_b for pair in pairs):
        return None, "nobody recorded which model wrote the replies"
    judge_own: list[bool | None] = []
    human_own: list[bool | None] = []
    for pair, pick in zip(pairs, picks, strict=True):
        sides = [own.casefold() in (writer or "").casefold() for writer in (pair.writer_a, pair.writer_b)]
        if sum(sides) == 1 and own:
            mine = "a" if sides[0] else "b"
            judge_own.append(None if pick is None else pick == mine)
            human_own.append(None if pair.human in (None, "tie") else pair.human == mine)
    if not judge_own:
        return None, f"no pair has one writer of the family {own!r} and one of another"
    return family_preference(judge_own, human_own, level=level), None


def _spend(repeats: Sequence[Sequence[Preference]]) -> JudgeSpend:
    found = JudgeSpend()
    for preference in (one for given in repeats for one in given):
        found.add(EvalResult(Outcome.PASS, measurements=preference.measurements))
    return found


def _lines(found: PairReliability) -> Iterator[str]:
    position = found.position
    yield f"pairs by {one_line(found.criterion, 80)}"
    yield f"{counted(position.n_items, 'pair')}, each judged {counted(found.samples, 'time')} in both orders"
    yield from missing_line(found.causes, "preference")
    yield ""
    yield figure("position consistency", position, f"{position.consistent} of {position.n_clusters} pairs")
    slots = f"{position.first_slot} : {position.second_slot}, exact sign test p = {position.p_value:.3f}"
    yield figure("first place", position.first_slot_share, slots)
    yield figure("preference changed", found.repeats, f"of the pairs, over {found.samples} times")
    yield figure("agrees with humans", found.human)
    length = found.length
    yield figure("longer reply, judge", length.judge_longer)
    yield figure("longer reply, human", length.human_longer)
    yield figure("length bias", length, f"{length.errors} errors, exact sign test p = {length.p_value:.3f}")
    if found.family is None:
        yield f"  {'own family':<22}not known: {found.family_reason}"
    else:
        yield figure("own family", found.family, "recall on own wins minus on those of others")
    yield from spend_line(found.spend)
