"""Budgets of calls, tokens, time and money."""

from datetime import timedelta

import pytest

from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalCase, Kind, Outcome
from judgekit.evaluators import (
    should_cost_at_most,
    should_make_at_most_model_calls,
    should_make_at_most_tool_calls,
    should_reply_within,
    should_use_at_most_tokens,
)
from judgekit.evaluators.evidence import PASSED
from judgekit.interaction import Interaction, ModelCall, ToolCall

CASE = EvalCase("c", "go")


def check(evaluator, **evidence):
    return evaluator.evaluate(CASE, Interaction(command_text="x", **evidence))


def fails(result, detail):
    return (result.outcome, result.detail) == (Outcome.FAIL, detail)


def inconclusive(result, detail):
    return (result.outcome, result.kind, result.detail) == (Outcome.INCONCLUSIVE, Kind.NO_EVIDENCE, detail)


def test_tool_calls_within_the_budget_pass_and_zero_is_a_real_one():
    assert check(should_make_at_most_tool_calls(2), tool_calls=[ToolCall("a"), ToolCall("a")]) is PASSED
    assert check(should_make_at_most_tool_calls(0), tool_calls=[]) is PASSED


def test_tool_calls_beyond_the_budget_are_listed_repeats_too():
    made = [ToolCall("a"), ToolCall("a")]
    assert fails(
        check(should_make_at_most_tool_calls(1), tool_calls=made), "made 2 tool calls, allowed 1: [a, a]"
    )
    assert fails(
        check(should_make_at_most_tool_calls(0), tool_calls=made[:1]), "made 1 tool call, allowed 0: [a]"
    )


def test_tool_calls_that_nobody_recorded_are_inconclusive():
    assert inconclusive(check(should_make_at_most_tool_calls(9)), "no tool trace in the evidence")


def test_model_calls_are_counted():
    calls = [ModelCall()] * 3
    assert check(should_make_at_most_model_calls(3), model_calls=calls) is PASSED
    assert check(should_make_at_most_model_calls(1), model_calls=[]) is PASSED
    assert fails(
        check(should_make_at_most_model_calls(2), model_calls=calls), "made 3 model calls, allowed 2"
    )
    assert inconclusive(check(should_make_at_most_model_calls(2)), "no model calls in the evidence")


def test_tokens_in_and_out_together_are_held_against_the_limit():
    assert check(should_use_at_most_tokens(300), input_tokens=200, output_tokens=100) is PASSED
    assert fails(
        check(should_use_at_most_tokens(299), input_tokens=300, output_tokens=0),
        "used 300 tokens (300 in, 0 out), allowed 299",
    )


def test_tokens_of_all_model_calls_are_added():
    calls = [ModelCall(input_tokens=5, output_tokens=6), ModelCall(input_tokens=1, output_tokens=2)]
    assert check(should_use_at_most_tokens(14), model_calls=calls) is PASSED
    assert fails(
        check(should_use_at_most_tokens(13), model_calls=calls),
        "used 14 tokens (6 in, 8 out), allowed 13",
    )


@pytest.mark.parametrize("evidence", [{}, {"model_calls": [ModelCall()]}])
def test_tokens_that_the_model_did_not_report_never_pass(evidence):
    # BG01
    assert inconclusive(check(should_use_at_most_tokens(10), **evidence), "no token counts in the evidence")


def test_no_model_call_uses_no_tokens_and_costs_nothing():
    assert check(should_use_at_most_tokens(1), model_calls=[]) is PASSED
    assert check(should_cost_at_most(0), model_calls=[]) is PASSED


@pytest.mark.parametrize(
    ("evidence", "detail"),
    [
        ({"input_tokens": 11}, "used at least 11 tokens (11 in, unknown out), allowed 10"),
        (
            {"model_calls": [ModelCall(input_tokens=8, output_tokens=3), ModelCall()]},
            "used at least 11 tokens (at least 8 in, at least 3 out), allowed 10",
        ),
    ],
)
def test_a_known_part_beyond_the_limit_fails_already(evidence, detail):
    # BG01
    assert fails(check(should_use_at_most_tokens(10), **evidence), detail)


def test_a_known_part_within_the_limit_decides_nothing():
    evidence = {"model_calls": [ModelCall(input_tokens=8, output_tokens=1), ModelCall(output_tokens=1)]}
    assert inconclusive(
        check(should_use_at_most_tokens(10), **evidence),
        "some token counts are missing in the evidence (at least 8 in, 2 out)",
    )


