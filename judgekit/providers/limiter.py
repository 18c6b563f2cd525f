"""How hard a provider is pressed: requests in flight and a minute, pauses it asks for, and the breaker."""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass, field

from judgekit.errors import ProviderError, RateLimited
from judgekit.providers.base import Limits

__all__ = ["Gate", "Limiter", "Slot"]

_MINUTE = 60.0


class Signal:
    """Wakes the one task that waits on it."""

    __slots__ = ("_waiter",)

    def __init__(self) -> None:
        self._waiter: asyncio.Future[None] | None = None

    def notify(self) -> None:
        """Wake the waiting task, if there is one."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def wait(self, seconds: float) -> None:
        """Wait for `notify`, at most this long."""
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(None if seconds == math.inf else seconds):
                await self._waiter
        except TimeoutError:
            pass
        finally:
            self._waiter = None


class Gate:
    """What all calls to one provider heed: its pauses, and for each account whether to go on at all."""

    __slots__ = ("_closed", "_listeners", "paused_until")

    def __init__(self) -> None:
        self.paused_until = 0.0
        self._closed: dict[Hashable, ProviderError] = {}
        self._listeners: dict[Signal, None] = {}

    def pause(self, seconds: float) -> None:
        """Let nothing out for this long."""
        self.paused_until = max(self.paused_until, time.monotonic() + seconds)
        self._notify()

    def close(self, account: Hashable, error: ProviderError) -> None:
        """Let nothing out for this account any more; every waiting call ends at once."""
        self._closed.setdefault(account, error)
        self._notify()

    def check(self, account: Hashable, ends: float) -> None:
        """Raise if waiting is of no use: the account is closed, or the pause outlasts the deadline."""
        error = self._closed.get(account)
        if error is not None:
            raise type(error)(f"{error}; not asked again in this run", status=error.status)
        if self.paused_until > ends:
            wait = self.paused_until - time.monotonic()
            raise RateLimited(f"the provider asked to wait {wait:.0f} s longer, past the deadline")

    async def sleep(self, account: Hashable, seconds: float) -> None:
        """Sleep, but no longer than there is a reason to."""
        if account in self._closed:
            return
        signal = Signal()
        self.listen(signal)
        try:
            await signal.wait(seconds)
        finally:
            self._listeners.pop(signal, None)

    def listen(self, signal: Signal) -> None:
        """Notify this signal when an account is closed or a pause begins."""
        self._listeners[signal] = None

    def _notify(self) -> None:
        for listener in tuple(self._listeners):
            listener.notify()


@dataclass(slots=True)
class Slot:
    """One request that is out."""

    started: float
    tokens: list[float] = field(default_factory=list)


class Limiter:
    """Lets requests of one model out in order of arrival, as many as its limits and the provider bear.

    The number in flight is halved when the provider answers 429 and grows by one after as many clean
    answers as may be in flight, never above the cap.
    """

    __slots__ = (
        "_clean",
        "_reduced",
        "_signal",
        "_starts",
        "_tokens",
        "_turn",
        "allowed",
        "in_flight",
        "limits",
    )

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.allowed = limits.max_in_flight
        self.in_flight = 0
        self._turn = asyncio.Lock()
        self._signal = Signal()
        self._starts: deque[float] = deque()
        self._tokens: deque[tuple[float, list[float]]] = deque()
        self._clean = 0
        self._reduced = 0.0

    def tighten(self, limits: Limits) -> None:
        """Heed these limits too; of two that differ the smaller counts."""
        if limits == self.limits:
            return
        mine = self.limits
        self.limits = Limits(
            max_in_flight=min(mine.max_in_flight, limits.max_in_flight),
            requests_per_minute=_smaller(mine.requests_per_minute, limits.requests_per_minute),
            tokens_per_minute=_smaller(mine.tokens_per_minute, limits.tokens_per_minute),
        )
        self.allowed = min(self.allowed, self.limits.max_in_flight)

    async def acquire(self, gate: Gate, account: Hashable, *, tokens: int, ends: float) -> Slot:
        """Wait until a request may go out; `release` what comes back.

        Raises:
            ProviderError: Waiting is of no use, see `Gate.check`.
        """
        gate.check(account, ends)
        if self._turn.locked() or self._delay(gate, tokens):
            gate.listen(self._signal)
            # The lock is fair: its holder is the first in the line.
            async with self._turn:
                gate.check(account, ends)
                while delay := self._delay(gate, tokens):
                    await self._signal.wait(delay)
                    gate.check(account, ends)
                return self._take(tokens)
        return self._take(tokens)

    def release(self, slot: Slot, *, rate_limited: bool = False, tokens: int | None = None) -> None:
        """The request is back; `tokens` is what it really used, where that is known."""
        self.in_flight -= 1
        if slot.tokens and tokens is not None:
            slot.tokens[0] = tokens
        if rate_limited:
            self._reduce(slot)
        else:
            self._clean += 1
            if self._clean >= self.allowed and self.allowed < self.limits.max_in_flight:
                self.allowed += 1
                self._clean = 0
        self._signal.notify()

    def _reduce(self, slot: Slot) -> None:
        self._clean = 0
        # Requests that went out before the last cut say nothing about the number in flight after it.
        if slot.started >= self._reduced:
            self.allowed = max(1, self.allowed // 2)
            self._reduced = time.monotonic()

    def _take(self, tokens: int) -> Slot:
        slot = Slot(time.monotonic())
        self.in_flight += 1
        if self.limits.requests_per_minute is not None:
            self._starts.append(slot.started)
        if self.limits.tokens_per_minute is not None:
            slot.tokens.append(tokens)
            self._tokens.append((slot.started, slot.tokens))
        return slot

    def _delay(self, gate: Gate, tokens: int) -> float:
        """Seconds until a request may go out; 0: now; infinite: when one comes back."""
        if self.in_flight >= self.allowed:
            return math.inf
        now = time.monotonic()
        return max(0.0, gate.paused_until - now, self._minute_delay(now), self._token_delay(now, tokens))

    def _minute_delay(self, now: float) -> float:
        limit = self.limits.requests_per_minute
        if limit is None:
            return 0.0
        while self._starts and self._starts[0] <= now - _MINUTE:
            self._starts.popleft()
        if len(self._starts) < limit:
            return 0.0
        return self._starts[len(self._starts) - limit] + _MINUTE - now

    def _token_delay(self, now: float, tokens: int) -> float:
        limit = self.limits.tokens_per_minute
        if limit is None:
            return 0.0
        while self._tokens and self._tokens[0][0] <= now - _MINUTE:
            self._tokens.popleft()
        excess = sum(entry[0] for _, entry in self._tokens) + tokens - limit
        if excess <= 0 or not self._tokens:
            return 0.0
        for started, entry in self._tokens:
            excess -= entry[0]
            if excess <= 0:
                return started + _MINUTE - now
        # Larger than the limit by itself: it goes out alone.
        return self._tokens[-1][0] + _MINUTE - now


def _smaller(one: int | None, other: int | None) -> int | None:
    known = [value for value in (one, other) if value is not None]
    return min(known) if known else None
