"""`judgekit compare BASELINE NEW`: what changed between two runs, and whether it is more than chance."""

from __future__ import annotations

from pathlib import Path

import click

from judgekit.cli.options import report_options

__all__ = ["command"]

_INSIDE = click.FloatRange(0, 1, min_open=True, max_open=True)


@click.command(
    "compare",
    epilog="Exit codes: 0 IMPROVED or EQUIVALENT, 1 REGRESSED, 3 UNDERPOWERED or no verdict. "
    "Example: judgekit compare main/report.json branch/report.json --max-drop 0.05",
)
@click.argument("baseline", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option(
    "--max-drop", type=_INSIDE, metavar="SHARE",
    help="A rate or mean score may fall by so much; without it EQUIVALENT cannot be shown.",
)  # fmt: skip
@click.option(
    "--level", type=_INSIDE, metavar="SHARE", default=0.95, show_default=True,
    help="Confidence of the intervals; verdicts hold at 1 less this.",
)  # fmt: skip
@click.option(
    "--cluster-by", metavar="REGEX",
    help="Cases whose ids have the same match, or the same first group, belong together. Or tag:PREFIX: "
    "those with the same tag that begins with PREFIX.",
)  # fmt: skip
@report_options
def command(
    baseline: Path,
    new: Path,
    *,
    max_drop: float | None,
    level: float,
    cluster_by: str | None,
    outputs: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Hold the run NEW against the run BASELINE, before and after. Nothing is called.

    Attempts are paired by case id and run. Each is a run's folder, its journal or a report.json. A FILE
    may end in .html (side by side), .md, .json or .txt.
    """
    from judgekit.cli.comparing import compare

    return compare(
        baseline,
        new,
        max_drop=max_drop,
        level=level,
        cluster_by=cluster_by,
        outputs=outputs,
        as_json=as_json,
    )
