"""What an evaluator found: the outcome, why where there is none, and how a judge measured it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from judgekit.checking import check_texts, is_finite_number, items_of
from judgekit.errors import InvalidArgument

__all__ = ["EvalResult", "Kind", "Measurement", "Outcome"]


class Outcome(Enum):
    """What an evaluator, an attempt or a gate came to."""

    PASS = "pass"  # noqa: S105 - an outcome, not a password
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"


class Kind(Enum):
    """Why a result is inconclusive."""

    NO_EVIDENCE = "no_evidence"
    """What the evaluator reads is absent; the result leaves every count."""
    JUDGE_FAILED = "judge_failed"
    BUDGET_SPENT = "budget_spent"
    TIME_LIMIT = "time_limit"
    INTERRUPTED = "interrupted"
    NOT_RUN = "not_run"
    """The attempt failed before its evaluators: loading recorded calls or the agent call raised."""

    @property
    def is_missing_measurement(self) -> bool:
        """Whether a value exists that could not be measured, so that it bounds a gate."""
        return self in _MISSING


_MISSING = frozenset({Kind.JUDGE_FAILED, Kind.BUDGET_SPENT, Kind.TIME_LIMIT, Kind.INTERRUPTED})
_GIVEN_KINDS = (*_MISSING, Kind.NO_EVIDENCE, *(kind.value for kind in (*_MISSING, Kind.NO_EVIDENCE)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """How one judged result was measured: enough to tell two instruments apart, and what it cost.

    Attributes:
        model: The model asked, as a litellm string; the class's name for a judge of one's own.
        model_served: The model that the server says answered.
        criterion: The whole text of the criterion.
        prompt: Name, version and content hash of the prompt, as `judge/score 1 3f2a9c81d0e4`.
        schema: The verdict schema's name.
        rung: How the format was asked for: `json_schema`, `tool_call`, `json_object` or `prompt`.
        parameters: The parameters really sent.
        notes: What was changed or cut on the way, such as a dropped parameter.
        requests: HTTP requests made for this result; 0 where it came from a cache or a shared request.
        asked: Whether a model was asked for this result (a retry does not count again).
        cached: Whether the verdict came from a cache.
        input_tokens: Of every request that reported them, failed ones too; None where none did.
        output_tokens: Likewise.
        cost: US dollars, likewise; None where no price is known.
        tokens_complete: Whether every request reported its tokens; else they are a lower bound.
        cost_complete: Whether every request's cost is known; else it is a lower bound.
        fingerprint: A hash over everything above that shapes a verdict.
    """

    model: str
    model_served: str | None = None
    criterion: str = ""
    prompt: str = ""
    schema: str = ""
    rung: str = ""
    parameters: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    notes: tuple[str, ...] = ()
    requests: int = 0
    asked: bool = True
    cached: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    tokens_complete: bool = True
    cost_complete: bool = True
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class EvalResult:
    """What one evaluator found about one interaction.

    Build it with `EvalResult.passed()`, `.failed(detail)` or `.inconclusive(detail, kind=...)`; the
    runner fills in the label.

    Attributes:
        outcome: PASS, FAIL or INCONCLUSIVE.
        detail: One sentence for people.
        kind: Why it is inconclusive; None otherwise.
        label: The label of the evaluator, as reports show it.
        name: The criterion's name, for judged results.
        score: What a judge measured, 0 to 1; None where there is no score.
        threshold: The score needed.
        cause: Why a judge failed, in a word or two, such as `rate limited`.
        measurements: How it was measured, one entry a judge asked.
    """

    outcome: Outcome
    detail: str = ""
    kind: Kind | None = None
    label: str = ""
    name: str | None = None
    score: float | None = None
    threshold: float | None = None
    cause: str | None = None
    measurements: tuple[Measurement, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.outcome, Outcome):
            raise InvalidArgument(f"`outcome` must be an Outcome, got {self.outcome!r}")
        if not isinstance(self.detail, str):
            raise InvalidArgument(f"`detail` must be text, got {self.detail!r}")
        if (self.kind is not None) != (self.outcome is Outcome.INCONCLUSIVE):
            raise InvalidArgument("`kind` belongs to INCONCLUSIVE and only to it")
        self._check_optional_fields()
        score = self.score
        if score is not None and (
            isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1
        ):
            raise InvalidArgument(f"`score` must be a number from 0 to 1 or None, got {score!r}")

    def _check_optional_fields(self) -> None:
        """What a report could not write, or not read back."""
        if self.kind is not None and not isinstance(self.kind, Kind):
            raise InvalidArgument(f"`kind` must be a Kind, got {self.kind!r}")
        check_texts("EvalResult", self, "name", "cause")
        if self.threshold is not None and not is_finite_number(self.threshold):
            raise InvalidArgument(f"`threshold` must be a finite number or None, got {self.threshold!r}")
        if self.measurements != ():
            measurements = items_of("EvalResult", "measurements", self.measurements, Measurement)
            object.__setattr__(self, "measurements", measurements)

    @classmethod
    def passed(cls, detail: str = "") -> EvalResult:
        """The interaction is as it should be."""
        return cls(Outcome.PASS, detail)

    @classmethod
    def failed(cls, detail: str) -> EvalResult:
        """The interaction is not as it should be; `detail` says what was found."""
        return cls(Outcome.FAIL, detail)

    @classmethod
    def inconclusive(
        cls, detail: str, *, kind: Kind | str = Kind.NO_EVIDENCE, cause: str | None = None
    ) -> EvalResult:
        """It could not be decided.

        Args:
            detail: What is missing.
            kind: `no_evidence` where the evidence is absent, else a missing measurement, which bounds
                every gate: `judge_failed`, `budget_spent`, `time_limit`, `interrupted`.
            cause: The reason in a word or two; gates count by it.

        Raises:
            InvalidArgument: Another kind; `not_run` is the runner's own.
        """
        if kind not in _GIVEN_KINDS:
            known = ", ".join(one.value for one in Kind if one is not Kind.NOT_RUN)
            raise InvalidArgument(f"`kind` must be one of {known}, got {kind!r}")
        return cls(Outcome.INCONCLUSIVE, detail, Kind(kind), cause=cause)

    @property
    def is_missing(self) -> bool:
        """Whether this is a missing measurement, which bounds a gate instead of leaving its count."""
        return self.kind is not None and self.kind.is_missing_measurement
