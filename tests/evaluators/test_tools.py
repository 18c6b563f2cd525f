"""Which tools were called, in which order, and how often."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalCase, Kind, Outcome
from judgekit.evaluators import (
    pattern,
    should_call_tool,
    should_call_tool_times,
    should_call_tools,
    should_call_tools_in_order,
    should_not_call_tool,
    should_not_call_tools,
)
from judgekit.evaluators.evidence import PASSED
from judgekit.interaction import Interaction, ToolCall

CASE = EvalCase("c", "go")


def check(evaluator, *names):
    return evaluator.evaluate(CASE, Interaction(tool_calls=[ToolCall(name) for name in names]))


def without_trace(evaluator):
    return evaluator.evaluate(CASE, Interaction(command_text="x", reply="hi"))


def fails(result, detail):
    return (result.outcome, result.detail) == (Outcome.FAIL, detail)


def test_every_name_called_in_any_order_beside_others_passes():
    assert check(should_call_tools("a", "b"), "b", "x", "a", "a") is PASSED


def test_a_name_never_called_fails_and_says_what_was_called():
    assert fails(check(should_call_tools("a", "x"), "a", "b", "a"), "never called [x]; called [a, b]")


def test_a_failure_without_any_call_says_no_tools():
    assert fails(check(should_call_tool("a")), "never called [a]; called no tools")


def test_a_name_asked_for_twice_is_missing_once():
    assert check(should_call_tools("x", "x"), "a").detail == "never called [x]; called [a]"


@pytest.mark.parametrize(
    "evaluator",
    [
        should_call_tool("a"),
        should_call_tools_in_order("a"),
        should_not_call_tool("a"),
        should_call_tool_times("a", 1),
        should_call_tool_times("a", 0),
    ],
    ids=repr,
)
def test_a_trace_that_nobody_recorded_is_inconclusive(evaluator):
    result = without_trace(evaluator)
    assert (result.outcome, result.kind) == (Outcome.INCONCLUSIVE, Kind.NO_EVIDENCE)
    assert result.detail == "no tool trace in the evidence"


def test_names_in_order_with_others_between_pass():
    assert check(should_call_tools_in_order("a", "b"), "x", "a", "x", "b", "a") is PASSED


def test_the_wrong_order_names_the_first_step_that_finds_no_call():
    assert fails(
        check(should_call_tools_in_order("a", "b"), "b", "a"),
        "expected [a, b] in that order; called [b, a]; step 2 (b) has no call after step 1",
    )


def test_the_reason_names_the_missing_step_where_every_name_is_present():
    # TC07
    result = check(should_call_tools_in_order("read", "send", "read"), "read", "read", "send")
    assert fails(
        result,
        "expected [read, send, read] in that order; called [read, read, send]; "
        "step 3 (read) has no call after step 2",
    )


def test_a_name_listed_twice_must_be_called_twice():
    # TC05
    evaluator = should_call_tools_in_order("ping", "ping")
    assert check(evaluator, "ping", "ping") is PASSED
    assert check(evaluator, "ping").detail.endswith("step 2 (ping) has no call after step 1")


def test_an_order_whose_name_has_no_call_at_all_is_inconclusive():
    result = check(should_call_tools_in_order("a", "x"), "a", "a")
    assert result.outcome is Outcome.INCONCLUSIVE
    assert result.detail == "never called [x]; called [a, a]"


def test_calls_made_in_parallel_pass_whatever_their_position():
    # TC19
    made = [ToolCall("weather", {"city": "Rome"}), ToolCall("weather", {"city": "Oslo"})]
    result = should_call_tools("weather").evaluate(CASE, Interaction(tool_calls=made))
    assert result is PASSED


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=4), st.lists(st.sampled_from("abc"), max_size=7))
def test_an_order_holds_exactly_where_some_choice_of_calls_spells_it(wanted, made):
    def spelled(rest, calls):
        return not rest or any(
            call == rest[0] and spelled(rest[1:], calls[position + 1 :])
            for position, call in enumerate(calls)
        )

    result = check(should_call_tools_in_order(*wanted), *made)
    if not set(wanted) <= set(made):
        assert result.outcome is Outcome.INCONCLUSIVE
    else:
        assert (result is PASSED) == spelled(wanted, made)


def test_a_forbidden_tool_that_was_not_called_passes():
    assert check(should_not_call_tools("x", "y"), "a") is PASSED


def test_a_trace_without_calls_clears_a_forbidden_tool_and_a_missing_trace_does_not():
    # TC16
    assert check(should_not_call_tool("pay")) is PASSED
    assert without_trace(should_not_call_tool("pay")).outcome is Outcome.INCONCLUSIVE


def test_forbidden_tools_that_were_called_are_named_once_in_call_order():
    assert fails(check(should_not_call_tools("x", "y", "z"), "y", "a", "x", "y"), "called [y, x]")


def test_a_forbidden_name_is_exact_and_a_pattern_sees_through_a_server_prefix():
    # TC15
    made = "mcp__crm__delete_user"
    assert check(should_not_call_tool("delete_user"), made) is PASSED
    assert fails(check(should_not_call_tool(pattern("*delete_user")), made), f"called [{made}]")


def test_a_pattern_stands_wherever_a_tool_name_does():
    prefixed = pattern("*__read")
    assert check(should_call_tool(prefixed), "fs__read") is PASSED
    assert check(should_call_tool(prefixed), "read").detail == "never called [*__read]; called [read]"
    assert check(should_call_tools_in_order(prefixed, "b"), "fs__read", "b") is PASSED
    assert check(should_call_tool_times(prefixed, 2), "a__read", "b__read") is PASSED


def test_upper_and_lower_case_of_a_tool_name_differ():
    assert check(should_call_tool("getOrder"), "getorder").outcome is Outcome.FAIL
    assert check(should_call_tool(pattern("get*")), "GETORDER").outcome is Outcome.FAIL


def test_exactly_so_many_calls_pass():
    assert check(should_call_tool_times("a", 2), "a", "b", "a") is PASSED
    assert check(should_call_tool_times("a", 0), "b") is PASSED


@pytest.mark.parametrize(
    ("times", "made", "detail"),
    [
        (2, ["a"], "called a 1 time, expected 2"),
        (1, ["a", "a"], "called a 2 times, expected 1"),
        (0, ["a"], "called a 1 time, expected 0"),
        (1, [], "called a 0 times, expected 1"),
    ],
)
def test_another_number_of_calls_fails(times, made, detail):
    assert fails(check(should_call_tool_times("a", times), *made), detail)


@pytest.mark.parametrize("build", [should_call_tools, should_not_call_tools, should_call_tools_in_order])
def test_no_names_are_refused(build):
    # TC14
    with pytest.raises(InvalidArgument, match="no tool name was given"):
        build()


@pytest.mark.parametrize("build", [should_call_tools, should_not_call_tools, should_call_tools_in_order])
@pytest.mark.parametrize("name", ["", "  ", None, 3, ["a", "b"], "*x", "de?ete"])
def test_what_cannot_be_a_tool_name_is_refused(build, name):
    with pytest.raises(InvalidArgument) as refused:
        build("a", name)
    assert repr(name) in str(refused.value)


def test_a_wildcard_without_pattern_is_refused_with_what_to_write():
    with pytest.raises(InvalidArgument, match=r"write pattern\('\*delete_user'\)"):
        should_not_call_tool("*delete_user")


@pytest.mark.parametrize("times", [-1, 1.0, True, "2", None])
def test_a_count_that_is_no_whole_number_from_0_up_is_refused(times):
    with pytest.raises(InvalidArgument, match="`n` must be a whole number from 0 up"):
        should_call_tool_times("a", times)
