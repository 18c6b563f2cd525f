"""The vocabulary: a case, the evaluators it must pass, and what an evaluator found."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable

from judgekit.errors import InvalidArgument
from judgekit.interaction import Interaction, ToolCall
from judgekit.jsonable import json_text

__all__ = [
    "CUSTOM_PREFIX",
    "EvalCase",
    "EvalResult",
    "Evaluator",
    "EvaluatorLike",
    "Kind",
    "Measurement",
    "Outcome",
    "built_in_label",
    "eval_label",
    "evaluate_function",
    "label_of",
    "label_owner",
]

CUSTOM_PREFIX = "custom-eval:"


class Outcome(Enum):
    """What an evaluator, an attempt or a gate came to."""

    PASS = "pass"  # noqa: S105 - an outcome, not a password
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"


class Kind(Enum):
    """Why a result is inconclusive."""

    NO_EVIDENCE = "no_evidence"
    """What the evaluator reads is absent; the result leaves every count."""
    JUDGE_FAILED = "judge_failed"
    BUDGET_SPENT = "budget_spent"
    TIME_LIMIT = "time_limit"
    INTERRUPTED = "interrupted"
    NOT_RUN = "not_run"
    """The attempt failed before its evaluators: loading recorded calls or the agent call raised."""

    @property
    def is_missing_measurement(self) -> bool:
        """Whether a value exists that could not be measured, so that it bounds a gate."""
        return self in _MISSING


_MISSING = frozenset({Kind.JUDGE_FAILED, Kind.BUDGET_SPENT, Kind.TIME_LIMIT, Kind.INTERRUPTED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """How one judged result was measured: enough to tell two instruments apart, and what it cost.

    Attributes:
        model: The model asked, as a litellm string; the class's name for a judge of one's own.
        model_served: The model that the server says answered.
        criterion: The whole text of the criterion.
        prompt: Name, version and content hash of the prompt, as `judge/score 1 3f2a9c81d0e4`.
        schema: The verdict schema's name.
        rung: How the format was asked for: `json_schema`, `tool_call`, `json_object` or `prompt`.
        parameters: The parameters really sent.
        notes: What was changed or cut on the way, such as a dropped parameter.
        requests: HTTP requests made for this result; 0 where it came from a cache or a shared request.
        asked: Whether a model was asked for this result (a retry does not count again).
        cached: Whether the verdict came from a cache.
        input_tokens: Of every request that reported them, failed ones too; None where none did.
        output_tokens: Likewise.
        cost: US dollars, likewise; None where no price is known.
        tokens_complete: Whether every request reported its tokens; else they are a lower bound.
        cost_complete: Whether every request's cost is known; else it is a lower bound.
        fingerprint: A hash over everything above that shapes a verdict.
    """

    model: str
    model_served: str | None = None
    criterion: str = ""
    prompt: str = ""
    schema: str = ""
    rung: str = ""
    parameters: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    notes: tuple[str, ...] = ()
    requests: int = 0
    asked: bool = True
    cached: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    tokens_complete: bool = True
    cost_complete: bool = True
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class EvalResult:
    """What one evaluator found about one interaction.

    Build it with `EvalResult.passed()`, `.failed(detail)` or `.inconclusive(detail, kind=...)`; the
    runner fills in the label.

    Attributes:
        outcome: PASS, FAIL or INCONCLUSIVE.
        detail: One sentence for people.
        kind: Why it is inconclusive; None otherwise.
        label: The label of the evaluator, as reports show it.
        name: The criterion's name, for judged results.
        score: What a judge measured, 0 to 1; None where there is no score.
        threshold: The score needed.
        cause: Why a judge failed, in a word or two, such as `rate limited`.
        measurements: How it was measured, one entry a judge asked.
    """

    outcome: Outcome
    detail: str = ""
    kind: Kind | None = None
    label: str = ""
    name: str | None = None
    score: float | None = None
    threshold: float | None = None
    cause: str | None = None
    measurements: tuple[Measurement, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.outcome, Outcome):
            raise InvalidArgument(f"`outcome` must be an Outcome, got {self.outcome!r}")
        if not isinstance(self.detail, str):
            raise InvalidArgument(f"`detail` must be text, got {self.detail!r}")
        if (self.kind is not None) != (self.outcome is Outcome.INCONCLUSIVE):
            raise InvalidArgument("`kind` belongs to INCONCLUSIVE and only to it")
        score = self.score
        if score is not None and (
            isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1
        ):
            raise InvalidArgument(f"`score` must be a number from 0 to 1 or None, got {score!r}")

    @classmethod
    def passed(cls, detail: str = "") -> EvalResult:
        """The interaction is as it should be."""
        return cls(Outcome.PASS, detail)

    @classmethod
    def failed(cls, detail: str) -> EvalResult:
        """The interaction is not as it should be; `detail` says what was found."""
        return cls(Outcome.FAIL, detail)

    @classmethod
    def inconclusive(
        cls, detail: str, *, kind: Kind | str = Kind.NO_EVIDENCE, cause: str | None = None
    ) -> EvalResult:
        """It could not be decided.

        Args:
            detail: What is missing.
            kind: `no_evidence` where the evidence is absent, else a missing measurement, which bounds
                every gate: `judge_failed`, `budget_spent`, `time_limit`, `interrupted`.
            cause: The reason in a word or two; gates count by it.
        """
        return cls(Outcome.INCONCLUSIVE, detail, Kind(kind), cause=cause)

    @property
    def is_missing(self) -> bool:
        """Whether this is a missing measurement, which bounds a gate instead of leaving its count."""
        return self.kind is not None and self.kind.is_missing_measurement


@runtime_checkable
class Evaluator(Protocol):
    """What a case's reply and tool calls must pass.

    A class with `@eval_label(...)` and this method, sync or async. It reads the interaction and never
    changes it. Raising counts as a FAIL. A class that returns several results at once says how many in
    an attribute `result_count`.
    """

    def evaluate(self, case: EvalCase, interaction: Interaction, /) -> Any:
        """Return an EvalResult, or an awaitable of one."""
        ...


EvaluatorFunction: TypeAlias = "Callable[[EvalCase, Interaction], EvalResult | Awaitable[EvalResult]]"
EvaluatorLike: TypeAlias = "Evaluator | EvaluatorFunction"
T = TypeVar("T", bound=Callable[..., Any])


def _checked_label(label: object) -> str:
    if not isinstance(label, str) or not label.strip():
        raise InvalidArgument(f"an evaluator's label must be text that is not blank, got {label!r}")
    if label.startswith(CUSTOM_PREFIX):
        raise InvalidArgument(
            f"an evaluator's label must not start with {CUSTOM_PREFIX!r}, which reports add by themselves; "
            f"write {label.removeprefix(CUSTOM_PREFIX)!r}"
        )
    if not label.isprintable():
        raise InvalidArgument(f"an evaluator's label must be printable text on one line, got {label!r}")
    return label


def eval_label(label: str) -> Callable[[T], T]:
    """Name an evaluator class or function in reports and gates, as `custom-eval:<label>`.

    Raises:
        InvalidArgument: The label is blank or starts with `custom-eval:`.
    """
    checked = _checked_label(label)

    def attach(owner: T) -> T:
        owner.__eval_label__ = CUSTOM_PREFIX + checked  # type: ignore[attr-defined]
        return owner

    return attach


def built_in_label(label: str) -> Callable[[T], T]:
    """Give one of judgekit's own evaluators its label, which reports show as it is."""
    checked = _checked_label(label)

    def attach(owner: T) -> T:
        owner.__eval_label__ = checked  # type: ignore[attr-defined]
        return owner

    return attach


