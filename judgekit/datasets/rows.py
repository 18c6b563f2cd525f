"""Rows to cases: any iterable of mappings."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from judgekit.errors import FileUnreadable, InvalidArgument
from judgekit.evaluation import EvalCase, EvaluatorLike
from judgekit.interaction import Interaction
from judgekit.jsonable import json_equal, json_text, jsonable, parse_json

__all__ = ["BadRow", "Columns", "Row", "cases_from", "cases_of"]

EvaluatorsOf: TypeAlias = "Callable[[Mapping[str, Any]], Sequence[EvaluatorLike]]"


class BadRow(ValueError):
    """A row cannot be used; the text says why, without the row's place."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row and where it stands, such as `line 3`; an interaction where it was recorded whole."""

    place: str
    values: Mapping[str, Any]
    interaction: Interaction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """The names of the columns; None: the usual name, where a row has it.

    Attributes:
        asked: What the agent was asked, any value. Without it the first user message.
        reply: What it replied.
        messages: The conversation, as a list of chat messages or its JSON.
        expected: Whatever the caller wants to compare with; kept as the case's `metadata["expected"]`.
        id: Rows of one id are runs of one case. Without it each row is a case.
    """

    asked: str | None = None
    reply: str | None = None
    messages: str | None = None
    expected: str | None = None
    id: str | None = None

    def __post_init__(self) -> None:
        for name in self.__slots__:
            column = getattr(self, name)
            if column is not None and (not isinstance(column, str) or not column):
                raise InvalidArgument(f"`{name}` must be the name of a column, got {column!r}")

    def value(self, values: Mapping[str, Any], name: str) -> Any:
        """The value under a column; None where an unnamed column is absent, or where it is NaN.

        Data frames have no other sign for a missing value.
        """
        column = getattr(self, name)
        if column is not None and column not in values:
            raise BadRow(f"no {column!r}; it has {sorted(map(str, values))}")
        value = values.get(name if column is None else column)
        return None if isinstance(value, float) and math.isnan(value) else value

    def used(self) -> frozenset[str]:
        """The names of all columns read."""
        return frozenset(getattr(self, name) or name for name in self.__slots__)


@dataclass(slots=True)
class _Case:
    first: Row
    command: Any
    asked: bool
    expected: Any
    interactions: list[Interaction] = field(default_factory=list)
    extras: list[dict[str, Any]] = field(default_factory=list)


def _as_text(value: Any) -> str | None:
    """Text as it is; a date, a decimal and the like as they are written, anything else as its JSON."""
    plain = jsonable(value)
    return plain if isinstance(plain, str) or plain is None else json_text(plain)


def _messages(value: Any) -> list[Any] | None:
    if value is None or value == "":
        return None
    if isinstance(value, str):
        try:
            value = parse_json(value)
        except ValueError as error:
            raise BadRow(f"its messages are no JSON: {error}") from None
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise BadRow(f"its messages must be a list of chat messages, got {type(value).__name__}")
    return list(value)


def _first_user_text(interaction: Interaction | None) -> str | None:
    if interaction is None:
        return None
    for end in range(1, len(interaction.messages) + 1):
        text = Interaction.from_messages(interaction.messages[:end]).user_message
        if text:
            return text
    return interaction.command_text or interaction.user_message or None


def _interaction(row: Row, columns: Columns) -> Interaction | None:
    if row.interaction is not None:
        return row.interaction
    messages = _messages(columns.value(row.values, "messages"))
    reply = _as_text(columns.value(row.values, "reply"))
    if messages is None:
        has_reply = (columns.reply or "reply") in row.values
        return Interaction(reply=reply) if has_reply else None
    try:
        return Interaction.from_messages(messages, **({} if reply is None else {"reply": reply}))
    except InvalidArgument as error:
        raise BadRow(str(error)) from None


def _read(row: Row, columns: Columns, *, needs_interaction: bool) -> _Case:
    interaction = _interaction(row, columns)
    if interaction is None and needs_interaction:
        raise BadRow(
            f"no {columns.reply or 'reply'!r} and no {columns.messages or 'messages'!r}; "
            f"it has {sorted(map(str, row.values))}; name its column, `reply` or --reply"
        )
    asked = columns.value(row.values, "asked")
    command = _first_user_text(interaction) if asked is None else asked
    if command is None or (isinstance(command, str) and not command.strip()):
        raise BadRow("nothing was asked; name the column that holds it with `asked=`")
    case = _Case(row, command, asked is not None, columns.value(row.values, "expected"))
    if interaction is not None:
        case.interactions.append(interaction)
    used = columns.used()
    case.extras.append({str(k): v for k, v in row.values.items() if k not in used})
    return case


