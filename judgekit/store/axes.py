"""What the cases and criteria of a provider swap stand for: agents, cases, judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

__all__ = ["Axes", "JudgedName"]


class JudgedName(NamedTuple):
    """A criterion before one judge.

    Attributes:
        name: As results carry it, such as `tone [strict]`.
        criterion: The criterion's own name.
        judge: The judge's name.
    """

    name: str
    criterion: str
    judge: str


@dataclass(frozen=True, slots=True)
class Axes:
    """The grid of a provider swap. Its attempts are at each case by every agent in turn.

    Attributes:
        agents: Their names.
        judges: Likewise.
        cases: The ids of the cases, as every agent gets them.
        judged: Each criterion before each judge.
    """

    agents: tuple[str, ...]
    judges: tuple[str, ...]
    cases: tuple[str, ...]
    judged: tuple[JudgedName, ...]

    def place(self, case_index: int) -> tuple[str, str]:
        """The agent and the case of a run's case, by its position in the run."""
        case, agent = divmod(case_index, len(self.agents))
        return self.agents[agent], self.cases[case]

    def renamed(self, shown: Callable[[str], str]) -> Axes:
        """The same grid with every name as `shown` makes it, such as with secrets masked."""
        return Axes(
            tuple(map(shown, self.agents)),
            tuple(map(shown, self.judges)),
            tuple(map(shown, self.cases)),
            tuple(JudgedName(*map(shown, one)) for one in self.judged),
        )

    def to_json(self) -> dict[str, Any]:
        """The grid as JSON data."""
        return {
            "agents": list(self.agents),
            "judges": list(self.judges),
            "cases": list(self.cases),
            "judged": [list(one) for one in self.judged],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], *, cases: int) -> Axes:
        """The grid that `to_json` wrote.

        Args:
            data: What it wrote.
            cases: How many cases the run has; one an agent and case.

        Raises:
            ValueError: It does not fit the run's cases, or something in it is no text.
        """
        axes = cls(
            tuple(data["agents"]),
            tuple(data["judges"]),
            tuple(data["cases"]),
            tuple(JudgedName(*one) for one in data["judged"]),
        )
        texts = [*axes.agents, *axes.judges, *axes.cases, *(text for one in axes.judged for text in one)]
        if not all(isinstance(text, str) for text in texts):
            raise ValueError("a name of its swap is no text")
        if len(axes.agents) * len(axes.cases) != cases:
            raise ValueError(
                f"its swap has {len(axes.agents)} agents at {len(axes.cases)} cases, not {cases}"
            )
        return axes
