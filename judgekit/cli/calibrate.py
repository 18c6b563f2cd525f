"""`judgekit calibrate FILE`: hold a judge against human labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from judgekit.cli.labelling import asking_options, column_options

__all__ = ["command"]


@click.command(
    "calibrate",
    short_help="Hold a judge against human labels.",
    epilog="Example: judgekit calibrate labels.jsonl --asked question --reply answer --label human "
    '--criterion "warm and plain" --judge-model openai/gpt-5-mini --threshold 0.7 --kappa 0.4',
)
@click.argument("file")
@column_options
@click.option(
    "--criterion", metavar="TEXT", help="What is judged, in words; with --run alone the criterion's name."
)
@asking_options
@click.option(
    "--run", metavar="RUN", type=click.Path(path_type=Path),
    help="Take the verdicts of this run, joined by id; those without a label are what is corrected.",
)  # fmt: skip
@click.option("--random-subset", is_flag=True, help="The labelled replies were drawn at random from all.")
@click.option("--separate", is_flag=True, help="The labelled replies are a set of their own.")
@click.option(
    "--population", metavar="TAG", default="default", show_default=True,
    help="The kind of replies; a calibration holds for its population.",
)  # fmt: skip
@click.option(
    "--epsilon", type=click.FloatRange(0, 1, max_open=True), default=0.15, show_default=True,
    help="Alternative annotator test: how much better a human may be; 0.2 experts, 0.1 crowd.",
)  # fmt: skip
@click.option(
    "--kappa", "floor", type=click.FloatRange(-1, 1),
    help="Exit with 1 where kappa lies below, and with 3 where too few labels show that it does not.",
)  # fmt: skip
@click.option(
    "--store", type=click.Path(path_type=Path, file_okay=False), default=Path(".judgekit") / "calibrations",
    show_default=True, help="The folder that gates look in.",
)  # fmt: skip
@click.option("--no-store", is_flag=True, help="Do not keep the calibration.")
@click.option("--json", "as_json", is_flag=True, help="Print the calibration as JSON instead of text.")
@click.option(
    "-o", "--output", "output", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False),
    help="Also write it to FILE: .json, or text as .txt or .md.",
)  # fmt: skip
def command(file: str, **options: Any) -> int:
    """Hold a judge against the human labels in FILE, and say what its pass rate is worth.

    FILE is JSON Lines, JSON, CSV, TSV, YAML or Parquet. A label is pass or fail, 1 or 0, a score from 0 to
    1, or the name of a level. The judge is asked about each reply, at no cost where it was asked before;
    or its verdicts come from a run or a column. Rows without a label count as replies that only the judge
    has seen.
    """
    from judgekit.cli.calibrating import calibrate_file

    return calibrate_file(file, **options)
