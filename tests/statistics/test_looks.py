"""Looks after every case: the decisions of `early_decision`, and their extension to shares."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.errors import InvalidArgument
from judgekit.statistics import ShareLooks, StopState, early_decision

PASS, FAIL, CONTINUE = StopState.PASS, StopState.FAIL, StopState.CONTINUE


def sticky(states):
    """Each state, where a decision stays."""
    held = CONTINUE
    for state in states:
        held = state if held is CONTINUE else held
        yield held


@settings(max_examples=150)
@given(
    st.lists(st.sampled_from("PFM"), min_size=1, max_size=120),
    st.sampled_from([0.0, 0.3, 0.5, 0.8, 0.9, 0.95, 1.0]) | st.floats(0.01, 0.99),
    st.sampled_from([0.01, 0.05, 0.2]),
    st.booleans(),
    st.integers(0, 60),
)
def test_passes_and_failures_are_decided_as_by_early_decision(codes, bar, alpha, of_suite, more):
    size = len(codes) + more
    looks = ShareLooks(at_least=bar, population=size, alpha=alpha, of_suite=of_suite, step=1)
    found = [looks.add(int(code == "P"), int(code != "F")) for code in codes]
    expected = [
        early_decision(
            codes[:n].count("P"), n, at_least=bar, population=size, alpha=alpha, of_suite=of_suite,
            missing=codes[:n].count("M"),
        ).state
        for n in range(1, size - more + 1)
    ]  # fmt: skip
    assert found == list(sticky(expected))


def test_a_suite_that_passes_is_decided_long_before_its_end():
    looks = ShareLooks(at_least=0.8, population=1000, step=1)
    after = next(n for n in range(1, 1001) if looks.add(int(n % 20 != 0)) is PASS)
    assert 20 < after < 200


def test_repeats_decide_sooner_than_single_runs_and_later_than_as_many_cases():
    """A case of four runs is worth one case, not four."""
    random = Random(3)
    shares = [sum(random.random() < 0.9 for _ in range(4)) / 4 for _ in range(400)]
    looks = ShareLooks(at_least=0.8, population=400, step=0.25)
    after = next(n for n, share in enumerate(shares, 1) if looks.add(share) is PASS)
    singles = ShareLooks(at_least=0.8, population=1600, step=1)
    cases = next(n for n in range(1, 1601) if singles.add(int(n % 10 != 0)) is PASS)
    assert 20 < after < 400
    assert after > cases / 4


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=60),
    st.floats(0, 1),
    st.booleans(),
)
def test_a_suite_whose_shares_are_all_seen_is_never_decided_against_them(shares, bar, of_suite):
    """Cases in an order that is not random may be decided wrongly; a certain decision never is."""
    looks = ShareLooks(at_least=bar, population=len(shares), alpha=1e-12, of_suite=of_suite)
    for share in shares:
        looks.add(share)
    mean = sum(shares) / len(shares)
    if looks.state is not CONTINUE and of_suite:
        assert (looks.state is PASS) == (mean >= bar - 1e-6) or abs(mean - bar) < 1e-6


@settings(max_examples=50)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=80), st.floats(0.05, 0.95), st.data())
def test_a_larger_share_never_makes_a_decision_worse(shares, bar, data):
    rank = {FAIL: 0, CONTINUE: 1, PASS: 2}
    at = data.draw(st.integers(0, len(shares) - 1))
    better = [*shares]
    better[at] = data.draw(st.floats(shares[at], 1))
    ends = []
    for suite in (shares, better):
        looks = ShareLooks(at_least=bar, population=len(shares), of_suite=False)
        for share in suite:
            looks.add(share)
        ends.append(rank[looks.state])
    assert ends[0] <= ends[1] or abs(sum(shares) / len(shares) - bar) < 1e-9


def wrongly(rates, bar, *, runs, of_suite, cases=120):
    """How often suites with such rates of their cases are decided on the wrong side."""
    random, wrong = Random(11), 0
    for _ in range(400):
        suite = [random.choice(rates) for _ in range(cases)]
        shares = [sum(random.random() < rate for _ in range(runs)) / runs for rate in suite]
        looks = ShareLooks(at_least=bar, population=cases, of_suite=of_suite, step=1 / runs)
        for share in shares:
            if looks.add(share) is not CONTINUE:
                break
        good = sum(shares) / cases >= bar - 1e-9 if of_suite else sum(rates) / len(rates) >= bar
        wrong += looks.state is (FAIL if good else PASS)
    return wrong / 400


@pytest.mark.parametrize("of_suite", [True, False])
@pytest.mark.parametrize("rates", [[0.8], [0.6, 1.0], [0.0, 1.0, 1.0, 1.0, 1.0]])
def test_looking_after_every_case_of_correlated_repeats_is_wrong_at_most_as_often_as_alpha(rates, of_suite):
    assert wrongly(rates, 0.8, runs=3, of_suite=of_suite) <= 0.05


def test_what_is_out_of_range_is_refused():
    with pytest.raises(InvalidArgument, match="`at_least`"):
        ShareLooks(at_least=1.2, population=3)
    with pytest.raises(InvalidArgument, match="`population`"):
        ShareLooks(at_least=0.5, population=0)
    with pytest.raises(InvalidArgument, match="`alpha`"):
        ShareLooks(at_least=0.5, population=3, alpha=0)
    looks = ShareLooks(at_least=0.5, population=1)
    with pytest.raises(InvalidArgument, match="`low`"):
        looks.add(1.5)
    looks.add(1)
    with pytest.raises(InvalidArgument, match="the suite has 1 cases, got one more"):
        looks.add(1)
