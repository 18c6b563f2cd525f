"""Why an attempt has no measurement, where that is neither the agent's nor an evaluator's failure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judgekit.evaluation import EvalResult, EvaluatorLike, Kind, Outcome
from judgekit.results import TARGET
from judgekit.schedule.evaluating import requirements_of
from judgekit.text import one_line

__all__ = ["Missing", "not_run"]


@dataclass(frozen=True, slots=True)
class Missing:
    """A missing measurement of a whole attempt: its kind, a sentence, and the cause in a word or two."""

    kind: Kind
    why: str
    cause: str | None = None

    def results(self, evaluators: Sequence[EvaluatorLike]) -> tuple[EvalResult, ...]:
        """The runner's own result, and the same for each that the evaluators were to give."""
        return (self._result(TARGET, None), *self.in_place_of(evaluators))

    def in_place_of(self, evaluators: Sequence[EvaluatorLike]) -> tuple[EvalResult, ...]:
        """A result for each that the evaluators were to give."""
        return tuple(self._result(label, name) for label, name in requirements_of(evaluators))

    def _result(self, label: str, name: str | None) -> EvalResult:
        return EvalResult(Outcome.INCONCLUSIVE, one_line(self.why), self.kind, label, name, cause=self.cause)


def not_run(
    evaluators: Sequence[EvaluatorLike], why: str = "the attempt failed before it"
) -> tuple[EvalResult, ...]:
    """The results of evaluators that an attempt never reached."""
    return Missing(Kind.NOT_RUN, why).in_place_of(evaluators)
