"""How mistakes of the user are told: one line each on stderr, no traceback, exit code 2."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from types import TracebackType
from typing import Any

import click

from judgekit.errors import ExtraMissing, FileUnreadable, InvalidArgument, InvalidPlan, ProviderError
from judgekit.text import first_line, one_line, visible

__all__ = [
    "LINE_LIMIT",
    "USER_ERRORS",
    "Interrupted",
    "Mistake",
    "problems_of",
    "say",
    "warn_in_one_line",
    "where",
]

LINE_LIMIT = 2000
"""A line about a mistake may be long: it says what to write instead."""

USER_ERRORS = (InvalidArgument, FileUnreadable, ExtraMissing, ProviderError)
"""Errors of judgekit that say what the user can mend; anything else is a bug and keeps its traceback."""

# A column that no row has is a problem of each row of a file.
_MOST_PROBLEMS = 100
_PACKAGE = Path(__file__).resolve().parents[1]


class Mistake(click.ClickException):
    """Something that the user can mend; `problems` are lines of their own."""

    exit_code = 2

    def __init__(self, *problems: str) -> None:
        self.problems = tuple(one_line(problem, LINE_LIMIT) for problem in problems)
        super().__init__("\n".join(self.problems))


class Interrupted(Exception):
    """Ctrl-C ended a run; the text says how to go on, or is empty."""


def say(line: str) -> None:
    """Write a line for people on stderr; a stderr that is gone is no reason to fail."""
    try:
        print(visible(line), file=sys.stderr, flush=True)
    except (OSError, ValueError):
        return


def warn_in_one_line() -> None:
    """Show warnings of judgekit's own kinds as one line, without the source line that raised them.

    What litellm leaves unawaited when a call is cancelled is no matter of the user's.
    """
    left = r"coroutine '[\w.]*completion\w*' was never awaited"
    warnings.filterwarnings("ignore", left, RuntimeWarning)
    usual = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *place: Any, **options: Any) -> None:
        if category.__module__.partition(".")[0] == "judgekit":
            say(f"judgekit: warning: {one_line(str(message), LINE_LIMIT)}")
        else:
            usual(message, category, *place, **options)

    warnings.showwarning = show


def problems_of(error: BaseException) -> tuple[str, ...]:
    """What an error of ours says, one line a problem, the first hundred of them."""
    if isinstance(error, InvalidPlan):
        return error.problems
    lines = tuple(str(error).splitlines()) or (first_line(error),)
    left_out = len(lines) - _MOST_PROBLEMS
    return lines if left_out <= 0 else (*lines[:_MOST_PROBLEMS], f"  and {left_out} more")


def where(error: BaseException, folder: Path) -> str:
    """`file:line` of the user's code that raised: the deepest frame under `folder`, else of anyone but us."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_shown(error.filename)}:{error.lineno or 1}"
    frames = list(_frames(error.__traceback__))
    own = [frame for frame in frames if _is_under(frame[0], folder)]
    others = [frame for frame in frames if not _is_machinery(frame[0])]
    chosen = (own or others or frames)[-1:]
    return "".join(f"{_shown(name)}:{line}" for name, line in chosen)


def _frames(trace: TracebackType | None) -> list[tuple[str, int]]:
    found = []
    while trace is not None:
        found.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    return found


def _is_under(filename: str, folder: Path) -> bool:
    path = Path(filename)
    return path.is_absolute() and path.is_relative_to(folder) and "site-packages" not in path.parts


def _is_machinery(filename: str) -> bool:
    return filename.startswith("<frozen ") or _PACKAGE in Path(filename).parents


def _shown(filename: str) -> str:
    path = Path(filename)
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return filename