def label_of(evaluator: object) -> str:
    """The label as reports show it, of an evaluator, its class, or a labelled function.

    Raises:
        InvalidArgument: It has no label.
    """
    label = getattr(evaluator, "__eval_label__", None)
    if isinstance(label, str):
        return label
    raise InvalidArgument(_unlabelled(evaluator))


def _unlabelled(evaluator: object) -> str:
    if isinstance(evaluator, type):
        return f'the evaluator class {evaluator.__name__} has no label; write `@eval_label("...")` above it'
    name = getattr(evaluator, "__name__", type(evaluator).__name__)
    if name == "<lambda>":
        return (
            'a bare lambda has no label; name it with `eval_label("my-check")(lambda case, interaction: ...)`'
        )
    return f'the evaluator {name} has no label; write `@eval_label("...")` above its class or function'


def label_owner(evaluator: object) -> object:
    """What a label belongs to: the class that set it, or a function's code, so closures are one owner."""
    code = getattr(evaluator, "__code__", None)
    if code is not None:
        return code
    kind = evaluator if isinstance(evaluator, type) else type(evaluator)
    for base in kind.__mro__:
        if "__eval_label__" in vars(base):
            return base
    return kind


def evaluate_function(evaluator: EvaluatorLike) -> Callable[[EvalCase, Interaction], Any]:
    """The callable that evaluates: the method of an evaluator object, or the function itself."""
    method = getattr(evaluator, "evaluate", None)
    if callable(method):
        return method  # type: ignore[no-any-return]
    return evaluator  # type: ignore[return-value]


