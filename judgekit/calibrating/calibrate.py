"""`calibrate`: hold a judge against human labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from os import PathLike
from typing import Any

from judgekit.calibrating.asking import Asking, Told
from judgekit.calibrating.calibration import Calibration
from judgekit.calibrating.figures import Compared, figures_of
from judgekit.calibrating.labelled import LabelledReply, Labels
from judgekit.calibrating.labels import labels_from
from judgekit.calibrating.verdicts import Verdicts, asked_about, from_column, from_run, same_instrument
from judgekit.errors import InvalidArgument
from judgekit.instruments import Instruments
from judgekit.judging import Criterion
from judgekit.loop import run_sync
from judgekit.results import CaseResult
from judgekit.spending import JudgeSpend
from judgekit.statistics.correction import Design
from judgekit.statistics.estimate import LEVEL, checked_level
from judgekit.text import counted, one_line

__all__ = ["calibrate", "calibrate_async"]

DEFAULT_POPULATION = "default"


def calibrate(
    criterion: Criterion | str | None,
    labelled: Labels | Iterable[Mapping[str, Any]],
    *,
    judged: Iterable[CaseResult] | None = None,
    design: Design | None = None,
    population: str = DEFAULT_POPULATION,
    threshold: float | None = None,
    epsilon: float = 0.15,
    level: float = LEVEL,
    concurrency: int = 8,
    max_cost: float | None = None,
    told: Told | None = None,
) -> Calibration:
    """Hold a judge against human labels, and say what its pass rate is worth.

    The verdicts come from asking the criterion's judge, from an earlier run, or from a column of the rows.
    Asking goes through the judge's cache: with `Judge(..., cache="read-write")` a second time is free.

    Args:
        criterion: What is judged, with its judge. For stored verdicts its name, or None where the run has
            one judged criterion only.
        labelled: From `load_labels`, or rows with the usual column names (`asked`, `reply`, `label`, `id`).
        judged: Attempts of an earlier run, such as `report.results`; rows are joined by their id. Verdicts
            on attempts without a label are the population whose pass rate is corrected. Rows that the run
            does not hold are asked about, where `criterion` has a judge.
        design: How the labelled replies were chosen, where there are others: `random_subset`, a random draw
            from the replies of this run or file, or `separate_calibration`, a set of their own.
        population: A word for the kind of replies; a calibration holds for its population only.
        threshold: The score that a pass needs, for stored verdicts; 0.5 unless given.
        epsilon: For the alternative annotator test: how much better a human may be, 0.2 for experts, 0.15
            for skilled, 0.1 for crowd raters.
        level: Confidence of the intervals.
        concurrency: Replies judged at once.
        max_cost: US dollars that may be spent on asking; what it does not cover is a missing verdict.
        told: Hears how many replies are judged, of how many.

    Raises:
        InvalidArgument: The rows, the run and the criterion do not go together, or an option cannot work;
            nothing has been asked.
        FileUnreadable: Naming every row that cannot be used.
    """
    return run_sync(
        lambda: calibrate_async(
            criterion, labelled, judged=judged, design=design, population=population, threshold=threshold,
            epsilon=epsilon, level=level, concurrency=concurrency, max_cost=max_cost, told=told,
        )
    )  # fmt: skip


async def calibrate_async(
    criterion: Criterion | str | None,
    labelled: Labels | Iterable[Mapping[str, Any]],
    *,
    judged: Iterable[CaseResult] | None = None,
    design: Design | None = None,
    population: str = DEFAULT_POPULATION,
    threshold: float | None = None,
    epsilon: float = 0.15,
    level: float = LEVEL,
    concurrency: int = 8,
    max_cost: float | None = None,
    told: Told | None = None,
) -> Calibration:
    """`calibrate` in the running loop."""
    checked_level(level)
    asking = Asking(concurrency=concurrency, max_cost=max_cost, told=told)
    scale = criterion.scale if isinstance(criterion, Criterion) else None
    labels = labelled if isinstance(labelled, Labels) else labels_from(labelled, scale=scale)
    _check(criterion, labels, judged, threshold, population, epsilon)
    plan = _plan(criterion, labels, judged, design, threshold)
    verdicts = plan.earlier
    if plan.to_ask and isinstance(criterion, Criterion):
        asked = await asked_about(plan.to_ask, criterion, asking)
        same_instrument(asked.instruments, plan.earlier.instruments)
        verdicts = Verdicts(
            {**plan.earlier.of, **asked.of},
            asked.instruments if plan.earlier.threshold is None else plan.earlier.instruments,
            asked.spend,
            asked.threshold,
        )
    return _calibration(plan, labels, verdicts, population, design, epsilon, level)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is asked and what is known already."""

    name: str
    text: str
    earlier: Verdicts
    to_ask: tuple[LabelledReply, ...]
    alone: tuple[tuple[str, int], ...]


