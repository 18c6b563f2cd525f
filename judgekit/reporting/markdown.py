"""Markdown for `$GITHUB_STEP_SUMMARY` and merge requests; bounded, and tested text stays text."""

from __future__ import annotations

import html
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, TextIO

from judgekit.describing import describe_result
from judgekit.evaluation import EvalResult, Kind, Outcome
from judgekit.gate.wording import cases_and_runs, runs_text
from judgekit.reporting.cases import summarised
from judgekit.reporting.intervals import Rates, interval_of
from judgekit.reporting.markdown_text import NAME_LIMIT, code, fenced
from judgekit.reporting.text import spend_lines
from judgekit.results import CaseResult
from judgekit.statistics import Interval, Rate
from judgekit.text import counted, one_line
from judgekit.units import Unit

if TYPE_CHECKING:
    from judgekit.reporting.report import EvalReport

__all__ = ["SIZE_LIMIT", "write"]

SIZE_LIMIT = 512 * 1024
"""Bytes of the whole file at most; a step summary of GitHub may have 1 MiB, of all its parts together."""

_ROWS, _TEXT_LIMIT, _ITEMS = 100, 1_000, 50
_GATE = {Outcome.PASS: "✅ passed", Outcome.FAIL: "❌ FAILED", Outcome.INCONCLUSIVE: "⚠️ INCONCLUSIVE"}
_MARK = {Outcome.PASS: "✅", Outcome.FAIL: "❌", Outcome.INCONCLUSIVE: "⚠️"}


def write(report: EvalReport, stream: TextIO) -> None:
    """Write the gate, the rates, what was inconsistent, and a fold for each attempt that did not pass."""
    head = "\n".join([*_summary(report), *_rates(report), *_inconsistent(report), ""])
    stream.write(head)
    left = SIZE_LIMIT - len(head.encode()) - 1_000
    omitted = 0
    for block in _problems(report):
        # Once one does not fit none is added: what follows is always the rest, in order.
        size = len(block.encode())
        if omitted or size > left:
            omitted += 1
            continue
        left -= size
        stream.write(block)
    if omitted:
        what = counted(omitted, "attempt that did not pass is", "attempts that did not pass are")
        stream.write(f"\n{what} left out to keep this short; `report.json` has all of them.\n")


def _summary(report: EvalReport) -> Iterator[str]:
    counts = report.counts
    yield f"## {code(report.name)}: gate {_GATE[report.decision.outcome]}"
    yield ""
    # A gate names every failed case.
    yield from fenced([one_line(report.decision.detail, 4 * _TEXT_LIMIT)])
    yield ""
    if report.stopped is not None:
        yield from (report.stopped.text(), "")
    if not counts:
        yield f"0 cases, {counted(report.runs, 'run')}: no attempts"
        return
    outcomes = counts.outcomes()
    passed = f"**{outcomes[Outcome.PASS]}/{len(counts)} attempts passed**"
    other = (
        f"{outcomes[Outcome.FAIL]} failed, {outcomes[Outcome.INCONCLUSIVE]} inconclusive; "
        f"{cases_and_runs(counts)}"
    )
    rates = Rates(counts)
    yield f"{passed} ({_interval(interval_of(rates.whole()))}); {other}"
    if (tries := rates.tries()) is not None:
        yield from (line for text in tries.texts() for line in ("", code(text)))
    for line in spend_lines(counts):
        yield from ("", code(line, 4 * NAME_LIMIT))


def _interval(interval: Interval | None) -> str:
    if interval is None:
        return "no interval"
    return f"{interval.level:.0%} interval {interval.low:.2f} to {interval.high:.2f}"


def _rates(report: EvalReport) -> Iterator[str]:
    counts = report.counts
    rows: list[tuple[str, Unit, Rate]] = []
    rates = Rates(counts)
    for label in counts.labels():
        rows.append((code(label), counts.units[label], rates.label(label)))
        rows += (
            (f"↳ {code(name)}", counts.criteria[name], rates.criterion(name))
            for name in counts.criteria_of(label)
        )
    if not rows:
        return
    yield "\n| evaluator | passed | rate | 95 % interval | mean score | inconclusive | not run |"
    yield "|:--|--:|--:|:-:|--:|--:|--:|"
    for name, unit, rate in rows[:_ROWS]:
        conclusive = unit.passed + unit.failed
        interval = interval_of(rate) if unit.counted else None
        cells = (
            name,
            f"{unit.passed}/{conclusive}",
            f"{unit.passed / conclusive:.0%}" if conclusive else "",
            f"{interval.low:.2f} – {interval.high:.2f}" if interval else "",
            f"{unit.mean_score:.2f}" if unit.mean_score is not None else "",
            str(unit.inconclusive or ""),
            str(unit.not_run or ""),
        )
        yield f"| {' | '.join(cells)} |"
    if len(rows) > _ROWS:
        yield f"\n{counted(len(rows) - _ROWS, 'more row')} in `report.json`."


def _inconsistent(report: EvalReport) -> Iterator[str]:
    found = ((case, one) for case in summarised(report.counts, at_least=2) for one in case.inconsistent)
    rows = [
        f"| {code(case.id)} | {code(case.shown(one))} | {runs_text(one.passed)} | {runs_text(one.failed)} |"
        for case, one in islice(found, _ITEMS)
    ]
    if not rows:
        return
    yield "\n### Inconsistent across runs\n"
    yield "| case | evaluator | passed in | failed in |"
    yield "|:--|:--|:--|:--|"
    yield from rows
    if rest := sum(1 for _ in found):
        yield f"\n{counted(rest, 'more row')} in `report.json`."


def _problems(report: EvalReport) -> Iterator[str]:
    """A block for each attempt that did not pass, the first with the heading."""
    heading = "\n### Failed and inconclusive attempts\n"
    for index, short in enumerate(report.counts.attempts()):
        if short.outcome is not Outcome.PASS:
            yield heading + _fold(report.results[index])
            heading = ""


def _fold(attempt: CaseResult) -> str:
    decisive = [one for one in attempt.results if one.outcome is attempt.outcome and not _aside(one)]
    reason = f": {describe_result(decisive[0])}" if decisive else ""
    title = f"{one_line(attempt.case_id, NAME_LIMIT)} run {attempt.run}"
    head = f"{_MARK[attempt.outcome]} <code>{_escaped(title)}</code><code>{_escaped(reason)}</code>"
    body = "\n".join(fenced(_block(attempt)))
    return f"\n<details><summary>{head}</summary>\n\n{body}\n\n</details>\n"


def _aside(result: EvalResult) -> bool:
    """Whether a result says nothing about why its attempt did not pass."""
    return result.kind in (Kind.NO_EVIDENCE, Kind.NOT_RUN)


def _block(attempt: CaseResult) -> Iterator[str]:
    evidence = attempt.interaction
    yield f"asked: {one_line(evidence.asked(), _TEXT_LIMIT) or '(unknown)'}"
    reply = evidence.reply
    yield f"reply: {'(none)' if reply is None else one_line(reply, _TEXT_LIMIT) or '(empty)'}"
    # The evidence as everywhere, without its head, its reply and its results.
    bare = CaseResult(attempt.case_id, attempt.run, evidence, ())
    yield from (line.strip() for line in bare.describe().split("\n")[2:-1])
    for result in attempt.results[:_ITEMS]:
        if result.kind is not Kind.NOT_RUN:
            yield describe_result(result, limit=_TEXT_LIMIT)
    if len(attempt.results) > _ITEMS:
        yield f"… {counted(len(attempt.results) - _ITEMS, 'more result')}"


def _escaped(text: str) -> str:
    return html.escape(text)
