"""Reads a `report.json` back."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

from pydantic import ValidationError

from judgekit.errors import FileUnreadable
from judgekit.evaluation import Outcome
from judgekit.gate import Decision
from judgekit.jsonable import parse_json
from judgekit.records import attempt_from_json
from judgekit.reporting.document import ReportDocument
from judgekit.reporting.json_file import FORMAT, FORMAT_VERSION
from judgekit.reporting.report import EvalReport
from judgekit.results import CaseResult, Results
from judgekit.stopping import Stopped
from judgekit.text import one_line

__all__ = ["read_report"]

REPORT_FILE, JOURNAL_FILE = "report.json", "journal.jsonl"
_ERRORS_SHOWN = 5


def read_report(path: Path) -> EvalReport:
    """Read a `report.json`, or the one in a folder.

    Raises:
        FileUnreadable: It is no report, or not of this version.
        FileNotFoundError: There is no such file.
    """
    file = path / REPORT_FILE if path.is_dir() else path
    journal = path.is_dir() and not file.exists() and (path / JOURNAL_FILE).exists()
    if journal or file.suffix == ".jsonl":
        raise FileUnreadable(
            f"{path}: this is a journal; write judgekit.store.read_run({str(path)!r}).report()"
        )
    data = _parsed(file)
    document = _validated(file, data)
    counts, attempts = _counted(file, document, data["attempts"])
    return EvalReport(
        name=document.name,
        started_at=document.started_at,
        finished_at=document.finished_at,
        runs=document.runs,
        counts=counts,
        results=attempts,
        decision=Decision(Outcome(document.gate.outcome), document.gate.detail),
        file=file,
        stopped=None if document.stopped is None else Stopped(**document.stopped.model_dump()),
    )


def _tags(document: ReportDocument) -> dict[str, list[int]]:
    tags: dict[str, list[int]] = {}
    for position, case in enumerate(document.cases):
        for tag in case.tags:
            tags.setdefault(tag, []).append(position)
    return tags


def _refused(file: Path, reason: str) -> NoReturn:
    raise FileUnreadable(f"{file}: {reason}")


def _parsed(file: Path) -> dict[str, Any]:
    try:
        data = parse_json(file.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise FileUnreadable(f"{file}: this is no JSON in UTF-8: {one_line(str(error))}") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        _refused(file, f"this is no report; a report has `format` {FORMAT!r}")
    version = data.get("format_version")
    if version != FORMAT_VERSION:
        _refused(file, f"this is a report of version {version!r}; this judgekit reads {FORMAT_VERSION}")
    return data


def _validated(file: Path, data: dict[str, Any]) -> ReportDocument:
    try:
        return ReportDocument.model_validate(data)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False, include_input=False)
        lines = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in problems[:_ERRORS_SHOWN]]
        if len(problems) > _ERRORS_SHOWN:
            lines.append(f"and {len(problems) - _ERRORS_SHOWN} more")
        text = "\n".join(f"  {one_line(line)}" for line in lines)
        raise FileUnreadable(f"{file}: this is no report:\n{text}") from None


def _counted(
    file: Path, document: ReportDocument, records: list[dict[str, Any]]
) -> tuple[Results, list[CaseResult]]:
    case_ids = [case.id for case in document.cases]
    index = {case_id: position for position, case_id in enumerate(case_ids)}
    if len(index) != len(case_ids):
        _refused(file, "two cases have the same id")
    counts = Results(case_ids, tags=_tags(document))
    if document.stopped is not None:
        counts.looked_at = document.stopped.looked_at
    attempts: dict[tuple[int, int], CaseResult] = {}
    for record in records:
        try:
            attempt = attempt_from_json(record)
        except ValueError as error:
            raise FileUnreadable(f"{file}: {one_line(str(error))}") from error
        place = index.get(attempt.case_id, -1), attempt.run
        if place[0] < 0 or place in attempts:
            what = "is of no listed case" if place[0] < 0 else "stands there twice"
            _refused(file, f"the attempt {attempt.case_id!r} run {attempt.run} {what}")
        attempts[place] = attempt
        counts.add(*place, attempt.interaction, attempt.results)
    return counts, [attempts[place] for place in sorted(attempts)]
