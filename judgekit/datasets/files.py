"""Files to rows: JSON Lines, JSON, CSV, YAML, Parquet."""

from __future__ import annotations

import csv
import gzip
import importlib
import io
import re
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from judgekit.datasets.rows import BadRow, Row
from judgekit.datasets.traces import is_export, rows_of_traces
from judgekit.errors import ExtraMissing, FileUnreadable
from judgekit.jsonable import parse_json
from judgekit.records import JournalWarning, interaction_from_json

__all__ = ["rows_of"]

_JOURNAL = "judgekit-journal"
_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
# The csv module keeps its limit on field sizes in a global.
_csv_limit = threading.Lock()
# What duckdb reads as a pattern in the name of a file.
_GLOB = re.compile(r"[*?\[]")


def rows_of(path: Path) -> Iterator[Row | BadRow]:
    """The rows of a file, read by its suffix; a run's folder stands for its journal.

    Raises:
        FileUnreadable: There is no such file, or it is of another kind.
        ExtraMissing: Parquet without duckdb.
    """
    if path.is_dir():
        folder, path = path, path / "journal.jsonl"
        if not path.is_file():
            raise FileUnreadable(f"{folder} is a folder and holds no run; name a file of rows in it")
    if not path.is_file():
        raise FileUnreadable(f"{path}: there is no such file")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = bool(suffixes) and suffixes[-1] == ".gz"
    suffix = (suffixes[:-1] if packed else suffixes)[-1:] or [""]
    reader = _READERS.get(suffix[0])
    if reader is not None:
        try:
            return reader(gzip.decompress(path.read_bytes()) if packed else path.read_bytes())
        except (gzip.BadGzipFile, EOFError) as error:
            raise FileUnreadable(f"{path}: it is no gzip file: {error}") from error
    if suffix == [".parquet"] and not packed:
        return _parquet_rows(path)
    raise FileUnreadable(
        f"{path}: rows are read from .jsonl, .json, .csv, .tsv, .yaml and .parquet files, got {suffix[0]!r}"
    )


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileUnreadable(
            f"line {line}: it is not UTF-8 ({error.reason} at byte {error.start})"
        ) from error


def _json_rows_of_lines(data: bytes) -> Iterator[Row | BadRow]:
    # Lines end at line feeds only: JSON text may hold U+2028 and its kind.
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    rows = (_json_row(f"line {n}", line) for n, line in enumerate(lines, start=1) if line.strip())
    first = next(rows, None)
    if isinstance(first, Row) and first.values.get("format") == _JOURNAL:
        return iter(_journal_rows(first.values, list(rows)))
    if isinstance(first, Row) and is_export(first.values):
        return rows_of_traces(_text(data))
    return rows if first is None else chain([first], rows)


def _journal_rows(head: Mapping[str, Any], rows: Sequence[Row | BadRow]) -> list[Row]:
    """The attempts of a run in the order of its cases, whatever finished first.

    A crash leaves torn lines; they are left out with a `JournalWarning`.
    """
    order = {str(case[0]): position for position, case in enumerate(head.get("cases") or ())}
    attempts: list[tuple[int, int, Row]] = []
    for row in rows:
        run = 0
        if isinstance(row, Row):
            if "interaction" not in row.values or not _was_made(row.values):
                continue
            run, row = int(row.values.get("run") or 0), _attempt(row)
        if isinstance(row, BadRow):
            warnings.warn(f"a line of the journal is left out: {row}", JournalWarning, stacklevel=2)
        else:
            attempts.append((order.get(str(row.values["id"]), len(order)), run, row))
    return [row for _, _, row in sorted(attempts, key=lambda entry: entry[:2])]


def _json_row(place: str, line: bytes) -> Row | BadRow:
    try:
        values = parse_json(line.decode("utf-8"), unique_keys=True)
    except UnicodeDecodeError:
        return BadRow(f"{place}: it is not UTF-8")
    except ValueError as error:
        return BadRow(f"{place}: it is no JSON: {error}")
    return _mapped(place, values)


def _mapped(place: str, values: Any) -> Row | BadRow:
    if isinstance(values, Mapping):
        return Row(place, values)
    if isinstance(values, list):
        return Row(place, {"messages": values})
    return BadRow(
        f"{place}: it must be an object with named columns, or a list of chat messages, "
        f"got {type(values).__name__}"
    )


def _is_transcript(rows: Sequence[Any]) -> bool:
    """Whether a list is one conversation, and no list of rows."""
    return bool(rows) and all(isinstance(row, Mapping) and row.get("role") in _ROLES for row in rows)


