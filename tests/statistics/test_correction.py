"""Pass rates corrected for a judge's errors: Rogan-Gladen, prediction-powered, and the triple."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import InvalidArgument
from judgekit.statistics import (
    cluster_mean,
    corrected_pass_rate,
    label_allocation,
    prediction_powered,
    rogan_gladen,
)

BITS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=60, max_size=120)


def test_the_example_of_the_paper():
    """Lee et al. (2025): p = 0.4, specificity 0.7, sensitivity 0.9, 200 labels of each class."""
    found = rogan_gladen(1000, 400, human_passes=200, judge_passed=180, human_fails=200, judge_failed=140)
    assert found.estimate == pytest.approx(0.166667, abs=1e-6)
    assert found.interval == pytest.approx((0.056351, 0.262733), abs=1e-6)
    assert label_allocation(200, 0.4, 0.7, 0.9, pilot=10) == (136, 64)


def test_a_perfect_judge_needs_no_correction():
    found = rogan_gladen(500, 350, human_passes=100, judge_passed=100, human_fails=100, judge_failed=100)
    assert found.estimate == 0.7
    assert found.low < 0.7 < found.high


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        ((10, 5, 0, 0, 9, 9), "no human pass"),
        ((10, 5, 9, 9, 0, 0), "no human fail"),
        ((0, 0, 9, 9, 9, 9), "decided no item"),
        ((10, 5, 9, 5, 9, 4), "below 0.1"),
        ((10, 5, 9, 1, 9, 1), "below 0.1"),
    ],
)
def test_a_calibration_that_tells_nothing_has_no_corrected_rate(counts, reason):
    judged, passed, passes, right, fails, wrong = counts
    found = rogan_gladen(
        judged, passed, human_passes=passes, judge_passed=right, human_fails=fails, judge_failed=wrong
    )
    assert (found.estimate, found.interval) == (None, None)
    assert reason in found.reason


def test_a_judge_that_few_labels_cannot_tell_from_chance_has_an_estimate_without_interval():
    found = rogan_gladen(100, 95, human_passes=1, judge_passed=1, human_fails=1000, judge_failed=110)
    assert found.estimate is not None
    assert found.interval is None
    assert "too few labels" in found.reason


@given(st.integers(1, 200), st.integers(1, 60), st.integers(1, 60), st.data())
def test_a_corrected_rate_is_a_rate(judged, passes, fails, data):
    found = rogan_gladen(
        judged,
        data.draw(st.integers(0, judged)),
        human_passes=passes,
        judge_passed=data.draw(st.integers(0, passes)),
        human_fails=fails,
        judge_failed=data.draw(st.integers(0, fails)),
    )
    if found.interval:
        assert 0 <= found.low <= found.high <= 1
        assert 0 <= found.estimate <= 1
    else:
        assert found.reason


def test_counts_above_their_whole_are_refused():
    with pytest.raises(InvalidArgument, match="`judge_passed` must be from 0 to 5"):
        rogan_gladen(10, 5, human_passes=5, judge_passed=6, human_fails=5, judge_failed=5)
    with pytest.raises(InvalidArgument, match="rate"):
        label_allocation(100, 0, 0.9, 0.9)


@given(BITS)
def test_lambda_zero_is_the_labels_alone_and_tuning_is_never_wider(pairs):
    human, judge = zip(*pairs, strict=True)
    labels, predicted, others = human[:50], judge[:50], judge[50:]
    alone = prediction_powered(labels, predicted, others, tuning=0)
    tuned = prediction_powered(labels, predicted, others)
    assert alone.estimate == pytest.approx(sum(labels) / 50)
    assert 0 <= tuned.tuning <= 1
    # The pooled variance that tunes lambda is not quite the one of the interval.
    assert tuned.standard_error <= alone.standard_error * 1.05 + 1e-9


@given(BITS)
def test_a_judge_that_is_never_wrong_gives_the_rate_of_all_items(pairs):
    truth = [human for human, _ in pairs]
    found = prediction_powered(truth[:50], truth[:50], truth[50:], tuning=1)
    assert found.estimate == pytest.approx(sum(truth[50:]) / len(truth[50:]))


def test_a_constant_judge_falls_back_to_the_labels():
    """Reference implementations give NaN here."""
    labels = [n % 3 > 0 for n in range(60)]
    found = prediction_powered(labels, [True] * 60, [True] * 200)
    assert found.tuning == 0
    assert found.estimate == pytest.approx(sum(labels) / 60)
    assert found.interval == prediction_powered(labels, [True] * 60, [True] * 200, tuning=0).interval


def test_clustered_labels_widen_the_interval():
    labels = [n // 10 % 2 for n in range(80)]
    predicted = [1 - label if n % 10 == 0 else label for n, label in enumerate(labels)]
    others = predicted * 2
    plain = prediction_powered(labels, predicted, others, tuning=0)
    clustered = prediction_powered(
        labels,
        predicted,
        others,
        tuning=0,
        clusters=[n // 10 for n in range(80)],
        other_clusters=[n // 10 for n in range(160)],
    )
    assert clustered.standard_error == pytest.approx(
        cluster_mean(labels, [n // 10 for n in range(80)]).standard_error
    )
    assert clustered.standard_error > 2 * plain.standard_error
    with pytest.raises(InvalidArgument, match="together"):
        prediction_powered(labels, predicted, others, clusters=range(80))


@pytest.mark.parametrize(("labels", "others"), [([], [1]), ([1], [1]), ([1, 0], [])])
def test_too_little_to_correct_is_undefined_with_a_reason(labels, others):
    found = prediction_powered(labels, labels, others)
    assert (found.estimate, found.tuning) == (None, None)
    assert "at least 2 and 1 are needed" in found.reason


@pytest.mark.parametrize("wrong", [{"labels": [1.0, None]}, {"labels": [1.0, float("nan")]}, {"tuning": 1.5}])
def test_values_that_cannot_be_averaged_are_refused(wrong):
    given_values = {"labels": [1.0, 0.0], "predicted": [1.0, 0.0], "others": [1.0], **wrong}
    with pytest.raises(InvalidArgument):
        prediction_powered(**given_values)


def lenient(n, labelled):
    """A judge that passes two in three of what the human fails."""
    human = [item % 5 > 1 for item in range(n)]
    judge = [label or item % 3 > 0 for item, label in enumerate(human)]
    return judge, [label if item < labelled else None for item, label in enumerate(human)], sum(human) / n


def test_the_triple_shows_a_lenient_judge_beside_the_truth():
    judge, human, truth = lenient(600, 150)
    found = corrected_pass_rate(judge, human, design="random_subset")
    assert found.judge.low > truth
    assert found.low < truth < found.high
    assert found.human.low < truth < found.human.high
    assert found.method == "PPI++, tuned"
    assert 0 < found.label_saving < 1
    assert found.judge.method == "judge rate, wilson"


def test_with_fewer_than_50_labels_the_human_rate_stands_alone():
    judge, human, _ = lenient(600, 49)
    found = corrected_pass_rate(judge, human, design="random_subset")
    assert found.corrected.estimate is None
    assert (found.estimate, found.interval) == (found.human.estimate, found.human.interval)
    assert found.method == "human-only, wilson"
    assert "49 labels" in found.warnings[0]
    assert corrected_pass_rate(*lenient(600, 50)[:2], design="random_subset").method == "PPI++, tuned"


def test_a_separate_calibration_is_not_evaluated():
    judge, human, truth = lenient(600, 200)
    found = corrected_pass_rate(judge, human, design="separate_calibration")
    assert found.judge.n_items == 400
    assert found.low < truth < found.high
    assert found.label_saving is None


def test_a_separate_calibration_that_cannot_be_used_says_nothing_of_the_evaluated_items():
    found = corrected_pass_rate([True] * 50, [True] * 20 + [None] * 30, design="separate_calibration")
    assert found.estimate is None
    assert "no human fail" in found.reason
    assert found.human.estimate == 1


def test_missing_verdicts_are_counted():
    judge, human, _ = lenient(600, 150)
    found = corrected_pass_rate([None, *judge[1:-1], None], human, design="random_subset")
    assert (found.n_missing, found.judge.n_items, found.human.n_runs) == (2, 598, 150)


@pytest.mark.parametrize("design", ["random_subset", "separate_calibration"])
def test_no_items_are_no_rate(design):
    found = corrected_pass_rate([], [], design=design)
    assert (found.estimate, found.judge.estimate, found.human.estimate) == (None, None, None)
    assert found.reason


def test_an_unknown_design_and_values_that_are_no_passes_are_refused():
    with pytest.raises(InvalidArgument, match="random_subset or separate_calibration"):
        corrected_pass_rate([True], [True], design="random")
    with pytest.raises(InvalidArgument, match="`human` must hold"):
        corrected_pass_rate([True], [1], design="random_subset")


@pytest.mark.parametrize(("fails", "corrected"), [(0, False), (1, False), (4, False), (5, True), (96, False)])
def test_labels_of_nearly_one_kind_do_not_correct(fails, corrected):
    """A normal interval without variance is [1, 1], whatever the judge says of the rest."""
    human = [n >= fails for n in range(100)] + [None] * 200
    triple = corrected_pass_rate([True] * 250 + [False] * 50, human, design="random_subset")
    if corrected:
        assert triple.corrected.method == "PPI++, tuned"
    else:
        assert triple.corrected.estimate is None
        assert "labels are a" in triple.corrected.reason or "labels is a" in triple.corrected.reason
        assert triple.interval == triple.human.interval
        assert triple.low < triple.high


def test_repeats_of_a_case_count_once():
    judge, human, _ = lenient(400, 120)
    once = corrected_pass_rate(judge, human, design="random_subset", clusters=range(400))
    assert once == corrected_pass_rate(judge, human, design="random_subset")
    cases = [*range(400)] * 3
    thrice = corrected_pass_rate(judge * 3, human * 3, design="random_subset", clusters=cases)
    for name in ("judge", "corrected", "human"):
        single, repeated = getattr(once, name), getattr(thrice, name)
        assert repeated.estimate == pytest.approx(single.estimate, abs=1e-4)
        assert repeated.high - repeated.low == pytest.approx(single.high - single.low, rel=0.03)
    pooled = corrected_pass_rate(judge * 3, human * 3, design="random_subset")
    assert pooled.corrected.half_width < 0.7 * thrice.corrected.half_width
    few = corrected_pass_rate(
        judge * 3, [*human[:40], *[None] * 360] * 3, design="random_subset", clusters=cases
    )
    assert few.corrected.reason == "40 labels, and PPI++ covers too rarely below 50"
    apart = corrected_pass_rate(judge * 3, human * 3, design="separate_calibration", clusters=cases)
    assert "too narrow" in apart.corrected.warnings[-1]
