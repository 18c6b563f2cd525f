"""The end of a session: records of all tests, gates over them, and what is said and written."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from judgekit.evaluation import Outcome
from judgekit.gate import Decision, Gate
from judgekit.gate.decision import joined
from judgekit.records import attempt_from_json, attempt_to_json
from judgekit.reporting import EvalReport
from judgekit.reporting.text import evaluator_lines, gate_line, spend_lines
from judgekit.results import CaseResult, Results
from judgekit.text import counted, one_line

__all__ = ["Group", "Session"]

Place = tuple[int, int]


@dataclass(slots=True)
class Group:
    """What the tests of one function came to.

    Attributes:
        name: The function's id.
        gate: What all its cases must reach; None where each test decides by itself.
        decision: Of a report that a test asserted; None for cases.
        identity: Which cases these are.
        planned: How many tests its cases are; 0 for a report.
        attempts: By case position and run.
        merged: Those of them that an earlier session made.
        unmerged: Why earlier results are not merged, where there are some.
        tags: Of each case, by its position.
    """

    name: str
    gate: Gate | None = None
    decision: Decision | None = None
    identity: str = ""
    planned: int = 0
    attempts: dict[Place, CaseResult] = field(default_factory=dict)
    merged: set[Place] = field(default_factory=set)
    unmerged: str = ""
    tags: dict[int, list[str]] = field(default_factory=dict)

    @property
    def places(self) -> list[Place]:
        """Every attempt's, by case, then by run."""
        return sorted(self.attempts)

    def report(self, started_at: datetime, *, prefix: str = "") -> EvalReport:
        """The attempts as a report, whose case ids begin with `prefix`."""
        ids = {index: prefix + self.attempts[index, run].case_id for index, run in self.places}
        where = {index: place for place, index in enumerate(ids)}
        counts, results = Results(list(ids.values()), tags=self._tagged(list(ids))), []
        for index, run in self.places:
            attempt = dataclasses.replace(self.attempts[index, run], case_id=ids[index], run=run)
            counts.add(where[index], run, attempt.interaction, attempt.results)
            results.append(attempt)
        gate = Gate.all_cases_should_pass() if self.gate is None else self.gate
        return EvalReport(
            name=one_line(self.name),
            started_at=started_at,
            finished_at=datetime.now(UTC),
            runs=max((run for _, run in self.attempts), default=1),
            counts=counts,
            results=results,
            decision=gate.decide(counts) if self.decision is None else self.decision,
            gate=gate if self.decision is None else None,
        )

    def _tagged(self, positions: Sequence[int]) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for place, index in enumerate(positions):
            for tag in dict.fromkeys(self.tags.get(index, ())):
                found.setdefault(tag, []).append(place)
        return found


