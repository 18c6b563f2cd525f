"""Spans as they come (the SDK's, or mappings), as one plain shape."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from judgekit.adapters import semconv
from judgekit.errors import InvalidArgument
from judgekit.jsonable import parse_json

__all__ = ["Span", "decoded", "first_of", "plain_span", "plain_spans", "tree"]


@dataclass(frozen=True, slots=True)
class Span:
    """One span.

    Attributes:
        name: As its producer called it.
        trace_id: Hexadecimal; "" where unknown.
        span_id: Hexadecimal; "" where unknown.
        parent_id: None for the first of a trace.
        start: Nanoseconds since 1970.
        end: None while it is open.
        attributes: By name.
        failed: Whether its status is ERROR.
        status_text: What its status says.
        events: Name and attributes.
        scope: The library that wrote it; "" where unknown.
    """

    name: str
    trace_id: str = ""
    span_id: str = ""
    parent_id: str | None = None
    start: int = 0
    end: int | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    failed: bool = False
    status_text: str = ""
    events: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    scope: str = ""

    @property
    def seconds(self) -> float | None:
        """How long it took; None while it is open."""
        return max(0, self.end - self.start) / 1e9 if self.end and self.start else None

    @property
    def error(self) -> str | None:
        """The text of its failure, None where it did not fail."""
        kind = self.attributes.get(semconv.ERROR_TYPE)
        if not self.failed and not kind:
            return None
        for _, attributes in reversed(self.events):
            # Status texts of some producers hold a whole traceback.
            message = attributes.get(semconv.EXCEPTION_MESSAGE) or attributes.get(semconv.EXCEPTION_TYPE)
            if message:
                return str(message)
        return self.status_text or str(kind or "") or "failed"


def plain_spans(spans: Iterable[object]) -> list[Span]:
    """Spans in the order in which they began, each once; parents before their children.

    Raises:
        InvalidArgument: Something is no span.
    """
    if isinstance(spans, str | Mapping) or not isinstance(spans, Iterable):
        raise InvalidArgument(f"`spans` must be a list of spans, got {spans!r:.200}")
    found: dict[tuple[str, str], Span] = {}
    for position, span in enumerate(spans):
        plain = plain_span(span, position)
        key = (plain.trace_id, plain.span_id or f"#{position}")
        earlier = found.get(key)
        # Exporters that try again write a span twice, and an open span is replaced by its end.
        if earlier is None or earlier.end is None:
            found[key] = plain
    parents = {span.span_id: span.parent_id for span in found.values()}
    return sorted(found.values(), key=lambda span: (span.start, _depth(span.span_id, parents)))


def _depth(span_id: str | None, parents: Mapping[str, str | None]) -> int:
    depth = 0
    while span_id is not None and span_id in parents and depth <= len(parents):
        span_id = parents[span_id]
        depth += 1
    return depth


def plain_span(span: object, position: int) -> Span:
    """One span in the plain shape.

    Raises:
        InvalidArgument: It is none.
    """
    if isinstance(span, Span):
        return span
    if isinstance(span, Mapping) and isinstance(span.get("attributes"), Mapping | None) and span.get("name"):
        return _from_mapping(span)
    if hasattr(span, "attributes") and hasattr(span, "get_span_context") and hasattr(span, "start_time"):
        return _from_sdk(span)
    raise InvalidArgument(
        f"spans[{position}] must be a span of the OpenTelemetry SDK, or a mapping such as "
        f"{{'name': 'chat', 'attributes': {{...}}}}, got {span!r:.200}"
    )


def _from_sdk(span: Any) -> Span:
    context, parent, status = span.get_span_context(), span.parent, span.status
    return Span(
        name=str(span.name),
        trace_id=f"{context.trace_id:032x}" if context else "",
        span_id=f"{context.span_id:016x}" if context else "",
        parent_id=f"{parent.span_id:016x}" if parent else None,
        start=span.start_time or 0,
        end=span.end_time,
        # A copy: an open span goes on changing.
        attributes=dict(span.attributes or {}),
        failed=status.status_code.name == "ERROR",
        status_text=status.description or "",
        events=tuple((event.name, dict(event.attributes or {})) for event in tuple(span.events)),
        scope=getattr(getattr(span, "instrumentation_scope", None), "name", None) or "",
    )


def _from_mapping(span: Mapping[str, Any]) -> Span:
    """A span as `ReadableSpan.to_json` writes it; everything but name and attributes may be missing."""
    context = span.get("context") or span
    status = span.get("status") or {}
    return Span(
        name=str(span["name"]),
        trace_id=_identifier(context.get("trace_id")) or "",
        span_id=_identifier(context.get("span_id")) or "",
        parent_id=_identifier(span.get("parent_id")),
        start=_nanoseconds(span.get("start_time")) or 0,
        end=_nanoseconds(span.get("end_time")),
        attributes=span.get("attributes") or {},
        failed=status.get("status_code") == "ERROR",
        status_text=str(status.get("description") or ""),
        events=tuple(
            (str(event.get("name")), event.get("attributes") or {}) for event in span.get("events") or ()
        ),
    )


def _identifier(value: Any) -> str | None:
    return str(value).removeprefix("0x") if value else None


def _nanoseconds(value: Any) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    with contextlib.suppress(ValueError, TypeError):
        return int(datetime.fromisoformat(value).timestamp() * 1e9)
    return None


def first_of(attributes: Mapping[str, Any], names: str | Iterable[str]) -> Any:
    """The first of these attributes that is there, None where none is."""
    for name in (names,) if isinstance(names, str) else names:
        value = attributes.get(name)
        if value is not None:
            return value
    return None


def decoded(value: Any) -> Any:
    """What JSON text stands for; anything else, and text that is no JSON, as it is."""
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            return parse_json(value)
    return value


def tree(attributes: Mapping[str, Any], prefix: str) -> Any:
    """Flattened attributes (`prefix.0.role`, `prefix.0.content`) as lists and mappings."""
    root: dict[str, Any] = {}
    for name, value in attributes.items():
        if not name.startswith(prefix + "."):
            continue
        *path, leaf = name[len(prefix) + 1 :].split(".")
        node = root
        for step in path:
            below = node.setdefault(step, {})
            if not isinstance(below, dict):
                below = node[step] = {}
            node = below
        node.setdefault(leaf, value)
    return _listed(root)


def _listed(node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    if node and all(key.isdecimal() and len(key) < 10 for key in node):
        return [_listed(node[key]) for key in sorted(node, key=int)]
    return {key: _listed(value) for key, value in node.items()}
