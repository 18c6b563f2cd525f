"""What every rule of a gate is: checked when built, data, and decided over the counts of a run."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from judgekit.checking import is_finite_number
from judgekit.errors import InvalidArgument
from judgekit.evaluation import Outcome
from judgekit.gate.decision import Decision
from judgekit.gate.reference import Reference
from judgekit.gate.wording import TOLERANCE, decimals, missing_text
from judgekit.results import Results
from judgekit.stopping import EarlyStop
from judgekit.text import counted
from judgekit.units import Unit

if TYPE_CHECKING:
    from judgekit.gate.looking import Look

__all__ = ["Planned", "Rule", "bounded", "checked_share", "judged_text", "not_run_text", "unread"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """What a rule must fit: the suite that is to be run, or was.

    Attributes:
        labels: Of the evaluators.
        criteria: Names of the judged criteria.
        tags: The positions of the cases that bear each tag.
        case_runs: The attempts planned of each case.
    """

    labels: Collection[str]
    criteria: Collection[str]
    tags: Mapping[str, Collection[int]]
    case_runs: Sequence[int]


@dataclass(frozen=True, slots=True)
class Rule(ABC):
    """One thing that a run must reach; its fields are its JSON.

    Attributes:
        factory: The method of Gate that makes it, which is also its name in JSON.
    """

    factory: ClassVar[str]

    @abstractmethod
    def decide(self, results: Results) -> Decision:
        """What the counts of a run with at least one attempt come to."""

    def look(self, results: Results, early: EarlyStop, alpha: float) -> Look | None:
        """What decides it while cases come in, one after the other; None where only a whole run does.

        Args:
            results: Of a run that may stop early, filled as it goes on.
            early: How it may.
            alpha: Chance of a wrong decision.
        """
        return None

    @property
    def reference(self) -> Reference | None:
        """What its `of=` names, where it has one."""
        return getattr(self, "of", None)

    def problems(self, planned: Planned) -> Iterator[str]:
        """Why it cannot be used on this suite, a sentence each."""
        if self.reference is not None:
            problem = self.reference.problem(planned.labels, planned.criteria)
            if problem is not None:
                yield problem

    def to_json(self) -> dict[str, Any]:
        """The rule as JSON data."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        plain = {
            k: v.to_json() if isinstance(v, Reference) else v for k, v in values.items() if v is not None
        }
        return {"rule": self.factory, **plain}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Rule:
        """Read the fields that `to_json` wrote."""
        return cls(**{k: Reference.from_json(v) if k == "of" else v for k, v in values.items()})

    def __str__(self) -> str:
        shown = []
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Reference):
                shown.append(f"{field.name}={value.name!r}")
            elif value is not None:
                positional = field.default is dataclasses.MISSING and not field.kw_only
                shown.append(repr(value) if positional else f"{field.name}={value!r}")
        return f"Gate.{self.factory}({', '.join(shown)})"


def checked_share(rule: Rule, name: str, value: float) -> None:
    """Refuse what is no number from 0 to 1."""
    number = is_finite_number(value)
    if number and 0 <= value <= 1:
        return
    hint = f"; write {value / 100:g}" if number and 1 < value <= 100 else ""
    raise InvalidArgument(f"Gate.{rule.factory}: `{name}` must be a number from 0 to 1, got {value!r}{hint}")


def _outcome(low: float, high: float, required: float) -> Outcome:
    """PASS if the lower bound reaches what is required, FAIL if the upper one does not."""
    if low >= required - TOLERANCE:
        return Outcome.PASS
    return Outcome.FAIL if high < required - TOLERANCE else Outcome.INCONCLUSIVE


def bounded(name: str, over: str, bounds: tuple[float, float], required: float, unit: Unit) -> Decision:
    """A share between two bounds, which are one where nothing is missing, against what is required."""
    low, high = bounds
    digits = decimals(required, (bound for bound in bounds if bound < required - TOLERANCE))
    value = f"between {low:.{digits}f} and {high:.{digits}f}" if unit.missing else f"{low:.{digits}f}"
    text = f"{name} {value} over {over}, required {required:.{digits}f}{not_run_text(unit)}"
    return Decision(_outcome(low, high, required), text + missing_text(unit.missing))


def judged_text(unit: Unit, number: int) -> str:
    """`2 judged attempts`, or `3 results on 2 attempts` where an attempt has several."""
    if number == unit.attempts:
        return counted(number, "judged attempt")
    return f"{counted(number, 'result')} on {counted(unit.attempts, 'attempt')}"


def not_run_text(unit: Unit) -> str:
    """`, 9 not run`; empty where all were."""
    return f", {unit.not_run} not run" if unit.not_run else ""


def unread(reason: str, unit: Unit) -> Decision:
    """A FAIL: there is nothing that the rule could be read from."""
    return Decision(Outcome.FAIL, reason + not_run_text(unit))
