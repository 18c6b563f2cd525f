"""Which cases -k and -n choose."""

from __future__ import annotations

from collections.abc import Sequence

from judgekit.cli.mistakes import say
from judgekit.cli.suite import Experiment
from judgekit.evaluation import EvalCase
from judgekit.text import one_line

__all__ = ["Chosen"]

_NAMED = 10


class Chosen:
    """Which cases -k and -n choose, and what to say where -k chooses none."""

    __slots__ = ("_found", "_ids", "_limit", "_texts")

    def __init__(self, texts: Sequence[str], limit: int | None) -> None:
        self._texts = tuple(texts)
        self._limit = limit
        self._ids: dict[str, None] = {}
        self._found = False

    def of(self, plan: Experiment) -> Experiment:
        """The plan with the cases whose id holds one of the texts, and of those the first so many."""
        if self._texts:
            plan = plan.filter(self._holds)
        return plan if self._limit is None else plan.first(self._limit)

    def tell(self) -> None:
        """Name the cases that there are, where no text fits one."""
        if self._ids and not self._found:
            wanted = " or ".join(repr(text) for text in self._texts)
            more = f" and {len(self._ids) - _NAMED} more" if len(self._ids) > _NAMED else ""
            there = ", ".join(one_line(id, 40) for id in [*self._ids][:_NAMED])
            say(f"judgekit: -k: no case id holds {wanted}; there are {there}{more}")

    def _holds(self, case: EvalCase) -> bool:
        self._ids[case.id] = None
        found = any(text.casefold() in case.id.casefold() for text in self._texts)
        self._found = self._found or found
        return found