def test_a_reply_in_time_passes_and_the_limit_is_inclusive():
    assert check(should_reply_within(seconds=0.04), latency=0.04) is PASSED
    assert check(should_reply_within(timedelta(milliseconds=40)), latency=0.04) is PASSED
    assert check(should_reply_within(seconds=1), latency=0) is PASSED


@pytest.mark.parametrize(
    ("latency", "seconds", "detail"),
    [
        (0.04, 0.039, "took 40 ms, allowed 39 ms"),
        (0.0391, 0.039, "took 39.1 ms, allowed 39.0 ms"),
        (12.5, 10, "took 12500 ms, allowed 10000 ms"),
        (0.0005, 0.0001, "took 0.5 ms, allowed 0.1 ms"),
    ],
)
def test_a_late_reply_fails_and_the_numbers_differ_where_the_times_do(latency, seconds, detail):
    assert fails(check(should_reply_within(seconds=seconds), latency=latency), detail)


def test_an_untimed_turn_is_inconclusive():
    assert inconclusive(check(should_reply_within(seconds=1)), "no timing in the evidence")


@pytest.mark.parametrize("latency", [0.001, 5.0])
def test_a_replayed_reply_has_no_timing(latency):
    # BG06
    assert inconclusive(
        check(should_reply_within(seconds=1), latency=latency, replayed=True),
        "no timing in the evidence: the reply was replayed",
    )


def test_a_cost_within_the_limit_passes_whatever_noise_a_sum_of_prices_carries():
    assert check(should_cost_at_most(0.3), model_calls=[ModelCall(cost=0.1)] * 3) is PASSED
    assert check(should_cost_at_most(0), cost=0.0) is PASSED


@pytest.mark.parametrize(
    ("cost", "limit", "detail"),
    [
        (0.0123, 0.01, "cost $0.0123, allowed $0.0100"),
        (2.5, 1, "cost $2.50, allowed $1.00"),
        (0.01000002, 0.01, "cost $0.01000002, allowed $0.01000000"),
        (0.5, 0, "cost $0.5000, allowed $0.00"),
    ],
)
def test_a_cost_beyond_the_limit_fails_and_the_amounts_differ(cost, limit, detail):
    assert fails(check(should_cost_at_most(limit), cost=cost), detail)


def test_an_unknown_price_is_never_free():
    # BG03
    assert inconclusive(check(should_cost_at_most(0.01)), "no cost in the evidence")
    calls = [ModelCall(model="unheard-of"), ModelCall(cost=0.001)]
    assert inconclusive(
        check(should_cost_at_most(0.01), model_calls=calls), "the price of 1 of 2 model calls is unknown"
    )


def test_a_known_cost_beyond_the_limit_fails_already():
    # BG03
    calls = [ModelCall(model="unheard-of"), ModelCall(cost=0.02)]
    assert fails(
        check(should_cost_at_most(0.01), model_calls=calls), "cost at least $0.0200, allowed $0.0100"
    )


@pytest.mark.parametrize(
    ("build", "minimum"),
    [
        (should_make_at_most_tool_calls, 0),
        (should_make_at_most_model_calls, 1),
        (should_use_at_most_tokens, 1),
    ],
)
def test_a_budget_that_is_no_count_is_refused(build, minimum):
    build(minimum)
    for value in (minimum - 1, -5, 1.0, True, "3", None, float("nan")):
        with pytest.raises(InvalidArgument, match=f"`n` must be a whole number from {minimum} up"):
            build(value)


@pytest.mark.parametrize("seconds", [0, -1, True, "3", float("nan"), float("inf")])
def test_a_time_that_is_not_above_zero_is_refused(seconds):
    with pytest.raises(InvalidArgument, match="`seconds` must be a finite number above 0"):
        should_reply_within(seconds=seconds)


def test_a_time_needs_a_unit_and_exactly_one_of_both_spellings():
    with pytest.raises(InvalidArgument, match="write seconds=5 or a timedelta"):
        should_reply_within(5)
    for limits in ((), (timedelta(seconds=1),)):
        with pytest.raises(InvalidArgument, match=r"write either seconds=... or a timedelta"):
            should_reply_within(*limits, seconds=1 if limits else None)
    with pytest.raises(InvalidArgument, match="finite number above 0"):
        should_reply_within(timedelta(0))


@pytest.mark.parametrize("dollars", [-0.01, True, "1", None, float("nan"), float("inf")])
def test_an_amount_that_is_none_is_refused(dollars):
    with pytest.raises(InvalidArgument, match="`dollars` must be a finite number from 0 up"):
        should_cost_at_most(dollars)
