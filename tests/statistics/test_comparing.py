"""Two sides on the same cases: tests, intervals, verdicts, and several of them at once."""

import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from judgekit.errors import InvalidArgument
from judgekit.statistics import (
    ComparisonVerdict,
    adjusted,
    benjamini_hochberg,
    benjamini_yekutieli,
    bonferroni,
    compare_pass_fail,
    compare_scores,
    holm,
    mcnemar_exact,
    mcnemar_mid_p,
    paired_difference,
    sign_flip_p,
)

NUMBERS = st.floats(-10, 10).map(lambda x: round(x, 3))
P_VALUES = st.lists(st.floats(0, 1), max_size=12)
IMPROVED, EQUIVALENT, REGRESSED, UNDERPOWERED = ComparisonVerdict


def runs(passed, failed, start=0):
    """One run a case, as many passes and failures."""
    return {str(start + n): [n < passed] for n in range(passed + failed)}


def table(both, up, down, neither):
    """New and old sides with these counts of pairs."""
    pairs = [(True, True)] * both + [(True, False)] * up + [(False, True)] * down + [(False, False)] * neither
    return {str(n): [new] for n, (new, _) in enumerate(pairs)}, {
        str(n): [old] for n, (_, old) in enumerate(pairs)
    }


@given(st.integers(0, 200), st.integers(0, 200))
def test_mcnemar_is_the_binomial_test_of_the_items_that_differ(a, b):
    expected = stats.binomtest(a, a + b).pvalue if a + b else 1.0
    assert mcnemar_exact(a, b) == pytest.approx(expected, rel=1e-9)
    assert mcnemar_exact(a, b) == mcnemar_exact(b, a)
    assert 0 <= mcnemar_mid_p(a, b) <= mcnemar_exact(a, b)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=3, max_size=30))
def test_a_paired_t_interval_is_that_of_scipy(pairs):
    a, b = zip(*pairs, strict=True)
    found = paired_difference(a, b)
    differences = [x - y for x, y in pairs]
    if max(differences) - min(differences) < 1e-9:
        assert found.estimate == pytest.approx(differences[0])
        return
    expected = stats.ttest_rel(a, b)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-6, abs=1e-12)
    interval = expected.confidence_interval()
    assert found.interval == pytest.approx((interval.low, interval.high), abs=1e-9)
    turned = paired_difference(b, a)
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))


def test_a_constant_difference_is_no_evidence():
    found = paired_difference([1, 1, 1], [0, 0, 0])
    assert (found.estimate, found.t, found.p_value) == (1, None, None)
    assert "means little" in found.warnings[0]
    assert found.correlation is None
    empty = paired_difference([None, 1], [1, None])
    assert (empty.estimate, empty.mean_a, empty.n_missing) == (None, None, 2)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=10))
def test_the_exact_sign_flip_counts_every_assignment_of_signs(differences):
    seen = abs(sum(differences))
    sums = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    expected = sum(total >= seen for total in sums) / len(sums) if any(differences) else 1.0
    assert sign_flip_p(differences) == pytest.approx(expected)


def test_a_drawn_sign_flip_is_seeded_and_never_zero():
    differences = [0.1] * 40
    assert sign_flip_p(differences, resamples=999) == 1 / 1000
    mixed = [0.5, -0.4, 0.1, 0.2, -0.3] * 6
    assert sign_flip_p(mixed, seed=3) == sign_flip_p(mixed, seed=3)
    assert sign_flip_p(mixed, seed=3) == pytest.approx(sign_flip_p(mixed, seed=4), abs=0.03)


