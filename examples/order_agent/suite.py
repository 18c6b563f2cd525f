"""What the order agent must do: looked up, refunded, refused, and said in the right tone.

judgekit run examples/order_agent/suite.py
judgekit run examples/order_agent/suite.py --model openai/gpt-5-mini --repeat 3
"""

import sys
from collections.abc import Mapping

from judgekit import EvalCase, EvalResult, ExperimentRunner, Gate, Interaction, Judge, eval_label
from judgekit.evaluators import (
    ToolArgument,
    reply_should_contain,
    reply_should_match,
    should_call_tool,
    should_call_tool_with,
    should_call_tools_in_order,
    should_make_at_most_tool_calls,
    should_not_call_tool,
    should_reply_within,
    should_use_at_most_tokens,
    tool_result_should_contain,
)
from order_agent.agent import OrderAgent
from order_agent.orders import InMemoryOrders
from order_agent.scripted import scripted_agent, scripted_judge

NOT_FOUND = r"(?i)not found|(not|n[o']t|unable to) (find|locate)|no order|(not|n't) exist"


@eval_label("refund-after-lookup")
def refund_after_lookup(case: EvalCase, interaction: Interaction) -> EvalResult:
    """Every refund is for an order that was looked up before."""
    if interaction.tool_calls is None:
        return EvalResult.inconclusive("no tool trace")
    looked_up = set()
    for call in interaction.tool_calls:
        order = call.arguments.get("orderId") if isinstance(call.arguments, Mapping) else None
        if call.name == "issueRefund" and order not in looked_up:
            return EvalResult.failed(f"refunded {order} without looking it up")
        looked_up.add(order)
    return EvalResult.passed()


def cases(judge: Judge) -> list[EvalCase]:
    polite = judge.should_satisfy("The reply is polite and does not blame the customer.", name="polite")
    plain = judge.should_score_at_least("The reply is short and plain: no jargon.", 0.7, name="plain")
    return [
        EvalCase(
            "order-status",
            "Where is my order o_42?",
            should_call_tool("getOrder"),
            should_call_tool_with("getOrder", "orderId", "o_42"),
            should_not_call_tool("issueRefund"),
            reply_should_contain("o_42", "shipped"),
        ),
        EvalCase(
            "full-refund",
            "My order o_43 arrived broken. Please refund all of it.",
            should_call_tools_in_order("getOrder", "issueRefund"),
            should_call_tool_with("issueRefund", "orderId", "o_43"),
            should_call_tool_with("issueRefund", "amountCents", 12900),
        ),
        EvalCase(
            "greeting",
            "Hello there!",
            should_make_at_most_tool_calls(0),
            polite,
        ),
        EvalCase(
            "unknown-order",
            "Please refund my order o_99.",
            should_call_tool_with("getOrder", "orderId", "o_99"),
            tool_result_should_contain("getOrder", "not found"),
            should_not_call_tool("issueRefund"),
            reply_should_match(
                r"(?i)not found|not find|n't find|no order|not exist|n't exist|unable to (find|locate)"
            ),
        ),
        EvalCase(
            "tone-impatient-customer",
            "I have asked three times now! Where on earth is o_42?",
            should_call_tool("getOrder"),
            polite,
            plain,
        ),
        EvalCase(
            "tone-wrong-number",
            "Your useless system says there is no o_77. Where is it?",
            should_not_call_tool("issueRefund"),
            polite,
        ),
    ]


def experiment(model: str | None = None, judge_model: str | None = None) -> ExperimentRunner:
    """The suite over the models named; a scripted one stands in for each that is not."""
    judge_model = judge_model or model
    if model is None:
        judged = "" if judge_model else ", and so is the judge"
        print(f"order agent: without --model the agent is scripted{judged}", file=sys.stderr)
    agent_model = model or scripted_agent()

    async def order_agent(message: str) -> str:
        # A shop of its own for every attempt: no run sees the refunds of another.
        return await OrderAgent(agent_model, InMemoryOrders()).answer(message)

    return (
        ExperimentRunner("order-agent")
        .cases(cases(Judge(judge_model or scripted_judge())))
        .evaluator(refund_after_lookup)
        .evaluator(should_reply_within(seconds=60))
        .evaluator(should_use_at_most_tokens(20_000))
        .agent(order_agent)
        .gate(
            Gate.pass_rate_should_be_at_least(0.8)
            & Gate.pass_rate_should_be_at_least(1.0, of=ToolArgument)
            & Gate.pass_rate_should_be_at_least(0.75, of="polite")
            & Gate.target_should_not_fail()
        )
    )
