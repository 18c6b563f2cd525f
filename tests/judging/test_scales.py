import math

import pytest

from judgekit.errors import InvalidArgument
from judgekit.judging import Binary, Levels, Score
from judgekit.judging.scales import checked_threshold, needed_score

TONE = Levels({"cold": "stiff", "plain": "neither", "warm": "friendly"})


def test_levels_are_evenly_spaced_from_worst_to_best():
    assert TONE.scores == (0, 0.5, 1)
    assert Levels(dict.fromkeys("abcdefg", "x")).scores == tuple(i / 6 for i in range(7))


def test_levels_take_scores_of_their_own():
    assert Levels({"a": "x", "b": "y", "c": "z"}, scores=[0, 0.2, 0.9]).score_of("b") == 0.2


@pytest.mark.parametrize(
    ("levels", "complaint"),
    [
        ({"no": "x", "yes": "y"}, "with two, use Binary"),
        ({}, "3 to 7 levels, got 0"),
        (dict.fromkeys("abcdefgh", "x"), "3 to 7 levels, got 8"),
        ({"a": "x", "b": "", "c": "z"}, "'b' needs a description"),
        ({"a": "x", " ": "y", "c": "z"}, "plain word or two"),
        ({"a": "x", "b\n": "y", "c": "z"}, "plain word or two"),
        ({"a": "x", 2: "y", "c": "z"}, "plain word or two"),
        ({"a": "x", "abstain": "y", "c": "z"}, "none may be 'abstain'"),
        ({"warm": "x", "Warm": "y", "c": "z"}, "names must differ"),
        (["cold", "plain", "warm"], "write Levels"),
    ],
)
def test_levels_that_cannot_work_are_refused(levels, complaint):
    with pytest.raises(InvalidArgument, match=complaint):
        Levels(levels)


@pytest.mark.parametrize(
    "scores", [[0, 1], [0, 0.5, 0.5], [1, 0.5, 0], [0, 0.5, 1.1], [0, math.nan, 1], [False, 0.5, 1]]
)
def test_scores_that_do_not_rise_are_refused(scores):
    with pytest.raises(InvalidArgument, match="`scores`"):
        Levels({"a": "x", "b": "y", "c": "z"}, scores=scores)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, True, False, math.nan, math.inf, None, "0.5", [0.5]])
@pytest.mark.parametrize("scale", [Score(), Binary()])
def test_a_threshold_outside_the_scale_is_refused(threshold, scale):
    with pytest.raises(InvalidArgument, match="`threshold`"):
        checked_threshold(threshold, scale)


def test_a_threshold_may_be_the_name_of_a_level():
    assert needed_score(checked_threshold("plain", TONE), TONE) == 0.5
    with pytest.raises(InvalidArgument, match="the levels are cold, plain, warm"):
        checked_threshold("hot", TONE)


@pytest.mark.parametrize("threshold", [0, 1, 0.0, 0.37])
def test_the_ends_of_the_scale_are_thresholds(threshold):
    # GT08: 0 is a value, not "unset".
    assert needed_score(checked_threshold(threshold, Score()), Score()) == threshold
