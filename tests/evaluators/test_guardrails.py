"""Blocked turns."""

import pytest

from judgekit.evaluation import EvalCase, Outcome
from judgekit.evaluators import should_be_blocked, should_not_be_blocked
from judgekit.evaluators.evidence import PASSED
from judgekit.interaction import GuardrailResult, Interaction

CASE = EvalCase("c", "go")
PASSING = GuardrailResult("pii")
STOPPING = GuardrailResult("jailbreak", passed=False, explanation="role play")


def check(evaluator, **evidence):
    return evaluator.evaluate(CASE, Interaction(command_text="x", **evidence))


@pytest.mark.parametrize(
    ("evidence", "detail"),
    [
        ({"blocked": True}, "blocked"),
        ({"guardrails": [PASSING, STOPPING]}, "blocked by [jailbreak: role play]"),
        ({"guardrails": [STOPPING], "reply": "No."}, "blocked by [jailbreak: role play]"),
        ({"guardrails": [GuardrailResult("pii", passed=False)], "blocked": True}, "blocked by [pii]"),
    ],
)
def test_a_block_passes_where_it_is_asked_for_and_fails_where_it_is_not(evidence, detail):
    assert check(should_be_blocked(), **evidence) is PASSED
    result = check(should_not_be_blocked(), **evidence)
    assert (result.outcome, result.detail) == (Outcome.FAIL, detail)


@pytest.mark.parametrize(
    ("evidence", "detail"),
    [
        ({"reply": "Here you are."}, "not blocked"),
        ({"reply": ""}, "not blocked"),
        ({"guardrails": [PASSING]}, "not blocked; guardrails [pii passed]"),
    ],
)
def test_a_turn_that_went_through_fails_where_a_block_is_asked_for(evidence, detail):
    result = check(should_be_blocked(), **evidence)
    assert (result.outcome, result.detail) == (Outcome.FAIL, detail)
    assert check(should_not_be_blocked(), **evidence) is PASSED


@pytest.mark.parametrize("evidence", [{}, {"error": "ValueError: boom"}, {"tool_calls": []}])
def test_neither_a_guardrail_nor_a_reply_is_inconclusive_both_ways(evidence):
    for evaluator in (should_be_blocked(), should_not_be_blocked()):
        result = check(evaluator, **evidence)
        assert result.outcome is Outcome.INCONCLUSIVE
        assert result.detail == "no guardrail result and no reply in the evidence"


def test_the_runner_can_tell_which_of_the_two_expects_a_block():
    assert should_be_blocked().expects_block
    assert not should_not_be_blocked().expects_block
