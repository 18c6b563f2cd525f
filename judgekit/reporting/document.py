"""The shape of `report.json` as pydantic models, and its JSON Schema, which ships beside this module."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, ConfigDict, Field

from judgekit.reporting.evidence_document import Amount, Count, Document, InteractionDocument

__all__ = ["ReportDocument", "generated_schema", "report_schema", "schema_text"]

SCHEMA_FILE = "report.schema.json"

Share = Annotated[float, Field(ge=0, le=1)]
Run = Annotated[int, Field(ge=1)]
Moment = Annotated[AwareDatetime, Field(strict=False)]
OutcomeText = Literal["pass", "fail", "inconclusive"]
KindText = Literal["no_evidence", "judge_failed", "budget_spent", "time_limit", "interrupted", "not_run"]


class GateDocument(Document):
    """What the gate came to."""

    outcome: OutcomeText
    detail: str


class IntervalDocument(Document):
    """A two-sided interval around a rate; `n` is how many independent observations it stands on.

    Repeats of a case are clustered, and missing measurements widen it.
    """

    low: Share
    high: Share
    level: Share
    method: str
    n: Amount
    warnings: list[str] = Field(default_factory=list)


class StoppedDocument(Document):
    """What a run left out once its gate was decided; `looked_at` of `cases` decided it."""

    looked_at: Count
    cases: Count
    attempts_saved: Count
    judged: bool
    alpha: Share
    seed: Count


class TriesDocument(Document):
    """pass@k or pass^k over cases; `estimate` is null where no case has k decided runs."""

    k: Run
    estimate: Share | None
    low: Share | None
    high: Share | None
    level: Share
    method: str
    cases: Count
    missing: Count
    reason: str | None = None
    warnings: list[str] = Field(default_factory=list)


class SummaryDocument(Document):
    """Counts of attempts; `pass_rate` is null without attempts."""

    cases: Count
    attempts: Count
    passed: Count
    failed: Count
    inconclusive: Count
    nothing_conclusive: Count
    pass_rate: Share | None
    interval: IntervalDocument | None
    interval_reason: str | None = None
    pass_at_k: TriesDocument | None = None
    pass_hat_k: TriesDocument | None = None


class UnitDocument(Document):
    """Counts of results; `missing` counts the missing measurements among the inconclusive by reason."""

    passed: Count
    failed: Count
    inconclusive: Count
    not_run: Count
    missing: dict[str, Count]
    mean_score: Share | None
    interval: IntervalDocument | None
    interval_reason: str | None = None


class CriterionDocument(UnitDocument):
    """Counts of one judged criterion."""

    name: str


class EvaluatorDocument(UnitDocument):
    """Counts of one label."""

    label: str
    criteria: list[CriterionDocument] = Field(default_factory=list)


class SlowestDocument(Document):
    """The attempt that took longest; seconds."""

    id: str
    run: Run
    latency: Amount


class SpendDocument(Document):
    """What the agents spent; sums are lower bounds where not complete and null where nothing is known."""

    attempts_with_evidence: Count
    model_calls: Count
    input_tokens: Count | None
    input_complete: bool
    output_tokens: Count | None
    output_complete: bool
    cost: Amount | None
    cost_complete: bool
    latency: Amount | None
    slowest: SlowestDocument | None


class JudgesDocument(Document):
    """What the judges spent; sums as in `spend`."""

    verdicts: Count
    asked: Count
    cached: Count
    requests: Count
    retries: Count
    input_tokens: Count | None
    output_tokens: Count | None
    tokens_complete: bool
    cost: Amount | None
    cost_complete: bool
    models: list[str]


class UsersDocument(Document):
    """What simulated users asked their models; sums as in `spend`."""

    model_calls: Count
    input_tokens: Count | None
    output_tokens: Count | None
    tokens_complete: bool
    cost: Amount | None
    cost_complete: bool
    models: list[str]


class RequirementDocument(Document):
    """One evaluator of a case: the runs in which it passed, failed or decided nothing."""

    position: Run
    label: str
    name: str | None = None
    passed: list[Run]
    failed: list[Run]
    inconclusive: list[Run]


class CaseDocument(Document):
    """One case over its runs."""

    id: str
    outcome: Literal["pass", "fail", "inconsistent", "inconclusive"]
    tags: list[str] = Field(default_factory=list)
    requirements: list[RequirementDocument]


class MeasurementDocument(Document):
    """How one judge was asked for a result."""

    # `schema` is a method of every pydantic model, so the field needs a name of its own.
    model_config = ConfigDict(protected_namespaces=())

    model: str
    requests: Count
    model_served: str | None = None
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cost: Amount | None = None
    criterion: str = ""
    prompt: str = ""
    verdict_schema: str = Field(default="", alias="schema")
    rung: str = ""
    fingerprint: str = ""
    parameters: dict[str, Any] = Field(default_factory=dict)
    notes: list[str] = Field(default_factory=list)
    asked: bool = True
    cached: bool = False
    tokens_complete: bool = True
    cost_complete: bool = True


class ResultDocument(Document):
    """What one evaluator found; `kind` only where it is inconclusive."""

    label: str
    outcome: OutcomeText
    kind: KindText | None = None
    detail: str = ""
    name: str | None = None
    score: Share | None = None
    threshold: float | None = None
    cause: str | None = None
    measurements: list[MeasurementDocument] = Field(default_factory=list)


class AttemptDocument(Document):
    """One attempt at one case, as in the journal."""

    id: str
    run: Run
    outcome: OutcomeText
    interaction: InteractionDocument
    results: list[ResultDocument]


class ReportDocument(Document):
    """The whole report of one run."""

    format: Literal["judgekit-report"]
    format_version: Literal[1]
    name: str
    started_at: Moment
    finished_at: Moment | None
    runs: Run
    gate: GateDocument
    stopped: StoppedDocument | None = None
    summary: SummaryDocument
    evaluators: list[EvaluatorDocument]
    spend: SpendDocument | None
    judges: JudgesDocument | None
    users: UsersDocument | None = None
    cases: list[CaseDocument]
    attempts: list[AttemptDocument]


def generated_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of a report, made from the models."""
    schema = ReportDocument.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "judgekit report"}


def schema_text() -> str:
    """What the shipped file holds; write it there after a change of the models."""
    return json.dumps(generated_schema(), indent=2, sort_keys=True) + "\n"


def report_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of `report.json`, as it ships with the package."""
    text = files("judgekit.reporting").joinpath(SCHEMA_FILE).read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema
