"""Awaiting code that is not ours: bounded in time, and never able to end the run with what it raises."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any

__all__ = ["Ended", "bounded", "stops_the_run"]

# How long cancelled code may take to clean up before the run goes on without it.
_GRACE_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Ended:
    """How an awaited thing ended: `value`, or the `error` that it raised, or neither where it `expired`."""

    value: Any = None
    error: BaseException | None = None
    expired: bool = False


async def bounded(awaitable: Awaitable[Any], seconds: float | None) -> Ended:
    """Await it for at most `seconds`; what it raises is returned, also SystemExit and its like.

    Past the limit it is cancelled, and left behind where it does not end soon after. Cancelling the
    caller cancels it too. An `Ended` that it returns is taken as it is.
    """
    task = asyncio.ensure_future(_caught(awaitable))
    try:
        await asyncio.wait((task,), timeout=seconds)
    except asyncio.CancelledError:
        await _stop(task, awaitable)
        raise
    if not task.done():
        await _stop(task, awaitable)
        return Ended(expired=True)
    if task.cancelled():
        return Ended(error=asyncio.CancelledError("the code cancelled itself"))
    return task.result()


async def _caught(awaitable: Awaitable[Any]) -> Ended:
    try:
        value = await awaitable
        return value if isinstance(value, Ended) else Ended(value)
    except asyncio.CancelledError:
        raise
    except BaseException as error:
        if stops_the_run(error):
            raise
        return Ended(error=error)


def stops_the_run(error: BaseException) -> bool:
    """Whether this is no failure of the code that raised it: a cancellation of the run, or a real Ctrl-C.

    Python delivers Ctrl-C to the main thread; a KeyboardInterrupt elsewhere was raised by the code itself.
    """
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is not None and task.cancelling() > 0
    return isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread()


async def _stop(task: asyncio.Task[Ended], awaitable: Awaitable[Any]) -> None:
    task.cancel()
    await asyncio.wait((task,), timeout=_GRACE_SECONDS)
    if task.done() and inspect.iscoroutine(awaitable):
        # A task that is cancelled before its first step never begins to await.
        awaitable.close()
