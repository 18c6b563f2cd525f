"""`Calibration`: what holding a judge against human labels came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from judgekit.calibrating.plain import plain
from judgekit.evaluation import Outcome
from judgekit.instruments import Instrument
from judgekit.masking import Masker
from judgekit.spending import JudgeSpend
from judgekit.statistics import AlternativeTest, Confusion, CorrectedRate, Estimate, RankAgreement

__all__ = ["Calibration", "kappa_decides"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """How well a judge's verdicts on one criterion agree with human labels, and what its pass rate is worth.

    Attributes:
        name: The criterion's line in reports.
        criterion: Its whole text; "" where only verdicts are known.
        threshold: The score that a pass needs; None where nobody knows.
        population: What kind of replies these are; a calibration holds for its population.
        made_at: When, in UTC.
        instruments: What measured the verdicts, with how many; empty where nobody recorded it.
        labels: Replies with a human label that decides.
        unlabelled: Replies that only the judge has seen.
        undecided: Replies whose raters are split in halves; they count as not labelled.
        raters: Who labelled.
        causes: Why verdicts on labelled replies are missing, with how many.
        confusion: The table, kappa and AC1, sensitivity and specificity.
        kappa_low: A lower bound of kappa at the level of the intervals; None where kappa is not defined.
        rank_agreement: One a protocol; several protocols are never one number.
        alternative: Whether the judge may stand in for one of the raters; None with `alternative_reason`.
        alternative_reason: Why there is no such test.
        human_agreement: Krippendorff's alpha between the raters; None for one rater.
        rate: Judge rate, corrected rate, human-only rate.
        spend: What asking the judge took.
        warnings: What a reader of the figures must know, one sentence each.
    """

    name: str
    criterion: str
    threshold: float | None
    population: str
    made_at: datetime
    instruments: tuple[tuple[Instrument, int], ...]
    labels: int
    unlabelled: int
    undecided: int
    raters: tuple[str, ...]
    causes: Mapping[str, int]
    confusion: Confusion
    kappa_low: float | None
    rank_agreement: tuple[RankAgreement, ...]
    alternative: AlternativeTest | None
    alternative_reason: str | None
    human_agreement: Estimate | None
    rate: CorrectedRate
    spend: JudgeSpend
    warnings: tuple[str, ...] = ()

    @property
    def kappa(self) -> Estimate:
        """Cohen's kappa of judge and human labels."""
        return self.confusion.agreement.kappa

    @property
    def fingerprint(self) -> str | None:
        """Of the instrument that measured most; None where nobody recorded it."""
        return self.instruments[0][0].fingerprint if self.instruments else None

    @property
    def is_measured(self) -> bool:
        """Whether one reply at least has both a label and a verdict."""
        return self.confusion.estimate is not None

    def decide(self, kappa: float = 0.4) -> tuple[Outcome, str]:
        """Whether kappa is high enough: see `Gate.judge_should_be_calibrated`; the outcome and a sentence."""
        return kappa_decides(self.kappa.estimate, self.kappa_low, kappa, reason=self.kappa.reason)

    def render(self) -> str:
        """The calibration as a table for people."""
        from judgekit.calibrating.wording import calibration_text

        return calibration_text(self)

    __str__ = render

    def to_json(self) -> dict[str, Any]:
        """The calibration as JSON data, with no text of any reply."""
        return {
            "format": "judgekit-calibration",
            "version": 1,
            "name": self.name,
            "criterion": self.criterion,
            "threshold": self.threshold,
            "population": self.population,
            "made_at": self.made_at.isoformat(),
            "fingerprint": self.fingerprint,
            "instruments": [{**one.to_json(), "verdicts": count} for one, count in self.instruments],
            "labels": self.labels,
            "unlabelled": self.unlabelled,
            "undecided": self.undecided,
            "raters": len(self.raters),
            "missing": dict(self.causes),
            "kappa_low": self.kappa_low,
            "confusion": plain(self.confusion),
            "rank_agreement": plain(self.rank_agreement),
            "alternative": plain(self.alternative),
            "alternative_reason": self.alternative_reason,
            "human_agreement": plain(self.human_agreement),
            "rate": plain(self.rate),
            "warnings": list(self.warnings),
        }

    def save(self, store: str | Path = ".judgekit/calibrations", *, masker: Masker | None = None) -> Path:
        """Keep the calibration where gates look for it; the file's path.

        It takes the place of an earlier one of the same instrument and population.

        Args:
            store: The folder; made where it is not there.
            masker: Knows secrets beside what looks like a key.

        Raises:
            InvalidArgument: Nobody recorded what measured the verdicts, so no gate could find it.
            OSError: The folder cannot be written.
        """
        from judgekit.calibrating.store import save

        return save(self, Path(store), masker or Masker())


def kappa_decides(
    kappa: float | None, low: float | None, floor: float, *, reason: str | None
) -> tuple[Outcome, str]:
    """PASS where the lower bound of kappa reaches the floor, FAIL where kappa itself lies below it.

    In between there are too few labels to know, and the answer is INCONCLUSIVE.
    """
    if kappa is None or low is None:
        return Outcome.INCONCLUSIVE, f"kappa is not defined: {reason or 'nothing was compared'}"
    shown = f"kappa {kappa:.2f}, at least {low:.2f}, required {floor:.2f}"
    if low >= floor - 1e-9:
        return Outcome.PASS, shown
    if kappa < floor - 1e-9:
        return Outcome.FAIL, shown
    return Outcome.INCONCLUSIVE, f"{shown}; label more replies"
