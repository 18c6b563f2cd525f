"""What came of a comparison: a verdict for the whole, one for each evaluator, and what they stand on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any, NoReturn

from judgekit.comparing.instruments import InstrumentChange
from judgekit.comparing.reading import Unit, unit_name
from judgekit.statistics import Agreement, Comparison, ComparisonVerdict, PairedDifference

__all__ = ["AmountComparison", "Axis", "EvaluatorComparison", "Flip", "RunComparison", "RunSide"]

SMALL_DROP = 0.05
"""The difference that is planned for where no `max_drop` was named."""


class Axis(Enum):
    """What differs between two runs, so that a difference can be attributed to it.

    AGENT: other transcripts before the same judges. JUDGE: other judges, or other criteria, on the same
    transcripts. BOTH: both, and no difference can be attributed. NEITHER: the same transcripts before the
    same judges.
    """

    AGENT = "agent"
    JUDGE = "judge"
    BOTH = "both"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True)
class RunSide:
    """One of the two runs.

    Attributes:
        name: The experiment's name.
        started_at: UTC.
        is_finished: Whether it came to its end.
        cases: How many cases it has.
        attempts: How many attempts.
        models: Models that the agents' calls named.
        judges: Models that its judges asked, of what both runs checked.
    """

    name: str
    started_at: datetime
    is_finished: bool
    cases: int
    attempts: int
    models: tuple[str, ...]
    judges: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Flip:
    """A case that went from failing to passing, or back: its pass rate moved by at least one half.

    Attributes:
        case_id: The case.
        new_passed: Runs that passed in the new run, of `runs`.
        old_passed: Likewise in the baseline.
        runs: Runs measured on both sides.
        failed_on: What the failing side failed on, most often first: criteria, labels, `target` or `setup`.
    """

    case_id: str
    new_passed: int
    old_passed: int
    runs: int
    failed_on: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorComparison:
    """One evaluator in both runs: a label, or a judged criterion.

    Attributes:
        label: Its label.
        name: The criterion's name; None for what has none.
        pass_fail: New minus old pass rate, cases weighing alike; adjusted (Holm) over all evaluators.
        scores: Likewise the mean score; None where there are none, or where they only say passed and failed.
        verdict: Of `pass_fail`; None where it is withheld, with `reason`.
        score_verdict: Of `scores`; None without them, or where it is withheld.
        reason: Why the verdicts are withheld; "" where they are not.
        change: What differs in how it was measured.
        agreement: Of the two judges on equal transcripts, old in rows and new in columns; None where the
            judge is the same or no judge measured it.
        alone: Results that stand on one side only, such as where the other had no evidence; not compared.
    """

    label: str
    name: str | None
    pass_fail: Comparison
    scores: Comparison | None
    verdict: ComparisonVerdict | None
    score_verdict: ComparisonVerdict | None
    reason: str
    change: InstrumentChange
    agreement: Agreement | None
    alone: int

    @property
    def unit(self) -> Unit:
        """Label and name."""
        return self.label, self.name

    @property
    def shown(self) -> str:
        """The criterion's name, else the label."""
        return unit_name(self.unit)

    @property
    def is_regressed(self) -> bool:
        """Whether its pass rate or its mean score is shown to be lower."""
        return ComparisonVerdict.REGRESSED in (self.verdict, self.score_verdict)


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountComparison:
    """Seconds, US dollars or tokens of an attempt in both runs; what is unknown is left out, never 0.

    Attributes:
        name: `latency`, `cost`, `input tokens`, `output tokens` or `judge cost`.
        unit: `s`, `$` or `tokens`.
        new_mean: Over the attempts of the new run that are known; None without one.
        old_mean: Likewise of the baseline.
        new_known: How many are.
        old_known: Likewise.
        difference: New minus old, over attempts of the same case and run that are known on both sides.
    """

    name: str
    unit: str
    new_mean: float | None
    old_mean: float | None
    new_known: int
    old_known: int
    difference: PairedDifference


@dataclass(frozen=True, slots=True, kw_only=True)
class RunComparison:
    """A run held against a baseline: every difference is new minus old.

    The pass rate of attempts decides, over what both runs checked. An evaluator that is shown to have
    regressed makes the whole REGRESSED, whatever the rate of attempts did. Where agent and judge both changed
    there is no verdict.

    Attributes:
        verdict: Of the whole; None where it is refused.
        reason: What decided, or why it is refused.
        axis: What differs between the runs; None where they share no attempt.
        new: The run that is judged.
        old: The baseline.
        overall: The pass rate of attempts: the primary comparison.
        evaluators: What both runs checked, in order of the new run.
        improved: Cases that went from failing to passing.
        worsened: Cases that went from passing to failing.
        amounts: Latency, cost and tokens.
        attempts: Attempts of the same case and run.
        same_transcripts: How many of them have the same evidence on both sides.
        other_transcripts: How many have other evidence; the rest was never called to an end.
        only_new: Evaluators of shared cases that the baseline does not have; left out of `overall`.
        only_old: Likewise those that the new run does not have.
        changed_checks: Labels of checks without a judge that have other parameters or other code.
        unpaired_cases: Cases that only one run has.
        unpaired_runs: Repeats of shared cases that only one run has.
        max_drop: The drop that is allowed; None: EQUIVALENT cannot be shown.
        level: Confidence of the intervals.
        clustered_by: `case`, or how groups of cases were given.
        warnings: What a reader must know, one sentence each.
    """

    verdict: ComparisonVerdict | None
    reason: str
    axis: Axis | None
    new: RunSide
    old: RunSide
    overall: Comparison
    evaluators: tuple[EvaluatorComparison, ...]
    improved: tuple[Flip, ...]
    worsened: tuple[Flip, ...]
    amounts: tuple[AmountComparison, ...]
    attempts: int
    same_transcripts: int
    other_transcripts: int
    only_new: tuple[str, ...]
    only_old: tuple[str, ...]
    changed_checks: tuple[str, ...]
    unpaired_cases: int
    unpaired_runs: int
    max_drop: float | None
    level: float
    clustered_by: str
    warnings: tuple[str, ...]

    @property
    def cases_needed(self) -> int | None:
        """About how many groups would show a difference of `max_drop`, or of 0.05, four times in five.

        From the variance seen (Miller 2024, arXiv:2411.00640, section 5); None where none was seen.
        """
        from judgekit.statistics import miller_cases

        error, groups = self.overall.standard_error, self.overall.n_clusters
        if not error or not groups:
            return None
        variance = error**2 * groups
        return math.ceil(miller_cases(self.max_drop or SMALL_DROP, between=variance, level=self.level))

    def render(self) -> str:
        """The comparison as text, in lines of at most 60 columns."""
        from judgekit.comparing.text import render_text

        return render_text(self)

    def to_json(self) -> dict[str, Any]:
        """The comparison as plain JSON data."""
        from judgekit.comparing.data import comparison_data

        return comparison_data(self)

    def __str__(self) -> str:
        return self.render()

    def __bool__(self) -> NoReturn:
        raise TypeError("a comparison has no truth value; write `comparison.verdict`")
