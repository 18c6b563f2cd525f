"""Published ground truth of function calling, loaded as expectations."""

import gzip
import json

import pytest

from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalCase, Outcome
from judgekit.evaluators import expected_calls, should_make_calls
from judgekit.interaction import Interaction, ToolCall

CASE = EvalCase("c", "go")
TRUTH = [{"pay": {"cents": [5, 7], "note": ["", "thanks"], "to": [{"name": ["Jo", "Joe"], "age": ["", 5]}]}}]


def outcome(truth, *made):
    evaluator = should_make_calls(expected_calls(truth), match="any_order")
    return evaluator.evaluate(CASE, Interaction(tool_calls=made)).outcome


@pytest.mark.parametrize(
    "arguments",
    [
        {"cents": 5, "to": {"name": "Jo"}},
        {"cents": 7.0, "note": "thanks", "to": {"name": "Joe", "age": 5}},
    ],
)
def test_an_accepted_call_passes(arguments):
    assert outcome(TRUTH, ToolCall("pay", arguments)) is Outcome.PASS


@pytest.mark.parametrize(
    "arguments",
    [
        {"cents": 6, "to": {"name": "Jo"}},
        {"to": {"name": "Jo"}},
        {"cents": 5, "to": {"name": "Jo"}, "more": 1},
        {"cents": 5, "to": {"name": "Al"}},
        {"cents": 5, "to": {}},
        {"cents": 5, "note": "other", "to": {"name": "Jo"}},
    ],
)
def test_any_other_call_fails(arguments):
    assert outcome(TRUTH, ToolCall("pay", arguments)) is Outcome.FAIL


def test_no_ground_truth_expects_no_call():
    assert outcome(None) is Outcome.PASS
    assert outcome(None, ToolCall("pay")) is Outcome.FAIL


@pytest.mark.parametrize("truth", ["pay", {"pay": {}}, [{"a": {}, "b": {}}], [{"pay": [1]}], [1]])
def test_what_is_no_ground_truth_is_refused(truth):
    with pytest.raises(InvalidArgument):
        expected_calls(truth)


def first_choice(values):
    """What a model sends that always takes the first accepted value."""
    return sent(next((value for value in values if value != ""), ""))


def sent(value):
    if isinstance(value, dict):
        return {name: first_choice(values) for name, values in value.items() if values != [""]}
    return [sent(item) for item in value] if isinstance(value, list) else value


def made_calls(truth):
    made = []
    for call in truth:
        [(name, arguments)] = call.items()
        chosen = {key: first_choice(values) for key, values in arguments.items() if values and values != [""]}
        made.append((name, chosen))
    return made


def mutations(row, made):
    """Wrong value, missing required argument, extra argument, wrong name: each of the first call."""
    name, arguments = made[0]
    [accepted] = row["ground_truth"][0].values()
    required = next(key for key, values in accepted.items() if "" not in values)
    other = next(f"other {n}" for n in range(9) if f"other {n}" not in arguments)
    yield name, arguments | {required: {"no": "such value"}}
    yield name, {key: value for key, value in arguments.items() if key != required}
    yield name, arguments | {other: 1}
    yield f"{name}_2", arguments


def test_200_entries_of_the_benchmark_pass_with_a_right_call_and_fail_with_four_mutations(data_folder):
    rows = []
    for kind in ("simple_python", "multiple", "parallel", "parallel_multiple"):
        with gzip.open(data_folder / "bfcl_v4" / f"{kind}.jsonl.gz", "rt", encoding="utf-8") as lines:
            of_kind = [json.loads(line) for line in lines]
        usable = [
            row
            for row in of_kind
            if any("" not in values for values in next(iter(row["ground_truth"][0].values())).values())
        ]
        rows += usable[:50]
    assert len(rows) == 200
    for row in rows:
        made = made_calls(row["ground_truth"])
        calls = [ToolCall(name, arguments) for name, arguments in made]
        assert outcome(row["ground_truth"], *calls[::-1]) is Outcome.PASS, row["id"]
        for name, arguments in mutations(row, made):
            wrong = [ToolCall(name, arguments), *calls[1:]]
            assert outcome(row["ground_truth"], *wrong) is Outcome.FAIL, (row["id"], name, arguments)
