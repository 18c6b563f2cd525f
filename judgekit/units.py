"""The counts of one label, or of one judged criterion."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

__all__ = ["Unit"]


@dataclass(slots=True)
class Unit:
    """Counts of one label, or of one judged criterion.

    `missing` counts missing measurements by reason, such as `judge failed: rate limited`. `scores` holds
    one score a scored result; `attempts` counts the attempts with a counted result (passed, failed or
    missing).
    """

    passed: int = 0
    failed: int = 0
    no_evidence: int = 0
    not_run: int = 0
    missing: Counter[str] = field(default_factory=Counter)
    attempts: int = 0
    scores: list[float] = field(default_factory=list)

    @property
    def inconclusive(self) -> int:
        """Results that decided nothing, without those of attempts that never reached them."""
        return self.no_evidence + self.missing.total()

    @property
    def counted(self) -> int:
        """Results that a rate is over: passed, failed and missing ones."""
        return self.passed + self.failed + self.missing.total()

    @property
    def mean_score(self) -> float | None:
        """The mean of the scores there are; None without any."""
        return math.fsum(self.scores) / len(self.scores) if self.scores else None
