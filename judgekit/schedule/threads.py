"""Worker threads for sync agents. Daemon threads: an agent that hangs must not keep the process alive."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeAlias

__all__ = ["CallThreads"]

_Outcome: TypeAlias = "tuple[Any, BaseException | None]"
_Job: TypeAlias = "tuple[Callable[[], Any], asyncio.AbstractEventLoop, asyncio.Future[_Outcome]]"


class CallThreads:
    """Threads that are reused from call to call. As many exist as calls run at one time.

    A call whose caller was cancelled keeps its thread until it returns; its late result is dropped.
    """

    def __init__(self) -> None:
        self._idle: list[_CallThread] = []

    async def call(self, function: Callable[[], Any]) -> Any:
        """What `function` returns or raises, called in a thread that sees the caller's context variables."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[_Outcome] = loop.create_future()
        context = contextvars.copy_context()
        thread = self._idle.pop() if self._idle else _CallThread()
        thread.jobs.put((lambda: context.run(function), loop, future))
        try:
            value, error = await future
        except asyncio.CancelledError:
            thread.jobs.put(None)
            raise
        self._idle.append(thread)
        if error is not None:
            raise error
        return value

    def close(self) -> None:
        """Let every idle thread end."""
        while self._idle:
            self._idle.pop().jobs.put(None)


class _CallThread:
    def __init__(self) -> None:
        self.jobs: SimpleQueue[_Job | None] = SimpleQueue()
        threading.Thread(target=_serve, args=(self.jobs,), name="judgekit-agent", daemon=True).start()


def _serve(jobs: SimpleQueue[_Job | None]) -> None:
    while (job := jobs.get()) is not None:
        function, loop, future = job
        try:
            outcome: _Outcome = (function(), None)
        except BaseException as error:  # noqa: BLE001 - an agent that calls sys.exit ends its attempt only
            outcome = (None, error)
        try:
            loop.call_soon_threadsafe(_deliver, future, outcome)
        except RuntimeError:
            return  # the loop was closed while this call was late
        del job, function, future, outcome


def _deliver(future: asyncio.Future[_Outcome], outcome: _Outcome) -> None:
    if not future.done():
        future.set_result(outcome)
