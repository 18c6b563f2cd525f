"""The report of a swap as text for people and logs; nothing in it moves a terminal, whatever was tested."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from judgekit.reporting.text import gate_line
from judgekit.swapping.tables import Table, laid_out
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

__all__ = ["head_text", "render_text"]

_MEASURE, _NAME, _FLIPS = 28, 20, 10


def render_text(
    report: SwapReport, *, all_attempts: bool = False, most: int | None = None, width: int | None = None
) -> str:
    """The text report, see `SwapReport.render`."""
    flips = most if most is not None else None if all_attempts else _FLIPS
    parts = [
        head_text(report),
        gate_line(report.decision),
        *_rates(report),
        *_agents(report),
        *_judges(report),
        *_agreements(report, flips),
        *_comparisons(report),
        *_rankings(report),
        *_families(report),
    ]
    lines = [line for part in parts for line in laid_out(part, width)]
    if all_attempts:
        attempts = report.report.results
        lines += [attempt.describe() for attempt in attempts[:most]]
    return "\n".join(lines)


def head_text(report: SwapReport) -> str:
    """What was run."""
    agents, judges = counted(len(report.agents), "agent"), counted(len(report.judges), "judge")
    transcripts = sum(agent.attempts - agent.failures - agent.unreached for agent in report.agents)
    return (
        f"{agents} and {judges} over {counted(len(report.axes.cases), 'case')}: "
        f"{counted(transcripts, 'transcript')}, each before every judge"
    )


def _name(text: str) -> str:
    return one_line(text, _NAME)


def _rates(report: SwapReport) -> Iterator[str | Table]:
    rows, last = [], None
    for cell in report.cells:
        again = cell.measure == last
        last = cell.measure
        rows.append(
            (
                "" if again else one_line(cell.measure.name, _MEASURE),
                "" if again else _name(cell.measure.judge or "-"),
                _name(cell.agent),
                f"{cell.rate.passed}/{cell.rate.passed + cell.rate.failed}",
                number(cell.rate.estimate),
                interval_text(cell.rate),
                "" if cell.score is None else number(cell.score.estimate),
                "" if cell.score is None else interval_text(cell.score),
                missing_text(cell),
            )
        )
    if rows:
        yield "rates and mean scores with 95 % intervals, clustered by case"
        head = ("measure", "judge", "agent", "passed", "rate", "interval", "score", "interval", "missing")
        yield Table(head, rows, left=3)


def _agents(report: SwapReport) -> Iterator[str | Table]:
    yield "agents"
    rows = []
    for agent in report.agents:
        spend = agent.spend
        rows.append(
            (
                _name(agent.name),
                f"{agent.failures} of {agent.attempts}",
                cost_text(agent),
                dollars(spend.cost, complete=spend.cost_complete) if agent.costs_known else "unknown",
                latency_text(agent),
                tokens_text(spend.input_tokens, complete=spend.input_complete and bool(spend.model_calls)),
                tokens_text(spend.output_tokens, complete=spend.output_complete and bool(spend.model_calls)),
                ", ".join(one_line(model, 40) for model in agent.models) or "-",
            )
        )
    head = ("agent", "failed calls", "an attempt", "in all", "latency", "tokens in", "out", "models")
    yield Table(head, rows, left=1)


def _judges(report: SwapReport) -> Iterator[str | Table]:
    rows = []
    for judge in report.judges:
        spend = judge.spend
        rows.append(
            (
                _name(judge.name),
                f"{spend.verdicts}",
                f"{judge.missing}",
                f"{spend.cached}",
                judge_cost_text(judge),
                tokens_text(spend.input_tokens, complete=spend.tokens_complete),
                tokens_text(spend.output_tokens, complete=spend.tokens_complete),
                ", ".join(one_line(model, 40) for model in judge.models) or "-",
            )
        )
    if rows:
        yield "judges"
        head = ("judge", "verdicts", "missing", "from cache", "cost", "tokens in", "out", "models")
        yield Table(head, rows, left=1)


def _agreements(report: SwapReport, most: int | None) -> Iterator[str | Table]:
    if report.agreements:
        yield "judges held against each other, on the same transcripts"
    for found in report.agreements:
        head = f"{one_line(found.criterion, _MEASURE)}: {_name(found.first)} and {_name(found.second)}"
        yield f"  {head}: {agreement_text(found)}"
        yield f"    {flips_text(found, _name)}"
        for flip in found.flips[:most]:
            yield f"      {flip_text(found, flip, _name)}"
        if most is not None and len(found.flips) > most:
            yield f"      and {len(found.flips) - most} more"
    if len(report.judges) > 2:
        yield from _matrices(report)


def _matrices(report: SwapReport) -> Iterator[str | Table]:
    names = [_name(name) for name in report.axes.judges]
    for criterion, rows in kappa_matrix(report.agreements, report.axes.judges):
        yield f"  kappa of every two judges: {one_line(criterion, _MEASURE)}"
        body = [["", name, *row] for name, row in zip(names, rows, strict=True)]
        yield Table(["", "", *names], body, left=2)


def _comparisons(report: SwapReport) -> Iterator[str | Table]:
    rows = []
    for one in report.comparisons:
        passes, scores = one.passes, one.scores
        rows.append(
            (
                one_line(one.measure.name, _MEASURE),
                _name(one.measure.judge or "-"),
                f"{_name(one.new)} - {_name(one.old)}",
                "-" if passes.estimate is None else f"{passes.estimate:+.2f}",
                interval_text(passes),
                p_text(passes.p_value),
                "" if scores is None or scores.estimate is None else f"{scores.estimate:+.2f}",
                "" if scores is None else interval_text(scores),
                "" if scores is None else p_text(scores.p_value),
                outcome_text(one, _name)
                + (f", {counted(one.left_out, 'pair')} left out" if one.left_out else ""),
            )
        )
    if rows:
        yield "agents held against each other, paired by case and repeat"
        head = ("measure", "judge", "agents", "rate", "interval", "p", "score", "interval", "p", "")
        yield Table(head, rows, left=3)
        yield f"  {ADJUSTED}"
        warnings = dict.fromkeys(text for one in report.comparisons for text in one.passes.warnings)
        yield from (f"  {one_line(text)}" for text in warnings)


def _rankings(report: SwapReport) -> Iterator[str]:
    if report.rankings:
        yield "the order of the agents"
    for ranking in report.rankings:
        yield from (f"  {line}" for line in ranking_lines(ranking, _name))


def _families(report: SwapReport) -> Iterator[str]:
    for found in report.families:
        yield f"warning: {family_text(found, _name)}"
