"""Pass rates over cases and repeats, pass@k, and means by cluster."""

import math
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import InvalidArgument
from judgekit.statistics import (
    CaseCounts,
    clopper_pearson_lower,
    clopper_pearson_upper,
    cluster_bootstrap,
    cluster_mean,
    counts_by_cluster,
    more_cases_needed,
    pass_at_k,
    pass_hat_k,
    pass_rate,
    pass_rate_bounds,
    wilson_interval,
)

RUNS = st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 2))
CASES = st.lists(RUNS, max_size=30)


def test_one_run_a_case_is_displayed_by_wilson_and_decided_by_clopper_pearson():
    cases = [(1, 0)] * 45 + [(0, 1)] * 5
    shown, bounds = pass_rate(cases), pass_rate_bounds(cases)
    wilson = wilson_interval(45, 50)
    assert shown.interval == (wilson.low, wilson.high)
    assert (shown.method, shown.effective_n) == ("wilson", 50)
    assert bounds.low == clopper_pearson_lower(45, 50)
    assert bounds.high == clopper_pearson_upper(45, 50)


@given(st.integers(2, 60), st.integers(1, 8))
def test_repeats_that_always_agree_count_once(cases, runs):
    """A deterministic agent run eight times is as much evidence as one run."""
    passed = cases * 2 // 3
    once = [(1, 0)] * passed + [(0, 1)] * (cases - passed)
    often = [(runs, 0)] * passed + [(0, runs)] * (cases - passed)
    assert pass_rate_bounds(often).low <= pass_rate_bounds(once).low + 1e-12
    assert pass_rate(often).effective_n == pytest.approx(cases)


def test_without_variance_the_cases_count_and_not_their_runs():
    bounds = pass_rate_bounds([(10, 0)] * 20)
    assert bounds.low == pytest.approx(clopper_pearson_lower(20, 20))
    assert bounds.effective_n == 20
    assert pass_rate([(10, 0)] * 20).low == pytest.approx(wilson_interval(20, 20).low)


def test_cases_that_all_pass_the_same_share_of_their_runs_are_not_known_for_certain():
    for case, cases in (((2, 1), 20), ((1, 1), 6)):
        found = pass_rate([case] * cases)
        share = case[0] / sum(case)
        whole = wilson_interval(share * cases, cases)
        assert found.interval == pytest.approx((whole.low, whole.high))
        assert (found.effective_n, found.method) == (cases, "wilson at the effective n")
        bounds = pass_rate_bounds([case] * cases)
        assert bounds.low == pytest.approx(clopper_pearson_lower(share * cases, cases))


def test_a_single_case_has_no_interval_over_repeats_and_says_so():
    shown, bounds = pass_rate([(3, 2)]), pass_rate_bounds([(3, 2)])
    assert (shown.estimate, shown.interval, bounds.interval) == (0.6, None, None)
    assert "at least 2 cases, got 1" in shown.reason
    assert "at least 2 cases, got 1" in bounds.reason


@pytest.mark.parametrize("cases", [[], [(0, 0)], [(0, 0, 0), (0, 0, 0)]])
def test_nothing_decided_is_no_rate(cases):
    shown = pass_rate(cases)
    assert (shown.estimate, shown.interval, shown.reason) == (None, None, "nothing was decided")
    assert pass_rate_bounds(cases).reason == "nothing was decided"


def test_missing_runs_are_failures_below_and_passes_above():
    cases = [(1, 0, 0)] * 30 + [(0, 1, 0)] * 5 + [(0, 0, 1)] * 5
    bounds = pass_rate_bounds(cases)
    assert bounds.estimate == 30 / 35
    assert bounds.low == clopper_pearson_lower(30, 40)
    assert bounds.high == clopper_pearson_upper(35, 40)
    assert bounds.n_missing == 5
    assert "5 missing" in bounds.warnings[-1]


