"""A whole gate that is looked at after every case: when it is decided, and what it came to."""

from __future__ import annotations

from collections.abc import Sequence

from judgekit.evaluation import Outcome
from judgekit.gate.decision import Decision, joined
from judgekit.gate.looking import Look, ShareLook
from judgekit.gate.rule import Rule
from judgekit.results import Results

__all__ = ["GateLooks", "can_stop"]


class GateLooks:
    """The rules of a gate over the cases of a run, in the run's seeded order.

    A rule that fails decides the gate; it passes when every rule has. The rules on shares have equal parts of
    the run's alpha, so that a wrong FAIL of any of them has a chance of at most alpha, as has a wrong PASS.

    Attributes:
        outcome: PASS or FAIL once decided, for good.
    """

    def __init__(self, rules: Sequence[Rule], results: Results) -> None:
        """Begin before the first case of a run that may stop early, whose counts `results` hold."""
        self._rules = rules
        self._results = results
        self._looks = _looks(rules, results)
        self._seen: list[int] = []
        self._asked = self._conclusive = False
        self.outcome: Outcome | None = None

    def add(self, case_index: int) -> Outcome | None:
        """Look after one more case, all of whose attempts are counted; PASS or FAIL once decided."""
        self._seen.append(case_index)
        runs = self._results.runs_of(case_index)
        self._asked = self._asked or any(one.codes for one in runs)
        self._conclusive = self._conclusive or any(one.is_conclusive for one in runs)
        for look in self._looks:
            if look is not None and runs:
                look.add(runs)
        if self.outcome is None:
            self.outcome = self._decided()
        return self.outcome

    def _decided(self) -> Outcome | None:
        # Until something was judged, a run is inconclusive whatever its gate.
        if self._asked and not self._conclusive:
            return None
        found = [None if look is None else look.outcome for look in self._looks]
        if Outcome.FAIL in found:
            return Outcome.FAIL
        return Outcome.PASS if all(one is Outcome.PASS for one in found) else None

    def decision(self) -> Decision:
        """What the cases that were looked at come to."""
        seen, cases = self._results.of_cases(self._seen), len(self._results.case_ids)
        return joined(
            [
                _so_far(rule, self._results) if look is None else look.decision(seen, cases)
                for rule, look in zip(self._rules, self._looks, strict=True)
            ]
        )


def _looks(rules: Sequence[Rule], results: Results) -> list[Look | None]:
    if results.early is None or not results.case_ids:
        return [None for _ in rules]
    early, alpha = results.early, results.early.alpha
    looks = [rule.look(results, early, alpha) for rule in rules]
    shares = sum(isinstance(look, ShareLook) for look in looks)
    return looks if shares < 2 else [rule.look(results, early, alpha / shares) for rule in rules]


def can_stop(rules: Sequence[Rule], results: Results) -> bool:
    """Whether any rule can be decided before the last case."""
    return any(look is not None for look in _looks(rules, results))


def _so_far(rule: Rule, results: Results) -> Decision:
    return Decision(Outcome.INCONCLUSIVE, f"{rule.decide(results).detail} so far")
