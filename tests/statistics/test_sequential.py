"""Tests that may be looked at after every case, and when to stop."""

import math
from itertools import accumulate, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import betabinom

from judgekit.errors import InvalidArgument
from judgekit.statistics import (
    StopState,
    confidence_sequence,
    early_decision,
    empirical_bernstein_sequence,
    log_e_at_most,
    log_e_even,
    rejected_at,
    sprt,
    sprt_bounds,
)

COUNTS = st.integers(0, 120).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
OUTCOMES = st.lists(st.booleans(), max_size=60)


@pytest.mark.parametrize(
    ("passed", "total", "low", "high"),
    [
        (10, 10, 0.623013, 1.0),
        (45, 50, 0.713462, 0.984153),
        (90, 100, 0.77249, 0.970939),
        (180, 200, 0.812192, 0.957171),
    ],
)
def test_reference_values_of_the_confidence_sequence(passed, total, low, high):
    found = confidence_sequence(passed, total)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-6)


@given(COUNTS)
def test_a_sequence_holds_the_observed_rate_and_mirrors_failures(counts):
    passed, total = counts
    found, mirrored = confidence_sequence(passed, total), confidence_sequence(total - passed, total)
    assert 0 <= found.low <= (passed / total if total else 0.5) <= found.high <= 1
    assert (found.low, found.high) == pytest.approx((1 - mirrored.high, 1 - mirrored.low), abs=1e-9)


def test_nothing_seen_leaves_every_rate_possible():
    assert (confidence_sequence(0, 0).low, confidence_sequence(0, 0).high) == (0, 1)
    suite = confidence_sequence(0, 0, population=20)
    assert (suite.low, suite.high) == (0, 1)


@given(st.integers(1, 40), st.data())
def test_of_a_suite_every_number_of_passes_is_tried(population, data):
    """The fast search finds what going through all numbers of passes finds."""
    total = data.draw(st.integers(0, population))
    passed = data.draw(st.integers(0, total))
    rest = population - total
    possible = []
    for more in range(rest + 1):
        before = betabinom.logpmf(passed + more, population, 0.5, 0.5)
        after = betabinom.logpmf(more, rest, passed + 0.5, total - passed + 0.5) if rest else 0.0
        if before - after < math.log(20) + 1e-9:
            possible.append(passed + more)
    found = confidence_sequence(passed, total, population=population)
    assert found.low * population == pytest.approx(min(possible), abs=1e-6)
    assert found.high * population == pytest.approx(max(possible), abs=1e-6)


def test_a_whole_suite_has_one_rate():
    found = confidence_sequence(7, 9, population=9)
    assert found.low == found.high == 7 / 9


def test_a_suite_in_any_order_leaves_its_rate_out_in_at_most_alpha_of_the_orders():
    """All orders of a suite of nine with three passes: Ville's inequality, counted."""
    orders = set(permutations([True] * 3 + [False] * 6))
    wrong = 0
    for order in orders:
        passed = list(accumulate(order, initial=0))
        ends = [confidence_sequence(k, n, alpha=0.3, population=9) for n, k in enumerate(passed)]
        wrong += any(not end.low - 1e-9 <= 3 / 9 <= end.high + 1e-9 for end in ends)
    assert wrong <= 0.3 * len(orders)


@given(COUNTS, st.floats(0.02, 0.98))
def test_an_e_value_is_the_integral_of_its_mixture(counts, rate):
    passed, total = counts

    def log_ratio(p):
        return passed * math.log(p / rate) + (total - passed) * math.log((1 - p) / (1 - rate))

    peak = max(rate, min(1 - 1e-12, passed / total if total else rate))
    top = log_ratio(peak)
    area = quad(lambda p: math.exp(log_ratio(p) - top), rate, 1 - 1e-12, points=[peak], limit=500)[0]
    assert log_e_at_most(passed, total, rate=rate) == pytest.approx(
        math.log(area / (1 - rate)) + top, abs=1e-4
    )


@given(st.integers(1, 12), st.floats(0.1, 0.9))
def test_an_e_value_is_one_on_average_where_the_rate_is_the_bar(total, rate):
    mean = sum(
        math.comb(total, k)
        * rate**k
        * (1 - rate) ** (total - k)
        * math.exp(log_e_at_most(k, total, rate=rate))
        for k in range(total + 1)
    )
    assert mean == pytest.approx(1, abs=1e-9)


def test_an_e_value_far_below_every_float_is_still_a_number():
    """1 - I(p) is below 1e-300 here: its logarithm is taken from a series."""
    assert log_e_at_most(2_000, 10_000, rate=0.9) == pytest.approx(-math.log(77_777.8 * 0.1), abs=0.001)
    assert math.isfinite(log_e_at_most(0, 100_000, rate=0.999))


