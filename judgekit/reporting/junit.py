"""JUnit XML for continuous integration: one testcase an attempt and evaluator group."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, TextIO, TypeAlias

from junitparser import Error, Failure, JUnitXml, Skipped, SystemOut, TestCase, TestSuite

from judgekit.describing import describe_result
from judgekit.evaluation import EvalResult, Kind, Outcome
from judgekit.reporting.shown import shown
from judgekit.results import CaseResult, missing_reason
from judgekit.text import one_line

if TYPE_CHECKING:
    from judgekit.reporting.report import EvalReport

__all__ = ["write"]

Found: TypeAlias = "Failure | Error | Skipped"

_NAME_LIMIT, _DETAIL_LIMIT = 1_000, 10_000

# The two characters that XML 1.0 refuses and that are no control characters.
_NO_XML = re.compile("[\ufffe\uffff]")


def write(report: EvalReport, stream: TextIO) -> None:
    """Write one test suite: `<failure>` for a failed group, `<error>` for an inconclusive one.

    A group is what one label, or one criterion under it, found in an attempt. The gate and the rates are
    properties of the suite. An attempt's latency is the time of its first testcase.
    """
    suite = TestSuite(_line(report.name))
    suite.timestamp = report.started_at.isoformat()
    for name, value in _properties(report):
        # JUnit's schema wants them first, and junitparser writes in the order of insertion.
        suite.add_property(_line(name), _line(value))
    for attempt in report.results:
        # Its own `add_testcases` counts the whole suite anew each time.
        suite.extend(_testcases(attempt, numbered=report.runs > 1))
    document = JUnitXml(_line(report.name))
    document.append(suite)
    document.update_statistics()
    written = BytesIO()
    document.write(written)
    stream.write(written.getvalue().decode("utf-8") + "\n")


def _properties(report: EvalReport) -> Iterator[tuple[str, str]]:
    counts = report.counts
    yield "gate", report.decision.outcome.value
    yield "gate.detail", report.decision.detail
    if report.stopped is not None:
        yield "stopped", report.stopped.text()
    yield "cases", str(sum(map(bool, counts.run_counts())))
    yield "attempts", str(len(counts))
    if report.pass_rate is not None:
        yield "pass_rate", f"{report.pass_rate:.4f}"
    for label in counts.labels():
        unit = counts.units[label]
        yield f"passed.{label}", f"{unit.passed}/{unit.passed + unit.failed}"


def _testcases(attempt: CaseResult, *, numbered: bool) -> Iterator[TestCase]:
    groups: dict[tuple[str, str | None], list[EvalResult]] = {}
    for result in attempt.results:
        groups.setdefault((result.label, result.name), []).append(result)
    seconds = attempt.interaction.latency or 0.0
    run = f" (run {attempt.run})" if numbered or attempt.run > 1 else ""
    if not groups:
        yield _testcase(attempt, f"no evaluators{run}", seconds, Skipped("no evaluators are declared"))
    for (label, name), results in groups.items():
        title = f"{label}{run}" if name is None else f"{label}: {name}{run}"
        yield _testcase(attempt, title, seconds, _found(results))
        seconds = 0.0


def _testcase(attempt: CaseResult, title: str, seconds: float, found: Found | None) -> TestCase:
    case = TestCase(_line(title), _line(attempt.case_id), seconds)
    if found is not None:
        case.append(found)
        if not isinstance(found, Skipped):
            case.append(SystemOut(_text(attempt.describe())))
    return case


def _found(results: Sequence[EvalResult]) -> Found | None:
    """The one element of a group, so that the totals count testcases."""
    for outcome in (Outcome.FAIL, Outcome.INCONCLUSIVE):
        found = [one for one in results if one.outcome is outcome and one.kind is not Kind.NOT_RUN]
        if found:
            return _problem(found)
    if any(one.kind is Kind.NOT_RUN for one in results):
        return Skipped("not run: the attempt failed before its evaluators")
    return None


def _problem(found: Sequence[EvalResult]) -> Found:
    message = _line(describe_result(found[0]))
    failed = found[0].outcome is Outcome.FAIL
    problem = Failure(message, "failed") if failed else Error(message, _line(missing_reason(found[0])))
    problem.text = _text("\n".join(shown(one.detail or one.label, _DETAIL_LIMIT) for one in found))
    return problem


def _line(text: str) -> str:
    return _text(one_line(text, _NAME_LIMIT))


def _text(text: str) -> str:
    return _NO_XML.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
