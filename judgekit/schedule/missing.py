"""Why an attempt has no measurement, where that is neither the agent's nor an evaluator's failure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judgekit.evaluation import EvalResult, EvaluatorLike, Kind, Outcome
from judgekit.results import TARGET
from judgekit.schedule.evaluating import requirements_of
from judgekit.text import one_line

__all__ = ["Missing"]


@dataclass(frozen=True, slots=True)
class Missing:
    """A missing measurement of a whole attempt: its kind, a sentence, and the cause in a word or two."""

    kind: Kind
    why: str
    cause: str | None = None

    def results(self, evaluators: Sequence[EvaluatorLike]) -> tuple[EvalResult, ...]:
        """The runner's own result, and the same for each that the evaluators were to give."""
        detail = one_line(self.why)
        return tuple(
            EvalResult(Outcome.INCONCLUSIVE, detail, self.kind, label, name, cause=self.cause)
            for label, name in ((TARGET, None), *requirements_of(evaluators))
        )
