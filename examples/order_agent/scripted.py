"""Scripted models in the place of real ones: the suite runs without a key, the same way every time."""

import json
import re

from judgekit.testing import Answer, ScriptedModel, Turn, after_tool, calls, otherwise, verdict, when

NOT_FOUND = "I am sorry, that order was not found. Is the number right?"
BLAME = re.compile(r"calm down|your (own )?fault", re.IGNORECASE)


def _look_up(turn: Turn) -> Answer:
    """Ask for the order that the customer names."""
    return calls("getOrder", orderId=re.findall(r"o_\d+", turn.text)[0])


def _wants_refund(turn: Turn) -> bool:
    asked = turn.messages[1]["content"]
    found = [text for tool, text in turn.tool_results() if tool == "getOrder" and "error" not in text]
    return bool(found) and "refund" in asked.casefold()


def _refund_in_full(turn: Turn) -> Answer:
    order = json.loads(turn.text)
    return calls("issueRefund", orderId=order["orderId"], amountCents=order["totalCents"])


def _tell_status(turn: Turn) -> str:
    order = json.loads(turn.text)
    status, day = order["status"], order["arrives"]
    return f"Sorry for the wait! Your order {order['orderId']} is {status} and arrives on {day}."


def _tell_refund(turn: Turn) -> str:
    refund = json.loads(turn.text)
    return f"Done: I have refunded {refund['refundedCents'] / 100:.2f} for your order {refund['orderId']}."


def scripted_agent() -> ScriptedModel:
    """Answers as a good model would."""
    return ScriptedModel(
        when(re.compile(r"o_\d+"), _look_up),
        after_tool(
            "getOrder", "I am sorry, that order was not found. Is the number right?", containing="not found"
        ),
        when(_wants_refund, _refund_in_full),
        after_tool("getOrder", _tell_status),
        after_tool("issueRefund", _tell_refund),
        otherwise("Hello! How can I help you with your order?"),
        name="order-agent",
    )


def scripted_judge() -> ScriptedModel:
    """Finds everything polite that does not blame the customer."""
    return ScriptedModel(
        when(
            re.compile(r"calm down|your (own )?fault", re.IGNORECASE), verdict(0.1, "it blames the customer")
        ),
        otherwise(verdict(0.9, "it is friendly and to the point")),
        name="order-judge",
    )
