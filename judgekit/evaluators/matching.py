"""How two lists of calls are laid beside each other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

__all__ = ["Step", "aligned", "is_subsequence", "maximum_matching"]

E = TypeVar("E")
A = TypeVar("A")

_LARGEST_TABLE = 250_000


@dataclass(frozen=True, slots=True)
class Step:
    """One row of an alignment: positions in the expected and in the made list, None where there is none."""

    expected: int | None
    made: int | None
    fits: bool = False


def is_subsequence(expected: Sequence[E], made: Sequence[A], fits: Callable[[E, A], bool]) -> bool:
    """Whether every expected call has its own made call, in order, others between them allowed."""
    position = 0
    for call in made:
        if position == len(expected):
            break
        position += fits(expected[position], call)
    return position == len(expected)


def maximum_matching(
    expected: Sequence[E], made: Sequence[A], fits: Callable[[E, A], bool]
) -> tuple[int | None, ...]:
    """For each expected call the position of its own made call, as many as possible paired.

    Taking the first that fits is not enough: a loosely expected call may take the one that a strict one
    needs. Augmenting paths, without recursion, so that a thousand calls are no deeper than one.
    """
    candidates: list[list[int]] = [
        [position for position, call in enumerate(made) if fits(want, call)] for want in expected
    ]
    taken_by: list[int | None] = [None] * len(made)
    pairs: list[int | None] = [None] * len(expected)
    for want in range(len(expected)):
        _augment(want, candidates, pairs, taken_by)
    return tuple(pairs)


def _augment(
    want: int, candidates: list[list[int]], pairs: list[int | None], taken_by: list[int | None]
) -> None:
    reached_from: dict[int, int] = {}
    queue = deque([want])
    while queue:
        current = queue.popleft()
        for position in candidates[current]:
            if position in reached_from:
                continue
            reached_from[position] = current
            holder = taken_by[position]
            if holder is None:
                _flip(position, reached_from, pairs, taken_by)
                return
            queue.append(holder)


def _flip(
    position: int | None, reached_from: dict[int, int], pairs: list[int | None], taken_by: list[int | None]
) -> None:
    while position is not None:
        want = reached_from[position]
        pairs[want], taken_by[position], position = position, want, pairs[want]


def aligned(
    expected: Sequence[E],
    made: Sequence[A],
    fits: Callable[[E, A], bool],
    alike: Callable[[E, A], bool],
    *,
    extra: int = 1,
) -> tuple[Step, ...]:
    """The cheapest alignment in order.

    A pair that fits costs nothing, one that is only alike costs 1, a missing call 1, and one made beyond
    the expected ones `extra`.
    """
    if len(expected) * len(made) > _LARGEST_TABLE:
        return _side_by_side(expected, made, fits)
    table = _costs(expected, made, fits, alike, extra)
    steps: list[Step] = []
    row, column = 0, 0
    while row < len(expected) or column < len(made):
        cost = table[row][column]
        if row < len(expected) and column < len(made):
            fit = fits(expected[row], made[column])
            if (fit and cost == table[row + 1][column + 1]) or (
                not fit and alike(expected[row], made[column]) and cost == table[row + 1][column + 1] + 1
            ):
                steps.append(Step(row, column, fit))
                row, column = row + 1, column + 1
                continue
        if row < len(expected) and cost == table[row + 1][column] + 1:
            steps.append(Step(row, None))
            row += 1
        else:
            steps.append(Step(None, column))
            column += 1
    return tuple(steps)


def _costs(
    expected: Sequence[E],
    made: Sequence[A],
    fits: Callable[[E, A], bool],
    alike: Callable[[E, A], bool],
    extra: int,
) -> list[list[int]]:
    """What aligning the rest of both lists costs, from each pair of positions on."""
    rows, columns = len(expected), len(made)
    table = [
        [rows - row + extra * (columns - column) for column in range(columns + 1)] for row in range(rows + 1)
    ]
    for row in range(rows - 1, -1, -1):
        for column in range(columns - 1, -1, -1):
            gap = min(1 + table[row + 1][column], extra + table[row][column + 1])
            if fits(expected[row], made[column]):
                table[row][column] = min(gap, table[row + 1][column + 1])
            elif alike(expected[row], made[column]):
                table[row][column] = min(gap, 1 + table[row + 1][column + 1])
            else:
                table[row][column] = gap
    return table


def _side_by_side(expected: Sequence[E], made: Sequence[A], fits: Callable[[E, A], bool]) -> tuple[Step, ...]:
    shared = 0
    for want, call in zip(expected, made, strict=False):
        if not fits(want, call):
            break
        shared += 1
    return (
        *(Step(position, position, True) for position in range(shared)),
        *(Step(position, None) for position in range(shared, len(expected))),
        *(Step(None, position) for position in range(shared, len(made))),
    )
