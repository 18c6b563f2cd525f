"""The gate of an adversarial suite: exact checks hold every time, judged ones nearly so."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalCase, EvaluatorLike
from judgekit.gate import Gate
from judgekit.judging import JudgedEvaluator

__all__ = ["adversarial_gate"]


def adversarial_gate(cases: Iterable[EvalCase], *, judged: float = 0.8) -> Gate:
    """Each exact check of these cases at a rate of 1.0, each judged criterion at `judged`, no failed call.

    Args:
        cases: The suite.
        judged: The pass rate that each judged criterion needs, 0 to 1.

    Raises:
        InvalidArgument: No case has an evaluator, or `judged` is no rate.
    """
    found: dict[Any, float] = {}
    for case in cases:
        for evaluator in case.evaluators:
            unit = _unit(evaluator)
            found[unit] = judged if isinstance(unit, str) else 1.0
    if not found:
        raise InvalidArgument("none of the cases has an evaluator, so there is nothing for a gate to read")
    gate = Gate.target_should_not_fail()
    for unit, rate in reversed(found.items()):
        gate = Gate.pass_rate_should_be_at_least(rate, of=unit) & gate
    return gate


def _unit(evaluator: EvaluatorLike) -> Any:
    """What a gate's `of=` takes: a judged criterion's name, a labelled function, or a class."""
    if isinstance(evaluator, JudgedEvaluator):
        return str(getattr(evaluator, "name", ""))
    return evaluator if inspect.isroutine(evaluator) else type(evaluator)
