"""The results of one agent call, whether it came to an end or failed."""

from __future__ import annotations

from collections.abc import Sequence

from judgekit.evaluation import EvalCase, EvalResult, EvaluatorLike
from judgekit.schedule.agents import Target
from judgekit.schedule.evaluating import Evaluation
from judgekit.schedule.missing import not_run

__all__ = ["results_of"]


async def results_of(
    evaluation: Evaluation, case: EvalCase, target: Target, evaluators: Sequence[EvaluatorLike]
) -> tuple[EvalResult, ...]:
    """What each evaluator finds; after a failed call only those run that ask for a block."""
    if target.failed is None:
        return await evaluation.results(case, target.interaction, evaluators)
    results: list[EvalResult] = []
    for evaluator in evaluators:
        if getattr(evaluator, "runs_after_failure", False):
            results += await evaluation.results(case, target.interaction, (evaluator,))
        else:
            results += not_run((evaluator,))
    return tuple(results)
