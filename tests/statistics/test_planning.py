"""How many cases, runs and labels are needed."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from judgekit.errors import InvalidArgument
from judgekit.statistics import (
    cases_for_comparison,
    cases_for_drop,
    cases_for_gate,
    clean_runs_needed,
    clopper_pearson_lower,
    clopper_pearson_upper,
    labels_needed,
    miller_cases,
    more_cases_needed,
    pass_rate_bounds,
    smallest_drop,
)


def chance_to_pass(n, rate, bar):
    """Summed over all outcomes."""
    return sum(binom.pmf(k, n, rate) for k in range(n + 1) if clopper_pearson_lower(k, n) >= bar)


def chance_to_notice(n, rate, bar):
    return sum(binom.pmf(k, n, rate) for k in range(n + 1) if clopper_pearson_upper(k, n) < bar)


def test_about_a_thousand_questions_show_three_points():
    """Miller (2024), section 5, with w^2 = 1/9 and no variance within."""
    assert miller_cases(0.03, between=1 / 9) == pytest.approx(968.997498, abs=1e-6)
    assert miller_cases(0.03, between=1 / 9, within_a=0.1, within_b=0.1, repeats=4) > miller_cases(
        0.03, between=1 / 9
    )


@pytest.mark.parametrize(("rate", "bar"), [(0.95, 0.85), (0.99, 0.9), (0.8, 0.6), (1.0, 0.9)])
def test_a_gate_passes_as_often_as_planned(rate, bar):
    plan = cases_for_gate(rate, bar)
    assert chance_to_pass(plan.cases, rate, bar) >= 0.8
    assert chance_to_pass(plan.cases + 7, rate, bar) >= 0.8
    assert chance_to_pass(max(1, plan.cases * 3 // 4), rate, bar) < 0.8 or plan.cases < 20


@pytest.mark.parametrize(("rate", "bar", "repeats"), [(0.95, 0.85, 3), (0.97, 0.9, 3), (0.8, 0.6, 5)])
def test_a_gate_over_repeats_passes_as_often_as_planned(rate, bar, repeats):
    cases = cases_for_gate(rate, bar, repeats=repeats, icc=0.4).cases
    rng = np.random.default_rng(1)
    passed = 0
    for shares in rng.beta(rate * 1.5, (1 - rate) * 1.5, size=(400, cases)):
        runs = rng.binomial(repeats, shares)
        passed += pass_rate_bounds([(int(run), int(repeats - run)) for run in runs]).low >= bar
    assert 0.74 <= passed / 400 <= 0.88


def test_a_perfect_agent_needs_29_cases_to_show_ninety_percent():
    plan = cases_for_gate(1.0, 0.9)
    assert (plan.cases, plan.runs, plan.repeats) == (29, 29, 1)


@pytest.mark.parametrize(("target", "drop"), [(0.9, 0.1), (0.8, 0.2), (0.95, 0.1), (1.0, 0.05)])
def test_a_drop_is_noticed_as_often_as_planned(target, drop):
    plan = cases_for_drop(target, drop)
    assert chance_to_notice(plan.cases, target - drop, target) >= 0.8
    assert chance_to_notice(max(1, plan.cases * 3 // 4), target - drop, target) < 0.8 or plan.cases < 40


def test_repeats_help_the_less_the_more_cases_differ():
    once = cases_for_drop(0.9, 0.05)
    alike, mixed, fixed = (cases_for_drop(0.9, 0.05, repeats=3, icc=icc) for icc in (0, 0.4, 1))
    assert alike.cases < mixed.cases < fixed.cases <= once.cases
    assert alike.runs == 3 * alike.cases >= once.runs
    assert mixed.warnings == ("3 runs of a case count as 1.67 at an intraclass correlation of 0.4",)


def test_a_paired_comparison_needs_fewer_cases_where_the_same_cases_are_hard():
    apart, alike = (cases_for_comparison(0.9, 0.05, repeats=3, case_correlation=c) for c in (0, 0.9))
    assert alike.cases < apart.cases
    assert alike.runs == 2 * 3 * alike.cases


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12),
    st.sampled_from([0.3, 0.6, 0.9]),
)
@settings(max_examples=25)
def test_more_cases_like_these_would_decide_the_gate(cases, bar):
    needed = more_cases_needed(cases, at_least=bar)
    bounds = pass_rate_bounds(cases)
    decided = bounds.interval is not None and (bounds.low >= bar or bounds.high < bar)
    assert (needed == 0) == decided
    if needed:
        # Twice as many as it takes, in whole multiples: rounding to whole cases can tip the first of them.
        many = pass_rate_bounds(cases * (2 * math.ceil(needed / len(cases)) + 1))
        assert many.low >= bar or many.high < bar


def test_no_number_of_cases_decides_at_the_bar_itself_or_over_missing_ones():
    assert more_cases_needed([(1, 0), (0, 1)], at_least=0.5) is None
    assert more_cases_needed([], at_least=0.5) is None
    assert more_cases_needed([(0, 0, 1)] * 5, at_least=0.5) is None
    assert more_cases_needed([(1, 0, 0)] * 6 + [(0, 0, 1)] * 4, at_least=0.8) is None
    assert more_cases_needed([(1, 0)] * 29, at_least=0.9) == 0


@pytest.mark.parametrize("passed", [1, 12, 20, 28])
def test_a_run_without_a_failure_needs_the_clean_runs_that_are_left(passed):
    assert more_cases_needed([(1, 0)] * passed, at_least=0.9) == clean_runs_needed(0.1) - passed


def test_more_cases_are_counted_in_cases_where_clusters_are_given():
    cases, documents = [(1, 0)] * 40, [n // 2 for n in range(40)]
    assert more_cases_needed(cases, at_least=0.9, clusters=documents) == 2 * 9


def test_a_good_judge_saves_labels_down_to_fifty():
    alone, helped = labels_needed(0.05), labels_needed(0.05, judge_r2=0.6)
    assert alone == math.ceil(0.25 * (1.959964 / 0.05) ** 2) == 385
    assert helped == pytest.approx(0.4 * alone, abs=1)
    assert labels_needed(0.4, judge_r2=1) == 50


@pytest.mark.parametrize(
    "call",
    [
        lambda: cases_for_gate(0.8, 0.9),
        lambda: cases_for_gate(1.0, 1.0),
        lambda: cases_for_drop(0.9, 0.9),
        lambda: cases_for_drop(90, 5),
        lambda: cases_for_drop(0.9, 0.05, repeats=0),
        lambda: cases_for_drop(0.9, 0.05, icc=2),
        lambda: cases_for_comparison(0.9, 0.05, case_correlation=-1),
        lambda: miller_cases(0, between=0.1),
        lambda: miller_cases(0.1, between=-0.1),
        lambda: labels_needed(0),
        lambda: more_cases_needed([(1, 0)], at_least=1),
    ],
)
def test_an_impossible_plan_is_refused(call):
    with pytest.raises(InvalidArgument):
        call()


@given(
    st.integers(1, 3000),
    st.sampled_from([0.3, 0.5, 0.8, 0.95, 0.975, 1.0]),
    st.integers(1, 5),
    st.sampled_from([0.0, 0.4, 1.0]),
    st.sampled_from([0.0, 0.5, 0.9]),
)
@settings(max_examples=60)
def test_the_smallest_drop_is_the_other_direction_of_the_cases_needed(cases, rate, repeats, icc, alike):
    def needed(thousandths):
        drop = thousandths / 1000
        return cases_for_comparison(rate, drop, repeats=repeats, icc=icc, case_correlation=alike).cases

    drop = smallest_drop(cases, rate, repeats=repeats, icc=icc, case_correlation=alike)
    if drop is None:
        assert needed(math.ceil(rate * 1000 - 1e-9) - 1) > cases
        return
    thousandths = round(drop * 1000)
    assert needed(thousandths) <= cases
    assert thousandths == 1 or needed(thousandths - 1) > cases


@pytest.mark.parametrize(("cases", "rate"), [(0, 0.9), (True, 0.9), (10, 0), (10, 1.1), (10, 0.001)])
def test_no_smallest_drop_of_nothing(cases, rate):
    with pytest.raises(InvalidArgument):
        smallest_drop(cases, rate)
