"""The `judgekit` command: its group, and what every command shares: streams, mistakes, exit codes."""

from __future__ import annotations

import gc
import os
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

import click

from judgekit.cli import (
    calibrate,
    compare,
    evaluators,
    gate,
    history,
    init,
    plan,
    probe,
    prompts,
    rejudge,
    reliability,
    report,
    run,
    score,
    validate,
)
from judgekit.cli.exits import BROKEN, INTERRUPTED, WRONG_USE
from judgekit.cli.mistakes import USER_ERRORS, Interrupted, Mistake, problems_of, say, warn_in_one_line
from judgekit.cli.streams import prepare_streams

__all__ = ["cli", "main"]


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 the gate passed, 1 it failed, 2 wrong use, 3 inconclusive, 130 interrupted.",
)
@click.version_option(package_name="judgekit-evals", prog_name="judgekit", message="%(prog)s %(version)s")
def cli() -> None:
    """Evaluate LLM agents: checks and model judges in one gated report.

    Start with `judgekit init`, which writes a first suite.

    Example: judgekit run examples/order_agent/suite.py
    """


for _module in (
    run,
    score,
    report,
    rejudge,
    compare,
    history,
    gate,
    plan,
    validate,
    calibrate,
    reliability,
    probe,
    evaluators,
    prompts,
    init,
):
    cli.add_command(_module.command)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code; `arguments` default to the process's own."""
    prepare_streams()
    warn_in_one_line()
    # litellm reads both when it is imported: without them it fetches prices and loads a stray .env.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
    code = _code(arguments)
    # The interpreter's last collection would visit what litellm's import leaves: seconds, for nothing.
    gc.freeze()
    sys.exit(code)


def _code(arguments: Sequence[str] | None) -> int:
    try:
        result = cli.main(args=arguments, prog_name="judgekit", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        say(error.format_message())
        return WRONG_USE
    except Mistake as error:
        return _mistaken(*error.problems)
    except click.ClickException as error:
        return _mistaken(error.format_message() + _help_hint(error))
    except (KeyboardInterrupt, click.Abort, Interrupted) as error:
        say(f"judgekit: interrupted{error if isinstance(error, Interrupted) else ''}")
        return INTERRUPTED
    except USER_ERRORS as error:
        return _mistaken(*problems_of(error))
    except Exception as error:  # noqa: BLE001 - a bug of ours, which must not look like a failed gate
        if isinstance(error, OSError) and error.filename is not None:
            return _mistaken(f"{error.filename}: {error.strerror}")
        traceback.print_exc()
        return BROKEN
    return result if isinstance(result, int) else 0


def _mistaken(*problems: str) -> int:
    for problem in problems:
        say(f"judgekit: {problem}")
    return WRONG_USE


def _help_hint(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    return f" See `{context.command_path} --help`." if context else ""
