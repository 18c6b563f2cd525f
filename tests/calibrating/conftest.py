"""Rows and judges of the calibrating tests."""

import pytest

from judgekit.judging import Judge
from judgekit.testing import ScriptedModel, otherwise, verdict, when


@pytest.fixture
def polite():
    """A criterion whose scripted judge passes every reply that says please."""
    model = ScriptedModel(when("please", verdict(0.9, "asks nicely")), otherwise(verdict(0.2, "curt")))
    return Judge(model).should_score_at_least("The reply is courteous.", 0.7, name="polite")


@pytest.fixture
def rows():
    """120 replies, every other one with please; the human disagrees on the first ten."""
    return [
        {
            "id": f"r{n}",
            "asked": f"What about {n}?",
            "reply": f"Wait for {n}, please." if n % 2 else f"Wait for {n}.",
            "label": bool(n % 2) != (n < 10),
        }
        for n in range(120)
    ]
