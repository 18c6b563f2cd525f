"""Evaluators derived from what was recorded."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from judgekit.evaluation import EvalCase, EvalResult, EvaluatorLike
from judgekit.evaluators import (
    ForbiddenTools,
    pattern,
    should_call_tool_with,
    should_call_tools,
    should_call_tools_in_order,
    should_make_at_most_model_calls,
    should_reply_within,
    should_use_at_most_tokens,
)
from judgekit.evaluators.evidence import NO_TRACE, PASSED
from judgekit.evaluators.wording import called
from judgekit.interaction import Interaction, ToolCall

__all__ = ["OnlyTheseTools", "budgets", "tool_evaluators"]


@dataclass(frozen=True, slots=True)
class OnlyTheseTools(ForbiddenTools):
    """No tool is called but those that were recorded; it reports as `forbidden-tools`."""

    allowed: tuple[str, ...] = ()

    def evaluate(self, case: EvalCase, interaction: Interaction) -> EvalResult:
        """PASS when no other was called, INCONCLUSIVE without a tool trace."""
        if interaction.tool_calls is None:
            return NO_TRACE
        others = [call for call in interaction.tool_calls if call.name not in self.allowed]
        return EvalResult.failed(f"called {called(others)}") if others else PASSED


def tool_evaluators(calls: Sequence[ToolCall], *, forbid_others: bool) -> Iterator[EvaluatorLike]:
    """Which tools, in which order, with which arguments; and with `forbid_others` no tool beside them."""
    if calls:
        yield should_call_tools(*dict.fromkeys(call.name for call in calls))
        yield should_call_tools_in_order(*(call.name for call in calls))
    for call in calls:
        # Arguments that were no JSON object cannot be compared.
        for name, value in call.arguments.items() if not isinstance(call.arguments, str) else ():
            yield should_call_tool_with(call.name, name, value)
    if forbid_others:
        yield OnlyTheseTools((pattern("*"),), tuple(dict.fromkeys(call.name for call in calls)))


def budgets(
    *, model_calls: int | None, tokens: int | None, latency_ms: int | None, tolerance: float
) -> Iterator[EvaluatorLike]:
    """The budgets of what was recorded; model calls as recorded, the others with the tolerance."""
    if model_calls is not None:
        yield should_make_at_most_model_calls(model_calls)
    if tokens is not None:
        yield should_use_at_most_tokens(_stretched(tokens, tolerance))
    if latency_ms is not None:
        yield should_reply_within(seconds=_stretched(latency_ms, tolerance) / 1000)


def _stretched(amount: int, tolerance: float) -> int:
    # As it is written: 100 x 1.1 is 110, though the product of the floats is more.
    return math.ceil(amount * Fraction(str(tolerance)))
