"""The rates of a report, each with its interval; repeats of one case are not counted as new evidence."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from judgekit.gate.counting import Counted, case_groups, counts_of, criterion, label, whole
from judgekit.results import Results
from judgekit.statistics import CaseCounts, Estimate, Interval, Rate, pass_at_k, pass_hat_k, pass_rate

__all__ = ["Rates", "Tries", "interval_of"]

_STOPPED = "the run stopped early, of which the interval takes no account"


class Rates:
    """The rates of a run: of whole attempts, of labels, and of judged criteria.

    Intervals are clustered by case (`judgekit.statistics.pass_rate`): Wilson's for single runs, and with
    repeats a cluster-robust t interval, or Wilson's at the effective number of runs where few cases differ.
    """

    def __init__(self, counts: Results) -> None:
        self._groups = case_groups(counts)
        self._runs = max(counts.run_counts(), default=0)
        self._stopped = counts.looked_at is not None

    def whole(self) -> Rate:
        """Of attempts; an inconclusive one is missing."""
        return self._rate(whole)

    def label(self, name: str) -> Rate:
        """Of the results of one label."""
        return self._rate(label(name))

    def criterion(self, name: str) -> Rate:
        """Of the results of one judged criterion."""
        return self._rate(criterion(name))

    def tries(self) -> Tries | None:
        """pass@k and pass^k, with k the runs of a case; None where cases were run once."""
        cases = self._counts(whole)
        if self._stopped:
            # Of the last cases some runs were under way when the gate was decided, and others not begun.
            cases = Counter({case: times for case, times in cases.items() if sum(case) == self._runs})
        k = min(map(sum, cases), default=0)
        return Tries(cases, k) if k > 1 else None

    def _counts(self, counted: Counted) -> Counter[CaseCounts]:
        cases: Counter[CaseCounts] = Counter()
        for group in self._groups:
            cases[counts_of(group.runs, counted)] += group.cases
        return cases

    def _rate(self, counted: Counted) -> Rate:
        rate = pass_rate(self._counts(counted))
        return replace(rate, warnings=(*rate.warnings, _STOPPED)) if self._stopped else rate


class Tries:
    """What cases do in k tries.

    Attributes:
        k: How many tries.
        at_least_one: pass@k, the chance that one of them passes.
        all_of_them: pass^k, the chance that all of them do.
    """

    def __init__(self, cases: Counter[CaseCounts], k: int) -> None:
        self.k = k
        self.at_least_one = pass_at_k(cases, k)
        self.all_of_them = pass_hat_k(cases, k)

    def shown(self) -> list[tuple[str, str, str]]:
        """Name, value and interval of both, such as `pass@3`, `0.72`, `95% interval 0.59 to 0.85`."""
        both = (f"pass@{self.k}", self.at_least_one), (f"pass^{self.k}", self.all_of_them)
        return [
            (name, f"{found.estimate:.2f}", _interval_text(found))
            for name, found in both
            if found.estimate is not None
        ]

    def texts(self) -> list[str]:
        """The same, each as one text."""
        return [f"{name} {value}{f', {interval}' * bool(interval)}" for name, value, interval in self.shown()]


def _interval_text(found: Estimate) -> str:
    if found.low is None or found.high is None:
        return ""
    return f"{found.level:.0%} interval {found.low:.2f} to {found.high:.2f}"


def interval_of(rate: Rate) -> Interval | None:
    """The interval of a rate, and how many independent runs it stands on; None where it has none."""
    if rate.low is None or rate.high is None:
        return None
    return Interval(rate.low, rate.high, rate.level, rate.method, rate.effective_n or 0.0)