def _check(
    criterion: object,
    labels: Labels,
    judged: object,
    threshold: float | None,
    population: str,
    epsilon: float,
) -> None:
    if not isinstance(population, str) or not population.strip():
        raise InvalidArgument(f"`population` must be text that is not blank, got {population!r}")
    if isinstance(epsilon, bool) or not isinstance(epsilon, int | float) or not 0 <= epsilon < 1:
        raise InvalidArgument(f"`epsilon` must be a number from 0, below 1, got {epsilon!r}")
    if isinstance(criterion, Criterion):
        if threshold is not None:
            raise InvalidArgument("`threshold` is for stored verdicts; the criterion has one of its own")
        if labels.has_verdicts:
            raise InvalidArgument(
                "the rows hold verdicts of their own; give the criterion's name in place of the criterion, "
                "or leave `verdict` out to ask its judge"
            )
    elif criterion is not None and (not isinstance(criterion, str) or not criterion.strip()):
        judge = hasattr(criterion, "should_satisfy")
        got = (
            f'a {type(criterion).__name__}; write judge.should_satisfy("what it was asked about")'
            if judge
            else repr(criterion)
        )
        raise InvalidArgument(f"`criterion` must be a Criterion, a name or None, got {got}")
    elif judged is None and not labels.has_verdicts:
        raise InvalidArgument(
            "there is nobody to ask and nothing was judged; give a Criterion such as "
            "Judge('openai/gpt-5-mini').should_satisfy('...'), the attempts of a run, or `verdict=`"
        )
    _check_source(labels, judged, threshold)


def _check_source(labels: Labels, judged: object, threshold: float | None) -> None:
    if isinstance(judged, str | PathLike) or not (judged is None or isinstance(judged, Iterable)):
        raise InvalidArgument(
            f"`judged` must be the attempts of a run, got {judged!r:.80}; write `report.results`, or "
            "`EvalReport.read(path).results`"
        )
    if judged is not None and labels.has_verdicts:
        raise InvalidArgument("verdicts come from a run or from a column, not from both")
    if threshold is not None and judged is not None:
        raise InvalidArgument("`threshold` is for verdicts in a column; those of a run have their own")
    if threshold is not None and not 0 <= threshold <= 1:
        raise InvalidArgument(f"`threshold` must be a number from 0 to 1, got {threshold!r}")


