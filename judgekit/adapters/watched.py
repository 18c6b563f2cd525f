"""All doors around one agent call: spans it writes, what it asks litellm for, tools under `@tool`."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

from judgekit.adapters import litellm_calls, spans, tool_recorder
from judgekit.adapters.litellm_calls import CallRecorder, recorded_calls
from judgekit.adapters.metering import Meter
from judgekit.adapters.nested import with_nested_requests, with_nested_tools
from judgekit.adapters.spans import Turn
from judgekit.adapters.tool_recorder import ToolRecorder, recorded_tools
from judgekit.adapters.traced import Trace, traced
from judgekit.interaction import Interaction

__all__ = ["Watched", "watched"]

_OF_MODEL_CALLS = ("model_calls", "input_tokens", "output_tokens", "cost")


@dataclass(frozen=True, slots=True)
class Watched:
    """What the doors saw of one agent call."""

    trace: Trace
    recorder: CallRecorder
    tools: ToolRecorder

    async def settle(self) -> None:
        """Wait, bounded in time, until litellm has reported its last call."""
        await self.recorder.settle()

    def completed(self, interaction: Interaction, *, is_own: bool = False) -> Interaction:
        """The interaction, completed by what was seen; what the agent said itself stands.

        A call that several doors saw counts once: the door that saw more of them is believed.

        Args:
            interaction: What the agent's answer says.
            is_own: Whether the agent made it itself; then it is whole. A framework's result says nothing
                of what a tool did inside itself, which is added where it was seen.
        """
        answered = interaction.tool_calls is not None
        if answered and not is_own:
            interaction = with_nested_tools(interaction, self.tools.executed)
        return tool_recorder.merged(self._by_traces(interaction, is_own), self.tools, answered=answered)

    def _by_traces(self, interaction: Interaction, is_own: bool) -> Interaction:
        seen = self.trace.spans
        if not seen:
            return litellm_calls.merged(interaction, self.recorder)
        turn = Turn(seen)
        if not is_own:
            interaction = with_nested_requests(interaction, turn.requests())
            interaction = with_nested_tools(interaction, turn.executed())
        completed = spans.merged(interaction, turn)
        if interaction.model_calls is None and turn.model_call_count < len(self.recorder.calls):
            own = {name: getattr(interaction, name) for name in _OF_MODEL_CALLS}
            completed = dataclasses.replace(completed, **own)
            if not turn.tools:
                completed = dataclasses.replace(completed, tool_calls=interaction.tool_calls)
        return litellm_calls.merged(completed, self.recorder)


@contextlib.contextmanager
def watched(meter: Meter | None = None, *, all_tools: bool = False) -> Iterator[Watched]:
    """Watch the code inside. Call `await watched.settle()` before leaving, then `completed(...)`.

    Args:
        meter: Hears of model calls before they are sent.
        all_tools: Whether every tool of the agent is under `@tool`.
    """
    with traced() as trace, recorded_calls(meter) as recorder, recorded_tools(all_tools=all_tools) as tools:
        yield Watched(trace, recorder, tools)
