"""Agreement of raters: kappa, pi, AC1, alpha, and what refuses to be compared."""

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import InvalidArgument
from judgekit.statistics import (
    agreement,
    alt_test,
    cohen_kappa,
    confusion,
    conger_kappa,
    fleiss_kappa,
    gwet_coefficient,
    krippendorff_alpha,
    macro_scores,
    rank_agreement,
    rank_correlation,
    scott_pi,
    share_of,
    table_kappa,
    wilson_interval,
)

LABELS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1, max_size=40)
SCORES = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=25)
ABC = ["a", "b", "c"]
_ = None
# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability": four observers, twelve units.
FOUR_BY_TWELVE = list(
    zip(
        [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
        [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
        strict=True,
    )
)


def test_the_text_book_table_of_two_raters():
    """Fleiss, Levin, Paik (2003), table 18.1: 100 people, three diagnoses; kappa 0.68, error 0.087."""
    table = [[75, 1, 4], [5, 4, 1], [0, 0, 10]]
    found = table_kappa(table)
    assert found.estimate == pytest.approx(0.676, abs=5e-4)
    assert found.standard_error == pytest.approx(0.088, abs=2e-3)


@pytest.mark.parametrize(
    ("scale", "alpha"),
    [("nominal", 0.743421), ("ordinal", 0.815388), ("interval", 0.849107), ("ratio", 0.797403)],
)
def test_alpha_of_the_example_with_missing_labels(scale, alpha):
    found = krippendorff_alpha(FOUR_BY_TWELVE, scale=scale)
    assert found.estimate == pytest.approx(alpha, abs=1e-6)
    assert (found.n_items, found.n_clusters, found.n_runs, found.n_missing) == (12, 11, 40, 7)


def test_coefficients_of_several_raters_on_the_example():
    assert gwet_coefficient(FOUR_BY_TWELVE).estimate == pytest.approx(0.77544, abs=5e-6)
    assert fleiss_kappa(FOUR_BY_TWELVE).estimate == pytest.approx(0.76117, abs=5e-6)
    assert conger_kappa(FOUR_BY_TWELVE).estimate == pytest.approx(0.76207, abs=5e-6)
    for weights, value in (("linear", 0.85874), ("quadratic", 0.91400), ("ordinal", 0.89894)):
        assert gwet_coefficient(FOUR_BY_TWELVE, weights=weights).estimate == pytest.approx(value, abs=5e-6)


@given(LABELS)
def test_kappa_by_its_definition(pairs):
    a, b = zip(*pairs, strict=True)
    n = len(pairs)
    seen = sum(x == y for x, y in pairs) / n
    chance = sum(a.count(k) * b.count(k) for k in ABC) / n**2
    found = cohen_kappa(a, b, categories=ABC)
    if chance == 1:
        assert (found.estimate, found.reason) == (None, "both raters used one category only")
    else:
        assert found.estimate == pytest.approx((seen - chance) / (1 - chance))
        assert found.low <= found.estimate <= found.high


@given(LABELS, st.permutations(ABC))
def test_names_of_categories_and_the_order_of_raters_and_items_do_not_matter(pairs, names):
    renamed = dict(zip(ABC, names, strict=True))
    a, b = zip(*pairs, strict=True)
    found = agreement(a, b, categories=ABC)
    turned = agreement([renamed[x] for x in reversed(b)], [renamed[x] for x in reversed(a)], categories=ABC)
    for one, other in (
        (found, turned),
        (found.kappa, turned.kappa),
        (found.pi, turned.pi),
        (found.ac1, turned.ac1),
    ):
        assert (one.estimate is None) == (other.estimate is None)
        if one.estimate is not None:
            assert one.estimate == pytest.approx(other.estimate, abs=1e-9)
    items = [list(pair) for pair in pairs]
    alpha = krippendorff_alpha(items).estimate
    assert (alpha is None) == (
        krippendorff_alpha([[renamed[x] for x in pair] for pair in items]).estimate is None
    )
    if alpha is not None:
        assert krippendorff_alpha(items[::-1]).estimate == pytest.approx(alpha)


@given(LABELS)
def test_two_raters_are_a_case_of_many(pairs):
    """For two raters Fleiss' kappa is Scott's pi, and Conger's is Cohen's."""
    a, b = zip(*pairs, strict=True)
    pi, kappa = scott_pi(a, b, categories=ABC), cohen_kappa(a, b, categories=ABC)
    fleiss, conger = fleiss_kappa(pairs, categories=ABC), conger_kappa(pairs, categories=ABC)
    if pi.estimate is not None:
        assert fleiss.estimate == pytest.approx(pi.estimate)
    if kappa.estimate is not None:
        assert conger.estimate == pytest.approx(kappa.estimate)


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=2, max_size=30))
def test_quadratic_kappa_by_its_definition(pairs):
    a, b = zip(*pairs, strict=True)
    found = cohen_kappa(a, b, categories=[1, 2, 3, 4], weights="quadratic")
    apart = sum((x - y) ** 2 for x, y in pairs) / len(pairs)
    by_chance = sum((x - y) ** 2 for x in a for y in b) / len(pairs) ** 2
    if by_chance == 0:
        assert found.estimate is None
    else:
        assert found.estimate == pytest.approx(1 - apart / by_chance)


