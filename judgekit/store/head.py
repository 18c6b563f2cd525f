"""What a run planned to do: the first line of its journal."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import accumulate
from typing import Any

from judgekit.evaluation import EvalResult, Kind, Outcome
from judgekit.results import TARGET, Requirements, Results
from judgekit.stopping import EarlyStop
from judgekit.store.axes import Axes

__all__ = ["FORMAT", "FORMAT_VERSION", "RunHead", "versions_now"]

FORMAT = "judgekit-journal"
FORMAT_VERSION = 1

_EARLY = ("alpha", "seed")
_NEVER_RAN = "the run ended before this attempt did"


def versions_now() -> dict[str, str]:
    """The versions of judgekit and Python that are running."""
    # They load the parser of e-mails and more, which no plan needs before it runs.
    import platform
    from importlib.metadata import PackageNotFoundError, version

    try:
        ours = version("judgekit-evals")
    except PackageNotFoundError:
        ours = "unknown"
    return {"judgekit": ours, "python": platform.python_version()}


def _early(data: Mapping[str, Any]) -> tuple[float, int]:
    return float(data["alpha"]), int(data["seed"])


@dataclass(frozen=True, kw_only=True)
class RunHead:
    """The plan of a run, without its cases' contents.

    Attributes:
        name: The experiment's name.
        started_at: UTC, ISO 8601.
        runs: How often each case is to run; the most, where cases have different numbers of recorded runs.
        agent: The agent's name, None where recorded interactions are scored.
        judges: Names of the judges asked.
        fingerprint: A hash over cases, evaluators, agent and judges; a resumed run must have the same.
        gate: The gate as data.
        case_ids: In experiment order, as the report shows them.
        case_runs: The number of attempts of each case.
        requirement_sets: Each distinct list of requirements: label and criterion name.
        requirement_of: For each case the position of its list in `requirement_sets`.
        versions: Of judgekit and Python.
        axes: Of a provider swap, what its cases and criteria stand for.
        tags: The positions of the cases that bear each tag.
        early: Where the run may stop early, the chance of a wrong decision and the seed of its order.
        checks: A hash over the checks of each label that no judge answers.
    """

    name: str
    started_at: str
    runs: int
    agent: str | None
    judges: tuple[str, ...]
    fingerprint: str
    gate: Sequence[Mapping[str, Any]]
    case_ids: tuple[str, ...]
    case_runs: Sequence[int]
    requirement_sets: tuple[Requirements, ...]
    requirement_of: Sequence[int]
    versions: Mapping[str, str] = field(default_factory=versions_now)
    axes: Axes | None = None
    tags: Mapping[str, Sequence[int]] = field(default_factory=dict)
    early: tuple[float, int] | None = None
    checks: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The head as the data of a line."""
        return {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "versions": dict(self.versions),
            "name": self.name,
            "started_at": self.started_at,
            "runs": self.runs,
            "agent": self.agent,
            "judges": list(self.judges),
            "fingerprint": self.fingerprint,
            "gate": self.gate,
            "requirements": self.requirement_sets,
            **({} if self.axes is None else {"swap": self.axes.to_json()}),
            **({"tags": {tag: list(cases) for tag, cases in self.tags.items()}} if self.tags else {}),
            **({} if self.early is None else {"stop_early": dict(zip(_EARLY, self.early, strict=True))}),
            **({"checks": dict(self.checks)} if self.checks else {}),
            "cases": list(zip(self.case_ids, self.case_runs, self.requirement_of, strict=True)),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RunHead:
        """The head that `to_json` wrote.

        Raises:
            ValueError: The data is no head, or one of a format that this version does not know.
        """
        if data.get("format") != FORMAT:
            raise ValueError("its first line is not the head of a run")
        if data.get("format_version") != FORMAT_VERSION:
            raise ValueError(
                f"its format version is {data.get('format_version')!r}, this judgekit reads {FORMAT_VERSION}"
            )
        try:
            return cls._from_fields(data)
        except (KeyError, TypeError, IndexError, ValueError) as error:
            raise ValueError(f"its head is damaged: {type(error).__name__}: {error}") from error

    @classmethod
    def _from_fields(cls, data: Mapping[str, Any]) -> RunHead:
        cases = data["cases"]
        head = cls(
            name=data["name"],
            started_at=data["started_at"],
            runs=data["runs"],
            agent=data["agent"],
            judges=tuple(data["judges"]),
            fingerprint=data["fingerprint"],
            gate=data["gate"],
            case_ids=tuple(case_id for case_id, _, _ in cases),
            case_runs=[runs for _, runs, _ in cases],
            requirement_sets=tuple(
                tuple((label, name) for label, name in requirements) for requirements in data["requirements"]
            ),
            requirement_of=[position for _, _, position in cases],
            versions=data["versions"],
            axes=Axes.from_json(data["swap"], cases=len(cases)) if "swap" in data else None,
            tags={tag: [int(case) for case in found] for tag, found in data.get("tags", {}).items()},
            early=_early(data["stop_early"]) if "stop_early" in data else None,
            checks={label: str(digest) for label, digest in data.get("checks", {}).items()},
        )
        datetime.fromisoformat(head.started_at)
        for position in set(head.requirement_of):
            head.requirement_sets[position]
        for position in {case for found in head.tags.values() for case in found}:
            head.case_ids[position]
        return head

    def results(self) -> Results:
        """The counts of the run before its first attempt."""
        return Results(self.case_ids, tags=self.tags, early=self._early_stop(), checks=self.known_checks)

    @property
    def known_checks(self) -> dict[str, str]:
        """The checks with the versions that described them: others may describe the same in other words."""
        written = " ".join(f"{name} {version}" for name, version in sorted(self.versions.items()))
        return {label: f"{digest} by {written}" for label, digest in self.checks.items()}

    def _early_stop(self) -> EarlyStop | None:
        if self.early is None:
            return None
        alpha, seed = self.early
        runs: dict[int, int] = {}
        for position, number in zip(self.requirement_of, self.case_runs, strict=True):
            runs[position] = max(number, runs.get(position, 0))
        requirements = tuple((self.requirement_sets[position], most) for position, most in runs.items())
        return EarlyStop(alpha=alpha, seed=seed, case_runs=self.case_runs, requirements=requirements)

    @cached_property
    def _starts(self) -> array[int]:
        return array("Q", [0, *accumulate(self.case_runs)])

    @cached_property
    def case_at(self) -> dict[str, int]:
        """The position of each case by its id."""
        return {case_id: position for position, case_id in enumerate(self.case_ids)}

    @property
    def planned(self) -> int:
        """The number of attempts."""
        return self._starts[-1]

    def position(self, case_index: int, run: int) -> int:
        """Where an attempt stands in the report: by case, then by run."""
        return self._starts[case_index] + run - 1

    def place(self, position: int) -> tuple[int, int]:
        """Case position and run of the attempt that stands at `position` in the report."""
        case_index = bisect_right(self._starts, position) - 1
        return case_index, position - self._starts[case_index] + 1

    def interrupted(self, case_index: int) -> tuple[EvalResult, ...]:
        """The results of an attempt that never ran: missing measurements, all of them."""
        return self._interrupted[self.requirement_of[case_index]]

    @cached_property
    def _interrupted(self) -> list[tuple[EvalResult, ...]]:
        return [
            tuple(
                EvalResult(Outcome.INCONCLUSIVE, _NEVER_RAN, Kind.INTERRUPTED, label, name)
                for label, name in ((TARGET, None), *requirements)
            )
            for requirements in self.requirement_sets
        ]
