"""`judgekit score FILE`: judge the replies in a file, without an agent and without a line of Python."""

from __future__ import annotations

from typing import Any

import click

from judgekit.cli.options import (
    api_base_option,
    report_options,
    running_options,
    selecting_options,
    wanted_judge_model_option,
)

__all__ = ["command"]


@click.command(
    "score",
    epilog="Example: judgekit score replies.jsonl --asked question --reply answer "
    '--criterion "warm and plain" --judge-model openai/gpt-5-mini -o tone.html',
)
@click.argument("file")
@click.option("--asked", metavar="COLUMN", help="The column with what was asked; `asked` unless given.")
@click.option("--reply", metavar="COLUMN", help="The column with the reply; `reply` unless given.")
@click.option("--messages", metavar="COLUMN", help="The column with the conversation, in place of a reply.")
@click.option("--id", metavar="COLUMN", help="The column with the row's id; else `id`, or rows are numbered.")
@click.option(
    "--criterion", "criteria", metavar="TEXT", multiple=True,
    help="What a good reply is like, in words; repeatable.",
)  # fmt: skip
@click.option(
    "--ready-made", "ready", metavar="NAME", multiple=True,
    help="A ready-made criterion, such as warmth; `judgekit evaluators` lists them. Repeatable.",
)  # fmt: skip
@wanted_judge_model_option
@api_base_option
@click.option(
    "--threshold", type=click.FloatRange(0, 1), default=0.5, show_default=True,
    help="The score that a reply needs on each --criterion.",
)  # fmt: skip
@click.option(
    "--pass-rate", type=click.FloatRange(0, 1), help="The share of the rows that must pass; all unless given."
)
@selecting_options
@running_options
@click.option("--most", type=click.IntRange(min=0), default=20, show_default=True, help="Show so many rows.")
@report_options
def command(file: str, **options: Any) -> int:
    """Judge every row of FILE against a criterion, and report.

    FILE is JSON Lines, JSON, CSV, TSV, YAML, Parquet, or an earlier run. Verdicts are kept in
    .judgekit/cache.sqlite: a row that was judged before, by the same model against the same criterion,
    costs nothing. JUDGEKIT_CACHE=off turns that off.
    """
    from judgekit.cli.scoring import score_file

    return score_file(file, **options)
