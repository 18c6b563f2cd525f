"""The shop behind the agent: what it needs of an order service, and one in memory for tests."""

from dataclasses import dataclass, field
from typing import Any, Protocol


class OrderError(Exception):
    """The service refused; the text is meant for the agent."""


class OrderService(Protocol):
    """What the agent's tools call."""

    def get_order(self, order_id: str) -> dict[str, Any]:
        """The order, or an OrderError where there is none."""
        ...

    def issue_refund(self, order_id: str, amount_cents: int) -> dict[str, Any]:
        """Pay money back, or an OrderError where that is not allowed."""
        ...


def _orders() -> dict[str, dict[str, Any]]:
    return {
        "o_42": {"orderId": "o_42", "status": "shipped", "arrives": "Friday", "totalCents": 4999},
        "o_43": {"orderId": "o_43", "status": "delivered", "arrives": "Monday", "totalCents": 12900},
    }


@dataclass
class InMemoryOrders:
    """An order service without a shop; `refunds` shows what it really paid back."""

    orders: dict[str, dict[str, Any]] = field(default_factory=_orders)
    refunds: list[tuple[str, int]] = field(default_factory=list)

    def get_order(self, order_id: str) -> dict[str, Any]:
        """The order, or an OrderError."""
        if order_id not in self.orders:
            raise OrderError(f"order {order_id} was not found")
        return self.orders[order_id]

    def issue_refund(self, order_id: str, amount_cents: int) -> dict[str, Any]:
        """Note the refund; at most what is left of the order's total."""
        left = self.get_order(order_id)["totalCents"] - sum(
            cents for refunded, cents in self.refunds if refunded == order_id
        )
        if not 0 < amount_cents <= left:
            raise OrderError(f"order {order_id} can be refunded by 1 to {left} cents, not by {amount_cents}")
        self.refunds.append((order_id, amount_cents))
        return {"orderId": order_id, "refundedCents": amount_cents}
