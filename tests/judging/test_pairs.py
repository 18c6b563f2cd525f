"""Two replies: both orders, and what a judge's liking for a place does to them."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import InvalidArgument
from judgekit.evaluation import Outcome
from judgekit.interaction import Interaction, ToolCall
from judgekit.judging import Judge, PairSummary, Panel, Preference


def prefers(word):
    """Answers for whichever reply holds the word."""

    def answer(turn):
        first = turn.text.split("<<<first ")[1].split("<<<second ")[0]
        return {"reason": f"{word} is better", "preferred": "first" if word in first else "second"}

    return answer


def always(value):
    return {"reason": f"always {value}", "preferred": value}


def test_a_reply_that_wins_in_both_orders_is_preferred(scripted, evaluate):
    model = scripted(prefers("thank you"))
    result = evaluate(Judge(model).should_be_preferred_over("No idea.", "Is it kind?", name="kind"))
    assert result.outcome is Outcome.PASS
    assert result.detail == "kind: scored 1.00, needed 1.00 — thank you is better"
    assert len(model.requests) == 2
    assert len(result.measurements) == 2


def test_a_reply_that_loses_in_both_orders_is_not(scripted, evaluate):
    result = evaluate(Judge(scripted(prefers("idea"))).should_be_preferred_over("No idea.", "better?"))
    assert (result.outcome, result.score) == (Outcome.FAIL, 0)


@pytest.mark.parametrize("slot", ["first", "second"])
def test_a_judge_that_likes_a_place_gives_a_tie_and_never_a_win(scripted, evaluate, slot):
    # PR10
    judge = Judge(scripted(always(slot)))
    result = evaluate(judge.should_be_preferred_over("No idea.", "better?", name="b"))
    assert (result.outcome, result.score) == (Outcome.FAIL, 0.5)
    assert "(the two orders disagree)" in result.detail
    result = evaluate(judge.should_be_preferred_over("No idea.", "better?", name="b", threshold=0.5))
    assert result.outcome is Outcome.PASS


def test_a_tie_in_one_order_is_a_tie(scripted, evaluate):
    model = scripted(always("first"), always("tie"))
    assert evaluate(Judge(model).should_be_preferred_over("x", "better?")).score == 0.5


def test_a_tie_in_both_orders_is_a_tie_that_agrees(scripted, evaluate):
    result = evaluate(Judge(scripted(always("tie"))).should_be_preferred_over("x", "better?", name="b"))
    assert result.detail == "b: scored 0.50, needed 1.00 — always tie"


@pytest.mark.parametrize(
    "answers", [("no idea", always("first")), (always("first"), "no idea"), (always("abstain"),)]
)
def test_one_order_without_a_verdict_is_no_preference(scripted, evaluate, answers):
    result = evaluate(Judge(scripted(*answers), attempts=1).should_be_preferred_over("x", "better?"))
    assert result.outcome is Outcome.INCONCLUSIVE
    assert result.score is None
    assert len(result.measurements) == 2


def test_nothing_in_the_prompt_says_which_reply_is_the_tested_one(scripted, evaluate):
    model = scripted(always("tie"))
    calls = (ToolCall("getOrder", {"id": 1}, {"state": "sent"}),)
    criterion = Judge(model).should_be_preferred_over("The other reply.", "better?")
    evaluate(criterion, Interaction(command_text="Where?", reply="The tested reply.", tool_calls=calls))
    one, two = (request.messages[1]["content"] for request in model.requests)
    assert "getOrder" in one
    marker = one.split("below is ")[1][:16]
    other_marker = two.split("below is ")[1][:16]
    swapped = two.replace(other_marker, marker)
    swapped = swapped.replace("The tested reply.", "\0").replace("The other reply.", "The tested reply.")
    assert swapped.replace("\0", "The other reply.") == one


def test_pairwise_compares_two_texts(scripted):
    model = scripted(prefers("red"))
    found = asyncio.run(Judge(model).pairwise("blue", "red", "better?", asked="Which colour?"))
    assert (found.score, found.orders, found.is_consistent) == (0.0, (0.0, 0.0), True)
    assert found.reason == "red is better"
    assert "Which colour?" in model.requests[0].messages[1]["content"]


def test_pairwise_says_why_there_is_no_preference(scripted):
    found = asyncio.run(Judge(scripted("no idea"), attempts=1).pairwise("a", "b", "better?"))
    assert (found.score, found.cause, found.is_consistent) == (None, "malformed", None)
    assert "no JSON object" in found.detail


def test_a_panel_compares_too(scripted, evaluate):
    judges = [Judge(scripted(prefers(word), name=word)) for word in ("thank", "thank", "other")]
    result = evaluate(Panel(judges).should_be_preferred_over("other", "better?"))
    assert result.outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("reply", "criterion", "more"),
    [("", "better?", {}), (None, "better?", {}), ("x", " ", {}), ("x", "better?", {"threshold": 2})],
)
def test_a_pair_that_cannot_work_is_refused(reply, criterion, more):
    with pytest.raises(InvalidArgument):
        Judge("openai/x").should_be_preferred_over(reply, criterion, **more)


def summary(*orders):
    return PairSummary.of(
        Preference(score=first if first == second else 0.5, orders=(first, second))
        for first, second in orders
    )


def test_a_summary_counts_consistency_and_the_first_place():
    found = PairSummary.of(
        [
            Preference(score=1.0, orders=(1.0, 1.0)),
            Preference(score=0.0, orders=(0.0, 0.0)),
            Preference(score=0.5, orders=(1.0, 0.0)),
            Preference(score=0.5, orders=(0.5, 0.5)),
            Preference(score=None, cause="malformed"),
        ]
    )
    assert (found.pairs, found.measured, found.wins, found.losses, found.ties) == (5, 4, 1, 1, 2)
    assert found.consistency == 0.75
    assert found.first_slot_share == pytest.approx(4 / 6)
    assert str(found) == (
        "5 pairs: 1 won, 1 lost, 2 tied, 1 not measured (malformed 1); "
        "both orders agree 0.75, first place preferred 0.67"
    )


def test_a_judge_that_always_picks_the_first_has_all_of_the_bias_and_no_win():
    found = summary(*[(1.0, 0.0)] * 10)
    assert (found.first_slot_share, found.consistency, found.ties) == (1.0, 0.0, 10)


def test_a_summary_of_nothing_claims_nothing():
    found = PairSummary.of([])
    assert (found.consistency, found.first_slot_share) == (None, None)
    assert str(found).endswith("both orders agree unknown, first place preferred unknown")


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.5, 1.0]))))
def test_a_summary_adds_up(orders):
    found = summary(*orders)
    assert found.wins + found.losses + found.ties == found.measured == len(orders)
    assert 0 <= found.first_slot <= found.preferring <= 2 * len(orders)
    assert found.wins + found.losses <= found.consistent <= len(orders)
