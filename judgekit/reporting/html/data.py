"""What the page's script reads: one row an attempt, and each text once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judgekit.evaluation import EvalResult, Kind, Measurement, Outcome
from judgekit.interaction import GuardrailResult, Interaction, ModelCall, ToolCall
from judgekit.jsonable import json_text
from judgekit.reporting.html.messages import conversation
from judgekit.reporting.shown import shown
from judgekit.results import CaseResult

__all__ = ["PageData", "quality"]

_TEXT_LIMIT, _NAME_LIMIT = 20_000, 300
_BUDGET = 16_000_000
"""Characters of all attempts together; what comes later is a row without its evidence."""


def quality(attempt: CaseResult) -> float | None:
    """The mean of the attempt's scores; without any, the share of its conclusive results that passed."""
    decided = [one for one in attempt.results if one.outcome is not Outcome.INCONCLUSIVE]
    scores = [one.score for one in decided if one.score is not None]
    if scores:
        return math.fsum(scores) / len(scores)
    passed = sum(one.outcome is Outcome.PASS for one in decided)
    return passed / len(decided) if decided else None


def _kept(**fields: object) -> dict[str, Any]:
    """The fields that say something."""
    return {name: value for name, value in fields.items() if value is not None and value != []}


@dataclass(slots=True)
class PageData:
    """Gathers the texts of attempts, each once: replies stand in conversations again, prompts in all of them.

    Attributes:
        texts: What the numbers in attempts point at.
        instruments: How judged results were measured, each way once.
        left_out: How many attempts came after the page was full.
    """

    texts: list[str] = field(default_factory=list)
    instruments: list[dict[str, Any]] = field(default_factory=list)
    left_out: int = 0
    _places: dict[str, int] = field(default_factory=dict)
    _ways: dict[tuple[object, ...], int] = field(default_factory=dict)
    _size: int = 0
    _used: dict[int, None] = field(default_factory=dict)

    def text(self, text: str, limit: int = _TEXT_LIMIT) -> int:
        """The number of a text; a long one is cut with a note."""
        # Two long texts that differ after the cut differ in the note's number or show the same.
        key = text if len(text) <= limit else f"{text[:limit]}\0{len(text)}"
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = len(self.texts)
            self.texts.append(shown(text, limit))
            self._size += len(self.texts[-1])
        self._used[place] = None
        return place

    def name(self, text: str) -> int:
        """The number of a name, an id or a label."""
        return self.text(text, _NAME_LIMIT)

    def row(
        self, case_id: str, run: int, tags: Sequence[str], sides: Sequence[CaseResult | None]
    ) -> dict[str, Any]:
        """A row of the list: one attempt, or two of the same case and run."""
        self._used = {}
        shown_sides = [self.attempt(side) if side is not None else None for side in sides]
        row = {"id": self.name(case_id), "run": run, "tags": list(tags), "sides": shown_sides}
        return {**row, "texts": list(self._used)}

    def attempt(self, attempt: CaseResult) -> dict[str, Any]:
        """An attempt; without its evidence once the page is full."""
        evidence = attempt.interaction
        short = _kept(
            outcome=attempt.outcome.value,
            quality=_rounded(quality(attempt)),
            latency=_rounded(evidence.latency),
            cost=evidence.known_cost() or evidence.cost,
        )
        if self._size > _BUDGET:
            self.left_out += 1
            return {**short, "left_out": True}
        return {**short, **self._evidence(evidence), "results": list(map(self._result, attempt.results))}

    def _maybe(self, text: str | None) -> int | None:
        return None if text is None else self.text(text)

    def _value(self, value: object) -> int:
        return self.text(value if isinstance(value, str) else json_text(value))

    def _evidence(self, evidence: Interaction) -> dict[str, Any]:
        same = evidence.model_text is None or evidence.model_text == evidence.reply
        data = _kept(
            asked=self.text(evidence.asked()),
            reply=self._maybe(evidence.reply),
            model_text=None if same else self._maybe(evidence.model_text),
            error=self._maybe(evidence.error),
            flags=[name for name in ("blocked", "replayed") if getattr(evidence, name)],
            conversation=[[self.name(role), self.text(text)] for role, text in conversation(evidence)],
            models=[self._model(call) for call in evidence.model_calls or ()],
            guardrails=list(map(self._guardrail, evidence.guardrails)),
        )
        if evidence.tool_calls is not None:
            # An empty list says that none was made, an absent one that nobody recorded them.
            data["tools"] = list(map(self._tool, evidence.tool_calls))
        return data

    def _guardrail(self, one: GuardrailResult) -> list[object]:
        return [self.name(one.name), one.passed, self.text(one.explanation or one.category or "")]

    def _tool(self, call: ToolCall) -> dict[str, Any]:
        result = None if call.result is None else self._value(call.result)
        return _kept(
            name=self.name(call.name),
            arguments=self._value(call.arguments),
            result=result,
            error=self._maybe(call.error),
        )

    def _model(self, call: ModelCall) -> dict[str, Any]:
        finish = ", ".join(call.finish_reasons)
        return _kept(
            model=self.name(call.model or call.provider or "unknown"),
            input=call.input_tokens,
            output=call.output_tokens,
            latency=_rounded(call.latency),
            cost=call.cost,
            finish=self.name(finish) if finish else None,
        )

    def _result(self, result: EvalResult) -> dict[str, Any]:
        return _kept(
            outcome="not_run" if result.kind is Kind.NOT_RUN else result.outcome.value,
            label=self.name(result.label),
            name=None if result.name is None else self.name(result.name),
            detail=self.text(result.detail) if result.detail else None,
            kind=self.name(_reason(result)) if result.kind else None,
            score=_rounded(result.score),
            threshold=_rounded(result.threshold),
            measured=list(map(self._measured, result.measurements)),
        )

    def _measured(self, one: Measurement) -> dict[str, Any]:
        way = tuple(self._way(one))
        place = self._ways.get(way)
        if place is None:
            place = self._ways[way] = len(self.instruments)
            self.instruments.append({name: value for name, value in way if value is not None})
        return _kept(
            way=place,
            requests=one.requests,
            cached=True if one.cached else None,
            input=one.input_tokens,
            output=one.output_tokens,
            cost=one.cost,
            notes=list(map(self.text, one.notes)),
        )

    def _way(self, one: Measurement) -> Iterator[tuple[str, int | None]]:
        yield "model", self.name(one.model)
        served = one.model_served
        yield "served by", None if served in (None, one.model) else self.name(served or "")
        for name, text in (
            ("criterion", one.criterion),
            ("prompt", one.prompt),
            ("schema", one.schema),
            ("asked by", one.rung),
            ("parameters", _parameters(one.parameters)),
            ("fingerprint", one.fingerprint),
        ):
            yield name, self.text(text) if text else None


def _parameters(parameters: Mapping[str, Any]) -> str:
    return json_text(parameters) if parameters else ""


def _reason(result: EvalResult) -> str:
    kind = result.kind.value.replace("_", " ") if result.kind else ""
    return f"{kind}: {result.cause}" if result.cause and result.cause != kind else kind


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
