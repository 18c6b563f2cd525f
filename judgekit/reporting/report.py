"""EvalReport: what a run came to, and the doors to its text and its files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Protocol, runtime_checkable

from judgekit.errors import GateFailed, InvalidArgument
from judgekit.evaluation import Outcome
from judgekit.gate import Decision, Gate
from judgekit.reporting.cases import CaseSummary, summarised
from judgekit.reporting.files import write_whole
from judgekit.reporting.formats import format_for, format_named
from judgekit.reporting.text import render_text
from judgekit.results import CaseResult, Results
from judgekit.spending import JudgeSpend, Spend
from judgekit.statistics import LEVEL
from judgekit.stopping import Stopped

if TYPE_CHECKING:
    from judgekit.comparing import Cluster, RunComparison

__all__ = ["AttemptLines", "EvalReport"]


@runtime_checkable
class AttemptLines(Protocol):
    """Attempts that lie in a file as JSON already, so that a report copies them without reading them."""

    def lines(self) -> Iterator[bytes]:
        """The JSON of every attempt in UTF-8, in report order, without line feeds."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class EvalReport:
    """What a run came to. Two reports are equal where they say the same, wherever they are kept.

    Attributes:
        name: The experiment's name.
        started_at: UTC.
        finished_at: UTC; None for a run that was killed.
        runs: How often each case was to be run.
        counts: What gates read: the counts of the run.
        results: One CaseResult an attempt, in the order the cases were given, runs ascending. With a
            journal they are read from it when asked for.
        decision: What the gate came to.
        gate: The gate that decided; None for a report that was read from `report.json`.
        file: Where the run's own `report.json` stands; None where it wrote none.
        stopped: What it left out where it stopped early.
    """

    name: str
    started_at: datetime
    finished_at: datetime | None
    runs: int
    counts: Results
    results: Sequence[CaseResult]
    decision: Decision
    gate: Gate | None = None
    file: Path | None = None
    stopped: Stopped | None = None

    def __post_init__(self) -> None:
        for name in ("started_at", "finished_at"):
            moment = getattr(self, name)
            if moment is None:
                continue
            if moment.tzinfo is None:
                raise InvalidArgument(
                    f"`{name}` must have a time zone, got {moment!r}; write datetime.now(UTC)"
                )
            object.__setattr__(self, name, moment.astimezone(UTC))

    @property
    def passed(self) -> bool:
        """Whether the gate passed; an inconclusive gate did not."""
        return self.decision.passed

    @property
    def pass_rate(self) -> float | None:
        """The share of attempts that passed, 0 to 1; None without attempts."""
        total = len(self.counts)
        return self.counts.outcomes()[Outcome.PASS] / total if total else None

    @property
    def cases(self) -> tuple[CaseSummary, ...]:
        """One summary a case that was run, in case order."""
        return tuple(summarised(self.counts))

    @property
    def spend(self) -> Spend:
        """What the agents spent."""
        return self.counts.spend

    @property
    def judges(self) -> JudgeSpend:
        """What the judges spent."""
        return self.counts.judges

    def render(
        self, format: str = "text", *, all: bool = False, intervals: bool = False, most: int | None = None
    ) -> str:
        """The report in one of its formats; as text without a line feed at its end.

        Args:
            format: `text`, `json`, `junit`, `markdown`, `csv` or `html`.
            all: Of the text, print every attempt, not only failed and inconclusive ones.
            intervals: Of the text, print the 95 % interval of each rate.
            most: Of the text, print at most so many attempts, and how many more there are.

        Raises:
            InvalidArgument: There is no such format, or one of the choices is made for another than text.
        """
        if format == "text":
            return render_text(self, all_attempts=all, intervals=intervals, most=most)
        writer = format_named(format).writer()
        if all or intervals or most is not None:
            raise InvalidArgument(
                f"`all`, `intervals` and `most` are choices of the text report, got them for {format!r}"
            )
        stream = StringIO(newline="")
        writer(self, stream)
        return stream.getvalue()

    def compare(
        self,
        baseline: EvalReport,
        *,
        max_drop: float | None = None,
        cluster: Cluster | None = None,
        level: float = LEVEL,
        seed: int = 0,
    ) -> RunComparison:
        """Hold this run against an earlier one, paired by case id and run; differences are this minus that.

        Args:
            baseline: The run to compare with.
            max_drop: How far a rate or mean score may fall, above 0 and below 1; None: EQUIVALENT cannot be
                shown.
            cluster: The group of every shared case id, such as its document: a mapping, or a function that
                gives None for a case of its own. None: each case is its own.
            level: Confidence of the intervals, above 0 and below 1.
            seed: Of the permutation tests.

        Raises:
            InvalidArgument: A number is out of range, a shared case has no group, or `baseline` is no report.
        """
        from judgekit.comparing import RunReading, compare_runs

        if not isinstance(baseline, EvalReport):
            raise InvalidArgument(
                f"`baseline` must be an EvalReport, got {baseline!r}; write EvalReport.read({baseline!r})"
            )
        new, old = (RunReading.of(run, checks=run.counts.checks) for run in (self, baseline))
        return compare_runs(new, old, max_drop=max_drop, cluster=cluster, level=level, seed=seed)

    def raise_for_gate(self) -> None:
        """Raise unless the gate passed.

        Raises:
            GateFailed: With the rendered report as its text.
        """
        if not self.passed:
            raise GateFailed(self.render())

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the report in the format of the file's suffix, in UTF-8; folders are made.

        The file appears only when it is complete.

        Raises:
            InvalidArgument: No format has this suffix; the known ones are listed.
        """
        target = Path(path)
        writer = format_for(target).writer()
        return write_whole(target, lambda stream: writer(self, stream))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> EvalReport:
        """Read a `report.json`, or the one in a run's folder. A journal is read by `judgekit.store`.

        Raises:
            FileUnreadable: The file is no report; the text says where and why.
            FileNotFoundError: There is no such file.
        """
        from judgekit.reporting.reading import read_report

        return read_report(Path(path))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EvalReport):
            return NotImplemented
        return self._said() == other._said() and all(
            mine == theirs for mine, theirs in zip(self.results, other.results, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def _said(self) -> tuple[object, ...]:
        times = self.started_at, self.finished_at
        return self.name, times, self.runs, self.decision, self.stopped, len(self.results)

    def __bool__(self) -> NoReturn:
        raise TypeError("a report has no truth value; write `report.passed`")

    def __str__(self) -> str:
        return self.render()

    def __repr__(self) -> str:
        outcome = self.decision.outcome.name
        return f"<EvalReport {self.name!r}: gate {outcome}, {len(self.counts)} attempts>"
