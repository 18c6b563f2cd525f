"""What a plan would do, before it does anything: attempts, questions to judges, and what they may cost."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from judgekit.conversation import turns_of, view_of_turn, whole_of
from judgekit.evaluation import EvalCase, EvaluatorLike, command_text
from judgekit.gate import Gate
from judgekit.interaction import Interaction
from judgekit.judging.criterion import Criterion, JudgedEvaluator
from judgekit.runner.settings import Prepared
from judgekit.schedule import requirements_of
from judgekit.simulating import SimulatedUser
from judgekit.store import read_run
from judgekit.store.attempts import JournalAttempts

if TYPE_CHECKING:
    from judgekit.providers.base import Price

__all__ = ["Outline", "outline_of"]

# A reply that is not there yet, and a verdict with its reason, as they usually are.
_REPLY = "x" * 900
_MESSAGE = "x" * 200
_VERDICT_TOKENS = 120
_MESSAGE_TOKENS = 60
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
        agent_calls: One for each turn of a conversation, where simulated users speak as often as they may.
        open_ended: Whether a simulated user may end a conversation before that.
        user_questions: How often the model of each simulated user is asked at most, by model.
        users_usual_cost: US dollars of the simulated users, of what has a price, where they speak as often
            as they may: messages as long as they usually are.
        users_most_cost: Likewise, with every message as long as the user's `max_tokens` lets it be.
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
    agent_calls: int = 0
    open_ended: bool = False
    user_questions: Counter[str] = field(default_factory=Counter)
    users_usual_cost: float = 0.0
    users_most_cost: float = 0.0


def outline_of(prepared: Prepared, *, priced: bool) -> Outline:
    """The outline of a plan that was checked; with `priced` litellm is imported for prices."""
    plan = prepared.plan
    labels = [label for case in plan.cases for label, _ in requirements_of(plan.evaluators_of(case))]
    outline = Outline(
        name=prepared.head.name,
        cases=len(plan.cases),
        attempts=0,
        agent=plan.agent_names,
        evaluators=tuple(dict.fromkeys(labels)),
        gate=prepared.gate,
    )
    count = _Count(outline, priced=priced)
    for case, evidence in _to_make(prepared):
        outline.attempts += 1
        if plan.agent_of(case) is not None:
            count.conversation(case, evidence)
        for evaluator, seen in _shown(case, plan.evaluators_of(case), evidence):
            count.judges_of(evaluator, seen)
    outline.questions.update({model: round(share) for model, share in count.shares.items()})
    outline.unpriced = tuple(model for model, price in count.prices.items() if price is None)
    return outline


class _Count:
    """Adds up what is asked in an outline."""

    def __init__(self, outline: Outline, *, priced: bool) -> None:
        self.outline = outline
        self.priced = priced
        self.prices: dict[str, Price | None] = {}
        self.shares: Counter[str] = Counter()

    def conversation(self, case: EvalCase, evidence: Interaction) -> None:
        """The calls of an agent, and what a simulated user asks its model before each of its messages."""
        turns = evidence.turns or (evidence,)
        self.outline.agent_calls += len(turns)
        user = case.dialogue.user if case.dialogue is not None else None
        if user is None or case.dialogue is None:
            return
        self.outline.open_ended = True
        if not isinstance(user, SimulatedUser):
            return
        self.outline.user_questions[str(user.model)] += user.max_turns
        if self.priced:
            for said in range(len(case.dialogue.commands), len(turns)):
                self._user_cost(user, turns[:said])

    def _user_cost(self, user: SimulatedUser, turns: Sequence[Interaction]) -> None:
        from judgekit.providers.spend import ASSUMED_OUTPUT_TOKENS, estimated_tokens

        price = self._price_of(user)
        if price is not None:
            tokens = estimated_tokens(user.request(turns).messages)
            self.outline.users_usual_cost += price.of(tokens, _MESSAGE_TOKENS)
            self.outline.users_most_cost += price.of(tokens, user.max_tokens or ASSUMED_OUTPUT_TOKENS)

    def judges_of(self, evaluator: EvaluatorLike, evidence: Interaction) -> None:
        """The questions of one evaluator about this evidence."""
        from judgekit.providers.spend import ASSUMED_OUTPUT_TOKENS

        for judge, share in _asked(evaluator):
            asked = share * getattr(judge, "samples", 1)
            self.shares[str(judge.model)] += asked  # type: ignore[assignment]  # parts of one question
            price = self._price_of(judge) if self.priced else None
            if price is not None:
                tokens = _tokens(evaluator, judge, evidence)
                self.outline.usual_cost += asked * price.of(tokens, _VERDICT_TOKENS)
                self.outline.most_cost += asked * price.of(tokens, judge.max_tokens or ASSUMED_OUTPUT_TOKENS)

    def _price_of(self, asker: Any) -> Price | None:
        model = str(asker.model)
        if model not in self.prices:
            self.prices[model] = _price(asker)
        return self.prices[model]


def _to_make(prepared: Prepared) -> Iterator[tuple[EvalCase, Interaction]]:
    """Every attempt that is not in a journal yet, and its evidence as far as it is known."""
    plan, journal = prepared.plan, prepared.settings.journal
    made = read_run(journal).attempts if journal is not None else None
    for index, case in enumerate(plan.cases):
        for run in range(1, plan.runs_of(case) + 1):
            if isinstance(made, JournalAttempts) and made.holds(index, run):
                continue
            yield case, case.interactions[run - 1] if plan.agent_of(case) is None else _expected(case)


def _expected(case: EvalCase) -> Interaction:
    """The evidence of an attempt that is not made yet; of a conversation the longest that there can be."""
    if case.dialogue is None:
        return Interaction(command_text=case.command_text(), reply=_REPLY)
    said = [command_text(command) for command in case.dialogue.commands]
    if case.dialogue.user is not None:
        said += [_MESSAGE] * case.dialogue.user.max_turns
    return whole_of([Interaction(command_text=text, reply=_REPLY) for text in said])


def _shown(
    case: EvalCase, evaluators: Sequence[EvaluatorLike], evidence: Interaction
) -> Iterator[tuple[EvaluatorLike, Interaction]]:
    """Each evaluator with what it is shown: its turn with what was said before, or the whole."""
    if case.dialogue is None:
        yield from ((evaluator, evidence) for evaluator in evaluators)
        return
    turns = turns_of(evidence)
    of_turns, of_whole = case.dialogue.split(evaluators)
    for number, own in enumerate(of_turns[: len(turns)], start=1):
        yield from ((evaluator, view_of_turn(turns, number)) for evaluator in own)
    yield from ((evaluator, evidence) for evaluator in of_whole)


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


def _price(asker: Any) -> Price | None:
    from judgekit.providers import Price, price_of

    own: Price | None = getattr(asker, "price", None)
    if own is not None:
        return own
    return Price(0, 0) if callable(getattr(asker.model, "complete", None)) else price_of(str(asker.model))
