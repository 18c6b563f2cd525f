"""Arguments of a tool call: one alone, and several together."""

import dirty_equals
import pytest

from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalCase, Kind, Outcome
from judgekit.evaluators import (
    accepted,
    optional,
    pattern,
    should_call_tool_with,
    should_call_tool_with_arguments,
)
from judgekit.evaluators.evidence import PASSED
from judgekit.interaction import Interaction, ToolCall

CASE = EvalCase("c", "go")


def check(evaluator, *calls):
    return evaluator.evaluate(CASE, Interaction(tool_calls=[ToolCall(name, args) for name, args in calls]))


def test_some_call_that_carries_the_value_passes():
    # TC04
    evaluator = should_call_tool_with("lookup", "id", 2)
    assert check(evaluator, ("lookup", {"id": 1}), ("lookup", {"id": 2})) is PASSED


@pytest.mark.parametrize("arguments", ['{"city": "Oslo"}', {"city": "Oslo"}])
def test_arguments_are_read_from_a_mapping_and_from_json_text(arguments):
    # TC01
    assert check(should_call_tool_with("search", "city", "Oslo"), ("search", arguments)) is PASSED


@pytest.mark.parametrize("arguments", ["", None, "  ", {}])
def test_empty_arguments_are_an_empty_object(arguments):
    # TC02
    result = check(should_call_tool_with("search", "city", "Oslo"), ("search", arguments))
    assert result.outcome is Outcome.FAIL
    assert result.detail == "search(city) expected Oslo, was [absent]"


def test_a_failure_shows_the_value_of_every_call():
    evaluator = should_call_tool_with("getOrder", "orderId", "o_43")
    made = [("getOrder", {"orderId": "o_42"}), ("other", {"orderId": "o_43"}), ("getOrder", {})]
    result = check(evaluator, *made)
    assert result.outcome is Outcome.FAIL
    assert result.detail == "getOrder(orderId) expected o_43, was [o_42, absent]"


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (2, 2.0),  # TC11
        (2.0, 2),
        ({"a": [1, {"b": None}]}, {"a": [1.0, {"b": None}]}),
        ((1, 2), [1, 2]),
        (None, None),
        (True, True),
        (accepted("Oslo", "OSL"), "OSL"),
        (accepted({"a": 1}, 3), {"a": 1}),
        (dirty_equals.IsInt(gt=4), 5),
        ([dirty_equals.IsStr(regex="o_.*")], ["o_42"]),
    ],
)
def test_values_that_are_equal_as_json_pass(expected, actual):
    assert check(should_call_tool_with("t", "a", expected), ("t", {"a": actual})) is PASSED


@pytest.mark.parametrize(
    ("expected", "actual", "detail"),
    [
        (True, 1, "t(a) expected true, was [1]"),  # TC09
        (1, True, "t(a) expected 1, was [true]"),
        (False, 0, "t(a) expected false, was [0]"),
        ("2", 2, 't(a) expected "2", was [2]'),
        (2, "2", 't(a) expected 2, was ["2"]'),
        (None, "null", 't(a) expected null, was ["null"]'),
        ([1], (1, 2), "t(a) expected [1], was [[1, 2]]"),
        ({"x": 1}, {"x": 1, "y": 2}, 't(a) expected {"x": 1}, was [{"x": 1, "y": 2}]'),
        ({"x": 1}, {"x": True}, 't(a) expected {"x": 1}, was [{"x": true}]'),
        (accepted(1, "b"), 2, 't(a) expected accepted(1, "b"), was [2]'),
        ([accepted(1, 2)], [3], 't(a) expected ["accepted(1, 2)"], was [[3]]'),
        (dirty_equals.IsInt(gt=4), 3, "t(a) expected IsInt(gt=4), was [3]"),
        ("x", "a\x1b[2Jb", "t(a) expected x, was [a\\x1b[2Jb]"),
    ],
)
def test_values_that_differ_as_json_fail_and_never_look_alike(expected, actual, detail):
    result = check(should_call_tool_with("t", "a", expected), ("t", {"a": actual}))
    assert (result.outcome, result.detail) == (Outcome.FAIL, detail)


def test_absent_is_not_null():
    assert (
        check(should_call_tool_with("t", "a", None), ("t", {})).detail == "t(a) expected null, was [absent]"
    )


def test_text_that_reads_absent_is_told_from_an_absent_argument():
    result = check(should_call_tool_with("t", "a", "absent"), ("t", {}))
    assert result.detail == 't(a) expected "absent", was [absent]'


def test_an_optional_argument_may_be_absent_but_not_have_another_value():
    evaluator = should_call_tool_with("t", "unit", optional("metric"))
    assert check(evaluator, ("t", {})) is PASSED
    assert check(evaluator, ("t", {"unit": "metric"})) is PASSED
    assert check(evaluator, ("t", {"unit": "imperial"})).outcome is Outcome.FAIL


def test_the_text_of_a_failure_does_not_change_when_the_value_has_been_compared():
    """An object of dirty-equals prints the value that it was last equal to."""
    evaluator = should_call_tool_with("t", "a", dirty_equals.IsInt(gt=4))
    before = check(evaluator, ("t", {"a": 3})).detail
    assert check(evaluator, ("t", {"a": 5})) is PASSED
    assert check(evaluator, ("t", {"a": 3})).detail == before


