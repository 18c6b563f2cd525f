"""OpenTelemetry spans of one turn, to an Interaction."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from judgekit.adapters.messages import message_text
from judgekit.adapters.recorded import RecordedCall, tool_calls_asked_for
from judgekit.adapters.span_flavours import AgentSeen, ModelSeen, Seen, seen_in
from judgekit.adapters.span_shapes import Span, plain_spans
from judgekit.adapters.span_tools import ToolSeen
from judgekit.adapters.span_twins import Call, calls_once
from judgekit.interaction import Interaction, ModelCall, ToolCall

__all__ = ["Turn", "interaction_from_spans", "merged"]

T = TypeVar("T", ModelSeen, ToolSeen)


class Turn:
    """The spans of one turn, read: nested agents belong to it, and every call counts once."""

    def __init__(self, spans: Iterable[object]) -> None:
        """Read spans in whatever order they come.

        Raises:
            InvalidArgument: Something is no span.
        """
        self.spans = plain_spans(spans)
        self._by_id = {span.span_id: span for span in self.spans if span.span_id}
        read = {id(span): seen for span in self.spans if (seen := seen_in(span)) is not None}
        self._seen: dict[int, Seen] = read
        self._models = self._calls(ModelSeen)
        self.tools = self._calls(ToolSeen)

    @property
    def model_call_count(self) -> int:
        """How many model calls the spans tell of."""
        return len(self._models)

    def _above(self, span: Span) -> Iterable[tuple[Span, Seen]]:
        """The spans that tell something and hold this one, the nearest first."""
        known = {span.span_id}
        while span.parent_id and span.parent_id not in known and span.parent_id in self._by_id:
            known.add(span.parent_id)
            span = self._by_id[span.parent_id]
            if (seen := self._seen.get(id(span))) is not None:
                yield span, seen

    def _calls(self, kind: type[T]) -> list[Call[T]]:
        spans = {
            id(span): (span, seen)
            for span in self.spans
            if isinstance(seen := self._seen.get(id(span)), kind)
        }
        around = {key: next(iter(self._above(span)), None) for key, (span, _) in spans.items()}
        return calls_once(spans, {key: above for key, above in around.items() if above is not None})

    def depth(self, span: Span) -> int:
        """In how many tools the span lies: sub-agents that are called as tools lie deeper."""
        return sum(isinstance(seen, ToolSeen) for _, seen in self._above(span))

    def recorded_calls(self) -> tuple[RecordedCall, ...]:
        """The model calls with what was said, in the order in which they began."""
        return tuple(
            RecordedCall(
                order, call.seen.call, call.seen.inputs or (), call.seen.outputs or (), call.seen.offers_tools
            )
            for order, call in enumerate(self._models)
        )

    def model_calls(self) -> tuple[ModelCall, ...] | None:
        """The model calls; None where no span tells of any."""
        return tuple(call.seen.call for call in self._models) or None

    def _asked_for(self) -> tuple[ToolCall, ...]:
        answers = {name for call in self._models for name in call.seen.output_tools}
        return tuple(c for c in tool_calls_asked_for(self.recorded_calls()) if c.name not in answers)

    def executed(self) -> tuple[tuple[int, ToolCall], ...]:
        """The executed tools, each with the number of tools that it lies in."""
        made = _completed([call.seen for call in self.tools], self._asked_for())
        return tuple(
            (self.depth(call.span), seen.as_tool_call()) for call, seen in zip(self.tools, made, strict=True)
        )

    def requests(self) -> tuple[tuple[int, ModelCall], ...]:
        """The model calls, each with the number of tools that it lies in."""
        return tuple((self.depth(call.span), call.seen.call) for call in self._models)

    def tool_calls(self) -> tuple[ToolCall, ...] | None:
        """The executed tools, or, in a turn without any such span, the calls that the model asked for.

        None where the spans do not tell.
        """
        if self.tools:
            return tuple(call for _, call in self.executed())
        asked = self._asked_for()
        if asked:
            return asked
        silent = [call for call in self._models if not _asks_for_nothing(call.seen)]
        return () if self._models and not silent else None

    def _outermost(self) -> list[ModelSeen]:
        depths = [self.depth(call.span) for call in self._models]
        return [call.seen for depth, call in zip(depths, self._models, strict=True) if depth == min(depths)]

    def model_text(self) -> str | None:
        """The last text that the model said to the user's agent, sub-agents left out."""
        for seen in reversed(self._outermost()):
            for message in reversed(seen.outputs or ()):
                text = message_text(message)
                if text.strip():
                    return text
        return None

    def answer(self) -> str | None:
        """What the outermost agent answered, where its span says so."""
        found = None
        for span in self.spans:
            seen = self._seen.get(id(span))
            if not isinstance(seen, AgentSeen) or not (seen.answer or "").strip():
                continue
            if not any(_answers(above) for _, above in self._above(span)):
                found = seen.answer
        return found

    def messages(self) -> tuple[Mapping[str, Any], ...]:
        """The whole conversation of the outermost agent, as its last request and answer hold it."""
        recorded = [seen for seen in self._outermost() if seen.inputs is not None or seen.outputs is not None]
        if not recorded:
            return ()
        last = next((seen for seen in reversed(recorded) if seen.outputs), recorded[-1])
        return (*(last.inputs or ()), *(last.outputs or ()))

    def error(self) -> str | None:
        """How the turn failed: the error of the outermost agent, or of the last model call of several."""
        for span in self.spans:
            # A failed tool or model call is no failure of the turn: an agent may go on after it.
            own = isinstance(self._seen.get(id(span)), ModelSeen | ToolSeen)
            if span.parent_id not in self._by_id and span.error is not None and not own:
                return span.error
        last = self._models[-1] if self._models else None
        return last.span.error if last is not None and last.seen.outputs is None else None

    def seconds(self) -> float | None:
        """From the first beginning to the last end; None where times are missing."""
        if not self.spans or any(not span.start or not span.end for span in self.spans):
            return None
        return max(0, max(span.end or 0 for span in self.spans) - min(s.start for s in self.spans)) / 1e9


