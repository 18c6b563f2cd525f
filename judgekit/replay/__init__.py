"""Recorded turns and what is made of them."""

from judgekit.replay.bindings import RecordedCall, ToolBindings

__all__ = ["RecordedCall", "ToolBindings"]
