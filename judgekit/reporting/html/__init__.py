"""HTML: one file that opens from disk, asks for nothing, and shows a run or two runs side by side."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from judgekit.reporting.html.comparing import comparison_view
from judgekit.reporting.html.page import rendered
from judgekit.reporting.html.summary import report_view

if TYPE_CHECKING:
    from judgekit.comparing import RunComparison
    from judgekit.reporting.report import EvalReport

__all__ = ["render_comparison", "write", "write_comparison"]


def write(report: EvalReport, stream: TextIO) -> None:
    """Write the page of one report."""
    stream.write(rendered("report.html.j2", **report_view(report)))


def render_comparison(
    before: EvalReport, after: EvalReport, *, comparison: RunComparison | None = None
) -> str:
    """The page of two reports side by side: what changed, and the attempts of each case and run.

    Args:
        before: The baseline, shown on the left.
        after: The run held against it, shown on the right; its cases give the order.
        comparison: What `after.compare(before, ...)` gave; None: with its defaults.
    """
    found = after.compare(before) if comparison is None else comparison
    return rendered("compare.html.j2", **comparison_view(before, after, found))


def write_comparison(
    before: EvalReport,
    after: EvalReport,
    path: str | os.PathLike[str],
    *,
    comparison: RunComparison | None = None,
) -> Path:
    """Write `render_comparison` to a file in UTF-8; folders are made."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    text = render_comparison(before, after, comparison=comparison)
    target.write_text(text, encoding="utf-8", newline="\n")
    return target
