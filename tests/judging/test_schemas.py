"""Every verdict schema: what is sent, what it takes, what it refuses."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from judgekit.judging.reading import Malformed
from judgekit.judging.scales import Binary, Levels, Score
from judgekit.judging.schemas import (
    Reading,
    binary_schema,
    levels_schema,
    pairwise_schema,
    rubric_schema,
    schema_of,
    score_schema,
)

TONE = Levels({"cold": "a", "plain": "b", "warm": "c"}, scores=[0, 0.25, 1])
GOOD = {
    "score": {"reason": "r", "score": 0.5},
    "binary": {"reason": "r", "answer": "yes"},
    "levels": {"reason": "r", "level": "plain"},
    "pairwise": {"reason": "r", "preferred": "tie"},
    "rubric": {"verdicts": [{"criterion": name, "reason": "r", "score": 1} for name in ("a", "b")]},
}
SCHEMAS = {
    "score": score_schema(),
    "binary": binary_schema(),
    "levels": levels_schema(TONE),
    "pairwise": pairwise_schema(),
    "rubric": rubric_schema(("a", "b")),
}
every = pytest.mark.parametrize("name", sorted(SCHEMAS))


@every
def test_a_good_answer_fits_what_is_sent_and_what_is_checked(name):
    schema = SCHEMAS[name]
    for sent in (
        schema.format.schema,
        json.loads(schema.format.native_json)["json_schema"]["schema"],
        json.loads(schema.format.tool_json)["function"]["parameters"],
    ):
        Draft202012Validator.check_schema(sent)
        Draft202012Validator(sent).validate(GOOD[name])
        assert "$ref" not in json.dumps(sent)
    schema.check(GOOD[name])
    assert schema.name == name


@every
def test_what_is_sent_is_strict_has_the_reason_first_and_no_bounds(name):
    native = json.loads(SCHEMAS[name].format.native_json)["json_schema"]
    assert native["strict"] is True
    whole = native["schema"]
    item = whole["properties"]["verdicts"]["items"] if name == "rubric" else whole
    keys = [key for key in item["properties"] if key != "criterion"]
    assert keys[0] == "reason"
    assert item["required"] == list(item["properties"])
    for word in ("minimum", "maximum", "title"):
        assert word not in json.dumps(native)


@every
def test_a_key_too_many_or_too_few_is_refused(name):
    schema = SCHEMAS[name]
    with pytest.raises(Malformed, match="is not allowed"):
        schema.check({**GOOD[name], "pass": True})
    for key in GOOD[name]:
        with pytest.raises(Malformed, match="is missing"):
            schema.check({other: value for other, value in GOOD[name].items() if other != key})


@every
def test_the_instructions_name_every_key_and_allow_an_abstention(name):
    instructions = SCHEMAS[name].instructions
    for key in SCHEMAS[name].keys:
        assert f'"{key}"' in instructions
    assert '"abstain"' in instructions
    # The form that is shown is no verdict that a model could repeat.
    with pytest.raises(json.JSONDecodeError):
        json.loads(instructions.splitlines()[1])


def test_each_scale_has_its_schema():
    assert schema_of(Score()) is score_schema()
    assert schema_of(Binary()) is binary_schema()
    assert schema_of(TONE) is levels_schema(TONE)


def test_levels_score_as_given():
    assert [levels_schema(TONE).check({"reason": "r", "level": n}).score for n in TONE.names] == [0, 0.25, 1]
    even = levels_schema(Levels(dict.fromkeys("abcde", "x")))
    assert [even.check({"reason": "r", "level": n}).score for n in "abcde"] == [0, 0.25, 0.5, 0.75, 1]


def test_a_level_may_hold_quotes_and_any_script():
    scale = Levels({'say "no"': "x", "普通": "y", "très bien": "z"})
    assert levels_schema(scale).check({"reason": "r", "level": 'say "no"'}).score == 0
    assert levels_schema(scale).check({"reason": "r", "level": "très bien"}).score == 1


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(reason=anything, score=anything)
def test_only_text_and_a_finite_number_from_0_to_1_make_a_score(reason, score):
    is_score = isinstance(score, int | float) and not isinstance(score, bool) and 0 <= score <= 1
    try:
        reading = score_schema().check({"reason": reason, "score": score})
    except Malformed:
        assert not (isinstance(reason, str) and is_score)
    else:
        assert reading == Reading(reason, None if score == "abstain" else score)
        assert isinstance(reason, str)
        assert is_score or score == "abstain"
