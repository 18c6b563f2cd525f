"""Two judges of the same transcripts: how far they agree, where they differ, and who is stricter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from judgekit.statistics import ClusterMean, Estimate, Rate, agreement, cluster_mean
from judgekit.statistics.by_case import agreement_by_case, share_by_case, tables_by_case
from judgekit.swapping.seen import Mark, Measure, Seen, Transcript

__all__ = ["Flip", "JudgeAgreement", "agreements_of"]

Pair: TypeAlias = "tuple[Transcript, Mark, Mark]"

_FAIL_PASS = (False, True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """A transcript that one judge passes and the other fails.

    Attributes:
        transcript: Agent, case and run.
        first: Whether the first judge passes it; the second one does not, and the other way round.
        first_score: Of the first judge; None where it gave none.
        second_score: Of the second.
    """

    transcript: Transcript
    first: bool
    first_score: float | None
    second_score: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreement:
    """Two judges on one criterion, over the transcripts that both decided.

    Attributes:
        criterion: Its name.
        first: The name of one judge.
        second: The name of the other.
        equal: The share of transcripts on which they say the same, clustered by case.
        kappa: Cohen's; None with a reason where both use one verdict only.
        ac1: Gwet's, which stays near the share where one verdict is rare.
        table: Transcripts that both pass, only the first passes, only the second passes, both fail.
        stricter: Mean score of the second judge minus that of the first, clustered by case; None without
            scores of both.
        flips: Where they differ.
    """

    criterion: str
    first: str
    second: str
    equal: Rate
    kappa: Estimate
    ac1: Estimate
    table: tuple[int, int, int, int]
    stricter: ClusterMean | None
    flips: tuple[Flip, ...]


def agreements_of(seen: Seen) -> Iterator[JudgeAgreement]:
    """Every pair of judges on every criterion."""
    for criterion in dict.fromkeys(one.criterion for one in seen.axes.judged):
        for first, second in combinations(seen.axes.judges, 2):
            yield _agreement(seen, criterion, first, second)


def _agreement(seen: Seen, criterion: str, first: str, second: str) -> JudgeAgreement:
    pairs = list(_pairs(seen, criterion, first, second))
    verdicts = [one.verdict for _, one, _ in pairs], [other.verdict for _, _, other in pairs]
    whole = agreement(*verdicts, categories=_FAIL_PASS)
    # What agents say to one command is alike, and so are repeats.
    tables = tables_by_case(*verdicts, [transcript.case for transcript, _, _ in pairs])
    table = tuple(map(sum, zip(*tables, strict=True))) or (0, 0, 0, 0)
    clustered = whole
    if any(sum(each) > 1 for each in tables):
        clustered = agreement_by_case(whole, tables)
    return JudgeAgreement(
        criterion=criterion,
        first=first,
        second=second,
        equal=share_by_case(tables, (0, 3), (1, 2), whole.level),
        kappa=clustered.kappa,
        ac1=clustered.ac1,
        table=(table[0], table[1], table[2], table[3]),
        stricter=_stricter(pairs),
        flips=tuple(_flips(pairs)),
    )


def _pairs(seen: Seen, criterion: str, first: str, second: str) -> Iterator[Pair]:
    """What both judges found at each transcript that either was to judge."""
    one, other = (Measure("criterion", criterion, judge) for judge in (first, second))
    for agent in seen.axes.agents:
        theirs = seen.of(other, agent)
        for case, runs in seen.of(one, agent).items():
            for run, mark in runs.items():
                twin = theirs.get(case, {}).get(run, Mark())
                if mark.counts or twin.counts:
                    yield Transcript(agent, case, run), mark, twin


def _stricter(pairs: Sequence[Pair]) -> ClusterMean | None:
    scored = [
        (other.score - one.score, transcript.case)
        for transcript, one, other in pairs
        if one.score is not None and other.score is not None
    ]
    if not scored:
        return None
    return cluster_mean([value for value, _ in scored], [case for _, case in scored])


def _flips(pairs: Sequence[Pair]) -> Iterator[Flip]:
    for transcript, one, other in pairs:
        if one.verdict is not None and other.verdict is not None and one.verdict != other.verdict:
            yield Flip(
                transcript=transcript,
                first=one.verdict,
                first_score=one.score,
                second_score=other.score,
            )
