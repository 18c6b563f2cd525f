"""Labelled replies from a file or from any rows: pass or fail, scores, or levels, by one rater or several."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from judgekit.calibrating.labelled import Labels
from judgekit.calibrating.rows import LabelColumns, file_rows, read_labels
from judgekit.datasets.rows import BadRow, Columns, Row
from judgekit.errors import InvalidArgument
from judgekit.judging import Scale

__all__ = ["labels_from", "load_labels"]


def load_labels(
    path: str | os.PathLike[str],
    *,
    asked: str | None = None,
    reply: str | None = None,
    messages: str | None = None,
    id: str | None = None,
    label: str | Sequence[str] | None = None,
    rater: str | None = None,
    group: str | None = None,
    system: str | None = None,
    verdict: str | None = None,
    scale: Scale | None = None,
    passes_at: float | None = None,
) -> Labels:
    """Labelled replies from a file of rows.

    A label is pass or fail (also yes and no, true and false, 1 and 0), a score from 0 to 1, or the name of
    a level of `scale`; with `passes_at` any number. A row without a label belongs to the population that
    only the judge sees. Several raters stand in several columns, in one column that holds a list or a
    mapping, or in several rows of one id with their names in the column `rater`.

    Args:
        path: JSON Lines, JSON, CSV, TSV, YAML (these also with `.gz` behind) or Parquet (needs duckdb).
        asked: The column with what was asked; `asked` unless given.
        reply: Likewise the reply. A file without replies serves verdicts that are stored.
        messages: Likewise the conversation.
        id: Likewise the row's id; rows are numbered without one. A column `run` says which run of a case
            a row is.
        label: Likewise the human label, one column or several; `label` or `human` unless given.
            An empty list reads none.
        rater: Likewise who labelled.
        group: Likewise what was answered, for rank agreement within groups.
        system: Likewise who answered, for rank agreement of systems.
        verdict: The column with a judge's own verdict, as pass or fail or as a score. Then nobody is asked.
        scale: The criterion's scale, where labels are the names of its levels.
        passes_at: A label of at least this is a pass; labels may then be any numbers.

    Raises:
        FileUnreadable: The file cannot be read; every bad row is named in one error.
        InvalidArgument: Two raters, or the labels and the verdicts, share no coding.
        ExtraMissing: Parquet without duckdb.
    """
    file = Path(path)
    columns = LabelColumns.of(
        Columns(asked=asked, reply=reply, messages=messages, id=id),
        label=label, rater=rater, group=group, system=system, verdict=verdict,
    )  # fmt: skip
    return read_labels(file_rows(file), columns, scale, passes_at, source=file.name)


def labels_from(
    rows: Iterable[Mapping[str, Any]],
    *,
    asked: str | None = None,
    reply: str | None = None,
    messages: str | None = None,
    id: str | None = None,
    label: str | Sequence[str] | None = None,
    rater: str | None = None,
    group: str | None = None,
    system: str | None = None,
    verdict: str | None = None,
    scale: Scale | None = None,
    passes_at: float | None = None,
) -> Labels:
    """Labelled replies from any iterable of mappings; arguments and errors are those of `load_labels`."""
    columns = LabelColumns.of(
        Columns(asked=asked, reply=reply, messages=messages, id=id),
        label=label, rater=rater, group=group, system=system, verdict=verdict,
    )  # fmt: skip
    found: list[Row | BadRow] = [
        Row(f"row {number}", row)
        if isinstance(row, Mapping)
        else BadRow(f"row {number}: it must be a mapping, got {type(row).__name__}")
        for number, row in enumerate(rows, start=1)
    ]
    if not found:
        raise InvalidArgument("there are no rows; give at least one labelled reply")
    return read_labels(found, columns, scale, passes_at, source="the rows")
