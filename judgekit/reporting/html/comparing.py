"""What the page of two reports shows: rates side by side, and what became of each attempt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from judgekit.evaluation import Outcome
from judgekit.reporting.html.data import PageData
from judgekit.reporting.html.forest import comparison_summary
from judgekit.reporting.html.summary import Rate, head_of, rates_of
from judgekit.results import Results

if TYPE_CHECKING:
    from judgekit.comparing import RunComparison
    from judgekit.reporting.report import EvalReport

__all__ = ["comparison_view"]

_ORDER = (Outcome.PASS, Outcome.INCONCLUSIVE, Outcome.FAIL)
_FILTERS = (
    ("broken", "Newly failed"),
    ("fixed", "Fixed"),
    ("changed", "Changed otherwise"),
    ("failing", "Failed in both"),
    ("same", "Unchanged"),
    ("single", "In one run only"),
)


@dataclass(frozen=True, slots=True)
class Pair:
    """A label or criterion in both reports; a side is None where it is not there."""

    name: str
    of: str | None
    before: Rate | None
    after: Rate | None

    @property
    def change(self) -> float | None:
        """The second rate less the first; None where either is unknown."""
        shares = [side.share if side is not None else None for side in (self.before, self.after)]
        if shares[0] is None or shares[1] is None:
            return None
        return shares[1] - shares[0]


def comparison_view(before: EvalReport, after: EvalReport, found: RunComparison) -> dict[str, Any]:
    """Everything that the template of two reports reads."""
    data = PageData()
    pairs = list(_places(before, after))
    rows = [_row(data, before, after, pair) for pair in _problems_first(before, after, pairs)]
    rows.sort(key=lambda row: row.pop("order"))
    tags = Counter(row["tags"][0] for row in rows)
    return {
        "found": comparison_summary(found),
        "before": head_of(before),
        "after": head_of(after),
        "pairs": list(_rates(before.counts, after.counts)),
        "matrix": _matrix(before, after, pairs),
        "outcomes": [outcome.value for outcome in _ORDER],
        "filters": [("", "All", len(rows)), *((tag, text, tags[tag]) for tag, text in _FILTERS if tags[tag])],
        "left_out": data.left_out,
        "data": {
            "texts": data.texts,
            "instruments": data.instruments,
            "rows": rows,
            "names": [data.name(before.name), data.name(after.name)],
        },
    }


@dataclass(frozen=True, slots=True)
class Place:
    """Where an attempt stands in each report; `order` is its place on the page."""

    order: int
    case_id: str
    run: int
    before: int | None
    after: int | None


def _indices(counts: Results) -> dict[tuple[str, int], int]:
    return {
        (counts.case_ids[short.case_index], short.run): index for index, short in enumerate(counts.attempts())
    }


def _places(before: EvalReport, after: EvalReport) -> Iterator[Place]:
    left, right = _indices(before.counts), _indices(after.counts)
    for order, (case_id, run) in enumerate(dict.fromkeys([*right, *left])):
        yield Place(order, case_id, run, left.get((case_id, run)), right.get((case_id, run)))


def _outcomes(report: EvalReport) -> list[Outcome]:
    return [short.outcome for short in report.counts.attempts()]


def _changes(before: EvalReport, after: EvalReport, places: list[Place]) -> Iterator[tuple[Place, str]]:
    first, second = _outcomes(before), _outcomes(after)
    for place in places:
        yield (
            place,
            _change(
                None if place.before is None else first[place.before],
                None if place.after is None else second[place.after],
            ),
        )


def _change(before: Outcome | None, after: Outcome | None) -> str:
    if before is None or after is None:
        return "single"
    if before is after:
        return "failing" if after is Outcome.FAIL else "same"
    if after is Outcome.FAIL:
        return "broken"
    return "fixed" if (before, after) == (Outcome.FAIL, Outcome.PASS) else "changed"


def _problems_first(before: EvalReport, after: EvalReport, places: list[Place]) -> list[tuple[Place, str]]:
    """What is worth reading first gets its evidence while the page has room."""
    worth = {tag: position for position, (tag, _) in enumerate(_FILTERS)}
    return sorted(_changes(before, after, places), key=lambda item: worth[item[1]])


def _row(data: PageData, before: EvalReport, after: EvalReport, pair: tuple[Place, str]) -> dict[str, Any]:
    place, change = pair
    sides = [
        None if place.before is None else before.results[place.before],
        None if place.after is None else after.results[place.after],
    ]
    return {**data.row(place.case_id, place.run, [change], sides), "order": place.order}


def _rates(before: Results, after: Results) -> Iterator[Pair]:
    left = {(rate.of, rate.name): rate for rate in rates_of(before)}
    right = {(rate.of, rate.name): rate for rate in rates_of(after)}
    for of, name in dict.fromkeys([*right, *left]):
        yield Pair(name, of, left.get((of, name)), right.get((of, name)))


def _matrix(before: EvalReport, after: EvalReport, places: list[Place]) -> list[list[int]]:
    """How many attempts went from each outcome (rows) to each (columns)."""
    first, second = _outcomes(before), _outcomes(after)
    moved = Counter(
        (first[place.before], second[place.after])
        for place in places
        if place.before is not None and place.after is not None
    )
    return [[moved[start, end] for end in _ORDER] for start in _ORDER]
