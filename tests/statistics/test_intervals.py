"""Intervals around rates."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from judgekit.errors import InvalidArgument
from judgekit.statistics import rate_interval, wilson_interval

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
