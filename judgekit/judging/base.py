"""The `should_*` methods, the same for a judge, a panel, an escalation and a judge of one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from judgekit.errors import Abstained, InvalidArgument
from judgekit.interaction import Interaction, ToolCall
from judgekit.judging.criterion import NOTHING_TO_JUDGE, Criterion
from judgekit.judging.material import is_blank
from judgekit.judging.measured import Measured
from judgekit.judging.scales import SCORE, Scale
from judgekit.judging.verdict import Verdict

if TYPE_CHECKING:
    from judgekit.judging.pairs import Preference

__all__ = ["JudgeBase", "ModelJudging"]


def _named(name: str | None) -> str:
    """The name as a criterion takes it; "" stands for the criterion's own text."""
    if name is None:
        return ""
    if not isinstance(name, str) or not name.strip():
        raise InvalidArgument(f"`name` must be text that is not blank, got {name!r}")
    return name


class JudgeBase:
    """Makes criteria. Derive a judge of your own from it and write `async decide(criterion, interaction)`."""

    __slots__ = ()

    def should_satisfy(
        self,
        criterion: str,
        *,
        name: str | None = None,
        scale: Scale = SCORE,
        reference: str | None = None,
    ) -> Criterion:
        """The reply should satisfy the criterion: a score of at least 0.5.

        Args:
            criterion: What a good reply is like, in words.
            name: Its line in the report; the criterion's text unless given.
            scale: What the judge answers in.
            reference: One valid answer, shown to the judge as one of several possible ones.

        Raises:
            InvalidArgument: A blank criterion, name or reference, or an unknown scale.
        """
        return self.should_score_at_least(criterion, 0.5, name=name, scale=scale, reference=reference)

    def should_score_at_least(
        self,
        criterion: str,
        threshold: float | str,
        *,
        name: str | None = None,
        reference: str | None = None,
        scale: Scale = SCORE,
    ) -> Criterion:
        """The reply should score at least `threshold` on the criterion.

        Args:
            criterion: What a good reply is like, in words.
            threshold: From 0 to 1, or the name of a level of the scale.
            name: Its line in the report; the criterion's text unless given.
            reference: One valid answer, shown to the judge as one of several possible ones.
            scale: What the judge answers in.

        Raises:
            InvalidArgument: A blank criterion, name or reference, or a threshold outside the scale.
        """
        return Criterion(
            judge=self,
            criterion=criterion,
            threshold=threshold,
            name=_named(name),
            scale=scale,
            reference=reference,
        )

    def should_satisfy_all(
        self, criteria: Mapping[str, str], *, threshold: float = 0.5
    ) -> tuple[Criterion, ...]:
        """One criterion a name; a model is asked about all of them in one request an attempt.

        Args:
            criteria: Text by name; each is one line in the report.
            threshold: The score that each of them needs, from 0 to 1.

        Raises:
            InvalidArgument: No criteria, a blank name or text, or a threshold outside 0..1.
        """
        from judgekit.judging.rubric import rubric_criteria

        return rubric_criteria(self, criteria, threshold)


class ModelJudging(JudgeBase):
    """What judges that ask models can do beside: pairs, and questions in a schema of one's own."""

    __slots__ = ()

    async def measure(self, criterion: Criterion, interaction: Interaction) -> Measured:
        """Put a criterion to the model or models; what came of it, failures included."""
        raise NotImplementedError

    async def decide(self, criterion: str | Criterion, interaction: Interaction, /) -> Verdict:
        """Decide how far the interaction meets the criterion.

        Raises:
            Abstained: The model declined, or the reply is blank and there is nothing to judge.
            ProviderError: The call ended without an answer; `cause` says why.
            JudgekitError: What came back is no verdict; `cause` says why.
        """
        if is_blank(interaction.reply):
            raise Abstained(NOTHING_TO_JUDGE)
        asked = self.should_satisfy(criterion) if isinstance(criterion, str) else criterion
        return (await self.measure(asked, interaction)).verdict_or_raise()

    def should_be_preferred_over(
        self, reference_reply: str, criterion: str, *, name: str | None = None, threshold: float = 1.0
    ) -> Criterion:
        """The reply should be better than another one. The model is asked twice, each reply first once.

        It scores 1 where both orders prefer it, 0 where both prefer the other, and 0.5, a tie, where they
        disagree.

        Args:
            reference_reply: The reply to beat.
            criterion: What makes a reply better, in words.
            name: Its line in the report; the criterion's text unless given.
            threshold: 1 asks for a win; 0.5 lets a tie pass.

        Raises:
            InvalidArgument: A blank reply, criterion or name, or a threshold outside 0..1.
        """
        from judgekit.judging.pairs import PairCriterion

        return PairCriterion(
            judge=self, criterion=criterion, threshold=threshold, name=_named(name), reference=reference_reply
        )

    async def pairwise(
        self,
        a: str,
        b: str,
        criterion: str,
        *,
        asked: str = "",
        tool_calls: Sequence[ToolCall] | None = None,
    ) -> Preference:
        """Which of two replies is better. The model is asked twice, each reply first once.

        Args:
            a: One reply.
            b: The other.
            criterion: What makes a reply better, in words.
            asked: What both replies answer.
            tool_calls: Tool calls that both rest on; None: nobody recorded any.
        """
        from judgekit.judging.pairs import PairCriterion, preference_of

        pair = PairCriterion(judge=self, criterion=criterion, threshold=0.5, reference=b)
        calls = None if tool_calls is None else tuple(tool_calls)
        interaction = Interaction(command_text=asked, reply=a, tool_calls=calls)
        return preference_of(await self.measure(pair, interaction))

    def should_answer(
        self,
        schema: Any,
        question: str,
        *,
        passes: Callable[[Any], bool] | None = None,
        name: str | None = None,
        threshold: float = 0.5,
        reference: str | None = None,
    ) -> Criterion:
        """The model answers a question in a schema of your own.

        Args:
            schema: A pydantic class or a JSON Schema of an object.
            question: What to find out about the reply, in words.
            passes: Decides from the verdict, an object of your class or a dict. Without it the schema's
                own `score`, a number from 0 to 1, is held against the threshold.
            name: Its line in the report; the question unless given.
            threshold: The score needed, from 0 to 1.
            reference: One valid answer, shown as one of several possible ones.

        Raises:
            InvalidArgument: The schema is not valid, points outside itself, or nothing in it decides.
        """
        from judgekit.judging.own import OwnCriterion

        if passes is not None and threshold != 0.5:
            raise InvalidArgument("`passes` decides by itself; leave `threshold` out")
        return OwnCriterion(
            judge=self,
            criterion=question,
            threshold=threshold,
            name=_named(name),
            reference=reference,
            schema=schema,
            passes=passes,
        )
