"""`judgekit validate SUITE`: every check that a run begins with, and no call."""

from __future__ import annotations

import click

from judgekit.cli.options import judge_model_option

__all__ = ["command"]


@click.command("validate", epilog="Example: judgekit validate examples/order_agent/suite.py")
@click.argument("suite")
@click.option("--model", help="The agent's model, as in `judgekit run`.")
@judge_model_option
@click.option("--json", "as_json", is_flag=True, help="Print what the suite holds as JSON instead of text.")
def command(suite: str, *, model: str | None, judge_model: str | None, as_json: bool) -> int:
    """Check SUITE as `judgekit run` would, and say what it holds. Nothing is called or written.

    Every problem is a line of its own, and the exit code is 2. A suite's own code is imported.
    """
    from judgekit.cli.delivering import print_json
    from judgekit.cli.outlining import document_of, outline_lines
    from judgekit.cli.running import plan_of
    from judgekit.cli.streams import only_json_on_stdout, write_out

    with only_json_on_stdout(as_json):
        outline = plan_of(suite, model, judge_model).outline()
    if as_json:
        print_json(document_of(outline))
    else:
        write_out("\n".join(outline_lines(outline)))
    return 0
