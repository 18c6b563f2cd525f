"""The report of a swap as Markdown for step summaries and merge requests; tested text stays text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from judgekit.evaluation import Outcome
from judgekit.reporting.markdown_text import code, fenced
from judgekit.swapping.text import head_text
from judgekit.swapping.wording import (
    ADJUSTED,
    agreement_text,
    cost_text,
    dollars,
    family_text,
    flip_text,
    flips_text,
    interval_text,
    judge_cost_text,
    kappa_matrix,
    latency_text,
    missing_text,
    number,
    outcome_text,
    p_text,
    ranking_lines,
    tokens_text,
)
from judgekit.text import counted, one_line

if TYPE_CHECKING:
    from judgekit.swapping.report import SwapReport

__all__ = ["render"]

_ROWS, _FLIPS, _DETAIL = 200, 20, 4_000
_GATE = {Outcome.PASS: "✅ passed", Outcome.FAIL: "❌ FAILED", Outcome.INCONCLUSIVE: "⚠️ INCONCLUSIVE"}


def render(report: SwapReport) -> str:
    """Gate, tables and flips; long tables are cut with a note."""
    blocks = (_head, _rates, _agents, _comparisons, _rankings, _judges, _agreements)
    return "\n".join(line for block in blocks for line in block(report)) + "\n"


def _head(report: SwapReport) -> Iterator[str]:
    yield f"## {code(report.name)}: gate {_GATE[report.decision.outcome]}"
    yield ""
    yield from fenced([one_line(report.decision.detail, _DETAIL)])
    yield ""
    yield head_text(report)
    for found in report.families:
        yield from ("", f"⚠️ {family_text(found, code)}")


def _table(head: Sequence[str], marks: str, rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A table; `marks` says of each column whether it stands left or right."""
    yield ""
    yield f"| {' | '.join(head)} |"
    yield "|" + "|".join(":--" if mark == "l" else "--:" for mark in marks) + "|"
    yield from (f"| {' | '.join(row)} |" for row in rows[:_ROWS])
    if len(rows) > _ROWS:
        yield from ("", f"{counted(len(rows) - _ROWS, 'more row')} in the JSON of this report.")


def _rates(report: SwapReport) -> Iterator[str]:
    rows = [
        (
            code(cell.measure.name),
            "" if cell.measure.judge is None else code(cell.measure.judge),
            code(cell.agent),
            f"{cell.rate.passed}/{cell.rate.passed + cell.rate.failed}",
            number(cell.rate.estimate),
            interval_text(cell.rate),
            "" if cell.score is None else number(cell.score.estimate),
            "" if cell.score is None else interval_text(cell.score),
            code(missing) if (missing := missing_text(cell)) else "",
        )
        for cell in report.cells
    ]
    head = ("measure", "judge", "agent", "passed", "rate", "95 %", "mean score", "95 %", "missing")
    yield from _table(head, "lllrrrrrl", rows)


def _agents(report: SwapReport) -> Iterator[str]:
    yield from ("", "### Agents")
    rows = []
    for agent in report.agents:
        spend, called = agent.spend, bool(agent.spend.model_calls)
        rows.append(
            (
                code(agent.name),
                f"{agent.failures} of {agent.attempts}",
                cost_text(agent),
                dollars(spend.cost, complete=spend.cost_complete) if agent.costs_known else "unknown",
                latency_text(agent),
                tokens_text(spend.input_tokens, complete=called and spend.input_complete),
                tokens_text(spend.output_tokens, complete=called and spend.output_complete),
                ", ".join(map(code, agent.models)),
            )
        )
    head = ("agent", "failed calls", "cost of an attempt", "in all", "latency", "tokens in", "out", "models")
    yield from _table(head, "lrrrrrrl", rows)


def _comparisons(report: SwapReport) -> Iterator[str]:
    if not report.comparisons:
        return
    rows = []
    for one in report.comparisons:
        cells = [code(one.measure.name), "" if one.measure.judge is None else code(one.measure.judge)]
        cells.append(f"{code(one.new)} − {code(one.old)}")
        for side in (one.passes, one.scores):
            if side is None or side.estimate is None:
                cells += ["", "", ""]
            else:
                cells += [f"{side.estimate:+.2f}", interval_text(side), p_text(side.p_value)]
        rows.append([*cells, outcome_text(one, code)])
    head = ("measure", "judge", "agents", "rate", "95 %", "p", "score", "95 %", "p", "shown")
    yield from _table(head, "lllrrrrrrl", rows)
    yield from ("", f"{ADJUSTED}.")


def _rankings(report: SwapReport) -> Iterator[str]:
    lines = [line for ranking in report.rankings for line in ranking_lines(ranking, one_line)]
    if lines:
        yield from ("", "### Does the order depend on the judge?", "")
        yield from fenced(lines)


def _judges(report: SwapReport) -> Iterator[str]:
    if not report.judges:
        return
    yield from ("", "### Judges")
    rows = [
        (
            code(judge.name),
            str(judge.spend.verdicts),
            str(judge.missing),
            judge_cost_text(judge),
            tokens_text(judge.spend.input_tokens, complete=judge.spend.tokens_complete),
            tokens_text(judge.spend.output_tokens, complete=judge.spend.tokens_complete),
            ", ".join(map(code, judge.models)),
        )
        for judge in report.judges
    ]
    head = ("judge", "verdicts", "missing", "cost", "tokens in", "out", "models")
    yield from _table(head, "lrrrrrl", rows)


def _agreements(report: SwapReport) -> Iterator[str]:
    names = [code(name) for name in report.axes.judges]
    for criterion, rows in kappa_matrix(report.agreements, report.axes.judges):
        yield from ("", f"### Kappa: {code(criterion)}")
        body = [[name, *row] for name, row in zip(names, rows, strict=True)]
        yield from _table(["", *names], "l" + "r" * len(names), body)
    for found in report.agreements:
        yield ""
        judges = f"{code(found.first)} and {code(found.second)}"
        yield f"{code(found.criterion)}, {judges}: {agreement_text(found)}."
        yield f"{flips_text(found, code)}."
        if found.flips:
            yield ""
            yield from fenced([flip_text(found, flip, one_line) for flip in found.flips[:_FLIPS]])
        if len(found.flips) > _FLIPS:
            yield from ("", f"{counted(len(found.flips) - _FLIPS, 'more flip')} in the JSON of this report.")
