"""Attempts as JSON data and back: what a journal line and a report's `attempts` hold.

Fields that stand at their defaults are left out, so that `tool_calls` absent (nobody recorded) and `[]`
(none was made) stay two things. Fields that a newer version added are ignored on reading.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgekit.evaluation import EvalResult, Kind, Measurement, Outcome
from judgekit.interaction import GuardrailResult, Interaction, ModelCall, ToolCall
from judgekit.results import CaseResult, attempt_outcome

__all__ = [
    "JournalWarning",
    "attempt_from_json",
    "attempt_to_json",
    "interaction_from_json",
    "interaction_to_json",
    "result_from_json",
    "result_to_json",
]

_OUTCOMES = {outcome.value: outcome for outcome in Outcome}
_PASS = Outcome.PASS

# The plain fields of an interaction, by what leaves them out.
_NOT_EMPTY = ("command_text", "user_message", "blocked", "replayed")
_NOT_NONE = ("reply", "model_text", "latency", "input_tokens", "output_tokens", "cost", "error")


class JournalWarning(UserWarning):
    """A journal holds a line that cannot be used, such as the torn last line of a killed run."""


def attempt_to_json(attempt: CaseResult) -> dict[str, Any]:
    """An attempt as data for `json_line`; values of tools and messages are passed on as they are."""
    return attempt_record(attempt.case_id, attempt.run, attempt.interaction, attempt.results)


def attempt_record(
    case_id: str, run: int, interaction: Interaction, results: tuple[EvalResult, ...]
) -> dict[str, Any]:
    """The data of an attempt from its parts."""
    return {
        "id": case_id,
        "run": run,
        "outcome": attempt_outcome(results).value,
        "interaction": interaction_to_json(interaction),
        "results": [result_to_json(result) for result in results],
    }


def attempt_from_json(data: Mapping[str, Any]) -> CaseResult:
    """The attempt that `attempt_to_json` wrote.

    Raises:
        ValueError: The data is no attempt.
    """
    try:
        case_id, run = data["id"], data["run"]
        if not isinstance(case_id, str) or isinstance(run, bool) or not isinstance(run, int) or run < 1:
            raise ValueError(f"an attempt needs a text `id` and a `run` from 1, got {case_id!r} and {run!r}")
        interaction = interaction_from_json(data["interaction"])
        return CaseResult(case_id, run, interaction, tuple(map(result_from_json, data["results"])))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"this is no attempt: {type(error).__name__}: {error}") from error


def interaction_to_json(interaction: Interaction) -> dict[str, Any]:
    """The evidence as data, without the fields that nobody filled."""
    data: dict[str, Any] = {name: value for name in _NOT_EMPTY if (value := getattr(interaction, name))}
    for name in _NOT_NONE:
        if (value := getattr(interaction, name)) is not None:
            data[name] = value
    if interaction.tool_calls is not None:
        data["tool_calls"] = [_tool_call_to_json(call) for call in interaction.tool_calls]
    if interaction.model_calls is not None:
        data["model_calls"] = [_model_call_to_json(call) for call in interaction.model_calls]
    if interaction.guardrails:
        data["guardrails"] = [_guardrail_to_json(guardrail) for guardrail in interaction.guardrails]
    if interaction.messages:
        data["messages"] = list(interaction.messages)
    if interaction.turns:
        data["turns"] = [interaction_to_json(turn) for turn in interaction.turns]
    if interaction.user_calls:
        data["user_calls"] = [_model_call_to_json(call) for call in interaction.user_calls]
    return data


def interaction_from_json(data: Mapping[str, Any]) -> Interaction:
    """The evidence that `interaction_to_json` wrote.

    Raises:
        ValueError: The data is no interaction.
    """
    fields = {name: data[name] for name in (*_NOT_EMPTY, *_NOT_NONE) if name in data}
    if "tool_calls" in data:
        fields["tool_calls"] = tuple(map(_tool_call_from_json, data["tool_calls"]))
    if "model_calls" in data:
        fields["model_calls"] = tuple(map(_model_call_from_json, data["model_calls"]))
    if "guardrails" in data:
        fields["guardrails"] = tuple(map(_guardrail_from_json, data["guardrails"]))
    if "messages" in data:
        fields["messages"] = tuple(data["messages"])
    if "turns" in data:
        fields["turns"] = tuple(map(interaction_from_json, data["turns"]))
    if "user_calls" in data:
        fields["user_calls"] = tuple(map(_model_call_from_json, data["user_calls"]))
    return Interaction(**fields)


def _tool_call_to_json(call: ToolCall) -> dict[str, Any]:
    data: dict[str, Any] = {"name": call.name}
    if call.arguments:
        data["arguments"] = call.arguments
    if call.result is not None:
        data["result"] = call.result
    if call.error is not None:
        data["error"] = call.error
    if call.id is not None:
        data["id"] = call.id
    return data


def _tool_call_from_json(data: Mapping[str, Any]) -> ToolCall:
    return ToolCall(
        data["name"], data.get("arguments", {}), data.get("result"), data.get("error"), data.get("id")
    )


_MODEL_CALL_FIELDS = ("model", "provider", "input_tokens", "output_tokens", "latency", "cost")


def _model_call_to_json(call: ModelCall) -> dict[str, Any]:
    data = {name: value for name in _MODEL_CALL_FIELDS if (value := getattr(call, name)) is not None}
    if call.finish_reasons:
        data["finish_reasons"] = list(call.finish_reasons)
    if call.messages:
        data["messages"] = list(call.messages)
    return data


def _model_call_from_json(data: Mapping[str, Any]) -> ModelCall:
    return ModelCall(
        **{name: data[name] for name in _MODEL_CALL_FIELDS if name in data},
        finish_reasons=tuple(data.get("finish_reasons", ())),
        messages=tuple(data.get("messages", ())),
    )


def _guardrail_to_json(guardrail: GuardrailResult) -> dict[str, Any]:
    data: dict[str, Any] = {"name": guardrail.name, "passed": guardrail.passed}
    if guardrail.category is not None:
        data["category"] = guardrail.category
    if guardrail.explanation is not None:
        data["explanation"] = guardrail.explanation
    return data


def _guardrail_from_json(data: Mapping[str, Any]) -> GuardrailResult:
    return GuardrailResult(data["name"], data.get("category"), data["passed"], data.get("explanation"))


def result_to_json(result: EvalResult) -> dict[str, Any]:
    """A result as data, without the fields that stand at their defaults."""
    data: dict[str, Any] = {"label": result.label, "outcome": "pass"}
    if result.outcome is not _PASS:
        data["outcome"] = result.outcome.value
        if result.kind is not None:
            data["kind"] = result.kind.value
    if result.detail:
        data["detail"] = result.detail
    if result.name is not None:
        data["name"] = result.name
    if result.score is not None:
        data["score"] = result.score
    if result.threshold is not None:
        data["threshold"] = result.threshold
    if result.cause is not None:
        data["cause"] = result.cause
    if result.measurements:
        data["measurements"] = [_measurement_to_json(entry) for entry in result.measurements]
    return data


def result_from_json(data: Mapping[str, Any]) -> EvalResult:
    """The result that `result_to_json` wrote.

    Raises:
        ValueError: The data is no result.
    """
    outcome = _OUTCOMES.get(data["outcome"])
    if outcome is None:
        raise ValueError(f"`outcome` must be one of {list(_OUTCOMES)}, got {data['outcome']!r}")
    return EvalResult(
        outcome,
        data.get("detail", ""),
        Kind(data["kind"]) if "kind" in data else None,
        data["label"],
        data.get("name"),
        data.get("score"),
        data.get("threshold"),
        data.get("cause"),
        tuple(map(_measurement_from_json, data.get("measurements", ()))),
    )


_TEXTS = ("criterion", "prompt", "schema", "rung", "fingerprint")
_FLAGS = (("asked", True), ("cached", False), ("tokens_complete", True), ("cost_complete", True))
_OPTIONAL = ("model_served", "input_tokens", "output_tokens", "cost")


def _measurement_to_json(entry: Measurement) -> dict[str, Any]:
    data: dict[str, Any] = {"model": entry.model, "requests": entry.requests}
    for name in _OPTIONAL:
        if (value := getattr(entry, name)) is not None:
            data[name] = value
    for name in _TEXTS:
        if value := getattr(entry, name):
            data[name] = value
    if entry.parameters:
        data["parameters"] = dict(entry.parameters)
    if entry.notes:
        data["notes"] = list(entry.notes)
    for name, usual in _FLAGS:
        if (value := getattr(entry, name)) is not usual:
            data[name] = value
    return data


def _measurement_from_json(data: Mapping[str, Any]) -> Measurement:
    return Measurement(
        **{name: data[name] for name in (*_OPTIONAL, *_TEXTS) if name in data},
        model=data["model"],
        requests=data["requests"],
        parameters=data.get("parameters", {}),
        notes=tuple(data.get("notes", ())),
        **{name: data.get(name, usual) for name, usual in _FLAGS},
    )
