"""The formats a report is written in. A new one is a module with a writer and a line in FORMATS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, TypeAlias, cast

from judgekit.errors import InvalidArgument

if TYPE_CHECKING:
    from judgekit.reporting.report import EvalReport

__all__ = ["FORMATS", "ReportFormat", "format_for", "format_named"]

Writer: TypeAlias = "Callable[[EvalReport, TextIO], None]"


@dataclass(frozen=True, slots=True)
class ReportFormat:
    """One format.

    Attributes:
        name: As `EvalReport.render` takes it.
        suffixes: Of the files it is written to, lower case.
        module: Module of this package whose `write(report, stream)` writes it; loaded when used.
    """

    name: str
    suffixes: tuple[str, ...]
    module: str

    def writer(self) -> Writer:
        """The function that writes a report to a text stream."""
        return cast("Writer", import_module(f"judgekit.reporting.{self.module}").write)


FORMATS = (
    ReportFormat("json", (".json",), "json_file"),
    ReportFormat("text", (".txt",), "text"),
    ReportFormat("junit", (".xml",), "junit"),
    ReportFormat("markdown", (".md",), "markdown"),
    ReportFormat("csv", (".csv",), "csv_file"),
    ReportFormat("html", (".html", ".htm"), "html"),
)


def format_named(name: str) -> ReportFormat:
    """The format of this name.

    Raises:
        InvalidArgument: There is none; the known names are listed.
    """
    for entry in FORMATS:
        if entry.name == name:
            return entry
    known = ", ".join(entry.name for entry in FORMATS)
    raise InvalidArgument(f"`format` must be one of {known}; got {name!r}")


def format_for(path: Path) -> ReportFormat:
    """The format that files of this suffix have.

    Raises:
        InvalidArgument: No format has it; the known suffixes are listed.
    """
    suffix = path.suffix.lower()
    for entry in FORMATS:
        if suffix in entry.suffixes:
            return entry
    known = ", ".join(suffix for entry in FORMATS for suffix in entry.suffixes)
    raise InvalidArgument(f"a report is written by its suffix, one of {known}; got {path.name!r}")
