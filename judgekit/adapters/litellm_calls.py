"""Model calls that an agent makes through litellm, recorded for the attempt that they belong to.

litellm is never imported here: where an attempt imports it, the recording starts with that.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from types import ModuleType
from typing import Any

from judgekit.adapters.litellm_events import StartedCall, finished_call, is_generative, unended_call
from judgekit.adapters.metering import Meter
from judgekit.adapters.post_import import Pending, when_imported
from judgekit.adapters.recorded import RecordedCall, merged

__all__ = ["CallRecorder", "merged", "recorded_calls"]

_SETTLE_SECONDS = 2.0
_FLUSH_AFTER = 0.05
_POLL = 0.002

_current: ContextVar[CallRecorder | None] = ContextVar("judgekit_litellm_calls", default=None)


class CallRecorder:
    """What litellm was asked for during one attempt; a `meter` may refuse calls before they are sent."""

    def __init__(self, meter: Meter | None = None) -> None:
        self._meter = meter
        self._lock = threading.Lock()
        self._open: dict[str, StartedCall] = {}
        self._finished: dict[str, RecordedCall] = {}
        self._order: dict[str, int] = {}
        self._closed = False

    @property
    def calls(self) -> tuple[RecordedCall, ...]:
        """Every call that began, in that order; of one that never ended nothing more is known."""
        with self._lock:
            unended = [unended_call(self._order[key], started) for key, started in self._open.items()]
            return tuple(sorted([*self._finished.values(), *unended], key=lambda call: call.order))

    async def settle(self, *, seconds: float = _SETTLE_SECONDS) -> None:
        """Wait until litellm has reported every call that began, for that many seconds at most.

        litellm reports late, from a queue of its own; without this the last calls would be lost.
        """
        worker = _logging_worker()
        if worker is None:
            return
        if not self._order and getattr(sys.modules.get("litellm"), "custom_provider_map", None):
            # Calls to providers that users add do not say when they begin, and report in the next turn.
            await asyncio.sleep(0)
        began = time.monotonic()
        flushed = False
        while not self._is_settled(worker) and time.monotonic() - began < seconds:
            await asyncio.sleep(_POLL)
            if not flushed and time.monotonic() - began > _FLUSH_AFTER:
                flushed = True
                # Carries over what a loop that has ended left behind.
                with contextlib.suppress(TimeoutError, RuntimeError):
                    await asyncio.wait_for(worker.flush(), seconds / 2)

    def _is_settled(self, worker: Any) -> bool:
        with self._lock:
            if self._open:
                return False
            if self._finished:
                return True
        return not self._awaits_report(worker)

    def _awaits_report(self, worker: Any) -> bool:
        """Whether a report of this attempt is in litellm's queue, which judges and other attempts share.

        Not every call says when it begins.
        """
        try:
            waiting = [*worker._queue._queue, *worker._dequeued_tasks.values()]
            mine = any(task["context"].get(_current) is self for task in waiting)
            return mine or bool(worker._pending_enqueues)
        except (AttributeError, KeyError, TypeError):
            # Another release of litellm: wait for whatever it says is pending.
            return bool(getattr(worker, "pending_count", 0))

    def begin(self, call: Mapping[str, Any]) -> None:
        """A call is about to be sent."""
        key = str(call.get("litellm_call_id"))
        if self._meter is not None:
            self._meter.before(key, call)
        with self._lock:
            if self._closed or key in self._finished:  # a retry of litellm's own is the same call
                return
            self._order.setdefault(key, len(self._order))
            self._open.setdefault(key, StartedCall(call))

    def end(self, call: Mapping[str, Any], response: Any) -> None:
        """A call came to its end; `response` is None where it failed."""
        key = str(call.get("litellm_call_id"))
        if self._meter is not None:
            self._meter.after(key, call, response)
        with self._lock:
            if self._closed:
                return
            order = self._order.setdefault(key, len(self._order))
            started = self._open.pop(key, None)
            earlier = self._finished.get(key)
            if earlier is not None and (response is None or earlier.response):
                return
            if started is None:
                if response is None:  # refused before anything was sent
                    return
                # Some providers that users add themselves do not say when a call begins.
                started = StartedCall(call)
            self._finished[key] = finished_call(order, started, call, response)

    def close(self) -> None:
        """Record nothing more."""
        with self._lock:
            self._closed = True


def _logging_worker() -> Any:
    # Never imported here: another thread may be in the middle of importing litellm, for a judge.
    module = sys.modules.get("litellm.litellm_core_utils.logging_worker")
    return getattr(module, "GLOBAL_LOGGING_WORKER", None)


class _Door:
    """Our logger in litellm's list of callbacks, there only while an attempt is being recorded."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._logger: Any = None
        self._waiting: Pending | None = None
        self._recorders: dict[str, CallRecorder] = {}

    def enter(self) -> None:
        with self._lock:
            self._users += 1
            first = self._users == 1
        if first or "litellm" in sys.modules:
            waiting = when_imported("litellm", self._install)
            with self._lock:
                self._waiting = waiting

    def leave(self, recorder: CallRecorder) -> None:
        recorder.close()
        with self._lock:
            self._users -= 1
            self._recorders = {k: r for k, r in self._recorders.items() if r is not recorder}
            last = not self._users
        if last:
            if self._waiting is not None:
                self._waiting.cancel()
            self._remove()

    def _install(self) -> None:
        litellm = sys.modules["litellm"]
        with self._lock:
            if self._logger is None:
                self._logger = _make_logger(self)
            if self._users and self._logger not in litellm.callbacks:
                litellm.callbacks.append(self._logger)

    def _remove(self) -> None:
        litellm = sys.modules.get("litellm")
        with self._lock:
            if litellm is None or self._logger is None or self._users:
                return
            for callbacks in _callback_lists(litellm):
                while self._logger in callbacks:
                    callbacks.remove(self._logger)

    def began(self, call: Mapping[str, Any]) -> None:
        recorder = _current.get()
        if recorder is not None and is_generative(call):
            with self._lock:
                self._recorders[str(call.get("litellm_call_id"))] = recorder
            recorder.begin(call)

    def ended(self, call: Mapping[str, Any], response: Any) -> None:
        # Some of litellm's threads run without the caller's context, but not without the call's id.
        recorder = self._recorders.get(str(call.get("litellm_call_id"))) or _current.get()
        if recorder is not None and is_generative(call):
            recorder.end(call, response)


