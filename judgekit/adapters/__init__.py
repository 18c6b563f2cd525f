"""Doors: how what an agent left behind becomes an Interaction."""

from judgekit.adapters.messages import interaction_from_messages
from judgekit.adapters.otlp import load_traces
from judgekit.adapters.own_tools import tool
from judgekit.adapters.returned import interaction_from
from judgekit.adapters.traced import span_processor

__all__ = ["interaction_from", "interaction_from_messages", "load_traces", "span_processor", "tool"]
