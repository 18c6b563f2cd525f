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
        changed: Whether there were earlier results, of other cases.
        tags: Of each case, by its position.
    """

    name: str
    gate: Gate | None = None
    decision: Decision | None = None
    identity: str = ""
    planned: int = 0
    attempts: dict[Place, CaseResult] = field(default_factory=dict)
    merged: set[Place] = field(default_factory=set)
    changed: bool = False
    tags: dict[int, list[str]] = field(default_factory=dict)

    @property
    def places(self) -> list[Place]:
        """Every attempt's, by case, then by run."""
        return sorted(self.attempts)

    def report(self, started_at: datetime, *, prefix: str = "") -> EvalReport:
        """The attempts as a report, whose case ids begin with `prefix`."""
        positions = sorted({index for index, _ in self.attempts})
        ids = {index: prefix + self._id(index) for index in positions}
        counts = Results([ids[index] for index in positions], tags=self._tagged(positions))
        results = []
        for index, run in self.places:
            attempt = dataclasses.replace(self.attempts[index, run], case_id=ids[index], run=run)
            counts.add(positions.index(index), run, attempt.interaction, attempt.results)
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

    def _id(self, index: int) -> str:
        return next(attempt.case_id for (at, _), attempt in self.attempts.items() if at == index)


class Session:
    """The records of a session's tests, as they come in."""

    def __init__(self) -> None:
        self.started_at = datetime.now(UTC)
        self._records: dict[str, list[tuple[str, dict[str, Any]]]] = {}
        self.groups: dict[str, Group] = {}
        self.reports: dict[str, EvalReport] = {}

    def add(self, node: str, records: Iterable[dict[str, Any]]) -> None:
        """Take what one test kept; `node` is its id."""
        for record in records:
            self._records.setdefault(record["name"], []).append((node, record))

    def conclude(self, earlier: Mapping[str, Any], *, merge: bool) -> dict[str, Any]:
        """Put the groups together.

        Args:
            earlier: What this method returned in an earlier session.
            merge: Count earlier results of tests that did not run now.

        Returns:
            What a later session may merge, by group.
        """
        for name in sorted(self._records):
            for node, record in self._records[name]:
                self._take(name, node, record)
        kept = {}
        for name, group in self.groups.items():
            if group.planned:
                kept[name] = _kept(group, earlier.get(name))
                if merge:
                    _merge(group, earlier.get(name))
        self.reports = {name: group.report(self.started_at) for name, group in self.groups.items()}
        return kept

    @property
    def passed(self) -> bool:
        """Whether every group passed its gate."""
        return all(report.passed for report in self.reports.values())

    def _take(self, name: str, node: str, record: Mapping[str, Any]) -> None:
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
        group = self.groups.setdefault(name, Group(name))
        group.gate = None if record["gate"] is None else Gate.from_json(record["gate"])
        group.identity, group.planned = record["identity"], record["of"]
        (attempt,) = map(attempt_from_json, record["attempts"])
        group.attempts[record["index"], record["run"]] = attempt
        group.tags[record["index"]] = record.get("tags", [])

    def failing_nodes(self) -> Iterator[str]:
        """The ids of tests whose attempt did not pass, of groups whose gate did not either."""
        for name, report in self.reports.items():
            group = self.groups[name]
            if group.gate is None or report.passed:
                continue
            for node, record in self._records.get(name, ()):
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
    if group.changed:
        yield "  results of the previous run are of other cases, so none is merged"
    if absent := group.planned - len(group.attempts) if group.planned else 0:
        yield f"  {absent} of {counted(group.planned, 'test')} did not run"


def _merge(group: Group, kept: Any) -> None:
    if not isinstance(kept, Mapping):
        return
    if kept.get("identity") != group.identity:
        group.changed = True
        return
    for index, run, attempt in kept["attempts"]:
        if (index, run) not in group.attempts:
            group.attempts[index, run] = attempt_from_json(attempt)
            group.merged.add((index, run))
            group.tags.setdefault(index, kept.get("tags", {}).get(str(index), []))


def _kept(group: Group, earlier: Any) -> dict[str, Any]:
    """The group's attempts, and of tests that did not run those that were kept before."""
    found = {place: attempt_to_json(attempt) for place, attempt in group.attempts.items()}
    tags = {str(index): borne for index, borne in group.tags.items()}
    if isinstance(earlier, Mapping) and earlier.get("identity") == group.identity:
        found = {(index, run): attempt for index, run, attempt in earlier["attempts"]} | found
        tags = earlier.get("tags", {}) | tags
    attempts = [[*place, found[place]] for place in sorted(found)]
    return {"identity": group.identity, "attempts": attempts, "tags": tags}
