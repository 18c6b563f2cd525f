"""`judgekit plan`: how many cases are needed, and what a number of cases can show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

__all__ = ["command"]

_SHARE = click.FloatRange(0, 1)
_INSIDE = click.FloatRange(0, 1, min_open=True, max_open=True)


@click.command(
    "plan",
    short_help="Say how many cases are needed.",
    epilog="Example: judgekit plan --target 0.9 --drop 0.05 --repeat 3",
)
@click.option("--target", type=_INSIDE, help="The pass rate that a gate with confidence asks for.")
@click.option("--drop", type=_INSIDE, help="The fall of the pass rate that is to be noticed.")
@click.option(
    "--n", "cases", type=click.IntRange(min=1),
    help="The other direction: what so many cases can show.",
)  # fmt: skip
@click.option(
    "--run", type=click.Path(path_type=Path), metavar="RUN",
    help="An earlier run: takes rate, correlation of repeats and cost from it.",
)  # fmt: skip
@click.option("--of", "of", metavar="NAME", help="Of that run, this criterion or label.")
@click.option(
    "--rate", type=click.FloatRange(0, 1, min_open=True),
    help="The pass rate that is expected; else that of --run, else halfway from the target to 1, else 0.5.",
)  # fmt: skip
@click.option("--repeat", type=click.IntRange(min=1), default=1, show_default=True, help="Runs of each case.")
@click.option(
    "--icc", "--correlation", "icc", type=_SHARE,
    help="How alike the runs of a case are: the share of variance that lies between cases; else "
    "that of --run, else 0.4.",
)  # fmt: skip
@click.option(
    "--case-correlation", type=_SHARE, default=0.5, show_default=True,
    help="How far cases that are hard in one run are hard in the other.",
)  # fmt: skip
@click.option("--power", type=_INSIDE, default=0.8, show_default=True, help="Chance to see what is there.")
@click.option(
    "--confidence", type=_INSIDE, default=0.95, show_default=True, help="Of the gate and of intervals."
)
@click.option(
    "--half-width", type=_INSIDE,
    help="Of the interval of a pass rate corrected by human labels; else the drop.",
)  # fmt: skip
@click.option(
    "--judge-r2", type=_SHARE, default=0.0, show_default=True,
    help="Squared correlation of judge and human labels; 0 is the worst case.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
def command(run: Path | None, *, of: str | None, as_json: bool, **options: Any) -> None:
    """Say how many cases a gate, a comparison or a calibration needs. Nothing is called.

    With --n, or with nothing but --run: what so many cases can show.
    """
    from judgekit.cli.delivering import print_json
    from judgekit.cli.plan_run import earlier_run
    from judgekit.cli.plan_text import plan_lines
    from judgekit.cli.planning import asked_of, document_of
    from judgekit.cli.streams import write_out

    earlier = earlier_run(run, of=of)
    document = document_of(asked_of(earlier, **options), earlier)
    if as_json:
        print_json(document)
    else:
        write_out("\n".join(plan_lines(document)))
