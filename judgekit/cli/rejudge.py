"""`judgekit rejudge RUN`: the same evidence before another judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from judgekit.cli.options import api_base_option, report_options, running_options, wanted_judge_model_option
from judgekit.cli.runs import run_argument

__all__ = ["command"]


@click.command(
    "rejudge",
    epilog="Example: judgekit rejudge .judgekit/runs/front-desk-2026-11-30T10-00-00Z "
    "--judge-model anthropic/claude-haiku-4-5",
)
@run_argument
@wanted_judge_model_option
@api_base_option
@click.option(
    "--suite", metavar="SUITE",
    help="The suite that was run, for criteria with more than the journal holds: references, levels, panels.",
)  # fmt: skip
@running_options
@report_options
def command(run: Path | None, **options: Any) -> int:
    """Judge the replies of RUN again with another model. The agent is not called.

    RUN is a run's folder or its journal; the newest run under .judgekit/runs unless given. What no judge
    said stays as it was, and the gate is the same. With --suite its evaluators and its gate score the
    evidence. The result is a run of its own beside the old one.
    """
    from judgekit.cli.rejudging import rejudge_run

    return rejudge_run(run, **options)
