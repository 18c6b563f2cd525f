"""How a trajectory's difference reads: `- missing`, `+ unexpected`, `~ other arguments`, `= as expected`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from judgekit.evaluators.arguments import argument_differences, shown_expected_call
from judgekit.evaluators.matching import Step, aligned, maximum_matching
from judgekit.evaluators.wording import shown_call
from judgekit.interaction import ToolCall
from judgekit.text import counted, one_line

__all__ = ["described", "laid_beside"]

E = TypeVar("E")
A = TypeVar("A")

_MOST_ROWS = 20
_WANTED = {
    "exact": "exactly these calls in this order",
    "any_order": "exactly these calls in any order",
    "in_order": "these calls in this order",
    "superset": "these calls in any order",
}


def laid_beside(
    expected: Sequence[E],
    made: Sequence[A],
    fits: Callable[[E, A], bool],
    alike: Callable[[E, A], bool],
    *,
    in_order: bool,
    extra_allowed: bool,
) -> tuple[Step, ...]:
    """The rows of the difference.

    Where other calls are allowed, of those only such are kept as bear the name of a missing one: made, but
    in the wrong place.
    """
    if in_order:
        steps = aligned(expected, made, fits, alike, extra=0 if extra_allowed else 1)
    else:
        steps = _in_any_order(expected, made, fits, alike)
    if not extra_allowed:
        return steps
    missing = [expected[step.expected] for step in steps if step.expected is not None and step.made is None]
    return tuple(
        step
        for step in steps
        if step.expected is not None
        or (step.made is not None and any(alike(want, made[step.made]) for want in missing))
    )


def _in_any_order(
    expected: Sequence[E],
    made: Sequence[A],
    fits: Callable[[E, A], bool],
    alike: Callable[[E, A], bool],
) -> tuple[Step, ...]:
    pairs = maximum_matching(expected, made, fits)
    left = [position for position in range(len(made)) if position not in pairs]
    steps = []
    for want, position in enumerate(pairs):
        if position is not None:
            steps.append(Step(want, position, True))
            continue
        near = next((spare for spare in left if alike(expected[want], made[spare])), None)
        if near is not None:
            left.remove(near)
        steps.append(Step(want, near))
    return (*steps, *(Step(None, position) for position in left))


def described(
    steps: Sequence[Step],
    expected: Sequence[tuple[object, Mapping[str, Any] | None]],
    made: Sequence[ToolCall],
    *,
    match: str,
    subset: bool,
) -> str:
    """One line: what was wanted, how much of it was made, then a row for each call."""
    fitting = sum(step.fits for step in steps)
    rows = [_row(step, expected, made, subset=subset) for step in steps]
    if len(rows) > _MOST_ROWS:
        # The rows that fit are the least news.
        rows = [row for row in rows if not row.startswith("=")]
    cut = len(rows) - _MOST_ROWS
    if cut > 0:
        rows = [*rows[:_MOST_ROWS], f"and {counted(cut, 'more difference')}"]
    if not expected:
        return f"expected no calls: {'; '.join(rows)}"
    return f"expected {_WANTED[match]}, {fitting} of {len(expected)} made: {'; '.join(rows)}"


def _row(
    step: Step,
    expected: Sequence[tuple[object, Mapping[str, Any] | None]],
    made: Sequence[ToolCall],
    *,
    subset: bool,
) -> str:
    if step.expected is None:
        call = made[step.made or 0]
        return f"+ {shown_call(call.name, call.arguments)}"
    name, arguments = expected[step.expected]
    shown_name = one_line(str(name))
    if step.made is None:
        return f"- {shown_name}{shown_expected_call(arguments) if arguments is not None else ''}"
    call = made[step.made]
    if step.fits:
        return f"= {one_line(call.name)}"
    if isinstance(call.arguments, str) or arguments is None:
        return f"~ {shown_call(call.name, call.arguments)}, whose arguments are no JSON object"
    wrong = argument_differences(arguments, call.arguments, subset=subset)
    return f"~ {one_line(call.name)}({', '.join(wrong)})"