def test_a_cluster_flips_as_a_whole():
    differences = [0.2] * 12
    assert sign_flip_p(differences) == 2 / 2**12
    assert sign_flip_p(differences, [n // 4 for n in range(12)]) == 2 / 2**3


@pytest.mark.parametrize(
    ("counts", "max_drop", "verdict"),
    [
        ((50, 12, 2, 10), None, IMPROVED),
        ((50, 2, 12, 10), None, REGRESSED),
        ((50, 5, 6, 10), None, UNDERPOWERED),
        ((180, 3, 3, 14), 0.05, EQUIVALENT),
        ((180, 3, 3, 14), 0.01, UNDERPOWERED),
        ((50, 2, 12, 10), 0.5, EQUIVALENT),
        ((50, 12, 2, 10), 0.5, IMPROVED),
        ((100, 0, 0, 0), 0.05, EQUIVALENT),
        ((100, 0, 0, 0), None, UNDERPOWERED),
        ((0, 5, 0, 0), None, UNDERPOWERED),
    ],
)
def test_a_comparison_ends_in_one_of_four_verdicts(counts, max_drop, verdict):
    found = compare_pass_fail(*table(*counts), max_drop=max_drop)
    _, up, down, _ = counts
    assert found.verdict is verdict
    assert found.p_value == mcnemar_exact(up, down)
    assert found.estimate == pytest.approx((up - down) / sum(counts))
    assert (len(found.improved), len(found.worsened)) == (up, down)


def test_fewer_than_six_cases_can_show_nothing_and_say_so():
    found = compare_pass_fail(*table(0, 5, 0, 0))
    assert found.warnings == (
        "5 independent cases: no exact test of fewer than 6 can show a difference at 0.05, however large; "
        "more repeats do not help",
    )
    assert compare_pass_fail(*table(0, 6, 0, 0)).warnings == ()


def test_repeats_are_averaged_by_case_and_tested_by_signs():
    new = {str(n): [True, True, n % 3 > 0] for n in range(20)}
    old = {str(n): [True, n % 2 > 0, False] for n in range(20)}
    found = compare_pass_fail(new, old)
    per_case = [(2 + (n % 3 > 0)) / 3 - (1 + n % 2) / 3 for n in range(20)]
    assert found.estimate == pytest.approx(sum(per_case) / 20)
    assert found.p_value == sign_flip_p(per_case)
    assert found.method == "sign-flip permutation and paired t over cases"
    assert (found.n_items, found.n_runs, found.n_clusters) == (20, 120, 20)


def test_a_named_cluster_is_said_and_may_change_the_answer():
    new, old = table(40, 14, 2, 4)
    clusters = {case: "a" if int(case) < 30 else "b" for case in new}
    found = compare_pass_fail(new, old, clusters=clusters)
    assert compare_pass_fail(new, old).verdict is IMPROVED
    assert found.verdict is UNDERPOWERED
    assert found.n_clusters == 2
    assert "given clusters" in found.method
    with pytest.raises(InvalidArgument, match="names no group for '0'"):
        compare_pass_fail(new, old, clusters={})


def test_what_is_on_one_side_only_is_counted():
    new, old = runs(8, 2), runs(9, 3, start=2)
    new["3"] = [True, True, True]
    found = compare_pass_fail(new, old)
    assert (found.only_new, found.only_old) == (("0", "1"), ("10", "11", "12", "13"))
    assert found.unpaired_runs == 2
    assert found.n_items == 8
    assert any("6 cases are on one side only" in warning for warning in found.warnings)


def test_a_missing_measurement_speaks_against_every_verdict():
    new, old = table(50, 12, 2, 10)
    assert compare_pass_fail(new, old).verdict is IMPROVED
    for case in range(6):
        new[str(case)] = [None]
    found = compare_pass_fail(new, old)
    assert found.n_missing == 6
    assert found.verdict is UNDERPOWERED
    assert found.p_improved > found.p_value
    whole = compare_pass_fail({**new, "0": [True], "1": [True], "2": [True]}, old)
    assert whole.low < found.estimate < whole.high


def test_nothing_to_compare_is_underpowered_with_a_reason():
    for new, old in (({}, {}), ({"a": [True]}, {"b": [True]}), ({"a": [None]}, {"a": [True]})):
        found = compare_pass_fail(new, old)
        assert (found.estimate, found.interval, found.verdict) == (None, None, UNDERPOWERED)
        assert found.reason == "no case was measured on both sides"


def test_scores_are_compared_by_case():
    new = {str(n): [0.5 + n % 5 / 10] for n in range(30)}
    old = {str(n): [0.4 + n % 7 / 20] for n in range(30)}
    found = compare_scores(new, old, max_drop=0.05)
    plain = paired_difference([new[k][0] for k in new], [old[k][0] for k in new])
    assert found.interval == pytest.approx(plain.interval)
    assert found.verdict is IMPROVED
    assert found.improved == ()


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=25))
def test_turning_the_sides_turns_the_verdict(pairs):
    new = {str(n): [a] for n, (a, _) in enumerate(pairs)}
    old = {str(n): [b] for n, (_, b) in enumerate(pairs)}
    forth, back = compare_scores(new, old, resamples=200), compare_scores(old, new, resamples=200)
    assert forth.estimate == pytest.approx(-back.estimate, abs=1e-12)
    assert forth.p_value == back.p_value
    turned = {IMPROVED: REGRESSED, REGRESSED: IMPROVED}
    assert back.verdict is turned.get(forth.verdict, forth.verdict)


