"""In what a run differs from the one before: agent, judges, evaluators, cases, versions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from judgekit.history.model import Change
from judgekit.history.scan import Scan
from judgekit.instruments import Instrument
from judgekit.store import RunHead
from judgekit.text import counted, one_line

__all__ = ["Before"]

_NAMED = 3


@dataclass(slots=True)
class Before:
    """What is known from the runs before, the newest knowledge of each thing."""

    head: RunHead | None = None
    cases: frozenset[str] | None = None
    units: frozenset[tuple[str, str | None]] = frozenset()
    models: frozenset[str] = frozenset()
    instruments: dict[str, Instrument] = field(default_factory=dict)
    states: dict[str, bool] = field(default_factory=dict)

    def changes(self, scan: Scan) -> tuple[Change, ...]:
        """In what a run differs."""
        if self.cases is None:
            return ()
        return (
            *self._agent(scan),
            *self._judges(scan.instruments),
            *self._evaluators(scan.units),
            *self._checks(scan),
            *self._cases(scan.counts.case_ids),
            *self._versions(scan.head),
        )

    def _agent(self, scan: Scan) -> Iterator[Change]:
        if self.head is not None and scan.head is not None and self.head.agent != scan.head.agent:
            yield Change("agent", f"agent was {_agent(self.head)}, now {_agent(scan.head)}")
        if self.models and scan.models and self.models != scan.models:
            yield Change("agent", f"the agent's models were {_names(self.models)}, now {_names(scan.models)}")

    def _judges(self, instruments: Mapping[str, Instrument]) -> Iterator[Change]:
        for name, instrument in instruments.items():
            before = self.instruments.get(name)
            if before is None:
                continue
            differences = before.differences(instrument)
            if differences:
                yield Change("judge", f"judge of {one_line(name)}: {'; '.join(differences)}", name)

    def _evaluators(self, units: frozenset[tuple[str, str | None]]) -> Iterator[Change]:
        yield from _more_and_fewer("evaluators", _called(units), _called(self.units), "evaluator")

    def _checks(self, scan: Scan) -> Iterator[Change]:
        if self.head is None or scan.head is None or self.head.versions != scan.head.versions:
            # Other versions may describe the same check in other words.
            return
        if set(self.head.case_ids) == set(scan.head.case_ids):
            before = self.head.checks
            for label, digest in scan.head.checks.items():
                if before.get(label, digest) != digest:
                    text = f"the check {one_line(label)} has other parameters or other code"
                    yield Change("evaluators", text, label)

    def _cases(self, case_ids: Collection[str]) -> Iterator[Change]:
        yield from _more_and_fewer("cases", set(case_ids), self.cases or frozenset(), "case")

    def _versions(self, head: RunHead | None) -> Iterator[Change]:
        if head is None or self.head is None:
            return
        for name in ("judgekit", "python"):
            before, now = self.head.versions.get(name), head.versions.get(name)
            if before != now and None not in (before, now):
                yield Change("version", f"{name} was {one_line(str(before))}, now {one_line(str(now))}")

    def moved(self, states: Mapping[str, bool]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """New failures and fixed cases, against what each case came to when it was decided last."""
        new = tuple(case for case, passed in states.items() if not passed and self.states.get(case) is True)
        fixed = tuple(case for case, passed in states.items() if passed and self.states.get(case) is False)
        return new, fixed

    def learn(self, scan: Scan, states: Mapping[str, bool]) -> None:
        """Take in a run."""
        self.head = scan.head or self.head
        self.cases = frozenset(scan.counts.case_ids)
        self.units = scan.units
        self.models = scan.models or self.models
        self.instruments |= scan.instruments
        self.states |= states


def _agent(head: RunHead) -> str:
    return "none, recorded interactions" if head.agent is None else repr(one_line(head.agent))


def _called(units: frozenset[tuple[str, str | None]]) -> set[str]:
    return {name or label for label, name in units}


def _more_and_fewer(what: str, now: Collection[str], before: Collection[str], noun: str) -> Iterator[Change]:
    more, fewer = sorted(set(now) - set(before)), sorted(set(before) - set(now))
    parts = [
        f"{counted(len(found), f'{kind} {noun}')} ({_names(found)})"
        for kind, found in (("new", more), ("removed", fewer))
        if found
    ]
    if parts:
        yield Change("cases" if what == "cases" else "evaluators", ", ".join(parts))


def _names(found: Collection[str]) -> str:
    shown = ", ".join(one_line(name, 60) for name in islice(sorted(found), _NAMED))
    return f"{shown} and {len(found) - _NAMED} more" if len(found) > _NAMED else shown
