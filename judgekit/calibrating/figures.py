"""The figures of a calibration, all from `judgekit.statistics`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judgekit.calibrating.labelled import LabelledReply, Labels
from judgekit.calibrating.verdicts import Key, Verdict
from judgekit.statistics import (
    AlternativeTest,
    Confusion,
    CorrectedRate,
    Estimate,
    RankAgreement,
    ScoredItem,
    alt_test,
    confusion,
    corrected_pass_rate,
    krippendorff_alpha,
    rank_agreement,
)
from judgekit.statistics.correction import Design
from judgekit.statistics.ranks import Protocol

__all__ = ["Compared", "Figures", "figures_of", "kappa_low"]

_TOLERANCE = 1e-9
_RATERS_FOR_ALT_TEST = 3
_FEWEST_RESAMPLES, _MOST_RESAMPLES, _RESAMPLED = 200, 1000, 200_000


@dataclass(frozen=True, slots=True)
class Compared:
    """The labelled replies with what human and judge say; one entry a reply in each list.

    Attributes:
        rows: Those that somebody labelled.
        passes: Whether the humans pass it; None where they are split in halves.
        scores: The mean of their labels.
        verdicts: What the judge said; None where the run does not hold the reply.
        scored: Whether labels are numbers, and not pass and fail.
        shared_scale: Whether their numbers are on the judge's own scale.
    """

    rows: tuple[LabelledReply, ...]
    passes: tuple[bool | None, ...]
    scores: tuple[float, ...]
    verdicts: tuple[Verdict | None, ...]
    scored: bool
    shared_scale: bool

    @classmethod
    def of(cls, labels: Labels, verdicts: Mapping[Key, Verdict], threshold: float) -> Compared:
        """Put both side by side. `threshold` decides about numbers where the labels name no bar."""
        rows = tuple(row for row in labels.rows if row.labels)
        bar = threshold if labels.passes_at is None else labels.passes_at
        values = [list(row.labels.values()) for row in rows]
        return cls(
            rows,
            tuple(_passes(given, bar) for given in values),
            tuple(math.fsum(given) / len(given) for given in values),
            tuple(verdicts.get((row.id, row.run)) for row in rows),
            any(not isinstance(label, bool) for given in values for label in given),
            labels.passes_at is None,
        )

    @property
    def judge_passes(self) -> list[bool | None]:
        """The judge's pass or fail; None where there is none."""
        return [None if verdict is None else verdict.passed for verdict in self.verdicts]

    @property
    def judge_scores(self) -> list[float | None]:
        """The judge's score; pass and fail as 1 and 0 where it gave none."""
        return [_score(verdict) for verdict in self.verdicts]


def _passes(given: Sequence[bool | float], bar: float) -> bool | None:
    """Numbers by their mean; pass and fail by the majority, None where it is split."""
    if all(isinstance(label, bool) for label in given):
        passed = sum(given)
        return None if 2 * passed == len(given) else 2 * passed > len(given)
    return math.fsum(given) / len(given) >= bar - _TOLERANCE


def _score(verdict: Verdict | None) -> float | None:
    if verdict is None or verdict.passed is None:
        return None
    return float(verdict.passed) if verdict.score is None else verdict.score


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures of one calibration."""

    confusion: Confusion
    kappa_low: float | None
    ranks: tuple[RankAgreement, ...]
    alternative: AlternativeTest | None
    alternative_reason: str | None
    human_agreement: Estimate | None
    rate: CorrectedRate


def figures_of(
    compared: Compared,
    alone: Mapping[Key, Verdict | None],
    design: Design,
    epsilon: float,
    level: float,
) -> Figures:
    """The figures; `alone` are the judge's verdicts on replies that nobody labelled."""
    cases = [row.id for row in compared.rows]
    table = confusion(compared.judge_passes, compared.passes, clusters=cases, level=level)
    raters = tuple(dict.fromkeys(rater for row in compared.rows for rater in row.labels))
    alternative, reason = _alternative(compared, raters, epsilon)
    # A reply on which raters are split is neither labelled nor one that nobody looked at.
    both = zip(compared.judge_passes, compared.passes, cases, strict=True)
    items = [item for item in both if item[1] is not None]
    items += [
        (None if verdict is None else verdict.passed, None, case_id)
        for (case_id, _), verdict in alone.items()
    ]
    rate = corrected_pass_rate(
        [judge for judge, _, _ in items],
        [human for _, human, _ in items],
        design=design,
        clusters=[case for _, _, case in items],
        level=level,
    )
    return Figures(
        table,
        kappa_low(table),
        _ranks(compared, level),
        alternative,
        reason,
        _human_agreement(compared, raters, level),
        rate,
    )


