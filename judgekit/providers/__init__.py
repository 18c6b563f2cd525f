"""Calling models: attempts, limits, spend, cache. litellm is the wire; the rest is decided here."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from judgekit.providers.base import (
    CACHE_MODES,
    RUNGS,
    Answer,
    AnswerFormat,
    CacheMode,
    Limits,
    Message,
    Price,
    Reader,
    Reply,
    Request,
    Rung,
    Unusable,
    Usage,
)

if TYPE_CHECKING:
    from judgekit.providers.calling import ask
    from judgekit.providers.litellm_wire import price_of
    from judgekit.providers.services import LIMITS
    from judgekit.providers.spend import LEDGER, Ledger, ledger_of

__all__ = [
    "CACHE_MODES",
    "LEDGER",
    "LIMITS",
    "RUNGS",
    "Answer",
    "AnswerFormat",
    "CacheMode",
    "Ledger",
    "Limits",
    "Message",
    "Price",
    "Reader",
    "Reply",
    "Request",
    "Rung",
    "Unusable",
    "Usage",
    "ask",
    "ledger_of",
    "price_of",
]

# A suite without a judge never pays for asyncio's, sqlite's and our own calling code.
_ON_DEMAND = {
    "LEDGER": "spend",
    "LIMITS": "services",
    "Ledger": "spend",
    "ask": "calling",
    "ledger_of": "spend",
    "price_of": "litellm_wire",
}


def __getattr__(name: str) -> Any:
    if name not in _ON_DEMAND:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_ON_DEMAND[name]}"), name)
    globals()[name] = value
    return value
