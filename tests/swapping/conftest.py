"""Agents that count their calls, and judges that need no model."""

import pytest

from judgekit import EvalCase, Interaction, ModelCall, ProviderSwap, Verdict
from judgekit.evaluators import reply_should_contain
from judgekit.judging import JudgeBase


class Counted:
    """An agent that notes what it was asked; `reply` says what it answers to the n-th call."""

    def __init__(self, reply, *, cost=None, model="openai/gpt-5-mini"):
        self.reply, self.cost, self.model, self.asked = reply, cost, model, []

    def __call__(self, command):
        self.asked.append(command)
        text = self.reply(command) if callable(self.reply) else self.reply
        call = ModelCall(model=self.model, input_tokens=10, output_tokens=5, latency=0.1, cost=self.cost)
        return Interaction(reply=text, model_calls=(call,), latency=0.25)


class Decides(JudgeBase):
    """A judge that scores by a function of the reply, and notes what it saw."""

    def __init__(self, score):
        self.score, self.seen = score, []

    def __repr__(self):
        return "Decides()"  # what it has seen is no part of the plan

    async def decide(self, criterion, interaction):
        self.seen.append((criterion, interaction.reply))
        return Verdict(self.score(interaction.reply), "as the test says")


def length_of(reply):
    return min(1.0, len(reply) / 20)


@pytest.fixture
def short():
    return Counted("order 7", cost=0.001)


@pytest.fixture
def long():
    return Counted("order 7 is on its way to you", cost=0.01, model="anthropic/claude-haiku-4-5")


@pytest.fixture
def strict():
    return Decides(length_of)


@pytest.fixture
def kind():
    return Decides(lambda reply: 0.9)


def cases(count=4):
    return [
        EvalCase(f"case-{n}", f"where is order {n}?", reply_should_contain("order")) for n in range(count)
    ]


def tone(judge):
    return judge.should_score_at_least("polite and complete", 0.7, name="tone")


@pytest.fixture
def swap(short, long, strict, kind, tmp_path):
    """Two agents before two judges over four cases, with a folder of its own for its runs."""
    return (
        ProviderSwap("swap")
        .cases(cases())
        .agents({"short": short, "long": long})
        .judges({"strict": strict, "kind": kind})
        .criteria(tone)
        .report_directory(tmp_path / "runs")
    )


@pytest.fixture
def make():
    """The parts that tests build swaps from."""
    return {"Counted": Counted, "Decides": Decides, "cases": cases, "tone": tone}
