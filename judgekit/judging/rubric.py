"""Several criteria of one reply, asked about in one request an attempt."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from judgekit.context import current_attempt
from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalCase, EvalResult, Measurement
from judgekit.interaction import Interaction
from judgekit.judging.criterion import Criterion, measure, nothing_to_judge, result_of
from judgekit.judging.material import is_blank, one_a_line, tested_parts
from judgekit.judging.measured import Measured
from judgekit.judging.sampling import combined

if TYPE_CHECKING:
    from judgekit.judging.asking import Asked
    from judgekit.judging.judge import Judge
    from judgekit.judging.schemas import Reading, VerdictSchema

__all__ = ["Rubric", "RubricCriterion", "measure_all", "rubric_criteria"]

_MOST_KEPT = 256


@dataclass(slots=True)
class _Shared:
    """One request that several criteria wait for."""

    task: asyncio.Task[dict[str, Measured]]
    interaction: Interaction
    first: str
    taken: set[str]
    waiting: int = 0

    def is_usable(self) -> bool:
        """Whether its answer can be had here: it is there, or it is being asked for in this loop."""
        if self.task.done():
            return not self.task.cancelled()
        return self.task.get_loop() is asyncio.get_running_loop()


@dataclass(frozen=True, slots=True)
class Rubric:
    """Criteria that share one request.

    Attributes:
        criteria: Name and text of each.
        threshold: The score that each needs.
    """

    criteria: tuple[tuple[str, str], ...]
    threshold: float
    _shared: dict[Any, _Shared] = field(default_factory=dict, repr=False, compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        """In the order given."""
        return tuple(name for name, _ in self.criteria)

    def schema(self) -> VerdictSchema[dict[str, Reading]]:
        """One score for each name."""
        from judgekit.judging.schemas import rubric_schema

        return rubric_schema(self.names)

    async def measured(self, judge: Any, interaction: Interaction, name: str) -> Measured:
        """What the criterion `name` came to; asks where no other criterion of this attempt did."""
        entry = self._entry(judge, interaction, name)
        entry.waiting += 1
        try:
            found = (await asyncio.shield(entry.task))[name]
        except asyncio.CancelledError:
            if entry.waiting == 1:
                entry.task.cancel()
            raise
        finally:
            entry.waiting -= 1
        if entry.first == name:
            return found
        return replace(found, measurements=tuple(map(_counted_elsewhere, found.measurements)))

    def _entry(self, judge: Any, interaction: Interaction, name: str) -> _Shared:
        attempt = current_attempt()
        run = None if attempt is None else (id(attempt.scope), attempt.case_index, attempt.run)
        key = (id(interaction), run, judge if _is_hashable(judge) else id(judge))
        entry = self._shared.get(key)
        if entry is None or name in entry.taken or not entry.is_usable():
            self._forget()
            task = asyncio.ensure_future(measure_all(judge, self, interaction))
            entry = self._shared[key] = _Shared(task, interaction, name, set())
        entry.taken.add(name)
        if len(entry.taken) == len(self.criteria):
            del self._shared[key]
        return entry

    def _forget(self) -> None:
        # Criteria of attempts that were stopped half-way; the interaction in them is kept alive until here.
        for key in list(self._shared)[: max(0, len(self._shared) - _MOST_KEPT)]:
            if self._shared[key].task.done():
                del self._shared[key]


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _counted_elsewhere(measurement: Measurement) -> Measurement:
    return replace(
        measurement,
        asked=False,
        requests=0,
        cached=False,
        input_tokens=None,
        output_tokens=None,
        cost=None,
        tokens_complete=True,
        cost_complete=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricCriterion(Criterion):
    """One line of a rubric; the lines of one attempt share one request."""

    rubric: Rubric
    line: str = ""
    """Its name in the rubric; the criterion's own name unless it was renamed."""

    @property
    def brings_schema(self) -> bool:
        """Always: a judge's own schema has one score."""
        return True

    def verdict_schema(self) -> VerdictSchema[Any]:
        """That of the whole rubric."""
        return self.rubric.schema()

    def named(self, name: str) -> Criterion:
        """The same criterion under another name in reports and gates; the judge is asked the same."""
        return replace(self, name=name, line=self.line or self.name)

    def map_judges(self, change: Callable[[Any], Any]) -> Criterion:
        """The same criterion before what `change` makes of its judge; of a panel, of each member."""
        # Not zero-argument `super()`: a slotted dataclass is a new class, which it does not find.
        return Criterion.map_judges(self, change)

    async def evaluate(self, case: EvalCase, interaction: Interaction) -> EvalResult:
        """Ask the judge, together with the rubric's other criteria; a blank reply is not asked about."""
        if is_blank(interaction.reply):
            return nothing_to_judge(self.name, self.needed)
        return result_of(self, await self.rubric.measured(self.judge, interaction, self.line or self.name))


async def measure_all(judge: Any, rubric: Rubric, interaction: Interaction) -> dict[str, Measured]:
    """Every criterion of the rubric before one judge: in one request, or one by one where it only decides."""
    ours = getattr(judge, "measure_all", None)
    if ours is not None:
        found: dict[str, Measured] = await ours(rubric, interaction)
        return found
    plain = {
        name: Criterion(judge=judge, criterion=text, threshold=rubric.threshold, name=name)
        for name, text in rubric.criteria
    }
    return {name: await measure(criterion, interaction) for name, criterion in plain.items()}


async def ask_rubric(judge: Judge, rubric: Rubric, interaction: Interaction) -> dict[str, Measured]:
    """The whole rubric in one request to one model, as often as the judge's `samples` says."""
    parts = tested_parts(interaction)
    parts["criteria"] = one_a_line({"criterion": name, "text": text} for name, text in rubric.criteria)
    question = judge.question(rubric.schema(), parts)
    asked = await judge.ask(question, parts["criteria"], {"threshold": rubric.threshold})
    return {
        name: combined([_only(one, name, text) for one in asked], rubric.threshold, question.cuts)
        for name, text in rubric.criteria
    }


def _only(asked: Asked[dict[str, Reading]], name: str, text: str) -> Asked[Reading]:
    from judgekit.judging.asking import Asked

    reading = asked.reading[name] if asked.reading is not None else None
    return Asked(reading, asked.error, replace(asked.measurement, criterion=text))


def rubric_criteria(judge: Any, criteria: Mapping[str, str], threshold: float) -> tuple[Criterion, ...]:
    """One criterion a name, sharing one rubric.

    Raises:
        InvalidArgument: No criteria, a blank name or text, or a threshold outside 0..1.
    """
    if not isinstance(criteria, Mapping) or not criteria:
        raise InvalidArgument(
            f'write should_satisfy_all({{"polite": "what polite is", ...}}), got {criteria!r}'
        )
    for name in criteria:
        if not isinstance(name, str) or not name.strip():
            raise InvalidArgument(f"each criterion needs a name that is not blank, got {name!r}")
    rubric = Rubric(tuple(criteria.items()), threshold)
    return tuple(
        RubricCriterion(judge=judge, criterion=text, threshold=threshold, name=name, rubric=rubric)
        for name, text in criteria.items()
    )
