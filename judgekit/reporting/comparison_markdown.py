"""A comparison of two runs as Markdown; bounded, and tested text stays text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from judgekit.comparing import EvaluatorComparison, Flip, RunComparison
from judgekit.comparing.wording import (
    amount_texts,
    axis_text,
    difference_text,
    evaluator_notes,
    failed_on,
    means_text,
    notes_of,
    verdict_text,
)
from judgekit.reporting.markdown_text import NAME_LIMIT, code
from judgekit.statistics import Comparison, ComparisonVerdict
from judgekit.text import counted

__all__ = ["comparison_markdown"]

_ROWS, _TEXT_LIMIT = 100, 1_000
_MARK = {
    ComparisonVerdict.IMPROVED: "✅",
    ComparisonVerdict.EQUIVALENT: "✅",
    ComparisonVerdict.REGRESSED: "❌",
    ComparisonVerdict.UNDERPOWERED: "⚠️",
    None: "⚠️",
}


def comparison_markdown(comparison: RunComparison) -> str:
    """Verdict, what changed, a table of evaluators, the cases that moved, and what an attempt took."""
    parts = (_head, _evaluators, _moved, _amounts, _remarks)
    return "\n".join(line for part in parts for line in part(comparison)) + "\n"


def _said(verdict: ComparisonVerdict | None) -> str:
    return f"{_MARK[verdict]} {verdict_text(verdict)}"


def _head(comparison: RunComparison) -> Iterator[str]:
    yield f"## {code(comparison.new.name)} against its baseline: {_said(comparison.verdict)}"
    yield ""
    yield code(comparison.reason, _TEXT_LIMIT)
    yield ""
    yield f"Changed: {code(axis_text(comparison), _TEXT_LIMIT)}"
    yield ""
    cases = counted(comparison.overall.n_items, "case")
    attempts = counted(comparison.attempts, "attempt")
    yield f"Paired: {attempts} of {cases}, clustered by {code(comparison.clustered_by)}"


def _evaluators(comparison: RunComparison) -> Iterator[str]:
    yield "\n| | baseline → new | difference | verdict |"
    yield "|:--|--:|:--|:--|"
    overall = comparison.overall.verdict if comparison.verdict is not None else None
    yield _row("**attempts passed**", comparison.overall, overall)
    for one in comparison.evaluators[:_ROWS]:
        yield _row(code(one.shown), one.pass_fail, one.verdict)
        if one.scores is not None:
            yield _row("↳ mean score", one.scores, one.score_verdict)
    if len(comparison.evaluators) > _ROWS:
        yield f"\n{counted(len(comparison.evaluators) - _ROWS, 'more row')} in the JSON."
    yield "\nThe verdicts of the evaluators hold for all together (Holm)."
    for one in comparison.evaluators[:_ROWS]:
        yield from _notes(one)


def _row(name: str, found: Comparison, verdict: ComparisonVerdict | None) -> str:
    return f"| {name} | {means_text(found)} | {code(difference_text(found))} | {_said(verdict)} |"


def _notes(one: EvaluatorComparison) -> Iterator[str]:
    for note in evaluator_notes(one):
        yield f"- {code(one.shown)}: {code(note, _TEXT_LIMIT)}"


def _moved(comparison: RunComparison) -> Iterator[str]:
    yield from _flips("Worsened", comparison.worsened)
    yield from _flips("Improved", comparison.improved)


def _flips(word: str, flips: Sequence[Flip]) -> Iterator[str]:
    if not flips:
        return
    yield f"\n### {word}: {counted(len(flips), 'case')}\n"
    yield "| case | baseline | new | failed on |"
    yield "|:--|--:|--:|:--|"
    for flip in flips[:_ROWS]:
        passed = f"{flip.old_passed}/{flip.runs} | {flip.new_passed}/{flip.runs}"
        yield f"| {code(flip.case_id)} | {passed} | {code(failed_on(flip), 4 * NAME_LIMIT)} |"
    if len(flips) > _ROWS:
        yield f"\n{counted(len(flips) - _ROWS, 'more case')} in the JSON."


def _amounts(comparison: RunComparison) -> Iterator[str]:
    if not comparison.amounts:
        return
    yield "\n| an attempt's | baseline → new | difference |"
    yield "|:--|--:|:--|"
    for amount in comparison.amounts:
        means, difference = amount_texts(amount)
        yield f"| {amount.name} | {means} | {difference} |"


def _remarks(comparison: RunComparison) -> Iterator[str]:
    found = [f"Warning: {warning}" for warning in comparison.warnings] + list(notes_of(comparison))
    if found:
        yield ""
    yield from (f"- {code(line, _TEXT_LIMIT)}" for line in found)
