"""Which tools the agent called, in which order, how often, and what they returned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from judgekit.evaluation import EvalCase, EvalResult, built_in_label
from judgekit.evaluators.evidence import NO_TRACE, PASSED
from judgekit.evaluators.limits import checked_count
from judgekit.evaluators.names import ToolName, checked_name, checked_names, name_fits
from judgekit.evaluators.wording import called, listed
from judgekit.interaction import Interaction, ToolCall
from judgekit.text import bracketed, counted

__all__ = [
    "ForbiddenTools",
    "ToolCount",
    "ToolOrder",
    "Tools",
    "should_call_tool",
    "should_call_tool_times",
    "should_call_tools",
    "should_call_tools_in_order",
    "should_not_call_tool",
    "should_not_call_tools",
]


def _split(names: Iterable[ToolName]) -> tuple[frozenset[str], tuple[ToolName, ...]]:
    """Exact names, which a set finds at once, and patterns, which must be tried."""
    exact = frozenset(name for name in names if isinstance(name, str))
    return exact, tuple(name for name in names if not isinstance(name, str))


def _missing(names: Iterable[ToolName], calls: Sequence[ToolCall]) -> list[ToolName]:
    distinct = dict.fromkeys(names)
    return [name for name in distinct if not any(name_fits(name, call.name) for call in calls)]


@built_in_label("tools")
@dataclass(frozen=True, slots=True)
class Tools:
    """Every named tool was called, in any order; other calls are allowed. See `should_call_tools`."""

    names: tuple[ToolName, ...]
    _exact: frozenset[str] = field(init=False, repr=False, compare=False)
    _patterns: tuple[ToolName, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "names", checked_names("tools", self.names))
        exact, patterns = _split(self.names)
        put(self, "_exact", exact)
        put(self, "_patterns", patterns)

    def evaluate(self, case: EvalCase, interaction: Interaction) -> EvalResult:
        """PASS when every name was called, INCONCLUSIVE without a tool trace."""
        calls = interaction.tool_calls
        if calls is None:
            return NO_TRACE
        if not self._patterns and self._exact.issubset([call.name for call in calls]):
            return PASSED
        missing = _missing(self.names, calls)
        if not missing:
            return PASSED
        return EvalResult.failed(f"never called {bracketed(missing)}; called {called(calls)}")


@built_in_label("forbidden-tools")
@dataclass(frozen=True, slots=True)
class ForbiddenTools:
    """None of the named tools was called. See `should_not_call_tools`."""

    names: tuple[ToolName, ...]
    _exact: frozenset[str] = field(init=False, repr=False, compare=False)
    _patterns: tuple[ToolName, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "names", checked_names("forbidden-tools", self.names))
        exact, patterns = _split(self.names)
        put(self, "_exact", exact)
        put(self, "_patterns", patterns)

    def evaluate(self, case: EvalCase, interaction: Interaction) -> EvalResult:
        """PASS when none was called, INCONCLUSIVE without a tool trace."""
        calls = interaction.tool_calls
        if calls is None:
            return NO_TRACE
        if not self._patterns and self._exact.isdisjoint([call.name for call in calls]):
            return PASSED
        found = [call for call in calls if any(name_fits(name, call.name) for name in self.names)]
        return EvalResult.failed(f"called {called(found)}") if found else PASSED


@built_in_label("tool-order")
@dataclass(frozen=True, slots=True)
class ToolOrder:
    """The names are a subsequence of the calls; repeats count. See `should_call_tools_in_order`."""

    names: tuple[ToolName, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", checked_names("tool-order", self.names))

    def evaluate(self, case: EvalCase, interaction: Interaction) -> EvalResult:
        """PASS in order; INCONCLUSIVE where a name has no call at all, or without a tool trace."""
        calls = interaction.tool_calls
        if calls is None:
            return NO_TRACE
        step = 0
        names = self.names
        for call in calls:
            if name_fits(names[step], call.name):
                step += 1
                if step == len(names):
                    return PASSED
        missing = _missing(names, calls)
        if missing:
            return EvalResult.inconclusive(f"never called {bracketed(missing)}; called {listed(calls)}")
        return EvalResult.failed(
            f"expected {bracketed(names)} in that order; called {listed(calls)}; "
            f"step {step + 1} ({names[step]}) has no call after step {step}"
        )


@built_in_label("tool-count")
@dataclass(frozen=True, slots=True)
class ToolCount:
    """The tool was called exactly `times` times. See `should_call_tool_times`."""

    tool: ToolName
    times: int

    def __post_init__(self) -> None:
        checked_name("tool-count", self.tool)
        checked_count("tool-count", "n", self.times, minimum=0)

    def evaluate(self, case: EvalCase, interaction: Interaction) -> EvalResult:
        """PASS on exactly that many calls, INCONCLUSIVE without a tool trace."""
        calls = interaction.tool_calls
        if calls is None:
            return NO_TRACE
        made = 0
        for call in calls:
            made += name_fits(self.tool, call.name)
        if made == self.times:
            return PASSED
        return EvalResult.failed(f"called {self.tool} {counted(made, 'time')}, expected {self.times}")


def should_call_tool(name: ToolName) -> Tools:
    """The tool is called at least once.

    Args:
        name: The tool's exact name, or `pattern("*delete_user")`.

    Raises:
        InvalidArgument: The name is blank, or holds a wildcard without `pattern(...)`.
    """
    return Tools((name,))


def should_call_tools(*names: ToolName) -> Tools:
    """Every one of these tools is called, in any order; other calls are allowed.

    Raises:
        InvalidArgument: No name, a blank one, or a wildcard without `pattern(...)`.
    """
    return Tools(names)


def should_not_call_tool(name: ToolName) -> ForbiddenTools:
    """The tool is never called.

    Names match exactly: a tool behind a server prefix needs `pattern("*delete_user")`.

    Raises:
        InvalidArgument: The name is blank, or holds a wildcard without `pattern(...)`.
    """
    return ForbiddenTools((name,))


def should_not_call_tools(*names: ToolName) -> ForbiddenTools:
    """None of these tools is called.

    Raises:
        InvalidArgument: No name, a blank one, or a wildcard without `pattern(...)`.
    """
    return ForbiddenTools(names)


def should_call_tools_in_order(*names: ToolName) -> ToolOrder:
    """The tools are called in this order, with other calls allowed before, between and after.

    A name listed twice must be called twice. Where a name has no call at all the result is inconclusive:
    that failure belongs to `should_call_tools`.

    Raises:
        InvalidArgument: No name, a blank one, or a wildcard without `pattern(...)`.
    """
    return ToolOrder(names)


def should_call_tool_times(tool: ToolName, n: int) -> ToolCount:
    """The tool is called exactly `n` times; 0 is a real value.

    Raises:
        InvalidArgument: The name is blank, or `n` is no whole number from 0 up.
    """
    return ToolCount(tool, n)
