"""Answers kept in SQLite: asked once, replayed without a network.

A record belongs to a request (everything that shapes it, run and sample included) and to a slot: which
case asked it, and which of the equal requests of that attempt it was. So the n-th equal request gets the
n-th record whatever the order of arrival, and equal requests of two cases never swap their answers.

Two kinds of record are kept. A usable answer is reused by `read-write` and by `replay`. The last reply of
a question that never got a usable one (malformed, cut off, refused) is kept as well, but only `replay`
gives it back, so that a replayed run ends with the same error and the same token counts; `read-write`
asks again.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from collections import Counter, OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from judgekit.errors import FileUnreadable, InvalidArgument
from judgekit.masking import Masker
from judgekit.providers.base import CACHE_MODES, CacheMode, Reply, Request, Usage

__all__ = [
    "Cache",
    "Ordinals",
    "Record",
    "cache_mode",
    "cache_path",
    "request_key",
]

_VERSION = 1
_BUSY_SECONDS = 10.0
_BUSY_PAUSE = 0.005
_ATTEMPTS_KEPT = 4096
_DEFAULT_FILE = ".judgekit/cache.sqlite"


def cache_mode(request: Request) -> CacheMode:
    """The mode of a request, else of the environment, else `off`.

    Raises:
        InvalidArgument: It is none of the three.
    """
    mode = request.cache if request.cache is not None else os.environ.get("JUDGEKIT_CACHE") or "off"
    for known in CACHE_MODES:
        if mode == known:
            return known
    raise InvalidArgument(
        f"`cache` (or JUDGEKIT_CACHE) must be one of {', '.join(CACHE_MODES)}, got {mode!r}"
    )


def cache_path(request: Request) -> Path:
    """The file of a request's cache."""
    return Path(request.cache_file or os.environ.get("JUDGEKIT_CACHE_FILE") or _DEFAULT_FILE)


