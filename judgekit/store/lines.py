"""The lines of a journal, read with whatever a crash left of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from judgekit.errors import FileUnreadable
from judgekit.jsonable import parse_json
from judgekit.records import JournalWarning, attempt_from_json
from judgekit.results import CaseResult
from judgekit.store.head import RunHead

__all__ = [
    "JOURNAL",
    "AttemptLine",
    "JournalWarning",
    "Tail",
    "journal_path",
    "read_head",
    "read_lines",
    "skip",
]

JOURNAL = "journal.jsonl"


@dataclass(frozen=True, slots=True)
class AttemptLine:
    """A finished attempt, and where its line begins and how long it is without its line feed."""

    offset: int
    length: int
    attempt: CaseResult


@dataclass(frozen=True, slots=True)
class Tail:
    """The last line of a run that came to its end."""

    offset: int
    data: Mapping[str, Any]


def journal_path(path: str | Path) -> Path:
    """The journal's file of a run's directory, or the file itself.

    Raises:
        FileUnreadable: There is no journal.
    """
    place = Path(path)
    file = place / JOURNAL if place.is_dir() else place
    if not file.is_file():
        raise FileUnreadable(
            f"{place} holds no {JOURNAL}; name the directory of a run, such as .judgekit/runs/<name>-<start>"
        )
    return file


def read_head(file: BinaryIO, path: Path) -> RunHead:
    """The first line of a journal.

    Raises:
        FileUnreadable: It is no journal.
    """
    line = file.readline()
    try:
        return RunHead.from_json(_object(line))
    except ValueError as error:
        raise FileUnreadable(f"{path} is no journal that can be read: {error}") from error


def read_lines(file: BinaryIO, path: Path) -> Iterator[AttemptLine | Tail]:
    """The lines after the head; bad ones are left out with a `JournalWarning`."""
    offset, number = file.tell(), 1
    for line in file:
        number += 1
        begin, offset = offset, offset + len(line)
        try:
            data = _object(line)
            if "decision" in data:
                yield Tail(begin, data)
                continue
            found = AttemptLine(begin, len(line.rstrip(b"\n")), attempt_from_json(data))
        except ValueError as error:
            _warn(path, number, line, error)
            continue
        yield found


def _object(line: bytes) -> dict[str, Any]:
    data = parse_json(line.decode())
    if not isinstance(data, dict):
        raise ValueError("it is no JSON object")
    return data


def _warn(path: Path, number: int, line: bytes, error: ValueError) -> None:
    torn = not line.endswith(b"\n")
    reason = "it was cut off while it was written" if torn else str(error)
    skip(path, f"line {number}: {reason}")


def skip(path: Path, reason: str) -> None:
    """Say which line of a journal is left out, and why."""
    warnings.warn(f"{path}: a line is left out: {reason}", JournalWarning, stacklevel=5)
