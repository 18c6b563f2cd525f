"""What a history says of a folder: experiments, their runs, and the folders that hold no run."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from judgekit.errors import InvalidArgument
from judgekit.evaluation import Outcome
from judgekit.statistics import Interval
from judgekit.stopping import Stopped

__all__ = [
    "Change",
    "ExperimentHistory",
    "HistoryRate",
    "HistoryRun",
    "RunHistory",
    "Unread",
    "check_history_file",
]

What: TypeAlias = Literal["agent", "judge", "evaluators", "cases", "version"]

_JUDGE = "judge"
_MODULES = {"text": "text", "json": "document", "markdown": "markdown", "html": "page"}
_SUFFIXES = {".txt": "text", ".json": "json", ".md": "markdown", ".html": "html", ".htm": "html"}


@dataclass(frozen=True, slots=True)
class Change:
    """In what a run differs from the one before.

    Attributes:
        what: `agent`, `judge`, `evaluators`, `cases` or `version`.
        text: The same for people.
        of: The criterion whose judge it is, or the label of a check; None for anything else.
    """

    what: What
    text: str
    of: str | None = None

    def breaks(self, rate: HistoryRate) -> bool:
        """Whether this rate was measured of something else, or by something else, than before."""
        if self.what == "agent":
            return True
        if self.what == "judge":
            return rate.label is None or rate.name == self.of or (rate.label == _JUDGE and rate.name is None)
        return self.what == "evaluators" and rate.label in (None, self.of)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRate:
    """One rate of one run.

    Attributes:
        label: The evaluator's label; None for the rate of whole attempts.
        name: The criterion's name; None for anything else.
        passed: How many passed.
        failed: How many failed.
        missing: Measurements that are missing; they widen the interval.
        interval: None where nothing was counted.
    """

    label: str | None
    name: str | None
    passed: int
    failed: int
    missing: int
    interval: Interval | None

    @property
    def key(self) -> tuple[str | None, str | None]:
        """What makes it the same rate in another run."""
        return self.label, self.name

    @property
    def shown(self) -> str:
        """How reports call it."""
        return self.name or self.label or "attempts"

    @property
    def decided(self) -> int:
        """Passed and failed ones together: what the rate is of."""
        return self.passed + self.failed

    @property
    def rate(self) -> float | None:
        """Passed over passed and failed; None where nothing was decided."""
        return self.passed / self.decided if self.decided else None


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRun:
    """One run.

    Attributes:
        folder: Where it is kept.
        started_at: UTC.
        finished_at: UTC; None for a run that was killed or is still going on.
        agent: The agent's name; None where recorded interactions were scored, or nobody says.
        judges: Names of the judges.
        versions: Of judgekit and Python; empty where nobody says.
        cases: How many.
        attempts: Likewise.
        outcome: What its gate came to.
        detail: Why.
        rates: Of whole attempts first, then of each label and each of its criteria.
        cost: US dollars of agents, judges and simulated users; None where nothing is known.
        cost_complete: Whether nothing of it is unknown.
        changes: In what it differs from the run before.
        new_failures: Cases that failed, and had passed when they were decided last before.
        fixed: Cases that passed in all runs, and had failed when they were decided last before.
        flaky: Cases that passed in some runs and failed in others.
        lines_left_out: Lines of its journal that could not be read.
        stopped: What it left out where it stopped early.
    """

    folder: Path
    started_at: datetime
    finished_at: datetime | None
    agent: str | None
    judges: tuple[str, ...]
    versions: Mapping[str, str]
    cases: int
    attempts: int
    outcome: Outcome
    detail: str
    rates: tuple[HistoryRate, ...]
    cost: float | None
    cost_complete: bool
    changes: tuple[Change, ...] = ()
    new_failures: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    lines_left_out: int = 0
    stopped: Stopped | None = None

    @property
    def seconds(self) -> float | None:
        """From its start to its end; None for a run without an end."""
        if self.finished_at is None:
            return None
        return max(0.0, (self.finished_at - self.started_at).total_seconds())

    @property
    def passes(self) -> HistoryRate:
        """The rate of whole attempts."""
        return self.rates[0]

    def rate_of(self, key: tuple[str | None, str | None]) -> HistoryRate | None:
        """The rate of this key; None where the run has none."""
        return next((rate for rate in self.rates if rate.key == key), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentHistory:
    """The runs of one experiment, the oldest first.

    Attributes:
        name: The experiment's name.
        runs: The newest `limit` of them.
        earlier: How many older ones were left out.
    """

    name: str
    runs: tuple[HistoryRun, ...]
    earlier: int = 0

    def rate_keys(self, of: str | None = None) -> tuple[tuple[str | None, str | None], ...]:
        """The rates that any run has, in the order of the newest run.

        Args:
            of: Only those of this criterion or label.
        """
        every = dict.fromkeys(rate.key for run in reversed(self.runs) for rate in run.rates)
        return tuple(key for key in every if of is None or of in key)


@dataclass(frozen=True, slots=True)
class Unread:
    """A folder that holds no run that can be read, and why."""

    folder: Path
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunHistory:
    """What the runs of a folder came to, one after the other.

    Attributes:
        folder: Where they are kept.
        experiments: Those with the newest runs first.
        unread: Folders without a run that can be read.
        of: The criterion or label that rates were narrowed to; None: all.
    """

    folder: Path
    experiments: tuple[ExperimentHistory, ...]
    unread: tuple[Unread, ...] = ()
    of: str | None = field(default=None)

    def to_json(self) -> dict[str, Any]:
        """The history as JSON data."""
        from judgekit.history.document import document_of

        return document_of(self)

    def render(self, format: str = "text") -> str:
        """The history as `text`, `json`, `markdown` or `html`.

        Raises:
            InvalidArgument: There is no such format.
        """
        if format not in _MODULES:
            raise InvalidArgument(f"`format` must be one of {', '.join(_MODULES)}; got {format!r}")
        module = import_module(f"judgekit.history.{_MODULES[format]}")
        return cast("Callable[[RunHistory], str]", module.rendered)(self)

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the history in the format of the file's suffix, in UTF-8; folders are made.

        Raises:
            InvalidArgument: No format has this suffix; the known ones are listed.
        """
        from judgekit.reporting.files import write_whole

        target = Path(path)
        text = self.render(check_history_file(target))
        return write_whole(target, lambda stream: stream.write(text))


def check_history_file(path: Path) -> str:
    """The format that files of this suffix have.

    Raises:
        InvalidArgument: None has; the known suffixes are listed.
    """
    found = _SUFFIXES.get(path.suffix.lower())
    if found is None:
        raise InvalidArgument(
            f"a history is written by its suffix, one of {', '.join(_SUFFIXES)}; got {path.name!r}"
        )
    return found
