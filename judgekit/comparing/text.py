"""A comparison as text for people and logs; nothing in it moves a terminal, whatever was tested."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from judgekit.comparing.comparison import EvaluatorComparison, Flip, RunComparison, RunSide
from judgekit.comparing.wording import (
    amount_texts,
    axis_text,
    difference_text,
    evaluator_notes,
    flip_text,
    means_text,
    notes_of,
    verdict_text,
)
from judgekit.text import counted, one_line

__all__ = ["WIDTH", "render_text"]

WIDTH = 60
_FLIPS, _ID_LIMIT = 20, 80


def render_text(comparison: RunComparison) -> str:
    """The text, see `RunComparison.render`."""
    return "\n".join(line for paragraph in _paragraphs(comparison) for line in _wrapped(*paragraph))


def _wrapped(depth: int, text: str) -> list[str]:
    """Lines of at most 60 columns; continued ones stand a step further in."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent="  " * depth,
        subsequent_indent="  " * (depth + 1),
        break_on_hyphens=False,
    ) or [""]


def _paragraphs(comparison: RunComparison) -> Iterator[tuple[int, str]]:
    yield 0, f"verdict: {verdict_text(comparison.verdict)} — {comparison.reason}"
    yield 0, f"changed: {axis_text(comparison)}"
    yield 0, f"baseline: {_side(comparison.old)}"
    yield 0, f"new: {_side(comparison.new)}"
    cases = counted(comparison.overall.n_items, "case")
    yield (
        0,
        f"paired: {counted(comparison.attempts, 'attempt')} of {cases}, "
        f"clustered by {comparison.clustered_by}",
    )
    overall = comparison.overall
    verdict = f"  {overall.verdict.value}" if comparison.verdict is not None else ""
    yield 0, f"attempts passed: {means_text(overall)}{verdict}"
    yield 1, difference_text(overall)
    yield 1, overall.method
    if comparison.evaluators:
        yield 0, "evaluators, verdicts that hold for all together (Holm):"
    for one in comparison.evaluators:
        yield from _evaluator(one)
    yield from _flips("worsened", comparison.worsened)
    yield from _flips("improved", comparison.improved)
    for amount in comparison.amounts:
        means, difference = amount_texts(amount)
        yield 0, f"{amount.name}: {means} ({difference})"
    for warning in comparison.warnings:
        yield 0, f"warning: {warning}"
    for note in notes_of(comparison):
        yield 0, note


def _side(side: RunSide) -> str:
    started = side.started_at.strftime("%Y-%m-%d %H:%M UTC")
    parts = [one_line(side.name, _ID_LIMIT), started, counted(side.attempts, "attempt")]
    if side.models:
        parts.append("agent on " + " and ".join(one_line(model, _ID_LIMIT) for model in side.models))
    if side.judges:
        parts.append("judged by " + " and ".join(one_line(model, _ID_LIMIT) for model in side.judges))
    return ", ".join(parts)


def _evaluator(one: EvaluatorComparison) -> Iterator[tuple[int, str]]:
    name = one_line(one.shown, _ID_LIMIT)
    yield 1, f"{name}: {means_text(one.pass_fail)}  {verdict_text(one.verdict)}"
    yield 2, difference_text(one.pass_fail)
    if one.scores is not None:
        verdict = "" if one.score_verdict is None else f"  {one.score_verdict.value}"
        yield 2, f"mean score: {means_text(one.scores)}{verdict}"
        yield 3, difference_text(one.scores)
    for note in evaluator_notes(one):
        yield 2, note


def _flips(word: str, flips: Sequence[Flip]) -> Iterator[tuple[int, str]]:
    if not flips:
        return
    yield 0, f"{word}, {counted(len(flips), 'case')}:"
    for flip in flips[:_FLIPS]:
        yield 1, f"{one_line(flip.case_id, _ID_LIMIT)}: {flip_text(flip)}"
    if len(flips) > _FLIPS:
        yield 1, f"and {len(flips) - _FLIPS} more"
