"""Deterministic evaluators: checks that need no model and no network.

Each is built by a function whose name is the sentence it checks, and belongs to a class that gates name
in `of=`. All of them are frozen, refuse what could never fail when they are built, and say INCONCLUSIVE
where the evidence that they read is absent.
"""

from judgekit.evaluators.arguments import (
    ToolArgument,
    ToolArguments,
    should_call_tool_with,
    should_call_tool_with_arguments,
)
from judgekit.evaluators.budgets import (
    CostBudget,
    LatencyBudget,
    ModelCallBudget,
    TokenBudget,
    ToolCallBudget,
    should_cost_at_most,
    should_make_at_most_model_calls,
    should_make_at_most_tool_calls,
    should_reply_within,
    should_use_at_most_tokens,
)
from judgekit.evaluators.cards import (
    ReplyLacksLuhnNumber,
    ReplyLacksPaymentCard,
    reply_should_not_contain_luhn_number,
    reply_should_not_contain_payment_card,
)
from judgekit.evaluators.ground_truth import expected_calls
from judgekit.evaluators.guardrails import Blocked, should_be_blocked, should_not_be_blocked
from judgekit.evaluators.names import pattern
from judgekit.evaluators.regexes import (
    ReplyDoesNotMatch,
    ReplyMatches,
    reply_should_match,
    reply_should_not_match,
)
from judgekit.evaluators.replies import (
    ReplyContains,
    ReplyEquals,
    ReplyLacks,
    ReplyLength,
    reply_should_contain,
    reply_should_equal,
    reply_should_have_length,
    reply_should_not_contain,
)
from judgekit.evaluators.results import ToolResult, tool_result_should_contain
from judgekit.evaluators.structure import ReplyJson, reply_should_be_json
from judgekit.evaluators.tools import (
    ForbiddenTools,
    ToolCount,
    ToolOrder,
    Tools,
    should_call_tool,
    should_call_tool_times,
    should_call_tools,
    should_call_tools_in_order,
    should_not_call_tool,
    should_not_call_tools,
)
from judgekit.evaluators.trajectory import Trajectory, should_make_calls
from judgekit.evaluators.values import accepted, optional

__all__ = [
    # which tools, in which order, how often
    "should_call_tool",
    "should_call_tools",
    "should_call_tools_in_order",
    "should_call_tool_times",
    "should_not_call_tool",
    "should_not_call_tools",
    # what went in and came out
    "should_call_tool_with",
    "should_call_tool_with_arguments",
    "should_make_calls",
    "tool_result_should_contain",
    # the reply
    "reply_should_be_json",
    "reply_should_contain",
    "reply_should_equal",
    "reply_should_have_length",
    "reply_should_match",
    "reply_should_not_contain",
    "reply_should_not_contain_luhn_number",
    "reply_should_not_contain_payment_card",
    "reply_should_not_match",
    # budgets
    "should_cost_at_most",
    "should_make_at_most_model_calls",
    "should_make_at_most_tool_calls",
    "should_reply_within",
    "should_use_at_most_tokens",
    # guardrails
    "should_be_blocked",
    "should_not_be_blocked",
    # values and names
    "accepted",
    "expected_calls",
    "optional",
    "pattern",
    # the classes, for a gate's `of=`
    "Blocked",
    "CostBudget",
    "ForbiddenTools",
    "LatencyBudget",
    "ModelCallBudget",
    "ReplyContains",
    "ReplyDoesNotMatch",
    "ReplyEquals",
    "ReplyJson",
    "ReplyLacks",
    "ReplyLacksLuhnNumber",
    "ReplyLacksPaymentCard",
    "ReplyLength",
    "ReplyMatches",
    "TokenBudget",
    "ToolArgument",
    "ToolArguments",
    "ToolCallBudget",
    "ToolCount",
    "ToolOrder",
    "ToolResult",
    "Tools",
    "Trajectory",
]
