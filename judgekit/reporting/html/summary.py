"""What the page of one report shows before the list of attempts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from judgekit.evaluation import Outcome
from judgekit.gate.wording import cases_and_runs
from judgekit.reporting.cases import summarised
from judgekit.reporting.html.data import PageData, quality
from judgekit.reporting.html.money import duration, spent
from judgekit.reporting.html.plots import Histogram, Point, Scatter, bar, histogram, scatter
from judgekit.reporting.intervals import Rates, interval_of
from judgekit.results import CaseResult, Results, Unit
from judgekit.statistics import Interval
from judgekit.text import counted

if TYPE_CHECKING:
    from judgekit.reporting.report import EvalReport

__all__ = ["Rate", "head_of", "rates_of", "report_view"]

_HISTOGRAMS, _FLAKY = 24, 200


@dataclass(frozen=True, slots=True)
class Rate:
    """A row of the table of rates; `share` is None where nothing was conclusive."""

    name: str
    of: str | None
    passed: int
    conclusive: int
    inconclusive: int
    not_run: int
    mean_score: float | None
    interval: Interval | None
    missing: str

    @property
    def share(self) -> float | None:
        """Passed over conclusive, 0 to 1."""
        return self.passed / self.conclusive if self.conclusive else None

    @property
    def bar(self) -> dict[str, float] | None:
        """The places of the bar's parts, 0 to 100."""
        return bar(self.share, self.interval)


@dataclass(slots=True)
class _Scan:
    """What one pass over the attempts gathers for the plots."""

    points: list[Point]
    thresholds: dict[str, set[float]]


def report_view(report: EvalReport) -> dict[str, Any]:
    """Everything that the template of one report reads."""
    data, scan = PageData(), _Scan([], {})
    rows = _rows(report, data, scan)
    counts = report.counts
    flaky = [(case, one) for case in summarised(counts, at_least=2) for one in case.inconsistent]
    return {
        "head": head_of(report),
        "rates": rates_of(counts),
        "some_not_run": any(unit.not_run for unit in counts.units.values()),
        "spend": list(spent(counts)),
        "histograms": list(islice(_histograms(counts, scan.thresholds), _HISTOGRAMS)),
        "scatters": list(_scatters(scan.points)),
        "flaky": flaky[:_FLAKY],
        "flaky_left": max(0, len(flaky) - _FLAKY),
        "filters": _filters(rows),
        "left_out": data.left_out,
        "data": {"texts": data.texts, "instruments": data.instruments, "rows": rows, "names": None},
    }


def head_of(report: EvalReport) -> dict[str, Any]:
    """Name, gate and key figures."""
    counts = report.counts
    outcomes = counts.outcomes()
    rates = Rates(counts)
    interval, tries = interval_of(rates.whole()), rates.tries()
    took = (report.finished_at - report.started_at).total_seconds() if report.finished_at else None
    return {
        "name": report.name,
        "started_at": report.started_at.strftime("%Y-%m-%d %H:%M UTC"),
        "took": None if took is None else duration(took),
        "outcome": report.decision.outcome.value,
        "detail": report.decision.detail,
        "attempts": len(counts),
        "cases": cases_and_runs(counts) if len(counts) else f"0 cases, {counted(report.runs, 'run')}",
        "passed": outcomes[Outcome.PASS],
        "failed": outcomes[Outcome.FAIL],
        "inconclusive": outcomes[Outcome.INCONCLUSIVE],
        "rate": report.pass_rate,
        "interval": interval,
        "bar": bar(report.pass_rate, interval),
        "stopped": None if report.stopped is None else report.stopped.text(),
        "tries": [] if tries is None else tries.shown(),
    }


def rates_of(counts: Results) -> list[Rate]:
    """A row a label, and under it one a criterion."""
    rates, known = [], Rates(counts)
    for label in counts.labels():
        rates.append(_rate(label, None, counts.units[label], interval_of(known.label(label))))
        rates += (
            _rate(name, label, counts.criteria[name], interval_of(known.criterion(name)))
            for name in counts.criteria_of(label)
        )
    return rates


def _rate(name: str, of: str | None, unit: Unit, interval: Interval | None) -> Rate:
    reasons = [f"{reason} {number}" for reason, number in unit.missing.most_common()]
    if unit.no_evidence:
        reasons.append(f"no evidence {unit.no_evidence}")
    return Rate(
        name,
        of,
        unit.passed,
        unit.passed + unit.failed,
        unit.inconclusive,
        unit.not_run,
        unit.mean_score,
        interval if unit.counted else None,
        ", ".join(reasons),
    )


def _rows(report: EvalReport, data: PageData, scan: _Scan) -> list[dict[str, Any]]:
    """One row an attempt, in order; evidence goes to those that did not pass first, while there is room."""
    counts = report.counts
    short = list(counts.attempts())
    flaky = {case.id for case in summarised(counts, at_least=2) if case.inconsistent}
    rows: list[dict[str, Any]] = [{}] * len(short)
    for index in sorted(range(len(short)), key=lambda at: (short[at].outcome is Outcome.PASS, at)):
        attempt = report.results[index]
        tags = [attempt.outcome.value, *(["flaky"] if attempt.case_id in flaky else [])]
        rows[index] = data.row(attempt.case_id, attempt.run, tags, [attempt])
        _scanned(attempt, index, scan)
    scan.points.sort(key=lambda point: point.row)
    return rows


def _scanned(attempt: CaseResult, index: int, scan: _Scan) -> None:
    evidence = attempt.interaction
    latency = None if evidence.replayed else evidence.latency
    scan.points.append(Point(index, attempt.outcome.value, quality(attempt), evidence.cost, latency))
    for one in attempt.results:
        if one.threshold is not None:
            scan.thresholds.setdefault(one.label if one.name is None else one.name, set()).add(one.threshold)


def _histograms(counts: Results, thresholds: dict[str, set[float]]) -> Iterator[Histogram]:
    for label in counts.labels():
        names = counts.criteria_of(label)
        units = [(name, counts.criteria[name]) for name in names] or [(label, counts.units[label])]
        for name, unit in units:
            if unit.scores:
                yield histogram(name, unit.scores, thresholds.get(name, set()))


def _scatters(points: list[Point]) -> Iterator[Scatter]:
    known = [point for point in points if point.quality is not None]
    for title, unit, values in (
        ("Quality against cost", "$", [(point, point.cost) for point in known]),
        ("Quality against latency", "s", [(point, point.latency) for point in known]),
    ):
        placed = [(point, value) for point, value in values if value is not None]
        yield scatter(title, unit, placed, unknown=len(points) - len(placed))


def _filters(rows: list[dict[str, Any]]) -> list[tuple[str, str, int]]:
    """Tag, text and count of each filter; the first shows everything."""
    tags = Counter(tag for row in rows for tag in row["tags"])
    shown = [
        ("fail", "Failed"),
        ("inconclusive", "Inconclusive"),
        ("pass", "Passed"),
        ("flaky", "Inconsistent"),
    ]
    return [("", "All", len(rows)), *((tag, text, tags[tag]) for tag, text in shown if tags[tag])]
