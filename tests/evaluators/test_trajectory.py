"""The calls an agent made against the calls expected of it."""

import gzip
import json
from itertools import permutations

import dirty_equals
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalCase, Outcome
from judgekit.evaluators import accepted, optional, pattern, should_make_calls
from judgekit.evaluators.evidence import PASSED
from judgekit.interaction import Interaction, ToolCall

CASE = EvalCase("c", "go")
A, B, C = ("a", {"x": 1}), ("b", {"y": 2}), ("c", {})


def check(evaluator, *calls):
    return evaluator.evaluate(CASE, Interaction(tool_calls=[ToolCall(*call) for call in calls]))


def passes(evaluator, *calls):
    result = check(evaluator, *calls)
    assert result.outcome in (Outcome.PASS, Outcome.FAIL)
    return result is PASSED


@pytest.mark.parametrize(
    ("match", "made", "passed"),
    [
        ("exact", [A, B], True),
        ("exact", [B, A], False),
        ("exact", [A, B, C], False),
        ("exact", [A], False),
        ("any_order", [B, A], True),
        ("any_order", [A, B, C], False),
        ("any_order", [A, A], False),
        ("in_order", [C, A, C, B, C], True),
        ("in_order", [B, A], False),
        ("superset", [B, C, A], True),
        ("superset", [B, C], False),
    ],
)
def test_each_mode_allows_what_it_says(match, made, passed):
    assert passes(should_make_calls([A, B], match=match), *made) is passed


@pytest.mark.parametrize("match", ["exact", "any_order", "in_order", "superset"])
def test_each_made_call_is_used_once(match):
    # TC05
    evaluator = should_make_calls([("ping", {}), ("ping", {})], match=match)
    assert passes(evaluator, ("ping", {}), ("ping", {}))
    assert not passes(evaluator, ("ping", {}))


def test_calls_made_in_parallel_are_not_compared_by_index():
    # TC19
    evaluator = should_make_calls(
        [("weather", {"city": "Oslo"}), ("weather", {"city": "Rome"})], match="any_order"
    )
    assert passes(evaluator, ("weather", {"city": "Rome"}), ("weather", {"city": "Oslo"}))


def test_a_loosely_expected_call_leaves_the_made_call_that_a_strict_one_needs():
    loose, strict = ("a", {"x": accepted(1, 2)}), ("a", {"x": 1})
    for expected in ([loose, strict], [strict, loose]):
        assert passes(should_make_calls(expected, match="any_order"), ("a", {"x": 1}), ("a", {"x": 2}))
        assert passes(should_make_calls(expected, match="superset"), ("a", {"x": 2}), ("a", {"x": 1}), C)
        assert not passes(should_make_calls(expected, match="superset"), ("a", {"x": 2}), ("a", {"x": 2}))


VALUES = st.sampled_from([1, 2, True, "1"])
EXPECTED_VALUES = st.one_of(
    VALUES,
    st.lists(VALUES, min_size=1, max_size=3).map(lambda values: accepted(*values)),
    st.lists(VALUES, min_size=1, max_size=2).map(lambda values: optional(*values)),
)
NAMES = st.sampled_from("ab")
EXPECTED = st.lists(
    st.tuples(NAMES, st.dictionaries(st.sampled_from("xy"), EXPECTED_VALUES, max_size=2)), max_size=4
)
MADE = st.lists(st.tuples(NAMES, st.dictionaries(st.sampled_from("xy"), VALUES, max_size=2)), max_size=4)


@given(EXPECTED, MADE, st.sampled_from(["equal", "subset"]))
def test_the_modes_without_order_hold_exactly_where_some_permutation_fits_in_order(expected, made, arguments):
    def fits(order):
        one = should_make_calls(order, match="exact", arguments=arguments)
        return passes(one, *made)

    def any_order_by_force():
        return any(fits(order) for order in permutations(expected))

    def superset_by_force():
        return any(
            passes(should_make_calls(order, match="in_order", arguments=arguments, allow_empty=True), *made)
            for order in permutations(expected)
        )

    any_order = should_make_calls(expected, match="any_order", arguments=arguments)
    superset = should_make_calls(expected, match="superset", arguments=arguments, allow_empty=True)
    assert passes(any_order, *made) == any_order_by_force()
    assert passes(superset, *made) == superset_by_force()