@given(SCORES)
def test_alpha_of_complete_pairs_by_its_definition(pairs):
    """1 - (2n - 1) / ... over all pairs of values, for interval data without gaps."""
    values = [value for pair in pairs for value in pair]
    n = len(values)
    inside = sum((x - y) ** 2 for x, y in pairs) * 2 / n
    across = sum((x - y) ** 2 for x, y in combinations(values, 2)) * 2 / (n * (n - 1))
    found = krippendorff_alpha(pairs, scale="interval")
    if across == 0:
        assert (found.estimate, found.reason) == (None, "one value only: nothing could disagree")
    else:
        assert found.estimate == pytest.approx(1 - inside / across)


def test_alpha_takes_its_interval_from_items():
    items = [[1, 1, 1], [2, 2, 1], [3, 3, 3], [4, 4, 5], [5, 5, 5], [2, 2, 2], [1, 1, 2], [4, 4, 4]]
    found = krippendorff_alpha(items, scale="ordinal", resamples=300, seed=5)
    assert found.low < found.estimate <= found.high
    assert found == krippendorff_alpha(items, scale="ordinal", resamples=300, seed=5)
    assert krippendorff_alpha(items, scale="ordinal").interval is None


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([0, 1, 0], [1, 2, 2]),
        ([True, False], [1, 0]),
        (["pass", "fail"], [True, False]),
        (["pass", "fail"], ["PASS", "FAIL"]),
        (["1", "2"], [1, 2]),
        (["good", "bad"], ["good", "poor"]),
    ],
)
def test_two_codings_are_refused(a, b):
    with pytest.raises(InvalidArgument, match="do not share a coding"):
        agreement(a, b)
    with pytest.raises(InvalidArgument, match="do not share a coding"):
        gwet_coefficient(list(zip(a, b, strict=True)))


def test_a_rater_may_use_fewer_categories_and_a_declared_scale_may_have_more():
    assert agreement(["a", "b", "a"], ["a", "a", "a"]).categories == ("a", "b")
    declared = agreement(["good", "bad"], ["good", "poor"], categories=["good", "bad", "poor"])
    assert declared.categories == ("good", "bad", "poor")
    with pytest.raises(InvalidArgument, match="'poor' is not among"):
        agreement(["good"], ["poor"], categories=["good", "bad"])
    with pytest.raises(InvalidArgument, match="differ from each other"):
        agreement(["a"], ["a"], categories=["a", "a"])
    with pytest.raises(InvalidArgument, match="NaN"):
        agreement([math.nan], [1.0])


def test_one_category_on_both_sides_has_no_kappa_and_an_ac1_of_one():
    found = agreement(["ok"] * 9, ["ok"] * 9)
    assert (found.estimate, found.kappa.estimate, found.pi.estimate, found.ac1.estimate) == (1, None, None, 1)
    assert found.kappa.reason == found.pi.reason == "both raters used one category only"


def test_an_interval_holds_a_coefficient_below_minus_one():
    found = gwet_coefficient([[0.0, 0.56, None], [None, None, None], [0.16, None, None]], weights="ordinal")
    assert found.low <= found.estimate < -1
    assert found.estimate <= found.high


