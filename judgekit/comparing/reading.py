"""What a comparison keeps of a run: a few numbers and codes an attempt, never its evidence."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from math import fsum
from typing import Any, Protocol, TypeAlias, TypeVar, cast

from judgekit.evaluation import EvalResult, Measurement, Outcome
from judgekit.interaction import Interaction
from judgekit.jsonable import json_line
from judgekit.records import interaction_to_json
from judgekit.results import RUNNER_LABELS, CaseResult, Requirements, code_of

__all__ = ["AttemptReading", "ComparedRun", "Instrument", "Measured", "RunReading", "Unit", "unit_name"]

Unit: TypeAlias = "tuple[str, str | None]"
"""What is compared by itself: a label, or a judged criterion with its label."""

T = TypeVar("T")

# What may differ between two calls that said and did the same.
_VOLATILE = ("latency", "input_tokens", "output_tokens", "cost", "replayed", "model_calls", "user_calls")


def unit_name(unit: Unit) -> str:
    """How the report calls it: the criterion's name, else the label."""
    label, name = unit
    return label if name is None else name


class ComparedRun(Protocol):
    """A run that can be compared; every `EvalReport` is one."""

    @property
    def name(self) -> str:
        """The experiment's name."""
        ...

    @property
    def started_at(self) -> datetime:
        """UTC."""
        ...

    @property
    def finished_at(self) -> datetime | None:
        """UTC; None for a run that was killed."""
        ...

    @property
    def results(self) -> Iterable[CaseResult]:
        """One an attempt; gone through once."""
        ...


@dataclass(frozen=True, slots=True)
class Instrument:
    """One judge as it measured: what can make it give another verdict about the same evidence.

    Attributes:
        model: The model asked.
        served: The model that the server says answered.
        prompt: Name, version and hash of the prompt.
        schema: The verdict schema's name.
        parameters: The parameters sent, as JSON.
        rung: How the format was asked for.
        criterion: The whole text of the criterion.
        fingerprint: Over all of it and what else shapes a verdict: levels, references, samples.
    """

    model: str
    served: str | None
    prompt: str
    schema: str
    parameters: str
    rung: str
    criterion: str
    fingerprint: str

    @classmethod
    def of(cls, measurement: Measurement) -> Instrument:
        """The instrument of a measurement."""
        return cls(
            measurement.model,
            measurement.model_served,
            measurement.prompt,
            measurement.schema,
            json_line(measurement.parameters) if measurement.parameters else "",
            measurement.rung,
            measurement.criterion,
            measurement.fingerprint,
        )


@dataclass(frozen=True, slots=True)
class Measured:
    """How one result came about: the instruments, each once, and the score needed."""

    instruments: tuple[Instrument, ...]
    threshold: float | None


@dataclass(frozen=True, slots=True)
class AttemptReading:
    """One attempt in short.

    Attributes:
        run: 1-based.
        own: `setup` or `target` where the attempt failed before its evaluators, else None.
        is_missing: Whether the agent was never called to an end, so that nobody knows the outcome.
        asked: A hash of what the agent was given.
        evidence: A hash of what the agent said and did; None where it was not called to an end.
        requirements: Label and criterion name of each result.
        codes: One byte a result, as `judgekit.results.code_of` gives it.
        scores: One a result; empty where none has a score.
        measured: How each result came about; None for what no judge said.
        amounts: Latency, cost, input and output tokens, judge cost; None where unknown.
    """

    run: int
    own: str | None
    is_missing: bool
    asked: bytes
    evidence: bytes | None
    requirements: Requirements
    codes: bytes
    scores: tuple[float | None, ...]
    measured: tuple[Measured | None, ...]
    amounts: tuple[float | None, ...]


@dataclass(slots=True)
class RunReading:
    """A run as a comparison reads it: about half a kilobyte an attempt.

    Attributes:
        name: The experiment's name.
        started_at: UTC.
        is_finished: Whether the run came to its end.
        cases: Attempts by case id and run.
        models: Models that the agents' calls named.
        checks: A hash over the checks of each label that no judge answers, and by which versions; empty where
            nothing is known of them.
    """

    name: str
    started_at: datetime
    is_finished: bool
    cases: dict[str, dict[int, AttemptReading]] = field(default_factory=dict)
    models: dict[str, None] = field(default_factory=dict)
    checks: Mapping[str, str] = field(default_factory=dict)
    _shared: dict[object, object] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, run: ComparedRun, *, checks: Mapping[str, str] | None = None) -> RunReading:
        """Go through a run's attempts once."""
        reading = cls(run.name, run.started_at, run.finished_at is not None, checks=checks or {})
        for attempt in run.results:
            reading._add(attempt)
        return reading

    @property
    def attempts(self) -> int:
        """How many attempts there are."""
        return sum(map(len, self.cases.values()))

    def _add(self, attempt: CaseResult) -> None:
        results = attempt.results
        own = results[0] if results and results[0].label in RUNNER_LABELS else None
        declared = results[1:] if own is not None else results
        failed = own is not None and own.outcome is Outcome.FAIL
        missing = own is not None and own.is_missing
        evidence = attempt.interaction
        for call in evidence.model_calls or ():
            if call.model:
                self.models[call.model] = None
        scores = tuple(result.score for result in declared)
        reading = AttemptReading(
            attempt.run,
            own.label if own is not None and failed else None,
            missing,
            _digest(evidence.command_text),
            None if missing or (own is not None and failed and own.label == "setup") else _said(evidence),
            self._once(tuple([(result.label, result.name) for result in declared])),
            self._once(bytes(map(code_of, declared))),
            self._once(scores) if any(score is not None for score in scores) else (),
            self._once(tuple(map(self._measured, declared))),
            _amounts(evidence, declared),
        )
        # Of an attempt that stands there twice the first counts, as in a journal.
        self.cases.setdefault(attempt.case_id, {}).setdefault(attempt.run, reading)

    def _measured(self, result: EvalResult) -> Measured | None:
        if not result.measurements and result.threshold is None:
            return None
        instruments = dict.fromkeys(self._once(Instrument.of(one)) for one in result.measurements)
        return self._once(Measured(tuple(instruments), result.threshold))

    def _once(self, value: T) -> T:
        """The one kept object equal to `value`: most attempts look alike."""
        return cast("T", self._shared.setdefault((type(value), value), value))


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _said(evidence: Interaction) -> bytes:
    return _digest(json_line(_stable(interaction_to_json(evidence))))


def _stable(data: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in data.items() if name not in _VOLATILE}
    if kept.get("tool_calls"):
        # Ids are drawn anew for every call.
        kept["tool_calls"] = [
            {name: value for name, value in call.items() if name != "id"} for call in kept["tool_calls"]
        ]
    if "turns" in kept:
        kept["turns"] = [_stable(turn) for turn in kept["turns"]]
    return kept


def _amounts(evidence: Interaction, results: Iterable[EvalResult]) -> tuple[float | None, ...]:
    latency = None if evidence.replayed else evidence.latency
    return latency, evidence.cost, evidence.input_tokens, evidence.output_tokens, _judge_cost(results)


def _judge_cost(results: Iterable[EvalResult]) -> float | None:
    """What the judges of one attempt cost; None where one of them is unknown or came from a cache."""
    asked = [one for result in results for one in result.measurements]
    costs = [None if one.cached or not one.cost_complete else one.cost for one in asked]
    if not costs or None in costs:
        return None
    return fsum(cost for cost in costs if cost is not None)
