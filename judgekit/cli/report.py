"""`judgekit report RUN`: what a run came to, again and in other formats, without a call."""

from __future__ import annotations

from pathlib import Path

import click

from judgekit.cli.options import report_options
from judgekit.cli.runs import run_argument

__all__ = ["command"]


@click.command(
    "report",
    epilog="Example: judgekit report .judgekit/runs/front-desk-2026-11-30T10-00-00Z -o report.html",
)
@run_argument
@report_options
@click.option("--all", "every", is_flag=True, help="Show every attempt, not only those that did not pass.")
@click.option("--intervals", is_flag=True, help="Show the 95 % interval of each rate.")
@click.option("--most", type=click.IntRange(min=0), help="Show at most so many attempts.")
def command(
    run: Path | None,
    *,
    outputs: tuple[Path, ...],
    as_json: bool,
    every: bool,
    intervals: bool,
    most: int | None,
) -> int:
    """Print the report of RUN again, and write it in other formats. Nothing is called.

    RUN is a run's folder, its journal or a report.json; the newest run under .judgekit/runs unless given.
    A run that was killed or is still going on is reported as far as it is.
    """
    from judgekit.cli.delivering import check_outputs, deliver
    from judgekit.cli.runs import stored_result

    check_outputs(outputs)
    report = stored_result(run)
    return deliver(report, outputs=outputs, as_json=as_json, all=every, intervals=intervals, most=most)
