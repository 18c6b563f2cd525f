"""What an agent said in an earlier run, so that it need not be called again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from judgekit.datasets import load_interactions
from judgekit.errors import FileUnreadable, InvalidArgument
from judgekit.interaction import Interaction
from judgekit.store import RunHead
from judgekit.store.lines import JOURNAL, read_head

__all__ = ["Transcripts", "transcripts_of"]


@dataclass(frozen=True, slots=True)
class Transcripts:
    """The recorded interactions of one agent by case id, and where they are from."""

    source: Path
    by_case: Mapping[str, tuple[Interaction, ...]]


def transcripts_of(agent: str, source: Path) -> Transcripts:
    """Read an agent's interactions from a run, or from any file that `load_interactions` reads.

    Of a provider swap those of the agent of the same name are taken.

    Raises:
        FileUnreadable: The file cannot be read.
        InvalidArgument: It is a provider swap without an agent of this name.
    """
    recorded = {case.id: case.interactions for case in load_interactions(source)}
    head = _head(source)
    if head is None or head.axes is None:
        return Transcripts(source, recorded)
    axes = head.axes
    if agent not in axes.agents:
        raise InvalidArgument(
            f"`agents`: {source} is a provider swap without an agent {agent!r}; "
            f"it has {', '.join(map(repr, axes.agents))}"
        )
    places = ((axes.place(index), case_id) for index, case_id in enumerate(head.case_ids))
    own = {case: recorded[case_id] for (who, case), case_id in places if who == agent and case_id in recorded}
    return Transcripts(source, own)


def _head(source: Path) -> RunHead | None:
    """The head of a journal; None where the file is none."""
    file = source / JOURNAL if source.is_dir() else source
    if file.suffix != ".jsonl" or not file.is_file():
        return None
    try:
        with file.open("rb") as stream:
            return read_head(stream, file)
    except FileUnreadable:
        return None