def _callback_lists(litellm: ModuleType) -> Iterator[list[Any]]:
    # litellm copies a logger from `callbacks` into each of these when a call is made.
    for event in ("input", "success", "failure", "service"):
        for name in (f"{event}_callback", f"_async_{event}_callback"):
            found = getattr(litellm, name, None)
            if isinstance(found, list):
                yield found
    yield litellm.callbacks


def _make_logger(door: _Door) -> Any:
    from litellm.integrations.custom_logger import CustomLogger

    # litellm takes two loggers whose classes have one name for the same one, and drops the second.
    class JudgekitCallLogger(CustomLogger):  # type: ignore[misc]
        def log_pre_api_call(self, model: Any, messages: Any, kwargs: Any) -> None:
            door.began(kwargs)

        def log_success_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
            door.ended(kwargs, response_obj)

        def log_failure_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
            door.ended(kwargs, None)

        async def async_log_success_event(
            self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any
        ) -> None:
            door.ended(kwargs, response_obj)

        async def async_log_failure_event(
            self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any
        ) -> None:
            door.ended(kwargs, None)

    return JudgekitCallLogger()


_door = _Door()


@contextlib.contextmanager
def recorded_calls(meter: Meter | None = None) -> Iterator[CallRecorder]:
    """Record the model calls that the code inside makes through litellm, in whatever thread or task.

    Attempts that run at the same time do not mix. Call `await recorder.settle()` before leaving, then
    `merged(interaction, recorder)`.
    """
    recorder = CallRecorder(meter)
    _door.enter()
    token = _current.set(recorder)
    try:
        yield recorder
    finally:
        _current.reset(token)
        _door.leave(recorder)
