"""Rules on what a case does in several tries: pass@k and pass^k."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from judgekit.evaluation import Outcome
from judgekit.gate.cases import checked_count
from judgekit.gate.counting import case_groups, counts_of, whole
from judgekit.gate.decision import Decision
from judgekit.gate.looking import Look, Share, ShareLook
from judgekit.gate.rule import Planned, Rule, bounded, checked_share
from judgekit.gate.wording import attempts_text
from judgekit.results import AttemptOutcome, Results
from judgekit.statistics import CaseCounts, Estimate, pass_at_k, pass_hat_k
from judgekit.stopping import EarlyStop
from judgekit.text import counted
from judgekit.units import Unit

__all__ = ["PassAtK", "PassHatK"]


@dataclass(frozen=True, slots=True)
class _Tries(Rule):
    symbol: ClassVar[str]
    chance: ClassVar[Callable[..., Estimate]]
    rate: float
    k: int = field(kw_only=True)

    def __post_init__(self) -> None:
        checked_share(self, "rate", self.rate)
        checked_count(self, "k", self.k)

    @property
    def _name(self) -> str:
        return f"pass{self.symbol}{self.k}"

    def problems(self, planned: Planned) -> Iterator[str]:
        """More tries than a case has runs."""
        fewest = min(planned.case_runs, default=self.k)
        if fewest < self.k:
            yield (
                f"the gate's {self._name} needs {counted(self.k, 'run')} of every case, "
                f"and a case has {counted(fewest, 'run')}; write `.repeat({self.k})` or a smaller `k`"
            )

    def decide(self, results: Results) -> Decision:
        """Compare the mean over cases, with every missing run as a failure and as a pass."""
        groups = [(counts_of(group.runs, whole), group.cases) for group in case_groups(results)]
        if any(sum(counts) < self.k for counts, _ in groups):
            text = f"{self._name} needs {counted(self.k, 'run')} of every case, over {attempts_text(results)}"
            return Decision(Outcome.INCONCLUSIVE, text)
        cases = sum(number for _, number in groups)
        found = [(self._chances(counts), number) for counts, number in groups]
        low = sum(low * number for (low, _), number in found) / cases
        high = sum(high * number for (_, high), number in found) / cases
        missing = Unit(missing=results.missing)
        return bounded(self._name, attempts_text(results), (low, high), self.rate, missing)

    def look(self, results: Results, early: EarlyStop, alpha: float) -> Look:
        """Over each case's chance to pass."""

        def share(runs: Sequence[AttemptOutcome]) -> Share:
            return Share(*self._chances(counts_of(runs, whole)), 1)

        return ShareLook(self._name, self.rate, share, most=1, early=early, alpha=alpha)

    def _chances(self, counts: CaseCounts) -> tuple[float, float]:
        """Of one case, with its missing runs as failures and as passes."""
        passed, failed, missing = counts
        worst = type(self).chance([(passed, failed + missing)], self.k).estimate
        best = type(self).chance([(passed + missing, failed)], self.k).estimate
        return worst or 0.0, best or 0.0


@dataclass(frozen=True, slots=True)
class PassAtK(_Tries):
    """At least one of k tries passes, on the mean over cases."""

    factory: ClassVar[str] = "pass_at_k_should_be_at_least"
    symbol: ClassVar[str] = "@"
    chance: ClassVar[Callable[..., Estimate]] = staticmethod(pass_at_k)


@dataclass(frozen=True, slots=True)
class PassHatK(_Tries):
    """All of k tries pass, on the mean over cases."""

    factory: ClassVar[str] = "pass_hat_k_should_be_at_least"
    symbol: ClassVar[str] = "^"
    chance: ClassVar[Callable[..., Estimate]] = staticmethod(pass_hat_k)