def _join(known: _Case, case: _Case, case_id: str) -> None:
    if known.asked and case.asked and not json_equal(known.command, case.command):
        raise BadRow(f"id {case_id!r} was asked something else in {known.first.place}")
    known.interactions += case.interactions
    known.extras += case.extras


def _metadata(case: _Case) -> dict[str, Any]:
    found = dict(case.extras[0])
    if len(case.extras) > 1:
        found["rows"] = case.extras
    if case.expected is not None:
        found["expected"] = case.expected
    return found


def _with_command(interaction: Interaction, text: str) -> Interaction:
    if interaction.command_text:
        return interaction
    return dataclasses.replace(interaction, command_text=text)


def _built(case_id: str, case: _Case, evaluators: EvaluatorsOf | None) -> EvalCase:
    built = EvalCase(
        case_id,
        case.command,
        *(evaluators(case.first.values) if evaluators else ()),
        metadata=_metadata(case),
    )
    text = built.command_text()
    runs = [_with_command(interaction, text) for interaction in case.interactions]
    return EvalCase(case_id, case.command, *built.evaluators, interactions=runs, metadata=built.metadata)


def _default_id(number: int, taken: Mapping[str, object]) -> str:
    case_id = f"row-{number}"
    while case_id in taken:
        case_id += "-again"
    return case_id


def cases_of(
    rows: Iterable[Row | BadRow],
    columns: Columns,
    *,
    source: str,
    evaluators: EvaluatorsOf | None = None,
    needs_interaction: bool,
) -> list[EvalCase]:
    """The cases of rows; a BadRow among them is a line that could not be read at all.

    Raises:
        FileUnreadable: Naming every bad row.
    """
    cases: dict[str, _Case] = {}
    problems: list[str] = []
    for number, row in enumerate(rows, start=1):
        if isinstance(row, BadRow):
            problems.append(str(row))
            continue
        try:
            case = _read(row, columns, needs_interaction=needs_interaction)
            given = _as_text(columns.value(row.values, "id"))
            if given is not None and not given.strip():
                raise BadRow("its id is blank")
            case_id = given if given is not None else _default_id(number, cases)
            if case_id in cases:
                _join(cases[case_id], case, case_id)
            else:
                cases[case_id] = case
        except BadRow as error:
            problems.append(f"{row.place}: {error}")
    if problems:
        raise FileUnreadable("\n  ".join([f"{source} cannot be read as cases:", *problems]))
    return [_built(case_id, case, evaluators) for case_id, case in cases.items()]


def cases_from(
    rows: Iterable[Mapping[str, Any]],
    *,
    asked: str | None = None,
    reply: str | None = None,
    messages: str | None = None,
    expected: str | None = None,
    id: str | None = None,
    evaluators: EvaluatorsOf | None = None,
) -> list[EvalCase]:
    """Cases from any iterable of mappings: a Hugging Face data set, a cursor, `to_dict("records")`.

    A row that holds a reply or messages becomes a recorded run of its case, ready to be scored without
    an agent; rows of one id are runs of one case, in order. Other columns become the case's metadata.

    Args:
        rows: The rows.
        asked: The column that holds what the agent was asked. Without it the column `asked` where there is
            one, else the first user message.
        reply: Likewise what it replied.
        messages: Likewise the conversation.
        expected: Likewise what the caller compares with; it becomes `metadata["expected"]`.
        id: Likewise the case's id; without one a row is the case `row-<n>`.
        evaluators: What a case must pass, from its first row.

    Raises:
        FileUnreadable: Naming every row that cannot be used.
    """
    columns = Columns(asked=asked, reply=reply, messages=messages, expected=expected, id=id)
    numbered = (_row(number, row) for number, row in enumerate(rows, start=1))
    return cases_of(numbered, columns, source="the rows", evaluators=evaluators, needs_interaction=False)


def _row(number: int, row: object) -> Row | BadRow:
    if isinstance(row, Mapping):
        return Row(f"row {number}", row)
    return BadRow(f"row {number}: it must be a mapping, got {type(row).__name__}")
