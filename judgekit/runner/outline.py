"""What a plan would do, before it does anything: attempts, questions to judges, and what they may cost."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from judgekit.evaluation import EvalCase, EvaluatorLike
from judgekit.gate import Gate
from judgekit.interaction import Interaction
from judgekit.judging.criterion import Criterion, JudgedEvaluator
from judgekit.runner.settings import Prepared
from judgekit.schedule import requirements_of
from judgekit.store import read_run
from judgekit.store.attempts import JournalAttempts

if TYPE_CHECKING:
    from judgekit.providers.base import Price

__all__ = ["Outline", "outline_of"]

# A reply that is not there yet, and a verdict with its reason, as they usually are.
_REPLY = "x" * 900
_VERDICT_TOKENS = 120
_FORM_TOKENS = 500


@dataclass(slots=True)
class Outline:
    """What a plan comes to where every call succeeds at once and nothing is cached.

    Attributes:
        name: The experiment's name.
        cases: After every filter.
        attempts: Still to be made; those of a journal that is resumed are not.
        agent: Who answers; None where recorded interactions are scored.
        evaluators: Labels of all evaluators, in order.
        questions: How often each judge's model is asked, by model; a repeated sample is another question.
        usual_cost: US dollars of the judges, of what has a price: verdicts as long as they usually are.
        most_cost: Likewise, with every answer as long as the judge lets it be.
        unpriced: Models that no price is known of.
        gate: What the run must reach.
    """

    name: str
    cases: int
    attempts: int
    agent: str | None
    evaluators: tuple[str, ...]
    gate: Gate
    questions: Counter[str] = field(default_factory=Counter)
    usual_cost: float = 0.0
    most_cost: float = 0.0
    unpriced: tuple[str, ...] = ()


def outline_of(prepared: Prepared, *, priced: bool) -> Outline:
    """The outline of a plan that was checked; with `priced` litellm is imported for prices."""
    plan = prepared.plan
    labels = [label for case in plan.cases for label, _ in requirements_of(plan.evaluators_of(case))]
    outline = Outline(
        name=prepared.head.name,
        cases=len(plan.cases),
        attempts=0,
        agent=None if plan.agent is None else plan.agent.name,
        evaluators=tuple(dict.fromkeys(labels)),
        gate=prepared.gate,
    )
    prices: dict[str, Price | None] = {}
    shares: Counter[str] = Counter()
    for case, evidence in _to_make(prepared):
        outline.attempts += 1
        for evaluator in plan.evaluators_of(case):
            for judge, share in _asked(evaluator):
                asked = share * getattr(judge, "samples", 1)
                shares[str(judge.model)] += asked  # type: ignore[assignment]  # parts of one question
                if priced:
                    _cost(outline, prices, judge, asked, _tokens(evaluator, judge, evidence))
    outline.questions.update({model: round(share) for model, share in shares.items()})
    outline.unpriced = tuple(model for model, price in prices.items() if price is None)
    return outline


def _to_make(prepared: Prepared) -> Iterator[tuple[EvalCase, Interaction]]:
    """Every attempt that is not in a journal yet, and its evidence as far as it is known."""
    plan, journal = prepared.plan, prepared.settings.journal
    made = read_run(journal).attempts if journal is not None else None
    for index, case in enumerate(plan.cases):
        for run in range(1, plan.runs_of(case) + 1):
            if isinstance(made, JournalAttempts) and made.holds(index, run):
                continue
            yield case, case.interactions[run - 1] if plan.agent is None else _expected(case)


def _expected(case: EvalCase) -> Interaction:
    return Interaction(command_text=case.command_text(), reply=_REPLY)


def _asked(evaluator: EvaluatorLike) -> Iterator[tuple[Any, float]]:
    """Each judge that an evaluator asks, and which share of a question this evaluator stands for."""
    if not isinstance(evaluator, JudgedEvaluator):
        return
    judges: list[Any] = []

    def noted(judge: Any) -> Any:
        judges.append(judge)
        return judge

    with contextlib.suppress(NotImplementedError):
        evaluator.map_judges(noted)
    rubric = getattr(evaluator, "rubric", None)
    orders = 2 if getattr(evaluator, "needs_model", False) else 1
    for judge in judges:
        if isinstance(getattr(judge, "model", None), str):
            # The lines of one rubric share one request.
            yield judge, (1 / len(rubric.criteria) if rubric is not None else orders)


def _tokens(evaluator: EvaluatorLike, judge: Any, evidence: Interaction) -> int:
    from judgekit.providers.spend import estimated_tokens, estimated_tokens_of

    if type(evaluator) is Criterion:
        question = judge.question(judge.schema_for(evaluator), evaluator.parts(evidence))
        return estimated_tokens(question.messages)
    parts = getattr(evaluator, "parts", None)
    texts = parts(evidence).values() if parts is not None else (evidence.reply or "",)
    return _FORM_TOKENS + sum(map(estimated_tokens_of, texts))


def _cost(outline: Outline, prices: dict[str, Price | None], judge: Any, asked: float, tokens: int) -> None:
    from judgekit.providers.spend import ASSUMED_OUTPUT_TOKENS

    model = str(judge.model)
    if model not in prices:
        prices[model] = _price(judge)
    price = prices[model]
    if price is not None:
        outline.usual_cost += asked * price.of(tokens, _VERDICT_TOKENS)
        outline.most_cost += asked * price.of(tokens, judge.max_tokens or ASSUMED_OUTPUT_TOKENS)


def _price(judge: Any) -> Price | None:
    from judgekit.providers import Price, price_of

    own: Price | None = getattr(judge, "price", None)
    if own is not None:
        return own
    return Price(0, 0) if callable(getattr(judge.model, "complete", None)) else price_of(str(judge.model))
