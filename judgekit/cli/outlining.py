"""A plan's outline as the command line shows it: for `run --dry-run` and `validate`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from judgekit.cli.delivering import print_json
from judgekit.cli.streams import write_out
from judgekit.runner.outline import Outline
from judgekit.text import counted, one_line

__all__ = ["document_of", "outline_lines", "print_outline"]


def print_outline(outline: Outline, *, as_json: bool) -> None:
    """Print what a plan would call and what that may cost."""
    if as_json:
        print_json(document_of(outline))
    else:
        write_out("\n".join([*outline_lines(outline), *_cost_lines(outline)]))


def outline_lines(outline: Outline) -> Iterator[str]:
    """What a plan would do, a line each."""
    attempts = counted(outline.attempts, "attempt")
    yield f"{one_line(outline.name)}: {counted(outline.cases, 'case')}, {attempts}"
    if outline.agent is None:
        yield "  agent: none; recorded interactions are scored"
    else:
        calls = counted(outline.agent_calls, "call")
        yield f"  agent: {'at most ' if outline.open_ended else ''}{calls} to {one_line(outline.agent)}"
    for model, number in outline.user_questions.items():
        yield f"  simulated users: at most {counted(number, 'question')} to {one_line(model)}"
    yield f"  evaluators: {', '.join(map(one_line, outline.evaluators)) or 'none'}"
    for model, number in outline.questions.items():
        yield f"  judge: {counted(number, 'question')} to {one_line(model)}"
    yield f"  gate: {outline.gate!r}"


def _cost_lines(outline: Outline) -> Iterator[str]:
    unknown = f"; no price is known for {', '.join(outline.unpriced)}" if outline.unpriced else ""
    if outline.questions:
        yield (
            f"  cost of judging: about ${outline.usual_cost:.4f}, at most ${outline.most_cost:.4f} "
            f"without retries{unknown}"
        )
        yield "  verdicts in a cache cost nothing"
    if outline.user_questions:
        yield (
            f"  cost of simulated users that speak as often as they may: about "
            f"${outline.users_usual_cost:.4f}, at most ${outline.users_most_cost:.4f} "
            f"without retries{'' if outline.questions else unknown}"
        )
    if outline.agent is not None:
        yield "  cost of the agent: unknown before it is called"
    yield "nothing was called"


def document_of(outline: Outline) -> dict[str, Any]:
    """The outline as JSON data."""
    return {
        "name": outline.name,
        "cases": outline.cases,
        "attempts": outline.attempts,
        "agent": outline.agent,
        "agent_calls": outline.agent_calls,
        "open_ended": outline.open_ended,
        "evaluators": list(outline.evaluators),
        "questions": dict(outline.questions),
        "judge_cost": {
            "usual": outline.usual_cost,
            "most": outline.most_cost,
            "unpriced": list(outline.unpriced),
        },
        "user_questions": dict(outline.user_questions),
        "user_cost": {"usual": outline.users_usual_cost, "most": outline.users_most_cost},
        "gate": outline.gate.to_json(),
    }
