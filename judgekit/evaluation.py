"""The vocabulary: a case, the evaluators it must pass, and what an evaluator found."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from judgekit.checking import items_of
from judgekit.errors import InvalidArgument
from judgekit.interaction import Interaction, ToolCall
from judgekit.jsonable import json_text
from judgekit.labels import CUSTOM_PREFIX, built_in_label, eval_label, label_of, label_owner
from judgekit.outcomes import EvalResult, Kind, Measurement, Outcome
from judgekit.signatures import check_takes

if TYPE_CHECKING:
    from judgekit.conversation import Dialogue, Turn, UserLike

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


def evaluate_function(evaluator: EvaluatorLike) -> Callable[[EvalCase, Interaction], Any]:
    """The callable that evaluates: the method of an evaluator object, or the function itself."""
    method = getattr(evaluator, "evaluate", None)
    if callable(method):
        return method  # type: ignore[no-any-return]
    return evaluator  # type: ignore[return-value]


def _no_evaluator(found: object) -> str:
    if hasattr(found, "should_satisfy"):
        kind = type(found).__name__
        return f'a {kind} is not an evaluator; write {kind.lower()}.should_satisfy("The reply is polite")'
    text = f"{found!r} is not an evaluator; it needs `evaluate(case, interaction)` and a label"
    if isinstance(found, str):
        text += f". For a question to a judge write judge.should_satisfy({found!r})"
    return text


def _checked_evaluator(owner: str, evaluator: object) -> EvaluatorLike:
    if isinstance(evaluator, type):
        raise InvalidArgument(
            f"{owner}: {evaluator.__name__} is a class, not an evaluator; write {evaluator.__name__}(...)"
        )
    if not callable(getattr(evaluator, "evaluate", None)) and not callable(evaluator):
        raise InvalidArgument(f"{owner}: {_no_evaluator(evaluator)}")
    try:
        label = label_of(evaluator)
    except InvalidArgument as error:
        raise InvalidArgument(f"{owner}: {error}") from None
    if label.startswith(CUSTOM_PREFIX):
        function: Any = getattr(evaluator, "evaluate", evaluator)
        check_takes(f"{owner}: {label}", function, "case", "interaction")
    count = getattr(evaluator, "result_count", 1)
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise InvalidArgument(
            f"{owner}: `result_count` of {label} must be a whole number >= 1, got {count!r}"
        )
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
    """What an agent is asked, and the evaluators that its reply and tool calls must pass.

    `EvalCase(...)` is one turn; `EvalCase.conversation(...)` builds a case of several.

    Attributes:
        id: Unique in an experiment.
        command: What the agent gets: text, or any JSON-able, pydantic or dataclass value.
        evaluators: In the order in which they report. Without any the case only collects evidence.
        recorded_calls: Tool calls to load into stubs before the agent is called (`ToolBindings`).
        interactions: Recorded interactions, the i-th is run i; scored where no agent is given.
        tags: Free words to select cases by.
        metadata: Anything the user wants to keep beside the case.
        dialogue: The turns of a conversation; None for a single turn.
    """

    id: str
    command: Any
    evaluators: tuple[EvaluatorLike, ...]
    recorded_calls: tuple[ToolCall, ...]
    interactions: tuple[Interaction, ...]
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    dialogue: Dialogue | None

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
        if metadata is not None and not isinstance(metadata, Mapping):
            raise InvalidArgument(f"case {id!r}: `metadata` must be a mapping, got {metadata!r}")
        put = object.__setattr__
        put(self, "id", id)
        put(self, "command", command)
        put(self, "evaluators", checked_evaluators(f"case {id!r}", evaluators))
        put(self, "recorded_calls", _all(id, "recorded_calls", recorded_calls, ToolCall))
        put(self, "interactions", _all(id, "interactions", interactions, Interaction))
        put(self, "tags", _all(id, "tags", tags, str))
        put(self, "metadata", dict({} if metadata is None else metadata))
        put(self, "dialogue", None)

    @classmethod
    def conversation(
        cls,
        id: str,
        turns: Sequence[Turn | UserLike | str] | UserLike,
        *evaluators: EvaluatorLike | Sequence[EvaluatorLike],
        stop_on_failure: bool = False,
        recorded_calls: Iterable[ToolCall] = (),
        interactions: Iterable[Interaction] = (),
        tags: Iterable[str] = (),
        metadata: Mapping[str, Any] | None = None,
    ) -> EvalCase:
        """Several turns in one session. One failed turn fails the case; later turns are still run.

        Args:
            id: Unique in an experiment.
            turns: What the user says, each a `Turn` or text; a `SimulatedUser` may come last, or alone.
            evaluators: For the whole conversation: its last reply, and all tool calls of all turns.
            stop_on_failure: End the conversation with the first turn that fails.
            recorded_calls: Tool calls to load into stubs before the first turn.
            interactions: Recorded conversations, the i-th is run i; scored where no agent is given.
            tags: Free words to select cases by.
            metadata: Anything the user wants to keep beside the case.

        Raises:
            InvalidArgument: A blank id, no turns, or something that is neither turn nor evaluator.
        """
        from judgekit.conversation import dialogue_of

        dialogue, of_turns = dialogue_of(id, turns, stop_on_failure=stop_on_failure)
        command = dialogue.commands[0] if dialogue.user is None or dialogue.commands else dialogue.user.goal
        case = cls(
            id,
            command,
            *of_turns,
            *evaluators,
            recorded_calls=recorded_calls,
            interactions=interactions,
            tags=tags,
            metadata=metadata,
        )
        object.__setattr__(case, "dialogue", dialogue)
        return case

    def replaced(
        self,
        *,
        id: str | None = None,
        evaluators: Sequence[EvaluatorLike] | None = None,
        interactions: Iterable[Interaction] | None = None,
    ) -> EvalCase:
        """The same case with another id, another evaluator for each of its own, or other interactions."""
        case = EvalCase(
            self.id if id is None else id,
            self.command,
            *(self.evaluators if evaluators is None else evaluators),
            recorded_calls=self.recorded_calls,
            interactions=self.interactions if interactions is None else interactions,
            tags=self.tags,
            metadata=self.metadata,
        )
        object.__setattr__(case, "dialogue", self.dialogue)
        return case

    def command_text(self) -> str:
        """The command as text: a str as it is, else its JSON."""
        return command_text(self.command)


def _all(case_id: str, name: str, values: Iterable[object], kind: type) -> tuple[Any, ...]:
    if isinstance(values, kind):
        raise InvalidArgument(f"case {case_id!r}: `{name}` must be a list; write [{kind.__name__}(...)]")
    return items_of(f"case {case_id!r}", name, values, kind)
