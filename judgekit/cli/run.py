"""`judgekit run SUITE`: what it takes, and its help."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

__all__ = ["command"]


@click.command(
    "run",
    epilog="Example: judgekit run examples/order_agent/suite.py -k refund --repeat 3 -o report.json",
)
@click.argument("suite")
@click.option("--model", help="The agent's model, for a suite whose `experiment(model=None)` takes one.")
@click.option("--judge-model", help="Judge with this model, as a litellm string such as openai/gpt-5-mini.")
@click.option("--repeat", type=click.IntRange(min=1), help="Run every case so many times.")
@click.option("-j", "--concurrency", type=click.IntRange(min=1), help="So many attempts at once.")
@click.option(
    "-k", "texts", metavar="TEXT", multiple=True, help="Only cases whose id holds TEXT; repeatable."
)
@click.option("-n", "--limit", type=click.IntRange(min=1), help="Only the first so many cases.")
@click.option("--max-cost", type=click.FloatRange(min=0), help="Spend at most so many US dollars.")
@click.option("--resume", metavar="PATH", help="Go on with the run of this folder or journal.")
@click.option(
    "-o", "--output", "outputs", metavar="FILE", multiple=True, type=click.Path(path_type=Path),
    help="Also write the report to FILE, in the format of its suffix; repeatable.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON instead of text.")
def command(suite: str, **options: Any) -> int:
    """Run the experiment in SUITE and print its report.

    SUITE is a Python file or a module, with :NAME behind it where it holds several experiments. It holds
    an ExperimentRunner, or a function experiment(model=None, judge_model=None) that returns one.
    """
    # Asking for the help must not load what a run needs.
    from judgekit.cli.running import run_suite

    return run_suite(suite, **options)
