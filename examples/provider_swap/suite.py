"""Which provider should answer our mail, and would another judge say the same?

judgekit run examples/provider_swap/suite.py -o swap.html
judgekit run examples/provider_swap/suite.py -o swap.html --max-cost 1 \
    --model openai/gpt-5-mini,anthropic/claude-haiku-4-5 \
    --judge-model openai/gpt-5,gemini/gemini-2.5-pro
"""

import sys

from judgekit import Criterion, EvalCase, Gate, Judge, ProviderSwap
from judgekit.evaluators import reply_should_contain
from judgekit.judging import JudgeBase
from provider_swap.desk import desk
from provider_swap.scripted import scripted_desks, scripted_judges

MESSAGES = {
    "late": "My order o_11 should have been here on Monday. Where is it?",
    "angry": "Three mails and no answer! Where on earth is o_12?",
    "gift": "Order o_13 is a birthday present. Will it be here on Saturday?",
    "empty-box": "The box of order o_14 was empty!",
    "moved": "I have moved. Can order o_15 still go to my new address?",
    "twice": "You have sent me order o_16 twice. What shall I do?",
    "broken": "Order o_17 arrived broken!",
    "polite": "Could you tell me, whenever you find the time, how order o_18 is doing?",
    "cancel": "Please cancel order o_19. I have found it elsewhere.",
    "neighbour": "The carrier says a neighbour has order o_20. None of them does!",
}


def criteria(judge: JudgeBase) -> list[Criterion]:
    """What every judge is asked about every reply."""
    return [
        judge.should_score_at_least(
            "The reply is warm, takes the customer's trouble seriously, and says what happens next.",
            0.7,
            name="care",
        ),
        judge.should_score_at_least(
            "The reply is brief: nothing in it could be left out.", 0.5, name="brief"
        ),
    ]


def _listed(models: str) -> list[str]:
    return [model.strip() for model in models.split(",") if model.strip()]


def experiment(model: str | None = None, judge_model: str | None = None) -> ProviderSwap:
    """The swap over the models named, with commas between; scripted ones stand in where none is named."""
    scripted = [what for what, given in (("desks", model), ("judges", judge_model)) if given is None]
    if scripted:
        print(f"provider swap: scripted {' and '.join(scripted)} stand in for real models", file=sys.stderr)
    desks = scripted_desks() if model is None else {name: name for name in _listed(model)}
    judges = (
        scripted_judges() if judge_model is None else {name: Judge(name) for name in _listed(judge_model)}
    )
    return (
        ProviderSwap("help-desk")
        .cases(
            EvalCase(name, message, reply_should_contain(message[message.index("o_") :][:4]))
            for name, message in MESSAGES.items()
        )
        .agents({name: desk(model) for name, model in desks.items()})
        .judges(judges)
        .criteria(criteria)
        .repeat(2)
        .gate(Gate.target_should_not_fail() & Gate.inconclusive_should_be_at_most(0.05))
    )
