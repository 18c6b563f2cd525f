"""Pairs of replies from rows, with who wrote each and which one a human chose."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from judgekit.calibrating.rows import file_rows
from judgekit.datasets.rows import BadRow, Row
from judgekit.errors import FileUnreadable, InvalidArgument
from judgekit.jsonable import json_text
from judgekit.text import one_line

__all__ = ["Choice", "ReplyPair", "load_pairs", "pairs_from"]

Choice = Literal["a", "b", "tie"]
_CHOICES: Mapping[str, Choice] = {
    "a": "a", "first": "a", "1": "a",
    "b": "b", "second": "b", "2": "b",
    "tie": "tie",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyPair:
    """Two replies to one request.

    Attributes:
        a: One reply.
        b: The other.
        asked: What both answer; "" where nobody knows.
        human: Which one a human chose: `a`, `b` or `tie`; None where nobody did.
        writer_a: The model that wrote reply a; None where not known.
        writer_b: Likewise.
        id: Of the row.
        place: Where it stands, such as `line 3`.
    """

    a: str
    b: str
    asked: str = ""
    human: Choice | None = None
    writer_a: str | None = None
    writer_b: str | None = None
    id: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Columns:
    reply: str
    other: str
    asked: str | None
    id: str | None
    label: str | None
    writer: str | None
    other_writer: str | None


def load_pairs(
    path: str | os.PathLike[str],
    *,
    reply: str = "a",
    other: str = "b",
    asked: str | None = None,
    id: str | None = None,
    label: str | None = None,
    writer: str | None = None,
    other_writer: str | None = None,
) -> tuple[ReplyPair, ...]:
    """Pairs of replies from a file of rows.

    Args:
        path: JSON Lines, JSON, CSV, TSV, YAML (these also with `.gz` behind) or Parquet (needs duckdb).
        reply: The column with one reply, reply a.
        other: The column with the other, reply b.
        asked: The column with what both answer; `asked` unless given.
        id: The column with the row's id; `id` unless given, else rows are numbered.
        label: The column with a human's choice: a, b or tie (also first and second, 1 and 2); `label` or
            `human` unless given. A 0 is refused: it is a tie to some and the first reply to others.
        writer: The column with the model that wrote reply a.
        other_writer: Likewise of reply b.

    Raises:
        FileUnreadable: The file cannot be read; every bad row is named in one error.
        ExtraMissing: Parquet without duckdb.
    """
    columns = _Columns(
        reply=reply, other=other, asked=asked, id=id, label=label, writer=writer, other_writer=other_writer
    )
    return _pairs(file_rows(Path(path)), columns, Path(path).name)


def pairs_from(
    rows: Iterable[Mapping[str, Any]],
    *,
    reply: str = "a",
    other: str = "b",
    asked: str | None = None,
    id: str | None = None,
    label: str | None = None,
    writer: str | None = None,
    other_writer: str | None = None,
) -> tuple[ReplyPair, ...]:
    """Pairs of replies from any iterable of mappings; arguments and errors are those of `load_pairs`."""
    columns = _Columns(
        reply=reply, other=other, asked=asked, id=id, label=label, writer=writer, other_writer=other_writer
    )
    found = [Row(f"row {number}", row) for number, row in enumerate(rows, start=1)]
    if not found:
        raise InvalidArgument("there are no rows; give at least one pair of replies")
    return _pairs(found, columns, "the rows")


def _pairs(rows: Sequence[Row | BadRow], columns: _Columns, source: str) -> tuple[ReplyPair, ...]:
    found: list[ReplyPair] = []
    problems: list[str] = []
    places: dict[str, str] = {}
    for number, row in enumerate(rows, start=1):
        if isinstance(row, BadRow):
            problems.append(str(row))
            continue
        try:
            pair = _pair(row, columns, number)
            if pair.id in places:
                raise BadRow(f"id {pair.id!r} was in {places[pair.id]} already")
            places[pair.id] = row.place
            found.append(pair)
        except BadRow as error:
            problems.append(f"{row.place}: {error}")
    if problems:
        raise FileUnreadable("\n  ".join([f"{source} cannot be read as pairs of replies:", *problems]))
    return tuple(found)


def _pair(row: Row, columns: _Columns, number: int) -> ReplyPair:
    values = row.values
    texts = [_text(_under(values, column)) for column in (columns.reply, columns.other)]
    for column, text in zip((columns.reply, columns.other), texts, strict=True):
        if text is None or not text.strip():
            raise BadRow(f"{column!r} holds no reply")
    label = columns.label or next((name for name in ("label", "human") if name in values), None)
    return ReplyPair(
        a=texts[0] or "",
        b=texts[1] or "",
        asked=_text(_named(values, columns.asked, "asked")) or "",
        human=None if label is None else _choice(_under(values, label)),
        writer_a=None if columns.writer is None else _text(_under(values, columns.writer)),
        writer_b=None if columns.other_writer is None else _text(_under(values, columns.other_writer)),
        id=_text(_named(values, columns.id, "id")) or f"row-{number}",
        place=row.place,
    )


def _named(values: Mapping[str, Any], column: str | None, usual: str) -> Any:
    return values.get(usual) if column is None else _under(values, column)


def _under(values: Mapping[str, Any], column: str) -> Any:
    if column not in values:
        raise BadRow(f"no {column!r}; it has {sorted(map(str, values))}")
    return values[column]


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) or value is None else json_text(value)


def _choice(value: Any) -> Choice | None:
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    known = None if isinstance(value, bool) else _CHOICES.get(str(value).strip().casefold())
    if known is None:
        raise BadRow(f"{one_line(str(value), 40)!r} is no choice; write a, b or tie")
    return known
