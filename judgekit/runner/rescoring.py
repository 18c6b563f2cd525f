"""An earlier run's evidence under a plan's own evaluators."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from judgekit.datasets import load_interactions
from judgekit.errors import InvalidArgument
from judgekit.runner.settings import Settings

__all__ = ["rescored"]

_NAMED = 5


def rescored(settings: Settings, run: Path) -> Settings:
    """The settings with each case's interactions from the run, and without an agent.

    Raises:
        FileUnreadable: It is no run.
        InvalidArgument: There are no cases, or the run holds no attempt at one of them.
    """
    if not settings.cases:
        raise InvalidArgument("`rescore` needs the cases first; write `.cases(...)` before it")
    recorded = {case.id: case.interactions for case in load_interactions(run)}
    absent = [case.id for case in settings.cases if case.id not in recorded]
    if absent:
        more = f" and {len(absent) - _NAMED} more" if len(absent) > _NAMED else ""
        raise InvalidArgument(
            f"{run} holds no attempt at {', '.join(map(repr, absent[:_NAMED]))}{more}; "
            "leave these cases out, or score the run's own with `.cases(load_interactions(run))`"
        )
    cases = tuple(case.replaced(interactions=recorded[case.id]) for case in settings.cases)
    return replace(settings, cases=cases, agent=None, bindings=None, runs=1)