def test_few_cases_are_warned_about_and_cases_of_one_document_are_one():
    cases = [(1, 0)] * 12 + [(0, 1)] * 4
    alone, by_document = pass_rate(cases), pass_rate(cases, clusters=[n // 4 for n in range(16)])
    assert alone.warnings == ()
    assert by_document.warnings == ("4 clusters: a cluster-robust error is unsure with fewer than 10",)
    assert (by_document.n_items, by_document.n_clusters, by_document.n_runs) == (16, 4, 16)
    assert by_document.interval[0] < alone.interval[0]


@given(CASES)
def test_bounds_hold_the_rate_and_do_not_depend_on_the_order_of_cases(cases):
    bounds = pass_rate_bounds(cases)
    assert bounds == pass_rate_bounds(cases[::-1])
    if bounds.interval and bounds.estimate is not None:
        assert 0 <= bounds.low <= bounds.estimate + 1e-9
        assert bounds.estimate - 1e-9 <= bounds.high <= 1


@given(st.lists(st.integers(0, 4), min_size=2, max_size=30))
def test_bounds_of_failures_mirror_those_of_passes(passed):
    of_passes = pass_rate_bounds([(k, 4 - k) for k in passed])
    of_failures = pass_rate_bounds([(4 - k, k) for k in passed])
    assert of_passes.low == pytest.approx(1 - of_failures.high, abs=1e-9)
    assert of_passes.high == pytest.approx(1 - of_failures.low, abs=1e-9)


@given(CASES, st.floats(0.6, 0.9))
def test_more_confidence_widens_the_bounds(cases, confidence):
    narrow, wide = pass_rate_bounds(cases, confidence=confidence), pass_rate_bounds(cases, confidence=0.99)
    if narrow.interval:
        assert wide.low <= narrow.low + 1e-9
        assert wide.high >= narrow.high - 1e-9


@pytest.mark.parametrize("wrong", [[(-1, 2)], [(1.5, 2)], [(True, 0)], [(1, 2, float("nan"))]])
def test_counts_that_cannot_be_are_refused(wrong):
    with pytest.raises(InvalidArgument, match="whole number"):
        pass_rate(wrong)


def test_runs_are_counted_by_case_in_order_of_first_appearance():
    counts = counts_by_cluster([True, None, False, True], ["b", "a", "b", "a"])
    assert counts == [CaseCounts(1, 1, 0), CaseCounts(1, 0, 1)]
    with pytest.raises(InvalidArgument, match="True, False or None"):
        counts_by_cluster([1], ["a"])
    with pytest.raises(InvalidArgument, match="`passes` has 1"):
        counts_by_cluster([True], [])


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.integers(1, 7))
def test_pass_at_k_counts_the_draws_of_k_runs(runs, k):
    """The formula is the share of all draws of k runs, counted one by one."""
    if k > len(runs):
        with pytest.raises(InvalidArgument, match="`k` is"):
            pass_at_k([(sum(runs), len(runs) - sum(runs))], k)
        return
    draws = list(combinations(runs, k))
    case = [(sum(runs), len(runs) - sum(runs))]
    assert pass_at_k(case, k).estimate == pytest.approx(sum(map(any, draws)) / len(draws))
    assert pass_hat_k(case, k).estimate == pytest.approx(sum(map(all, draws)) / len(draws))


def test_pass_hat_k_of_one_case_has_no_interval():
    found = pass_hat_k([(3, 1)], 2)
    assert (found.estimate, found.interval) == (0.5, None)
    assert "at least 2 cases" in found.reason


def test_missing_runs_bound_pass_hat_k():
    found = pass_hat_k([(3, 0, 1), (2, 2, 0), (4, 0, 0)], 2)
    worst, best = pass_hat_k([(3, 1), (2, 2), (4, 0)], 2), pass_hat_k([(4, 0), (2, 2), (4, 0)], 2)
    assert (found.low, found.high) == (worst.low, best.high)
    assert found.n_missing == 1


def test_cases_without_a_difference_give_an_interval_that_means_little():
    found = pass_at_k([(2, 2)] * 5, 2)
    assert found.low == found.high
    assert "means little" in found.warnings[0]


def test_cases_that_pass_or_fail_as_a_whole_are_single_trials():
    cases = [(3, 0)] * 16 + [(1, 2)] * 4
    always = pass_hat_k(cases, 3)
    wilson = wilson_interval(16, 20)
    assert always.interval == (wilson.low, wilson.high)
    assert always.method == "pass^k, wilson over cases"
    assert 0 < pass_at_k([(4, 0)] * 5, 2).low < 1
    unsure = pass_hat_k([*cases, (2, 0, 1)], 3)
    assert unsure.low < wilson.low
    assert unsure.high > wilson.high


@given(st.lists(st.tuples(st.floats(-5, 5), st.sampled_from("abcdef")), min_size=1, max_size=40))
def test_a_cluster_mean_is_the_mean_and_its_clusters_may_be_renamed(rows):
    values, clusters = zip(*rows, strict=True)
    found = cluster_mean(values, clusters)
    assert found.estimate == pytest.approx(math.fsum(values) / len(values), abs=1e-9)
    renamed = cluster_mean(values, [f"group {ord(cluster) * 7 % 13}" for cluster in clusters])
    assert (found.low, found.high) == (renamed.low, renamed.high)
    if found.interval:
        assert found.low <= found.estimate <= found.high


def test_one_cluster_has_a_mean_and_no_interval():
    found = cluster_mean([1.0, 2.0], ["a", "a"])
    assert (found.estimate, found.interval, found.n_clusters) == (1.5, None, 1)
    assert "at least 2" in found.reason
    assert cluster_mean([]).estimate is None
    assert cluster_mean([None, 1.0, 3.0]).n_missing == 1


def test_a_bootstrap_says_its_seed_and_gives_the_same_again():
    values, clusters = [0.0, 1.0, 1.0, 0.0, 1.0, 1.0], ["a", "a", "b", "b", "c", "c"]
    found = cluster_bootstrap(values, clusters, seed=7, resamples=500)
    assert found == cluster_bootstrap(values, clusters, seed=7, resamples=500)
    assert "seed 7" in found.method
    assert found.low <= found.estimate <= found.high
    alone = cluster_bootstrap([1.0, 0.0], ["a", "a"])
    assert alone.interval is None
    assert "at least 2 clusters" in alone.reason


@pytest.mark.parametrize("values", [[float("nan")], [float("inf")], ["1"], [1e300, -1e300], [10**400]])
def test_values_that_are_no_numbers_are_refused(values):
    with pytest.raises(InvalidArgument, match="finite"):
        cluster_mean(values)


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 3).filter(sum), min_size=1, max_size=30), st.data())
def test_how_many_cases_have_each_counts_says_the_same_as_the_counts_of_each_case(cases, data):
    held = Counter(CaseCounts(*case) for case in cases)
    k = data.draw(st.integers(1, min(map(sum, cases))))
    bar = data.draw(st.floats(0, 0.99))
    assert pass_rate(held) == pass_rate(cases)
    assert pass_rate_bounds(held) == pass_rate_bounds(cases)
    assert pass_at_k(held, k) == pass_at_k(cases, k)
    assert pass_hat_k(held, k) == pass_hat_k(cases, k)
    assert more_cases_needed(held, at_least=bar) == more_cases_needed(cases, at_least=bar)


