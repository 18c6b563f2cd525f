"""Traces of OTLP JSON to rows, a trace a row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from judgekit.datasets.rows import BadRow, Row

__all__ = ["is_export", "rows_of_traces"]


def is_export(values: Mapping[str, Any]) -> bool:
    """Whether an object is an export of OTLP JSON."""
    return isinstance(values.get("resourceSpans"), list)


def rows_of_traces(text: str) -> Iterator[Row | BadRow]:
    """A row a trace, with the attributes of its first span as columns; traces of no agent are left out.

    Raises:
        ExtraMissing: The decoder is not installed.
        FileUnreadable: A line is no OTLP JSON; all such lines are named.
    """
    from judgekit.adapters.otlp import traces_of

    for number, (trace_id, first, interaction) in enumerate(traces_of(text, "the file"), start=1):
        values = {**first.attributes, "trace_id": trace_id}
        if interaction.user_message:
            values.setdefault("asked", interaction.user_message)
        yield Row(f"trace {number}", values, interaction)
