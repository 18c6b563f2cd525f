"""The same experiment before other judges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from judgekit.evaluation import EvalCase, EvaluatorLike
from judgekit.runner.settings import Settings

__all__ = ["with_judges"]


def with_judges(settings: Settings, change: Callable[[Any], Any]) -> Settings:
    """The settings with every judge replaced by what `change` makes of it."""
    changed: dict[int, EvaluatorLike] = {}

    def mapped(evaluators: tuple[EvaluatorLike, ...]) -> tuple[EvaluatorLike, ...]:
        for evaluator in evaluators:
            # Evaluators that cases share stay shared.
            if id(evaluator) not in changed:
                map_judges = getattr(evaluator, "map_judges", None)
                changed[id(evaluator)] = evaluator if map_judges is None else map_judges(change)
        return tuple(changed[id(evaluator)] for evaluator in evaluators)

    cases = tuple(_with_evaluators(case, mapped(case.evaluators)) for case in settings.cases)
    return replace(settings, cases=cases, evaluators=mapped(settings.evaluators))


def _with_evaluators(case: EvalCase, evaluators: tuple[EvaluatorLike, ...]) -> EvalCase:
    if all(new is old for new, old in zip(evaluators, case.evaluators, strict=True)):
        return case
    return case.replaced(evaluators=evaluators)
