"""The sync door: coroutines run from plain code on one long-lived loop thread.

HTTP clients belong to the loop that made them, so a process keeps one loop for all of its runs. It is
made when it is first needed, works beside a loop that already runs (notebooks), and a forked child makes
its own.
"""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import contextlib
import contextvars
import os
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

__all__ = ["run_sync"]

T = TypeVar("T")

# Waiting without a limit cannot be interrupted on every platform.
_POLL_SECONDS = 0.5
_CLOSING_SECONDS = 3.0


class _LoopThread:
    """A daemon thread that runs an event loop until the process ends."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._closing = False
        self.thread = threading.Thread(target=self._serve, name="judgekit-loop", daemon=True)
        self.thread.start()

    def _serve(self) -> None:
        asyncio.set_event_loop(self.loop)
        while not self._closing:
            # A task that raises one of these throws it through the loop too, and anyone may stop the loop.
            with contextlib.suppress(SystemExit, KeyboardInterrupt):
                self.loop.run_forever()

    def close(self) -> None:
        """Cancel what still runs and close the loop, within a few seconds."""
        if self.loop.is_closed():
            return
        ended = asyncio.run_coroutine_threadsafe(_wind_down(), self.loop)
        try:
            ended.result(_CLOSING_SECONDS)
        except Exception:  # noqa: BLE001 - the process ends anyway, and must end quietly
            ended.cancel()
        self._closing = True
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(_CLOSING_SECONDS)
        if not self.thread.is_alive():
            self.loop.close()


async def _wind_down() -> None:
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _loop, _context: None)
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    if tasks:
        _, stubborn = await asyncio.wait(tasks, timeout=1.0)
        for task in stubborn:
            # A task that swallows its cancellation would be reported as destroyed while pending.
            task._log_destroy_pending = False  # type: ignore[attr-defined]
    await loop.shutdown_asyncgens()


_lock = threading.Lock()
_current: _LoopThread | None = None


def _shared() -> _LoopThread:
    global _current
    with _lock:
        if _current is None:
            _current = _LoopThread()
            atexit.register(_current.close)
        return _current


def _forget_after_fork() -> None:
    global _lock, _current
    _lock = threading.Lock()
    if _current is not None:
        atexit.unregister(_current.close)
    _current = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)


def run_sync(function: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run the coroutine that `function` makes and return what it returns.

    Context variables of the caller are seen inside. Ctrl-C in the calling thread cancels the coroutine,
    waits for its orderly end and raises KeyboardInterrupt; a second one no longer waits.
    """
    shared = _shared()
    if threading.current_thread() is shared.thread:
        return _run_elsewhere(function)
    return _run_on(shared.loop, function)


def _run_on(loop: asyncio.AbstractEventLoop, function: Callable[[], Coroutine[Any, Any, T]]) -> T:
    future: concurrent.futures.Future[T] = concurrent.futures.Future()
    started: list[asyncio.Task[T]] = []
    context = contextvars.copy_context()

    def start() -> None:
        try:
            task = loop.create_task(function(), context=context)
        except BaseException as error:  # noqa: BLE001 - raised for the caller, who would wait for ever
            future.set_exception(error)
            return
        started.append(task)
        task.add_done_callback(lambda ended: _hand_over(ended, future))

    def stop() -> None:
        if started:
            started[0].cancel()
        else:
            future.cancel()

    try:
        loop.call_soon_threadsafe(start)
        _wait(future)
    except KeyboardInterrupt:
        loop.call_soon_threadsafe(stop)
        _wait(future)
        raise
    return future.result()


def _hand_over(ended: asyncio.Task[T], future: concurrent.futures.Future[T]) -> None:
    if ended.cancelled():
        future.set_exception(asyncio.CancelledError())
    elif error := ended.exception():
        future.set_exception(error)
    else:
        future.set_result(ended.result())


def _wait(future: concurrent.futures.Future[T]) -> None:
    while not concurrent.futures.wait((future,), timeout=_POLL_SECONDS).done:
        pass


def _run_elsewhere(function: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Code on the loop thread itself asked: the loop cannot wait for itself, so another one runs it."""
    context = contextvars.copy_context()
    with concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="judgekit-nested") as pool:
        return pool.submit(context.run, lambda: asyncio.run(function())).result()
