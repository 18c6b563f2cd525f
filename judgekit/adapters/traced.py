"""Spans that an agent writes in this process, collected for the attempt that they belong to.

OpenTelemetry is never imported here: an agent that writes spans has imported it.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import weakref
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from judgekit.adapters.span_shapes import Span, plain_span
from judgekit.context import current_attempt

__all__ = ["SESSION", "Trace", "span_processor", "traced"]

_SDK = "opentelemetry.sdk.trace"
_API = "opentelemetry.trace"
_ROOT = "judgekit attempt"

# On the span of an attempt; the turns of a conversation are traces of one session.
SESSION = "judgekit.session"

_current: ContextVar[Trace | None] = ContextVar("judgekit_trace", default=None)


class Trace:
    """The spans of one attempt."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._spans: dict[int, Any] = {}
        self._root: int | None = None
        self._closed = False

    @property
    def spans(self) -> tuple[Span, ...]:
        """The spans so far, those that are still open too: a tool that hangs was called."""
        if not self._spans:
            return ()
        with self._lock:
            found = [span for key, span in self._spans.items() if key != self._root]
        return tuple(plain_span(span, position) for position, span in enumerate(found))

    def add(self, span: Any, *, is_root: bool = False) -> bool:
        """Take in a span that begins; what it becomes is read later. False once the attempt is over."""
        key = span.get_span_context().span_id
        with self._lock:
            if self._closed:
                return False
            self._spans[key] = span
            if is_root:
                self._root = key
        return True

    def close(self) -> tuple[int, ...]:
        """Take in no more; the ids of the spans."""
        with self._lock:
            self._closed = True
            return tuple(self._spans)


class _Door:
    """Our processor in the user's tracer providers. They have no way to take one out: it stays, idle."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: weakref.WeakSet[Any] = weakref.WeakSet()
        self._processor: Any = None
        # Threads that lost their context may still know the span that theirs belongs under.
        self._by_span: dict[int, Trace] = {}

    def processor(self) -> Any:
        """The one processor, made when the SDK is there."""
        with self._lock:
            if self._processor is None:
                self._processor = _make_processor(self)
            return self._processor

    def attach(self) -> Any:
        """Add the processor to the process's tracer provider, once; the provider, None where none is."""
        api, sdk = sys.modules.get(_API), sys.modules.get(_SDK)
        if api is None or sdk is None:
            return None
        provider = api.get_tracer_provider()
        # Without a provider of the user's there is a proxy, which takes no processor and makes no spans.
        if not isinstance(provider, sdk.TracerProvider):
            return None
        processor = self.processor()
        with self._lock:
            is_new = provider not in self._seen
            self._seen.add(provider)
        if is_new:
            provider.add_span_processor(processor)
        return provider

    def started(self, span: Any) -> None:
        """A span begins, in the context of the code that began it."""
        trace = _current.get()
        if trace is None and span.parent is not None:
            trace = self._by_span.get(span.parent.span_id)
        if trace is not None and trace.add(span):
            with self._lock:
                self._by_span[span.get_span_context().span_id] = trace

    def forget(self, trace: Trace) -> None:
        """The attempt is over."""
        ids = trace.close()
        if not ids:
            return
        with self._lock:
            for id in ids:
                self._by_span.pop(id, None)


def _make_processor(door: _Door) -> Any:
    base: type = sys.modules[_SDK].SpanProcessor

    class Processor(base):  # type: ignore[misc]
        def on_start(self, span: Any, parent_context: Any = None) -> None:
            door.started(span)

    return Processor()


_door = _Door()


def span_processor() -> Any:
    """A span processor for a tracer provider that is not the process's own.

    `provider.add_span_processor(span_processor())`, once a provider; outside an attempt it does nothing.

    Raises:
        RuntimeError: The OpenTelemetry SDK has not been imported.
    """
    if _SDK not in sys.modules:
        raise RuntimeError("import opentelemetry.sdk.trace and set up your tracer provider first")
    return _door.processor()


@contextlib.contextmanager
def traced() -> Iterator[Trace]:
    """Collect the spans that the code inside writes, in whatever thread or task.

    Attempts that run at the same time do not mix: a span belongs to the attempt in whose context it
    began. Where the process has a tracer provider of the SDK, everything is one trace of its own, under
    the span `judgekit attempt`. Without one nothing happens.
    """
    trace = Trace()
    provider = _door.attach()
    token = _current.set(trace)
    try:
        if provider is None:
            yield trace
        else:
            with _root_span(provider, trace):
                yield trace
    finally:
        _current.reset(token)
        _door.forget(trace)


@contextlib.contextmanager
def _root_span(provider: Any, trace: Trace) -> Iterator[None]:
    context = sys.modules["opentelemetry.context"].Context()
    attempt = current_attempt()
    attributes: dict[str, Any] = {}
    if attempt is not None:
        attributes = {
            "judgekit.case": attempt.case_id,
            "judgekit.run": attempt.run,
            SESSION: attempt.session_id,
        }
    tracer = provider.get_tracer("judgekit")
    # The empty context begins a trace of its own, also inside a span of the caller's.
    with tracer.start_as_current_span(
        _ROOT, context=context, attributes=attributes, record_exception=False
    ) as root:
        trace.add(root, is_root=True)
        yield