@given(MADE)
def test_calls_made_are_always_the_calls_expected_of_a_recording_of_them(made):
    for match in ("exact", "any_order", "in_order", "superset"):
        assert passes(should_make_calls(made, match=match, allow_empty=True), *made)


@pytest.mark.parametrize(("arguments", "passed"), [("equal", False), ("subset", True), ("ignore", True)])
def test_further_arguments_are_allowed_by_subset_and_ignore(arguments, passed):
    evaluator = should_make_calls([("a", {"x": 1})], arguments=arguments)
    assert passes(evaluator, ("a", {"x": 1, "note": "hi"})) is passed


def test_ignored_arguments_leave_names_alone_to_decide():
    evaluator = should_make_calls(["a", ("b", {"y": 2})], arguments="ignore")
    assert passes(evaluator, ("a", {"x": 9}), ("b", "{broken"))
    assert not passes(evaluator, ("b", {}), ("a", {}))


def test_only_leaves_the_calls_to_other_tools_out_of_both_lists():
    read, write = ("get_order", {}), ("update_order", {"id": 1})
    evaluator = should_make_calls([read, write], only=[pattern("update_*"), "cancel"])
    assert passes(evaluator, write, read, read)
    assert not passes(evaluator, write, ("cancel", {}))
    assert passes(should_make_calls([read], only=["cancel"]), read)


@pytest.mark.parametrize(
    "call",
    [
        ToolCall("a", {"x": 1}),
        ("a", {"x": 1.0}),
        {"name": "a", "arguments": {"x": 1}},
        {"name": "a", "arguments": '{"x": 1}'},
        ("a", {"x": dirty_equals.IsInt()}),
        (pattern("*a"), {"x": 1}),
    ],
)
def test_a_call_is_written_in_several_ways(call):
    assert passes(should_make_calls([call]), A)


@pytest.mark.parametrize("match", ["exact", "any_order"])
def test_an_empty_list_asks_for_no_call_at_all(match):
    evaluator = should_make_calls([], match=match)
    assert passes(evaluator)
    assert check(evaluator, C).detail == "expected no calls: + c{}"


@pytest.mark.parametrize("match", ["in_order", "superset"])
def test_an_empty_list_that_can_never_fail_is_refused_unless_allowed(match):
    # TC14
    with pytest.raises(InvalidArgument, match="could never fail"):
        should_make_calls([], match=match)
    with pytest.raises(InvalidArgument, match="could never fail"):
        should_make_calls([A], match=match, only=["b"])
    assert passes(should_make_calls([], match=match, allow_empty=True), C)


def test_a_trace_that_nobody_recorded_is_inconclusive():
    for match in ("exact", "any_order"):
        result = should_make_calls([], match=match).evaluate(CASE, Interaction(command_text="x"))
        assert result.outcome is Outcome.INCONCLUSIVE


@pytest.mark.parametrize("match", ["exact", "any_order", "in_order", "superset"])
def test_arguments_that_are_no_json_object_are_inconclusive_where_they_decide(match):
    evaluator = should_make_calls([A, B], match=match)
    result = check(evaluator, A, ("b", "{broken"))
    assert result.outcome is Outcome.INCONCLUSIVE
    assert result.detail == "b was called with arguments that are no JSON object: {broken"


def test_arguments_that_are_no_json_object_do_not_hide_what_fails_anyway():
    assert check(should_make_calls([A, B]), ("b", "{broken")).outcome is Outcome.FAIL
    assert check(should_make_calls([A, B], match="superset"), A, ("c", "{broken")).outcome is Outcome.FAIL
    assert check(should_make_calls([A], match="superset"), A, ("a", "{broken")) is PASSED


