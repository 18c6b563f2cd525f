"""JSON replies and JSON Schemas."""

import socket
import subprocess
import sys

import pytest

from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalCase, Kind, Outcome
from judgekit.evaluators import reply_should_be_json
from judgekit.evaluators.evidence import PASSED
from judgekit.interaction import Interaction

CASE = EvalCase("c", "go")
ORDER = {
    "type": "object",
    "properties": {"id": {"type": "string", "pattern": "^o_"}, "qty": {"type": "integer", "minimum": 1}},
    "required": ["id", "qty"],
    "additionalProperties": False,
}


def check(evaluator, reply):
    return evaluator.evaluate(CASE, Interaction(reply=reply))


@pytest.mark.parametrize("reply", ["{}", " [1, 2]\n", "null", '"text"', "3", '{"a": {"a": 1}}'])
def test_any_json_passes_without_a_schema(reply):
    assert check(reply_should_be_json(), reply) is PASSED


@pytest.mark.parametrize(
    ("reply", "detail"),
    [
        ("", "reply is not JSON: Expecting value: line 1 column 1 (char 0)"),
        ("{'a': 1}", "reply is not JSON: Expecting property name enclosed in double quotes"),
        ("NaN", "reply is not JSON: NaN is not JSON"),
        ('{"a": -Infinity}', "reply is not JSON: -Infinity is not JSON"),
        ('{"a": 1, "a": 2}', "reply is not JSON: the key 'a' appears twice"),
        ("{} and more", "reply is not JSON: Extra data"),
        ("[" * 100_000 + "]" * 100_000, "reply is not JSON: nested too deeply to be read"),
        ("9" * 5_000, "reply is not JSON: Exceeds the limit"),
        ("```json\n{}\n```", "reply is not JSON: Expecting value: line 1 column 1 (char 0); it stands in a "),
    ],
)
def test_what_is_not_json_fails_and_says_why(reply, detail):
    result = check(reply_should_be_json(), reply)
    assert result.outcome is Outcome.FAIL
    assert result.detail.startswith(detail)


def test_a_reply_that_fits_its_schema_passes():
    assert check(reply_should_be_json(ORDER), '{"id": "o_1", "qty": 2.0}') is PASSED


@pytest.mark.parametrize(
    ("reply", "detail"),
    [
        ('{"id": "o_1", "qty": "2"}', "reply does not fit the schema at $.qty: '2' is not of type 'integer'"),
        ('{"id": "o_1"}', "reply does not fit the schema at $: 'qty' is a required property"),
        ('{"id": "x", "qty": 1}', "reply does not fit the schema at $.id: 'x' does not match '^o_'"),
        (
            '{"id": "o_1", "qty": true}',
            "reply does not fit the schema at $.qty: True is not of type 'integer'",
        ),
        ('{"id": "o_1", "qty": 1, "x": 2}', "reply does not fit the schema at $: 'x' not allowed"),
        ("{}", "reply does not fit the schema at $: 'id' is a required property; and 1 more error"),
    ],
)
def test_a_misfit_names_the_place_and_the_reason(reply, detail):
    result = check(reply_should_be_json(ORDER), reply)
    assert (result.outcome, result.detail) == (Outcome.FAIL, detail)


