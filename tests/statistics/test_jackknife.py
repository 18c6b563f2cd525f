"""The delete-one-cluster jackknife."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit import InvalidArgument
from judgekit.statistics import cluster_jackknife, cluster_mean


def share(sums):
    total, count = sums
    return total / count if count else None


def test_of_a_mean_over_single_items_it_is_the_usual_interval():
    values = [0.2, 0.4, 0.9, 0.5, 0.7]
    error, half = cluster_jackknife([(value, 1) for value in values], share)
    known = cluster_mean(values)
    assert error == pytest.approx(known.standard_error)
    assert half == pytest.approx(known.half_width)


def test_of_clusters_of_one_size_it_is_the_cluster_robust_interval():
    clusters = [(2, 3), (0, 3), (3, 3), (1, 3)]
    passes = [1.0] * 2 + [0.0] + [0.0] * 3 + [1.0] * 3 + [1.0] + [0.0] * 2
    known = cluster_mean(passes, [n for n in range(4) for _ in range(3)])
    error, half = cluster_jackknife(clusters, share)
    assert (error, half) == (pytest.approx(known.standard_error), pytest.approx(known.half_width))


@pytest.mark.parametrize("clusters", [[], [(1, 1)]])
def test_with_fewer_than_two_clusters_there_is_none(clusters):
    assert cluster_jackknife(clusters, share) is None


def test_where_the_statistic_is_not_defined_without_a_cluster_there_is_none():
    assert cluster_jackknife([(1, 1), (0, 0)], share) is None


def test_a_level_is_below_one():
    with pytest.raises(InvalidArgument, match="`level` must be above 0 and below 1"):
        cluster_jackknife([(1, 1), (0, 1)], share, level=95)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5)), min_size=2, max_size=12))
def test_it_is_finite_and_not_negative(clusters):
    error, half = cluster_jackknife(clusters, share)
    assert 0 <= error <= half < math.inf or error == half == 0


def test_clusters_of_different_length_are_refused():
    with pytest.raises(InvalidArgument, match="as many counts each"):
        cluster_jackknife([[1, 2], [1]], lambda sums: sums[0])