def _was_made(attempt: Mapping[str, Any]) -> bool:
    """Whether the agent was called; a run that was interrupted or out of money has others too."""
    own: Mapping[str, Any] = next(iter(attempt.get("results") or ()), {})
    evidence = attempt.get("interaction") or {}
    reached = own.get("label") != "target" or own.get("outcome") != "inconclusive"
    return reached or "latency" in evidence or "turns" in evidence


def _attempt(row: Row) -> Row | BadRow:
    """An attempt of an earlier run as a row: its case's id, what was asked, and the evidence."""
    try:
        interaction = interaction_from_json(row.values["interaction"])
    except ValueError as error:
        return BadRow(f"{row.place}: {error}")
    values = {"id": row.values.get("id"), "asked": interaction.command_text or None}
    return Row(row.place, values, interaction)


def _json_rows(data: bytes) -> Iterator[Row | BadRow]:
    try:
        document = parse_json(_text(data))
    except FileUnreadable:
        raise
    except ValueError as error:
        raise FileUnreadable(f"it is no JSON: {error}") from error
    if isinstance(document, Mapping) and document.get("format") == "judgekit-report":
        for number, attempt in enumerate(document.get("attempts") or (), start=1):
            if _was_made(attempt):
                yield _attempt(Row(f"attempt {number}", attempt))
    elif isinstance(document, Mapping) and is_export(document):
        yield from rows_of_traces(_text(data))
    elif isinstance(document, list):
        rows = [document] if _is_transcript(document) else document
        yield from (_mapped(f"row {number}", row) for number, row in enumerate(rows, start=1))
    else:
        raise FileUnreadable(f"it must be a list of rows, got {type(document).__name__}")


def _csv_rows(data: bytes, delimiter: str = ",") -> Iterator[Row | BadRow]:
    with _csv_limit:
        before = csv.field_size_limit(sys.maxsize)
        try:
            reader = csv.reader(io.StringIO(_text(data), newline=""), delimiter=delimiter, strict=True)
            found = [(reader.line_num, fields) for fields in reader if fields]
        except csv.Error as error:
            raise FileUnreadable(f"line {reader.line_num}: {error}") from error
        finally:
            csv.field_size_limit(before)
    if not found:
        return
    names = found[0][1]
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise FileUnreadable(f"line 1: the columns {sorted(repeated)} appear twice")
    for line, fields in found[1:]:
        if len(fields) != len(names):
            yield BadRow(f"line {line}: it has {len(fields)} fields where the head has {len(names)}")
        else:
            yield Row(f"line {line}", dict(zip(names, fields, strict=True)))


def _tsv_rows(data: bytes) -> Iterator[Row | BadRow]:
    return _csv_rows(data, "\t")


def _yaml_rows(data: bytes) -> Iterator[Row | BadRow]:
    from judgekit.datasets.plain_yaml import load_plain_yaml

    document = load_plain_yaml(_text(data))
    if not isinstance(document, list):
        raise FileUnreadable(f"it must be a list of rows, got {type(document).__name__}")
    for number, row in enumerate(document, start=1):
        yield _mapped(f"row {number}", row)


_READERS: Mapping[str, Callable[[bytes], Iterator[Row | BadRow]]] = {
    ".jsonl": _json_rows_of_lines,
    ".ndjson": _json_rows_of_lines,
    ".json": _json_rows,
    ".csv": _csv_rows,
    ".tsv": _tsv_rows,
    ".yaml": _yaml_rows,
    ".yml": _yaml_rows,
}


def _parquet_rows(path: Path) -> Iterator[Row | BadRow]:
    try:
        duckdb = importlib.import_module("duckdb")
    except ImportError as error:
        raise ExtraMissing(
            "reading Parquet needs duckdb; install it with `pip install judgekit-evals[data]`"
        ) from error
    # Nothing may be downloaded: duckdb would fetch extensions for what it does not know. Moments read the
    # same on every machine.
    settings = {"autoinstall_known_extensions": "false", "TimeZone": "UTC"}
    with duckdb.connect(config=settings) as connection:
        try:
            # A folder called `day=1` is no column of the file in it.
            result = connection.execute(
                "SELECT * FROM read_parquet(?, hive_partitioning = false)", [_GLOB.sub(r"[\g<0>]", str(path))]
            )
            names = [column[0] for column in result.description]
            number = 0
            while batch := result.fetchmany(1000):
                for fields in batch:
                    number += 1
                    yield Row(f"row {number}", dict(zip(names, fields, strict=True)))
        except duckdb.Error as error:
            raise FileUnreadable(f"it is no Parquet file: {error}") from error
