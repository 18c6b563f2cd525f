"""Looks at a run after every case, in seeded random order, until its gate is decided."""

from __future__ import annotations

from judgekit.gate import Gate
from judgekit.stopping import EarlyStop
from judgekit.store import RunStore

__all__ = ["EarlyLooks"]


class EarlyLooks:
    """The longest row of finished cases, in the run's order, is what the gate is looked at over.

    A case that is finished before one that stands earlier in the order waits for it: quick cases must not be
    looked at first.

    Attributes:
        decided: Whether the gate is decided, so that no further attempt is needed.
        order: Positions of the cases.
    """

    def __init__(self, gate: Gate, store: RunStore, early: EarlyStop) -> None:
        """Look at what a resumed run holds already."""
        self._store = store
        self._looks = gate.looks(store.results)
        self._early = early
        self._looked_at = 0
        self.order = early.order()
        self.decided = False
        self.look()

    def look(self) -> None:
        """Look after every case that is finished by now and stands next in the order."""
        while not self.decided and self._looked_at < len(self.order):
            index = self.order[self._looked_at]
            if len(self._store.results.runs_of(index)) < self._early.case_runs[index]:
                return
            self._looked_at += 1
            if self._looks.add(index) is not None:
                self.decided = True
                self._store.results.looked_at = self._looked_at
