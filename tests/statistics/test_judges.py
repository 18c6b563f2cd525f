"""How a judge repeats itself, what moves it, and what several are worth."""

import math
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from judgekit.errors import InvalidArgument
from judgekit.statistics import (
    exact_sign_test,
    family_preference,
    intraclass_correlation,
    length_bias,
    panel_reading,
    position_bias,
    repeatability,
)

# Shrout and Fleiss (1979), table 2: six targets, four judges.
TARGETS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def test_the_intraclass_correlations_of_shrout_and_fleiss():
    assert intraclass_correlation(TARGETS).estimate == pytest.approx(0.166, abs=5e-4)
    assert intraclass_correlation(TARGETS, of_mean=True).estimate == pytest.approx(0.443, abs=5e-4)
    single = intraclass_correlation(TARGETS)
    assert single.interval == pytest.approx((-0.133, 0.723), abs=1e-3)


@given(st.lists(st.lists(st.integers(1, 5), min_size=3, max_size=3), min_size=2, max_size=15))
def test_the_mean_of_readings_repeats_better_than_one(items):
    single, mean = intraclass_correlation(items), intraclass_correlation(items, of_mean=True)
    if single.estimate is not None and mean.estimate is not None and single.estimate > 0:
        # Spearman and Brown.
        boosted = 3 * single.estimate / (1 + 2 * single.estimate)
        assert mean.estimate == pytest.approx(boosted)
    if single.interval:
        assert single.low <= single.estimate <= single.high


def test_a_judge_that_repeats_itself_has_no_flips():
    steady = repeatability([[1, 1, 1], [0, 0, 0], [1, 1, 1]])
    assert (steady.estimate, steady.pairwise, steady.within_sd) == (0, 1, 0)
    assert steady.icc_single.estimate == steady.alpha_nominal.estimate == 1
    assert steady.icc_single.interval is None


def test_a_constant_judge_is_repeatable_and_has_no_correlation():
    constant = repeatability([[True] * 3] * 5)
    assert constant.estimate == 0
    assert constant.icc_single.estimate is None
    assert "every reading is the same" in constant.icc_single.reason
    assert constant.alpha_ordinal.estimate is None


def test_items_that_do_not_differ_make_the_mean_of_readings_useless():
    same = intraclass_correlation([[0, 1], [1, 0], [0, 1]], of_mean=True)
    assert (same.estimate, same.reason) == (
        None,
        "items do not differ, so the mean of readings tells nothing",
    )
    assert intraclass_correlation([[0, 1], [1, 0], [0, 1]]).estimate == -1


def test_unread_repeats_are_counted_and_single_ones_do_not_flip():
    found = repeatability([[True, None, True], [True, False, True], [None, True], [None]])
    assert (found.n_items, found.n_clusters, found.n_missing, found.n_runs) == (4, 2, 3, 6)
    assert found.estimate == 0.5
    nothing = repeatability([[True], []])
    assert (nothing.estimate, nothing.reason, nothing.pairwise) == (None, "no item has two verdicts", None)
    assert repeatability([]).within_sd is None
    with pytest.raises(InvalidArgument, match="finite"):
        repeatability([["pass"]])


# --- position


def test_the_slot_of_a_winner_is_read_from_both_orders():
    pairs = [
        ("x", "x"),
        ("y", "y"),
        ("x", "y"),
        ("x", "y"),
        ("y", "x"),
        ("tie", "tie"),
        ("tie", "x"),
        (None, "x"),
    ]
    found = position_bias(pairs, first="x", second="y")
    assert (found.consistent, found.inconsistent) == (3, 4)
    assert (found.first_slot, found.second_slot) == (2, 1)
    assert found.first_slot_share.estimate == pytest.approx(2 / 3)
    assert (found.n_items, found.n_missing, found.unread_verdicts) == (8, 1, 1)
    assert found.primacy == pytest.approx(1 / 7)
    assert found.p_value == 1


def test_a_judge_that_always_takes_the_first_slot_is_never_consistent():
    found = position_bias([("x", "y")] * 40, first="x", second="y")
    assert (found.estimate, found.first_slot_share.estimate, found.primacy) == (0, 1, 1)
    assert found.p_value == 2 * 0.5**40
    nothing = position_bias([], first="x", second="y")
    assert (nothing.estimate, nothing.first_slot_share.estimate, nothing.primacy) == (None, None, None)
    with pytest.raises(InvalidArgument, match="a winner must be"):
        position_bias([("x", "A")], first="x", second="y")


@given(st.lists(st.tuples(*[st.sampled_from(["x", "y", "tie", None])] * 2), max_size=40))
def test_swapping_the_orders_swaps_the_slots(pairs):
    found = position_bias(pairs, first="x", second="y")
    turned = position_bias([pair[::-1] for pair in pairs], first="x", second="y")
    assert (found.first_slot, found.second_slot) == (turned.second_slot, turned.first_slot)
    assert (found.estimate, found.p_value) == (turned.estimate, turned.p_value)


