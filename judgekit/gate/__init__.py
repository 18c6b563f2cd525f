"""Gates: what all attempts together must reach, and what a run came to."""

from judgekit.gate.composite import Gate
from judgekit.gate.decision import Decision
from judgekit.gate.reference import GateUnit

__all__ = ["Decision", "Gate", "GateUnit"]
