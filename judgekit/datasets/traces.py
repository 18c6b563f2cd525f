"""Traces of OTLP JSON to rows, a trace a row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from judgekit.adapters.traced import SESSION
from judgekit.conversation import whole_of
from judgekit.datasets.rows import BadRow, Row

if TYPE_CHECKING:
    from judgekit.adapters.span_shapes import Span
    from judgekit.interaction import Interaction

__all__ = ["is_export", "rows_of_traces"]


def is_export(values: Mapping[str, Any]) -> bool:
    """Whether an object is an export of OTLP JSON."""
    return isinstance(values.get("resourceSpans"), list)


def rows_of_traces(text: str) -> Iterator[Row | BadRow]:
    """A row a trace, with the attributes of its first span as columns; traces of no agent are left out.

    Traces of one session of judgekit are the turns of a conversation, and one row.

    Raises:
        ExtraMissing: The decoder is not installed.
        FileUnreadable: A line is no OTLP JSON; all such lines are named.
    """
    from judgekit.adapters.otlp import traces_of

    for number, trace_id, first, turns in _conversations(traces_of(text, "the file")):
        values = {**first.attributes, "trace_id": trace_id}
        if turns[0].user_message:
            values.setdefault("asked", turns[0].user_message)
        yield Row(f"trace {number}", values, turns[0] if len(turns) == 1 else whole_of(turns))


def _conversations(
    traces: Iterable[tuple[str, Span, Interaction]],
) -> Iterable[tuple[int, str, Span, list[Interaction]]]:
    found: dict[Any, tuple[int, str, Span, list[Interaction]]] = {}
    for number, (trace_id, first, interaction) in enumerate(traces, start=1):
        session = first.attributes.get(SESSION) or trace_id
        found.setdefault(session, (number, trace_id, first, []))[3].append(interaction)
    return found.values()
