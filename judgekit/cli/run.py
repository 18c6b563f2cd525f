"""`judgekit run SUITE`: what it takes, and its help."""

from __future__ import annotations

from typing import Any

import click

from judgekit.cli.options import judge_model_option, report_options, running_options, selecting_options

__all__ = ["command"]


@click.command(
    "run",
    epilog="Example: judgekit run examples/order_agent/suite.py -k refund --repeat 3 -o report.json",
)
@click.argument("suite")
@click.option("--model", help="The agent's model, for a suite whose `experiment(model=None)` takes one.")
@judge_model_option
@click.option("--repeat", type=click.IntRange(min=1), help="Run every case so many times.")
@selecting_options
@running_options
@click.option(
    "--stop-early", is_flag=True, help="Run cases in random order, and stop once the gate is decided."
)
@click.option("--dry-run", is_flag=True, help="Only say what would be called, and what it may cost.")
@report_options
def command(suite: str, **options: Any) -> int:
    """Run the experiment in SUITE and print its report.

    SUITE is a Python file or a module, with :NAME behind it where it holds several experiments. It holds
    an ExperimentRunner or a ProviderSwap, or a function experiment(model=None, judge_model=None) that
    returns one. Or it is a YAML file.
    """
    # Asking for the help must not load what a run needs.
    from judgekit.cli.running import run_suite

    return run_suite(suite, **options)
