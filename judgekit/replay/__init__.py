"""Recorded turns: written redacted, loaded as cases, and their calls loaded into stubs."""

from judgekit.replay.bindings import RecordedCall, ToolBindings
from judgekit.replay.recorder import Recorder
from judgekit.replay.recordings import load_recordings

__all__ = ["RecordedCall", "Recorder", "ToolBindings", "load_recordings"]
