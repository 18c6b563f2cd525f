"""Scripted models and a fake provider: agents and judges tested without a key or a network."""

from judgekit.testing.script import (
    Answer,
    Rule,
    Turn,
    after_tool,
    calls,
    on_call,
    otherwise,
    says,
    verdict,
    when,
)
from judgekit.testing.scripted import ScriptedModel, ScriptedRequest, UnscriptedMessage

__all__ = [
    "Answer",
    "Rule",
    "ScriptedModel",
    "ScriptedRequest",
    "Turn",
    "UnscriptedMessage",
    "after_tool",
    "calls",
    "on_call",
    "otherwise",
    "says",
    "verdict",
    "when",
]
