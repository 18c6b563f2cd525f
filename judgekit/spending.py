"""What agents and judges spent over a run: calls, tokens, seconds and dollars, with what is unknown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import fsum

from judgekit.evaluation import EvalResult, Measurement, Outcome
from judgekit.interaction import Interaction, ModelCall

__all__ = ["JudgeSpend", "Spend", "UserSpend", "total_cost"]


class _Total:
    """A sum of floats that does not depend on the order in which they came.

    Attempts finish in any order, and a resumed run must come to the same report.
    """

    __slots__ = ("_parts",)

    def __init__(self) -> None:
        self._parts: list[float] = []

    def add(self, value: float) -> None:
        """Add exactly: the parts together are the true sum (Shewchuk 1997, as in `math.fsum`)."""
        parts = []
        for part in self._parts:
            high, low = (value, part) if abs(value) >= abs(part) else (part, value)
            value = high + low
            if rest := low - (value - high):
                parts.append(rest)
        self._parts = [*parts, value]

    @property
    def value(self) -> float:
        """The sum, rounded once."""
        return fsum(self._parts)


@dataclass(slots=True)
class Spend:
    """What the agents spent over all attempts.

    Tokens are sums of what is known; the `_complete` flags say whether every model call reported them.
    Latencies are in seconds.
    """

    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    input_complete: bool = True
    output_complete: bool = True
    slowest_case: str | None = None
    slowest_run: int = 0
    slowest: float = -1.0
    cost_complete: bool = True
    attempts_with_evidence: int = 0
    _latency: _Total = field(default_factory=_Total, repr=False, compare=False)
    _cost: _Total = field(default_factory=_Total, repr=False, compare=False)

    @property
    def latency(self) -> float:
        """Seconds that agents took, over all attempts."""
        return self._latency.value

    @property
    def cost(self) -> float:
        """US dollars, of what is known."""
        return self._cost.value

    def add(self, case_id: str, run: int, interaction: Interaction) -> None:
        """Count one attempt's evidence."""
        if interaction.latency is not None and not interaction.replayed:
            self._latency.add(interaction.latency)
            self._compare(interaction.latency, case_id, run)
        if interaction.cost is not None:
            self._cost.add(interaction.cost)
        elif interaction.model_calls or interaction.turns:
            self._cost.add(interaction.known_cost())
        if interaction.model_calls is not None:
            self.attempts_with_evidence += 1
            self._add_calls(interaction)
        elif interaction.turns:
            # Of a conversation with a turn that nobody recorded, the others count.
            recorded = [turn for turn in interaction.turns if turn.model_calls is not None]
            self.attempts_with_evidence += bool(recorded)
            for turn in recorded:
                self._add_calls(turn)

    def _add_calls(self, interaction: Interaction) -> None:
        if not interaction.model_calls:
            return
        self.model_calls += len(interaction.model_calls)
        tokens_in, tokens_out = interaction.known_tokens()
        self.input_tokens += tokens_in
        self.output_tokens += tokens_out
        self.input_complete &= interaction.input_tokens is not None
        self.output_complete &= interaction.output_tokens is not None
        self.cost_complete &= interaction.cost is not None

    def _compare(self, latency: float, case_id: str, run: int) -> None:
        # Of equally slow attempts one is named, the same whatever finished first.
        tied = latency == self.slowest and (case_id, run) < (self.slowest_case or "", self.slowest_run)
        if latency > self.slowest or tied:
            self.slowest, self.slowest_case, self.slowest_run = latency, case_id, run


@dataclass(slots=True)
class UserSpend:
    """What simulated users asked their models over all attempts; counted apart from agents and judges."""

    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    tokens_complete: bool = True
    cost_complete: bool = True
    models: dict[str, None] = field(default_factory=dict)
    _cost: _Total = field(default_factory=_Total, repr=False, compare=False)

    @property
    def cost(self) -> float:
        """US dollars, of what is known."""
        return self._cost.value

    def add(self, calls: Sequence[ModelCall]) -> None:
        """Count the calls of one attempt."""
        for call in calls:
            self.model_calls += 1
            self.models[call.model or "unknown"] = None
            self.input_tokens += call.input_tokens or 0
            self.output_tokens += call.output_tokens or 0
            self.tokens_complete &= None not in (call.input_tokens, call.output_tokens)
            self._cost.add(call.cost or 0.0)
            self.cost_complete &= call.cost is not None


@dataclass(slots=True)
class JudgeSpend:
    """What the judges spent over all attempts; unknown prices and counts leave the flags False."""

    verdicts: int = 0
    asked: int = 0
    cached: int = 0
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    tokens_complete: bool = True
    cost_complete: bool = True
    models: dict[str, None] = field(default_factory=dict)
    _cost: _Total = field(default_factory=_Total, repr=False, compare=False)

    @property
    def cost(self) -> float:
        """US dollars, of what is known."""
        return self._cost.value

    @property
    def retries(self) -> int:
        """Requests beyond the first of each question asked."""
        return max(0, self.requests - self.asked)

    def add(self, result: EvalResult) -> None:
        """Count one judged result."""
        if not result.measurements:
            return
        if result.outcome is not Outcome.INCONCLUSIVE:
            self.verdicts += 1
        for measurement in result.measurements:
            self._add(measurement)

    def _add(self, measurement: Measurement) -> None:
        self.models[measurement.model] = None
        self.cached += measurement.cached
        if not measurement.asked or measurement.cached:
            return
        self.asked += 1
        self.requests += measurement.requests
        self.input_tokens += measurement.input_tokens or 0
        self.output_tokens += measurement.output_tokens or 0
        if measurement.requests:
            tokens = (measurement.input_tokens, measurement.output_tokens)
            self.tokens_complete &= measurement.tokens_complete and None not in tokens
            self._cost.add(measurement.cost or 0.0)
            self.cost_complete &= measurement.cost_complete and measurement.cost is not None


def total_cost(spend: Spend, judges: JudgeSpend, users: UserSpend) -> tuple[float | None, bool]:
    """US dollars of a run, and whether nothing of it is unknown; None where nothing is known."""
    parts = [
        (one.cost, one.cost_complete)
        for one, calls in (
            (spend, spend.model_calls),
            (judges, judges.asked),
            (users, users.model_calls),
        )
        if calls
    ]
    total, complete = fsum(cost for cost, _ in parts), all(known for _, known in parts)
    return (total if parts and (complete or total) else None), complete
