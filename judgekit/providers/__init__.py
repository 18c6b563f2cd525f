"""Calling models: attempts, limits, spend, cache. litellm is the wire; the rest is decided here."""

from judgekit.providers.base import (
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
from judgekit.providers.cache import CACHE_MODES, PLAN_CASES
from judgekit.providers.calling import ask
from judgekit.providers.litellm_wire import price_of
from judgekit.providers.services import LIMITS
from judgekit.providers.spend import LEDGER, Ledger, ledger_of

__all__ = [
    "CACHE_MODES",
    "LEDGER",
    "LIMITS",
    "PLAN_CASES",
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