def test_a_rare_category_is_warned_about():
    found = agreement(
        ["ok"] * 97 + ["bad"] * 3, ["ok"] * 95 + ["bad"] * 2 + ["ok"] * 3, categories=["ok", "bad"]
    )
    assert "read AC1 beside it" in found.warnings[0]
    assert found.kappa.estimate < 0.1 < 0.9 < found.ac1.estimate


def test_missing_labels_are_counted_and_not_compared():
    found = agreement(["a", None, "b", "a"], ["a", "b", None, "b"])
    assert (found.n_items, found.n_missing, found.estimate) == (4, 2, 0.5)
    nothing = agreement(["a", None], [None, "a"])
    assert (nothing.estimate, nothing.kappa.estimate, nothing.ac1.estimate) == (None, None, None)
    assert nothing.reason == "no item has both labels"
    with pytest.raises(InvalidArgument, match="`a` has 1, `b` has 2"):
        agreement(["a"], ["a", "b"])


@pytest.mark.parametrize("wrong", [[[1, 2]], [[1, 2], [3]], [[1, -1], [0, 2]], [[0.5, 1], [1, 1]]])
def test_a_table_that_cannot_be_is_refused(wrong):
    with pytest.raises(InvalidArgument):
        table_kappa(wrong)


# --- against true labels

PASSES = st.lists(
    st.tuples(st.sampled_from([True, False, None]), st.sampled_from([True, False, None])), max_size=40
)


@given(PASSES)
def test_a_confusion_counts_each_item_once(pairs):
    judge, human = zip(*pairs, strict=True) if pairs else ([], [])
    found = confusion(judge, human)
    counted = found.true_pass + found.false_pass + found.false_fail + found.true_fail
    assert counted + found.n_missing == len(pairs)
    if found.leniency is not None:
        assert found.leniency == pytest.approx(found.judge_rate.estimate - found.human_rate.estimate)
    positives = found.true_pass + found.false_fail
    assert found.sensitivity.estimate == (found.true_pass / positives if positives else None)


def test_one_class_only_leaves_one_of_the_two_undefined():
    found = confusion([True, False, True], [True, True, True])
    assert found.sensitivity.estimate == pytest.approx(2 / 3)
    assert (found.specificity.estimate, found.specificity.reason) == (None, "the human failed no item")
    interval = wilson_interval(2, 3)
    assert found.sensitivity.interval == (interval.low, interval.high)
    with pytest.raises(InvalidArgument, match="`judge` must hold"):
        confusion([1], [True])


def test_macro_scores_of_a_category_that_was_never_predicted_are_undefined():
    found = macro_scores(["a", "a", "b"], ["a", "c", "b"], categories=["a", "b", "c"])
    assert found.by_category["c"] == (None, 0.0, 0.0)
    assert (found.precision, found.recall) == (None, pytest.approx(2 / 3))
    assert "not defined for c" in found.warnings[0]
    with pytest.raises(InvalidArgument, match="`truth` holds 'd'"):
        macro_scores(["a"], ["d"], categories=["a"])
    with pytest.raises(InvalidArgument, match="is empty"):
        macro_scores([], [], categories=[])


def test_a_share_of_nothing_says_why():
    assert share_of(0, 0, reason="nobody came").reason == "nobody came"


# --- ranks

HUMAN = [
    2.0,
    1.333333,
    2.666667,
    3.0,
    2.666667,
    4.666667,
    4.666667,
    4.333333,
    4.0,
    4.666667,
    3.333333,
    2.666667,
]
JUDGE = [1.0, 1.0, 4.0, 4.0, 4.0, 5.0, 5.0, 2.0, 5.0, 5.0, 5.0, 5.0]


@pytest.mark.parametrize(
    ("coefficient", "value"),
    [("spearman", 0.676836), ("kendall-b", 0.583764), ("kendall-c", 0.574074), ("pearson", 0.609732)],
)
def test_coefficients_of_a_case_with_ties(coefficient, value):
    """Twelve systems on one document of SummEval."""
    assert rank_correlation(JUDGE, HUMAN, coefficient=coefficient) == pytest.approx(value, abs=1e-6)


