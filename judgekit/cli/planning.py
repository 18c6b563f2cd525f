"""What `judgekit plan` finds out: its assumptions, and the numbers as JSON data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from judgekit.cli.mistakes import Mistake
from judgekit.cli.plan_run import EarlierRun
from judgekit.statistics import (
    CaseCounts,
    CasesNeeded,
    cases_for_comparison,
    cases_for_drop,
    cases_for_gate,
    clean_runs_needed,
    clopper_pearson_lower,
    intraclass_correlation,
    labels_needed,
    more_cases_needed,
    pass_rate,
    pass_rate_bounds,
    smallest_drop,
    wilson_interval,
)
from judgekit.statistics.sizes import TYPICAL_ICC, worth_of

__all__ = ["Asked", "asked_of", "document_of"]

_HALF_WIDTH = 0.05
_WORST_RATE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is to be planned, and under which assumptions; the `_from` fields say where a number is from."""

    target: float | None
    drop: float | None
    cases: int | None
    rate: float
    rate_from: str
    repeat: int
    icc: float
    icc_from: str
    case_correlation: float
    power: float
    confidence: float
    half_width: float
    judge_r2: float


def asked_of(earlier: EarlierRun | None, **options: Any) -> Asked:
    """The options with what an earlier run, or a usual value, fills in.

    Raises:
        Mistake: They do not go together.
    """
    target, drop, half_width = options["target"], options["drop"], options.pop("half_width")
    if target is None and drop is None and options["cases"] is None:
        if earlier is None:
            raise Mistake("give what is to be planned: --target 0.9, --drop 0.05, --n 60 or --run RUN")
        options |= {"cases": len(earlier.readings), "repeat": earlier.repeats}
    rate, rate_from = _rate(options.pop("rate"), target, earlier)
    icc, icc_from = _icc(options.pop("icc"), earlier)
    if target is not None and rate <= target and rate_from == "--rate":
        raise Mistake(
            f"--rate {rate:g} is not above --target {target:g}: no number of cases lets such a gate pass"
        )
    for name, bound in (("--target", target), ("the rate", rate)):
        if drop is not None and bound is not None and drop >= bound:
            raise Mistake(f"--drop {drop:g} must be below {name} {bound:g}")
    return Asked(
        **options,
        rate=rate,
        rate_from=rate_from,
        icc=icc,
        icc_from=icc_from,
        half_width=half_width or drop or _HALF_WIDTH,
    )


def _rate(given: float | None, target: float | None, earlier: EarlierRun | None) -> tuple[float, str]:
    if given is not None:
        return given, "--rate"
    if earlier is not None:
        found = pass_rate(earlier.counts).estimate
        if not found:
            raise Mistake("in that run nothing passed; say with --rate which rate is expected")
        return found, "the run"
    if target is not None:
        return (1 + target) / 2, "halfway from the target to 1; --rate"
    return _WORST_RATE, "the worst case; --rate"


def _icc(given: float | None, earlier: EarlierRun | None) -> tuple[float, str]:
    if given is not None:
        return given, "--icc"
    if earlier is not None:
        found = intraclass_correlation(earlier.readings).estimate
        if found is not None:
            return min(1.0, max(0.0, found)), "the run"
    return TYPICAL_ICC, "usual; --icc, or --run with repeats"


def document_of(asked: Asked, earlier: EarlierRun | None) -> dict[str, Any]:
    """Everything that is known, as JSON data."""
    run = None if earlier is None else _run(earlier, asked)
    per_attempt = None if run is None else run["cost_per_attempt"]
    needed = {name: _needed(plan, per_attempt) for name, plan in _plans(asked).items()}
    labels = labels_needed(asked.half_width, rate=asked.rate, judge_r2=asked.judge_r2, level=asked.confidence)
    return {
        "assumed": asdict(asked),
        "run": run,
        "needed": needed,
        "labels": {"half_width": asked.half_width, "labels": labels},
        "shown": None if asked.cases is None else _shown(asked, asked.cases, per_attempt),
    }


