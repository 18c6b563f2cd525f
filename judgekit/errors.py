"""The exception tree.

JudgekitError
├── InvalidArgument (ValueError)   something was built wrongly; nothing has been called yet
│   └── InvalidPlan                an experiment that may not start, with every problem found
├── FileUnreadable (ValueError)    a file is not what it should be; every bad line is named
├── ExtraMissing (ImportError)     an optional dependency is not installed
├── GateFailed (AssertionError)    raised by `EvalReport.raise_for_gate`, never by a run
├── Blocked                        an agent raises it when a guardrail stopped the turn
├── Abstained                      a judge raises it when it declines to decide
└── ProviderError                  a model call ended without an answer; `cause` says why
    ├── ProviderUnavailable        connection lost, 5xx, or an answer that is no answer
    ├── RateLimited                429
    ├── QuotaSpent                 429 or 402 that no waiting cures
    ├── AuthenticationFailed       401, 403 or no key at all
    ├── RequestRefused             the request itself is wrong (400, 404, 413, 422)
    ├── ContentRefused             a content filter stopped the request or the answer
    ├── DeadlineExceeded           no answer in time
    ├── BudgetSpent                the run's cost limit is reached
    └── ReplayMissing              replay mode holds no record of this request
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

__all__ = [
    "Abstained",
    "AuthenticationFailed",
    "Blocked",
    "BudgetSpent",
    "ContentRefused",
    "DeadlineExceeded",
    "ExtraMissing",
    "FileUnreadable",
    "GateFailed",
    "InvalidArgument",
    "InvalidPlan",
    "JudgekitError",
    "ProviderError",
    "ProviderUnavailable",
    "QuotaSpent",
    "RateLimited",
    "ReplayMissing",
    "RequestRefused",
]


class JudgekitError(Exception):
    """Base of every error that judgekit raises itself."""


class InvalidArgument(JudgekitError, ValueError):
    """A value that cannot work was refused where it was written, before any call."""


class InvalidPlan(InvalidArgument):
    """An experiment may not start; `problems` holds every reason, one sentence each."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))

    def __reduce__(self) -> tuple[type[InvalidPlan], tuple[tuple[str, ...]]]:
        return type(self), (self.problems,)


class FileUnreadable(JudgekitError, ValueError):
    """A file is not what it should be; the text names the file and each bad line."""


class ExtraMissing(JudgekitError, ImportError):
    """An optional dependency is missing; the text holds the install command."""


class GateFailed(JudgekitError, AssertionError):
    """The gate did not pass; the text is the rendered report."""


class Blocked(JudgekitError):
    """A guardrail stopped the turn. Raised by an agent, so that `should_be_blocked()` can see it."""


class Abstained(JudgekitError):
    """The judge declines to decide. The result is inconclusive, never a score."""


class ProviderError(JudgekitError):
    """A model call ended without a usable answer. Picklable; its text never holds a key.

    Attributes:
        cause: Two or three words for reports, such as `rate limited`.
        status: The HTTP status, where there was one.
        retry_after: Seconds the provider asked to wait, where it did.
    """

    cause: ClassVar[str] = "unavailable"

    def __init__(self, message: str, *, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after

    def __reduce__(self) -> tuple[object, ...]:
        state = {"status": self.status, "retry_after": self.retry_after}
        return type(self), (str(self),), state


class ProviderUnavailable(ProviderError):
    """The connection was lost, the server failed, or what came back is no answer."""


class RateLimited(ProviderError):
    """The provider asked to slow down."""

    cause: ClassVar[str] = "rate limited"


class QuotaSpent(ProviderError):
    """The account has no quota left; waiting does not help."""

    cause: ClassVar[str] = "quota"


class AuthenticationFailed(ProviderError):
    """The key is missing, wrong, or not allowed to use the model."""

    cause: ClassVar[str] = "authentication"


class RequestRefused(ProviderError):
    """The provider does not take this request; sending it again cannot help."""

    cause: ClassVar[str] = "bad request"


class ContentRefused(ProviderError):
    """A content filter stopped the request or the answer, or the model refused."""

    cause: ClassVar[str] = "refused"


class DeadlineExceeded(ProviderError):
    """No answer came within the time allowed."""

    cause: ClassVar[str] = "timeout"


class BudgetSpent(ProviderError):
    """The run's cost limit leaves no room for this call."""

    cause: ClassVar[str] = "budget spent"


class ReplayMissing(ProviderError):
    """Replay mode holds no record of this request, and replay never uses the network."""

    cause: ClassVar[str] = "no record"