@pytest.mark.parametrize(
    ("match", "made", "detail"),
    [
        (
            "exact",
            [A, ("b", {"y": 3, "z": 1}), ("d", {"k": "v"})],
            "expected exactly these calls in this order, 1 of 3 made: "
            "= a; ~ b(y expected 2, was 3, z unexpected, was 1); - c{}; + d{k=v}",
        ),
        (
            "any_order",
            [C, ("b", {})],
            "expected exactly these calls in any order, 1 of 3 made: "
            "- a{x=1}; ~ b(y expected 2, was absent); = c",
        ),
        (
            "in_order",
            [B, ("d", {}), A],
            "expected these calls in this order, 1 of 3 made: - a{x=1}; = b; - c{}; + a{x=1}",
        ),
        (
            "superset",
            [("d", {}), ("a", {"x": "1"}), C],
            'expected these calls in any order, 1 of 3 made: ~ a(x expected 1, was "1"); - b{y=2}; = c',
        ),
    ],
)
def test_a_failure_shows_both_lists_aligned(match, made, detail):
    result = check(should_make_calls([A, B, C], match=match), *made)
    assert (result.outcome, result.detail) == (Outcome.FAIL, detail)


def test_a_long_difference_is_cut_and_says_by_how_much():
    evaluator = should_make_calls([(f"t{n}", {}) for n in range(30)])
    detail = check(evaluator, *[(f"t{n}", {}) for n in range(5)]).detail
    assert "= t0" not in detail
    assert detail.endswith("- t24{}; and 5 more differences")


@pytest.mark.parametrize(
    ("calls", "options", "message"),
    [
        (
            ["a"],
            {},
            r"the call 'a' has no arguments to compare; write \('a', {...}\), or arguments=\"ignore\"",
        ),
        ("ab", {"arguments": "ignore"}, r"`calls` must be a list of calls, got 'ab'; write \[...\]"),
        ({"name": "a", "arguments": {}}, {}, "`calls` must be a list of calls"),
        (ToolCall("a"), {}, "`calls` must be a list of calls"),
        (3, {}, "`calls` must be a list of calls"),
        ([3], {}, "a call must be a ToolCall"),
        ([{"tool": "a"}], {}, "a call must be a ToolCall"),
        ([("a", 3)], {}, "must be a mapping"),
        ([("a", "{broken")], {}, "the arguments of a are text that is no JSON object"),
        ([(pattern("a*"), 3)], {}, r"the arguments of a\* must be a mapping"),
        ([("", {})], {}, "a tool name must be text that is not blank"),
        ([("*a", {})], {}, r"write pattern\('\*a'\)"),
        ([A], {"match": "unordered"}, "`match` must be one of 'exact', 'any_order', 'in_order', 'superset'"),
        ([A], {"arguments": "loose"}, "`arguments` must be one of 'equal', 'subset', 'ignore'"),
        ([A], {"only": "a"}, "`only` must be a list of names, got 'a'"),
        ([A], {"only": []}, "no tool name was given"),
        ([("a", {"x": [optional(1)]})], {}, "nothing can be left out"),
    ],
)
def test_what_cannot_be_understood_is_refused(calls, options, message):
    with pytest.raises(InvalidArgument, match=message):
        should_make_calls(calls, **options)


def test_real_runs_of_an_airline_agent_agree_with_the_published_values(data_folder):
    folder = data_folder / "tau_bench_airline"
    with gzip.open(folder / "trajectories.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    truth = json.loads((data_folder / "acceptance.json").read_text())["tau_trajectory_evaluators"]
    writes = [pattern("book_*"), pattern("cancel_*"), pattern("update_*"), "send_certificate"]
    modes = {
        "write_exact": {"match": "exact", "only": writes},
        "write_unordered": {"match": "any_order", "only": writes},
        "write_superset": {"match": "superset", "only": writes, "allow_empty": True},
        "all_superset": {"match": "superset", "allow_empty": True},
        "all_in_order": {"match": "in_order", "allow_empty": True},
        "write_names_unordered": {"match": "any_order", "only": writes, "arguments": "ignore"},
    }
    for name, options in modes.items():
        table = {"tp": 0, "fp": 0, "fn": 0, "tn": 0}
        for row in rows:
            expected = [(action["name"], action["kwargs"]) for action in row["expected_actions"]]
            functions = [
                call["function"]
                for message in row["traj"]
                if message["role"] == "assistant"
                for call in message.get("tool_calls") or []
            ]
            made = [(function["name"], function["arguments"]) for function in functions]
            passed = passes(should_make_calls(expected, **options), *made)
            table[("t" if passed == (row["reward"] == 1) else "f") + ("p" if passed else "n")] += 1
        assert table == {key: truth[name][key] for key in table}, name