@pytest.mark.parametrize(
    "evaluator",
    [should_call_tool_with("x", "a", 1), should_call_tool_with_arguments("x", {"a": 1})],
    ids=["one", "together"],
)
def test_a_tool_never_called_is_inconclusive_and_so_is_a_missing_trace(evaluator):
    never = check(evaluator, ("y", {"a": 1}))
    assert (never.outcome, never.kind) == (Outcome.INCONCLUSIVE, Kind.NO_EVIDENCE)
    assert never.detail == "never called [x]; called [y]"
    missing = evaluator.evaluate(CASE, Interaction(command_text="x"))
    assert missing.outcome is Outcome.INCONCLUSIVE


@pytest.mark.parametrize("text", ["{broken", "[1, 2]", "3", "city=Oslo"])
@pytest.mark.parametrize(
    "evaluator",
    [should_call_tool_with("t", "a", 1), should_call_tool_with_arguments("t", {"a": 1})],
    ids=["one", "together"],
)
def test_arguments_that_are_no_json_object_are_inconclusive_and_say_so(evaluator, text):
    result = check(evaluator, ("t", text), ("t", {"a": 2}))
    assert result.outcome is Outcome.INCONCLUSIVE
    assert result.detail == f"t was called with arguments that are no JSON object: {text}"


def test_unreadable_arguments_of_one_call_do_not_hide_a_call_that_fits():
    assert check(should_call_tool_with("t", "a", 1), ("t", "{broken"), ("t", {"a": 1})) is PASSED


def test_a_pattern_gathers_the_calls_of_every_name_that_fits():
    evaluator = should_call_tool_with(pattern("*pay"), "amount", 5)
    assert check(evaluator, ("a__pay", {"amount": 4}), ("b__pay", {"amount": 5})) is PASSED
    failed = check(evaluator, ("a__pay", {"amount": 4}), ("b__pay", {"amount": 6}))
    assert failed.detail == "*pay(amount) expected 5, was [4, 6]"


@pytest.mark.parametrize(("tool", "argument"), [("", "a"), ("t", ""), ("t", " "), ("t", None), (None, "a")])
def test_blank_names_are_refused(tool, argument):
    with pytest.raises(InvalidArgument, match="must be text that is not blank"):
        should_call_tool_with(tool, argument, 1)


def test_arguments_together_must_stand_in_one_and_the_same_call():
    evaluator = should_call_tool_with_arguments("pay", {"to": "bob", "amount": 5})
    assert check(evaluator, ("pay", {"to": "bob", "amount": 5, "note": "hi"})) is PASSED
    result = check(evaluator, ("pay", {"to": "eve"}), ("pay", {"to": "bob", "amount": 6}))
    assert result.outcome is Outcome.FAIL
    assert result.detail == (
        "pay: no call carries all of {to=bob, amount=5}; closest of 2 calls: amount expected 5, was 6"
    )


def test_an_exact_match_allows_no_further_argument():
    evaluator = should_call_tool_with_arguments("pay", {"to": "bob"}, match="exact")
    assert check(evaluator, ("pay", {"to": "bob"})) is PASSED
    result = check(evaluator, ("pay", {"to": "bob", "note": "hi"}))
    assert result.detail == (
        "pay: no call carries all of {to=bob}; closest of 1 call: note unexpected, was hi"
    )


def test_an_exact_match_can_ask_for_a_call_without_arguments():
    evaluator = should_call_tool_with_arguments("ping", {}, match="exact")
    assert check(evaluator, ("ping", None)) is PASSED
    assert check(evaluator, ("ping", {"a": 1})).outcome is Outcome.FAIL


def test_optional_arguments_together_may_be_left_out():
    evaluator = should_call_tool_with_arguments(
        "t", {"a": accepted(1, 2), "unit": optional("m", "km")}, match="exact"
    )
    assert check(evaluator, ("t", {"a": 2})) is PASSED
    assert check(evaluator, ("t", {"a": 1, "unit": "km"})) is PASSED
    assert check(evaluator, ("t", {"a": 1, "unit": "mi"})).outcome is Outcome.FAIL


def test_empty_arguments_that_every_call_carries_are_refused():
    # TC13
    with pytest.raises(InvalidArgument, match="`arguments` is empty, which every call carries"):
        should_call_tool_with_arguments("pay", {})


@pytest.mark.parametrize(
    ("arguments", "match", "message"),
    [
        ([("a", 1)], "subset", "`arguments` must be a mapping"),
        ({"a": 1}, "superset", '`match` must be "subset" or "exact"'),
        ({"": 1}, "subset", "an argument's name must be text"),
        ({"a": [optional(1)]}, "subset", "nothing can be left out"),
    ],
)
def test_arguments_that_cannot_be_understood_are_refused(arguments, match, message):
    with pytest.raises(InvalidArgument, match=message):
        should_call_tool_with_arguments("t", arguments, match=match)


def test_changing_the_mapping_afterwards_changes_nothing():
    arguments = {"a": 1}
    evaluator = should_call_tool_with_arguments("t", arguments)
    arguments["a"] = 2
    assert check(evaluator, ("t", {"a": 1})) is PASSED
