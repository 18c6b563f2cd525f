"""What a tool did inside itself, beside what a framework's result tells."""

from hypothesis import given
from hypothesis import strategies as st

from judgekit.adapters.nested import with_nested_requests, with_nested_tools
from judgekit.interaction import Interaction, ModelCall, ToolCall

ASK = ToolCall("ask", {"question": "where?"}, "shipped", id="call_1")
INNER = ToolCall("getOrder", {"orderId": "o_42"}, "shipped", id="call_1")
LAST = ToolCall("notify", {}, "sent", id="call_2")


def names(told, executed):
    found = with_nested_tools(Interaction(reply="hi", tool_calls=told), executed)
    return [call.name for call in found.tool_calls]


def test_a_nested_call_stands_behind_the_call_that_it_lies_in():
    assert names([ASK, LAST], [(0, ASK), (1, INNER), (0, LAST)]) == ["ask", "getOrder", "notify"]


def test_the_calls_of_the_result_stay_as_they_are():
    seen = ToolCall("ask", {"question": "where?"}, None, "seen otherwise", "call_1")
    found = with_nested_tools(Interaction(tool_calls=[ASK]), [(0, seen), (1, INNER)])
    assert found.tool_calls == (ASK, INNER)


def test_outer_calls_that_only_the_spans_tell_of_are_not_added():
    assert names([ASK], [(0, ASK), (0, LAST)]) == ["ask"]
    assert names([], [(0, ASK), (1, INNER)]) == ["getOrder"]


def test_a_nested_call_that_the_result_tells_of_counts_once():
    assert names([ASK, INNER], [(0, ASK), (1, INNER)]) == ["ask", "getOrder"]
    without_id = ToolCall("getOrder", {"orderId": "o_42"})
    assert names([ASK, INNER], [(0, ASK), (1, without_id)]) == ["ask", "getOrder"]
    assert names([ASK, INNER], [(0, ASK), (1, INNER), (1, without_id)]) == ["ask", "getOrder", "getOrder"]


def test_where_the_answer_tells_of_no_tools_nothing_is_added():
    answer = Interaction(reply="hi")
    assert with_nested_tools(answer, [(0, ASK), (1, INNER)]) is answer
    assert with_nested_requests(answer, [(0, ModelCall()), (1, ModelCall())]) is answer


def test_model_calls_inside_of_tools_are_added_and_summed():
    outer, inner = ModelCall(input_tokens=3, output_tokens=1), ModelCall(input_tokens=5, output_tokens=2)
    answer = Interaction(model_calls=[outer, outer])
    found = with_nested_requests(answer, [(0, outer), (1, inner), (0, outer)])
    assert (len(found.model_calls), found.input_tokens, found.output_tokens) == (3, 11, 4)


def test_a_result_that_tells_of_all_model_calls_stays():
    answer = Interaction(model_calls=[ModelCall()] * 3)
    assert with_nested_requests(answer, [(0, ModelCall()), (1, ModelCall()), (0, ModelCall())]) is answer


CALLS = st.builds(ToolCall, st.sampled_from("abc"), st.just({}), id=st.none() | st.sampled_from("12"))


@given(told=st.lists(CALLS, max_size=5), seen=st.lists(st.tuples(st.integers(0, 2), CALLS), max_size=6))
def test_nothing_that_was_told_is_lost_or_moved(told, seen):
    found = with_nested_tools(Interaction(tool_calls=told), seen).tool_calls
    rest = iter(found)
    assert all(any(item is call for item in rest) for call in told)
    assert len(found) - len(told) <= sum(depth > 0 for depth, _ in seen)
