"""CSV (RFC 4180) for spreadsheets and data frames: one row a result."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

from judgekit.evaluation import EvalResult
from judgekit.reporting.shown import shown
from judgekit.results import CaseResult

if TYPE_CHECKING:
    from judgekit.reporting.report import EvalReport

__all__ = ["COLUMNS", "write"]

COLUMNS = (
    "case",
    "run",
    "attempt_outcome",
    "label",
    "criterion",
    "outcome",
    "kind",
    "cause",
    "score",
    "threshold",
    "detail",
    "asked",
    "reply",
    "tools_called",
    "latency",
    "input_tokens",
    "output_tokens",
    "cost",
    "judges",
    "judge_cost",
)

# A cell of the common spreadsheets holds 32,767.
_CELL_LIMIT = 32_000
# What makes a spreadsheet read a cell as a formula, in its full-width spelling too.
_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r\n]")


def write(report: EvalReport, stream: TextIO) -> None:
    """Write a head line and one line a result; an attempt without results has one line of its own.

    Text that a spreadsheet would run as a formula starts with an apostrophe.
    """
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for attempt in report.results:
        before, after = _attempt(attempt)
        for result in attempt.results or (None,):
            writer.writerow([*before, *_result(result), *after, *_judging(result)])


def _cell(text: str | None) -> str:
    cell = shown(text or "", _CELL_LIMIT)
    return f"'{cell}" if _FORMULA.match(cell) else cell


def _attempt(attempt: CaseResult) -> tuple[list[object], list[object]]:
    """The cells of an attempt before and after those of a result."""
    evidence = attempt.interaction
    return (
        [_cell(attempt.case_id), attempt.run, attempt.outcome.value],
        [
            _cell(evidence.asked()),
            _cell(evidence.reply),
            _cell(" → ".join(call.name for call in evidence.tool_calls or ())),
            evidence.latency,
            evidence.input_tokens,
            evidence.output_tokens,
            evidence.cost,
        ],
    )


def _result(result: EvalResult | None) -> Iterator[object]:
    if result is None:
        yield from [None] * 8
        return
    yield _cell(result.label)
    yield _cell(result.name)
    yield result.outcome.value
    yield result.kind.value if result.kind else None
    yield _cell(result.cause)
    yield result.score
    yield result.threshold
    yield _cell(result.detail)


def _judging(result: EvalResult | None) -> tuple[object, object]:
    measured = result.measurements if result else ()
    known = [one.cost for one in measured if one.cost is not None]
    models = dict.fromkeys(one.model for one in measured)
    return _cell(", ".join(models)), sum(known) if known else None