def test_the_three_protocols_differ_on_the_same_rows():
    """Within each item judge and human disagree; over items and systems together they agree."""
    rows = [
        (item, system, 10 * item + system, 10 * item - system) for item in range(4) for system in range(3)
    ]
    by = {name: rank_agreement(rows, protocol=name, resamples=200) for name in ("dataset", "group", "system")}
    assert by["dataset"].estimate > 0.8
    assert by["group"].estimate == pytest.approx(-1)
    assert by["system"].estimate == pytest.approx(-1)
    assert {name: each.protocol for name, each in by.items()} == {name: name for name in by}
    assert by["dataset"].low <= by["dataset"].estimate <= by["dataset"].high


def test_constant_groups_are_dropped_and_counted():
    rows = (
        [("x", s, s, 2 * s) for s in range(4)]
        + [("y", s, 1, s) for s in range(4)]
        + [("z", 0, 1, 1), ("z", 1, 2, 2)]
    )
    found = rank_agreement(rows, protocol="group")
    assert (found.estimate, found.dropped_groups, found.n_clusters) == (pytest.approx(1), 2, 1)
    assert found.interval is None
    nothing = rank_agreement(rows[4:], protocol="group")
    assert nothing.estimate is None
    assert "no group is large enough" in nothing.reason


def test_the_interval_of_a_coefficient_without_repeats_is_bonett_and_wrights():
    rows = [(n, "s", judge, human) for n, (judge, human) in enumerate(zip(JUDGE, HUMAN, strict=True))]
    found = rank_agreement(rows, protocol="dataset")
    error = math.sqrt((1 + found.estimate**2 / 2) / 9)
    ends = [math.tanh(math.atanh(found.estimate) + sign * 1.959964 * error) for sign in (-1, 1)]
    assert found.interval == pytest.approx(tuple(ends), abs=1e-6)
    rows.append((99, "s", None, 3.0))
    assert rank_agreement(rows, protocol="dataset").n_missing == 1


def test_a_constant_judge_has_no_rank_correlation():
    found = rank_agreement([(n, "s", 3, n) for n in range(9)], protocol="dataset")
    assert (found.estimate, found.interval) == (None, None)
    assert "constant" in found.reason
    assert rank_agreement([], protocol="system").estimate is None
    for wrong in ({"protocol": "sample"}, {"protocol": "dataset", "coefficient": "tau"}):
        with pytest.raises(InvalidArgument, match="must be one of"):
            rank_agreement([(1, 1, 1, 2), (2, 1, 2, 3)], **wrong)


@given(SCORES)
def test_spearman_is_pearson_of_ranks_and_lies_within_one(pairs):
    a, b = zip(*pairs, strict=True)
    found = rank_correlation(a, b)
    if found is not None:
        assert -1 <= found <= 1
        assert rank_correlation([2**x for x in a], b) == pytest.approx(found)
        assert rank_correlation([-x for x in a], b) == pytest.approx(-found)


# --- the alternative annotator test


def humans(n, *, flips):
    """Annotators who agree but for every `flips`-th item of their own."""
    return {f"h{k}": [(item % 2 + ((item + k) % flips == 0)) % 2 for item in range(n)] for k in range(3)}


