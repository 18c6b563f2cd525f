"""What a turn may cost: tool calls, model calls, tokens, time and money."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import timedelta

from judgekit.checking import is_finite_number
from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalCase, EvalResult, built_in_label
from judgekit.evaluators.evidence import (
    NO_COST,
    NO_MODEL_CALLS,
    NO_TIMING,
    NO_TOKENS,
    NO_TRACE,
    PASSED,
    REPLAYED,
)
from judgekit.evaluators.limits import checked_count, checked_seconds
from judgekit.evaluators.wording import dollars, durations, listed
from judgekit.interaction import Interaction
from judgekit.text import counted

__all__ = [
    "CostBudget",
    "LatencyBudget",
    "ModelCallBudget",
    "TokenBudget",
    "ToolCallBudget",
    "should_cost_at_most",
    "should_make_at_most_model_calls",
    "should_make_at_most_tool_calls",
    "should_reply_within",
    "should_use_at_most_tokens",
]

# Sums of prices carry float noise far below a millionth of a cent.
_COST_TOLERANCE = 1e-9


@built_in_label("tool-call-budget")
@dataclass(frozen=True, slots=True)
class ToolCallBudget:
    """At most `limit` tool calls. See `should_make_at_most_tool_calls`."""

    limit: int

    def __post_init__(self) -> None:
        checked_count("tool-call-budget", "n", self.limit, minimum=0)

    def evaluate(self, case: EvalCase, interaction: Interaction) -> EvalResult:
        """PASS within the limit, INCONCLUSIVE without a tool trace."""
        calls = interaction.tool_calls
        if calls is None:
            return NO_TRACE
        if len(calls) <= self.limit:
            return PASSED
        made = counted(len(calls), "tool call")
        return EvalResult.failed(f"made {made}, allowed {self.limit}: {listed(calls)}")


@built_in_label("model-call-budget")
@dataclass(frozen=True, slots=True)
class ModelCallBudget:
    """At most `limit` model calls. See `should_make_at_most_model_calls`."""

    limit: int

    def __post_init__(self) -> None:
        checked_count("model-call-budget", "n", self.limit, minimum=1)

    def evaluate(self, case: EvalCase, interaction: Interaction) -> EvalResult:
        """PASS within the limit, INCONCLUSIVE where nobody recorded model calls."""
        calls = interaction.model_calls
        if calls is None:
            return NO_MODEL_CALLS
        if len(calls) <= self.limit:
            return PASSED
        return EvalResult.failed(f"made {counted(len(calls), 'model call')}, allowed {self.limit}")


@built_in_label("token-budget")
@dataclass(frozen=True, slots=True)
class TokenBudget:
    """At most `limit` tokens in and out together. See `should_use_at_most_tokens`."""

    limit: int

    def __post_init__(self) -> None:
        checked_count("token-budget", "n", self.limit, minimum=1)

    def evaluate(self, case: EvalCase, interaction: Interaction) -> EvalResult:
        """PASS within the limit; INCONCLUSIVE where a count is unknown and the known part is within it."""
        tokens_in, tokens_out = interaction.input_tokens, interaction.output_tokens
        if tokens_in is not None and tokens_out is not None:
            used = tokens_in + tokens_out
            if used <= self.limit:
                return PASSED
            return EvalResult.failed(
                f"used {counted(used, 'token')} ({tokens_in} in, {tokens_out} out), allowed {self.limit}"
            )
        if interaction.model_calls == ():
            return PASSED
        return self._from_known_part(interaction)

    def _from_known_part(self, interaction: Interaction) -> EvalResult:
        known = sum(interaction.known_tokens())
        if not known:
            return NO_TOKENS
        parts = (
            f"{_amount(interaction.input_tokens, interaction.known_tokens()[0])} in, "
            f"{_amount(interaction.output_tokens, interaction.known_tokens()[1])} out"
        )
        if known > self.limit:
            return EvalResult.failed(
                f"used at least {counted(known, 'token')} ({parts}), allowed {self.limit}"
            )
        return EvalResult.inconclusive(f"some token counts are missing in the evidence ({parts})")


def _amount(whole: int | None, known: int) -> str:
    if whole is not None:
        return str(whole)
    return f"at least {known}" if known else "unknown"


@built_in_label("latency-budget")
@dataclass(frozen=True, slots=True)
class LatencyBudget:
    """A reply within `seconds`. See `should_reply_within`."""

    seconds: float

    def __post_init__(self) -> None:
        seconds = checked_seconds("latency-budget", "seconds", self.seconds)
        object.__setattr__(self, "seconds", seconds)

    def evaluate(self, case: EvalCase, interaction: Interaction) -> EvalResult:
        """PASS within the limit; INCONCLUSIVE without timing, or where the reply was replayed."""
        latency = interaction.latency
        if interaction.replayed:
            return REPLAYED
        if latency is None:
            return NO_TIMING
        if latency <= self.seconds:
            return PASSED
        took, allowed = durations(latency, self.seconds)
        return EvalResult.failed(f"took {took}, allowed {allowed}")


@built_in_label("cost-budget")
@dataclass(frozen=True, slots=True)
class CostBudget:
    """At most this many US dollars. See `should_cost_at_most`."""

    dollars: float

    def __post_init__(self) -> None:
        if not is_finite_number(self.dollars) or self.dollars < 0:
            raise InvalidArgument(
                f"cost-budget: `dollars` must be a finite number from 0 up, got {self.dollars!r}"
            )

    def evaluate(self, case: EvalCase, interaction: Interaction) -> EvalResult:
        """PASS within the limit; INCONCLUSIVE where a price is unknown and the known part is within it."""
        cost = interaction.cost
        if cost is not None:
            if cost <= self.dollars + _COST_TOLERANCE:
                return PASSED
            spent, allowed = dollars(cost, self.dollars)
            return EvalResult.failed(f"cost {spent}, allowed {allowed}")
        calls = interaction.model_calls
        if calls is None:
            return NO_COST
        if not calls:
            return PASSED
        known = math.fsum(call.cost for call in calls if call.cost is not None)
        if known > self.dollars + _COST_TOLERANCE:
            spent, allowed = dollars(known, self.dollars)
            return EvalResult.failed(f"cost at least {spent}, allowed {allowed}")
        unknown = sum(call.cost is None for call in calls)
        return EvalResult.inconclusive(
            f"the price of {unknown} of {counted(len(calls), 'model call')} is unknown"
        )


def should_make_at_most_tool_calls(n: int) -> ToolCallBudget:
    """The agent makes at most `n` tool calls; 0 is a real limit.

    Raises:
        InvalidArgument: `n` is no whole number from 0 up.
    """
    return ToolCallBudget(n)


def should_make_at_most_model_calls(n: int) -> ModelCallBudget:
    """The agent makes at most `n` model calls.

    Raises:
        InvalidArgument: `n` is no whole number from 1 up.
    """
    return ModelCallBudget(n)


def should_use_at_most_tokens(n: int) -> TokenBudget:
    """The turn uses at most `n` tokens, input and output together.

    A count that the model did not report is unknown, never 0: the result is then inconclusive, unless the
    known part alone exceeds the limit.

    Raises:
        InvalidArgument: `n` is no whole number from 1 up.
    """
    return TokenBudget(n)


def should_reply_within(limit: timedelta | None = None, *, seconds: float | None = None) -> LatencyBudget:
    """The agent replies within this time.

    Args:
        limit: The time as a timedelta.
        seconds: The time in seconds; write one of the two.

    Raises:
        InvalidArgument: Neither or both are given, or the time is not above 0.
    """
    if limit is not None and not isinstance(limit, timedelta):
        raise InvalidArgument(
            f"latency-budget: a limit without a unit, got {limit!r}; write seconds={limit!r} or a timedelta"
        )
    if (limit is None) == (seconds is None):
        raise InvalidArgument("latency-budget: write either seconds=... or a timedelta, and only one of them")
    if limit is not None:
        return LatencyBudget(limit.total_seconds())
    return LatencyBudget(checked_seconds("latency-budget", "seconds", seconds))


def should_cost_at_most(dollars: float) -> CostBudget:
    """The turn costs at most this many US dollars; 0 is a real limit.

    A price that is not known is never 0: the result is then inconclusive, unless the known part alone
    exceeds the limit.

    Raises:
        InvalidArgument: It is no finite number from 0 up.
    """
    return CostBudget(dollars)
