"""Gate: rules joined by `&`, checked when built, decided over the counts of a run."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from judgekit.errors import InvalidArgument
from judgekit.evaluation import Outcome
from judgekit.gate.decision import Decision, joined
from judgekit.gate.reference import GateUnit, Reference
from judgekit.gate.rules import (
    RULES,
    AllCasesPass,
    EveryAttemptConclusive,
    InconclusiveShare,
    MeanScore,
    PassRate,
    Rule,
    TargetHolds,
)
from judgekit.gate.wording import missing_text
from judgekit.results import Results
from judgekit.text import bracketed

__all__ = ["Gate"]


@dataclass(frozen=True, slots=True, repr=False)
class Gate:
    """What a run must reach. Make one with the class methods and join several with `&`.

    A missing measurement (a judge that failed, a spent budget, a time limit, an interruption) never
    decides a gate: it passes if it would pass with each of them counted as a failure, fails if it would
    fail with each counted as a pass, and is INCONCLUSIVE in between. Rates are compared unrounded with a
    tolerance of 1e-9.
    """

    rules: tuple[Rule, ...]

    def __post_init__(self) -> None:
        if not self.rules:
            raise InvalidArgument("a gate needs a rule; write Gate.all_cases_should_pass()")

    @classmethod
    def all_cases_should_pass(cls) -> Gate:
        """Every attempt passes. The gate of an experiment that names none."""
        return cls((AllCasesPass(),))

    @classmethod
    def pass_rate_should_be_at_least(cls, rate: float, *, of: GateUnit | None = None) -> Gate:
        """At least this share passes, of all attempts or of one evaluator's results.

        Args:
            rate: From 0 to 1.
            of: An evaluator class, a labelled function, or a judged criterion's name. Results without
                evidence and results of attempts that never reached the evaluator are not counted.

        Raises:
            InvalidArgument: The rate is no number from 0 to 1, or `of` names nothing.
        """
        return cls((PassRate(rate, None if of is None else Reference.to(of)),))

    @classmethod
    def mean_score_should_be_at_least(cls, score: float, *, of: GateUnit) -> Gate:
        """The mean of a judged criterion's scores is at least this.

        Args:
            score: From 0 to 1.
            of: The criterion's name, or a class whose results carry scores.

        Raises:
            InvalidArgument: The score is no number from 0 to 1, or `of` names nothing that is scored.
        """
        return cls((MeanScore(score, Reference.to(of)),))

    @classmethod
    def target_should_not_fail(cls) -> Gate:
        """No agent call raises or times out, and no recorded call fails to load."""
        return cls((TargetHolds(),))

    @classmethod
    def every_attempt_should_be_conclusive(cls) -> Gate:
        """Every attempt has at least one result that passed or failed."""
        return cls((EveryAttemptConclusive(),))

    @classmethod
    def inconclusive_should_be_at_most(cls, rate: float, *, of: GateUnit | None = None) -> Gate:
        """At most this share of the results is inconclusive, whatever the reason.

        Args:
            rate: From 0 to 1.
            of: As in `pass_rate_should_be_at_least`; without it every evaluator's results count.

        Raises:
            InvalidArgument: The rate is no number from 0 to 1, or `of` names nothing.
        """
        return cls((InconclusiveShare(rate, None if of is None else Reference.to(of)),))

    def and_(self, other: Gate) -> Gate:
        """Both gates, the same as `self & other`; all rules are always decided."""
        if not isinstance(other, Gate):
            raise InvalidArgument(f"a gate joins with a Gate, got {other!r}")
        return Gate(self.rules + other.rules)

    def __and__(self, other: object) -> Gate:
        return self.and_(other) if isinstance(other, Gate) else NotImplemented

    def __bool__(self) -> NoReturn:
        raise TypeError("a gate has no truth value, `a and b` would drop one; join gates with `a & b`")

    def __repr__(self) -> str:
        return " & ".join(map(str, self.rules))

    def decide(self, results: Results) -> Decision:
        """What a run comes to: without attempts, or with nothing conclusive, it is INCONCLUSIVE."""
        if not len(results):
            return Decision(Outcome.INCONCLUSIVE, "no cases ran")
        if _nothing_judged(results):
            return Decision(Outcome.INCONCLUSIVE, f"nothing was judged{missing_text(results.missing)}")
        return joined([rule.decide(results) for rule in self.rules])

    def references(self) -> tuple[str, ...]:
        """Every label or criterion name that an `of=` names, each once."""
        return tuple(dict.fromkeys(reference.name for reference in self._references()))

    def problems(self, *, labels: Collection[str], criteria: Collection[str]) -> tuple[str, ...]:
        """One sentence for every `of=` that an experiment with these labels and criteria cannot use."""
        found = (reference.problem(labels, criteria) for reference in self._references())
        return tuple(dict.fromkeys(problem for problem in found if problem is not None))

    def _references(self) -> tuple[Reference, ...]:
        return tuple(rule.reference for rule in self.rules if rule.reference is not None)

    def to_json(self) -> list[dict[str, Any]]:
        """The gate as JSON data, one object a rule, so that a journal alone can decide again."""
        return [rule.to_json() for rule in self.rules]

    @classmethod
    def from_json(cls, rules: Sequence[Mapping[str, Any]]) -> Gate:
        """Read what `to_json` wrote.

        Raises:
            InvalidArgument: A rule is unknown or its fields are wrong.
        """
        return cls(tuple(map(_rule_from_json, rules)))


def _rule_from_json(value: Mapping[str, Any]) -> Rule:
    fields = dict(value)
    name = fields.pop("rule", None)
    rule = RULES.get(name) if isinstance(name, str) else None
    if rule is None:
        raise InvalidArgument(f"unknown gate rule {name!r}; known are {bracketed(RULES)}")
    try:
        return rule.from_json(fields)
    except (TypeError, KeyError) as error:
        raise InvalidArgument(f"the gate rule {name!r} cannot be read: {error}") from error


def _nothing_judged(results: Results) -> bool:
    asked = False
    for attempt in results.attempts():
        if attempt.is_conclusive:
            return False
        asked = asked or bool(attempt.codes)
    return asked
