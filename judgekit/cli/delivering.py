"""How a report leaves the command line: to files, to stdout, and as an exit code."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from judgekit.cli.exits import EXIT_CODES
from judgekit.cli.mistakes import Mistake
from judgekit.cli.streams import quiet_stdout, terminal_width, write_out
from judgekit.reporting import EvalReport
from judgekit.reporting.formats import format_for

if TYPE_CHECKING:
    from judgekit.swapping import SwapReport

__all__ = ["check_outputs", "check_writable", "deliver", "print_json"]


def check_outputs(outputs: Sequence[Path]) -> None:
    """Refuse before a run what would lose its report after it.

    Raises:
        Mistake: A file that cannot be written.
        InvalidArgument: No format has the file's suffix.
    """
    for path in outputs:
        format_for(path)
        check_writable(path)


def check_writable(path: Path) -> None:
    """Refuse a file that could not be written; its folder is made.

    Raises:
        Mistake: It is a folder, or its folder cannot be made or written.
    """
    if path.is_dir():
        raise Mistake(f"-o {path} is a folder; name a file in it")
    folder = path.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Mistake(f"-o {path}: the folder {folder} cannot be made: {error.strerror}") from error
    if not os.access(folder, os.W_OK):
        raise Mistake(f"-o {path}: the folder {folder} may not be written")


def deliver(
    report: EvalReport | SwapReport,
    *,
    outputs: Sequence[Path],
    as_json: bool,
    all: bool = False,
    intervals: bool = False,
    most: int | None = None,
) -> int:
    """Write the report to its files and to stdout; the exit code of its gate.

    Args:
        report: What a run came to.
        outputs: Files, each in the format of its suffix.
        as_json: JSON on stdout, nothing else.
        all: Every attempt in the text, not only those that did not pass.
        intervals: The interval of each rate in the text; that of a provider swap always has them.
        most: At most so many attempts in the text.
    """
    for path in outputs:
        report.write(path)
    if as_json:
        with quiet_stdout(encoding="utf-8") as stream:
            _write_json(report, stream)
    elif isinstance(report, EvalReport):
        write_out(report.render(all=all, intervals=intervals, most=most))
    else:
        write_out(report.render(all=all, most=most, width=terminal_width()))
    return EXIT_CODES[report.decision.outcome]


def _write_json(report: EvalReport | SwapReport, stream: TextIO) -> None:
    if isinstance(report, EvalReport):
        from judgekit.reporting.json_file import write

        write(report, stream)
    else:
        stream.write(report.render("json"))


def print_json(document: Any) -> None:
    """One JSON document on stdout, in UTF-8 whatever the locale."""
    with quiet_stdout(encoding="utf-8") as stream:
        stream.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")
