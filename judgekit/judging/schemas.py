"""The verdict schemas: what a judge may answer, and what each answer is worth.

To add one: a pydantic class with the reason first and the value last, a function that makes one, and a
prompt file `prompts/judge/<name>.md`. `schema_of` maps a scale to its schema.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from judgekit.jsonable import json_text
from judgekit.judging.reading import Malformed
from judgekit.judging.scales import ABSTAIN, Binary, Levels, Scale
from judgekit.providers.base import AnswerFormat
from judgekit.text import one_line

__all__ = [
    "Reading",
    "VerdictSchema",
    "binary_schema",
    "levels_schema",
    "pairwise_schema",
    "rubric_schema",
    "schema_of",
    "score_schema",
]

T = TypeVar("T")

_REASON = "one to three sentences on what decides it, with the words of the material that show it"
_UNSURE = f'"{ABSTAIN}" only where the material does not let you decide'
_EXPECTED = {
    "reason": "text",
    "score": f'a number from 0 to 1 or "{ABSTAIN}"',
    "answer": f'"yes", "no" or "{ABSTAIN}"',
    "preferred": f'"first", "second", "tie" or "{ABSTAIN}"',
    "verdicts": "a list of verdicts",
}


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


_ScoreValue = Annotated[float, Field(ge=0, le=1)] | Literal["abstain"]


class ScoreVerdict(_Strict):
    """A number from 0 to 1 and why."""

    reason: str = Field(description=_REASON)
    score: _ScoreValue = Field(description=f"a number from 0 (not at all) to 1 (fully), or {_UNSURE}")


class BinaryVerdict(_Strict):
    """Yes or no and why."""

    reason: str = Field(description=_REASON)
    answer: Literal["yes", "no", "abstain"] = Field(description=f'"yes" or "no", or {_UNSURE}')


class PairVerdict(_Strict):
    """Which of two replies is better and why."""

    reason: str = Field(description=_REASON)
    preferred: Literal["first", "second", "tie", "abstain"] = Field(
        description=f'"first", "second" or "tie", or {_UNSURE}'
    )


@dataclass(frozen=True, slots=True)
class Reading:
    """What one verdict came to; `score` None means that the judge abstained."""

    reason: str
    score: float | None


@dataclass(frozen=True, eq=False)
class VerdictSchema(Generic[T]):
    """What a judge's answer must look like and what it is worth.

    Attributes:
        name: Names the schema in results, and the prompt `judge/<name>` that asks for it.
        format: What is sent to the provider. Bounds are checked here, whatever the provider promises.
        keys: The top-level keys of an answer.
        instructions: What a system message says about the answer's form.
        check: Turns one JSON object into a reading; raises Malformed with the exact complaint.
        value_key: The key of the one value that decides; "" where there are several.
        worth: What each value scores, where values are words; None: the value is the score.
    """

    name: str
    format: AnswerFormat
    keys: frozenset[str]
    instructions: str
    check: Callable[[dict[str, Any]], T]
    value_key: str = ""
    worth: Mapping[str, float] | None = None


def _from_model(
    name: str,
    model: type[BaseModel],
    read: Callable[[Any], T],
    *,
    hints: Mapping[str, str] | None = None,
    value_key: str = "",
    worth: Mapping[str, float] | None = None,
) -> VerdictSchema[T]:
    described = {key: field.description or "" for key, field in model.model_fields.items()}

    def check(data: dict[str, Any]) -> T:
        try:
            return read(model.model_validate(data))
        except ValidationError as error:
            raise Malformed(_complaint(error, data, {**_EXPECTED, **(hints or {})})) from None

    return VerdictSchema(
        name,
        AnswerFormat(f"{name}_verdict", _inlined(model.model_json_schema())),
        frozenset(described),
        _instructions(described),
        check,
        value_key,
        worth,
    )


def _instructions(described: Mapping[str, str]) -> str:
    shape = ", ".join(f'"{key}": <{key}>' for key in described)
    lines = "\n".join(f"- `{key}`: {text}" for key, text in described.items())
    return (
        "Answer with one JSON object and nothing else: no code fence, no text around it, no other keys.\n"
        f"{{{shape}}}\n{lines}"
    )


def _inlined(schema: dict[str, Any]) -> dict[str, Any]:
    # Some providers resolve no references.
    definitions = schema.pop("$defs", {})

    def walk(node: Any) -> Any:
        if isinstance(node, dict):
            if "$ref" in node:
                return walk(definitions[node["$ref"].rsplit("/", 1)[1]])
            return {key: walk(value) for key, value in node.items()}
        return [walk(item) for item in node] if isinstance(node, list) else node

    inlined: dict[str, Any] = walk(schema)
    return inlined


def _complaint(error: ValidationError, data: dict[str, Any], expected: Mapping[str, str]) -> str:
    found: dict[str, str] = {}
    for entry in error.errors(include_url=False, include_input=False):
        path, value = _resolved(data, entry["loc"])
        if entry["type"] == "missing":
            path, parent = _resolved(data, entry["loc"][:-1])
            seen = ", ".join(json_text(one_line(key, 40)) for key in parent) or "none"
            name = str(entry["loc"][-1])
            found[f"{path}.{name}"] = f"the key {json_text(name)}{_in(path)} is missing (keys seen: {seen})"
        elif entry["type"] == "extra_forbidden":
            found[path] = f"the key {json_text(one_line(path, 60))} is not allowed"
        elif path not in found:
            found[path] = _wrong_value(path, value, entry["type"], expected)
    return "; ".join(list(found.values())[:5])


def _in(path: str) -> str:
    return f" in {path}" if path else ""


def _resolved(data: Any, loc: tuple[int | str, ...]) -> tuple[str, Any]:
    # A union adds the names of its branches to the location; they lead nowhere in the data.
    path = ""
    for step in loc:
        if isinstance(data, dict) and step in data:
            path, data = f"{path}.{step}".lstrip("."), data[step]
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            path, data = f"{path}[{step}]", data[step]
        else:
            break
    return path, data


def _wrong_value(path: str, value: Any, kind: str, expected: Mapping[str, str]) -> str:
    shown = one_line(json_text(value), 60)
    if kind in ("greater_than_equal", "less_than_equal"):
        return f'"{path}" is {shown}, outside 0..1'
    # Not KeyError: an object where a verdict of the list should be has no name of its own.
    return f'"{path}" must be {expected.get(path.rsplit(".", 1)[-1], "an object")}, got {shown}'


def _reading(reason: str, score: float | str) -> Reading:
    # Adding 0.0 makes -0.0, which is in range, print as 0.
    return Reading(reason, None if isinstance(score, str) else float(score) + 0.0)


@functools.cache
def score_schema() -> VerdictSchema[Reading]:
    """A number from 0 to 1."""
    return _from_model(
        "score",
        ScoreVerdict,
        lambda verdict: _reading(verdict.reason, verdict.score),
        value_key="score",
    )


@functools.cache
def binary_schema() -> VerdictSchema[Reading]:
    """No is 0 and yes is 1."""
    worth = {"no": 0.0, "yes": 1.0}
    return _from_model(
        "binary",
        BinaryVerdict,
        lambda verdict: Reading(verdict.reason, worth.get(verdict.answer)),
        value_key="answer",
        worth=worth,
    )


def _one_of(names: tuple[str, ...]) -> Any:
    return Literal[names]


@functools.lru_cache(maxsize=512)
def levels_schema(scale: Levels) -> VerdictSchema[Reading]:
    """One of the scale's levels by name."""
    worth = dict(zip(scale.names, scale.scores, strict=True))
    names = ", ".join(json_text(name) for name in scale.names)
    model = create_model(
        "LevelVerdict",
        __base__=_Strict,
        reason=(str, Field(description=_REASON)),
        level=(
            _one_of((*scale.names, ABSTAIN)),
            Field(description=f"the name of one level ({names}), or {_UNSURE}"),
        ),
    )
    return _from_model(
        "levels",
        model,
        lambda verdict: Reading(verdict.reason, worth.get(verdict.level)),
        hints={"level": f'one of {names}, or "{ABSTAIN}"'},
        value_key="level",
        worth=worth,
    )


