"""Progress of a run on stderr, for people only: nothing where stderr is no terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TextIO

from judgekit.evaluation import Outcome
from judgekit.results import AttemptOutcome
from judgekit.schedule import Observer

if TYPE_CHECKING:
    from rich.progress import Progress

    from judgekit.reporting import EvalReport

__all__ = ["Watch", "counting", "watching"]


class Watch(Observer):
    """Keeps the report of a run that ends, also of an interrupted one."""

    report: EvalReport | None = None

    def ended(self, report: EvalReport) -> None:
        """Keep the report."""
        self.report = report


class _Bar(Watch):
    """Draws a bar of attempts, with what went wrong beside it."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task = bar.add_task("attempts", total=None, beside="")
        self._counts = dict.fromkeys(Outcome, 0)

    def planned(self, attempts: int) -> None:
        """Set the length of the bar."""
        self._bar.update(self._task, total=attempts)

    def finished(self, outcome: AttemptOutcome) -> None:
        """Move the bar on."""
        self._counts[outcome.outcome] += 1
        failed, unclear = self._counts[Outcome.FAIL], self._counts[Outcome.INCONCLUSIVE]
        parts = [f"{failed} failed"] * bool(failed) + [f"{unclear} inconclusive"] * bool(unclear)
        self._bar.update(self._task, advance=1, beside=", ".join(parts))


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


@contextlib.contextmanager
def watching() -> Iterator[Watch]:
    """An observer for a run, which shows its progress where stderr is a terminal."""
    if not _is_terminal(sys.stderr):
        yield Watch()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.fields[beside]}"))
    # What the agent prints on the same terminal goes above the bar.
    with Progress(
        *columns, console=Console(stderr=True), transient=True, redirect_stdout=_is_terminal(sys.stdout)
    ) as bar:
        yield _Bar(bar)


@contextlib.contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """A function that hears how many of how many are done, and shows it where stderr is a terminal."""
    if not _is_terminal(sys.stderr):
        yield lambda done, planned: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn(what), BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, planned: bar.update(task, completed=done, total=planned)
