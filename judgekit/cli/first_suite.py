"""The suite that `judgekit init` writes."""

from __future__ import annotations

__all__ = ["FIRST_SUITE"]

FIRST_SUITE = '''\
"""What our agent must do, and how it must sound.

judgekit run suite.py
judgekit run suite.py --judge-model openai/gpt-5-mini   # a real judge; reads OPENAI_API_KEY
"""

from judgekit import EvalCase, ExperimentRunner, Gate, Judge
from judgekit.evaluators import (
    reply_should_contain,
    reply_should_not_contain,
    should_call_tool_with,
    should_not_call_tool,
    should_reply_within,
)
from judgekit.testing import ScriptedModel, otherwise, verdict, when


def agent(command: str) -> list[dict]:
    """Call your agent here.

    It may be async, and may return its text, its chat messages (so that tool calls can be checked), or the
    result object of a framework. This one only plays a help desk.
    """
    if "o_42" not in command:
        return [
            {"role": "user", "content": command},
            {"role": "assistant", "content": "Gladly! Which order is it? Its number begins with o_."},
        ]
    call = {"name": "getOrder", "arguments": '{"orderId": "o_42"}'}
    return [
        {"role": "user", "content": command},
        {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": call}]},
        {"role": "tool", "tool_call_id": "1", "content": '{"status": "shipped"}'},
        {"role": "assistant", "content": "Thank you for waiting. Your order o_42 has been shipped."},
    ]


def cases(judge: Judge) -> list[EvalCase]:
    polite = judge.should_satisfy("The reply is polite and blames nobody.", name="polite")
    return [
        EvalCase(
            "order-status",
            "Where is my order o_42?",
            should_call_tool_with("getOrder", "orderId", "o_42"),
            should_not_call_tool("issueRefund"),
            reply_should_contain("o_42", "shipped"),
            polite,
        ),
        EvalCase(
            "order-unknown",
            "Where is my order?",
            should_not_call_tool("getOrder"),
            reply_should_contain("which order"),
            polite,
        ),
        EvalCase(
            "angry-customer",
            "I have asked three times! Where on earth is o_42?",
            reply_should_not_contain("calm down", "as I said"),
            polite,
        ),
    ]


def experiment(judge_model: str | None = None) -> ExperimentRunner:
    """The suite. Without --judge-model a scripted judge stands in, which needs no key and no network."""
    scripted = ScriptedModel(
        when("Thank you", verdict(0.9, "It thanks the customer.")),
        when("Gladly", verdict(0.8, "It is friendly.")),
        otherwise(verdict(0.2, "Nothing in it is kind.")),
    )
    return (
        ExperimentRunner("help-desk")
        .cases(cases(Judge(judge_model or scripted)))
        .evaluator(should_reply_within(seconds=30))
        .agent(agent)
        .gate(Gate.pass_rate_should_be_at_least(0.9) & Gate.target_should_not_fail())
    )
'''
