"""Attempts as JSON data and back."""

import datetime
import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.evaluation import EvalResult, Kind, Measurement, Outcome
from judgekit.interaction import GuardrailResult, Interaction, ModelCall, ToolCall
from judgekit.jsonable import json_line, parse_json
from judgekit.masking import Masker
from judgekit.records import attempt_from_json, attempt_to_json
from judgekit.results import CaseResult

texts = st.text(max_size=20) | st.sampled_from(
    ["", "sk-abcdefghijkl", "{", '{"a": 1}', "\ud800", "\u2028", "\x1b["]
)
names = texts.filter(lambda text: text.strip() != "")
counts = st.none() | st.integers(0, 10**6)
amounts = st.none() | st.floats(0, 1e9)


class Stubborn:
    """An object that cannot even be shown."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | texts
    | st.binary(max_size=5)
    | st.dates()
    | st.decimals(allow_nan=True)
    | st.sets(st.integers(), max_size=2)
    | st.builds(Stubborn)
)
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(texts | st.integers() | st.none() | st.tuples(st.integers()), inner, max_size=3)
    ),
    max_leaves=6,
)
mappings = st.dictionaries(texts, values, max_size=3)
calls = st.builds(ToolCall, names, mappings | texts, values, st.none() | texts, st.none() | texts)
model_calls = st.builds(
    ModelCall,
    model=st.none() | texts,
    provider=st.none() | texts,
    input_tokens=counts,
    output_tokens=counts,
    latency=amounts,
    cost=amounts,
    finish_reasons=st.lists(texts, max_size=2).map(tuple),
    messages=st.lists(mappings, max_size=1).map(tuple),
)
guardrails = st.builds(GuardrailResult, texts, st.none() | texts, st.booleans(), st.none() | texts)
evidence = {
    "command_text": texts,
    "user_message": texts,
    "reply": st.none() | texts,
    "model_text": st.none() | texts,
    "tool_calls": st.none() | st.lists(calls, max_size=2),
    "model_calls": st.none() | st.lists(model_calls, max_size=2),
    "guardrails": st.lists(guardrails, max_size=2),
    "latency": amounts,
    "input_tokens": counts,
    "output_tokens": counts,
    "cost": amounts,
    "blocked": st.booleans(),
    "replayed": st.booleans(),
    "error": st.none() | texts,
    "messages": st.lists(mappings, max_size=2),
}
turns = st.builds(Interaction, **evidence)
interactions = st.builds(
    Interaction,
    **evidence,
    turns=st.lists(turns, max_size=2),
    user_calls=st.lists(model_calls, max_size=2),
)
measurements = st.builds(
    Measurement,
    model=texts,
    model_served=st.none() | texts,
    criterion=texts,
    prompt=texts,
    schema=texts,
    rung=texts,
    parameters=mappings,
    notes=st.lists(texts, max_size=2).map(tuple),
    requests=st.integers(0, 9),
    asked=st.booleans(),
    cached=st.booleans(),
    tokens_complete=st.booleans(),
    cost_complete=st.booleans(),
    input_tokens=counts,
    output_tokens=counts,
    cost=amounts,
    fingerprint=texts,
)


@st.composite
def results(draw: st.DrawFn) -> EvalResult:
    outcome = draw(st.sampled_from(Outcome))
    return EvalResult(
        outcome,
        draw(texts),
        draw(st.sampled_from(Kind)) if outcome is Outcome.INCONCLUSIVE else None,
        draw(texts),
        draw(st.none() | texts),
        draw(st.none() | st.floats(0, 1)),
        draw(st.none() | st.floats(0, 1)),
        draw(st.none() | texts),
        tuple(draw(st.lists(measurements, max_size=2))),
    )


attempts = st.builds(
    CaseResult, texts, st.integers(1, 99), interactions, st.lists(results(), max_size=3).map(tuple)
)


def written(attempt: CaseResult) -> str:
    return Masker(["hunter2-hunter2"]).masked(json_line(attempt_to_json(attempt)))


@given(attempts)
def test_what_was_written_reads_back_to_the_same_line_and_an_equal_attempt(attempt):
    line = written(attempt)
    read = attempt_from_json(parse_json(line))
    assert written(read) == line
    assert attempt_from_json(parse_json(written(read))) == read


@given(attempts)
def test_a_line_is_one_line_of_strict_json_in_utf8(attempt):
    line = written(attempt)
    assert "\n" not in line
    assert json.loads(line.encode().decode(), parse_constant=pytest.fail)["run"] == attempt.run


def test_fields_at_their_defaults_are_left_out():
    attempt = CaseResult("a", 1, Interaction(), (EvalResult(Outcome.PASS, label="tools"),))
    assert attempt_to_json(attempt) == {
        "id": "a",
        "run": 1,
        "outcome": "pass",
        "interaction": {},
        "results": [{"label": "tools", "outcome": "pass"}],
    }


def test_calls_that_nobody_recorded_and_calls_that_were_not_made_stay_two_things():
    for calls in (None, ()):
        attempt = CaseResult("a", 1, Interaction(tool_calls=calls, model_calls=calls), ())
        read = attempt_from_json(parse_json(written(attempt)))
        assert read.interaction.tool_calls == calls
        assert read.interaction.model_calls == calls


def test_values_that_json_has_no_type_for_become_text():
    # RN10
    arguments = {
        "day": datetime.date(2024, 1, 2),
        "amount": Decimal("9.90"),
        "tags": {"b"},
        "raw": b"x",
        "huge": 10**5000,
        "nan": float("nan"),
    }
    attempt = CaseResult("a", 1, Interaction(tool_calls=[ToolCall("pay", arguments)]), ())
    call = attempt_from_json(parse_json(written(attempt))).interaction.tool_calls[0]
    assert call.arguments["day"] == "2024-01-02"
    assert call.arguments["amount"] == "9.90"
    assert call.arguments["tags"] == "{'b'}"
    assert call.arguments["raw"] == "x"
    assert call.arguments["huge"] == hex(10**5000)
    assert call.arguments["nan"] == "nan"


@pytest.mark.parametrize("field", ["isoformat", "model_dump"])
def test_a_value_whose_conversion_raises_costs_nothing_but_itself(field):
    def broken(self):
        raise RuntimeError("no")

    value = type("Odd", (), {field: broken, "__str__": lambda self: "odd"})()
    attempt = CaseResult("a", 1, Interaction(tool_calls=[ToolCall("t", {"x": value, "y": 1})]), ())
    call = attempt_from_json(parse_json(written(attempt))).interaction.tool_calls[0]
    assert call.arguments == {"x": "odd", "y": 1}


def test_a_value_that_holds_itself_is_cut():
    loop: list[object] = []
    loop.append(loop)
    attempt = CaseResult("a", 1, Interaction(tool_calls=[ToolCall("t", {"x": loop})]), ())
    assert "…" in written(attempt)


def test_a_mapping_of_secrets_is_masked_and_still_reads_back():
    reply = "the key is sk-abcdefghijklmnop and hunter2-hunter2"
    read = attempt_from_json(parse_json(written(CaseResult("a", 1, Interaction(reply=reply), ()))))
    assert read.interaction.reply == "the key is [masked] and [masked]"


@pytest.mark.parametrize(
    "data",
    [
        [],
        {},
        {"id": "a", "run": 0, "interaction": {}, "results": []},
        {"id": "a", "run": True, "interaction": {}, "results": []},
        {"id": 1, "run": 1, "interaction": {}, "results": []},
        {"id": "a", "run": 1, "interaction": [], "results": [{}]},
        {"id": "a", "run": 1, "interaction": {"reply": 5}, "results": []},
        {"id": "a", "run": 1, "interaction": {}, "results": [{"label": "x", "outcome": "maybe"}]},
        {
            "id": "a",
            "run": 1,
            "interaction": {},
            "results": [{"label": "x", "outcome": "pass", "kind": "?"}],
        },
    ],
)
def test_what_is_no_attempt_is_refused(data):
    with pytest.raises(ValueError):
        attempt_from_json(data)


def test_fields_of_a_newer_version_are_ignored():
    data = {"id": "a", "run": 1, "interaction": {"mood": 1}, "results": [], "colour": "red"}
    assert attempt_from_json(data) == CaseResult("a", 1, Interaction(), ())
