"""What a tool returned."""

import pytest

from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalCase, Kind, Outcome
from judgekit.evaluators import pattern, tool_result_should_contain
from judgekit.evaluators.evidence import PASSED
from judgekit.interaction import Interaction, ToolCall

CASE = EvalCase("c", "go")


def check(evaluator, *results, tool="t"):
    calls = [ToolCall(tool, {}, result) for result in results]
    return evaluator.evaluate(CASE, Interaction(tool_calls=calls))


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("SHIPPED", "order 7 was shipped"),
        ("straße", "STRASSE 7"),
        ('"status": "shipped"', {"status": "shipped"}),
        ('{"status":"shipped","n":1}', {"status": "shipped", "n": 1}),
        ("true", [True]),
        ("é", {"name": "é"}),
        ("42", 42),
    ],
)
def test_a_recorded_result_that_contains_the_text_passes(text, result):
    assert check(tool_result_should_contain("t", text), result) is PASSED


def test_one_of_several_results_is_enough():
    assert check(tool_result_should_contain("t", "b"), "a", None, "b") is PASSED


def test_a_failure_shows_every_recorded_result():
    result = check(tool_result_should_contain("getOrder", "x"), {"a": [1]}, None, "y", tool="getOrder")
    assert result.outcome is Outcome.FAIL
    assert result.detail == 'getOrder result expected to carry x, was [{"a": [1]}, y]'


def test_a_result_that_nobody_recorded_never_carries_the_word_none():
    # TC17
    result = check(tool_result_should_contain("t", "None"), None)
    assert (result.outcome, result.kind) == (Outcome.INCONCLUSIVE, Kind.NO_EVIDENCE)
    assert result.detail == "no result of t is recorded"


def test_empty_text_is_a_recorded_result():
    assert check(tool_result_should_contain("t", "x"), "").outcome is Outcome.FAIL


def test_a_tool_never_called_and_a_missing_trace_are_inconclusive():
    evaluator = tool_result_should_contain("x", "a")
    assert check(evaluator, "a").detail == "never called [x]; called [t]"
    assert check(evaluator, "a").outcome is Outcome.INCONCLUSIVE
    assert evaluator.evaluate(CASE, Interaction(command_text="x")).outcome is Outcome.INCONCLUSIVE


def test_a_pattern_reads_the_results_of_every_tool_that_fits():
    assert check(tool_result_should_contain(pattern("*t"), "a"), "a", tool="srv__t") is PASSED


def test_normalizing_finds_typographic_quotes_in_structured_results_too():
    evaluator = tool_result_should_contain("t", "can't", normalize=True)
    assert check(evaluator, {"note": "I can’t"}) is PASSED


@pytest.mark.parametrize(("tool", "text"), [("", "a"), ("t", ""), ("t", " "), ("t", None), ("t*", "a")])
def test_blank_names_and_texts_are_refused(tool, text):
    with pytest.raises(InvalidArgument):
        tool_result_should_contain(tool, text)