@given(st.integers(0, 150).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.01, 0.99))
def test_the_sign_test_is_the_exact_binomial_one(counts, rate):
    successes, total = counts
    expected = binomtest(successes, total, rate).pvalue if total else 1.0
    assert exact_sign_test(successes, total, rate=rate) == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_a_rate_of_none_or_all_is_tested_too():
    assert exact_sign_test(0, 5, rate=0) == exact_sign_test(5, 5, rate=1) == 1
    assert exact_sign_test(1, 5, rate=0) == 0
    with pytest.raises(InvalidArgument):
        exact_sign_test(3, 2)


# --- length and family


def test_length_bias_is_the_judges_taste_minus_the_humans():
    choices = [(10, 5, "a", "a")] * 4 + [(10, 5, "a", "b")] * 3 + [(5, 10, "a", "b")] + [(7, 7, "a", "b")] * 9
    found = length_bias([*choices, (10, 5, None, "a"), (10, 5, "b", None)])
    assert found.judge_longer.estimate == pytest.approx(7 / 9)
    assert found.human_longer.estimate == pytest.approx(6 / 9)
    assert found.estimate == pytest.approx(1 / 9)
    assert (found.errors, found.errors_longer.estimate) == (4, 0.75)
    assert (found.n_items, found.n_clusters, found.n_missing) == (19, 10, 1)
    empty = length_bias([(5, 5, "a", "b")])
    assert (empty.estimate, empty.p_value, empty.errors_longer.estimate) == (None, 1, None)
    with pytest.raises(InvalidArgument, match="a pick must be"):
        length_bias([(1, 2, "A", None)])


def test_family_preference_is_recall_on_own_wins_minus_recall_on_others():
    judge = [True] * 9 + [False] + [True] * 4 + [False] * 6
    human = [True] * 10 + [False] * 10
    found = family_preference([*judge, None], [*human, True])
    assert found.estimate == pytest.approx(0.9 - 0.6)
    assert found.low < found.estimate < found.high
    assert found.n_missing == 1
    one_sided = family_preference([True], [True])
    assert (one_sided.estimate, one_sided.other_recall.reason) == (None, "the others never won")


# --- panels


def test_judges_that_err_together_are_worth_one():
    labels = [n % 2 > 0 for n in range(40)]
    wrong = [not label if n % 8 == 0 else label for n, label in enumerate(labels)]
    found = panel_reading({"a": wrong, "b": wrong, "c": wrong}, labels)
    assert found.error_correlation == pytest.approx(1)
    assert found.n_eff == pytest.approx(1)
    assert (found.unanimous.estimate, found.unanimous_accuracy.estimate) == (1, 0.875)


def test_judges_that_err_apart_are_worth_more_than_their_best():
    labels = [n % 2 > 0 for n in range(60)]
    votes = {
        name: [not label if n % 10 == k else label for n, label in enumerate(labels)]
        for k, name in enumerate("abc")
    }
    found = panel_reading(votes, labels)
    assert found.estimate == 1
    assert {each.estimate for each in found.accuracy.values()} == {0.9}
    assert found.n_eff == 3
    assert found.error_correlation < 0


def test_a_panel_without_errors_to_correlate_and_an_even_split():
    labels = [True, False, True, None]
    found = panel_reading({"a": [True, False, True, True], "b": [True, False, False, True]}, labels)
    assert (found.error_correlation, found.n_eff) == (None, None)
    assert (found.ties, found.n_missing, found.estimate) == (1, 1, 1)
    empty = panel_reading({"a": [None], "b": [True]}, [True])
    assert (empty.estimate, empty.unanimous.estimate) == (None, None)
    with pytest.raises(InvalidArgument, match="at least 2 judges"):
        panel_reading({"a": [True]}, [True])
    with pytest.raises(InvalidArgument, match="'b' has 2 entries"):
        panel_reading({"a": [True], "b": [True, False]}, [True])


@given(st.lists(st.tuples(*[st.booleans()] * 4), min_size=2, max_size=30))
def test_a_panel_is_worth_one_to_all_of_its_judges(rows):
    *votes, labels = zip(*rows, strict=True)
    found = panel_reading(dict(zip("abc", votes, strict=True)), labels)
    assert found.n_eff is None or 1 - 1e-9 <= found.n_eff <= 3
    majority = [sum(row[:3]) > 1 for row in rows]
    assert found.estimate == pytest.approx(
        fmean(m == label for m, label in zip(majority, labels, strict=True))
    )
    assert not math.isnan(found.estimate)
