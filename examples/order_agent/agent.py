"""A small order agent: a loop around a model that may call two tools.

Nothing here knows of judgekit.
"""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from order_agent.orders import OrderError, OrderService

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # its own prices, without a download
os.environ.setdefault("LITELLM_MODE", "PRODUCTION")  # no `.env` of some folder above

import litellm

litellm.suppress_debug_info = True

INSTRUCTIONS = """\
You are the assistant of a web shop. Be friendly, short and plain.
Look an order up with getOrder before you say anything about it, and before any refund.
Refund only with issueRefund, only orders that exist, and only what the customer asks for.
When a tool answers with an error, tell the customer what is wrong. Never invent an order."""


def _tool(name: str, description: str, **parameters: str) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {
                "type": "object",
                "properties": {parameter: {"type": kind} for parameter, kind in parameters.items()},
                "required": list(parameters),
            },
        },
    }


TOOLS = [
    _tool("getOrder", "Look up one order: its status, arrival and total in cents.", orderId="string"),
    _tool("issueRefund", "Pay money back for an order.", orderId="string", amountCents="integer"),
]


@dataclass(frozen=True)
class OrderAgent:
    """Answers one customer message.

    Attributes:
        model: Any litellm model string.
        orders: The shop.
        max_turns: How often the model may be asked for one answer.
        instructions: What the model is told first.
    """

    model: str
    orders: OrderService
    max_turns: int = 8
    instructions: str = INSTRUCTIONS

    async def answer(self, message: str) -> str:
        """The reply to a customer.

        Raises:
            RuntimeError: The model still calls tools after `max_turns`.
        """
        messages: list[Any] = [
            {"role": "system", "content": self.instructions},
            {"role": "user", "content": message},
        ]
        for _ in range(self.max_turns):
            response = await litellm.acompletion(model=self.model, messages=messages, tools=TOOLS)
            said = response.choices[0].message
            if not said.tool_calls:
                return said.content or ""
            messages.append(said)
            for call in said.tool_calls:
                result = self._run(call.function.name, call.function.arguments)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
        raise RuntimeError(f"no reply after {self.max_turns} turns")

    def _run(self, name: str, arguments: str) -> dict[str, Any]:
        """What the tool returned; its error where it failed, so that the model can tell the customer."""
        tools: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "getOrder": lambda given: self.orders.get_order(given["orderId"]),
            "issueRefund": lambda given: self.orders.issue_refund(given["orderId"], given["amountCents"]),
        }
        try:
            return tools[name](json.loads(arguments))
        except KeyError as error:
            return {"error": f"{error} is missing or unknown"}
        except (OrderError, TypeError, ValueError) as error:
            return {"error": str(error)}
