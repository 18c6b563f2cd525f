"""Conversations: several turns in one session, each with evaluators of its own."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvaluatorLike, checked_evaluators
from judgekit.interaction import Interaction, ModelCall, ToolCall
from judgekit.jsonable import json_text

__all__ = ["Dialogue", "Said", "Turn", "UserLike", "dialogue_of", "turns_of", "view_of_turn", "whole_of"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True, init=False)
class Turn:
    """One thing that the user says in a conversation, and the evaluators that its answer must pass.

    Attributes:
        command: What the agent gets: text, or any JSON-able, pydantic or dataclass value.
        evaluators: They see this turn's evidence; judges are shown the conversation up to here.
    """

    command: Any
    evaluators: tuple[EvaluatorLike, ...]

    def __init__(self, command: Any, *evaluators: EvaluatorLike | Sequence[EvaluatorLike]) -> None:
        """Build a turn.

        Raises:
            InvalidArgument: A blank command, or something that is not a labelled evaluator.
        """
        if command is None or (isinstance(command, str) and not command.strip()):
            raise InvalidArgument(f"Turn: `command` must not be blank, got {command!r}")
        object.__setattr__(self, "command", command)
        object.__setattr__(self, "evaluators", checked_evaluators("Turn", evaluators))


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a user who is played by a model came to.

    Attributes:
        text: What is said next; None where the conversation is over, or nothing came.
        failed: Why nothing came: the cause in a word or two, and a sentence.
        calls: The calls to the user's model.
    """

    text: str | None = None
    failed: tuple[str, str] | None = None
    calls: tuple[ModelCall, ...] = ()


@runtime_checkable
class UserLike(Protocol):
    """Someone who decides what to say next, such as a `SimulatedUser`."""

    @property
    def goal(self) -> str:
        """What the user wants, in words."""
        ...

    @property
    def max_turns(self) -> int:
        """How often the user may speak."""
        ...

    async def next_message(self, turns: Sequence[Interaction], /, *, spoken: int) -> Said:
        """What the user says after these turns, having `spoken` so often already."""
        ...


@dataclass(frozen=True, slots=True)
class Dialogue:
    """The turns of a case.

    Attributes:
        commands: What is said first, in order.
        counts: How many of the case's evaluators belong to each of those turns, from the first on; the
            rest belong to the whole.
        user: Who goes on after them, None where nobody does.
        stop_on_failure: Whether a failed turn ends the conversation.
    """

    commands: tuple[Any, ...]
    counts: tuple[int, ...]
    user: UserLike | None
    stop_on_failure: bool

    def split(self, evaluators: Sequence[T]) -> tuple[list[Sequence[T]], Sequence[T]]:
        """The evaluators of each turn, and those of the whole."""
        turns, start = [], 0
        for count in self.counts:
            turns.append(evaluators[start : start + count])
            start += count
        return turns, evaluators[start:]


def dialogue_of(
    case_id: str, turns: object, *, stop_on_failure: bool
) -> tuple[Dialogue, tuple[EvaluatorLike, ...]]:
    """The dialogue of what a user wrote as turns, and the evaluators of those turns.

    Raises:
        InvalidArgument: There is no turn, or something is none.
    """
    written: list[object]
    if isinstance(turns, UserLike | Turn):
        written = [turns]
    elif isinstance(turns, Iterable) and not isinstance(turns, str | Mapping):
        written = list(turns)
    else:
        raise InvalidArgument(f"case {case_id!r}: `turns` must be a list of turns, got {turns!r}")
    user: UserLike | None = None
    if written and isinstance(written[-1], UserLike):
        user = written[-1]
        written.pop()
    said = [_turn(case_id, position, turn) for position, turn in enumerate(written, start=1)]
    if not said and user is None:
        raise InvalidArgument(f"case {case_id!r}: `turns` is empty; a conversation needs one turn at least")
    dialogue = Dialogue(
        tuple(turn.command for turn in said),
        tuple(len(turn.evaluators) for turn in said),
        user,
        stop_on_failure,
    )
    return dialogue, tuple(evaluator for turn in said for evaluator in turn.evaluators)


