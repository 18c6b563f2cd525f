"""A criterion bound to its judge: an evaluator like any other."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalCase, EvalResult, Kind, Measurement, Outcome, built_in_label
from judgekit.interaction import Interaction
from judgekit.judging.material import is_blank, levels_text, tested_parts
from judgekit.judging.measured import Measured, NoVerdict, failed_measure
from judgekit.judging.sampling import combined
from judgekit.judging.scales import SCORE, Levels, Scale, Score, checked_threshold, needed_score
from judgekit.judging.verdict import Verdict
from judgekit.text import one_line, shown_apart

if TYPE_CHECKING:
    from judgekit.judging.judge import Judge
    from judgekit.judging.schemas import Reading, VerdictSchema

__all__ = ["Criterion", "Decider", "JudgedEvaluator", "result_of"]

NOTHING_TO_JUDGE = "there is no reply to judge"
_TOLERANCE = 1e-9


@runtime_checkable
class Decider(Protocol):
    """Anything that decides is a judge.

    It may raise `Abstained`; whatever else it raises makes the result inconclusive, never a score.
    """

    async def decide(self, criterion: str, interaction: Interaction, /) -> Verdict:
        """Decide how far the interaction meets the criterion, which is given as its text."""
        ...


@built_in_label("judge")
class JudgedEvaluator:
    """Base of every evaluator that asks a judge; they all report under the label `judge`."""

    __slots__ = ()

    def map_judges(self, change: Callable[[Any], Any]) -> JudgedEvaluator:
        """The same evaluator with every judge in it replaced by what `change` makes of it."""
        raise NotImplementedError

    async def evaluate(self, case: EvalCase, interaction: Interaction) -> EvalResult:
        """Ask the judge about the interaction."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion(JudgedEvaluator):
    """One criterion and the judge that decides it; passes where the score reaches the threshold.

    `judge.should_satisfy(...)` and `judge.should_score_at_least(...)` build it. Built by hand, it takes
    any object with `async decide(criterion, interaction) -> Verdict`.

    Attributes:
        judge: Who decides.
        criterion: The whole text of the criterion.
        threshold: The score needed, 0 to 1, or the name of a level.
        name: Its line in the report, and what a gate's `of=` takes; the criterion's text unless given.
        scale: What the judge answers in: `Score()`, `Binary()` or `Levels(...)`.
        reference: One valid answer, where there is one.

    Raises:
        InvalidArgument: A blank criterion or name, or a threshold that no score could be held against.
    """

    judge: Any
    criterion: str
    threshold: float | str = 0.5
    name: str = ""
    scale: Scale = SCORE
    reference: str | None = None

    def __post_init__(self) -> None:
        text = self.criterion
        if not isinstance(text, str) or not text.strip():
            raise InvalidArgument(f"`criterion` must be text that is not blank, got {text!r}")
        if self.name == "":
            object.__setattr__(self, "name", text.strip())
        if not isinstance(self.name, str) or not self.name.strip():
            raise InvalidArgument(f"`name` must be text that is not blank, got {self.name!r}")
        if self.reference is not None and (not isinstance(self.reference, str) or not self.reference.strip()):
            raise InvalidArgument(
                f"`reference` must be text that is not blank or None, got {self.reference!r}"
            )
        if not isinstance(self.scale, Scale):
            raise InvalidArgument(f"`scale` must be Score(), Binary() or Levels(...), got {self.scale!r}")
        checked_threshold(self.threshold, self.scale)
        if not callable(getattr(self.judge, "decide", None)) or isinstance(self.judge, type):
            raise InvalidArgument(
                f"`judge` must have `async decide(criterion, interaction)`, got {self.judge!r}"
            )
        if self.needs_model and not callable(getattr(self.judge, "measure", None)):
            raise InvalidArgument(
                f"{type(self).__name__} needs a judge that asks a model, such as Judge(...); "
                f"{type(self.judge).__name__} only decides"
            )
        check = getattr(self.judge, "check", None)
        if check is not None:
            check(self)

    @property
    def brings_schema(self) -> bool:
        """Whether the criterion says itself what an answer looks like, whatever the judge's own schema."""
        return False

    @property
    def needs_model(self) -> bool:
        """Whether only a judge that asks a model can take the criterion."""
        return False

    def verdict_schema(self) -> VerdictSchema[Reading]:
        """The schema that answers the criterion."""
        from judgekit.judging.schemas import schema_of

        return schema_of(self.scale)

    async def put_to(self, judge: Judge, interaction: Interaction) -> Measured:
        """Put the criterion to one model, as often as the judge's `samples` says."""
        question = judge.question(judge.schema_for(self), self.parts(interaction))
        asked = await judge.ask(question, self.criterion, self.shaped_by())
        return combined(asked, self.needed, question.cuts)

    def parts(self, interaction: Interaction) -> dict[str, str]:
        """The parts of the user message, by variable name."""
        parts = tested_parts(interaction)
        parts["criterion"] = self.criterion
        parts["reference"] = self.reference or ""
        if isinstance(self.scale, Levels):
            parts["levels"] = levels_text(self.scale)
        return parts

    def shaped_by(self) -> dict[str, Any]:
        """What shapes the verdict beside the prompt and the model, for the fingerprint."""
        return {"threshold": self.threshold, "scale": repr(self.scale), "reference": self.reference}

    @property
    def is_graded(self) -> bool:
        """Whether scores near the threshold mean less certainty, as on the scale `Score()`."""
        return isinstance(self.scale, Score) and not self.brings_schema

    @property
    def needed(self) -> float:
        """The score needed, 0 to 1."""
        return needed_score(self.threshold, self.scale)

    def named(self, name: str) -> Criterion:
        """The same criterion under another name in reports and gates; the judge is asked the same."""
        return replace(self, name=name)

    def with_judge(self, judge: Any) -> Criterion:
        """The same criterion before another judge."""
        return replace(self, judge=judge)

    def map_judges(self, change: Callable[[Any], Any]) -> Criterion:
        """The same criterion before what `change` makes of its judge; of a panel, of each member."""
        mapped = getattr(self.judge, "map_judges", None)
        return self.with_judge(change(self.judge) if mapped is None else mapped(change))

    async def evaluate(self, case: EvalCase, interaction: Interaction) -> EvalResult:
        """Ask the judge; a blank reply is not asked about."""
        if is_blank(interaction.reply):
            return nothing_to_judge(self.name, self.needed)
        return result_of(self, await measure(self, interaction))