def request_key(request: Request, run: int) -> str:
    """A hash over everything that shapes the answer. Keys, time-outs and prices do not."""
    form = request.format
    shape = {
        "model": request.model_name,
        "api_base": request.api_base,
        "messages": [dict(message) for message in request.messages],
        "format": None if form is None else [form.name, form.schema],
        "rung": request.rung,
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
        "params": dict(request.params),
        "run": run,
        "sample": request.sample,
    }
    text = json.dumps(shape, sort_keys=True, ensure_ascii=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()


class Ordinals:
    """Counts the equal requests of an attempt, for as many attempts as are likely to be under way."""

    __slots__ = ("_attempts",)

    def __init__(self) -> None:
        self._attempts: OrderedDict[str, Counter[str]] = OrderedDict()

    def next(self, session_id: str, key: str) -> int:
        """0 for the attempt's first request of this key, 1 for the second, and so on."""
        counts = self._attempts.setdefault(session_id, Counter())
        self._attempts.move_to_end(session_id)
        if len(self._attempts) > _ATTEMPTS_KEPT:
            self._attempts.popitem(last=False)
        counts[key] += 1
        return counts[key] - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A kept reply and what it took to get it.

    `error` is None for a usable one, else its cause, text and excerpt.
    """

    reply: Reply
    usage: Usage
    parameters: Mapping[str, Any]
    notes: tuple[str, ...]
    error: tuple[str, str, str] | None = None

    @property
    def usable(self) -> bool:
        """Whether the reply gave a value."""
        return self.error is None

    def to_json(self, masker: Masker) -> str:
        """The record as JSON text, without the secrets that `masker` knows."""
        return masker.masked_json(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Record:
        """The record of a JSON text."""
        found = json.loads(text)
        reply = found["reply"]
        if reply["logprobs"] is not None:
            reply["logprobs"] = tuple(reply["logprobs"])
        return cls(
            reply=Reply(**reply),
            usage=Usage(**found["usage"]),
            parameters=found["parameters"],
            notes=tuple(found["notes"]),
            error=None if found["error"] is None else tuple(found["error"]),
        )


class Cache:
    """One cache file. `replay` opens it read-only and never creates it.

    Raises:
        FileUnreadable: The file is no cache of ours, or a newer one.
    """

    __slots__ = ("_connection", "_replay", "path")

    def __init__(self, path: Path, *, replay: bool) -> None:
        self.path = path
        self._replay = replay
        self._connection = self._opened()

    def _opened(self) -> sqlite3.Connection | None:
        try:
            if self._replay:
                return self._read_only()
            self.path.parent.mkdir(parents=True, exist_ok=True)
            deadline = time.monotonic() + _BUSY_SECONDS
            while True:
                try:
                    return self._writable()
                except sqlite3.OperationalError as error:
                    # Where another process opens or closes the file, a change of the journal's mode does not
                    # wait for it as statements do.
                    if not _is_busy(error) or time.monotonic() > deadline:
                        raise
                time.sleep(_BUSY_PAUSE)
        except (sqlite3.Error, OSError) as error:
            raise FileUnreadable(f"the cache {self.path} cannot be used: {error}") from error

    def _writable(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            self._check(connection)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS record (request TEXT, case_id TEXT, ordinal INTEGER, "
                "position INTEGER, usable INTEGER, body TEXT, PRIMARY KEY (request, case_id, ordinal)) "
                "WITHOUT ROWID"
            )
            connection.execute(f"PRAGMA user_version = {_VERSION}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _read_only(self) -> sqlite3.Connection | None:
        if not self.path.is_file() or not self.path.stat().st_size:
            return None
        address = self.path.resolve().as_uri()
        try:
            connection = sqlite3.connect(f"{address}?mode=ro", uri=True, timeout=_BUSY_SECONDS)
            self._check(connection)
        except sqlite3.OperationalError:
            # A file that was last written in WAL mode, on a disk that cannot be written.
            connection = sqlite3.connect(f"{address}?immutable=1", uri=True)
            self._check(connection)
        return connection

    def _check(self, connection: sqlite3.Connection) -> None:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > _VERSION:
            raise FileUnreadable(
                f"the cache {self.path} has version {version}; this judgekit reads version {_VERSION}"
            )

    def find(
        self, key: str, case_id: str, ordinal: int, *, position: int, plan: Collection[str]
    ) -> Record | None:
        """The record of a request, or None.

        Where the case has none of its own, it gets the one of a case that the plan no longer holds, the
        nearest before it: a renamed case keeps its record.

        Raises:
            FileUnreadable: The file is damaged.
        """
        if self._connection is None:
            return None
        try:
            rows = self._connection.execute(
                "SELECT case_id, position, usable, body FROM record WHERE request = ? AND ordinal = ? "
                "ORDER BY position, case_id",
                (key, ordinal),
            ).fetchall()
            own = [row for row in rows if row[0] == case_id]
            if not own and (plan or not case_id):
                left = [row for row in rows if row[0] not in plan]
                own = [row for row in left if row[1] <= position][-1:] or left[:1]
            if not own or not (own[0][2] or self._replay):
                return None
            return Record.from_json(own[0][3])
        except (sqlite3.Error, ValueError, KeyError, TypeError) as error:
            raise FileUnreadable(f"the cache {self.path} cannot be read: {error}") from error

    def keep(self, key: str, case_id: str, ordinal: int, *, position: int, record: Record, body: str) -> None:
        """Keep a record; `body` is its JSON without secrets. A usable one gives way only to a usable one."""
        if self._connection is None or self._replay:
            return
        try:
            self._connection.execute(
                "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                "position = excluded.position, usable = excluded.usable, body = excluded.body "
                "WHERE excluded.usable >= record.usable",
                (key, case_id, ordinal, position, record.usable, body),
            )
        except sqlite3.Error as error:
            raise FileUnreadable(f"the cache {self.path} cannot be written: {error}") from error

    def close(self) -> None:
        """Close the file, leaving one file that can be committed."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        try:
            if not self._replay:
                # Fails where another process has the file open; then the last one to close does it.
                connection.execute("PRAGMA busy_timeout = 0")
                connection.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.OperationalError:
            pass
        finally:
            connection.close()


def _is_busy(error: sqlite3.OperationalError) -> bool:
    # The low byte is the error, what is above says more of it.
    return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