@given(OUTCOMES, st.floats(0.05, 0.95))
def test_a_bar_is_rejected_at_the_first_outcome_that_allows_it(outcomes, rate):
    passed = list(accumulate(map(int, outcomes)))
    first = next(
        (
            n
            for n, k in enumerate(passed, 1)
            if log_e_at_most(k, n, rate=rate) >= math.log(20) and k > rate * n
        ),
        None,
    )
    assert rejected_at(outcomes, rate=rate) == first


def test_discordant_pairs_that_fall_evenly_are_no_evidence():
    assert log_e_even(0, 0) == 0
    assert log_e_even(10, 10) < 0 < math.log(20) < log_e_even(12, 0)
    assert log_e_even(3, 9) == log_e_even(9, 3)


def test_walds_bounds_and_a_test_that_ends_at_each():
    assert sprt_bounds(0.05, 0.05) == pytest.approx((-2.944439, 2.944439), abs=1e-6)
    assert sprt_bounds(0.05, 0.1) == pytest.approx((-2.251292, 2.890372), abs=1e-6)
    passing, failing = sprt([True] * 60, rate0=0.8, rate1=0.9), sprt([False] * 60, rate0=0.8, rate1=0.9)
    assert (passing.decision, passing.n) == ("accept_h1", 25)
    assert (failing.decision, failing.n) == ("accept_h0", 5)
    assert sprt([True], rate0=0.8, rate1=0.9).decision == "undecided"
    assert sprt([], rate0=0.8, rate1=0.9).n == 0


def test_scores_have_a_sequence_of_their_own():
    values = [0.2, 0.9, 1.0, 0.7, 0.8] * 40
    found = empirical_bernstein_sequence(values)
    assert 0 <= found.low < 0.72 < found.high <= 1
    shorter = empirical_bernstein_sequence(values[:50])
    assert found.high - found.low < shorter.high - shorter.low
    running = empirical_bernstein_sequence(values, running=True)
    assert found.low <= running.low <= running.high <= found.high
    assert empirical_bernstein_sequence([]) is None


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50), st.booleans())
def test_a_sequence_of_scores_is_an_interval_in_0_to_1(values, running):
    found = empirical_bernstein_sequence(values, running=running)
    assert 0 <= found.low <= found.high <= 1


@given(st.integers(1, 60), st.data(), st.booleans())
def test_what_is_decided_early_is_never_both(population, data, of_suite):
    total = data.draw(st.integers(0, population))
    passed = data.draw(st.integers(0, total))
    bar = data.draw(st.floats(0, 1))
    found = early_decision(passed, total, at_least=bar, population=population, of_suite=of_suite)
    assert (found.state is StopState.CONTINUE) == (
        found.interval.low < bar - 1e-12 and found.interval.high >= bar - 1e-12
    )
    assert found.saved == (0 if found.state is StopState.CONTINUE else population - total)
    if of_suite and total == population:
        assert found.state is (StopState.PASS if passed / population >= bar - 1e-12 else StopState.FAIL)


def test_a_run_stops_when_its_bar_is_out_of_reach_of_doubt():
    assert early_decision(60, 60, at_least=0.8, population=200).state is StopState.PASS
    assert early_decision(20, 60, at_least=0.8, population=200).state is StopState.FAIL
    unsure = early_decision(50, 60, at_least=0.8, population=200)
    assert (unsure.state, unsure.saved) == (StopState.CONTINUE, 0)
    assert early_decision(60, 60, at_least=0.8, population=200).saved == 140


def test_missing_cases_keep_a_run_going():
    assert early_decision(40, 45, at_least=0.7, population=100).state is StopState.PASS
    held = early_decision(28, 45, at_least=0.7, population=100, missing=12)
    assert held.state is StopState.CONTINUE
    assert held.interval.low < held.interval.high
    assert early_decision(5, 45, at_least=0.7, population=100, missing=12).state is StopState.FAIL


@pytest.mark.parametrize(
    "call",
    [
        lambda: confidence_sequence(3, 2),
        lambda: confidence_sequence(1, 2, alpha=0),
        lambda: confidence_sequence(1, 2, prior=0),
        lambda: confidence_sequence(1, 5, population=4),
        lambda: confidence_sequence(0.5, 2),
        lambda: log_e_at_most(1, 2, rate=1),
        lambda: log_e_even(-1, 0),
        lambda: sprt([], rate0=0.9, rate1=0.8),
        lambda: sprt_bounds(0.6, 0.5),
        lambda: rejected_at([], rate=0.5, alpha=2),
        lambda: empirical_bernstein_sequence([1.5]),
        lambda: empirical_bernstein_sequence([None]),
        lambda: early_decision(1, 2, at_least=1.5, population=3),
    ],
)
def test_what_no_test_can_use_is_refused(call):
    with pytest.raises(InvalidArgument):
        call()