@pytest.mark.parametrize("wrong", [[1], [0.5], ["pass"]])
def test_passes_that_are_no_booleans_are_refused(wrong):
    with pytest.raises(InvalidArgument, match="True, False or None"):
        compare_pass_fail({"a": wrong}, {"a": [True]})


@pytest.mark.parametrize("wrong", [[1.5], [-0.1], [float("nan")]])
def test_scores_off_the_scale_are_refused(wrong):
    with pytest.raises(InvalidArgument, match="from 0 to 1"):
        compare_scores({"a": wrong}, {"a": [1.0]})


@pytest.mark.parametrize("wrong", [0, 1, -0.1, 5])
def test_a_drop_out_of_range_is_refused(wrong):
    with pytest.raises(InvalidArgument, match="max_drop"):
        compare_pass_fail({"a": [True]}, {"a": [True]}, max_drop=wrong)


def test_several_comparisons_are_adjusted_together():
    found = {
        "tone": compare_pass_fail(*table(50, 12, 3, 10)),
        "facts": compare_pass_fail(*table(50, 11, 2, 10)),
        "none": compare_pass_fail({}, {}),
    }
    assert found["tone"].verdict is IMPROVED
    together = adjusted(found)
    raw = [found[name].p_value for name in ("tone", "facts")]
    assert [together[name].p_value for name in ("tone", "facts")] == holm(raw)
    assert together["none"].verdict is UNDERPOWERED
    assert {each.adjusted_by for each in together.values()} == {"holm"}
    strict = adjusted(
        {**found, **{str(n): compare_pass_fail(*table(50, 3, 3, 3)) for n in range(8)}}, by="bonferroni"
    )
    assert strict["tone"].verdict is UNDERPOWERED
    with pytest.raises(InvalidArgument, match="adjusted already"):
        adjusted(together)
    with pytest.raises(InvalidArgument, match="benjamini-hochberg"):
        adjusted(found, by="tukey")


@given(P_VALUES)
def test_false_discovery_adjustments_are_those_of_scipy(p_values):
    if p_values:
        for ours, method in ((benjamini_hochberg, "bh"), (benjamini_yekutieli, "by")):
            expected = stats.false_discovery_control(p_values, method=method)
            assert ours(p_values) == pytest.approx(list(expected))
    else:
        assert holm([]) == benjamini_hochberg([]) == benjamini_yekutieli([]) == bonferroni([]) == []


