"""Doors: how what an agent left behind becomes an Interaction."""

from judgekit.adapters.messages import interaction_from_messages
from judgekit.adapters.returned import interaction_from

__all__ = ["interaction_from", "interaction_from_messages"]
