"""Many questions to judges, outside an experiment: so many at once, within a limit, from the cache first."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import uuid4

from judgekit.checking import is_finite_number
from judgekit.context import AttemptContext, RunScope, attempt_context
from judgekit.errors import InvalidArgument

__all__ = ["Asking", "Question", "Told"]

T = TypeVar("T")
Told = Callable[[int, int], Any]
"""Hears how many questions are answered, of how many."""


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """One question: whose it is, which repeat of it, and what asks."""

    case_id: str
    run: int
    ask: Callable[[], Awaitable[T]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How questions are asked.

    Attributes:
        concurrency: So many at once, at least 1.
        max_cost: US dollars that may be spent; None: no limit. What it does not cover is not measured.
        told: Hears of every answer.

    Raises:
        InvalidArgument: A value that cannot work.
    """

    concurrency: int = 8
    max_cost: float | None = None
    told: Told | None = None

    def __post_init__(self) -> None:
        if (
            isinstance(self.concurrency, bool)
            or not isinstance(self.concurrency, int)
            or self.concurrency < 1
        ):
            raise InvalidArgument(f"`concurrency` must be a whole number >= 1, got {self.concurrency!r}")
        if self.max_cost is not None and (not is_finite_number(self.max_cost) or self.max_cost < 0):
            raise InvalidArgument(
                f"`max_cost` must be a finite number of dollars >= 0, got {self.max_cost!r}"
            )

    async def answers(self, questions: Sequence[Question[T]]) -> list[T]:
        """The answers in the order of the questions. Repeats of one question never share an answer.

        What is answered is in the judges' cache at once, also where the rest is cancelled.
        """
        scope = RunScope()
        scope.case_ids = frozenset(question.case_id for question in questions)
        if self.max_cost is not None:
            _limit(scope, self.max_cost)
        answered: dict[int, T] = {}
        places, session = iter(range(len(questions))), uuid4().hex
        order = {case_id: at for at, case_id in enumerate(dict.fromkeys(one.case_id for one in questions))}

        async def work(places: Iterator[int]) -> None:
            for place in places:
                question = questions[place]
                at, run = order[question.case_id], question.run
                attempt_context.set(AttemptContext(question.case_id, at, run, f"{session}-{at}-{run}", scope))
                answered[place] = await question.ask()
                if self.told is not None:
                    self.told(len(answered), len(questions))

        try:
            async with asyncio.TaskGroup() as workers:
                for _ in range(min(self.concurrency, len(questions))):
                    workers.create_task(work(places))
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from None
        finally:
            await scope.close()
        return [answered[place] for place in range(len(questions))]


def _limit(scope: RunScope, dollars: float) -> None:
    from judgekit.providers.spend import LEDGER, Ledger

    scope.service(LEDGER, lambda: Ledger(dollars))
