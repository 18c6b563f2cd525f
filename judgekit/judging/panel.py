"""Several judges and how they vote."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

from judgekit.errors import InvalidArgument
from judgekit.interaction import Interaction
from judgekit.judging.base import ModelJudging
from judgekit.judging.criterion import Criterion, measure
from judgekit.judging.measured import Measured, NoVerdict, failed_measure
from judgekit.judging.rubric import Rubric, measure_all
from judgekit.judging.verdict import Verdict

__all__ = ["Agreement", "Panel", "agreement", "judge_name"]

VOTES = ("majority", "mean", "median")
_TOLERANCE = 1e-9


def judge_name(judge: object) -> str:
    """How reports name a judge: its model, or its class."""
    return str(getattr(judge, "model", None) or type(judge).__name__)


def checked_judges(owner: str, judges: object) -> tuple[Any, ...]:
    """The judges as a tuple of at least two.

    Raises:
        InvalidArgument: Fewer than two, or something that does not decide.
    """
    if not isinstance(judges, list | tuple):
        raise InvalidArgument(f"{owner}: give a list of at least two judges, got {judges!r}")
    if len(judges) < 2:
        hint = "; write the judge itself" if judges else ""
        raise InvalidArgument(f"{owner}: give a list of at least two judges, got {len(judges)}{hint}")
    for judge in judges:
        if isinstance(judge, type) or not callable(getattr(judge, "decide", None)):
            hint = f"; write Judge({judge!r})" if isinstance(judge, str) else ""
            raise InvalidArgument(f"{owner}: {judge!r} is no judge; it has no `decide`{hint}")
    return tuple(judges)


@dataclass(frozen=True, slots=True)
class Panel(ModelJudging):
    """Several judges that are all asked.

    Attributes:
        judges: At least two, best of different providers: what they get wrong should differ.
        vote: `majority`: each votes against the criterion's threshold and more than half have to be for
            it; the score is their share. `mean` or `median` of the scores, against the threshold.
        quorum: Verdicts needed, else the result is inconclusive; None: more than half of the judges.

    Raises:
        InvalidArgument: Fewer than two judges, an unknown vote, or a quorum that cannot be reached.
    """

    judges: Sequence[Any]
    _: KW_ONLY
    vote: Literal["majority", "mean", "median"] = "majority"
    quorum: int | None = None

    def __post_init__(self) -> None:
        judges = checked_judges("Panel", self.judges)
        object.__setattr__(self, "judges", judges)
        if self.vote not in VOTES:
            raise InvalidArgument(
                f"Panel: `vote` must be one of {', '.join(map(repr, VOTES))}, got {self.vote!r}"
            )
        quorum = len(judges) // 2 + 1 if self.quorum is None else self.quorum
        if isinstance(quorum, bool) or not isinstance(quorum, int) or not 1 <= quorum <= len(judges):
            raise InvalidArgument(f"Panel: `quorum` must be from 1 to {len(judges)}, got {self.quorum!r}")
        object.__setattr__(self, "quorum", quorum)

    def check(self, criterion: Criterion) -> None:
        """Refuse a criterion that one of the judges cannot take."""
        for judge in self.judges:
            criterion.with_judge(judge)

    def map_judges(self, change: Callable[[Any], Any]) -> Panel:
        """The same panel with each judge replaced by what `change` makes of it."""
        return Panel(
            [mapped_judge(judge, change) for judge in self.judges], vote=self.vote, quorum=self.quorum
        )

    async def measure(self, criterion: Criterion, interaction: Interaction) -> Measured:
        """Ask every judge at once and let them vote."""
        seats = await asyncio.gather(
            *(measure(criterion.with_judge(judge), interaction) for judge in self.judges)
        )
        return self._voted(seats, criterion.needed)

    async def measure_all(self, rubric: Rubric, interaction: Interaction) -> dict[str, Measured]:
        """Ask every judge about the whole rubric, and let them vote on each criterion."""
        seats = await asyncio.gather(*(measure_all(judge, rubric, interaction) for judge in self.judges))
        return {name: self._voted([seat[name] for seat in seats], rubric.threshold) for name in rubric.names}

    def _voted(self, seats: Sequence[Measured], needed: float) -> Measured:
        measurements = [measurement for seat in seats for measurement in seat.measurements]
        seated = list(zip(map(judge_name, self.judges), seats, strict=True))
        verdicts = [(name, seat.verdict) for name, seat in seated if seat.verdict is not None]
        missing = [(name, seat) for name, seat in seated if seat.verdict is None]
        if len(verdicts) < (self.quorum or 1):
            return failed_measure(self._no_quorum(missing, len(seats)), measurements=measurements)
        scores = [verdict.score for _, verdict in verdicts]
        passing = [score >= needed - _TOLERANCE for score in scores]
        score, bound = self._score(scores, passing, needed)
        # The reason shown is that of a judge on the side that won.
        won = score >= bound - _TOLERANCE
        sided = [verdict for (_, verdict), vote in zip(verdicts, passing, strict=True) if vote == won]
        return Measured(
            verdict=Verdict(score, (sided or [verdicts[0][1]])[0].reason),
            remark=_remark(verdicts, sum(passing), missing),
            measurements=measurements,
            needed=bound,
            flips=min(sum(passing), len(passing) - sum(passing)),
        )

    def _score(self, scores: Sequence[float], passing: Sequence[bool], needed: float) -> tuple[float, float]:
        if self.vote == "majority":
            # More than half: half of an even panel is no majority.
            return sum(passing) / len(passing), (len(passing) // 2 + 1) / len(passing)
        middle = statistics.fmean(scores) if self.vote == "mean" else statistics.median(scores)
        return min(1.0, max(0.0, middle)), needed

    def _no_quorum(self, missing: Sequence[tuple[str, Measured]], seats: int) -> NoVerdict:
        causes = {seat.cause for _, seat in missing}
        failures = "; ".join(f"{name}: {seat.cause}: {seat.why}" for name, seat in missing)
        return NoVerdict(
            f"{seats - len(missing)} of {seats} judges gave a verdict, {self.quorum} needed; {failures}",
            cause=causes.pop() if len(missing) == seats and len(causes) == 1 else "no quorum",
        )


def _remark(
    verdicts: Sequence[tuple[str, Verdict]], passing: int, missing: Sequence[tuple[str, Measured]]
) -> str:
    votes = ", ".join(f"{name} {verdict.score:.2f}" for name, verdict in verdicts)
    without = ", ".join(f"{name} ({seat.cause})" for name, seat in missing)
    remark = f"{passing} of {len(verdicts)} judges for it: {votes}"
    return f"{remark}; without {without}" if without else remark


def mapped_judge(judge: Any, change: Callable[[Any], Any]) -> Any:
    """What `change` makes of a judge; of a panel, of each of its judges."""
    mapped = getattr(judge, "map_judges", None)
    return change(judge) if mapped is None else mapped(change)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How far judges err together, measured against labels.

    Attributes:
        accuracy: Share of right votes by judge.
        error_correlation: Mean correlation of the judges' errors over all pairs of judges; None where no
            pair has one (a judge that is always right, or always wrong, has none).
        n_eff: How many independent judges the panel is worth, never more than it has; None likewise.
        items: Labelled items counted.
    """

    accuracy: Mapping[str, float]
    error_correlation: float | None
    n_eff: float | None
    items: int


def agreement(votes: Mapping[str, Sequence[bool]], labels: Sequence[bool]) -> Agreement:
    """Hold the votes of a panel's judges against labels: `judgekit.statistics.panel_reading` in short.

    Args:
        votes: Each judge's votes by name, one an item.
        labels: What is right, one an item.

    Raises:
        InvalidArgument: Fewer than two judges, no labels, or votes that do not match them in number.
    """
    from judgekit.statistics import panel_reading

    if len(votes) < 2 or not labels:
        raise InvalidArgument("agreement: give the votes of at least two judges and at least one label")
    try:
        found = panel_reading(votes, labels)
    except InvalidArgument as error:
        raise InvalidArgument(f"agreement: {error}") from None
    return Agreement(
        # Every judge has at least one vote here, so each share is defined.
        accuracy={name: share.estimate or 0.0 for name, share in found.accuracy.items()},
        error_correlation=found.error_correlation,
        n_eff=found.n_eff,
        items=found.n_clusters,
    )
