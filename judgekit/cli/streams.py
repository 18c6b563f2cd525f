"""Standard streams that take any text, and a stdout that machines can read."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
from collections.abc import Iterator
from typing import TextIO, cast

from judgekit.cli.mistakes import Mistake

__all__ = [
    "draws_blocks",
    "only_json_on_stdout",
    "prepare_streams",
    "quiet_stdout",
    "terminal_width",
    "write_out",
]


def prepare_streams() -> None:
    """Let stdout and stderr take every character.

    An ASCII stream, as under `LC_ALL=C`, becomes UTF-8. Any other encoding is the user's choice and
    stays; what it cannot show is written as an escape.
    """
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is None:
            continue
        if stream.encoding.lower() in ("ascii", "us-ascii", "ansi_x3.4-1968", "646"):
            reconfigure(encoding="utf-8")
        reconfigure(errors="backslashreplace")


def draws_blocks() -> bool:
    """Whether the user's locale says UTF-8, so that block elements can be drawn."""
    chosen = next((value for name in ("LC_ALL", "LC_CTYPE", "LANG") if (value := os.environ.get(name))), "")
    return "utf" in chosen.lower()


def terminal_width() -> int | None:
    """The columns of the terminal, or of `COLUMNS`; None where stdout is no terminal and nothing is said."""
    return shutil.get_terminal_size((0, 0)).columns or None


def write_out(text: str) -> None:
    """Write `text` and a line end to stdout."""
    with quiet_stdout() as stream:
        print(text, file=stream)


@contextlib.contextmanager
def quiet_stdout(*, encoding: str | None = None) -> Iterator[TextIO]:
    """Stdout, in `encoding` where one is given; a reader that went away, as `head` does, is no error.

    Raises:
        Mistake: It cannot be written, such as to a disk that is full.
    """
    if sys.stdout is None:
        yield io.StringIO()
        return
    stream = sys.stdout
    try:
        stream.flush()
        if encoding is not None:
            stream.reconfigure(encoding=encoding, errors="strict", newline="\n")  # type: ignore[union-attr]
        yield stream
        stream.flush()
    except BrokenPipeError:
        _discard_stdout()
    except OSError as error:
        if error.filename is not None:
            raise
        _discard_stdout()
        raise Mistake(f"stdout cannot be written: {error.strerror}") from error


def _discard_stdout() -> None:
    # The interpreter flushes stdout once more when it exits, and would complain about the pipe then.
    with contextlib.suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


@contextlib.contextmanager
def only_json_on_stdout(wanted: bool) -> Iterator[None]:
    """While the suite runs, send whatever it and its child processes print on stdout to stderr."""
    if not wanted or sys.stdout is None:
        yield
        return
    sys.stdout.flush()
    saved = os.dup(1)
    try:
        if sys.stderr is None:
            _discard_stdout()
        else:
            os.dup2(2, 1)
        yield
    finally:
        with contextlib.suppress(OSError, ValueError):
            cast("TextIO", sys.stdout).flush()
        os.dup2(saved, 1)
        os.close(saved)
