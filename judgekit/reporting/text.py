"""The report as text for people and logs; nothing in it moves a terminal, whatever was tested."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

from judgekit.describing import tokens_text
from judgekit.evaluation import Outcome
from judgekit.gate import Decision
from judgekit.gate.wording import cases_and_runs, runs_text
from judgekit.reporting.cases import summarised
from judgekit.reporting.intervals import Rates, interval_of
from judgekit.results import Results
from judgekit.spending import JudgeSpend, Spend, UserSpend
from judgekit.statistics import Rate
from judgekit.text import counted, folded, milliseconds, one_line, visible
from judgekit.units import Unit

if TYPE_CHECKING:
    from judgekit.reporting.report import EvalReport

__all__ = ["evaluator_lines", "gate_line", "render_text", "spend_lines", "write"]

_GATE = {Outcome.PASS: "passed", Outcome.FAIL: "FAILED", Outcome.INCONCLUSIVE: "INCONCLUSIVE"}


def write(report: EvalReport, stream: TextIO) -> None:
    """Write the text report, ended by a line feed."""
    stream.write(render_text(report) + "\n")


def render_text(
    report: EvalReport, *, all_attempts: bool = False, intervals: bool = False, most: int | None = None
) -> str:
    """The text report, see `EvalReport.render`."""
    counts = report.counts
    lines = [_first_line(report, intervals=intervals), gate_line(report.decision)]
    if report.stopped is not None:
        lines.append(report.stopped.text())
    lines += evaluator_lines(counts, intervals=intervals)
    lines += spend_lines(counts)
    lines += _inconsistent_lines(counts)
    return "\n".join([*lines, *_attempt_blocks(report, all_attempts=all_attempts, most=most)])


def _attempt_blocks(report: EvalReport, *, all_attempts: bool, most: int | None) -> Iterator[str]:
    wanted = [
        index
        for index, attempt in enumerate(report.counts.attempts())
        if all_attempts or attempt.outcome is not Outcome.PASS
    ]
    for index in wanted[:most]:
        yield report.results[index].describe()
    if most is not None and len(wanted) > most:
        yield f"and {len(wanted) - most} more of {counted(len(wanted), 'attempt')}"


def _first_line(report: EvalReport, *, intervals: bool) -> str:
    counts = report.counts
    total = len(counts)
    if not total:
        return f"0 cases, {counted(report.runs, 'run')}: 0/0 attempts passed"
    outcomes = counts.outcomes()
    passed = outcomes[Outcome.PASS]
    # Half up, in whole numbers: 62.5 % is shown as 63 %.
    percent = (200 * passed + total) // (2 * total)
    noun = "attempt" if total == 1 else "attempts"
    line = f"{cases_and_runs(counts)}: {passed}/{total} {noun} passed ({percent}%)"
    if intervals:
        line += _interval_text(Rates(counts).whole())
    empty = sum(not attempt.is_conclusive for attempt in counts.attempts())
    undecided = outcomes[Outcome.INCONCLUSIVE]
    return line + _noted((undecided, "inconclusive"), (empty, "with nothing conclusive"))


def _noted(*notes: tuple[int, str]) -> str:
    """` (1 inconclusive, 2 with nothing conclusive)`; empty where every number is 0."""
    shown = ", ".join(f"{number} {text}" for number, text in notes if number)
    return f" ({shown})" if shown else ""


def gate_line(decision: Decision) -> str:
    """`gate: passed`, and why."""
    return f"gate: {_GATE[decision.outcome]} — {visible(folded(decision.detail))}"


def evaluator_lines(counts: Results, *, intervals: bool) -> Iterator[str]:
    """A line for each label, and under it one for each of its criteria."""
    rates = Rates(counts) if intervals else None
    for label in counts.labels():
        yield f"  {_unit_text(label, counts.units[label], rates.label(label) if rates else None)}"
        for name in counts.criteria_of(label):
            yield f"    {_unit_text(name, counts.criteria[name], rates.criterion(name) if rates else None)}"
    if rates is not None and (tries := rates.tries()) is not None:
        yield from (f"  {text}" for text in tries.texts())


def _unit_text(name: str, unit: Unit, rate: Rate | None) -> str:
    text = f"{one_line(name)} {unit.passed}/{unit.passed + unit.failed}"
    if rate is not None and unit.counted:
        text += _interval_text(rate)
    text += _noted((unit.inconclusive, "inconclusive"))
    return text + (f", {unit.not_run} not run" if unit.not_run else "")


def _interval_text(rate: Rate) -> str:
    interval = interval_of(rate)
    if interval is None:
        return ""
    return f", {interval.level:.0%} interval {interval.low:.2f} to {interval.high:.2f}"


def spend_lines(counts: Results) -> Iterator[str]:
    """What agents, judges and simulated users spent, a line each where there is something to say."""
    if counts.spend.model_calls:
        yield _spend_line(counts.spend, len(counts))
    if counts.judges.models:
        yield _judges_line(counts.judges)
    if counts.users.model_calls:
        yield _users_line(counts.users)


def _spend_line(spend: Spend, attempts: int) -> str:
    parts = [counted(spend.model_calls, "model call"), _tokens(spend)]
    if spend.slowest_case is not None:
        parts.append(f"{milliseconds(spend.latency)} in total")
        slowest = f"{one_line(spend.slowest_case)} run {spend.slowest_run}"
        parts.append(f"slowest {slowest} at {milliseconds(spend.slowest)}")
    noun = "attempt" if attempts == 1 else "attempts"
    parts.append(f"over {spend.attempts_with_evidence}/{attempts} {noun} with evidence")
    return "spend: " + ", ".join(parts)


def _judges_line(judges: JudgeSpend) -> str:
    complete = judges.tokens_complete
    parts = [
        counted(judges.verdicts, "verdict"),
        f"{judges.asked} asked",
        f"{judges.cached} from cache",
        counted(judges.retries, "retry", "retries"),
        tokens_text(judges.input_tokens, judges.output_tokens, input_known=complete, output_known=complete),
        _dollars(judges.cost, complete=judges.cost_complete),
        *map(one_line, sorted(judges.models)),
    ]
    return "judges: " + ", ".join(parts)


def _users_line(users: UserSpend) -> str:
    complete = users.tokens_complete
    parts = [
        counted(users.model_calls, "model call"),
        tokens_text(users.input_tokens, users.output_tokens, input_known=complete, output_known=complete),
        _dollars(users.cost, complete=users.cost_complete),
        *map(one_line, sorted(users.models)),
    ]
    return "simulated users: " + ", ".join(parts)


def _tokens(spend: Spend) -> str:
    return tokens_text(
        spend.input_tokens,
        spend.output_tokens,
        input_known=spend.input_complete,
        output_known=spend.output_complete,
    )


def _dollars(cost: float, *, complete: bool) -> str:
    """`$0.0004`; more decimals where four would show a small cost as none."""
    if not complete and not cost:
        return "cost unknown"
    digits = 4
    while 0 < cost < 0.5 * 10**-digits and digits < 12:
        digits += 2
    return f"{'' if complete else 'at least '}${cost:.{digits}f}"


def _inconsistent_lines(counts: Results) -> Iterator[str]:
    head = "inconsistent across runs:"
    for case in summarised(counts, at_least=2):
        for requirement in case.inconsistent:
            if head:
                yield head
                head = ""
            passed, failed = runs_text(requirement.passed), runs_text(requirement.failed)
            what = one_line(case.shown(requirement))
            yield f"  {one_line(case.id)} {what}: passed in {passed}, failed in {failed}"
