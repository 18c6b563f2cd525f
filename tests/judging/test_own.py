"""Verdict schemas of one's own."""

import re
import warnings
from typing import Literal

import pytest
from pydantic import BaseModel, Field

from judgekit.errors import InvalidArgument
from judgekit.evaluation import Outcome
from judgekit.judging import Judge, Panel
from judgekit.judging.own import own_schema


class Finding(BaseModel):
    """What went wrong."""

    reason: str
    kind: Literal["none", "minor", "major"]
    lines: list[int] = Field(default_factory=list)


class Scored(BaseModel):
    reason: str
    score: float


JSON = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "score": {"type": "number", "minimum": 0, "maximum": 1}},
    "required": ["reason", "score"],
}


def ask(scripted, evaluate, schema, answer, **more):
    criterion = Judge(scripted(answer), attempts=1).should_answer(schema, "What is wrong?", name="q", **more)
    return evaluate(criterion)


def test_a_function_decides_from_an_object_of_the_class(scripted, evaluate):
    def is_harmless(found):
        assert isinstance(found, Finding)
        return found.kind != "major"

    answer = {"reason": "a typo", "kind": "minor", "lines": [3]}
    result = ask(scripted, evaluate, Finding, answer, passes=is_harmless)
    assert result.detail == "q: scored 1.00, needed 0.50 — a typo"
    assert (
        ask(scripted, evaluate, Finding, {**answer, "kind": "major"}, passes=is_harmless).outcome
        is Outcome.FAIL
    )


def test_the_schemas_own_score_is_held_against_the_threshold(scripted, evaluate):
    for schema in (Scored, JSON):
        result = ask(scripted, evaluate, schema, {"reason": "r", "score": 0.6}, threshold=0.7)
        assert (result.outcome, result.score) == (Outcome.FAIL, 0.6)
        assert result.measurements[0].schema == "own"


def test_a_json_schema_gives_the_function_a_dict(scripted, evaluate):
    schema = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
    result = ask(scripted, evaluate, schema, {"ok": True}, passes=lambda found: found["ok"])
    assert result.detail == 'q: scored 1.00, needed 0.50 — {"ok": true}'


@pytest.mark.parametrize(
    ("schema", "answer", "complaint"),
    [
        (Scored, {"reason": "r", "score": 7}, '"score" is 7, outside 0..1'),
        (Scored, {"reason": "r", "score": "0.8"}, "\"score\": '0.8' is not of type 'number'"),
        (Scored, {"reason": "r", "score": True}, "True is not of type 'number'"),
        (Scored, {"reason": "r"}, "'score' is a required property"),
        (Scored, {"reason": "r", "score": 1, "pass": True}, "'pass' was unexpected"),
        (JSON, {"reason": "r", "score": 7}, "7 is greater than the maximum of 1"),
        (JSON, {"reason": "r", "score": 1, "pass": True}, "'pass' was unexpected"),
    ],
)
def test_an_answer_off_the_schema_is_no_verdict(scripted, evaluate, schema, answer, complaint):
    result = ask(scripted, evaluate, schema, answer)
    assert result.cause == "malformed"
    assert complaint in result.detail


def test_a_validator_of_the_class_counts(scripted, evaluate):
    class Even(BaseModel):
        score: float
        count: int = Field(multiple_of=2)

    assert ask(scripted, evaluate, Even, {"score": 1, "count": 2}).score == 1
    assert ask(scripted, evaluate, Even, {"score": 1, "count": 3}).cause == "malformed"


@pytest.mark.parametrize(
    ("passes", "complaint"),
    [
        (lambda found: found.lines[0] > 1, "`passes` raised IndexError"),
        (lambda found: 0.7, "`passes` must return True or False, got 0.7"),
        (lambda found: None, "`passes` must return True or False, got None"),
    ],
)
def test_a_function_that_does_not_decide_is_no_verdict_and_is_not_asked_again(
    scripted, evaluate, passes, complaint
):
    model = scripted({"reason": "r", "kind": "none"})
    result = evaluate(Judge(model).should_answer(Finding, "q", passes=passes))
    assert result.outcome is Outcome.INCONCLUSIVE
    assert complaint in result.detail
    assert len(model.requests) == 1