@given(P_VALUES)
def test_an_adjustment_never_lowers_a_p_value_and_keeps_the_order(p_values):
    for adjust in (holm, benjamini_hochberg, benjamini_yekutieli, bonferroni):
        found = adjust(p_values)
        assert all(new >= old - 1e-12 for new, old in zip(found, p_values, strict=True))
        assert all(
            found[i] <= found[j] + 1e-12
            for i in range(len(found)) for j in range(len(found)) if p_values[i] < p_values[j]
        )  # fmt: skip
    assert all(x <= y + 1e-12 for x, y in zip(holm(p_values), bonferroni(p_values), strict=True))


@pytest.mark.parametrize("wrong", [[1.5], [-0.1], [math.nan], [None]])
def test_p_values_out_of_range_are_refused(wrong):
    with pytest.raises(InvalidArgument, match="p_values"):
        holm(wrong)


@pytest.mark.parametrize("compare", [compare_pass_fail, compare_scores])
def test_equal_repeats_of_a_few_cases_do_not_show_that_no_case_got_worse(compare):
    sides = {str(n): [True, True] for n in range(12)}
    found = compare(sides, sides, max_drop=0.05)
    assert (found.estimate, found.p_value, found.verdict) == (0, 1, UNDERPOWERED)
    # None of 12 saw it: as many may hide as Wilson's interval of 0 of 12 allows.
    assert found.interval == pytest.approx((-0.242494, 0.242494), abs=1e-6)
    many = {str(n): [True, True] for n in range(100)}
    assert compare(many, many, max_drop=0.05).verdict is EQUIVALENT


def test_a_variance_of_many_cases_is_left_as_it_is():
    new = {str(n): [n % 2 == 0, True] for n in range(40)}
    old = {str(n): [True, True] for n in range(40)}
    found = compare_pass_fail(new, old)
    assert found.interval == pytest.approx((-0.331, -0.169), abs=1e-3)


def test_a_verdict_never_stands_beside_an_interval_that_denies_it():
    # Ten scores that all rise by the same: the signs show it, but not a spread that was never seen.
    old = {str(n): [0.3] for n in range(10)}
    slight = compare_scores({case: [0.4] for case in old}, old)
    assert slight.p_value < 0.05
    assert slight.low < 0 < slight.high
    assert slight.verdict is UNDERPOWERED
    clear = compare_scores({case: [0.9] for case in old}, old)
    assert clear.low > 0
    assert clear.verdict is IMPROVED
    assert compare_scores(old, {case: [0.9] for case in old}).verdict is REGRESSED


@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=1, max_size=25), st.booleans())
def test_what_is_shown_is_shown_by_the_interval_too(differences, spread):
    new = {str(n): [max(0.0, each) + 0.01 * n * spread * (each == 0)] for n, each in enumerate(differences)}
    old = {str(n): [max(0.0, -each)] for n, each in enumerate(differences)}
    found = compare_scores(new, old, resamples=99)
    assert found.verdict is not IMPROVED or found.low > 0
    assert found.verdict is not REGRESSED or found.high < 0


def test_falls_of_few_repeated_cases_are_no_hidden_rises():
    # Seven of twenty cases fall in all their repeats and none rises; McNemar says the same of single runs.
    old = {str(n): [True, True] for n in range(20)}
    new = {str(n): [n >= 7, n >= 7] for n in range(20)}
    found = compare_pass_fail(new, old)
    single = compare_pass_fail({n: [r[0]] for n, r in new.items()}, {n: [r[0]] for n, r in old.items()})
    assert (found.verdict, single.verdict) == (REGRESSED, REGRESSED)
    assert found.interval == pytest.approx(single.interval, abs=0.08)


def test_scores_of_few_cases_that_all_differ_have_the_interval_of_their_spread():
    old = {str(n): [0.4] for n in range(7)}
    rises = [0.1, 0.15, 0.2, 0.22, 0.25, 0.3, 0.33]
    found = compare_scores({str(n): [0.4 + rise] for n, rise in enumerate(rises)}, old)
    expected = stats.ttest_1samp(rises, 0).confidence_interval(0.95)
    assert found.interval == pytest.approx((expected.low, expected.high))
    assert found.verdict is IMPROVED