def kappa_low(table: Confusion) -> float | None:
    """The lower end of kappa's interval.

    Where nothing or everything disagrees, the usual error of kappa is 0 and its interval has no width. Then
    the lower end of the agreement's own Wilson interval takes the place of the agreement, with what chance
    gives as it was seen: five equal labels are no proof.
    """
    kappa = table.agreement.kappa
    if kappa.estimate is None or kappa.low is None or kappa.standard_error:
        return kappa.low
    shares = table.agreement.first_shares, table.agreement.second_shares
    expected = math.fsum(shares[0][category] * shares[1][category] for category in shares[0])
    if table.low is None or expected >= 1:
        return None
    return min(kappa.low, (table.low - expected) / (1 - expected))


def _ranks(compared: Compared, level: float) -> tuple[RankAgreement, ...]:
    """One a protocol whose columns are there; of pass and fail on both sides there is no rank."""
    scores = compared.judge_scores
    if not compared.scored and len({score for score in scores if score is not None}) < 3:
        return ()
    rows = [
        ScoredItem(
            row.id if row.group is None else row.group,
            row.id if row.system is None else row.system,
            score,
            human,
        )
        for row, score, human in zip(compared.rows, scores, compared.scores, strict=True)
    ]
    wanted: list[Protocol] = ["dataset"]
    if any(row.group is not None for row in compared.rows):
        wanted.append("group")
    if any(row.system is not None for row in compared.rows):
        wanted.append("system")
    resamples = _resamples(len(rows))
    return tuple(
        rank_agreement(rows, protocol=protocol, level=level, resamples=resamples) for protocol in wanted
    )


def _resamples(items: int) -> int:
    """Fewer where there are many items: their interval is short, and each resample takes long."""
    return min(_MOST_RESAMPLES, max(_FEWEST_RESAMPLES, _RESAMPLED // max(1, items)))


def _alternative(
    compared: Compared, raters: Sequence[str], epsilon: float
) -> tuple[AlternativeTest | None, str | None]:
    if len(raters) < _RATERS_FOR_ALT_TEST:
        count = "one rater" if len(raters) == 1 else f"{len(raters)} raters"
        return None, f"{count}, and the alternative annotator test needs {_RATERS_FOR_ALT_TEST}"
    if compared.scored and not compared.shared_scale:
        return None, "the labels are on another scale than the judge's scores"
    judge = compared.judge_scores if compared.scored else compared.judge_passes
    humans = {rater: [row.labels.get(rater) for row in compared.rows] for rater in raters}
    scoring = "rmse" if compared.scored else "accuracy"
    return alt_test(judge, humans, epsilon=epsilon, scoring=scoring), None  # type: ignore[arg-type]


def _human_agreement(compared: Compared, raters: Sequence[str], level: float) -> Estimate | None:
    if len(raters) < 2:
        return None
    items = [[row.labels.get(rater) for rater in raters] for row in compared.rows]
    scale = "interval" if compared.scored else "nominal"
    return krippendorff_alpha(items, scale=scale, level=level, resamples=_resamples(len(items)))  # type: ignore[arg-type]
