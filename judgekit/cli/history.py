"""`judgekit history`: what the runs of a folder came to, one after the other."""

from __future__ import annotations

from pathlib import Path

import click

from judgekit.cli.runs import RUNS

__all__ = ["command"]


@click.command("history", epilog="Example: judgekit history --name front-desk --of polite -o history.html")
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option("--name", metavar="EXPERIMENT", help="Only the runs of this experiment.")
@click.option("--of", metavar="NAME", help="Only the rates of this criterion or label.")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(min=1),
    help="Only the newest so many runs of each; the text lists 10 unless told otherwise.",
)
@click.option(
    "-o", "--output", "outputs", metavar="FILE", multiple=True, type=click.Path(path_type=Path),
    help="Also write it to FILE, in the format of its suffix; repeatable.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
def command(
    folder: Path | None,
    *,
    name: str | None,
    of: str | None,
    limit: int | None,
    outputs: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Show how the rates of each experiment went from run to run. Nothing is called.

    FOLDER holds the runs; .judgekit/runs unless given. For each run: new failures, fixed and flaky cases,
    cost, and what changed: a run by another agent or before another judge is marked, since its rates and
    those before are not one trend. A FILE may end in .html, .md, .json or .txt.
    """
    from judgekit.cli.delivering import check_writable, print_json
    from judgekit.cli.mistakes import Mistake
    from judgekit.cli.streams import draws_blocks, write_out
    from judgekit.history import read_history
    from judgekit.history.model import check_history_file
    from judgekit.history.text import rendered

    for path in outputs:
        check_history_file(path)
        check_writable(path)
    place = RUNS if folder is None else folder
    if folder is None and not place.is_dir():
        raise Mistake(
            f"there is no run under {place}; name a folder of runs, or begin one with `judgekit run`"
        )
    found = read_history(place, name=name, of=of, limit=limit)
    for path in outputs:
        found.write(path)
    if as_json:
        print_json(found.to_json())
    else:
        write_out(rendered(found, blocks=draws_blocks(), most=limit or 10))