def _run(earlier: EarlierRun, asked: Asked) -> dict[str, Any]:
    rate = pass_rate(earlier.counts, level=asked.confidence)
    more = None
    if asked.target is not None:
        more = more_cases_needed(earlier.counts, at_least=asked.target, confidence=asked.confidence)
    return {
        "name": earlier.name,
        "cases": len(earlier.readings),
        "attempts": earlier.attempts,
        "rate": rate.estimate,
        "interval": None if rate.interval is None else list(rate.interval),
        "cost_per_attempt": None if earlier.cost is None else earlier.cost / earlier.attempts,
        "cost_complete": earlier.cost_complete,
        "more_cases_to_decide": more,
    }


def _needed(plan: CasesNeeded, per_attempt: float | None) -> dict[str, Any]:
    cost = None if per_attempt is None or plan.runs is None else plan.runs * per_attempt
    return {**asdict(plan), "warnings": list(plan.warnings), "cost": cost}


def _plans(asked: Asked) -> dict[str, CasesNeeded]:
    """What each purpose needs, by name."""
    found: dict[str, CasesNeeded] = {}
    common: dict[str, Any] = {"repeats": asked.repeat, "icc": asked.icc, "power": asked.power}
    if asked.target is not None:
        found["gate_passes"] = _gate_passes(asked, asked.target, common)
        if asked.drop is not None:
            found["gate_fails"] = cases_for_drop(
                asked.target, asked.drop, confidence=asked.confidence, **common
            )
        clean = clean_runs_needed(1 - asked.target, confidence=asked.confidence)
        # Repeats that never differ are worth no more than one.
        found["gate_passes_without_failure"] = CasesNeeded(
            cases=clean,
            runs=clean * asked.repeat,
            repeats=asked.repeat,
            level=asked.confidence,
            power=1.0,
            method="exact one-sided lower bound",
        )
    if asked.drop is not None:
        for name, alike in (("drop_same_cases", asked.case_correlation), ("drop_other_cases", 0.0)):
            found[name] = cases_for_comparison(
                asked.rate, asked.drop, case_correlation=alike, level=asked.confidence, **common
            )
    return found


def _gate_passes(asked: Asked, target: float, common: dict[str, Any]) -> CasesNeeded:
    if asked.rate > target:
        return cases_for_gate(asked.rate, target, confidence=asked.confidence, **common)
    return CasesNeeded(
        cases=None,
        runs=None,
        repeats=asked.repeat,
        level=asked.confidence,
        power=asked.power,
        method="exact one-sided lower bound",
        reason=f"the rate {asked.rate:.4g} is not above the target {target:g}",
    )


def _shown(asked: Asked, cases: int, per_attempt: float | None) -> dict[str, Any]:
    """What so many cases can show."""
    runs, worth = cases * asked.repeat, cases * worth_of(asked.repeat, asked.icc)
    interval = wilson_interval(asked.rate * worth, worth, level=asked.confidence)
    common: dict[str, Any] = {
        "repeats": asked.repeat,
        "icc": asked.icc,
        "power": asked.power,
        "level": asked.confidence,
    }
    same, other = (
        smallest_drop(cases, asked.rate, case_correlation=alike, **common) if asked.rate > 0.001 else None
        for alike in (asked.case_correlation, 0.0)
    )
    return {
        "cases": cases,
        "runs": runs,
        "effective_runs": worth,
        "perfect_score_lower_bound": clopper_pearson_lower(cases, cases, confidence=asked.confidence),
        "interval_at_rate": None if interval is None else [interval.low, interval.high],
        "smallest_drop_same_cases": same,
        "smallest_drop_other_cases": other,
        "most_failed_runs_at_target": None if asked.target is None else _most_failed(asked, cases),
        "cost": None if per_attempt is None else runs * per_attempt,
    }


def _most_failed(asked: Asked, cases: int) -> int | None:
    """With how many failed runs a gate at the target still passes; None where it cannot pass."""
    runs = cases * asked.repeat

    def passes(failed: int) -> bool:
        # Spread over the cases, which is how repeats tell most.
        each, more = divmod(failed, cases)
        spread = Counter({CaseCounts(asked.repeat - each, each): cases - more})
        if more:
            spread[CaseCounts(asked.repeat - each - 1, each + 1)] += more
        low = pass_rate_bounds(spread, confidence=asked.confidence).low
        return low is not None and low >= (asked.target or 0.0)

    return _last(passes, runs)


def _last(holds: Callable[[int], bool], most: int) -> int | None:
    """The last of 0 to `most` for which `holds`, which is true up to some number; None if of none."""
    if not holds(0):
        return None
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low
