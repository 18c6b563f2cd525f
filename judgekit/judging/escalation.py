"""A cheap judge first, and a stronger one where the cheap one does not settle it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

from judgekit.checking import is_finite_number
from judgekit.errors import InvalidArgument
from judgekit.interaction import Interaction
from judgekit.judging.base import ModelJudging
from judgekit.judging.criterion import Criterion, measure
from judgekit.judging.measured import Measured
from judgekit.judging.panel import checked_judges, judge_name, mapped_judge
from judgekit.judging.rubric import Rubric, measure_all

__all__ = ["Escalation"]

# An answer came and is none: another judge may give one. A lost connection is not a reason to pay more.
_UNSETTLED = frozenset({"abstained", "malformed", "truncated"})


@dataclass(frozen=True, slots=True)
class Escalation(ModelJudging):
    """Judges in order, cheap ones first. The next is asked where one abstains, is unsure, or is malformed.

    Attributes:
        judges: At least two.
        unsure_within: A score nearer to the threshold than this is unsure, on the scale `Score()`; samples,
            seats or orders on both sides of the threshold are unsure on every scale.

    Raises:
        InvalidArgument: Fewer than two judges, or a distance outside 0..1.
    """

    judges: Sequence[Any]
    _: KW_ONLY
    unsure_within: float = 0.1

    def __post_init__(self) -> None:
        object.__setattr__(self, "judges", checked_judges("Escalation", self.judges))
        if not is_finite_number(self.unsure_within) or not 0 <= self.unsure_within <= 1:
            raise InvalidArgument(
                f"Escalation: `unsure_within` must be from 0 to 1, got {self.unsure_within!r}"
            )

    def check(self, criterion: Criterion) -> None:
        """Refuse a criterion that one of the judges cannot take."""
        for judge in self.judges:
            criterion.with_judge(judge)

    def map_judges(self, change: Callable[[Any], Any]) -> Escalation:
        """The same escalation with each judge replaced by what `change` makes of it."""
        judges = [mapped_judge(judge, change) for judge in self.judges]
        return Escalation(judges, unsure_within=self.unsure_within)

    async def measure(self, criterion: Criterion, interaction: Interaction) -> Measured:
        """Ask one judge after the other until one settles it; the last one's word stands."""
        found = await measure(criterion.with_judge(self.judges[0]), interaction)
        for before, judge in zip(self.judges, self.judges[1:], strict=False):
            why = self._unsettled(found, criterion.needed, graded=criterion.is_graded)
            if why is None:
                break
            following = await measure(criterion.with_judge(judge), interaction)
            found = _after(found, following, f"{judge_name(before)} {why}, then {judge_name(judge)}")
        return found

    async def measure_all(self, rubric: Rubric, interaction: Interaction) -> dict[str, Measured]:
        """The whole rubric again where a criterion is not settled; settled ones keep their verdict."""
        found = await measure_all(self.judges[0], rubric, interaction)
        for before, judge in zip(self.judges, self.judges[1:], strict=False):
            why = {
                name: said
                for name, one in found.items()
                if (said := self._unsettled(one, rubric.threshold, graded=True)) is not None
            }
            if not why:
                break
            following = await measure_all(judge, rubric, interaction)
            for name, said in why.items():
                remark = f"{judge_name(before)} {said}, then {judge_name(judge)}"
                found[name] = _after(found[name], following[name], remark)
        return found

    def _unsettled(self, found: Measured, needed: float, *, graded: bool) -> str | None:
        if found.verdict is None:
            return found.cause if found.cause in _UNSETTLED else None
        bound = needed if found.needed is None else found.needed
        near = graded and abs(found.verdict.score - bound) < self.unsure_within
        return f"unsure at {found.verdict.score:.2f}" if near or found.flips else None


def _after(found: Measured, following: Measured, remark: str) -> Measured:
    remarks = [part for part in (remark, following.remark) if part]
    return replace(
        following,
        remark="; ".join(remarks),
        measurements=(*found.measurements, *following.measurements),
    )