def _turn(case_id: str, position: int, turn: object) -> Turn:
    if isinstance(turn, Turn):
        return turn
    if isinstance(turn, str):
        return Turn(turn)
    if isinstance(turn, UserLike):
        raise InvalidArgument(f"case {case_id!r}: a simulated user must come last, it is turn {position}")
    raise InvalidArgument(f"case {case_id!r}: turn {position} must be a Turn or text, got {turn!r}")


def whole_of(turns: Sequence[Interaction], *, user_calls: Sequence[ModelCall] = ()) -> Interaction:
    """The evidence of a whole conversation: the last reply, and what all turns called and spent.

    What one turn leaves unrecorded is unrecorded for the whole.
    """
    if not turns:
        return Interaction(user_calls=tuple(user_calls))
    last = turns[-1]
    errors = (f"turn {n}: {turn.error}" for n, turn in enumerate(turns, start=1) if turn.error is not None)
    return Interaction(
        command_text=turns[0].command_text,
        user_message=last.user_message,
        reply=last.reply,
        model_text=last.model_text,
        tool_calls=_joined(turn.tool_calls for turn in turns),
        model_calls=_joined(turn.model_calls for turn in turns),
        guardrails=tuple(guardrail for turn in turns for guardrail in turn.guardrails),
        latency=_sum(turn.latency for turn in turns),
        input_tokens=_sum(turn.input_tokens for turn in turns),
        output_tokens=_sum(turn.output_tokens for turn in turns),
        cost=_sum(turn.cost for turn in turns),
        blocked=any(turn.blocked for turn in turns),
        replayed=any(turn.replayed for turn in turns),
        error=next(errors, None),
        messages=tuple(_messages(turns)),
        turns=tuple(turns),
        user_calls=tuple(user_calls),
    )


def view_of_turn(turns: Sequence[Interaction], number: int) -> Interaction:
    """The evidence of one turn as evaluators see it: with the conversation up to it as its messages."""
    turn = turns[number - 1]
    return turn if number == 1 else dataclasses.replace(turn, messages=tuple(_messages(turns[:number])))


def turns_of(interaction: Interaction) -> tuple[Interaction, ...]:
    """The turns of a recorded conversation; where only its messages were kept, one for each user message."""
    if interaction.turns:
        return tuple(interaction.turns)
    starts = [n for n, message in enumerate(interaction.messages) if _is_said(message)]
    if len(starts) < 2:
        return (interaction,)
    ends = [*starts[1:], len(interaction.messages)]
    parts = [interaction.messages[start:end] for start, end in zip(starts, ends, strict=True)]
    return tuple(_of_messages(part) for part in parts)


def _is_said(message: Mapping[str, Any]) -> bool:
    return message.get("role") == "user" and bool(Interaction.from_messages([message]).user_message.strip())


def _of_messages(messages: Sequence[Mapping[str, Any]]) -> Interaction:
    found = Interaction.from_messages(messages)
    return dataclasses.replace(found, command_text=found.user_message)


def _joined(parts: Iterable[Sequence[T] | None]) -> tuple[T, ...] | None:
    known = list(parts)
    if any(part is None for part in known):
        return None
    return tuple(item for part in known if part is not None for item in part)


N = TypeVar("N", int, float)


def _sum(values: Iterable[N | None]) -> N | None:
    known = list(values)
    present = [value for value in known if value is not None]
    return sum(present[1:], present[0]) if present and len(present) == len(known) else None


def _messages(turns: Iterable[Interaction]) -> Iterator[Mapping[str, Any]]:
    """The conversation as the two sides saw it: what was said, and which tools were called."""
    number = 0
    for turn in turns:
        yield {"role": "user", "content": turn.command_text}
        calls = turn.tool_calls or ()
        if calls or turn.reply is not None:
            answer: dict[str, Any] = {"role": "assistant", "content": turn.reply}
            if calls:
                answer["tool_calls"] = [_call(call, number + n) for n, call in enumerate(calls, start=1)]
            number += len(calls)
            yield answer


def _call(call: ToolCall, number: int) -> dict[str, Any]:
    arguments = call.arguments if isinstance(call.arguments, str) else json_text(call.arguments)
    function = {"name": call.name, "arguments": arguments}
    return {"id": call.id or f"call_{number}", "type": "function", "function": function}
