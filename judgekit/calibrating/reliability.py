"""`reliability`: how far a judge repeats itself on the same reply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from judgekit.calibrating.asking import Asking, Question, Told
from judgekit.calibrating.labelled import LabelledReply, Labels
from judgekit.calibrating.labels import labels_from
from judgekit.calibrating.plain import plain
from judgekit.calibrating.verdicts import Verdict, evaluated
from judgekit.calibrating.wording import figure, missing_line, spend_line
from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalResult
from judgekit.instruments import Instrument, Instruments
from judgekit.judging import Criterion
from judgekit.loop import run_sync
from judgekit.spending import JudgeSpend
from judgekit.statistics import Estimate, Repeatability, cluster_mean, repeatability
from judgekit.statistics.estimate import LEVEL, checked_level
from judgekit.text import counted, one_line

__all__ = ["Reliability", "checked_samples", "majority_share", "reliability", "reliability_async"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """How far repeated verdicts on the same replies agree.

    Attributes:
        name: The criterion's line in reports.
        samples: How often each reply was judged.
        instruments: What measured the verdicts, with how many.
        passes: Of pass and fail: the estimate is the flip rate, the share of replies with both.
        scores: The same of the scores, with the ICC.
        majority: How often one verdict is that of most verdicts on its reply; halves count as half.
        causes: Why verdicts are missing, with how many.
        spend: What asking took.
    """

    name: str
    samples: int
    instruments: tuple[tuple[Instrument, int], ...]
    passes: Repeatability
    scores: Repeatability
    majority: Estimate
    causes: Mapping[str, int]
    spend: JudgeSpend

    @property
    def is_measured(self) -> bool:
        """Whether one reply at least has two verdicts."""
        return self.passes.estimate is not None

    def render(self) -> str:
        """The figures for people."""
        return "\n".join(_lines(self))

    __str__ = render

    def to_json(self) -> dict[str, Any]:
        """The figures as JSON data, with no text of any reply."""
        return {
            "name": self.name,
            "samples": self.samples,
            "instruments": [{**one.to_json(), "verdicts": count} for one, count in self.instruments],
            "passes": plain(self.passes),
            "scores": plain(self.scores),
            "majority": plain(self.majority),
            "missing": dict(self.causes),
        }


def checked_samples(samples: object) -> int:
    """How often each question is asked: at least twice.

    Raises:
        InvalidArgument: It is no whole number of at least 2.
    """
    if isinstance(samples, bool) or not isinstance(samples, int) or samples < 2:
        raise InvalidArgument(f"`samples` must be a whole number >= 2, got {samples!r}")
    return samples


def reliability(
    criterion: Criterion,
    replies: Labels | Iterable[Mapping[str, Any]],
    *,
    samples: int = 5,
    level: float = LEVEL,
    concurrency: int = 8,
    max_cost: float | None = None,
    told: Told | None = None,
) -> Reliability:
    """Judge each reply several times, and say how far the verdicts agree.

    Each repeat is a question of its own, also in the cache. A judge with `temperature=0` shows the least
    that it flips, not how sure it is.

    Args:
        criterion: What is judged, with its judge.
        replies: From `load_labels`, or rows with the usual column names (`asked`, `reply`, `id`); labels
            are not needed.
        samples: How often each reply is judged, at least twice.
        level: Confidence of the intervals.
        concurrency: Verdicts asked for at once.
        max_cost: US dollars that may be spent; what it does not cover is a missing verdict.
        told: Hears how many verdicts are there, of how many.

    Raises:
        InvalidArgument: An option cannot work, or a row has no reply; nothing has been asked.
        FileUnreadable: Naming every row that cannot be used.
    """
    return run_sync(
        lambda: reliability_async(
            criterion, replies, samples=samples, level=level, concurrency=concurrency, max_cost=max_cost,
            told=told,
        )
    )  # fmt: skip


async def reliability_async(
    criterion: Criterion,
    replies: Labels | Iterable[Mapping[str, Any]],
    *,
    samples: int = 5,
    level: float = LEVEL,
    concurrency: int = 8,
    max_cost: float | None = None,
    told: Told | None = None,
) -> Reliability:
    """`reliability` in the running loop."""
    checked_level(level)
    checked_samples(samples)
    asking = Asking(concurrency=concurrency, max_cost=max_cost, told=told)
    if not isinstance(criterion, Criterion):
        raise InvalidArgument(f"`criterion` must be a Criterion with its judge, got {criterion!r}")
    labels = replies if isinstance(replies, Labels) else labels_from(replies, label=())
    results = await asking.answers(list(_questions(criterion, labels.rows, samples)))
    repeats = [results[start : start + samples] for start in range(0, len(results), samples)]
    return _measured(criterion, repeats, samples, level)


def _questions(
    criterion: Criterion, rows: Sequence[LabelledReply], samples: int
) -> Iterator[Question[EvalResult]]:
    for row in rows:
        if row.interaction is None:
            raise InvalidArgument(
                f"there is no reply in {row.place or row.id}; name its column, `reply` or --reply"
            )
        case_id = row.id if row.run == 1 else f"{row.id} (run {row.run})"
        for sample in range(1, samples + 1):
            # Runs are what the cache tells samples of one question apart by.
            yield Question(case_id, sample, partial(evaluated, criterion, replace(row, id=case_id)))


def _measured(
    criterion: Criterion, repeats: Sequence[Sequence[EvalResult]], samples: int, level: float
) -> Reliability:
    found, spend = Instruments(), JudgeSpend()
    for result in (result for results in repeats for result in results):
        found.add(result)
        spend.add(result)
    verdicts = [[Verdict.of(result) for result in results] for results in repeats]
    passes = [[verdict.passed for verdict in given] for given in verdicts]
    return Reliability(
        name=criterion.name,
        samples=samples,
        instruments=tuple(found),
        passes=repeatability(passes, level=level),
        scores=repeatability([[verdict.score for verdict in given] for given in verdicts], level=level),
        majority=majority_share(passes, level=level),
        causes=Counter(verdict.cause for given in verdicts for verdict in given if verdict.cause is not None),
        spend=spend,
    )


def majority_share(items: Sequence[Sequence[bool | None]], *, level: float = LEVEL) -> Estimate:
    """How often one verdict is that of most verdicts on its item; an item split in halves counts as half."""
    values: list[float] = []
    for item in items:
        given = [passed for passed in item if passed is not None]
        if len(given) > 1:
            values.append(max(sum(given), len(given) - sum(given)) / len(given))
    found = cluster_mean(values, level=level)
    return Estimate(
        estimate=found.estimate,
        low=None if found.low is None else max(0.0, found.low),
        high=None if found.high is None else min(1.0, found.high),
        level=level,
        method="share of verdicts with the majority, t over items",
        n_items=len(items),
        n_runs=sum(passed is not None for item in items for passed in item),
        n_clusters=len(values),
        n_missing=sum(passed is None for item in items for passed in item),
        standard_error=found.standard_error,
        reason=found.reason if values else "no item has two verdicts",
    )


def _lines(found: Reliability) -> Iterator[str]:
    yield f"reliability of {one_line(found.name, 80)}"
    for instrument, _ in found.instruments[:3]:
        yield f"  {one_line(instrument.model)}, fingerprint {instrument.fingerprint}"
    replies = counted(found.passes.n_items, "reply", "replies")
    yield f"{replies}, each judged {counted(found.samples, 'time')}"
    yield from missing_line(found.causes, "verdict")
    yield ""
    yield figure("flip rate", found.passes, "of the replies have both pass and fail")
    yield figure("with the majority", found.majority, "of single verdicts")
    yield figure("same score", found.scores.all_equal, "of the replies, all times")
    yield figure("ICC, one verdict", found.scores.icc_single, "share of variance between replies")
    yield figure(f"ICC, mean of {found.samples}", found.scores.icc_mean)
    yield from spend_line(found.spend)
