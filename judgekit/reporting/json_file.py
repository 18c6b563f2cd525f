"""Writes `report.json`, an attempt at a time, so that a report of any length needs little memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TextIO

from judgekit.evaluation import Outcome
from judgekit.jsonable import json_line
from judgekit.records import attempt_to_json
from judgekit.reporting.cases import RequirementSummary, summarised
from judgekit.reporting.intervals import Rates, interval_of
from judgekit.results import Results
from judgekit.spending import JudgeSpend, Spend, UserSpend
from judgekit.statistics import Estimate, Rate
from judgekit.units import Unit

if TYPE_CHECKING:
    from datetime import datetime

    from judgekit.reporting.report import EvalReport

__all__ = ["FORMAT", "FORMAT_VERSION", "write"]

FORMAT = "judgekit-report"
FORMAT_VERSION = 1


def write(report: EvalReport, stream: TextIO) -> None:
    """Write the JSON report: RFC 8259, one case and one attempt a line."""
    stream.write(json_line(_head(report))[:-1])
    _write_list(stream, "cases", _cases(report.counts))
    _write_list(stream, "attempts", _attempts(report))
    stream.write("}\n")


def _write_list(stream: TextIO, name: str, items: Iterable[str]) -> None:
    stream.write(f',\n"{name}":[')
    separator = "\n"
    for item in items:
        stream.write(separator + item)
        separator = ",\n"
    stream.write("\n]")


def _attempts(report: EvalReport) -> Iterator[str]:
    from judgekit.reporting.report import AttemptLines

    if isinstance(report.results, AttemptLines):
        return (line.decode() for line in report.results.lines())
    return (json_line(attempt_to_json(attempt)) for attempt in report.results)


def _head(report: EvalReport) -> dict[str, Any]:
    counts = report.counts
    rates = Rates(counts)
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "name": report.name,
        "started_at": _moment(report.started_at),
        "finished_at": _moment(report.finished_at),
        "runs": report.runs,
        "gate": {"outcome": report.decision.outcome.value, "detail": report.decision.detail},
        **({} if report.stopped is None else {"stopped": asdict(report.stopped)}),
        "summary": _summary(report, rates),
        "evaluators": [_evaluator(counts, rates, label) for label in counts.labels()],
        "spend": _spend(counts.spend) if counts.spend.model_calls else None,
        "judges": _judges(counts.judges) if counts.judges.models else None,
        **({"users": _users(counts.users)} if counts.users.model_calls else {}),
    }


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat().replace("+00:00", "Z")


def _summary(report: EvalReport, rates: Rates) -> dict[str, Any]:
    counts = report.counts
    outcomes = counts.outcomes()
    return {
        "cases": sum(map(bool, counts.run_counts())),
        "attempts": len(counts),
        "passed": outcomes[Outcome.PASS],
        "failed": outcomes[Outcome.FAIL],
        "inconclusive": outcomes[Outcome.INCONCLUSIVE],
        "nothing_conclusive": sum(not attempt.is_conclusive for attempt in counts.attempts()),
        "pass_rate": report.pass_rate,
        **_interval(rates.whole(), counted=bool(counts)),
        **_tries(rates),
    }


def _interval(rate: Rate, *, counted: bool) -> dict[str, Any]:
    """The interval, or why there is none."""
    interval = interval_of(rate)
    if interval is None:
        return {"interval": None, **({"interval_reason": rate.reason} if counted and rate.reason else {})}
    data = {
        "low": interval.low,
        "high": interval.high,
        "level": interval.level,
        "method": interval.method,
        "n": interval.n,
    }
    return {"interval": {**data, **({"warnings": list(rate.warnings)} if rate.warnings else {})}}


def _tries(rates: Rates) -> dict[str, Any]:
    tries = rates.tries()
    if tries is None:
        return {}
    both = {"pass_at_k": tries.at_least_one, "pass_hat_k": tries.all_of_them}
    return {name: {"k": tries.k, **_estimate(found)} for name, found in both.items()}


def _estimate(found: Estimate) -> dict[str, Any]:
    return {
        "estimate": found.estimate,
        "low": found.low,
        "high": found.high,
        "level": found.level,
        "method": found.method,
        "cases": found.n_items,
        "missing": found.n_missing,
        **({} if found.reason is None else {"reason": found.reason}),
        **({"warnings": list(found.warnings)} if found.warnings else {}),
    }


def _evaluator(counts: Results, rates: Rates, label: str) -> dict[str, Any]:
    data = {"label": label, **_unit(counts.units[label], rates.label(label))}
    criteria = counts.criteria_of(label)
    if criteria:
        data["criteria"] = [
            {"name": name, **_unit(counts.criteria[name], rates.criterion(name))} for name in criteria
        ]
    return data


def _unit(unit: Unit, rate: Rate) -> dict[str, Any]:
    return {
        "passed": unit.passed,
        "failed": unit.failed,
        "inconclusive": unit.inconclusive,
        "not_run": unit.not_run,
        "missing": dict(unit.missing),
        "mean_score": unit.mean_score,
        **_interval(rate, counted=bool(unit.counted)),
    }


def _known(value: float, *, complete: bool) -> float | None:
    """The sum of what is known; None where nothing is, so that unknown never reads as 0."""
    return value if complete or value else None


def _spend(spend: Spend) -> dict[str, Any]:
    slowest = None
    if spend.slowest_case is not None:
        slowest = {"id": spend.slowest_case, "run": spend.slowest_run, "latency": spend.slowest}
    return {
        "attempts_with_evidence": spend.attempts_with_evidence,
        "model_calls": spend.model_calls,
        "input_tokens": _known(spend.input_tokens, complete=spend.input_complete),
        "input_complete": spend.input_complete,
        "output_tokens": _known(spend.output_tokens, complete=spend.output_complete),
        "output_complete": spend.output_complete,
        "cost": _known(spend.cost, complete=spend.cost_complete),
        "cost_complete": spend.cost_complete,
        "latency": spend.latency if slowest else None,
        "slowest": slowest,
    }


def _judges(judges: JudgeSpend) -> dict[str, Any]:
    complete = judges.tokens_complete
    return {
        "verdicts": judges.verdicts,
        "asked": judges.asked,
        "cached": judges.cached,
        "requests": judges.requests,
        "retries": judges.retries,
        "input_tokens": _known(judges.input_tokens, complete=complete),
        "output_tokens": _known(judges.output_tokens, complete=complete),
        "tokens_complete": complete,
        "cost": _known(judges.cost, complete=judges.cost_complete),
        "cost_complete": judges.cost_complete,
        "models": sorted(judges.models),
    }


def _users(users: UserSpend) -> dict[str, Any]:
    complete = users.tokens_complete
    return {
        "model_calls": users.model_calls,
        "input_tokens": _known(users.input_tokens, complete=complete),
        "output_tokens": _known(users.output_tokens, complete=complete),
        "tokens_complete": complete,
        "cost": _known(users.cost, complete=users.cost_complete),
        "cost_complete": users.cost_complete,
        "models": sorted(users.models),
    }


def _cases(counts: Results) -> Iterator[str]:
    # Most cases of a large run share one tuple of requirements, which the first entry keeps alive.
    texts: dict[int, tuple[object, str]] = {}
    tags: dict[str, list[str]] = {}
    for tag, positions in counts.tags.items():
        for position in positions:
            tags.setdefault(counts.case_ids[position], []).append(tag)
    for case in summarised(counts):
        known = texts.get(id(case.requirements))
        if known is None:
            text = json_line([_requirement(one) for one in case.requirements])
            known = texts[id(case.requirements)] = case.requirements, text
        bears = tags.get(case.id)
        tagged = f'"tags":{json_line(bears)},' if bears else ""
        yield (
            f'{{"id":{json_line(case.id)},"outcome":"{case.outcome.value}",{tagged}'
            f'"requirements":{known[1]}}}'
        )


def _requirement(one: RequirementSummary) -> dict[str, Any]:
    data: dict[str, Any] = {"position": one.position, "label": one.label}
    if one.name is not None:
        data["name"] = one.name
    data.update(passed=one.passed, failed=one.failed, inconclusive=one.inconclusive)
    return data
