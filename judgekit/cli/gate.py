"""`judgekit gate RUN`: decide a finished run again, by its own gate or by another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from judgekit.cli.gates import gate_options
from judgekit.cli.runs import run_argument

if TYPE_CHECKING:
    from judgekit.gate import Gate
    from judgekit.store import StoredRun

__all__ = ["command"]


@click.command(
    "gate", epilog="Example: judgekit gate --pass-rate 0.9 --pass-rate polite=0.95 --no-target-failures"
)
@run_argument
@gate_options
@click.option("--json", "as_json", is_flag=True, help="Print the decision as JSON instead of text.")
def command(run: Path | None, *, as_json: bool, **options: Any) -> int:
    """Decide RUN again, without a call. Without options by the run's own gate.

    RUN is a run's folder or its journal; the newest run under .judgekit/runs unless given. NAME is a
    criterion or a label as the report shows it, such as tool-arguments.
    """
    from judgekit.cli.delivering import print_json
    from judgekit.cli.exits import EXIT_CODES
    from judgekit.cli.gates import gate_from
    from judgekit.cli.runs import stored_run
    from judgekit.cli.streams import write_out
    from judgekit.reporting.text import gate_line

    asked = gate_from(**options)
    stored = stored_run(run)
    gate = stored.gate if asked is None else _fitting(asked, stored)
    decision = gate.decide(stored.results)
    if as_json:
        outcome = {"outcome": decision.outcome.value, "detail": decision.detail}
        print_json({"name": stored.head.name, "gate": gate.to_json(), **outcome})
    else:
        write_out(gate_line(decision))
    return EXIT_CODES[decision.outcome]


def _fitting(gate: Gate, stored: StoredRun) -> Gate:
    """The gate, once everything that it names is known to be in the run."""
    from judgekit.cli.mistakes import Mistake

    required = [one for found in stored.head.requirement_sets for one in found]
    labels = dict.fromkeys([*(label for label, _ in required), *stored.results.labels()])
    criteria = dict.fromkeys([*(name for _, name in required if name), *stored.results.criteria])
    head = stored.head
    problems = gate.problems(labels=labels, criteria=criteria, tags=head.tags, case_runs=head.case_runs)
    if problems:
        raise Mistake(*problems)
    return gate
