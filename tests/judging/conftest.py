"""Fixtures of the judging tests."""

import asyncio
import json

import pytest

from judgekit.evaluation import EvalCase
from judgekit.interaction import Interaction
from judgekit.testing import Answer, ScriptedModel

REPLY = Interaction(command_text="Where is my order?", reply="It is on its way, thank you!", tool_calls=())


@pytest.fixture
def interaction():
    return REPLY


@pytest.fixture
def evaluate():
    """Evaluate a criterion on an interaction, in a loop of its own."""

    def run(criterion, interaction=REPLY):
        return asyncio.run(criterion.evaluate(EvalCase("case", "Where is my order?"), interaction))

    return run


@pytest.fixture
def scripted():
    """A scripted model that gives these answers in turn, the last one staying."""
    living = []

    def make(*answers, name="judge"):
        texts = [
            answer
            if isinstance(answer, str | Answer) or callable(answer)
            else json.dumps(answer, ensure_ascii=False)
            for answer in answers
        ]
        rest = iter(texts)
        last = texts[-1]
        model = ScriptedModel(lambda turn: _given(next(rest, last), turn), name=name)
        living.append(model)
        return model

    def _given(answer, turn):
        return answer(turn) if callable(answer) else answer

    return make


@pytest.fixture
def scores(scripted):
    """A scripted model that answers these scores in turn, the last one staying."""
    return lambda *values, name="judge": scripted(
        *({"reason": f"because {value}", "score": value} for value in values), name=name
    )
