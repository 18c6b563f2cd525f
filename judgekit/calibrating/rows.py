"""Rows to labelled replies, with every bad row named at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from judgekit.calibrating.coding import check_coding, label_value, range_problem
from judgekit.calibrating.labelled import LabelledReply, Labels
from judgekit.checking import is_finite_number
from judgekit.datasets.files import rows_of
from judgekit.datasets.rows import BadRow, Columns, Row, cases_of
from judgekit.errors import FileUnreadable, InvalidArgument
from judgekit.interaction import Interaction
from judgekit.jsonable import json_text
from judgekit.judging import Scale, Score

__all__ = ["LabelColumns", "file_rows", "read_labels"]

_LABEL_NAMES = ("label", "human")
_RUN_DIGITS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelColumns:
    """The names of the columns; None: the usual name, where a row has it.

    Attributes:
        reply: Those that a reply is read from.
        label: The human labels; None: `label` or `human`; empty: none is read.
        rater: Who labelled.
        group: What was answered.
        system: Who answered.
        verdict: A judge's verdict; None: there is none.
    """

    reply: Columns
    label: tuple[str, ...] | None = None
    rater: str | None = None
    group: str | None = None
    system: str | None = None
    verdict: str | None = None

    @classmethod
    def of(cls, reply: Columns, *, label: str | Sequence[str] | None, **names: str | None) -> LabelColumns:
        """The columns as a user names them.

        Raises:
            InvalidArgument: Something is no name of a column.
        """
        labels = (label,) if isinstance(label, str) else None if label is None else tuple(label)
        for name, value in names.items():
            if value is not None and (not isinstance(value, str) or not value):
                raise InvalidArgument(f"`{name}` must be the name of a column, got {value!r}")
        given = labels or ()
        if not all(isinstance(one, str) and one for one in given) or len(set(given)) < len(given):
            raise InvalidArgument(f"`label` must be names of columns, each once, got {label!r}")
        return cls(reply=reply, label=labels, **names)

    def text(self, values: Mapping[str, Any], name: str) -> str | None:
        """The text under a column; None where an unnamed column is absent, or the value is."""
        column = getattr(self, name)
        value = values.get(name) if column is None else _under(values, column)
        return value if isinstance(value, str) or value is None else json_text(value)

    def label_cells(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """What stands in the columns of labels, by column."""
        if self.label is not None:
            return {column: _under(values, column) for column in self.label}
        usual = next((name for name in _LABEL_NAMES if name in values), None)
        return {} if usual is None else {usual: values[usual]}


@dataclass(slots=True)
class _Read:
    """A row whose labels are read."""

    row: Row
    id: str | None
    run: int
    labels: dict[str, bool | float]
    verdict: bool | float | None
    group: str | None
    system: str | None
    interaction: Interaction | None = None


def file_rows(path: Path) -> list[Row | BadRow]:
    """The rows of a file.

    Raises:
        FileUnreadable: It cannot be read, or holds none.
        ExtraMissing: Parquet without duckdb.
    """
    try:
        rows = list(rows_of(path))
    except FileUnreadable as error:
        if str(error).startswith((str(path), path.name)):
            raise
        raise FileUnreadable(f"{path.name}: {error}") from error
    if not rows:
        raise FileUnreadable(f"{path.name} holds no rows")
    return rows


def read_labels(
    rows: Sequence[Row | BadRow],
    columns: LabelColumns,
    scale: Scale | None,
    passes_at: float | None,
    *,
    source: str,
) -> Labels:
    """The labelled replies of rows.

    Raises:
        FileUnreadable: Naming every bad row.
        InvalidArgument: The labels share no coding, or `passes_at` is no number.
    """
    if passes_at is not None and not is_finite_number(passes_at):
        raise InvalidArgument(f"`passes_at` must be a finite number, got {passes_at!r}")
    read, problems = _read_all(rows, columns, Score() if scale is None else scale)
    if not problems:
        check_coding(_by_rater(read), [one.verdict for one in read], passes_at)
        if passes_at is None:
            _as_passes(read)
    problems += _out_of_range(read, passes_at)
    problems += _take_replies(read, columns.reply, source)
    if not problems:
        found, problems = _joined(read)
    if problems:
        raise FileUnreadable("\n  ".join([f"{source} cannot be read as labelled replies:", *problems]))
    return Labels(rows=tuple(found), passes_at=passes_at, has_verdicts=columns.verdict is not None)


def _under(values: Mapping[str, Any], column: str) -> Any:
    if column not in values:
        raise BadRow(f"no {column!r}; it has {sorted(map(str, values))}")
    return values[column]


def _read_all(
    rows: Sequence[Row | BadRow], columns: LabelColumns, scale: Scale
) -> tuple[list[_Read], list[str]]:
    read: list[_Read] = []
    problems: list[str] = []
    for row in rows:
        if isinstance(row, BadRow):
            problems.append(str(row))
            continue
        try:
            read.append(_read(row, columns, scale))
        except BadRow as error:
            problems.append(f"{row.place}: {error}")
    return read, problems


def _read(row: Row, columns: LabelColumns, scale: Scale) -> _Read:
    rater = columns.text(row.values, "rater")
    labels: dict[str, bool | float] = {}
    for column, cell in columns.label_cells(row.values).items():
        for name, value in _by_name(rater or column, cell).items():
            label = label_value(value, scale)
            if label is not None:
                labels[name] = label
    given = columns.reply.value(row.values, "id")
    if isinstance(given, str) and not given.strip():
        raise BadRow("its id is blank")
    verdict = None if columns.verdict is None else label_value(_under(row.values, columns.verdict), scale)
    return _Read(
        row,
        given if isinstance(given, str) or given is None else json_text(given),
        _run(row.values.get("run")),
        labels,
        verdict,
        columns.text(row.values, "group"),
        columns.text(row.values, "system"),
    )


def _by_name(name: str, cell: Any) -> Mapping[str, Any]:
    """The labels of one cell by rater: a mapping of them, a list of them, or one."""
    if isinstance(cell, Mapping):
        return {str(key): value for key, value in cell.items()}
    if isinstance(cell, list | tuple):
        return {f"{name} {number}": value for number, value in enumerate(cell, start=1)}
    return {name: cell}


def _run(value: Any) -> int:
    """The run of a case; a column of that name that holds something else is the user's own."""
    text = "" if isinstance(value, bool) else str(value)
    is_number = text.isascii() and text.isdigit() and len(text) <= _RUN_DIGITS
    return max(1, int(text)) if is_number else 1


