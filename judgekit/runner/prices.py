"""Prices that a run with a cost limit cannot do without."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from judgekit.errors import InvalidArgument

if TYPE_CHECKING:
    from judgekit.providers.base import Price

__all__ = ["checked_prices", "unpriced"]


def checked_prices(prices: Mapping[str, Any]) -> dict[str, Price]:
    """The prices by model string.

    Raises:
        InvalidArgument: Something is no price.
    """
    from judgekit.providers import Price

    if not isinstance(prices, Mapping):
        raise InvalidArgument(
            f"`prices` must be prices by model string, got {prices!r}; "
            'write {"hosted_vllm/my-model": Price(0.2, 0.6)}'
        )
    for model, price in prices.items():
        if not isinstance(model, str) or not isinstance(price, Price):
            raise InvalidArgument(
                f"`prices` must hold a Price by model string, got {model!r}: {price!r}; "
                "write Price(dollars in, dollars out) for a million tokens"
            )
    return dict(prices)


def unpriced(asked: Iterable[object]) -> Iterator[str]:
    """A sentence for each model that is asked and that nobody knows the price of. Imports litellm."""
    seen: set[str] = set()
    for one in asked:
        model = getattr(one, "model", None)
        if not isinstance(model, str) or callable(getattr(model, "complete", None)) or model in seen:
            continue
        if getattr(one, "price", None) is not None:
            continue
        seen.add(model)
        if _unknown(model):
            yield (
                f"no price is known for {model}, so max_cost cannot hold; write "
                f"{type(one).__name__}({model!r}, price=Price(dollars in, dollars out)), for a million tokens"
            )


def _unknown(model: str) -> bool:
    from judgekit.providers import price_of

    return price_of(model) is None
