"""A run's attempts in report order, read from where they are kept when they are asked for."""

from __future__ import annotations

from abc import abstractmethod
from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import overload

from judgekit.errors import FileUnreadable
from judgekit.evaluation import EvalResult
from judgekit.interaction import Interaction
from judgekit.jsonable import parse_json
from judgekit.masking import Masker
from judgekit.records import attempt_from_json, attempt_record
from judgekit.results import CaseResult
from judgekit.store.head import RunHead

__all__ = ["Attempts", "JournalAttempts", "MemoryAttempts", "line_of"]

_ABSENT = (1 << 64) - 1


def line_of(
    masker: Masker, case_id: str, run: int, interaction: Interaction, results: tuple[EvalResult, ...]
) -> bytes:
    """An attempt as its line in journal and report: JSON, masked, in UTF-8, without a line feed."""
    return masker.masked_json(attempt_record(case_id, run, interaction, results)).encode()


class Attempts(Sequence[CaseResult]):
    """One CaseResult an attempt: cases in the order they were given, runs ascending.

    Evidence is what the journal holds: plain JSON, with secrets masked. Planned attempts that never ran
    are there too, with `interrupted` results; those that a run which stopped early left out are not.

    Attributes:
        positions: Where each of them stands among those planned.
    """

    def __init__(self, head: RunHead) -> None:
        self._head = head
        self.positions: Sequence[int] = range(head.planned)

    def leave_out_absent(self) -> None:
        """Show those that were made and no other."""
        self.positions = array("L", filter(self._is_there, range(self._head.planned)))

    @abstractmethod
    def _is_there(self, position: int) -> bool:
        """Whether the attempt at this position was made."""

    @abstractmethod
    def _kept(self, positions: Iterable[int]) -> Iterator[bytes | None]:
        """The line of each position, None for an attempt that never ran."""

    def __len__(self) -> int:
        return len(self.positions)

    @overload
    def __getitem__(self, index: int) -> CaseResult: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[CaseResult]: ...

    def __getitem__(self, index: int | slice) -> CaseResult | Sequence[CaseResult]:
        if isinstance(index, slice):
            return tuple(self._read(self.positions[index]))
        return next(self._read((self.positions[index],)))

    def __iter__(self) -> Iterator[CaseResult]:
        return self._read(self.positions)

    def lines(self) -> Iterator[bytes]:
        """Each attempt as its JSON, in the same order, without line feeds."""
        for position, line in zip(self.positions, self._kept(self.positions), strict=True):
            yield self._interrupted_line(position) if line is None else line

    def _read(self, positions: Sequence[int]) -> Iterator[CaseResult]:
        for position, line in zip(positions, self._kept(positions), strict=True):
            yield (
                self._interrupted(position) if line is None else attempt_from_json(parse_json(line.decode()))
            )

    def _interrupted(self, position: int) -> CaseResult:
        case_index, run = self._head.place(position)
        results = self._head.interrupted(case_index)
        return CaseResult(self._head.case_ids[case_index], run, Interaction(), results)

    def _interrupted_line(self, position: int) -> bytes:
        attempt = self._interrupted(position)
        return line_of(Masker(), attempt.case_id, attempt.run, attempt.interaction, attempt.results)


class JournalAttempts(Attempts):
    """Attempts that stay in the journal; twelve bytes of memory each."""

    def __init__(self, head: RunHead, path: Path) -> None:
        super().__init__(head)
        self.path = path
        self._offsets = array("Q", [_ABSENT]) * head.planned
        self._lengths = array("L", [0]) * head.planned

    def holds(self, case_index: int, run: int) -> bool:
        """Whether this attempt is in the journal."""
        return self._is_there(self._head.position(case_index, run))

    def _is_there(self, position: int) -> bool:
        return self._offsets[position] != _ABSENT

    def put(self, case_index: int, run: int, offset: int, length: int) -> None:
        """Remember where an attempt's line is."""
        position = self._head.position(case_index, run)
        self._offsets[position], self._lengths[position] = offset, length

    def _kept(self, positions: Iterable[int]) -> Iterator[bytes | None]:
        with self.path.open("rb") as file:
            for position in positions:
                if self._offsets[position] == _ABSENT:
                    yield None
                    continue
                file.seek(self._offsets[position])
                line = file.read(self._lengths[position])
                if not line.startswith(b"{") or not line.endswith(b"}"):
                    raise FileUnreadable(f"{self.path} was changed since it was read")
                yield line


class MemoryAttempts(Attempts):
    """Attempts kept in memory, for runs without a journal.

    With `at_once` each one is turned into JSON when it is put, as evidence that an agent still holds may
    change; recorded interactions are turned only when they are asked for.
    """

    def __init__(self, head: RunHead, masker: Masker, *, at_once: bool) -> None:
        super().__init__(head)
        self._masker = masker
        self._at_once = at_once
        self._parts: list[bytes | tuple[Interaction, tuple[EvalResult, ...]] | None] = [None] * head.planned

    def _is_there(self, position: int) -> bool:
        return self._parts[position] is not None

    def put(
        self, case_index: int, run: int, interaction: Interaction, results: tuple[EvalResult, ...]
    ) -> None:
        """Keep an attempt."""
        position = self._head.position(case_index, run)
        self._parts[position] = (interaction, results)
        if self._at_once:
            self._parts[position] = next(self._kept((position,)))

    def _kept(self, positions: Iterable[int]) -> Iterator[bytes | None]:
        for position in positions:
            parts = self._parts[position]
            if parts is None or isinstance(parts, bytes):
                yield parts
                continue
            case_index, run = self._head.place(position)
            yield line_of(self._masker, self._head.case_ids[case_index], run, *parts)
