"""What a tool returned to the agent."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from judgekit.evaluation import EvalCase, EvalResult, built_in_label
from judgekit.evaluators.evidence import NO_TRACE, PASSED
from judgekit.evaluators.folding import checked_texts, fold
from judgekit.evaluators.names import ToolName, checked_name, name_fits
from judgekit.evaluators.wording import called, shown
from judgekit.interaction import Interaction
from judgekit.jsonable import json_line, json_text
from judgekit.text import bracketed, one_line

__all__ = ["ToolResult", "tool_result_should_contain"]


@built_in_label("tool-results")
@dataclass(frozen=True, slots=True)
class ToolResult:
    """Some recorded result of the tool contains the text. See `tool_result_should_contain`."""

    tool: ToolName
    text: str
    normalize: bool = False
    _folded: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        checked_name("tool-results", self.tool)
        checked_texts("tool-results", (self.text,), normalize=self.normalize)
        object.__setattr__(self, "_folded", fold(self.text, normalize=self.normalize))

    def evaluate(self, case: EvalCase, interaction: Interaction) -> EvalResult:
        """PASS when one carries it; INCONCLUSIVE where the tool was never called or nothing is recorded."""
        calls = interaction.tool_calls
        if calls is None:
            return NO_TRACE
        made = [call for call in calls if name_fits(self.tool, call.name)]
        if not made:
            return EvalResult.inconclusive(f"never called {bracketed([self.tool])}; called {called(calls)}")
        results = [call.result for call in made if call.result is not None]
        if not results:
            return EvalResult.inconclusive(f"no result of {self.tool} is recorded")
        if any(self._carries(result) for result in results):
            return PASSED
        return EvalResult.failed(
            f"{self.tool} result expected to carry {one_line(self.text)}, "
            f"was {bracketed(map(shown, results))}"
        )

    def _carries(self, result: Any) -> bool:
        if isinstance(result, str):
            return self._folded in fold(result, normalize=self.normalize)
        return any(
            self._folded in fold(write(result), normalize=self.normalize) for write in (json_text, json_line)
        )


def tool_result_should_contain(tool: ToolName, text: str, *, normalize: bool = False) -> ToolResult:
    """Some recorded result of the tool contains the text, upper and lower case alike.

    Structured results are searched as JSON text, with and without spaces after separators.

    Args:
        tool: The tool's exact name, or `pattern(...)`.
        text: What the result must carry.
        normalize: Also treat typographic quotes, dashes, spaces and Unicode forms alike.

    Raises:
        InvalidArgument: The tool's name or the text is blank.
    """
    return ToolResult(tool, text, normalize)