def _checked_evaluator(owner: str, evaluator: object) -> EvaluatorLike:
    if isinstance(evaluator, type):
        raise InvalidArgument(
            f"{owner}: {evaluator.__name__} is a class, not an evaluator; write {evaluator.__name__}(...)"
        )
    if not callable(getattr(evaluator, "evaluate", None)) and not callable(evaluator):
        raise InvalidArgument(
            f"{owner}: {evaluator!r} is not an evaluator; it needs `evaluate(case, interaction)` and a label"
        )
    try:
        label_of(evaluator)
    except InvalidArgument as error:
        raise InvalidArgument(f"{owner}: {error}") from None
    return evaluator  # type: ignore[return-value]


def _flattened(evaluators: Iterable[object]) -> Iterable[object]:
    for evaluator in evaluators:
        if isinstance(evaluator, list | tuple):
            yield from _flattened(evaluator)
        else:
            yield evaluator


def checked_evaluators(owner: str, evaluators: Iterable[object]) -> tuple[EvaluatorLike, ...]:
    """The evaluators as one flat tuple, each checked for a label and an `evaluate`."""
    return tuple(_checked_evaluator(owner, evaluator) for evaluator in _flattened(evaluators))


def command_text(command: object) -> str:
    """A command as text: a str as it is, anything else as its JSON."""
    return command if isinstance(command, str) else json_text(command)


@dataclass(frozen=True, slots=True, init=False)
class EvalCase:
    """One turn with an agent, and the evaluators that its reply and tool calls must pass.

    Attributes:
        id: Unique in an experiment.
        command: What the agent gets: text, or any JSON-able, pydantic or dataclass value.
        evaluators: In the order in which they report. Without any the case only collects evidence.
        recorded_calls: Tool calls to load into stubs before the agent is called (`ToolBindings`).
        interactions: Recorded interactions, the i-th is run i; scored where no agent is given.
        tags: Free words to select cases by.
        metadata: Anything the user wants to keep beside the case.
    """

    id: str
    command: Any
    evaluators: tuple[EvaluatorLike, ...]
    recorded_calls: tuple[ToolCall, ...]
    interactions: tuple[Interaction, ...]
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]

    def __init__(
        self,
        id: str,
        command: Any,
        *evaluators: EvaluatorLike | Sequence[EvaluatorLike],
        recorded_calls: Iterable[ToolCall] = (),
        interactions: Iterable[Interaction] = (),
        tags: Iterable[str] = (),
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        """Build a case; everything that cannot work is refused here.

        Raises:
            InvalidArgument: A blank id or command, or something that is not a labelled evaluator.
        """
        if not isinstance(id, str) or not id.strip():
            raise InvalidArgument(f"EvalCase: `id` must be text that is not blank, got {id!r}")
        if command is None or (isinstance(command, str) and not command.strip()):
            raise InvalidArgument(f"case {id!r}: `command` must not be blank, got {command!r}")
        if isinstance(tags, str):
            raise InvalidArgument(
                f"case {id!r}: `tags` must be a list of words, got {tags!r}; write [{tags!r}]"
            )
        put = object.__setattr__
        put(self, "id", id)
        put(self, "command", command)
        put(self, "evaluators", checked_evaluators(f"case {id!r}", evaluators))
        put(self, "recorded_calls", _all(id, "recorded_calls", recorded_calls, ToolCall))
        put(self, "interactions", _all(id, "interactions", interactions, Interaction))
        put(self, "tags", tuple(tags))
        put(self, "metadata", dict(metadata or {}))

    def command_text(self) -> str:
        """The command as text: a str as it is, else its JSON."""
        return command_text(self.command)


def _all(case_id: str, name: str, values: Iterable[object], kind: type) -> tuple[Any, ...]:
    if isinstance(values, kind):
        raise InvalidArgument(f"case {case_id!r}: `{name}` must be a list; write [{kind.__name__}(...)]")
    items = tuple(values)
    for item in items:
        if not isinstance(item, kind):
            raise InvalidArgument(
                f"case {case_id!r}: `{name}` must hold {kind.__name__} objects, got {type(item).__name__}"
            )
    return items


def is_finite_number(value: object) -> bool:
    """Whether `value` is a finite int or float and no bool."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
