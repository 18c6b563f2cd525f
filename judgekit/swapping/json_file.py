"""The report of a swap as JSON: RFC 8259, what is not defined is null with a reason."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from judgekit.jsonable import jsonable
from judgekit.statistics import Comparison, Estimate
from judgekit.swapping.agreeing import JudgeAgreement
from judgekit.swapping.contrasts import AgentComparison, Ranking
from judgekit.swapping.families import FamilyMatch
from judgekit.swapping.figures import AgentFigures, Cell, JudgeFigures
from judgekit.swapping.seen import Measure

if TYPE_CHECKING:
    from judgekit.swapping.report import SwapReport

__all__ = ["FORMAT", "FORMAT_VERSION", "render"]

FORMAT = "judgekit-swap"
FORMAT_VERSION = 1


def render(report: SwapReport) -> str:
    """The JSON of the figures; the attempts are in the run's own `report.json`."""
    run = report.report
    document = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "name": report.name,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
        "runs": run.runs,
        "gate": {"outcome": report.decision.outcome.value, "detail": report.decision.detail},
        "cases": report.axes.cases,
        "criteria": [one._asdict() for one in report.axes.judged],
        "agents": [_agent(one) for one in report.agents],
        "judges": [_judge(one) for one in report.judges],
        "cells": [_cell(one) for one in report.cells],
        "agreements": [_agreement(one) for one in report.agreements],
        "comparisons": [_comparison(one) for one in report.comparisons],
        "rankings": [_ranking(one) for one in report.rankings],
        "families": [_family(one) for one in report.families],
    }
    return json.dumps(jsonable(document), ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _estimate(found: Estimate | None) -> dict[str, Any] | None:
    if found is None:
        return None
    names = [each.name for each in fields(Estimate)]
    return {name: getattr(found, name) for name in names}


def _measure(measure: Measure) -> dict[str, Any]:
    return {"kind": measure.kind, "name": measure.name, "judge": measure.judge}


def _agent(agent: AgentFigures) -> dict[str, Any]:
    spend = agent.spend
    called = bool(spend.model_calls)
    return {
        "name": agent.name,
        "models": agent.models,
        "attempts": agent.attempts,
        "failures": agent.failures,
        "unreached": agent.unreached,
        "cost": spend.cost if agent.costs_known or spend.cost else None,
        "cost_complete": agent.costs_known == agent.attempts,
        "mean_cost": agent.mean_cost,
        "costs_known": agent.costs_known,
        "mean_latency": agent.mean_latency,
        "median_latency": agent.median_latency,
        "model_calls": spend.model_calls,
        "input_tokens": spend.input_tokens if called else None,
        "input_complete": called and spend.input_complete,
        "output_tokens": spend.output_tokens if called else None,
        "output_complete": called and spend.output_complete,
    }


def _judge(judge: JudgeFigures) -> dict[str, Any]:
    spend = judge.spend
    return {
        "name": judge.name,
        "models": judge.models,
        "verdicts": spend.verdicts,
        "missing": judge.missing,
        "asked": spend.asked,
        "cached": spend.cached,
        "requests": spend.requests,
        "cost": spend.cost if spend.cost_complete or spend.cost else None,
        "cost_complete": spend.cost_complete,
        "input_tokens": spend.input_tokens if spend.tokens_complete or spend.input_tokens else None,
        "output_tokens": spend.output_tokens if spend.tokens_complete or spend.output_tokens else None,
        "tokens_complete": spend.tokens_complete,
    }


def _cell(cell: Cell) -> dict[str, Any]:
    return {
        **_measure(cell.measure),
        "agent": cell.agent,
        "passed": cell.rate.passed,
        "failed": cell.rate.failed,
        "missing": cell.missing,
        "not_run": cell.not_run,
        "rate": _estimate(cell.rate),
        "score": _estimate(cell.score),
    }


def _agreement(found: JudgeAgreement) -> dict[str, Any]:
    return {
        "criterion": found.criterion,
        "first": found.first,
        "second": found.second,
        "equal": _estimate(found.equal),
        "kappa": _estimate(found.kappa),
        "ac1": _estimate(found.ac1),
        "table": dict(zip(("both_pass", "first_only", "second_only", "both_fail"), found.table, strict=True)),
        "stricter": _estimate(found.stricter),
        "flips": [
            {
                **flip.transcript._asdict(),
                "passed_by": found.first if flip.first else found.second,
                "first_score": flip.first_score,
                "second_score": flip.second_score,
            }
            for flip in found.flips
        ],
    }


def _comparison(one: AgentComparison) -> dict[str, Any]:
    return {
        **_measure(one.measure),
        "new": one.new,
        "old": one.old,
        "left_out": one.left_out,
        "passes": _compared(one.passes),
        "scores": None if one.scores is None else _compared(one.scores),
    }


def _compared(found: Comparison) -> dict[str, Any]:
    own = ("new_mean", "old_mean", "p_value", "adjusted_by", "improved", "worsened")
    return {
        **(_estimate(found) or {}),
        "verdict": found.verdict.value,
        **{name: getattr(found, name) for name in own},
    }


def _ranking(ranking: Ranking) -> dict[str, Any]:
    return {
        "criterion": ranking.criterion,
        "depends_on_judge": ranking.depends_on_judge,
        "orders": [
            {"judge": judge, "agents": [{"agent": agent, "value": value} for agent, value in order]}
            for judge, order in ranking.orders.items()
        ],
        "reversals": [
            {
                "better": one.better,
                "worse": one.worse,
                "judge": one.judge,
                "other_judge": one.other_judge,
                "is_shown": one.is_shown,
            }
            for one in ranking.reversals
        ],
    }


def _family(found: FamilyMatch) -> dict[str, Any]:
    return {
        "judge": found.judge,
        "agent": found.agent,
        "family": found.family,
        "reference": found.reference,
        "against": found.against,
        "preference": _estimate(found.preference),
    }