@functools.cache
def pairwise_schema() -> VerdictSchema[Reading]:
    """What the verdict is worth to the reply shown first: 1, 0.5 for a tie, 0."""
    worth = {"first": 1.0, "tie": 0.5, "second": 0.0}
    return _from_model(
        "pairwise", PairVerdict, lambda verdict: Reading(verdict.reason, worth.get(verdict.preferred))
    )


@functools.lru_cache(maxsize=512)
def rubric_schema(names: tuple[str, ...]) -> VerdictSchema[dict[str, Reading]]:
    """One score for each named criterion, each exactly once, in any order."""
    item = create_model(
        "CriterionVerdict",
        __base__=_Strict,
        criterion=(_one_of(names), Field(description="the criterion's name")),
        reason=(str, ScoreVerdict.model_fields["reason"]),
        score=(_ScoreValue, ScoreVerdict.model_fields["score"]),
    )
    known = ", ".join(json_text(name) for name in names)
    shape = '{"criterion": <name>, "reason": <reason>, "score": <score>}'
    model = create_model(
        "RubricVerdict",
        __base__=_Strict,
        verdicts=(
            list[item],  # type: ignore[valid-type]
            Field(
                description=f"a list with one {shape} for each criterion ({known}), each exactly once; "
                f"<reason> is {_REASON}; <score> is {ScoreVerdict.model_fields['score'].description}"
            ),
        ),
    )
    hints = {"criterion": f"one of {known}"}
    return _from_model("rubric", model, functools.partial(_rubric_readings, names), hints=hints)


def _rubric_readings(names: tuple[str, ...], verdict: Any) -> dict[str, Reading]:
    counts = Counter(item.criterion for item in verdict.verdicts)
    wrong = [f"{json_text(name)} {counts[name]} times" for name in names if counts[name] != 1]
    if wrong:
        raise Malformed(f"each criterion must be judged exactly once; the reply judges {', '.join(wrong)}")
    return {item.criterion: _reading(item.reason, item.score) for item in verdict.verdicts}


def schema_of(scale: Scale) -> VerdictSchema[Reading]:
    """The schema that a single criterion on this scale is judged with."""
    if isinstance(scale, Levels):
        return levels_schema(scale)
    return binary_schema() if isinstance(scale, Binary) else score_schema()
