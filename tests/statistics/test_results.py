"""No result holds a NaN, and what is undefined has a reason, whatever degenerate data it is made of."""

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import judgekit.statistics
from judgekit import statistics as js
from judgekit.errors import InvalidArgument
from judgekit.statistics import Estimate

PASS = st.sampled_from([True, False, None])
PAIRS = st.lists(st.tuples(PASS, PASS), max_size=12)
SCORE = st.one_of(st.none(), st.integers(1, 3), st.floats(0, 1))
REPEATED = st.lists(st.lists(SCORE, max_size=4), max_size=8)
RUNS = st.dictionaries(st.sampled_from("abcdefgh"), st.lists(PASS, max_size=3), max_size=8)
SCORED = st.dictionaries(
    st.sampled_from("abcdefgh"), st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=3)
)
ROWS = st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("abcd"), SCORE, SCORE), max_size=12)
SIDE = st.sampled_from(["a", "b", None])
LENGTHS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), SIDE, SIDE), max_size=12)
WINNER = st.sampled_from(["x", "y", "tie", None])


def unzipped(pairs):
    return [list(column) for column in zip(*pairs, strict=True)] or [[], []]


def one_run(pairs):
    """Counts of cases with one run each."""
    return [(int(run is True), int(run is False), int(run is None)) for run, _ in pairs]


def panel(rows):
    first, second, labels = zip(*rows, strict=True) if rows else ((), (), ())
    return js.panel_reading({"a": first, "b": second}, labels)


def alternative(rows):
    judge, first, second = zip(*rows, strict=True) if rows else ((), (), ())
    return js.alt_test(judge, {"x": first, "y": second}, epsilon=0.1, min_items=2)


COUNTS = st.lists(st.tuples(*[st.integers(0, 3)] * 3), max_size=8)
CLUSTERED = st.lists(st.tuples(SCORE, st.sampled_from("abc")), max_size=9)
SCORE_PAIRS = st.lists(st.tuples(SCORE, SCORE), max_size=9)
WINNERS = st.lists(st.tuples(WINNER, WINNER), max_size=9)
TRIPLES = st.lists(st.tuples(PASS, PASS, PASS), max_size=9)
BOTH = [False, True]

CALLS = {
    "one run a case": (PAIRS, lambda p: js.pass_rate(one_run(p))),
    "pass_rate": (COUNTS, js.pass_rate),
    "pass_rate_bounds": (COUNTS, js.pass_rate_bounds),
    "pass_hat_k": (COUNTS, lambda c: js.pass_hat_k([case for case in c if sum(case)], 1)),
    "cluster_mean": (CLUSTERED, lambda p: js.cluster_mean(*unzipped(p))),
    "cluster_bootstrap": (CLUSTERED, lambda p: js.cluster_bootstrap(*unzipped(p), resamples=20)),
    "paired_difference": (SCORE_PAIRS, lambda p: js.paired_difference(*unzipped(p))),
    "compare_pass_fail": (
        st.tuples(RUNS, RUNS),
        lambda p: js.compare_pass_fail(*p, max_drop=0.1, resamples=20),
    ),
    "compare_scores": (st.tuples(SCORED, SCORED), lambda p: js.compare_scores(*p, resamples=20)),
    "agreement": (PAIRS, lambda p: js.agreement(*unzipped(p), categories=BOTH)),
    "weighted": (PAIRS, lambda p: js.cohen_kappa(*unzipped(p), categories=BOTH, weights="linear")),
    "gwet": (PAIRS, lambda p: js.gwet_coefficient(p, categories=BOTH, weights="ordinal")),
    "fleiss": (PAIRS, lambda p: js.fleiss_kappa(p, categories=BOTH)),
    "conger": (PAIRS, lambda p: js.conger_kappa(p, categories=BOTH)),
    "alpha": (REPEATED, lambda p: js.krippendorff_alpha(p, scale="ratio", resamples=20)),
    "confusion": (PAIRS, lambda p: js.confusion(*unzipped(p))),
    "macro": (PAIRS, lambda p: js.macro_scores(*unzipped(p), categories=BOTH)),
    "ranks by group": (ROWS, lambda r: js.rank_agreement(r, protocol="group", min_group=2)),
    "ranks over all": (ROWS, lambda r: js.rank_agreement(r, protocol="dataset", resamples=20)),
    "ranks by system": (ROWS, lambda r: js.rank_agreement(r, protocol="system", coefficient="kendall-b")),
    "subset": (PAIRS, lambda p: js.corrected_pass_rate(*unzipped(p), design="random_subset")),
    "calibration": (PAIRS, lambda p: js.corrected_pass_rate(*unzipped(p), design="separate_calibration")),
    "repeatability": (REPEATED, js.repeatability),
    "position": (WINNERS, lambda p: js.position_bias(p, first="x", second="y")),
    "length": (LENGTHS, js.length_bias),
    "family": (PAIRS, lambda p: js.family_preference(*unzipped(p))),
    "panel": (TRIPLES, panel),
    "alt_test": (TRIPLES, alternative),
}


def numbers_in(value):
    """Every number inside a result."""
    if isinstance(value, Enum):
        return
    if isinstance(value, float):
        yield value
    elif is_dataclass(value):
        for each in fields(value):
            yield from numbers_in(getattr(value, each.name))
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from numbers_in(each)
    elif isinstance(value, tuple | list):
        for each in value:
            yield from numbers_in(each)


def estimates_in(value):
    """Every estimate inside a result, itself included."""
    if isinstance(value, Estimate):
        yield value
    if is_dataclass(value):
        for each in fields(value):
            yield from estimates_in(getattr(value, each.name))
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from estimates_in(each)


@pytest.mark.parametrize("name", CALLS)
def test_a_result_of_degenerate_data_is_defined_or_says_why_not(name):
    data, call = CALLS[name]

    @given(data)
    @settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
    def check(given_data):
        found = call(given_data)
        assert all(map(math.isfinite, numbers_in(found)))
        for each in estimates_in(found):
            assert each.method
            assert 0 < each.level < 1
            assert each.n_missing >= 0
            assert (each.low is None) == (each.high is None)
            if each.estimate is None:
                assert each.reason, each
                assert not isinstance(each, js.Comparison) or each.interval is None
            if each.low is not None:
                assert each.low <= each.high + 1e-12

    check()


def test_a_nan_cannot_be_put_into_a_result():
    with pytest.raises(InvalidArgument, match="`estimate` must be finite"):
        Estimate(estimate=float("nan"), method="none", n_items=0, n_runs=0, n_clusters=0)


def test_half_a_width_needs_both_ends():
    whole = Estimate(estimate=0.5, low=0.4, high=0.6, method="x", n_items=1, n_runs=1, n_clusters=1)
    assert whole.half_width == pytest.approx(0.1)
    assert Estimate(estimate=0.5, method="x", n_items=1, n_runs=1, n_clusters=1).half_width is None


def test_every_public_name_has_a_home_and_an_unknown_one_is_an_attribute_error():
    for name in js.__all__:
        assert getattr(js, name) is not None
    assert set(dir(js)) == set(js.__all__)
    with pytest.raises(AttributeError, match="wilsons_interval"):
        judgekit.statistics.wilsons_interval  # noqa: B018
