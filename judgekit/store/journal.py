"""The journal of a run: written as attempts finish, and cut back to its good part for resuming."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from judgekit.errors import InvalidArgument
from judgekit.masking import Masker
from judgekit.store.head import RunHead
from judgekit.store.lines import JOURNAL, journal_path
from judgekit.store.locking import lock, unlock

__all__ = ["Journal"]

_SYNC_SECONDS = 1.0
_FLAGS = os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0)


class Journal:
    """One writer at a time. Every line is handed to the system at once, and synced about once a second."""

    def __init__(self, path: Path, descriptor: int, end: int) -> None:
        self.path = path
        self._descriptor = descriptor
        self._end = end
        self._synced = time.monotonic()

    @classmethod
    def create(cls, directory: Path, head: RunHead, masker: Masker) -> Journal:
        """Make the directory of a run and its journal, which holds its head from the first moment on.

        Raises:
            OSError: The directory cannot be written.
        """
        directory.mkdir(parents=True, exist_ok=True)
        stem = f"{_file_name(head.name)}-{head.started_at[:19].replace(':', '-')}Z"
        working = directory / f".{_file_name(head.name)}-{secrets.token_hex(6)}"
        working.mkdir()
        try:
            with (working / JOURNAL).open("xb") as file:
                file.write(masker.masked_json(head.to_json()).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
            # A directory appears under its name when it can be resumed, never before.
            place = _renamed(working, directory / stem)
        except BaseException:
            shutil.rmtree(working, ignore_errors=True)
            raise
        return cls._locked(place / JOURNAL)

    @classmethod
    def open(cls, path: str | Path) -> Journal:
        """Open a journal to go on with it; `cut` it before the first line.

        Raises:
            FileUnreadable: There is none.
            InvalidArgument: Another run is writing it.
        """
        return cls._locked(journal_path(path))

    @classmethod
    def _locked(cls, file: Path) -> Journal:
        descriptor = os.open(file, _FLAGS)
        if not lock(descriptor):
            os.close(descriptor)
            raise InvalidArgument(f"{file} is being written by another run; wait for its end")
        return cls(file, descriptor, os.fstat(descriptor).st_size)

    def cut(self, end: int) -> None:
        """Keep the bytes before `end` only, ended by a line feed: what follows is torn, or an old tail."""
        with self.path.open("rb") as file:
            file.seek(end - 1)
            last, following = file.read(1), file.read(1)
        keep = end if last == b"\n" or following != b"\n" else end + 1
        os.ftruncate(self._descriptor, keep)
        self._end = keep
        if b"\n" not in (last, following):
            self._write(b"\n")

    def append(self, line: bytes) -> tuple[int, int]:
        """Write a line; where it begins and how long it is.

        Raises:
            OSError: It could not be written whole; then nothing of it stays.
        """
        begin = self._end
        self._write(line + b"\n")
        now = time.monotonic()
        if now - self._synced >= _SYNC_SECONDS:
            self._synced = now
            os.fsync(self._descriptor)
        return begin, len(line)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._descriptor, view) :]
        except BaseException as error:
            # Where this fails too, the torn line is left out when the journal is read.
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, self._end)
            if isinstance(error, OSError):
                error.filename = str(self.path)  # a disk that is full does not say where
            raise
        self._end += len(data)

    def write_tail(self, data: Mapping[str, Any], masker: Masker) -> None:
        """Write the last line of a run."""
        self.append(masker.masked_json(data).encode())

    def close(self) -> None:
        """Sync, give the lock back and close; a second time does nothing."""
        if self._descriptor < 0:
            return
        try:
            os.fsync(self._descriptor)
            unlock(self._descriptor)
        finally:
            os.close(self._descriptor)
            self._descriptor = -1


def _file_name(name: str) -> str:
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        return quote(name, safe=" ")
    return name


def _renamed(working: Path, wanted: Path) -> Path:
    for number in range(1, 1000):
        target = wanted if number == 1 else wanted.with_name(f"{wanted.name}-{number}")
        if target.exists():
            continue
        try:
            return working.rename(target)
        except OSError:
            if not target.exists():
                raise
    raise FileExistsError(f"there are too many runs under {wanted}")
