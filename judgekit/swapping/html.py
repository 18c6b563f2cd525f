"""The page of a swap: one file that opens from disk and asks for nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from judgekit.reporting.html.page import rendered
from judgekit.reporting.html.plots import bar
from judgekit.reporting.html.summary import report_view
from judgekit.statistics import Estimate, Interval
from judgekit.swapping.agreeing import JudgeAgreement
from judgekit.swapping.chart import charts_of
from judgekit.swapping.figures import AgentFigures, Cell, JudgeFigures
from judgekit.swapping.text import head_text
from judgekit.swapping.wording import (
    ADJUSTED,
    agreement_text,
    cost_text,
    dollars,
    family_text,
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

if TYPE_CHECKING:
    from judgekit.swapping.report import SwapReport

__all__ = ["render"]

_FLIPS = 200


def render(report: SwapReport) -> str:
    """The whole page."""
    view = report_view(report.report)
    return rendered(
        "swap.html.j2",
        data=view["data"],
        head=view["head"],
        filters=view["filters"],
        left_out=view["left_out"],
        what=head_text(report),
        cells=list(_cells(report)),
        charts=[chart for chart in charts_of(report) if chart.dots],
        agents=[_agent(agent) for agent in report.agents],
        judges=[_judge(judge) for judge in report.judges],
        agreements=[_agreement(found) for found in report.agreements],
        matrices=list(kappa_matrix(report.agreements, report.axes.judges)),
        comparisons=list(_comparisons(report)),
        adjusted=ADJUSTED,
        rankings=[line for ranking in report.rankings for line in ranking_lines(ranking, str)],
        families=[family_text(found, str) for found in report.families],
    )


def _cells(report: SwapReport) -> Iterator[dict[str, Any]]:
    last = None
    for cell in report.cells:
        again, last = cell.measure == last, cell.measure
        yield {
            "measure": cell.measure.name,
            "judge": cell.measure.judge,
            "agent": cell.agent,
            "again": again,
            "passed": cell.rate.passed,
            "conclusive": cell.rate.passed + cell.rate.failed,
            "share": cell.rate.estimate,
            "interval": cell.rate.interval,
            "bar": _bar(cell),
            "said": f"{number(cell.rate.estimate)}, 95 % interval {interval_text(cell.rate)}",
            "score": "" if cell.score is None else number(cell.score.estimate),
            "score_interval": "" if cell.score is None else interval_text(cell.score),
            "missing": missing_text(cell),
        }


def _bar(cell: Cell) -> dict[str, float] | None:
    ends = cell.rate.interval
    if ends is None:
        return None
    return bar(cell.rate.estimate, Interval(ends[0], ends[1], cell.rate.level, cell.rate.method, 0))


def _agent(agent: AgentFigures) -> dict[str, Any]:
    spend = agent.spend
    called = bool(spend.model_calls)
    return {
        "name": agent.name,
        "failed": f"{agent.failures} of {agent.attempts}",
        "cost": cost_text(agent),
        "total": dollars(spend.cost, complete=spend.cost_complete) if agent.costs_known else "unknown",
        "latency": latency_text(agent),
        "tokens_in": tokens_text(spend.input_tokens, complete=called and spend.input_complete),
        "tokens_out": tokens_text(spend.output_tokens, complete=called and spend.output_complete),
        "models": ", ".join(agent.models),
    }


def _judge(judge: JudgeFigures) -> dict[str, Any]:
    spend = judge.spend
    return {
        "name": judge.name,
        "verdicts": spend.verdicts,
        "missing": judge.missing,
        "cached": spend.cached,
        "cost": judge_cost_text(judge),
        "tokens_in": tokens_text(spend.input_tokens, complete=spend.tokens_complete),
        "tokens_out": tokens_text(spend.output_tokens, complete=spend.tokens_complete),
        "models": ", ".join(judge.models),
    }


def _agreement(found: JudgeAgreement) -> dict[str, Any]:
    return {
        "criterion": found.criterion,
        "first": found.first,
        "second": found.second,
        "said": agreement_text(found),
        "flips_said": flips_text(found, str),
        "flips": found.flips[:_FLIPS],
        "more": max(0, len(found.flips) - _FLIPS),
    }


def _comparisons(report: SwapReport) -> Iterator[dict[str, Any]]:
    for one in report.comparisons:
        yield {
            "measure": one.measure.name,
            "judge": one.measure.judge,
            "new": one.new,
            "old": one.old,
            "passes": _difference(one.passes, one.passes.p_value),
            "scores": _difference(one.scores, None if one.scores is None else one.scores.p_value),
            "shown": bool(one.better),
            "outcome": outcome_text(one, str),
            "left_out": one.left_out,
        }


def _difference(found: Estimate | None, p: float | None) -> dict[str, str]:
    if found is None or found.estimate is None:
        return {"estimate": "", "interval": "", "p": ""}
    return {"estimate": f"{found.estimate:+.2f}", "interval": interval_text(found), "p": p_text(p)}
