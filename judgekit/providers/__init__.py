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

__all__ = [
    "RUNGS",
    "Answer",
    "AnswerFormat",
    "CacheMode",
    "Limits",
    "Message",
    "Price",
    "Reader",
    "Reply",
    "Request",
    "Rung",
    "Unusable",
    "Usage",
]