def _by_rater(read: Sequence[_Read]) -> list[list[bool | float | None]]:
    raters = dict.fromkeys(rater for one in read for rater in one.labels)
    return [[one.labels.get(rater) for one in read] for rater in raters]


def _as_passes(read: Sequence[_Read]) -> None:
    """Where all labels are 1 or 0 they mean pass and fail; likewise all verdicts."""
    if {value for one in read for value in one.labels.values()} <= {0, 1}:
        for one in read:
            one.labels = {rater: bool(value) for rater, value in one.labels.items()}
    if {one.verdict for one in read} <= {0, 1, None}:
        for one in read:
            one.verdict = None if one.verdict is None else bool(one.verdict)


def _out_of_range(read: Sequence[_Read], passes_at: float | None) -> list[str]:
    found = []
    for one in read:
        values = [*((value, passes_at) for value in one.labels.values()), (one.verdict, None)]
        problems = [problem for value, bar in values if (problem := range_problem(value, bar))]
        found += [f"{one.row.place}: {problem}" for problem in problems[:1]]
    return found


def _take_replies(read: Sequence[_Read], columns: Columns, source: str) -> list[str]:
    """Put what was asked and replied beside the labels, where the rows hold it; the problems."""
    named = columns.reply or columns.messages
    names = {columns.reply or "reply", columns.messages or "messages"}
    if not named and not any(one.row.interaction or names & one.row.values.keys() for one in read):
        return []
    # Without their ids, so that each row stays one of its own.
    alone = [replace(one.row, values={k: v for k, v in one.row.values.items() if k != "id"}) for one in read]
    try:
        cases = cases_of(alone, replace(columns, id=None), source=source, needs_interaction=True)
    except FileUnreadable as error:
        return [line.strip() for line in str(error).splitlines()[1:]]
    for one, case in zip(read, cases, strict=True):
        one.interaction = case.interactions[0]
    return []


def _joined(read: Sequence[_Read]) -> tuple[list[LabelledReply], list[str]]:
    """One entry a reply: rows of one id are the labels of several raters."""
    found: dict[tuple[str, int], LabelledReply] = {}
    problems: list[str] = []
    for number, one in enumerate(read, start=1):
        key = (one.id if one.id is not None else f"row-{number}", one.run)
        known = found.get(key)
        if known is None:
            found[key] = LabelledReply(
                id=key[0], run=one.run, labels=one.labels, interaction=one.interaction, verdict=one.verdict,
                group=one.group, system=one.system, place=one.row.place,
            )  # fmt: skip
            continue
        problem = _clash(known, one)
        if problem is None:
            found[key] = replace(known, labels={**known.labels, **one.labels})
        else:
            problems.append(f"{one.row.place}: id {key[0]!r} was in {known.place} already, {problem}")
    return list(found.values()), problems


def _clash(known: LabelledReply, one: _Read) -> str | None:
    if known.interaction != one.interaction:
        return "with another reply; a column `run` tells runs of one case apart"
    if known.verdict != one.verdict:
        return "with another verdict of the judge"
    both = [rater for rater in one.labels if rater in known.labels]
    if both:
        return f"with a label by {both[0]!r}; name the column that says who labelled: `rater`, --rater"
    return None
