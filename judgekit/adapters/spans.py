"""OpenTelemetry spans of one turn, to an Interaction."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from judgekit.adapters.messages import message_text
from judgekit.adapters.recorded import RecordedCall, tool_calls_asked_for
from judgekit.adapters.span_flavours import AgentSeen, ModelSeen, Seen, seen_in
from judgekit.adapters.span_shapes import Span, plain_spans
from judgekit.adapters.span_tools import ToolSeen
from judgekit.interaction import Interaction, ModelCall, ToolCall

__all__ = ["Turn", "interaction_from_spans", "merged"]


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
        self.models = self._models()
        self.tools = self._tools()

    def _above(self, span: Span) -> Iterable[tuple[Span, Seen]]:
        """The spans that tell something and hold this one, the nearest first."""
        known = {span.span_id}
        while span.parent_id and span.parent_id not in known and span.parent_id in self._by_id:
            known.add(span.parent_id)
            span = self._by_id[span.parent_id]
            if (seen := self._seen.get(id(span))) is not None:
                yield span, seen

    def _models(self) -> list[tuple[Span, ModelSeen]]:
        found: dict[int, tuple[Span, ModelSeen]] = {}
        stands_for: dict[int, int] = {}
        for span in self.spans:
            seen = self._seen.get(id(span))
            if not isinstance(seen, ModelSeen):
                continue
            same = self._same_call(span, seen, found.values())
            if same is None:
                found[id(span)] = (span, seen)
                continue
            kept = stands_for.get(id(same), id(same))
            stands_for[id(span)] = kept
            found[kept] = (found[kept][0], _filled(found[kept][1], seen))
        return list(found.values())

    def _same_call(self, span: Span, seen: ModelSeen, known: Iterable[tuple[Span, ModelSeen]]) -> Span | None:
        """The earlier span of the same request: a framework and a client library may both write one."""
        above, holder = next(iter(self._above(span)), (None, None))
        if above is not None and isinstance(holder, ModelSeen) and _may_be_same(above, holder, span, seen):
            return above
        if seen.response_id:
            for other, earlier in known:
                if earlier.response_id == seen.response_id and _overlap(other, span):
                    return other
        return None

    def _tools(self) -> list[tuple[Span, ToolSeen]]:
        found = []
        for span in self.spans:
            seen = self._seen.get(id(span))
            if isinstance(seen, ToolSeen) and not self._is_repeated(span, seen):
                found.append((span, seen))
        return found

    def _is_repeated(self, span: Span, seen: ToolSeen) -> bool:
        """Whether it is the same execution as the span around it: a framework's and a client's."""
        for _, holder in self._above(span):
            if not isinstance(holder, ToolSeen) or holder.name != seen.name:
                return False
            return seen.arguments is None or holder.arguments in (None, seen.arguments)
        return False

    def depth(self, span: Span) -> int:
        """In how many tools the span lies: sub-agents that are called as tools lie deeper."""
        return sum(isinstance(seen, ToolSeen) for _, seen in self._above(span))

    def recorded_calls(self) -> tuple[RecordedCall, ...]:
        """The model calls with what was said, in the order in which they began."""
        return tuple(
            RecordedCall(order, seen.call, seen.inputs or (), seen.outputs or (), seen.offers_tools)
            for order, (_, seen) in enumerate(self.models)
        )

    def model_calls(self) -> tuple[ModelCall, ...] | None:
        """The model calls; None where no span tells of any."""
        return tuple(seen.call for _, seen in self.models) or None

    def tool_calls(self) -> tuple[ToolCall, ...] | None:
        """The executed tools, or, in a turn without any such span, the calls that the model asked for.

        None where the spans do not tell.
        """
        asked = tool_calls_asked_for(self.recorded_calls())
        if self.tools:
            return tuple(call.as_tool_call() for call in _completed([t for _, t in self.tools], asked))
        if asked:
            return asked
        return () if self.models and all(_asks_for_nothing(seen) for _, seen in self.models) else None

    def _outermost(self) -> list[ModelSeen]:
        depths = [self.depth(span) for span, _ in self.models]
        return [seen for depth, (_, seen) in zip(depths, self.models, strict=True) if depth == min(depths)]

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
        last = self.models[-1] if self.models else None
        return last[0].error if last is not None and last[1].outputs is None else None

    def seconds(self) -> float | None:
        """From the first beginning to the last end; None where times are missing."""
        if not self.spans or any(not span.start or not span.end for span in self.spans):
            return None
        return max(0, max(span.end or 0 for span in self.spans) - min(s.start for s in self.spans)) / 1e9


def _answers(seen: Seen) -> bool:
    return isinstance(seen, ToolSeen) or (isinstance(seen, AgentSeen) and bool(seen.answer))


def _may_be_same(above: Span, holder: ModelSeen, span: Span, seen: ModelSeen) -> bool:
    """Whether a model call inside another is that call; a stream left open may hold later calls too."""
    if holder.response_id and seen.response_id:
        return holder.response_id == seen.response_id
    if holder.outputs and seen.outputs and _said(holder) != _said(seen):
        return False
    return _overlap(above, span)


def _said(seen: ModelSeen) -> tuple[str, int]:
    outputs = seen.outputs or ()
    return "".join(map(message_text, outputs)), sum(len(m.get("tool_calls") or ()) for m in outputs)


def _overlap(one: Span, other: Span) -> bool:
    if not one.end or not other.end:
        return True
    return one.start <= other.end and other.start <= one.end


def _filled(kept: ModelSeen, other: ModelSeen) -> ModelSeen:
    """What two spans of one request tell together."""
    call = kept.call
    missing = {
        name: getattr(other.call, name)
        for name in ("model", "provider", "cost", "finish_reasons", "messages")
        if not getattr(call, name)
    }
    if call.input_tokens is None and call.output_tokens is None:
        missing |= {name: getattr(other.call, name) for name in ("input_tokens", "output_tokens")}
    return ModelSeen(
        call=dataclasses.replace(call, **missing),
        inputs=kept.inputs if kept.inputs is not None else other.inputs,
        outputs=kept.outputs if kept.outputs is not None else other.outputs,
        offers_tools=kept.offers_tools or other.offers_tools,
        response_id=kept.response_id or other.response_id,
    )


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
