"""Accepted and optional values."""

import gzip
import json

import pytest

from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalCase, Outcome
from judgekit.evaluators import accepted, optional, should_make_calls
from judgekit.evaluators.evidence import PASSED
from judgekit.evaluators.values import object_fits, shown_expected, value_fits
from judgekit.interaction import Interaction, ToolCall


@pytest.mark.parametrize(
    ("expected", "actual", "fits"),
    [
        (accepted(1, "a"), 1.0, True),
        (accepted(1, "a"), True, False),
        (accepted([1], [2]), [2], True),
        ({"a": accepted(1, 2)}, {"a": 2}, True),
        ({"a": {"b": optional(1)}}, {"a": {}}, True),
        ({"a": {"b": optional(1)}}, {"a": {"b": 2}}, False),
        ([{"age": accepted(18)}, {"age": accepted(21)}], [{"age": 18}, {"age": 21}], True),
        ([accepted(1, 2), 3], [2, 3], True),
        ([1], "1", False),
        ({"a": 1}, [("a", 1)], False),
    ],
)
def test_accepted_values_stand_wherever_a_value_does(expected, actual, fits):
    assert value_fits(expected, actual) is fits


def test_a_subset_leaves_further_members_alone_at_the_top_only():
    assert object_fits({"a": 1}, {"a": 1, "b": 2}, subset=True)
    assert not object_fits({"a": {"x": 1}}, {"a": {"x": 1, "y": 2}}, subset=True)


@pytest.mark.parametrize("build", [accepted, optional])
def test_no_accepted_value_is_refused(build):
    with pytest.raises(InvalidArgument, match=f"{build.__name__}: no value was given"):
        build()


def test_optional_as_one_of_several_values_is_refused():
    with pytest.raises(InvalidArgument, match="nothing can be left out"):
        accepted(1, optional(2))


def test_both_print_as_they_are_written_and_whole():
    """A plan's fingerprint reads the repr, so that nothing may be cut from it."""
    assert repr(accepted(1, "a", None)) == "accepted(1, 'a', None)"
    assert repr(optional("x" * 500)) == f"optional('{'x' * 500}')"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (accepted(1, "a", None), 'accepted(1, "a", null)'),
        (accepted({"x": optional(1)}), 'accepted({"x": "optional(1)"})'),
        (accepted("y" * 100), f'accepted("{"y" * 69}…'),
    ],
)
def test_details_show_them_on_a_short_line(value, text):
    assert shown_expected(value) == text


def expected_value(value):
    """A value of the published ground truth, whose nested objects hold lists of accepted values too."""
    if isinstance(value, dict):
        return {name: expected_argument(values) for name, values in value.items()}
    return [expected_value(item) for item in value] if isinstance(value, list) else value


def expected_argument(values):
    if not values:
        return values  # two rows write an empty array where others list the accepted values
    build = optional if "" in values else accepted
    return build(*map(expected_value, values))


def first_choice(value):
    """What a model sends that always takes the first accepted value."""
    if isinstance(value, dict):
        sent = {name: values for name, values in value.items() if values != [""]}
        return {name: first_choice(next((v for v in values if v != ""), [])) for name, values in sent.items()}
    return [first_choice(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    "name", ["simple_python", "multiple", "parallel", "parallel_multiple", "live_simple", "irrelevance"]
)
def test_the_published_ground_truth_of_a_function_calling_benchmark_is_understood(data_folder, name):
    """Each row passes with its own first accepted values, in reverse order, and fails with one changed."""
    case = EvalCase("c", "go")
    with gzip.open(data_folder / "bfcl_v4" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line)["ground_truth"] or [] for line in lines]
    assert len(rows) >= 200
    for truth in rows:
        wanted, made = [], []
        for call in truth:
            [(tool, arguments)] = call.items()
            wanted.append((tool, {key: expected_argument(values) for key, values in arguments.items()}))
            made.append(ToolCall(tool, first_choice(arguments)))
        evaluator = should_make_calls(wanted, match="any_order")
        assert evaluator.evaluate(case, Interaction(tool_calls=made[::-1])) is PASSED
        spoilt = [*made[1:], ToolCall("no_such_tool", {})]
        assert evaluator.evaluate(case, Interaction(tool_calls=spoilt)).outcome is Outcome.FAIL
