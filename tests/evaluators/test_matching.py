"""Laying two lists of calls beside each other."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from judgekit.evaluators.matching import aligned, is_subsequence, maximum_matching

TABLES = st.integers(0, 4).flatmap(
    lambda rows: st.integers(0, 5).flatmap(
        lambda columns: st.lists(
            st.lists(st.booleans(), min_size=columns, max_size=columns), min_size=rows, max_size=rows
        ).map(lambda table: (rows, columns, table))
    )
)


def most_pairs(rows, columns, table):
    """By trying every order in which made calls can be handed out."""
    places = [*range(columns), *[None] * rows]
    return max(
        sum(place is not None and table[row][place] for row, place in enumerate(order))
        for order in permutations(places, rows)
    )


@given(TABLES)
def test_a_matching_pairs_as_many_as_any_order_can(shape):
    rows, columns, table = shape
    pairs = maximum_matching(range(rows), range(columns), lambda row, column: table[row][column])
    taken = [pair for pair in pairs if pair is not None]
    assert len(set(taken)) == len(taken)
    assert all(table[row][pair] for row, pair in enumerate(pairs) if pair is not None)
    assert len(taken) == most_pairs(rows, columns, table)


def test_a_long_chain_of_exchanges_needs_no_recursion():
    """Each expected call fits its own and the next made one; the last gets only the first."""
    size = 3000

    def fits(want, call):
        return call in ((want, want + 1) if want < size else (0,))

    assert None not in maximum_matching(range(size + 1), range(size + 1), fits)


@given(st.lists(st.sampled_from("abc"), max_size=6), st.lists(st.sampled_from("abc"), max_size=6))
def test_an_alignment_holds_every_call_once_and_in_order(expected, made):
    steps = aligned(expected, made, str.__eq__, lambda want, call: True)
    assert [step.expected for step in steps if step.expected is not None] == list(range(len(expected)))
    assert [step.made for step in steps if step.made is not None] == list(range(len(made)))
    for step in steps:
        both = step.expected is not None and step.made is not None
        assert step.fits == (both and expected[step.expected] == made[step.made])


@given(st.lists(st.sampled_from("abc"), max_size=6), st.lists(st.sampled_from("abc"), max_size=6))
def test_an_alignment_where_extra_calls_are_free_fits_all_of_a_subsequence(expected, made):
    steps = aligned(expected, made, str.__eq__, lambda want, call: False, extra=0)
    assert is_subsequence(expected, made, str.__eq__) == (sum(step.fits for step in steps) == len(expected))


def test_very_long_lists_are_laid_side_by_side_from_where_they_part():
    made = ["a"] * 600
    steps = aligned([*made[:599], "b"], made, str.__eq__, lambda want, call: False)
    assert sum(step.fits for step in steps) == 599
    assert len(steps) == 601
