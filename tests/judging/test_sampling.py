"""Several samples of one question."""

import pytest

from judgekit.evaluation import Outcome
from judgekit.judging import Judge


def test_the_mean_of_all_samples_is_the_score_and_the_spread_is_shown(scores, evaluate):
    model = scores(0.2, 0.9, 0.7)
    result = evaluate(Judge(model, samples=3).should_satisfy("polite", name="polite"))
    assert result.outcome is Outcome.PASS
    assert result.score == pytest.approx(0.6)
    assert result.detail == (
        "polite: scored 0.60, needed 0.50 — because 0.7 (3 samples, 0.20 to 0.90, 1 flip)"
    )
    assert len(model.requests) == len(result.measurements) == 3


def test_samples_that_agree_have_no_flips(scores, evaluate):
    result = evaluate(Judge(scores(0.9), samples=4).should_satisfy("polite"))
    assert result.detail.endswith("(4 samples, 0.90 to 0.90, 0 flips)")


@pytest.mark.parametrize("answers", [(0.9, 0.9, 7), (7, 0.9, 0.9), (0.9, "abstain", 0.9)])
def test_all_samples_are_needed(scores, evaluate, answers):
    result = evaluate(Judge(scores(*answers), samples=3, attempts=1).should_satisfy("polite", name="p"))
    assert result.outcome is Outcome.INCONCLUSIVE
    assert result.cause == "no quorum"
    assert result.detail.startswith("p: no quorum: 2 of 3 samples gave a verdict; ")
    assert result.score is None


def test_samples_that_all_fail_alike_keep_their_cause(scores, evaluate):
    result = evaluate(Judge(scores("abstain"), samples=3).should_satisfy("polite"))
    assert result.cause == "abstained"


def test_one_sample_says_nothing_of_samples(scores, evaluate):
    assert (
        evaluate(Judge(scores(0.9)).should_satisfy("p")).detail == "p: scored 0.90, needed 0.50 — because 0.9"
    )


def test_float_noise_does_not_decide(scores, evaluate):
    # GT04
    assert evaluate(Judge(scores(0.7), samples=3).should_score_at_least("p", 0.7)).outcome is Outcome.PASS
