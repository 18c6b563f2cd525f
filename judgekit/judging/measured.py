"""What asking a judge came to, before a criterion makes a result of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judgekit.errors import Abstained, JudgekitError, ProviderError
from judgekit.evaluation import Kind, Measurement
from judgekit.judging.verdict import Verdict
from judgekit.text import first_line, one_line

__all__ = ["Measured", "NoVerdict", "failed_measure"]


class NoVerdict(JudgekitError):
    """A judge was asked and no usable verdict came; `cause` says why in a word or two."""

    def __init__(self, message: str, *, cause: str = "malformed") -> None:
        super().__init__(message)
        self.cause = cause

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self),), {"cause": self.cause}


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A verdict, or why there is none, and what it took.

    Attributes:
        verdict: None where there is none.
        cause: Why there is none, in a word or two, such as `rate limited`.
        why: The same for people, with a short piece of the reply where there was one.
        error: What `decide` raises.
        remark: What a reader of the score has to know, such as the spread over samples.
        measurements: One entry a model asked.
        needed: The score needed, where it is not the criterion's, as for a majority.
        flips: How many samples fell on the smaller side of the threshold.
        orders: Of a pair: the score with the tested reply shown first, and shown second.
    """

    verdict: Verdict | None = None
    cause: str = ""
    why: str = ""
    error: Exception | None = None
    remark: str = ""
    measurements: Sequence[Measurement] = ()
    needed: float | None = None
    flips: int = 0
    orders: tuple[float, float] | None = None

    @property
    def kind(self) -> Kind:
        """The kind of the missing measurement."""
        return Kind.BUDGET_SPENT if self.cause == "budget spent" else Kind.JUDGE_FAILED

    def verdict_or_raise(self) -> Verdict:
        """The verdict; raises `error` where there is none."""
        if self.verdict is not None:
            return self.verdict
        raise self.error or NoVerdict(f"{self.cause}: {self.why}", cause=self.cause)


def failed_measure(
    error: Exception, *, measurements: Sequence[Measurement] = (), remark: str = ""
) -> Measured:
    """What a judge that raised `error` came to."""
    if isinstance(error, Abstained):
        cause, why = "abstained", one_line(str(error)) or "the judge gave no reason"
    elif isinstance(error, ProviderError | NoVerdict):
        cause, why = error.cause, one_line(str(error), 600)
    elif isinstance(getattr(error, "cause", None), str) and getattr(error, "complaint", None):
        cause, why = str(error.cause), _complaint(error)  # type: ignore[attr-defined]
    else:
        # A judge of one's own that raises is a judge that is not available, whatever it raised.
        cause, why = "unavailable", f"the judge raised {first_line(error)}"
    return Measured(cause=cause, why=why, error=error, remark=remark, measurements=measurements)


def _complaint(error: Exception) -> str:
    excerpt = getattr(error, "excerpt", "")
    return f"{error.complaint}; the judge wrote: {excerpt}" if excerpt else str(error.complaint)  # type: ignore[attr-defined]
