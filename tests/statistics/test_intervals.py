"""Intervals around rates."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from judgekit.errors import InvalidArgument
from judgekit.statistics import (
    agresti_coull_interval,
    clean_runs_needed,
    clopper_pearson_interval,
    clopper_pearson_lower,
    clopper_pearson_upper,
    jeffreys_interval,
    newcombe_difference,
    newcombe_paired_difference,
    rate_interval,
    wilson_interval,
)

COUNTS = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(COUNTS, st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_wilson_agrees_with_scipy(counts, level):
    passed, total = counts
    interval = wilson_interval(passed, total, level=level)
    expected = binomtest(passed, total).proportion_ci(confidence_level=level, method="wilson")
    assert interval.low == pytest.approx(expected.low, abs=1e-12)
    assert interval.high == pytest.approx(expected.high, abs=1e-12)
    assert (interval.level, interval.method, interval.n) == (level, "wilson", total)


def test_nothing_counted_has_no_interval():
    assert wilson_interval(0, 0) is None
    assert rate_interval(0, 0) is None


@pytest.mark.parametrize(("passed", "total"), [(-1, 3), (4, 3), (float("nan"), 3)])
def test_counts_that_cannot_be_are_refused(passed, total):
    with pytest.raises(InvalidArgument, match="passed"):
        wilson_interval(passed, total)


@pytest.mark.parametrize("level", [0, 1, 95, float("nan")])
def test_a_level_outside_0_and_1_is_refused(level):
    with pytest.raises(InvalidArgument, match="level"):
        wilson_interval(1, 2, level=level)


def test_missing_measurements_widen_to_both_sides():
    interval = rate_interval(5, 3, missing=2)
    assert interval.low == wilson_interval(5, 10).low
    assert interval.high == wilson_interval(7, 10).high


def test_repeats_do_not_narrow_an_interval():
    """Ten cases run five times are ten observations, not fifty."""
    repeated = rate_interval(45, 5, independent=10)
    once = rate_interval(9, 1)
    assert (repeated.low, repeated.high) == (pytest.approx(once.low), pytest.approx(once.high))
    assert repeated.n == 10


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50), st.floats(0.5, 200))
def test_an_interval_holds_every_rate_that_the_missing_could_make(passed, failed, missing, independent):
    total = passed + failed + missing
    interval = rate_interval(passed, failed, missing=missing, independent=independent)
    if total:
        assert 0 <= interval.low <= passed / total + 1e-12
        assert (passed + missing) / total - 1e-12 <= interval.high <= 1


@given(COUNTS, st.sampled_from([0.8, 0.95, 0.99]))
def test_clopper_pearson_agrees_with_scipy(counts, level):
    passed, total = counts
    interval = clopper_pearson_interval(passed, total, level=level)
    expected = binomtest(passed, total).proportion_ci(confidence_level=level, method="exact")
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


@given(COUNTS, st.sampled_from([0.8, 0.95]))
def test_the_one_sided_bounds_are_those_of_the_exact_test(counts, confidence):
    """A rate at the bound gives as many passes or more with a chance of exactly 1 - confidence."""
    passed, total = counts
    low = clopper_pearson_lower(passed, total, confidence=confidence)
    high = clopper_pearson_upper(passed, total, confidence=confidence)
    assert 0 <= low <= passed / total <= high <= 1
    if passed:
        assert binomtest(passed, total, low, alternative="greater").pvalue == pytest.approx(1 - confidence)
    if passed < total:
        assert binomtest(passed, total, high, alternative="less").pvalue == pytest.approx(1 - confidence)


@pytest.mark.parametrize(
    "make", [wilson_interval, clopper_pearson_interval, jeffreys_interval, agresti_coull_interval]
)
@given(counts=COUNTS)
def test_an_interval_of_failures_mirrors_that_of_passes(make, counts):
    passed, total = counts
    of_passes, of_failures = make(passed, total), make(total - passed, total)
    assert 0 <= of_passes.low <= of_passes.high <= 1
    assert of_passes.low == pytest.approx(1 - of_failures.high, abs=1e-9)
    assert of_passes.high == pytest.approx(1 - of_failures.low, abs=1e-9)
    assert make(0, 0) is None


@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [
        # Newcombe (1998), Statistics in Medicine 17:873, table II, method 10.
        ((56, 70, 48, 80), 0.0524, 0.3339),
        ((9, 10, 3, 10), 0.1705, 0.8090),
        ((6, 7, 2, 7), 0.0582, 0.8062),
        ((5, 56, 0, 29), -0.0381, 0.1926),
        ((0, 10, 0, 20), -0.1611, 0.2775),
        ((10, 10, 0, 10), 0.6075, 1.0),
    ],
)
def test_the_difference_of_two_samples_is_that_of_the_paper(counts, low, high):
    interval = newcombe_difference(*counts)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=5.1e-5)


@given(*[st.integers(0, 60)] * 4)
def test_a_paired_difference_holds_the_observed_one_and_turns_with_its_sides(both, only_a, only_b, neither):
    n = both + only_a + only_b + neither
    interval = newcombe_paired_difference(both, only_a, only_b, neither)
    if not n:
        assert interval is None
        return
    assert -1 <= interval.low <= (only_a - only_b) / n + 1e-12
    assert (only_a - only_b) / n - 1e-12 <= interval.high <= 1
    assert interval.high > interval.low
    turned = newcombe_paired_difference(both, only_b, only_a, neither)
    assert (turned.low, turned.high) == pytest.approx((-interval.high, -interval.low))


def test_the_paired_difference_is_that_of_the_paper():
    """Newcombe (1998), Statistics in Medicine 17:2635: 36 agree on yes, 12 and 2 differ, 0 agree on no."""
    interval = newcombe_paired_difference(36, 12, 2, 0)
    assert (interval.low, interval.high) == pytest.approx((0.0569, 0.3404), abs=5e-4)


@given(st.floats(0.001, 0.9), st.floats(0.5, 0.999))
def test_clean_runs_are_the_fewest_whose_bound_is_low_enough(at_most, confidence):
    n = clean_runs_needed(at_most, confidence=confidence)
    assert clopper_pearson_upper(0, n, confidence=confidence) <= at_most + 1e-9
    assert n == 1 or clopper_pearson_upper(0, n - 1, confidence=confidence) > at_most - 1e-9


@pytest.mark.parametrize("wrong", [0, 1, 5, True, "0.1", float("nan")])
def test_a_share_that_no_run_can_show_is_refused(wrong):
    with pytest.raises(InvalidArgument, match="at_most"):
        clean_runs_needed(wrong)
