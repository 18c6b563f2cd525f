"""HTML: one file that opens from disk, asks for nothing, and shows a run or two runs side by side."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from judgekit.reporting.html.comparing import comparison_view
from judgekit.reporting.html.page import rendered
from judgekit.reporting.html.summary import report_view

if TYPE_CHECKING:
    from judgekit.reporting.report import EvalReport

__all__ = ["render_comparison", "write", "write_comparison"]


def write(report: EvalReport, stream: TextIO) -> None:
    """Write the page of one report."""
    stream.write(rendered("report.html.j2", **report_view(report)))


def render_comparison(before: EvalReport, after: EvalReport) -> str:
    """The page of two reports side by side: rates, and each attempt beside that of the same case and run.

    Args:
        before: Shown on the left.
        after: Shown on the right; its cases give the order.
    """
    return rendered("compare.html.j2", **comparison_view(before, after))


def write_comparison(before: EvalReport, after: EvalReport, path: str | os.PathLike[str]) -> Path:
    """Write `render_comparison` to a file in UTF-8; folders are made."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(render_comparison(before, after), encoding="utf-8", newline="\n")
    return target