def _answers(seen: Seen) -> bool:
    return isinstance(seen, ToolSeen) or (isinstance(seen, AgentSeen) and bool(seen.answer))


def _asks_for_nothing(seen: ModelSeen) -> bool:
    """Whether the span shows that the model asked for no tool; without content only its reasons do."""
    if seen.outputs is not None:
        return True
    reasons = seen.call.finish_reasons
    return bool(reasons) and all(reason in {"stop", "end_turn", "STOP", "error"} for reason in reasons)


def _completed(made: Sequence[ToolSeen], asked: Sequence[ToolCall]) -> Iterable[ToolSeen]:
    """Executed tools, completed by what the model asked for: spans often leave something out."""
    waiting = list(asked)
    for call in made:
        same = next((a for a in waiting if a.name == call.name and call.id in (None, a.id)), None)
        if same is None:
            yield call
            continue
        waiting.remove(same)
        if call.is_whole:
            yield call
            continue
        ended = call.result is not None or call.error is not None
        yield dataclasses.replace(
            call,
            id=call.id or same.id,
            arguments=call.arguments if isinstance(call.arguments, Mapping) else same.arguments,
            result=call.result if ended else same.result,
            error=call.error if ended else same.error,
        )


def interaction_from_spans(spans: Iterable[object], **fields: Any) -> Interaction:
    """Read the evidence of one turn; see `Interaction.from_spans`."""
    turn = Turn(spans)
    text, answer = turn.model_text(), turn.answer()
    messages = turn.messages()
    read: dict[str, Any] = {
        "reply": answer if answer is not None else text,
        "model_text": text if answer is not None and text != answer else None,
        "user_message": _last_question(messages),
        "tool_calls": turn.tool_calls(),
        "model_calls": turn.model_calls(),
        "messages": messages,
        "latency": turn.seconds(),
        "error": turn.error(),
    }
    return Interaction(**(read | fields))


def _last_question(messages: Sequence[Mapping[str, Any]]) -> str:
    asked = [message_text(message) for message in messages if message.get("role") == "user"]
    return next((text for text in reversed(asked) if text.strip()), "")


def merged(interaction: Interaction, spans: Iterable[object] | Turn) -> Interaction:
    """The interaction, completed by what its spans tell; what the agent said itself stands.

    Spans that tell nothing of a model or a tool change nothing: they may only mean that the agent is not
    instrumented.

    Args:
        interaction: What the agent's own answer says.
        spans: In any order, or a `Turn`.
    """
    turn = spans if isinstance(spans, Turn) else Turn(spans)
    fields: dict[str, Any] = {}
    if interaction.model_calls is None:
        fields["model_calls"] = turn.model_calls()
    if interaction.tool_calls is None:
        fields["tool_calls"] = turn.tool_calls()
    if not interaction.messages:
        fields["messages"] = turn.messages()
    if not interaction.user_message:
        fields["user_message"] = _last_question(turn.messages())
    text = turn.model_text()
    if interaction.model_text is None and text is not None and text != interaction.reply:
        fields["model_text"] = text
    return dataclasses.replace(interaction, **fields) if fields else interaction
