"""What calls cost: the run's ledger with its limit, and the sum over the attempts of one question."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from judgekit.context import RunScope
from judgekit.errors import BudgetSpent
from judgekit.providers.base import Message, Usage

__all__ = ["LEDGER", "Ledger", "Tally", "estimated_tokens", "ledger_of"]

LEDGER = "judgekit.ledger"
_SLACK = 1e-12


class Ledger:
    """The money of one run, judges and agents together.

    A call reserves what it may cost before it is made and settles what it did cost after it. Where the
    limit leaves room only if calls in flight turn out cheaper than reserved, the call waits for them.

    Args:
        max_cost: US dollars; None: no limit.
    """

    __slots__ = ("_waiting", "max_cost", "reserved", "spent")

    def __init__(self, max_cost: float | None = None) -> None:
        self.max_cost = max_cost
        self.spent = 0.0
        self.reserved = 0.0
        self._waiting: list[asyncio.Future[None]] = []

    async def reserve(self, dollars: float) -> None:
        """Set this much aside; `settle` or `charge` gives it back.

        Raises:
            BudgetSpent: The limit leaves no room for it.
        """
        while not self._has_room(dollars):
            # No room even if everything in flight turned out to be free.
            if self.spent + dollars > self._limit or not self.reserved:
                raise BudgetSpent(
                    f"the run's limit of ${self.max_cost:.4f} is reached: ${self.spent:.4f} spent, "
                    f"and the next call may cost ${dollars:.4f}"
                )
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(waiter)
            try:
                await waiter
            finally:
                if waiter in self._waiting:
                    self._waiting.remove(waiter)
        self.reserved += dollars

    def settle(self, reserved: float, spent: float) -> None:
        """Give back a reservation and charge what was really spent."""
        self.reserved = max(0.0, self.reserved - reserved)
        self.charge(spent)

    def charge(self, dollars: float) -> None:
        """Charge what was spent without a reservation, as by an agent that calls its model itself."""
        self.spent += dollars
        waiting, self._waiting = self._waiting, []
        for waiter in waiting:
            if not waiter.done():
                waiter.set_result(None)

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
    return sum(_tokens_of(str(message.get("content") or "")) + 8 for message in messages)


def _tokens_of(text: str) -> int:
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