def _plan(
    criterion: Criterion | str | None,
    labels: Labels,
    judged: Iterable[CaseResult] | None,
    design: Design | None,
    threshold: float | None,
) -> _Plan:
    name = criterion.name if isinstance(criterion, Criterion) else criterion
    to_ask: tuple[LabelledReply, ...] = ()
    if judged is not None:
        name, earlier = from_run(judged, name)
        _check_runs(labels, earlier)
    elif labels.has_verdicts:
        earlier = from_column(labels, 0.5 if threshold is None else threshold)
    else:
        earlier = Verdicts({}, Instruments(), JudgeSpend(), None)
    if judged is not None and not isinstance(criterion, Criterion):
        _check_join(labels, earlier)
    if isinstance(criterion, Criterion):
        to_ask = tuple(row for row in labels.rows if (row.id, row.run) not in earlier.of)
    labelled = {(row.id, row.run) for row in labels.rows if row.labels}
    every = dict.fromkeys([*((row.id, row.run) for row in labels.rows), *earlier.of])
    alone = tuple(key for key in every if key not in labelled)
    if not labelled:
        raise InvalidArgument(
            "no row has a human label, so there is nothing to hold the judge against; name the column that "
            "holds them, `label` or --label"
        )
    if alone and design is None:
        raise InvalidArgument(
            f"{len(alone)} replies have no label; say how the others were chosen: `random_subset` where they "
            "were drawn at random from all of them (--random-subset), `separate_calibration` where they are "
            "a set of their own (--separate)"
        )
    text = criterion.criterion if isinstance(criterion, Criterion) else ""
    return _Plan(name or "verdicts", text, earlier, to_ask, alone)


def _check_runs(labels: Labels, earlier: Verdicts) -> None:
    repeated = {case_id for case_id, run in earlier.of if run > 1}
    unclear = [row for row in labels.rows if row.id in repeated and row.run == 1]
    known = {row.id for row in labels.rows if row.run > 1}
    if unclear and not known:
        raise InvalidArgument(
            f"the run has several replies of {unclear[0].id!r}; say in a column `run` which one is labelled"
        )


def _check_join(labels: Labels, earlier: Verdicts) -> None:
    """Labels none of which belongs to the run say nothing about its judge."""
    labelled = [(row.id, row.run) for row in labels.rows if row.labels]
    if not labelled or any(key in earlier.of for key in labelled):
        return
    shown = [
        f"{one_line(case_id, 60)!r}{f' run {run}' * (run > 1)}"
        for case_id, run in (labelled[0], next(iter(earlier.of)))
    ]
    raise InvalidArgument(
        f"no labelled row is of the run: the first row is {shown[0]}, the run's first is {shown[1]}; name "
        "the column with the ids of the run's cases, `id` or --id"
    )


def _calibration(
    plan: _Plan,
    labels: Labels,
    verdicts: Verdicts,
    population: str,
    design: Design | None,
    epsilon: float,
    level: float,
) -> Calibration:
    threshold = verdicts.threshold
    compared = Compared.of(labels, verdicts.of, 0.5 if threshold is None else threshold)
    found = figures_of(
        compared, {key: verdicts.of.get(key) for key in plan.alone}, design or "random_subset", epsilon, level
    )
    instruments = tuple(verdicts.instruments)
    text = plan.text or (instruments[0][0].criterion if instruments else "")
    missing = [v.cause for v in compared.verdicts if v is not None and v.passed is None]
    missing += ["not in the run" for v in compared.verdicts if v is None]
    return Calibration(
        name=plan.name,
        criterion=text,
        threshold=threshold,
        population=population.strip(),
        made_at=datetime.now(UTC),
        instruments=instruments,
        labels=sum(label is not None for label in compared.passes),
        unlabelled=len(plan.alone),
        undecided=sum(label is None for label in compared.passes),
        raters=labels.raters,
        causes=Counter(cause or "unknown" for cause in missing),
        confusion=found.confusion,
        kappa_low=found.kappa_low,
        rank_agreement=found.ranks,
        alternative=found.alternative,
        alternative_reason=found.alternative_reason,
        human_agreement=found.human_agreement,
        rate=found.rate,
        spend=verdicts.spend,
        warnings=_warnings([*verdicts.of], len(labels.raters)),
    )


def _warnings(judged: Sequence[tuple[str, int]], raters: int) -> tuple[str, ...]:
    repeated = len(judged) - len({case_id for case_id, _ in judged})
    if not repeated:
        return ()
    but = ", but for those between raters" if raters > 1 else ""
    return (
        f"{counted(repeated, 'reply is a repeat', 'replies are repeats')} of a case: intervals are clustered "
        f"by case{but}",
    )
