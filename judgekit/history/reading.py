"""A folder of runs to a history: heads first, then one run after the other."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from judgekit.errors import FileUnreadable, InvalidArgument
from judgekit.history.changes import Before
from judgekit.history.model import ExperimentHistory, HistoryRun, RunHistory, Unread
from judgekit.history.scan import JOURNAL, Scan, moment, scan_of
from judgekit.jsonable import parse_json
from judgekit.spending import total_cost
from judgekit.store.lines import read_head
from judgekit.text import first_line, one_line

__all__ = ["read_history"]

REPORT = "report.json"
_HEAD_LIMIT = 16 * 1024 * 1024


class _Place(NamedTuple):
    started_at: datetime
    folder: Path
    name: str


def read_history(
    folder: str | os.PathLike[str] = ".judgekit/runs",
    *,
    name: str | None = None,
    of: str | None = None,
    limit: int | None = None,
) -> RunHistory:
    """Read the runs of a folder, of every experiment in the order in which they began.

    A run that was killed or is still going on counts as far as it is. What holds no run that can be read is
    listed in `unread`, and is no error.

    Args:
        folder: Holds a folder a run, as `ExperimentRunner` writes them.
        name: Only the experiment of this name.
        of: Only the rates of this criterion or label.
        limit: Only the newest so many runs of each experiment.

    Raises:
        FileUnreadable: There is no such folder, or it is a run itself.
        InvalidArgument: No experiment has this name, no rate this criterion or label, or `limit` is below 1.
    """
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
        raise InvalidArgument(f"`limit` must be a whole number >= 1, got {limit!r}")
    place = Path(folder)
    if not place.is_dir():
        raise FileUnreadable(f"there is no folder {place}; runs are kept in .judgekit/runs, or where you say")
    if (place / JOURNAL).exists() or (place / REPORT).exists():
        raise FileUnreadable(f"{place} is one run; name the folder that it is in, {place.resolve().parent}")
    unread: list[Unread] = []
    experiments = _grouped(place, unread)
    if name is not None:
        if name not in experiments:
            raise InvalidArgument(f"no run under {place} is of {name!r}; there are {_listed(experiments)}")
        experiments = {name: experiments[name]}
    found = [_experiment(title, places, limit, unread) for title, places in experiments.items()]
    kept = [experiment for experiment in found if experiment.runs]
    kept.sort(key=lambda experiment: experiment.runs[-1].started_at, reverse=True)
    if of is not None:
        kept = _with_rate(kept, of)
    return RunHistory(
        folder=place,
        experiments=tuple(kept),
        unread=tuple(sorted(unread, key=lambda one: one.folder)),
        of=of,
    )


def _with_rate(experiments: list[ExperimentHistory], of: str) -> list[ExperimentHistory]:
    kept = [experiment for experiment in experiments if experiment.rate_keys(of)]
    if not kept:
        known = dict.fromkeys(
            name or label
            for experiment in experiments
            for label, name in experiment.rate_keys()
            if label is not None
        )
        listed = ", ".join(repr(one_line(str(each))) for each in known) or "none"
        raise InvalidArgument(f"no run has a criterion or label {of!r}; there are {listed}")
    return kept


def _listed(experiments: dict[str, list[_Place]]) -> str:
    return ", ".join(repr(one_line(name)) for name in sorted(experiments)) or "none"


def _grouped(folder: Path, unread: list[Unread]) -> dict[str, list[_Place]]:
    """The runs of each experiment, the oldest first; only heads are read."""
    experiments: dict[str, list[_Place]] = {}
    for place in sorted(_heads(folder, unread)):
        experiments.setdefault(place.name, []).append(place)
    return experiments


def _heads(folder: Path, unread: list[Unread]) -> Iterator[_Place]:
    for run in sorted(folder.iterdir()):
        # A run appears under its name when it has begun; before that it is hidden.
        if run.name.startswith(".") or not run.is_dir():
            continue
        try:
            yield _head(run)
        except Exception as error:  # noqa: BLE001 - one damaged folder must not hide all others
            unread.append(Unread(run, _reason(error, run)))


def _head(run: Path) -> _Place:
    journal = run / JOURNAL
    if journal.is_file():
        with journal.open("rb") as file:
            head = read_head(file, journal)
        return _Place(moment(head.started_at), run, head.name)
    report = run / REPORT
    if not report.is_file():
        raise FileUnreadable(f"it holds no {JOURNAL} and no {REPORT}")
    # The head of a report stands before its list of cases, in which a line begins.
    with report.open("rb") as file:
        line = file.readline(_HEAD_LIMIT).decode("utf-8-sig")
    data = parse_json(line.rstrip().rstrip(",") + "}")
    return _Place(moment(data["started_at"]), run, str(data["name"]))


def _reason(error: Exception, run: Path) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    text = str(error) if isinstance(error, FileUnreadable) else first_line(error)
    for file in (str(run / JOURNAL), str(run / REPORT), str(run)):
        text = text.removeprefix(file).removeprefix(": ").removeprefix(" ")
    return one_line(text)


def _experiment(
    name: str, places: list[_Place], limit: int | None, unread: list[Unread]
) -> ExperimentHistory:
    """Read runs one after the other; of one that is done only its entry is kept."""
    before, runs = Before(), []
    # The run before the first one shown is what that one is held against.
    wanted = places if limit is None else places[-limit - 1 :]
    for place in wanted:
        try:
            scan = scan_of(place.folder)
            runs.append(_entry(scan, before))
        except Exception as error:  # noqa: BLE001 - one damaged folder must not hide all others
            unread.append(Unread(place.folder, _reason(error, place.folder)))
    shown = runs if limit is None else runs[-limit:]
    return ExperimentHistory(
        name=name, runs=tuple(shown), earlier=len(places) - len(wanted) + len(runs) - len(shown)
    )


def _entry(scan: Scan, before: Before) -> HistoryRun:
    states = scan.states()
    new, fixed = before.moved(states)
    cost, complete = total_cost(scan.counts.spend, scan.counts.judges, scan.counts.users)
    head = scan.head
    run = HistoryRun(
        folder=scan.folder,
        started_at=scan.started_at,
        finished_at=scan.finished_at,
        agent=None if head is None else head.agent,
        judges=() if head is None else head.judges,
        versions={} if head is None else dict(head.versions),
        cases=sum(map(bool, scan.counts.run_counts())),
        attempts=len(scan.counts),
        outcome=scan.decision.outcome,
        detail=scan.decision.detail,
        rates=scan.rates(),
        cost=cost,
        cost_complete=complete,
        changes=before.changes(scan),
        new_failures=new,
        fixed=fixed,
        flaky=scan.flaky(),
        lines_left_out=scan.left_out,
        stopped=scan.stopped,
    )
    before.learn(scan, states)
    return run
