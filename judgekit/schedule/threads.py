"""Worker threads for sync agents. Daemon threads: an agent that hangs must not keep the process alive."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeAlias

from judgekit.schedule.bounded import Ended

__all__ = ["CallThreads"]

_Job: TypeAlias = "tuple[Callable[[], Any], asyncio.AbstractEventLoop, asyncio.Future[Ended]]"


class CallThreads:
    """Threads that are reused from call to call. As many exist as calls run at one time.

    A call whose caller was cancelled keeps its thread until it returns; its late result is dropped.
    """

    def __init__(self) -> None:
        self._idle: list[_CallThread] = []

    async def call(self, function: Callable[[], Any]) -> Ended:
        """How `function` ends, called in a thread that sees the caller's context variables.

        What it raises is returned: a KeyboardInterrupt of another thread is no Ctrl-C here. An awaitable
        that it returns is awaited here.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Ended] = loop.create_future()
        context = contextvars.copy_context()
        thread = self._idle.pop() if self._idle else _CallThread()
        thread.jobs.put((lambda: context.run(function), loop, future))
        try:
            ended = await future
        except asyncio.CancelledError:
            thread.jobs.put(None)
            raise
        self._idle.append(thread)
        return Ended(await ended.value) if inspect.isawaitable(ended.value) else ended

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
            ended = Ended(function())
        except BaseException as error:  # noqa: BLE001 - an agent that calls sys.exit ends its attempt only
            ended = Ended(error=error)
        try:
            loop.call_soon_threadsafe(_deliver, future, ended)
        except RuntimeError:
            return  # the loop was closed while this call was late
        del job, function, future, ended


def _deliver(future: asyncio.Future[Ended], ended: Ended) -> None:
    if not future.done():
        future.set_result(ended)
