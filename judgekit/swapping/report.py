"""SwapReport: what a provider swap came to, and the doors to its text and its files."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, cast

from judgekit.errors import GateFailed, InvalidArgument
from judgekit.gate import Decision
from judgekit.reporting import EvalReport
from judgekit.reporting.files import write_whole
from judgekit.reporting.formats import format_for, format_named
from judgekit.store import Axes

if TYPE_CHECKING:
    from judgekit.store import StoredRun
    from judgekit.swapping.agreeing import JudgeAgreement
    from judgekit.swapping.contrasts import AgentComparison, Ranking
    from judgekit.swapping.families import FamilyMatch
    from judgekit.swapping.figures import AgentFigures, Cell, JudgeFigures

__all__ = ["SwapReport"]

# The others are about attempts, of which the run's own report has everything.
_OWN = {"text": "text", "json": "json_file", "markdown": "markdown", "html": "html"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SwapReport:
    """What a provider swap came to.

    Attributes:
        report: The run as every run is reported: attempts, counts, gate.
        axes: The names of agents, judges, cases and criteria.
        cells: What each measure found of each agent.
        agents: What each agent did and spent.
        judges: What each judge did and spent.
        agreements: Every two judges on each criterion, over the same transcripts.
        comparisons: Every two agents by each measure.
        rankings: The order of the agents on each criterion, by judge.
        families: Judges and agents of one provider family.
    """

    report: EvalReport
    axes: Axes
    cells: tuple[Cell, ...]
    agents: tuple[AgentFigures, ...]
    judges: tuple[JudgeFigures, ...]
    agreements: tuple[JudgeAgreement, ...]
    comparisons: tuple[AgentComparison, ...]
    rankings: tuple[Ranking, ...]
    families: tuple[FamilyMatch, ...]

    @classmethod
    def of(cls, report: EvalReport, axes: Axes) -> SwapReport:
        """The figures of a run that was laid out over these axes."""
        from judgekit.swapping.agreeing import agreements_of
        from judgekit.swapping.contrasts import comparisons_of, rankings_of
        from judgekit.swapping.families import families_of
        from judgekit.swapping.figures import agents_of, cells_of, judges_of
        from judgekit.swapping.seen import seen_in

        seen = seen_in(report.results, axes, report.counts.case_ids)
        agents, judges, comparisons = tuple(agents_of(seen)), tuple(judges_of(seen)), comparisons_of(seen)
        return cls(
            report=report,
            axes=axes,
            cells=tuple(cells_of(seen)),
            agents=agents,
            judges=judges,
            agreements=tuple(agreements_of(seen)),
            comparisons=comparisons,
            rankings=tuple(rankings_of(seen, comparisons)),
            families=tuple(families_of(seen, agents, judges)),
        )

    @classmethod
    def of_stored(cls, stored: StoredRun) -> SwapReport:
        """The report of a swap's journal, as `judgekit.store.read_run` gives it. Nothing is called.

        Raises:
            InvalidArgument: The journal is that of another kind of run.
        """
        if stored.head.axes is None:
            raise InvalidArgument(f"the run {stored.head.name!r} is no provider swap")
        return cls.of(stored.report(), stored.head.axes)

    @property
    def name(self) -> str:
        """The name of the run."""
        return self.report.name

    @property
    def decision(self) -> Decision:
        """What the gate came to."""
        return self.report.decision

    @property
    def passed(self) -> bool:
        """Whether the gate passed; an inconclusive gate did not."""
        return self.report.passed

    @property
    def file(self) -> Path | None:
        """Where the run's own `report.json` stands; None where it wrote none."""
        return self.report.file

    def render(
        self,
        format: str = "text",
        *,
        all: bool = False,
        most: int | None = None,
        width: int | None = None,
    ) -> str:
        """The report in one of its formats; as text without a line feed at its end.

        Args:
            format: `text`, `json`, `markdown`, `html`; `junit` and `csv` are those of the run's attempts.
            all: Of the text, list every flip, and every attempt after the tables.
            most: Of the text, list at most so many flips of two judges, and so many attempts.
            width: Of the text, columns to stay within; tables that need more are set row by row.

        Raises:
            InvalidArgument: There is no such format, or a choice is made for another than text.
        """
        name = format_named(format).name
        if name == "text":
            from judgekit.swapping.text import render_text

            return render_text(self, all_attempts=all, most=most, width=width)
        if all or most is not None or width is not None:
            raise InvalidArgument(
                f"`all`, `most` and `width` are choices of the text report, got them for {format!r}"
            )
        return self._rendered(name)

    def _rendered(self, name: str) -> str:
        if name not in _OWN:
            return self.report.render(name)
        module = import_module(f"judgekit.swapping.{_OWN[name]}")
        return cast("Callable[[SwapReport], str]", module.render)(self)

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the report in the format of the file's suffix, in UTF-8; folders are made.

        Raises:
            InvalidArgument: No format has this suffix; the known ones are listed.
        """
        target = Path(path)
        name = format_for(target).name
        text = f"{self.render()}\n" if name == "text" else self._rendered(name)
        return write_whole(target, lambda stream: stream.write(text))

    def raise_for_gate(self) -> None:
        """Raise unless the gate passed.

        Raises:
            GateFailed: With the rendered report as its text.
        """
        if not self.passed:
            raise GateFailed(self.render())

    def __bool__(self) -> NoReturn:
        raise TypeError("a report has no truth value; write `report.passed`")

    def __str__(self) -> str:
        return self.render()

    def __repr__(self) -> str:
        agents, judges = len(self.agents), len(self.judges)
        return (
            f"<SwapReport {self.name!r}: gate {self.decision.outcome.name}, {agents} agents, {judges} judges>"
        )
