"""The `should_*` methods, the same for a judge, a panel, an escalation and a judge of one's own."""

from __future__ import annotations

from typing import Any

from judgekit.judging.criterion import Criterion
from judgekit.judging.scales import SCORE, Scale

__all__ = ["JudgeBase"]


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
        return _criterion(self, criterion, threshold, name, scale, reference)


def _criterion(
    judge: Any, criterion: str, threshold: float | str, name: str | None, scale: Scale, reference: str | None
) -> Criterion:
    if name is None:
        return Criterion(
            judge=judge, criterion=criterion, threshold=threshold, scale=scale, reference=reference
        )
    return Criterion(
        judge=judge,
        criterion=criterion,
        threshold=threshold,
        name=name if name != "" else " ",
        scale=scale,
        reference=reference,
    )
