"""Several judges and how they vote."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import InvalidArgument, RateLimited
from judgekit.evaluation import Outcome
from judgekit.judging import Binary, Judge, Panel, Verdict, agreement


class Fixed:
    """A judge with one answer."""

    def __init__(self, answer, name="fixed"):
        self.answer = answer
        self.model = name

    async def decide(self, criterion, interaction):
        if isinstance(self.answer, Exception):
            raise self.answer
        return Verdict(self.answer, f"{self.model} says {self.answer}")


def panel(*answers, **more):
    return Panel([Fixed(answer, f"m{index}") for index, answer in enumerate(answers)], **more)


def test_a_majority_votes_against_the_criterions_threshold(evaluate):
    result = evaluate(panel(0.9, 0.8, 0.2).should_score_at_least("polite", 0.85, name="polite"))
    assert result.outcome is Outcome.FAIL
    assert result.score == pytest.approx(1 / 3)
    assert result.detail == (
        "polite: scored 0.33, needed 0.67 — m1 says 0.8 (1 of 3 judges for it: m0 0.90, m1 0.80, m2 0.20)"
    )
    result = evaluate(panel(0.9, 0.8, 0.2).should_score_at_least("polite", 0.7))
    assert result.outcome is Outcome.PASS


@pytest.mark.parametrize(("answers", "outcome"), [((1, 1, 0, 0), Outcome.FAIL), ((1, 1, 1, 0), Outcome.PASS)])
def test_half_of_an_even_panel_is_no_majority(evaluate, answers, outcome):
    assert evaluate(panel(*answers).should_satisfy("polite")).outcome is outcome


def test_mean_and_median_are_held_against_the_threshold(evaluate):
    mean = evaluate(panel(1.0, 1.0, 0.1, vote="mean").should_score_at_least("p", 0.8))
    assert (mean.outcome, mean.score) == (Outcome.FAIL, pytest.approx(0.7))
    median = evaluate(panel(1.0, 1.0, 0.1, vote="median").should_score_at_least("p", 0.8))
    assert (median.outcome, median.score, median.threshold) == (Outcome.PASS, 1.0, 0.8)


def test_a_member_that_fails_reduces_the_seats_and_is_named(evaluate):
    result = evaluate(panel(0.9, RateLimited("slow"), 0.8).should_satisfy("p", name="p"))
    assert result.outcome is Outcome.PASS
    assert result.detail.endswith("(2 of 2 judges for it: m0 0.90, m2 0.80; without m1 (rate limited))")
    assert len(result.measurements) == 3


def test_below_quorum_is_inconclusive(evaluate):
    result = evaluate(panel(0.9, RateLimited("slow"), ValueError("x")).should_satisfy("p", name="p"))
    assert (result.outcome, result.cause) == (Outcome.INCONCLUSIVE, "no quorum")
    assert result.detail == (
        "p: no quorum: 1 of 3 judges gave a verdict, 2 needed; m1: rate limited: slow; "
        "m2: unavailable: the judge raised ValueError: x"
    )
    assert evaluate(panel(0.9, RateLimited("slow"), quorum=1).should_satisfy("p")).outcome is Outcome.PASS
    assert evaluate(panel(0.9, RateLimited("slow"), quorum=2).should_satisfy("p")).cause == "no quorum"


def test_a_panel_that_fails_as_one_keeps_the_cause(evaluate):
    result = evaluate(panel(RateLimited("a"), RateLimited("b")).should_satisfy("p"))
    assert result.cause == "rate limited"


def test_models_are_asked_at_once_and_recorded_one_by_one(evaluate, scores):
    models = [scores(value, name=f"m{value}") for value in (0.9, 0.7, 0.1)]
    result = evaluate(Panel([Judge(model) for model in models]).should_satisfy("p"))
    assert result.outcome is Outcome.PASS
    assert [m.model for m in result.measurements] == models
    assert len({m.fingerprint for m in result.measurements}) == 3


def test_a_scale_goes_to_every_member(evaluate, scripted):
    models = [scripted({"reason": "r", "answer": answer}, name=answer) for answer in ("yes", "no", "yes")]
    result = evaluate(Panel([Judge(model) for model in models]).should_satisfy("p", scale=Binary()))
    assert result.score == pytest.approx(2 / 3)


def test_a_panel_decides_like_any_judge(interaction):
    assert asyncio.run(panel(1.0, 0.9).decide("p", interaction)).score == 1.0
    nested = Panel([panel(1.0, 0.9), Fixed(0.8)], vote="mean")
    assert asyncio.run(nested.decide("p", interaction)).score == pytest.approx(0.9)


def test_every_member_can_be_replaced(evaluate):
    criterion = panel(0.1, 0.2, 0.3).should_satisfy("p")
    better = criterion.map_judges(lambda judge: Fixed(judge.answer + 0.6, "better"))
    assert evaluate(better).outcome is Outcome.PASS
    assert evaluate(criterion).outcome is Outcome.FAIL
    assert isinstance(better.judge, Panel)


@pytest.mark.parametrize(
    ("judges", "more"),
    [
        ([], {}),
        ([Fixed(1)], {}),
        (Fixed(1), {}),
        ([Fixed(1), "openai/x"], {}),
        ([Fixed(1), Fixed], {}),
        ([Fixed(1), Fixed(1)], {"vote": "best"}),
        ([Fixed(1), Fixed(1)], {"quorum": 0}),
        ([Fixed(1), Fixed(1)], {"quorum": 3}),
        ([Fixed(1), Fixed(1)], {"quorum": True}),
    ],
)
def test_a_panel_that_cannot_work_is_refused(judges, more):
    with pytest.raises(InvalidArgument, match="Panel"):
        Panel(judges, **more)


def test_a_criterion_that_one_member_cannot_take_is_refused():
    with pytest.raises(InvalidArgument, match="needs a judge that asks a model"):
        Panel([Judge("openai/x"), Fixed(1)]).should_be_preferred_over("other", "better?")


def test_judges_that_err_together_are_worth_one():
    right = [True, False, True, False, True, True]
    wrong_on_two = [False, True, True, False, True, True]
    found = agreement({"a": wrong_on_two, "b": wrong_on_two, "c": wrong_on_two}, right)
    assert found.error_correlation == pytest.approx(1)
    assert found.n_eff == pytest.approx(1)
    assert found.accuracy["a"] == pytest.approx(4 / 6)


def test_judges_that_err_apart_are_worth_their_number():
    labels = [True] * 4
    found = agreement({"a": [False, False, True, True], "b": [False, True, False, True]}, labels)
    assert found.error_correlation == pytest.approx(0)
    assert found.n_eff == pytest.approx(2)


def test_agreement_claims_nothing_where_errors_do_not_vary():
    found = agreement({"a": [True, True], "b": [False, True]}, [True, True])
    assert (found.error_correlation, found.n_eff) == (None, None)
    assert found.accuracy == {"a": 1, "b": 0.5}


@pytest.mark.parametrize(
    ("votes", "labels"),
    [({"a": [True]}, [True]), ({"a": [], "b": []}, []), ({"a": [True], "b": [True, False]}, [True])],
)
def test_agreement_needs_labels_that_match(votes, labels):
    with pytest.raises(InvalidArgument, match="agreement"):
        agreement(votes, labels)


@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=7),
    st.floats(0, 1),
    st.sampled_from(["mean", "median", "majority"]),
)
def test_a_unanimous_panel_decides_as_its_members(scores, threshold, vote):
    bounded = [min(1.0, threshold + (1 - threshold) * score) for score in scores]

    async def main():
        from judgekit.evaluation import EvalCase
        from judgekit.interaction import Interaction

        criterion = panel(*bounded, vote=vote).should_score_at_least("p", threshold)
        return await criterion.evaluate(EvalCase("a", "b"), Interaction(reply="x"))

    assert asyncio.run(main()).outcome is Outcome.PASS
