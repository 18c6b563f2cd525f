"""What calls cost: the run's ledger with its limit, and the sum over the attempts of one question."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass

from judgekit.context import RunScope
from judgekit.errors import BudgetSpent
from judgekit.providers.base import Message, Usage

__all__ = [
    "ASSUMED_OUTPUT_TOKENS",
    "LEDGER",
    "Ledger",
    "Tally",
    "estimated_tokens",
    "estimated_tokens_of",
    "ledger_of",
]

LEDGER = "judgekit.ledger"
# What a call without `max_tokens` is taken to answer at most: the longest answer that models allow would
# reserve a hundred times what calls cost.
ASSUMED_OUTPUT_TOKENS = 1024
_SLACK = 1e-12


class Ledger:
    """The money of one run, judges and agents together. Threads may share it.

    A call reserves what it may cost before it is made and settles what it did cost after it. Where the
    limit leaves room only if calls in flight turn out cheaper than reserved, `reserve` waits for them.

    Args:
        max_cost: US dollars; None: no limit.
    """

    __slots__ = ("_lock", "_waiting", "max_cost", "reserved", "spent")

    def __init__(self, max_cost: float | None = None) -> None:
        self.max_cost = max_cost
        self.spent = 0.0
        self.reserved = 0.0
        self._lock = threading.Lock()
        self._waiting: list[Future[None]] = []

    @property
    def is_exhausted(self) -> bool:
        """Whether money was spent and nothing is left of the limit."""
        return self.spent > 0 and self.spent >= self._limit - 2 * _SLACK

    async def reserve(self, dollars: float) -> None:
        """Set this much aside; `settle` gives it back.

        Raises:
            BudgetSpent: The limit leaves no room for it.
        """
        while (waiter := self._reserved_or_waiting(dollars)) is not None:
            await asyncio.wrap_future(waiter)

    def reserve_now(self, dollars: float) -> None:
        """Likewise, without waiting for calls in flight.

        Raises:
            BudgetSpent: The limit leaves no room for it beside what calls in flight have reserved.
        """
        with self._lock:
            if not self._has_room(dollars):
                raise BudgetSpent(self.reached(dollars))
            self.reserved += dollars

    def settle(self, reserved: float, spent: float) -> None:
        """Give back a reservation and charge what was really spent."""
        with self._lock:
            self.reserved = max(0.0, self.reserved - reserved)
            self.spent += spent
            waiting, self._waiting = self._waiting, []
        for waiter in waiting:
            with suppress(InvalidStateError):  # who waited was cancelled
                waiter.set_result(None)

    def charge(self, dollars: float) -> None:
        """Charge what was spent without a reservation, as by an agent that calls its model itself."""
        self.settle(0.0, dollars)

    def reached(self, dollars: float = 0.0) -> str:
        """The sentence that says so, before a call of this much."""
        text = f"the run's limit of ${self.max_cost or 0:.4f} is reached: ${self.spent:.4f} spent"
        return f"{text}, and the next call may cost ${dollars:.4f}" if dollars else text

    def _reserved_or_waiting(self, dollars: float) -> Future[None] | None:
        with self._lock:
            if self._has_room(dollars):
                self.reserved += dollars
                return None
            # No room even if everything in flight turned out to be free.
            if self.spent + dollars > self._limit or not self.reserved:
                raise BudgetSpent(self.reached(dollars))
            waiter: Future[None] = Future()
            self._waiting = [*(other for other in self._waiting if not other.done()), waiter]
            return waiter

    @property
    def _limit(self) -> float:
        return float("inf") if self.max_cost is None else self.max_cost + _SLACK

    def _has_room(self, dollars: float) -> bool:
        return self.spent + self.reserved + dollars <= self._limit


def ledger_of(scope: RunScope) -> Ledger:
    """The run's ledger; a runner with a limit puts its own there first, under `LEDGER`."""
    return scope.service(LEDGER, Ledger)


def estimated_tokens(messages: Iterable[Message]) -> int:
    """A cautious guess at the tokens of messages, rather too many than too few.

    One for three characters of ASCII text or two bytes of other text, and some for each message.
    """
    return sum(estimated_tokens_of(str(message.get("content") or "")) + 8 for message in messages)


def estimated_tokens_of(text: str) -> int:
    """The same guess for one text."""
    return len(text) // 3 if text.isascii() else len(text.encode("utf-8", "replace")) // 2


@dataclass(slots=True)
class Tally:
    """The sum over the HTTP requests of one question, and how many of them are unknown."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    unknown_tokens: int = 0
    unknown_costs: int = 0

    def add_reply(self, input_tokens: int | None, output_tokens: int | None, cost: float | None) -> None:
        """A request that was answered; None is unknown."""
        self.requests += 1
        self.input_tokens += input_tokens or 0
        self.output_tokens += output_tokens or 0
        self.cost += cost or 0.0
        self.unknown_tokens += input_tokens is None or output_tokens is None
        self.unknown_costs += cost is None

    def add_failure(self, *, answered: bool) -> None:
        """A request that failed: free where the server answered with an error, else of unknown cost."""
        self.requests += 1
        self.unknown_tokens += not answered
        self.unknown_costs += not answered

    def usage(self) -> Usage:
        """The sum so far."""
        return Usage(
            requests=self.requests,
            known_input_tokens=self.input_tokens,
            known_output_tokens=self.output_tokens,
            known_cost=self.cost,
            tokens_complete=not self.unknown_tokens,
            cost_complete=not self.unknown_costs,
        )
