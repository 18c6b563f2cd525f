"""The verdicts that labels are held against: asked for now, from an earlier run, or from a column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from judgekit.calibrating.asking import Asking, Question
from judgekit.calibrating.labelled import LabelledReply, Labels
from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalCase, EvalResult, Outcome
from judgekit.instruments import Instrument, Instruments
from judgekit.judging import Criterion
from judgekit.results import CaseResult, missing_reason
from judgekit.spending import JudgeSpend
from judgekit.text import one_line

__all__ = ["Verdict", "Verdicts", "asked_about", "evaluated", "from_column", "from_run", "same_instrument"]

_TOLERANCE = 1e-9
Key = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge said about one reply: pass or fail, the score behind it, or why there is neither."""

    passed: bool | None
    score: float | None = None
    cause: str | None = None

    @classmethod
    def of(cls, result: EvalResult) -> Verdict:
        """The verdict in a result."""
        if result.outcome is Outcome.INCONCLUSIVE:
            return cls(None, None, missing_reason(result) if result.is_missing else "no evidence")
        return cls(result.outcome is Outcome.PASS, result.score)


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Verdicts by id and run, and what they were measured with.

    Attributes:
        of: The verdict of each reply.
        instruments: What measured them; empty where only a column is known.
        spend: What asking took.
        threshold: The score that they needed; None where nobody knows.
    """

    of: Mapping[Key, Verdict]
    instruments: Instruments
    spend: JudgeSpend
    threshold: float | None


async def asked_about(rows: Sequence[LabelledReply], criterion: Criterion, asking: Asking) -> Verdicts:
    """Ask the criterion's judge about every row.

    Raises:
        InvalidArgument: A row has no reply.
    """
    without = [row.place or row.id for row in rows if row.interaction is None]
    if without:
        raise InvalidArgument(
            f"there is no reply and no verdict of an earlier run for {', '.join(map(one_line, without[:5]))}"
            f"{' and more' if len(without) > 5 else ''}; name the column of the replies, `reply` or --reply"
        )
    questions = [Question(row.id, row.run, partial(evaluated, criterion, row)) for row in rows]
    results = await asking.answers(questions)
    found, spend = Instruments(), JudgeSpend()
    for result in results:
        found.add(result)
        spend.add(result)
    verdicts = {(row.id, row.run): Verdict.of(result) for row, result in zip(rows, results, strict=True)}
    return Verdicts(verdicts, found, spend, criterion.needed)


async def evaluated(criterion: Criterion, row: LabelledReply) -> EvalResult:
    """What the criterion finds about a row that has a reply."""
    interaction = row.interaction
    assert interaction is not None  # noqa: S101 - `asked_about` refuses rows without one
    return await criterion.evaluate(EvalCase(row.id, interaction.asked() or row.id), interaction)


def from_column(labels: Labels, threshold: float) -> Verdicts:
    """What a column of the rows says."""
    verdicts = {(row.id, row.run): _stored(row.verdict, threshold) for row in labels.rows}
    return Verdicts(verdicts, Instruments(), JudgeSpend(), threshold)


def _stored(value: bool | float | None, threshold: float) -> Verdict:
    if value is None:
        return Verdict(None, None, "no verdict in the column")
    if isinstance(value, bool):
        return Verdict(value)
    return Verdict(value >= threshold - _TOLERANCE, value)


def from_run(attempts: Iterable[CaseResult], name: str | None) -> tuple[str, Verdicts]:
    """The verdicts of one criterion in an earlier run, and the criterion's name.

    Args:
        attempts: Of the run.
        name: The criterion's name, or its text; None where the run has one judged criterion only.

    Raises:
        InvalidArgument: The run has no such criterion, or several, or judged it several times an attempt.
    """
    judged: dict[str, list[tuple[Key, EvalResult]]] = {}
    for attempt in attempts:
        for result in attempt.results:
            if result.name is not None:
                judged.setdefault(result.name, []).append(((attempt.case_id, attempt.run), result))
    chosen = _chosen(judged, name)
    found, verdicts, threshold = Instruments(), {}, None
    for key, result in judged[chosen]:
        if key in verdicts:
            raise InvalidArgument(
                f"{one_line(chosen)!r} was judged several times in {one_line(key[0])!r}, once a turn; "
                "labels are of whole replies"
            )
        found.add(result)
        verdicts[key] = Verdict.of(result)
        threshold = result.threshold if threshold is None else threshold
    return chosen, Verdicts(verdicts, found, JudgeSpend(), threshold)


def _chosen(judged: Mapping[str, Sequence[tuple[Key, EvalResult]]], name: str | None) -> str:
    known = ", ".join(repr(one_line(each, 60)) for each in judged) or "none"
    if name is None:
        if len(judged) == 1:
            return next(iter(judged))
        raise InvalidArgument(f"say which judged criterion of the run is meant; it has {known}")
    if name in judged:
        return name
    by_text = [
        each
        for each, results in judged.items()
        if any(one.criterion == name for _, result in results for one in result.measurements)
    ]
    if len(by_text) == 1:
        return by_text[0]
    raise InvalidArgument(f"the run has no judged criterion {one_line(name, 60)!r}; it has {known}")


def same_instrument(asked: Instruments, earlier: Instruments) -> None:
    """Refuse verdicts of two instruments, whose pass rates are not those of one judge.

    Raises:
        InvalidArgument: They differ; what differs is named.
    """
    kept: dict[str, Instrument] = {instrument.fingerprint: instrument for instrument, _ in earlier}
    for instrument, _ in asked:
        if kept and instrument.fingerprint not in kept:
            differences = next(iter(kept.values())).differences(instrument)
            raise InvalidArgument(
                f"the run was judged by another instrument: {'; '.join(differences)}; "
                "judge both with the same one, or calibrate without the run"
            )
