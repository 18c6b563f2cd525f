"""What a gate's `of=` names: every result of one label, or the results of one judged criterion."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from judgekit.errors import InvalidArgument
from judgekit.evaluation import CUSTOM_PREFIX, label_of
from judgekit.results import Results, Unit
from judgekit.text import bracketed, one_line

__all__ = ["GateUnit", "Reference"]

JUDGE = "judge"

GateUnit: TypeAlias = "str | type[Any] | Callable[..., Any]"
"""An evaluator class, a labelled function, a criterion's name, or a label as reports show it."""


@dataclass(frozen=True, slots=True)
class Reference:
    """One `of=`, as data.

    Attributes:
        name: The label, or the text that was given.
        is_label: It came from a class or a function, so it is a label. A text is a criterion's name
            first, else a label.
    """

    name: str
    is_label: bool

    @classmethod
    def to(cls, unit: object) -> Reference:
        """The reference that a user's `of=` means.

        Raises:
            InvalidArgument: It is neither a class or function with a label nor a text.
        """
        if isinstance(unit, str):
            if not unit.strip():
                raise InvalidArgument(f"`of` must not be blank, got {unit!r}")
            return cls(unit, is_label=False)
        if not isinstance(unit, type) and hasattr(unit, "evaluate"):
            return cls._to_instance(unit)
        try:
            return cls(label_of(unit), is_label=True)
        except InvalidArgument:
            shown = getattr(unit, "__name__", None) or repr(unit)
            raise InvalidArgument(
                "`of` must be an evaluator class, a function with `@eval_label`, a criterion's name or a "
                f"label, got {shown}"
            ) from None

    @classmethod
    def _to_instance(cls, evaluator: object) -> Reference:
        name = getattr(evaluator, "name", None)
        if getattr(evaluator, "__eval_label__", None) == JUDGE and isinstance(name, str):
            return cls(name, is_label=False)
        kind = type(evaluator).__name__
        raise InvalidArgument(
            f"`of` takes all results of one evaluator class, got one {kind} object; write `of={kind}`"
        )

    @property
    def shown(self) -> str:
        """The name on one safe line."""
        return one_line(self.name)

    @property
    def never_scored(self) -> bool:
        """Whether it names an evaluator that gives no scores: a built-in that is no judge."""
        return self.is_label and self.name != JUDGE and not self.name.startswith(CUSTOM_PREFIX)

    def find(self, results: Results) -> Unit:
        """The counts it names; empty ones where the run holds no such result."""
        if not self.is_label and self.name in results.criteria:
            return results.criteria[self.name]
        return results.units.get(self.name) or Unit()

    def problem(self, labels: Collection[str], criteria: Collection[str]) -> str | None:
        """Why it cannot be used in an experiment with these labels and criteria; None where it can."""
        a_label, a_criterion = self.name in labels, not self.is_label and self.name in criteria
        if a_label and a_criterion:
            return (
                f"the gate's `of={self.name!r}` is both a criterion's name and a label; "
                "give the evaluator's class, or give the criterion another `name=`"
            )
        if a_label or a_criterion:
            return None
        known = f"evaluators {bracketed(labels)}, criteria {bracketed(criteria)}"
        return f"the gate's `of={self.name!r}` names no evaluator of any case; known are {known}"

    def to_json(self) -> dict[str, str]:
        """The reference as JSON data."""
        return {"label" if self.is_label else "name": self.name}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Reference:
        """Read what `to_json` wrote."""
        if "label" in value:
            return cls(str(value["label"]), is_label=True)
        return cls(str(value["name"]), is_label=False)
