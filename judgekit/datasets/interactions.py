"""Recorded interactions from a file, to be scored without an agent."""

from __future__ import annotations

import os
from pathlib import Path

from judgekit.datasets.files import rows_of
from judgekit.datasets.rows import Columns, EvaluatorsOf, cases_of
from judgekit.errors import FileUnreadable
from judgekit.evaluation import EvalCase

__all__ = ["load_interactions"]


def load_interactions(
    path: str | os.PathLike[str],
    *,
    asked: str | None = None,
    reply: str | None = None,
    messages: str | None = None,
    expected: str | None = None,
    id: str | None = None,
    evaluators: EvaluatorsOf | None = None,
) -> list[EvalCase]:
    """Cases with recorded interactions, for an experiment without an agent.

    A row needs a reply, or the messages of a conversation. Rows of one id are runs of one case, in order;
    a row without an id is a case of its own, `row-<n>`. Other columns become the case's metadata.

    A list of chat messages in the place of a row is a transcript. A file of OTLP JSON holds a row a trace,
    whose columns are `trace_id` and the attributes of the trace's first span: `id="app.case"`.

    Args:
        path: JSON Lines, JSON, CSV, TSV, YAML (these also with `.gz` behind), Parquet (needs duckdb), or
            an earlier run: its folder, `journal.jsonl` or `report.json`. UTF-8; a byte order mark and
            blank lines are skipped. The values of a CSV file are text.
        asked: The column that holds what the agent was asked. Without it the column `asked` where there is
            one, else the first user message.
        reply: Likewise what it replied; with messages it wins over their last assistant text.
        messages: Likewise the conversation, as a list of chat messages or its JSON text.
        expected: Likewise what the caller compares with; it becomes `metadata["expected"]`.
        id: Likewise the case's id.
        evaluators: What a case must pass, from its first row.

    Raises:
        FileUnreadable: The file cannot be read; every bad line is named in one error.
        ExtraMissing: Parquet without duckdb, or traces without `judgekit[otel]`.
    """
    columns = Columns(asked=asked, reply=reply, messages=messages, expected=expected, id=id)
    file = Path(path)
    try:
        cases = cases_of(
            rows_of(file), columns, source=file.name, evaluators=evaluators, needs_interaction=True
        )
    except FileUnreadable as error:
        if str(error).startswith((str(file), file.name)):
            raise
        raise FileUnreadable(f"{file.name}: {error}") from error
    if not cases:
        raise FileUnreadable(f"{file.name} holds no rows")
    return cases
