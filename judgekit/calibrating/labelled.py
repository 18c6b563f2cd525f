"""Replies and what humans said about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from judgekit.interaction import Interaction

__all__ = ["LabelledReply", "Labels"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledReply:
    """One reply and what humans said about it.

    Attributes:
        id: Of the row, or of the case in an earlier run.
        labels: By rater: True or False for pass and fail, else a number; empty where nobody labelled it.
        interaction: What was asked and replied; None where only verdicts are compared.
        run: Which run of the case it is, from 1.
        verdict: What a judge said earlier, as pass or fail or as a score; None where it said nothing.
        group: What was answered, such as a question that several systems answered; None where not known.
        system: Who answered; None where not known.
        place: Where the row stands, such as `line 3`.
    """

    id: str
    labels: Mapping[str, bool | float]
    interaction: Interaction | None = None
    run: int = 1
    verdict: bool | float | None = None
    group: str | None = None
    system: str | None = None
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """Replies with their labels; those without one are a population that the judge alone has seen.

    Attributes:
        rows: In order.
        passes_at: A label of at least this is a pass; None: as the criterion's threshold says.
        has_verdicts: Whether a column with a judge's verdicts was read, so that nobody needs to be asked.
    """

    rows: tuple[LabelledReply, ...]
    passes_at: float | None = None
    has_verdicts: bool = False

    @property
    def raters(self) -> tuple[str, ...]:
        """Everyone who labelled something, in order of first appearance."""
        return tuple(dict.fromkeys(rater for row in self.rows for rater in row.labels))
