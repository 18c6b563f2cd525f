"""The shape of an attempt's evidence in `report.json`."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Amount", "Count", "Document", "InteractionDocument"]

Count = Annotated[int, Field(ge=0)]
Amount = Annotated[float, Field(ge=0)]


class Document(BaseModel):
    """Base: strict types; keys that a later version added are ignored."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore", allow_inf_nan=False)


class ToolCallDocument(Document):
    """One call of a tool; `arguments` is text where they are no JSON object."""

    name: str
    arguments: dict[str, Any] | str = {}
    result: Any = None
    error: str | None = None
    id: str | None = None


class ModelCallDocument(Document):
    """One request to a model."""

    model: str | None = None
    provider: str | None = None
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    latency: Amount | None = None
    cost: Amount | None = None
    finish_reasons: list[str] = []
    messages: list[dict[str, Any]] = []


class GuardrailDocument(Document):
    """What one guardrail decided."""

    name: str
    passed: bool
    category: str | None = None
    explanation: str | None = None


class InteractionDocument(Document):
    """The evidence of one attempt; calls that are absent were not recorded, empty ones were not made."""

    command_text: str = ""
    user_message: str = ""
    reply: str | None = None
    model_text: str | None = None
    tool_calls: list[ToolCallDocument] | None = None
    model_calls: list[ModelCallDocument] | None = None
    guardrails: list[GuardrailDocument] = []
    latency: Amount | None = None
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cost: Amount | None = None
    blocked: bool = False
    replayed: bool = False
    error: str | None = None
    messages: list[dict[str, Any]] = []
    turns: list[InteractionDocument] = []
    user_calls: list[ModelCallDocument] = []
