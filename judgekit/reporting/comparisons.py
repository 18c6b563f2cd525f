"""The files that a comparison of two runs is written to, by suffix."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from judgekit.comparing import RunComparison
from judgekit.errors import InvalidArgument
from judgekit.jsonable import json_line
from judgekit.reporting.report import EvalReport

__all__ = ["check_comparison_file", "comparison_json", "write_comparison"]

Writer: TypeAlias = "Callable[[RunComparison, EvalReport, EvalReport], str]"


def comparison_json(comparison: RunComparison) -> str:
    """The comparison as one JSON document (RFC 8259)."""
    return json_line(comparison.to_json()) + "\n"


def _html(comparison: RunComparison, new: EvalReport, baseline: EvalReport) -> str:
    from judgekit.reporting.html import render_comparison

    return render_comparison(baseline, new, comparison=comparison)


def _markdown(comparison: RunComparison, new: EvalReport, baseline: EvalReport) -> str:
    from judgekit.reporting.comparison_markdown import comparison_markdown

    return comparison_markdown(comparison)


_WRITERS: dict[str, Writer] = {
    ".html": _html,
    ".htm": _html,
    ".md": _markdown,
    ".json": lambda comparison, new, baseline: comparison_json(comparison),
    ".txt": lambda comparison, new, baseline: comparison.render() + "\n",
}


def check_comparison_file(path: Path) -> Writer:
    """What writes a file of this suffix.

    Raises:
        InvalidArgument: Nothing does; the known suffixes are listed.
    """
    writer = _WRITERS.get(path.suffix.lower())
    if writer is None:
        known = ", ".join(_WRITERS)
        raise InvalidArgument(f"a comparison is written by its suffix, one of {known}; got {path.name!r}")
    return writer


def write_comparison(
    comparison: RunComparison, path: str | os.PathLike[str], *, new: EvalReport, baseline: EvalReport
) -> Path:
    """Write a comparison in the format of the file's suffix, in UTF-8; folders are made.

    Args:
        comparison: What `new.compare(baseline)` gave.
        path: The file: `.html` (both runs side by side), `.md`, `.json` or `.txt`.
        new: The run that was judged.
        baseline: The run that it was held against.

    Raises:
        InvalidArgument: No format has this suffix; the known ones are listed.
    """
    target = Path(path)
    text = check_comparison_file(target)(comparison, new, baseline)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8", newline="\n")
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return target