def test_no_reply_is_inconclusive_with_and_without_a_schema():
    for evaluator in (reply_should_be_json(), reply_should_be_json(ORDER)):
        assert check(evaluator, None).outcome is Outcome.INCONCLUSIVE


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "string", "format": "date"}, '"2024-02-29"', '"2023-02-29"'),
        ({"type": "string", "format": "date-time"}, '"2024-02-29T10:00:00Z"', '"2024-02-29 10:00"'),
        ({"format": "date-time"}, "3", '"2024-13-01T10:00:00+01:00"'),
        ({"format": "uuid"}, '"6f1d4f9e-6f3c-4d25-9d3c-0b8a1b1f2a3b"', '"6f1d"'),
        ({"patternProperties": {"^x_": {"type": "integer"}}}, '{"x_a": 1, "y": "z"}', '{"x_a": "1"}'),
        (
            {"properties": {"a": {}}, "patternProperties": {"^x_": {}}, "additionalProperties": False},
            '{"a": 1, "x_1": 1}',
            '{"b": 1}',
        ),
        ({"additionalProperties": {"type": "integer"}}, '{"a": 1}', '{"a": "1"}'),
        ({"$ref": "#/$defs/n", "$defs": {"n": {"type": "integer"}}}, "1", '"1"'),
        ({"$ref": "#n", "$defs": {"n": {"$anchor": "n", "type": "integer"}}}, "1", '"1"'),
        ({"type": "array", "prefixItems": [{"type": "integer"}], "items": False}, "[1]", "[1, 2]"),
        (
            {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "integer"}]},
            "[1]",
            '["1"]',
        ),
        (
            {"type": "object", "properties": {"next": {"$ref": "#"}}, "additionalProperties": False},
            '{"next": {"next": {}}}',
            '{"next": {"nxt": {}}}',
        ),
        ({"if": {"const": 1}, "then": False, "else": True}, "2", "1"),
        ({"contains": {"const": 1}, "minContains": 2}, "[1, 1]", "[1, 2]"),
        ({"type": "object", "properties": {"$ref": {"type": "string"}, "requird": {}}}, "{}", "[]"),
        ({"const": {"$ref": "https://elsewhere.example"}}, '{"$ref": "https://elsewhere.example"}', "1"),
        ({"type": "integer", "title": "n", "x-requird": 1, "comment": "", "ui:order": []}, "1", '"1"'),
    ],
)
def test_the_keywords_of_a_schema_check_what_they_say(schema, good, bad):
    evaluator = reply_should_be_json(schema)
    assert check(evaluator, good) is PASSED
    assert check(evaluator, bad).outcome is Outcome.FAIL


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "strng"}, "the schema is wrong at $.type: 'strng'"),  # IN05
        (
            {"type": "object", "required": "id"},
            "the schema is wrong at $.required: 'id' is not of type 'array'",
        ),
        ({"pattern": "(unclosed"}, "the schema is wrong at $.pattern: '(unclosed' is not a 'regex'"),
        ({}, "the schema allows everything"),
        ({"title": "anything"}, "the schema allows everything"),
        (True, "`schema` must be a mapping, got True"),
        ([], "`schema` must be a mapping, got []"),
        ("{}", "`schema` must be a mapping, got '{}'"),
        ({"requird": ["id"], "type": "object"}, "the schema's keyword 'requird' is not known"),
        ({"properties": {"a": {"type": "string", "minlength": 3}}}, "write 'minLength', or 'x-minlength'"),
        ({"items": {"ref": "#/$defs/a"}}, "write '$ref'"),
        ({"type": "array", "additionalItems": False}, "'additionalItems' means nothing in its draft"),
        (
            {"$schema": "http://json-schema.org/draft-07/schema#", "type": "array", "prefixItems": []},
            "'prefixItems' means nothing in its draft",
        ),
        ({"$ref": "https://schemas.example/order.json"}, "refers to 'https://schemas.example/order.json'"),
        (
            {"$ref": "other.json#/a"},
            "refers to 'other.json#/a', which it does not hold, and nothing is fetched",
        ),
        ({"$ref": "file:///etc/passwd"}, "refers to 'file:///etc/passwd'"),
        ({"properties": {"a": {"$ref": "#/$defs/missing"}}}, "refers to '#/$defs/missing'"),
        ({"$ref": "#nowhere"}, "refers to '#nowhere'"),
        ({"$ref": "#"}, "refers to itself without end"),
        ({"$schema": "https://schemas.example/mine", "type": "string"}, "names a draft that is not known"),
    ],
)
def test_a_schema_that_cannot_check_what_it_says_is_refused(schema, message):
    with pytest.raises(InvalidArgument) as refused:
        reply_should_be_json(schema)
    assert message in str(refused.value)


def test_a_remote_reference_is_refused_without_any_connection(monkeypatch):
    def connect(*arguments, **options):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", connect)
    with pytest.raises(InvalidArgument):
        reply_should_be_json({"$ref": "http://127.0.0.1:9/schema.json"})


@pytest.mark.parametrize(
    "schema",
    [
        {"pattern": "(a|aa)+$"},
        {"patternProperties": {"(a|aa)+$": False}},
        {"patternProperties": {"(a|aa)+$": {}}, "additionalProperties": False},
    ],
)
def test_a_pattern_of_the_schema_runs_under_a_time_limit(schema, monkeypatch):
    monkeypatch.setattr("judgekit.evaluators.schemas.PATTERN_SECONDS", 0.05)
    text = "a" * 60 + "b"
    reply = f'"{text}"' if "pattern" in schema else f'{{"{text}": 1}}'
    result = check(reply_should_be_json(schema), reply)
    assert (result.outcome, result.kind) == (Outcome.INCONCLUSIVE, Kind.TIME_LIMIT)


def test_a_number_beyond_arithmetic_fails_and_does_not_raise():
    result = check(reply_should_be_json({"multipleOf": 0.01}), "1e400")
    assert result.outcome is Outcome.FAIL


def test_changing_the_schema_afterwards_changes_nothing():
    schema = {"type": "object", "required": ["a"]}
    evaluator = reply_should_be_json(schema)
    schema["required"].append("b")
    assert check(evaluator, '{"a": 1}') is PASSED


def test_the_same_misfit_reads_the_same_in_every_process():
    """Errors come out of sets; their order must not reach the detail."""
    code = (
        "from judgekit.evaluators import *; from judgekit.evaluation import *;"
        "from judgekit.interaction import *;"
        "e = reply_should_be_json({'additionalProperties': {'type': 'integer'}});"
        'r = \'{"a": "x", "b": "y", "c": "z"}\';'
        "print(e.evaluate(EvalCase('c', 'go'), Interaction(reply=r)).detail)"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path))},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(texts) == 1
    assert "and 2 more errors" in texts.pop()


def test_jsonschema_is_imported_only_when_a_schema_is_given():
    code = (
        "import sys; from judgekit.evaluators import *; reply_should_be_json();"
        "assert 'jsonschema' not in sys.modules; reply_should_be_json({'type': 'object'});"
        "assert 'jsonschema' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