async def measure(criterion: Criterion, interaction: Interaction) -> Measured:
    """Ask the criterion's judge: one of ours, or anything that decides."""
    ours = getattr(criterion.judge, "measure", None)
    if ours is not None:
        found: Measured = await ours(criterion, interaction)
        return found
    return await _ask_decider(criterion, interaction)


async def _ask_decider(criterion: Criterion, interaction: Interaction) -> Measured:
    name = type(criterion.judge).__name__
    measurements = (Measurement(model=name, criterion=criterion.criterion),)
    try:
        verdict = criterion.judge.decide(criterion.criterion, interaction)
        if inspect.isawaitable(verdict):
            verdict = await verdict
        if not isinstance(verdict, Verdict):
            raise NoVerdict(f"{name}.decide returned {one_line(repr(verdict), 80)}, not a Verdict")
    except Exception as error:  # noqa: BLE001 - a judge that fails is a missing measurement, never the run's end
        return failed_measure(error, measurements=measurements)
    return Measured(verdict=verdict, measurements=measurements)


def nothing_to_judge(name: str, needed: float) -> EvalResult:
    """The result for a blank reply: nobody was asked."""
    return EvalResult(Outcome.INCONCLUSIVE, NOTHING_TO_JUDGE, Kind.NO_EVIDENCE, name=name, threshold=needed)


def result_of(criterion: Criterion, measured: Measured) -> EvalResult:
    """The result of a criterion; pass and fail come from score and threshold alone."""
    needed = criterion.needed if measured.needed is None else measured.needed
    name = one_line(criterion.name)
    remark = f" ({measured.remark})" if measured.remark else ""
    if measured.verdict is None:
        return EvalResult(
            Outcome.INCONCLUSIVE,
            f"{name}: {measured.cause}: {measured.why}{remark}",
            measured.kind,
            name=criterion.name,
            threshold=needed,
            cause=measured.cause,
            measurements=tuple(measured.measurements),
        )
    verdict = measured.verdict
    scored, bound = shown_apart(verdict.score, needed)
    reason = f" — {verdict.reason}" if verdict.reason.strip() else ""
    return EvalResult(
        Outcome.PASS if verdict.score >= needed - _TOLERANCE else Outcome.FAIL,
        f"{name}: scored {scored}, needed {bound}{reason}{remark}",
        name=criterion.name,
        score=verdict.score,
        threshold=needed,
        measurements=tuple(measured.measurements),
    )