def test_a_judge_as_good_as_its_annotators_passes_and_a_random_one_does_not():
    annotators = humans(60, flips=7)
    good = alt_test([item % 2 for item in range(60)], annotators, epsilon=0.15)
    assert (good.passed, good.estimate) == (True, 1.0)
    assert good.advantage > 0.9
    bad = alt_test([item // 2 % 2 for item in range(60)], annotators, epsilon=0.15)
    assert (bad.passed, bad.estimate) == (False, 0.0)


def test_the_alt_test_by_hand():
    """Two annotators who always agree, and a judge who is wrong on 4 of 40: differences are 0 or 1."""
    labels = [item % 2 for item in range(40)]
    judge = [1 - label if item < 4 else label for item, label in enumerate(labels)]
    found = alt_test(judge, {"x": labels, "y": labels}, epsilon=0.2)
    mean, deviation = 0.1, math.sqrt(0.1 * 0.9 * 40 / 39)
    t = (mean - 0.2) / (deviation / math.sqrt(40))
    from scipy.stats import t as student

    first = found.by_annotator["x"]
    assert first.p_value == pytest.approx(student.cdf(t, 39))
    assert first.adjusted_p == pytest.approx(
        first.p_value * 1.5
    )  # Benjamini and Yekutieli, two equal p values
    assert (first.judge_wins, first.annotator_wins) == (0.9, 1.0)
    assert found.advantage == pytest.approx(0.9)


def test_without_variance_the_mean_decides_and_few_items_are_skipped():
    labels = [item % 2 for item in range(40)]
    same = alt_test(labels, {"x": labels, "y": labels}, epsilon=0.1)
    assert (same.passed, same.advantage) == (True, 1.0)
    assert alt_test(labels, {"x": labels, "y": labels}, epsilon=0).passed is False
    few = alt_test(labels, {"x": labels, "y": [*labels[:10], *[None] * 30]}, epsilon=0.1)
    assert (few.passed, few.estimate) == (None, None)
    assert few.by_annotator["x"].skipped == "10 items, 30 needed"
    assert "no annotator has 30 items" in few.reason


def test_the_alt_test_on_a_scale_takes_distances():
    labels = [1 + item % 5 for item in range(50)]
    near = [min(5, label + (item % 9 == 0)) for item, label in enumerate(labels)]
    annotators = {
        k: [max(1, label - ((item + k) % 6 == 0)) for item, label in enumerate(labels)] for k in range(3)
    }
    annotators = {f"h{k}": values for k, values in annotators.items()}
    found = alt_test(near, annotators, epsilon=0.2, scoring="rmse")
    assert found.passed is True
    with pytest.raises(InvalidArgument, match="finite"):
        alt_test(["a"], {"x": ["a"], "y": ["b"]}, epsilon=0.2, scoring="rmse")
    with pytest.raises(InvalidArgument, match="at least 2 annotators"):
        alt_test([1], {"x": [1]}, epsilon=0.2)
    with pytest.raises(InvalidArgument, match="accuracy or rmse"):
        alt_test([1], {"x": [1], "y": [1]}, epsilon=0.2, scoring="f1")


LABELS = st.lists(st.one_of(st.none(), st.integers(-5, 5)), min_size=2, max_size=4)


@given(st.lists(LABELS, min_size=2, max_size=9))
def test_alpha_of_numbers_is_that_of_all_pairs(items):
    """The sums of squares come to what visiting every pair of values comes to."""
    units = [kept for item in items if len(kept := [value for value in item if value is not None]) > 1]
    values = [value for unit in units for value in unit]
    expected = sum((a - b) ** 2 for a in values for b in values)
    found = krippendorff_alpha(items, scale="interval")
    if not expected:
        assert found.estimate is None
        return
    observed = sum(sum((a - b) ** 2 for a in unit for b in unit) / (len(unit) - 1) for unit in units)
    assert found.estimate == pytest.approx(1 - (len(values) - 1) * observed / expected, abs=1e-9)


def test_a_judge_of_repeats_is_known_as_well_as_of_single_replies():
    judge = [n % 3 > 0 for n in range(60)]
    human = [n % 3 > 0 if n % 7 else n % 3 == 0 for n in range(60)]
    single = confusion(judge, human)
    assert confusion(judge, human, clusters=range(60)) == single
    repeated = confusion(judge * 4, human * 4, clusters=[*range(60)] * 4)
    for name in ("sensitivity", "specificity", "judge_rate", "human_rate"):
        one, four = getattr(single, name), getattr(repeated, name)
        assert four.estimate == pytest.approx(one.estimate)
        assert four.half_width == pytest.approx(one.half_width, rel=0.2)
    for name in ("kappa", "ac1"):
        one, four = getattr(single.agreement, name), getattr(repeated.agreement, name)
        assert four.estimate == pytest.approx(one.estimate)
        assert four.half_width == pytest.approx(one.half_width, rel=0.1)
        assert four.method.endswith("jackknife over cases")
    assert repeated.half_width == pytest.approx(single.half_width, rel=0.2)
    assert repeated.n_clusters == 60


@given(
    st.lists(
        st.tuples(*[st.sampled_from([True, False, None])] * 2, st.integers(0, 3)), min_size=1, max_size=12
    )
)
def test_a_confusion_of_few_cases_is_defined_or_says_why(rows):
    judge, human, cases = zip(*rows, strict=True)
    found = confusion(judge, human, clusters=cases)
    agreed = found.agreement
    for each in (found, found.sensitivity, found.specificity, agreed.kappa, agreed.ac1):
        assert each.interval is not None or each.reason
