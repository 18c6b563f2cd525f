"""Scripted models and a fake provider: agents and judges tested without a key or a network."""

from judgekit.testing.faults import Fault, RecordedRequest
from judgekit.testing.provider import FakeProvider
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
    "FakeProvider",
    "Fault",
    "RecordedRequest",
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
