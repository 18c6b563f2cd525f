"""Options that name the columns of a file with labels, and how its judge is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from judgekit.cli.options import api_base_option, judge_model_option, max_cost_option

if TYPE_CHECKING:
    from judgekit.judging import Criterion, Judge

__all__ = ["asking_options", "column_options", "criterion_of", "judge_of"]

F = TypeVar("F", bound=Callable[..., Any])

_COLUMNS = (
    click.option("--asked", metavar="COLUMN", help="The column with what was asked; `asked` unless given."),
    click.option("--reply", metavar="COLUMN", help="The column with the reply; `reply` unless given."),
    click.option("--messages", metavar="COLUMN", help="The column with the conversation, in place of it."),
    click.option("--id", metavar="COLUMN", help="The column with the id; else `id`, or rows are numbered."),
    click.option(
        "--label", "label", metavar="COLUMN", multiple=True,
        help="The column with the human label, `label` or `human` unless given; repeatable, one a rater.",
    ),
    click.option("--rater", metavar="COLUMN", help="The column with who labelled, where a label is a row."),
    click.option("--group", metavar="COLUMN", help="The column with the question; `group` unless given."),
    click.option("--system", metavar="COLUMN", help="The column with who answered; `system` unless given."),
    click.option("--verdict", metavar="COLUMN", help="The column with a judge's verdicts; nobody is asked."),
    click.option(
        "--passes-at", type=float, metavar="NUMBER",
        help="A label of at least this is a pass; labels may then be any numbers, such as 1 to 5.",
    ),
)  # fmt: skip
_ASKING = (
    judge_model_option,
    api_base_option,
    click.option(
        "--ready-made", "ready", metavar="NAME", help="A ready-made criterion, such as warmth, in its place."
    ),
    click.option(
        "--threshold", type=click.FloatRange(0, 1), help="The score that a reply needs; 0.5 unless given."
    ),
    click.option(
        "-j", "--concurrency", type=click.IntRange(min=1), default=8, show_default=True,
        help="So many replies at once.",
    ),
    max_cost_option,
)  # fmt: skip


def _attached(function: F, options: tuple[Callable[[F], F], ...]) -> F:
    for option in reversed(options):
        function = option(function)
    return function


def column_options(function: F) -> F:
    """Attach the options that name columns."""
    return _attached(function, _COLUMNS)


def asking_options(function: F) -> F:
    """Attach the options that say who is asked, and how."""
    return _attached(function, _ASKING)


def judge_of(model: str, api_base: str | None, max_cost: float | None) -> Judge:
    """The judge of a command; its verdicts are kept, unless JUDGEKIT_CACHE says otherwise.

    Raises:
        Mistake: A limit cannot hold without a price.
        InvalidArgument: A setting cannot work.
    """
    import os

    from judgekit.cli.mistakes import Mistake
    from judgekit.judging import Judge

    judge = Judge(model, api_base=api_base, cache=None if os.environ.get("JUDGEKIT_CACHE") else "read-write")
    if max_cost is not None:
        from judgekit.runner.prices import unpriced

        if problems := tuple(unpriced([judge])):
            raise Mistake(*problems)
    return judge


def criterion_of(
    *,
    criterion: str | None,
    ready: str | None,
    judge_model: str | None,
    api_base: str | None,
    threshold: float | None,
    max_cost: float | None,
) -> Criterion | None:
    """The criterion that is to be asked about; None where no judge is named.

    Raises:
        Mistake: The options do not go together, or a limit cannot hold without a price.
        InvalidArgument: A setting cannot work.
    """
    from judgekit.cli.mistakes import Mistake
    from judgekit.judging.criteria import ready_made

    if judge_model is None:
        if ready is not None or api_base is not None:
            raise Mistake("--ready-made and --api-base ask a judge; name it with --judge-model")
        return None
    if (criterion is None) == (ready is None):
        raise Mistake('say what is judged: --criterion "warm and plain", or --ready-made warmth; one of them')
    judge = judge_of(judge_model, api_base, max_cost)
    if criterion is not None:
        return judge.should_score_at_least(criterion, 0.5 if threshold is None else threshold)
    if threshold is not None:
        raise Mistake("--threshold: a ready-made criterion has its own")
    return ready_made(ready or "").judged_by(judge)
