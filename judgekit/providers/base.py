"""What is asked of a model, what comes back, and what it took."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from judgekit.errors import InvalidArgument, JudgekitError, ProviderError
from judgekit.providers.schemas import AnswerFormat
from judgekit.text import one_line

__all__ = [
    "CACHE_MODES",
    "RUNGS",
    "Answer",
    "AnswerFormat",
    "CacheMode",
    "Limits",
    "Message",
    "Price",
    "Reader",
    "Reply",
    "Request",
    "Rung",
    "Unusable",
    "Usage",
]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

Message = Mapping[str, Any]
CacheMode = Literal["off", "read-write", "replay"]
Rung = Literal["json_schema", "tool_call", "json_object", "prompt"]

RUNGS: tuple[Rung, ...] = ("json_schema", "tool_call", "json_object", "prompt")
CACHE_MODES: tuple[CacheMode, ...] = ("off", "read-write", "replay")

_COMPLAINT_LIMIT = 600
_EXCERPT_LIMIT = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How hard one model of one provider may be pressed, over all calls of a run.

    Attributes:
        max_in_flight: Requests out at once. The limiter goes below it after a 429 and comes back.
        requests_per_minute: Never more in any 60 seconds.
        tokens_per_minute: Likewise, estimated before a request and corrected after it.
    """

    max_in_flight: int = 8
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None

    def __post_init__(self) -> None:
        for name in ("max_in_flight", "requests_per_minute", "tokens_per_minute"):
            value = getattr(self, name)
            if value is None and name != "max_in_flight":
                continue
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise InvalidArgument(f"`{name}` must be a whole number of at least 1, got {value!r}")


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for a million tokens: in and out."""

    input: float
    output: float

    def __post_init__(self) -> None:
        for name in ("input", "output"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
                raise InvalidArgument(
                    f"`price` {name} must be dollars a million tokens, 0 or more, got {value!r}"
                )

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """What these tokens cost, in dollars."""
        return (input_tokens * self.input + output_tokens * self.output) / 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question to a model. It may take several HTTP requests, never more than `attempts`.

    Attributes:
        model: A litellm model string, or an object with a `complete` method, such as a `ScriptedModel`.
        messages: Chat messages with text content. Tested text in them is fenced by the caller.
        format: What the answer must look like; None asks for plain text.
        temperature: None leaves it to the provider.
        max_tokens: Of one answer; doubled once when an answer is cut off. None leaves it to the provider.
        timeout: Seconds that one HTTP request may take.
        attempts: HTTP requests in all, at most.
        deadline: Seconds for everything, waiting included.
        api_base: Address of the provider's API, where it is not litellm's own.
        api_key: Never shown, stored or logged; None leaves it to the environment.
        params: Further litellm parameters, such as `top_p`, `seed` or `logprobs`.
        rung: Where on the ladder of formats to start.
        cache: None takes `JUDGEKIT_CACHE`, else `off`.
        cache_file: None takes `JUDGEKIT_CACHE_FILE`, else `.judgekit/cache.sqlite`.
        sample: Which of several repeats of one question this is. Samples never share an answer.
        limits: None takes the run's limits, else the defaults.
        price: Where litellm knows none, or a wrong one.
    """

    model: Any
    messages: Sequence[Message]
    format: AnswerFormat | None = None
    temperature: float | None = 0
    max_tokens: int | None = 1024
    timeout: float = 60
    attempts: int = 4
    deadline: float = 300
    api_base: str | None = None
    api_key: str | None = field(default=None, repr=False)
    params: Mapping[str, Any] = field(default_factory=dict, repr=False)
    rung: Rung | Literal["auto"] = "auto"
    cache: CacheMode | None = None
    cache_file: str | None = None
    sample: int = 0
    limits: Limits | None = None
    price: Price | None = None

    @property
    def is_scripted(self) -> bool:
        """Whether the model is an object in this process, so that nothing goes over a wire."""
        return callable(getattr(self.model, "complete", None))

    @property
    def model_name(self) -> str:
        """The model as reports name it."""
        if isinstance(self.model, str):
            return str(self.model)
        return str(getattr(self.model, "name", None) or type(self.model).__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What one HTTP request brought back.

    Attributes:
        text: The answer: the message's text, or the arguments of the forced tool call. None: there is none.
        finish_reason: As the provider says: `stop`, `length`, `content_filter`, `tool_calls`...
        refusal: The text of a refusal, where the provider marks one.
        input_tokens: None where the provider did not say.
        output_tokens: Likewise.
        cost: US dollars; None where the price is unknown.
        model_served: The model that the server says it ran.
        rung: How the format was asked for.
        logprobs: One entry a token, `{"token", "logprob", "top": [[token, logprob], ...]}`; None: not given.
        choices: How many choices the answer had; 0 is no answer.
    """

    text: str | None
    finish_reason: str | None = None
    refusal: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    model_served: str | None = None
    rung: Rung = "prompt"
    logprobs: tuple[Mapping[str, Any], ...] | None = None
    choices: int = 1


class Unusable(JudgekitError):
    """An answer that cannot be used. A reader raises it; asked again with the complaint while attempts last.

    Args:
        cause: Two words for reports: `malformed`, `truncated`, or what fits.
        complaint: What is wrong, said to the model and in reports. Made one safe line, so that nothing
            quoted in it can pass for structure.
        excerpt: A short piece of the reply, for reports only.
        again: Whether asking again can help.
    """

    def __init__(self, cause: str, complaint: str, excerpt: str = "", *, again: bool = True) -> None:
        self.cause = cause
        self.complaint = one_line(complaint, _COMPLAINT_LIMIT)
        self.excerpt = one_line(excerpt, _EXCERPT_LIMIT)
        self.again = again
        super().__init__(self.complaint + (f"; the reply: {self.excerpt}" if self.excerpt else ""))

    def __reduce__(self) -> tuple[object, ...]:
        return _unusable, (self.cause, self.complaint, self.excerpt, self.again)


def _unusable(cause: str, complaint: str, excerpt: str, again: bool) -> Unusable:
    return Unusable(cause, complaint, excerpt, again=again)


Reader = Callable[[Reply], T]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a question took, every HTTP request of it counted.

    A request that the provider answered with an error status used no tokens. One that was lost, timed out,
    or came back without counts used an unknown number: then the flags are False and the sums are the known
    part.

    Attributes:
        requests: HTTP requests sent.
        known_input_tokens: Sum of what was reported.
        known_output_tokens: Likewise.
        known_cost: US dollars, likewise.
        tokens_complete: Whether every request's tokens are known.
        cost_complete: Whether every request's cost is known.
    """

    requests: int = 0
    known_input_tokens: int = 0
    known_output_tokens: int = 0
    known_cost: float = 0.0
    tokens_complete: bool = True
    cost_complete: bool = True

    @property
    def input_tokens(self) -> int | None:
        """Over every request; None where one is unknown."""
        return self.known_input_tokens if self.tokens_complete else None

    @property
    def output_tokens(self) -> int | None:
        """Over every request; None where one is unknown."""
        return self.known_output_tokens if self.tokens_complete else None

    @property
    def cost(self) -> float | None:
        """US dollars over every request; None where one is unknown."""
        return self.known_cost if self.cost_complete else None


@dataclass(frozen=True, kw_only=True)
class Answer(Generic[T_co]):
    """How a question ended: with a value, or with the error that says why not.

    Attributes:
        value: What the reader made of the answer. Only meaningful where `error` is None.
        error: Why there is none: a `ProviderError`, or `Unusable` for an answer that never was one.
        usage: What it took. Of a cached answer: what it took when it was recorded.
        rung: The rung the last request used.
        parameters: What was really sent, after repairs.
        notes: What was changed on the way, one sentence each.
        model_served: The model that the server says answered last.
        cached: The answer came from the cache; nothing was asked.
        shared: The answer of an identical request that was in flight; nothing more was asked.
        reply: The last reply, usable or not; None where none came.
    """

    value: T_co | None = None
    error: ProviderError | Unusable | None = None
    usage: Usage = field(default_factory=Usage)
    rung: Rung | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    model_served: str | None = None
    cached: bool = False
    shared: bool = False
    reply: Reply | None = None

    @property
    def cause(self) -> str | None:
        """Two or three words: why there is no value; None where there is one."""
        return None if self.error is None else self.error.cause