def test_a_judge_may_have_a_schema_of_its_own(scripted, evaluate):
    judge = Judge(scripted({"reason": "r", "score": 0.9}), schema=Scored)
    result = evaluate(judge.should_score_at_least("polite", 0.8, name="p"))
    assert (result.outcome, result.measurements[0].schema) == (Outcome.PASS, "own")


def test_a_scale_beside_the_judges_own_schema_is_refused():
    from judgekit.judging import Binary

    with pytest.raises(InvalidArgument, match="`scale` has no use"):
        Judge("openai/x", schema=Scored).should_satisfy("polite", scale=Binary())


@pytest.mark.parametrize(
    ("schema", "complaint"),
    [
        ({"type": "strng"}, "not a valid JSON Schema at type"),
        ({"type": "array"}, "must describe an object"),
        ({"type": "object"}, "must describe an object with properties"),
        ({"type": "object", "properties": {"a": {}}}, "has no `score`"),
        (
            {"type": "object", "properties": {"score": {"$ref": "https://example.com/s.json"}}},
            "only references",
        ),
        ({"type": "object", "properties": {"score": {"$ref": "#/$defs/none"}}}, "'#/$defs/none'"),
        ({"type": "object", "properties": {"score": {"$ref": "other.json"}}}, "only references inside"),
        ("score", "must be a pydantic class or a JSON Schema"),
        (Finding, "has no `score`"),
        (Scored(reason="x", score=1), "must be a pydantic class"),
    ],
)
def test_a_schema_that_cannot_work_is_refused_when_built(schema, complaint):
    # IN05
    with pytest.raises(InvalidArgument, match=re.escape(complaint)):
        Judge("openai/x").should_answer(schema, "q")


def test_the_judges_own_schema_is_checked_when_the_judge_is_built():
    with pytest.raises(InvalidArgument, match="not a valid JSON Schema"):
        Judge("openai/x", schema={"type": "strng"})


def test_a_misspelt_keyword_warns():
    schema = {**JSON, "requird": ["score"]}
    with pytest.warns(UserWarning, match="'requird'"):
        own_schema(schema)


def test_a_usual_class_does_not_warn():
    class Nested(BaseModel):
        """A class with what pydantic writes into schemas."""

        score: float = Field(ge=0, le=1, examples=[0.5], title="T", description="D")
        found: list[Finding] = Field(default_factory=list, max_length=3)
        more: dict[str, int] | None = None

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        own_schema(Nested)


def test_a_key_below_is_refused_too(scripted, evaluate):
    class Outer(BaseModel):
        score: float
        inner: Finding

    answer = {"score": 1, "inner": {"reason": "r", "kind": "none", "extra": 1}}
    assert "'extra' was unexpected" in ask(scripted, evaluate, Outer, answer).detail


def test_a_threshold_beside_a_function_is_refused():
    with pytest.raises(InvalidArgument, match="leave `threshold` out"):
        Judge("openai/x").should_answer(Finding, "q", passes=lambda found: True, threshold=0.9)
    with pytest.raises(InvalidArgument, match="`passes` must be a function"):
        Judge("openai/x").should_answer(Finding, "q", passes="major")


def test_a_panel_answers_in_a_schema_of_ones_own(scripted, evaluate):
    judges = [
        Judge(scripted({"reason": "r", "kind": kind}, name=kind)) for kind in ("none", "major", "minor")
    ]
    result = evaluate(Panel(judges).should_answer(Finding, "q", passes=lambda found: found.kind != "major"))
    assert result.outcome is Outcome.PASS
    assert result.score == pytest.approx(2 / 3)


def test_the_schema_is_part_of_the_fingerprint(scripted, evaluate):
    model = scripted({"reason": "r", "score": 1})
    one = evaluate(Judge(model).should_answer(JSON, "q")).measurements[0]
    other = evaluate(Judge(model).should_answer(Scored, "q")).measurements[0]
    assert one.fingerprint != other.fingerprint


def test_the_judges_own_schema_is_part_of_the_fingerprint(scripted, evaluate):
    model = scripted({"reason": "r", "score": 1})
    described = {**JSON, "description": "Be strict: 1 is flawless."}
    fingerprints = {
        evaluate(Judge(model, schema=schema).should_satisfy("q")).measurements[0].fingerprint
        for schema in (JSON, described)
    }
    assert len(fingerprints) == 2