class Session:
    """The records of a session's tests, as they come in."""

    def __init__(self) -> None:
        self.started_at = datetime.now(UTC)
        self._records: dict[str, list[dict[str, Any]]] = {}
        self.groups: dict[str, Group] = {}
        self.reports: dict[str, EvalReport] = {}

    def add(self, node: str, records: Iterable[dict[str, Any]]) -> None:
        """Take what one test kept, in place of what an earlier try of it did; `node` is its id."""
        self._records[node] = list(records)

    def conclude(self, earlier: Mapping[str, Any], *, merge: bool) -> dict[str, Any]:
        """Put the groups together.

        Args:
            earlier: What this method returned in an earlier session.
            merge: Count earlier results of tests that did not run now.

        Returns:
            What a later session may merge, by group.
        """
        for _, node, record in sorted(self._kept_by_tests(), key=lambda kept: kept[:2]):
            self._take(node, record)
        kept = {}
        for name, group in self.groups.items():
            if group.planned:
                before, unmerged = _earlier(group, earlier.get(name))
                kept[name] = _kept(group, before)
                if merge:
                    _merge(group, before)
                    group.unmerged = unmerged
        self.reports = {name: group.report(self.started_at) for name, group in self.groups.items()}
        return kept

    @property
    def passed(self) -> bool:
        """Whether every group passed its gate."""
        return all(report.passed for report in self.reports.values())

    def _kept_by_tests(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Each record, with the name of its group and the id of its test before it."""
        for node, records in self._records.items():
            yield from ((record["name"], node, record) for record in records)

    def _take(self, node: str, record: Mapping[str, Any]) -> None:
        if "report" in record:
            # A test may assert several reports; each is a group of its own.
            key = next(key for n in range(1, 10_000) if (key := _numbered(node, n)) not in self.groups)
            outcome, detail = record["decision"]
            group = self.groups[key] = Group(key, decision=Decision(Outcome(outcome), detail))
            ids: dict[str, int] = {}
            for attempt in map(attempt_from_json, record["attempts"]):
                index = ids.setdefault(attempt.case_id, len(ids))
                group.attempts[index, attempt.run] = attempt
            return
        group = self.groups.setdefault(record["name"], Group(record["name"]))
        group.gate = None if record["gate"] is None else Gate.from_json(record["gate"])
        group.identity, group.planned = record["identity"], record["of"]
        (attempt,) = map(attempt_from_json, record["attempts"])
        group.attempts[record["index"], record["run"]] = attempt
        group.tags[record["index"]] = record.get("tags", [])

    def failing_nodes(self) -> Iterator[str]:
        """The ids of tests whose attempt did not pass, of groups whose gate did not either."""
        for name, node, record in self._kept_by_tests():
            group = self.groups.get(name)
            if group is None or group.gate is None or self.reports[name].passed:
                continue
            attempt = group.attempts.get((record.get("index", -1), record.get("run", 0)))
            if attempt is not None and not attempt.passed:
                yield node

    def lines(self) -> Iterator[str]:
        """The summary: for each group its gate, a line a criterion, what is missing; then the cost."""
        for name, report in self.reports.items():
            group = self.groups[name]
            yield f"{one_line(name)}: {report.render(intervals=True, most=0).partition(chr(10))[0]}"
            yield f"  {gate_line(report.decision)}"
            yield from _absent(group)
            yield from (f"  {line}" for line in evaluator_lines(report.counts, intervals=True))
            yield from (f"  {line}" for line in spend_lines(report.counts))

    def whole(self) -> EvalReport:
        """All groups as one report; where there are several, a case's id names its test."""
        if len(self.groups) == 1:
            return next(iter(self.reports.values()))
        parts = [group.report(self.started_at, prefix=f"{name}::") for name, group in self.groups.items()]
        results = [attempt for part in parts for attempt in part.results]
        ids = dict.fromkeys(attempt.case_id for attempt in results)
        counts, positions = Results(tuple(ids)), {case_id: place for place, case_id in enumerate(ids)}
        for attempt in results:
            counts.add(positions[attempt.case_id], attempt.run, attempt.interaction, attempt.results)
        return EvalReport(
            name="pytest",
            started_at=self.started_at,
            finished_at=datetime.now(UTC),
            runs=max((part.runs for part in parts), default=1),
            counts=counts,
            results=results,
            decision=joined([part.decision for part in parts]),
        )

    def write(self, path: str) -> Path:
        """Write everything as one report, in the format of the file's suffix."""
        return self.whole().write(path)


def _numbered(node: str, number: int) -> str:
    return node if number == 1 else f"{node} ({number})"


def _absent(group: Group) -> Iterator[str]:
    if group.merged:
        merged = counted(len(group.merged), "result")
        yield f"  {merged} of the previous run merged, of cases that did not run now"
    if group.unmerged:
        yield f"  results of the previous run {group.unmerged}, so none is merged"
    if absent := group.planned - len(group.attempts) if group.planned else 0:
        yield f"  {absent} of {counted(group.planned, 'test')} did not run"


def _earlier(group: Group, kept: Any) -> tuple[dict[Place, Any], str]:
    """What an earlier session kept of the same cases, and why there is nothing of it.

    The cache is a file that other versions write too.
    """
    if kept is None:
        return {}, ""
    try:
        if kept["identity"] != group.identity:
            return {}, "are of other cases"
        found = {(int(index), int(run)): attempt for index, run, attempt in kept["attempts"]}
        for attempt in found.values():
            attempt_from_json(attempt)
    except (KeyError, TypeError, ValueError):
        return {}, "cannot be read"
    return found, ""


def _merge(group: Group, earlier: Mapping[Place, Any]) -> None:
    for place, attempt in earlier.items():
        if place not in group.attempts:
            group.attempts[place] = attempt_from_json(attempt)
            group.tags.setdefault(place[0], attempt.get("tags", []))
            group.merged.add(place)


def _kept(group: Group, earlier: Mapping[Place, Any]) -> dict[str, Any]:
    """The group's attempts, and of tests that did not run those that were kept before."""
    found = dict(earlier)
    for place, attempt in group.attempts.items():
        found[place] = {**attempt_to_json(attempt), "tags": group.tags.get(place[0], [])}
    return {"identity": group.identity, "attempts": [[*place, found[place]] for place in sorted(found)]}