def test_how_many_cases_have_each_counts_cannot_be_given_with_clusters():
    with pytest.raises(InvalidArgument, match="`clusters` needs the counts of each case"):
        pass_rate({CaseCounts(1, 0): 2}, clusters=["a", "b"])
    with pytest.raises(InvalidArgument, match="number of cases"):
        pass_rate({CaseCounts(1, 0): -1})


@pytest.mark.parametrize("confidence", [0.05, 0.5, 1, 95, True, float("nan")])
def test_a_bound_below_which_half_of_the_suites_lie_is_refused(confidence):
    with pytest.raises(InvalidArgument, match=r"above 0\.5 and below 1.*write 0\.95"):
        pass_rate_bounds([(1, 3), (0, 2)], confidence=confidence)


@given(
    st.lists(st.tuples(*[st.integers(0, 4)] * 3).filter(lambda case: sum(case) >= 2), min_size=2),
    st.sampled_from([pass_at_k, pass_hat_k]),
)
def test_the_chance_in_k_tries_is_none_that_the_missing_runs_rule_out(cases, chance):
    found = chance(cases, 2)
    if found.estimate is None:
        assert found.reason
    else:
        assert found.low - 1e-9 <= found.estimate <= found.high + 1e-9


def test_cases_that_passed_before_their_missing_run_are_not_forgotten():
    found = pass_at_k([(1, 0, 2)] * 1000 + [(0, 3, 0)] * 10, 3)
    assert found.estimate == pytest.approx(1000 / 1010)
    assert found.low < found.estimate < found.high
