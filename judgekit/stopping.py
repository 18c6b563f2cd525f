"""Stopping early: the order in which cases are looked at, and what was left out once a gate was decided."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from judgekit.text import counted

__all__ = ["EarlyStop", "Stopped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlyStop:
    """That a run may stop early, as planned.

    Attributes:
        alpha: Chance of a decision that the whole suite would not have come to.
        seed: Of the order in which cases are run and looked at.
        case_runs: The attempts planned of each case.
        requirements: Each distinct list of what evaluators give for an attempt, label and criterion name,
            with the most runs of a case that has it.
    """

    alpha: float
    seed: int
    case_runs: Sequence[int]
    requirements: tuple[tuple[tuple[tuple[str, str | None], ...], int], ...]

    def order(self) -> list[int]:
        """Positions of the cases in seeded random order, the same with every version of Python."""

        def place(index: int) -> bytes:
            return hashlib.sha256(f"{self.seed}:{index}".encode()).digest()

        return sorted(range(len(self.case_runs)), key=place)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """What a run left out that stopped early.

    Attributes:
        looked_at: How many cases the decision was made after.
        cases: How many there are.
        attempts_saved: Planned attempts that were not made.
        judged: Whether judges would have been asked about them.
        alpha: Chance of a decision that the whole suite would not have come to.
        seed: Of the order of the cases.
    """

    looked_at: int
    cases: int
    attempts_saved: int
    judged: bool
    alpha: float
    seed: int

    def text(self) -> str:
        """`stopped early after 60 of 200 cases: the gate was decided (alpha 0.05), 140 attempts saved`."""
        saved = counted(self.attempts_saved, "attempt")
        calls = f" and {'its' if self.attempts_saved == 1 else 'their'} judge calls" if self.judged else ""
        return (
            f"stopped early after {self.looked_at} of {counted(self.cases, 'case')}: "
            f"the gate was decided (alpha {self.alpha:g}), {saved}{calls} saved"
        )
