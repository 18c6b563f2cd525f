"""Traces from files of OTLP JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import Any

from judgekit.adapters.span_shapes import Span
from judgekit.adapters.spans import interaction_from_spans
from judgekit.errors import ExtraMissing, FileUnreadable
from judgekit.interaction import Interaction
from judgekit.text import one_line

__all__ = ["load_traces", "traces_of"]

_ERROR_STATUS = 2


def load_traces(path: str | PathLike[str]) -> tuple[Interaction, ...]:
    """One Interaction a trace, in the order in which the traces began.

    The file holds OTLP JSON: an export a line, as the OpenTelemetry file exporter and the collector's
    write it, or one export as a whole. Traces without a model call, a tool or an agent are left out.

    Raises:
        ExtraMissing: `judgekit[otel]` is not installed.
        FileUnreadable: A line is no OTLP JSON; all such lines are named.
        OSError: The file cannot be read.
    """
    file = Path(path)
    text = file.read_text(encoding="utf-8-sig", errors="replace")
    return tuple(interaction for _, _, interaction in traces_of(text, file.name))


def traces_of(text: str, source: str) -> Iterator[tuple[str, Span, Interaction]]:
    """Of each trace its id, its first span and the turn, in the order in which the traces began.

    Raises:
        ExtraMissing: `judgekit[otel]` is not installed.
        FileUnreadable: A line is no OTLP JSON; all such lines are named, under the name of the `source`.
    """
    traces: dict[str, list[Span]] = {}
    for span in _all_spans(text, source):
        traces.setdefault(span.trace_id, []).append(span)
    firsts = {
        trace: min(spans, key=lambda span: (span.start, span.parent_id is not None))
        for trace, spans in traces.items()
    }
    for trace in sorted(traces, key=lambda trace: firsts[trace].start):
        found = interaction_from_spans(traces[trace])
        if found.model_calls is not None or found.tool_calls is not None or found.reply:
            yield trace, firsts[trace], found


def _all_spans(text: str, source: str) -> list[Span]:
    traces_data = _decoder()
    found: list[Span] = []
    problems = []
    for number, export in _exports(text):
        try:
            found.extend(_spans(traces_data.from_json(export)))
        except Exception as error:  # noqa: BLE001 - what the decoder raises is not documented
            problems.append(f"line {number}: {one_line(str(error) or type(error).__name__)}")
    if problems:
        raise FileUnreadable("\n".join([f"{source} is no OTLP JSON:", *problems]))
    return found


def _decoder() -> Any:
    try:
        from opentelemetry.proto_json.trace.v1.trace import TracesData
    except ImportError as error:
        raise ExtraMissing("reading OTLP JSON needs `pip install judgekit-evals[otel]`") from error
    return TracesData


def _exports(text: str) -> Iterator[tuple[int, str]]:
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    # One export that is written over several lines opens with a brace of its own.
    if lines and lines[0][1].strip() == "{":
        yield lines[0][0], text
    else:
        yield from lines


def _spans(data: Any) -> Iterator[Span]:
    for resource in data.resource_spans:
        for scope in resource.scope_spans:
            name = (scope.scope.name or "") if scope.scope is not None else ""
            yield from (_span(span, name) for span in scope.spans)


def _span(span: Any, scope: str) -> Span:
    status = span.status
    return Span(
        name=span.name or "",
        trace_id=(span.trace_id or b"").hex(),
        span_id=(span.span_id or b"").hex(),
        parent_id=(span.parent_span_id or b"").hex() or None,
        start=span.start_time_unix_nano or 0,
        end=span.end_time_unix_nano or None,
        attributes=_attributes(span.attributes),
        failed=status is not None and int(status.code or 0) == _ERROR_STATUS,
        status_text=(status.message or "") if status is not None else "",
        events=tuple((event.name or "", _attributes(event.attributes)) for event in span.events),
        scope=scope,
    )


def _attributes(pairs: Iterable[Any]) -> dict[str, Any]:
    return {pair.key: _value(pair.value) for pair in pairs}


def _value(value: Any) -> Any:
    if value is None:
        return None
    if value.array_value is not None:
        return tuple(map(_value, value.array_value.values))
    if value.kvlist_value is not None:
        return _attributes(value.kvlist_value.values)
    plain = (value.string_value, value.bool_value, value.int_value, value.double_value, value.bytes_value)
    return next((item for item in plain if item is not None), None)
