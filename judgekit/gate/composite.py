"""Gate: rules joined by `&`, checked when built, decided over the counts of a run."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, NoReturn

from judgekit.errors import InvalidArgument
from judgekit.evaluation import Outcome
from judgekit.gate.calibrated import JudgeCalibrated
from judgekit.gate.cases import AllCasesPass, CasesPass, EveryAttemptConclusive, TargetHolds
from judgekit.gate.decision import Decision, joined
from judgekit.gate.early import GateLooks, can_stop
from judgekit.gate.rates import InconclusiveShare, MeanScore, PassRate
from judgekit.gate.reference import GateUnit, Reference
from judgekit.gate.rule import Planned
from judgekit.gate.rules import RULES, Rule
from judgekit.gate.tries import PassAtK, PassHatK
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
    def cases_should_pass(cls, *, at_least: int | None = None, tagged: str | None = None) -> Gate:
        """Every case passes in so many of its runs.

        Args:
            at_least: How many, at least 1 and at most the runs of a case; None: all of them.
            tagged: Only cases that bear this tag, such as `must_pass`.

        Raises:
            InvalidArgument: `at_least` is no whole number >= 1, or the tag is blank.
        """
        return cls((CasesPass(at_least, tagged),))

    @classmethod
    def pass_rate_should_be_at_least(
        cls, rate: float, *, of: GateUnit | None = None, confidence: float | None = None
    ) -> Gate:
        """At least this share passes, of all attempts or of one evaluator's results.

        Without a confidence the observed share decides. With one the gate passes where the share's one-sided
        lower bound reaches the rate, fails where the upper bound lies below it, and is INCONCLUSIVE in
        between. The bounds are Clopper and Pearson's (1934); repeats are clustered by case (Korn and Graubard
        1998), so that a suite at the very rate passes at most 1 - confidence of the time.

        Args:
            rate: From 0 to 1; with a confidence below 1, since no number of passes shows a rate of 1.
            of: An evaluator class, a labelled function, or a judged criterion's name. Results without
                evidence and results of attempts that never reached the evaluator are not counted.
            confidence: Of each bound, above 0.5 and below 1, such as 0.95.

        Raises:
            InvalidArgument: A number is out of range, `of` names nothing, or a rate of 1 has a confidence.
        """
        return cls((PassRate(rate, None if of is None else Reference.to(of), confidence),))

    @classmethod
    def pass_at_k_should_be_at_least(cls, rate: float, *, k: int) -> Gate:
        """The chance that at least one of k runs of a case passes, on the mean over cases (Chen et al. 2021).

        Args:
            rate: From 0 to 1.
            k: At least 1 and at most the runs of every case.

        Raises:
            InvalidArgument: The rate is no number from 0 to 1, or k no whole number >= 1.
        """
        return cls((PassAtK(rate, k=k),))

    @classmethod
    def pass_hat_k_should_be_at_least(cls, rate: float, *, k: int) -> Gate:
        """pass^k, the chance that all of k runs of a case pass, on the mean over cases (Yao et al. 2024).

        Args:
            rate: From 0 to 1.
            k: At least 1 and at most the runs of every case.

        Raises:
            InvalidArgument: The rate is no number from 0 to 1, or k no whole number >= 1.
        """
        return cls((PassHatK(rate, k=k),))

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

    @classmethod
    def judge_should_be_calibrated(
        cls,
        *,
        kappa: float = 0.4,
        of: GateUnit | None = None,
        population: str | None = None,
        max_age_days: float | None = None,
        store: str | PathLike[str] | None = None,
    ) -> Gate:
        """Every judged criterion has a calibration against human labels, made with the very same instrument.

        It passes where the lower end of the 95 % interval of Cohen's kappa reaches `kappa`, fails where kappa
        itself lies below it, and is INCONCLUSIVE in between, and where there is no calibration or only one
        of another model, prompt, schema, criterion or threshold.

        Args:
            kappa: From -1, below 1.
            of: A judged criterion's name; without it every judged criterion.
            population: Only calibrations of this population count; without it the newest of any.
            max_age_days: Older ones do not count.
            store: The folder of the calibrations; `.judgekit/calibrations` unless given.

        Raises:
            InvalidArgument: A number is out of range, or a text is blank.
        """
        reference = None if of is None else Reference.to(of)
        folder = None if store is None else str(store)
        rule = JudgeCalibrated(
            kappa=kappa, of=reference, population=population, max_age_days=max_age_days, store=folder
        )
        return cls((rule,))

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
        if results.early is not None and results.looked_at is not None:
            looks = self.looks(results)
            for index in results.early.order()[: results.looked_at]:
                looks.add(index)
            return looks.decision()
        return joined([rule.decide(results) for rule in self.rules])

    def looks(self, results: Results) -> GateLooks:
        """What decides the gate while the cases of a run that may stop early come in."""
        return GateLooks(self.rules, results)

    def can_stop_early(self, results: Results) -> bool:
        """Whether a run that may stop early could be decided before its last case."""
        return can_stop(self.rules, results)

    def references(self) -> tuple[str, ...]:
        """Every label or criterion name that an `of=` names, each once."""
        return tuple(dict.fromkeys(reference.name for reference in self._references()))

    def problems(
        self,
        *,
        labels: Collection[str],
        criteria: Collection[str],
        tags: Mapping[str, Collection[int]] | None = None,
        case_runs: Sequence[int] = (),
    ) -> tuple[str, ...]:
        """One sentence for everything in the gate that an experiment cannot use.

        Args:
            labels: Of its evaluators.
            criteria: Names of its judged criteria.
            tags: The positions of its cases that bear each tag.
            case_runs: The attempts planned of each case.
        """
        planned = Planned(labels=labels, criteria=criteria, tags=tags or {}, case_runs=case_runs)
        return tuple(dict.fromkeys(problem for rule in self.rules for problem in rule.problems(planned)))

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
