"""`judgekit reliability FILE`: does a judge say the same twice, and in both orders?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from judgekit.cli.options import api_base_option, max_cost_option, wanted_judge_model_option

__all__ = ["command"]


@click.command(
    "reliability",
    short_help="Judge each reply several times.",
    epilog='Example: judgekit reliability replies.jsonl --criterion "warm and plain" '
    "--judge-model openai/gpt-5-mini --samples 5",
)
@click.argument("file")
@click.option("--asked", metavar="COLUMN", help="The column with what was asked; `asked` unless given.")
@click.option("--reply", metavar="COLUMN", help="The column with the reply; `reply` unless given.")
@click.option("--messages", metavar="COLUMN", help="The column with the conversation, in place of it.")
@click.option("--id", metavar="COLUMN", help="The column with the id; else `id`, or rows are numbered.")
@click.option("--other", metavar="COLUMN", help="The column with another reply: pairs are judged.")
@click.option("--label", metavar="COLUMN", help="Pairs: the column with a human's choice: a, b or tie.")
@click.option("--writer", metavar="COLUMN", help="Pairs: the column with the model that wrote the reply.")
@click.option("--other-writer", metavar="COLUMN", help="Pairs: likewise of the other reply.")
@click.option("--family", metavar="TEXT", help="Pairs: what names of the judge's family hold, such as gpt.")
@click.option("--criterion", metavar="TEXT", help="What a good reply is like, or what makes one better.")
@click.option("--ready-made", "ready", metavar="NAME", help="A ready-made criterion in its place.")
@wanted_judge_model_option
@api_base_option
@click.option(
    "--threshold", type=click.FloatRange(0, 1), help="The score that a reply needs; 0.5 unless given."
)
@click.option(
    "--samples", type=click.IntRange(min=2), default=5, show_default=True, help="Judge each so many times."
)
@click.option(
    "--temperature", type=click.FloatRange(0, 2),
    help="Of the judge; 0 unless given, which hides a part of its noise.",
)  # fmt: skip
@click.option(
    "-j", "--concurrency", type=click.IntRange(min=1), default=8, show_default=True,
    help="So many verdicts at once.",
)  # fmt: skip
@max_cost_option
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON instead of text.")
@click.option(
    "-o", "--output", "output", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False),
    help="Also write them to FILE: .json, or text as .txt or .md.",
)  # fmt: skip
def command(file: str, **options: Any) -> int:
    """Judge each reply in FILE several times, and say how often the judge changes its mind.

    FILE is JSON Lines, JSON, CSV, TSV, YAML or Parquet. With --other each row is a pair of replies, judged
    in both orders: consistency, whether the first place is preferred, and beside human choices whether
    length or the writer's family move the judge. What was judged before costs nothing.
    """
    from judgekit.cli.repeating import repeat_file

    return repeat_file(file, **options)
