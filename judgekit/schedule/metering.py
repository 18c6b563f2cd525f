"""A run's cost limit over its agents: reserved before each call through litellm, else charged afterwards."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from judgekit.adapters.litellm_events import SCRIPTED_PROVIDER, usage_of
from judgekit.adapters.metering import CallRefused
from judgekit.context import RunScope
from judgekit.errors import BudgetSpent
from judgekit.evaluation import Kind
from judgekit.interaction import Interaction
from judgekit.schedule.missing import Missing
from judgekit.text import counted

if TYPE_CHECKING:
    from judgekit.providers.base import Price
    from judgekit.providers.spend import Ledger

__all__ = ["AgentMeter", "Budget", "CostLimit", "UncountedCostWarning"]


class UncountedCostWarning(UserWarning):
    """A run with a cost limit made model calls whose cost nobody knows."""


@dataclass(frozen=True, slots=True)
class CostLimit:
    """What a run may cost in US dollars, and the prices of agents' models that litellm does not know."""

    dollars: float
    prices: Mapping[str, Price] = field(default_factory=dict)


class Budget:
    """The money of one run, as its agents see it.

    Args:
        limit: What the run may cost.
        scope: Of the run; judges find the ledger there.
        spent: What the attempts of a resumed journal have cost already.
    """

    def __init__(self, limit: CostLimit, scope: RunScope, *, spent: float) -> None:
        from judgekit.providers.spend import LEDGER, Ledger

        self.ledger: Ledger = scope.service(LEDGER, lambda: Ledger(limit.dollars))
        self.ledger.charge(spent)
        self._limit = limit
        self._prices: dict[str, Price | None] = {}
        self._unknown = 0

    @property
    def is_exhausted(self) -> bool:
        """Whether no further agent is called."""
        return self.ledger.is_exhausted

    def missing(self) -> Missing:
        """Why an attempt is not made."""
        return Missing(Kind.BUDGET_SPENT, self.ledger.reached())

    def charge(self, interaction: Interaction, meter: AgentMeter) -> None:
        """Charge what an agent spent beside the calls that its meter saw."""
        known = interaction.known_cost()
        if interaction.cost is None:
            self._unknown += bool(interaction.model_calls) and not meter.calls
        if known > meter.charged:
            self.ledger.charge(known - meter.charged)

    def close(self) -> None:
        """Say what the limit did not count."""
        if self._unknown:
            calls = counted(self._unknown, "agent call")
            warnings.warn(
                f"max_cost does not count {calls} of unknown cost: it holds for models called through "
                "litellm, and for agents that return an Interaction with its cost",
                UncountedCostWarning,
                stacklevel=2,
            )

    def price(self, model: str, provider: str) -> Price | None:
        """The price of an agent's model; None where nobody knows it."""
        from judgekit.providers import Price, price_of

        if provider == SCRIPTED_PROVIDER:
            return Price(0, 0)
        name = model if not provider or model.startswith(f"{provider}/") else f"{provider}/{model}"
        if name not in self._prices:
            given = self._limit.prices
            self._prices[name] = given.get(name) or given.get(model) or price_of(name)
        return self._prices[name]


class AgentMeter:
    """Reserves and charges the calls that one agent call makes through litellm; from any thread.

    Attributes:
        calls: How many were sent.
        charged: US dollars.
        refused: Why a call was refused; None where none was.
    """

    def __init__(self, budget: Budget) -> None:
        self.calls = 0
        self.charged = 0.0
        self.refused: Missing | None = None
        self._budget = budget
        self._lock = threading.Lock()
        self._open: dict[str, tuple[float, Price]] = {}
        self._closed = False

    def before(self, key: str, call: Mapping[str, Any]) -> None:
        """Reserve what a call may cost.

        Raises:
            CallRefused: The limit leaves no room, or nobody knows the model's price.
        """
        if key in self._open:
            return
        model, provider = str(call.get("model") or ""), str(call.get("custom_llm_provider") or "")
        price = self._budget.price(model, provider)
        if price is None:
            why = f"no price is known for the agent's model {provider}/{model}, so no cost limit can hold"
            self._refuse(Missing(Kind.BUDGET_SPENT, f"{why}; give `max_cost(..., prices=...)`", "no price"))
        dollars = price.of(*_most_tokens(call))
        try:
            self._budget.ledger.reserve_now(dollars)
        except BudgetSpent as error:
            self._refuse(Missing(Kind.BUDGET_SPENT, str(error)))
        with self._lock:
            self.calls += 1
            self._open[key] = dollars, price
            late = self._closed
        if late:  # a call of an agent that nobody waits for any more; its end is heard by nobody
            self.close()

    def after(self, key: str, call: Mapping[str, Any], response: Any) -> None:
        """Charge what a call did cost; in full where that is unknown."""
        with self._lock:
            opened = self._open.pop(key, None)
        if opened is not None:
            reserved, price = opened
            self._settle(reserved, _spent(call, response, price, reserved))

    def close(self) -> None:
        """Charge in full what never came to a known end."""
        with self._lock:
            self._closed = True
            left, self._open = list(self._open.values()), {}
        for reserved, _ in left:
            self._settle(reserved, reserved)

    def _settle(self, reserved: float, spent: float) -> None:
        self.charged += spent
        self._budget.ledger.settle(reserved, spent)

    def _refuse(self, missing: Missing) -> NoReturn:
        self.refused = self.refused or missing
        raise CallRefused(missing.why)


def _most_tokens(call: Mapping[str, Any]) -> tuple[int, int]:
    """What a call may use at most, in and out, as far as one can tell."""
    from judgekit.providers.spend import ASSUMED_OUTPUT_TOKENS, estimated_tokens_of

    options = call.get("optional_params") or {}
    asked = "".join(str(part) for part in (call.get("messages") or call.get("input"), options.get("tools")))
    limits = (options.get(name) for name in ("max_tokens", "max_completion_tokens", "max_output_tokens"))
    answered = next((limit for limit in limits if isinstance(limit, int)), ASSUMED_OUTPUT_TOKENS)
    choices = options.get("n")
    return estimated_tokens_of(asked), answered * (choices if isinstance(choices, int) else 1)


def _spent(call: Mapping[str, Any], response: Any, price: Price, reserved: float) -> float:
    if call.get("cache_hit"):
        return 0.0
    if response is None:
        return 0.0 if _was_answered(call) else reserved
    tokens_in, tokens_out, cost = usage_of(call, response)
    if tokens_in is None or tokens_out is None:
        return reserved
    # litellm puts 0 where it knows no price.
    return cost or price.of(tokens_in, tokens_out)


def _was_answered(call: Mapping[str, Any]) -> bool:
    """Whether the server answered a failed call with an error, so that it used no tokens."""
    from judgekit.providers.errors import failure_from

    error = call.get("exception")
    if not isinstance(error, Exception):
        return False
    failure = failure_from(error, model=str(call.get("model")), masked=str)
    return failure.answered or not failure.sent
