"""The table of differences: each with its interval as a bar around the line of no difference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from judgekit.comparing import RunComparison
from judgekit.comparing.wording import (
    amount_texts,
    axis_text,
    difference_text,
    evaluator_notes,
    means_text,
    notes_of,
    verdict_text,
)
from judgekit.statistics import Comparison, ComparisonVerdict

__all__ = ["comparison_summary"]

WIDTH, HEIGHT, MARGIN = 240, 18, 4
_EXTENTS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75)
_TONES = {
    ComparisonVerdict.IMPROVED: "pass",
    ComparisonVerdict.EQUIVALENT: "pass",
    ComparisonVerdict.REGRESSED: "fail",
}


@dataclass(frozen=True, slots=True)
class Whisker:
    """An interval and its middle, in units of the plot."""

    left: float
    width: float
    at: float


@dataclass(frozen=True, slots=True)
class ForestRow:
    """One difference: the whole, an evaluator's pass rate, or its mean score."""

    name: str
    depth: int
    means: str
    said: str
    whisker: Whisker | None
    verdict: str
    tone: str
    notes: tuple[str, ...]


def comparison_summary(comparison: RunComparison) -> dict[str, Any]:
    """What the page shows of a comparison before the attempts."""
    extent = _extent(comparison)
    drop = comparison.max_drop
    return {
        "verdict": verdict_text(comparison.verdict),
        "tone": _tone(comparison.verdict),
        "reason": comparison.reason,
        "axis": axis_text(comparison),
        "method": comparison.overall.method,
        "clustered_by": comparison.clustered_by,
        "rows": list(_rows(comparison, extent)),
        "extent": f"{extent:g}",
        "width": WIDTH,
        "height": HEIGHT,
        "zero": _across(0, extent),
        "drop": None if drop is None or drop > extent else _across(-drop, extent),
        "max_drop": drop,
        "amounts": [(amount.name, *amount_texts(amount)) for amount in comparison.amounts],
        "warnings": comparison.warnings,
        "notes": list(notes_of(comparison)),
    }


def _tone(verdict: ComparisonVerdict | None) -> str:
    return "inconclusive" if verdict is None else _TONES.get(verdict, "inconclusive")


def _shown(comparison: RunComparison) -> Iterator[Comparison]:
    yield comparison.overall
    for one in comparison.evaluators:
        yield one.pass_fail
        if one.scores is not None:
            yield one.scores


def _extent(comparison: RunComparison) -> float:
    """How far the axis reaches to both sides, so that all rows share one."""
    ends = [end for one in _shown(comparison) for end in (one.estimate, one.low, one.high) if end is not None]
    furthest = max(map(abs, ends), default=0.0)
    return next((extent for extent in _EXTENTS if extent >= furthest), 1.0)


def _across(value: float, extent: float) -> float:
    half = WIDTH / 2 - MARGIN
    return round(WIDTH / 2 + half * max(-1.0, min(1.0, value / extent)), 1)


def _rows(comparison: RunComparison, extent: float) -> Iterator[ForestRow]:
    verdict = None if comparison.verdict is None else comparison.overall.verdict
    yield _row("attempts passed", 0, comparison.overall, verdict, extent)
    for one in comparison.evaluators:
        yield _row(one.shown, 1, one.pass_fail, one.verdict, extent, tuple(evaluator_notes(one)))
        if one.scores is not None:
            yield _row("mean score", 2, one.scores, one.score_verdict, extent)


def _row(
    name: str,
    depth: int,
    found: Comparison,
    verdict: ComparisonVerdict | None,
    extent: float,
    notes: tuple[str, ...] = (),
) -> ForestRow:
    whisker = None
    if found.estimate is not None and found.low is not None and found.high is not None:
        left, right = _across(found.low, extent), _across(found.high, extent)
        whisker = Whisker(left, round(max(right - left, 1.0), 1), _across(found.estimate, extent))
    return ForestRow(
        name,
        depth,
        means_text(found),
        difference_text(found),
        whisker,
        verdict_text(verdict),
        _tone(verdict),
        notes,
    )
