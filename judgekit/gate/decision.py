"""What a gate came to, in one outcome and one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from judgekit.evaluation import Outcome

__all__ = ["Decision", "joined"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What a gate decided about a run.

    Attributes:
        outcome: PASS, FAIL, or INCONCLUSIVE where missing measurements could turn it either way.
        detail: The reason, on one line.
    """

    outcome: Outcome
    detail: str

    @property
    def passed(self) -> bool:
        """Whether the outcome is PASS; an inconclusive gate did not pass."""
        return self.outcome is Outcome.PASS

    def __bool__(self) -> NoReturn:
        raise TypeError("a decision has no truth value; write `decision.passed`")


def joined(decisions: Sequence[Decision]) -> Decision:
    """All of them as one: FAIL dominates, then INCONCLUSIVE; the details are joined with `; `."""
    outcomes = [decision.outcome for decision in decisions]
    worst = next((o for o in (Outcome.FAIL, Outcome.INCONCLUSIVE) if o in outcomes), Outcome.PASS)
    return Decision(worst, "; ".join(decision.detail for decision in decisions))
