"""Evaluators at work: each gives its results, whatever it returns, raises, or waits for."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from judgekit.evaluation import EvalCase, EvalResult, EvaluatorLike, Kind, Outcome, label_of
from judgekit.interaction import Interaction
from judgekit.results import Requirements
from judgekit.schedule.bounded import Ended, bounded, stops_the_run
from judgekit.text import first_line, one_line

__all__ = ["JUDGE", "Evaluation", "requirements_of"]

JUDGE = "judge"
LIMIT_SECONDS = 60.0

_LATE = f"the evaluator gave no result within {LIMIT_SECONDS:g} s"
_NO_RESULT = "the evaluator returned no result"


def requirements_of(evaluators: Sequence[EvaluatorLike]) -> Requirements:
    """Label and criterion name of each result that these evaluators will give, in order."""
    return tuple(
        (label, _name_of(label, evaluator))
        for evaluator in evaluators
        for label in (label_of(evaluator),) * _count_of(evaluator)
    )


def _name_of(label: str, evaluator: EvaluatorLike) -> str | None:
    return getattr(evaluator, "name", None) if label == JUDGE else None


def _count_of(evaluator: EvaluatorLike) -> int:
    return getattr(evaluator, "result_count", 1)


def _under(label: str, result: EvalResult) -> EvalResult:
    return EvalResult(
        result.outcome,
        result.detail,
        result.kind,
        label,
        result.name,
        result.score,
        result.threshold,
        result.cause,
        result.measurements,
    )


class _Labelled:
    """Puts one label on results, and remembers the last: most built-ins return one shared constant."""

    __slots__ = ("label", "last", "method", "relabelled")

    def __init__(self, label: str, *, method: bool) -> None:
        self.label = label
        self.method = method
        self.last: EvalResult | None = None
        self.relabelled: EvalResult | None = None

    def __call__(self, result: EvalResult) -> EvalResult:
        if result is self.last and self.relabelled is not None:
            return self.relabelled
        self.last, self.relabelled = result, _under(self.label, result)
        return self.relabelled


@dataclass(slots=True)
class _Work:
    case: EvalCase
    interaction: Interaction
    waiting: Iterator[EvaluatorLike]
    results: list[EvalResult]
    current: EvaluatorLike | None = None


class Evaluation:
    """Runs the evaluators of one run's attempts, one after the other within an attempt.

    Sync evaluators run right here, without a task, a thread or a wait.
    """

    def __init__(self) -> None:
        self._labels: dict[object, _Labelled] = {}

    async def results(
        self, case: EvalCase, interaction: Interaction, evaluators: Sequence[EvaluatorLike]
    ) -> tuple[EvalResult, ...]:
        """What each evaluator finds, in order."""
        work = _Work(case, interaction, iter(evaluators), [])
        while (pending := self._advance(work)) is not None:
            self._take_awaited(work, await bounded(pending, self._limit(work)))
        return tuple(work.results)

    def _advance(self, work: _Work) -> Awaitable[Any] | None:
        """Run evaluators up to the first that has to be awaited."""
        case, interaction, results = work.case, work.interaction, work.results
        for evaluator in work.waiting:
            labelled = self._labels.get(type(evaluator)) or self._labelled(evaluator)
            try:
                call: Callable[..., Any] = evaluator.evaluate if labelled.method else evaluator  # type: ignore[union-attr,assignment]
                found = call(case, interaction)
            except BaseException as error:  # noqa: BLE001 - pytest.fail and sys.exit raise no Exception
                self._spread(work, evaluator, _thrown(error))
                continue
            if type(found) is EvalResult and not hasattr(evaluator, "result_count"):
                results.append(labelled(found))
            elif inspect.isawaitable(found):
                work.current = evaluator
                return found
            else:
                self._take(work, evaluator, found)
        return None

    def _labelled(self, evaluator: EvaluatorLike) -> _Labelled:
        """The label of an evaluator, kept by its class; functions and odd instances have their own."""
        own = inspect.isroutine(evaluator) or "__eval_label__" in getattr(evaluator, "__dict__", ())
        key: object = id(evaluator) if own else type(evaluator)
        found = self._labels.get(key)
        if found is None:
            method = callable(getattr(evaluator, "evaluate", None))
            found = self._labels[key] = _Labelled(label_of(evaluator), method=method)
        return found

    def _limit(self, work: _Work) -> float | None:
        """Judges have deadlines of their own."""
        return None if work.current is not None and label_of(work.current) == JUDGE else LIMIT_SECONDS

    def _take_awaited(self, work: _Work, ended: Ended) -> None:
        evaluator = work.current
        assert evaluator is not None  # noqa: S101 - set by `_advance` before it returns something to await
        if ended.expired:
            result = EvalResult.inconclusive(_LATE, kind=Kind.TIME_LIMIT)
            self._spread(work, evaluator, result)
        elif ended.error is not None:
            self._spread(work, evaluator, _thrown(ended.error))
        else:
            self._take(work, evaluator, ended.value)

    def _take(self, work: _Work, evaluator: EvaluatorLike, found: object) -> None:
        count = _count_of(evaluator)
        declared = hasattr(evaluator, "result_count")
        several = list(found) if declared and isinstance(found, list | tuple) else [found]
        results = [result for result in several if isinstance(result, EvalResult)]
        if len(results) != count or len(several) != count:
            self._spread(work, evaluator, EvalResult.failed(_NO_RESULT))
            return
        label = label_of(evaluator)
        work.results.extend(_under(label, result) for result in results)

    def _spread(self, work: _Work, evaluator: EvaluatorLike, result: EvalResult) -> None:
        """The same result for each that the evaluator was to give."""
        label = label_of(evaluator)
        named = replace(result, label=label, name=_name_of(label, evaluator))
        work.results.extend([named] * _count_of(evaluator))


def _thrown(error: BaseException) -> EvalResult:
    if stops_the_run(error):
        raise error
    return EvalResult(Outcome.FAIL, one_line(f"the evaluator threw {first_line(error)}"))
