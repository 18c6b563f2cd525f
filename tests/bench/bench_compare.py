"""What `compare` promises, over seeded pairs of synthetic runs; the figures are those of the docs.

Run it by hand: `python tests/bench/bench_compare.py [PAIRS]`, with 2,000 pairs a row unless told otherwise.
It exits with 1 where a promise is broken by more than the simulation's own error. Every pair goes through the
reading of attempts, three evaluators of which one has scores, Holm, and the verdict of the whole.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from judgekit.comparing import RunReading, compare_runs
from judgekit.evaluation import EvalResult, Measurement, Outcome
from judgekit.interaction import Interaction
from judgekit.results import CaseResult

SEED = 20_240_601
STARTED = datetime(2025, 1, 1, tzinfo=UTC)
JUDGE = (Measurement(model="m", fingerprint="f"),)
RATES = {"tools": 0.92, "safety": 0.97, "polite": 0.85}


@dataclass
class Run:
    """What `RunReading.of` reads."""

    results: list[CaseResult]
    name: str = "bench"
    started_at: datetime = STARTED
    finished_at: datetime | None = STARTED


@dataclass(frozen=True)
class Setting:
    """A suite: how many cases and runs, and how alike the runs of one case are."""

    cases: int
    runs: int
    icc: float

    def __str__(self) -> str:
        return f"{self.cases} cases, {self.runs} runs, correlation {self.icc:g}"


def case_rates(rng: np.random.Generator, setting: Setting) -> dict[str, np.ndarray]:
    """Each case's own pass rate by evaluator; the spread makes runs of a case correlate."""
    if not setting.icc:
        return {name: np.full(setting.cases, rate) for name, rate in RATES.items()}
    spread = 1 / setting.icc - 1
    return {name: rng.beta(rate * spread, (1 - rate) * spread, setting.cases) for name, rate in RATES.items()}


def run_of(rng: np.random.Generator, rates: dict[str, np.ndarray], setting: Setting) -> RunReading:
    """One run of the suite; the judge's scores are spread around its verdicts."""
    attempts = []
    for case in range(setting.cases):
        for run in range(1, setting.runs + 1):
            passed = {name: bool(rng.random() < found[case]) for name, found in rates.items()}
            score = 0.5 + rng.random() / 2 if passed["polite"] else rng.random() / 2
            results = [result(name, passed[name]) for name in ("tools", "safety")]
            outcome = Outcome.PASS if passed["polite"] else Outcome.FAIL
            results.append(
                EvalResult(outcome, "", None, "judge", "polite", float(score), 0.5, measurements=JUDGE)
            )
            attempts.append(CaseResult(f"c{case}", run, Interaction(reply=str(rng.random())), tuple(results)))
    return RunReading.of(Run(attempts))


def result(label: str, passed: bool) -> EvalResult:
    """What a deterministic evaluator found."""
    return EvalResult(Outcome.PASS if passed else Outcome.FAIL, label=label)


def verdicts(
    setting: Setting, pairs: int, *, drop: float = 0.0, max_drop: float | None = None
) -> Counter[str]:
    """How often each verdict of the whole comes out; with `drop` that share of cases fails `tools`."""
    found: Counter[str] = Counter()
    for seed in range(pairs):
        rng = np.random.default_rng([SEED, setting.cases, setting.runs, seed])
        rates = case_rates(rng, setting)
        old = run_of(rng, rates, setting)
        falls = rng.random(setting.cases) < drop
        lower = {name: np.where(falls, 0.0, rate) for name, rate in rates.items()} if drop else rates
        new = run_of(rng, lower, setting)
        compared = compare_runs(new, old, max_drop=max_drop, resamples=499)
        verdict = "none" if compared.verdict is None else compared.verdict.value
        found[verdict] += 1
        found["overall " + compared.overall.verdict.value] += 1
    return found


SAME = [
    Setting(30, 1, 0.0),
    Setting(100, 1, 0.0),
    Setting(100, 1, 0.4),
    Setting(30, 3, 0.0),
    Setting(30, 3, 0.4),
    Setting(20, 5, 0.8),
    Setting(100, 3, 0.4),
]
WORSE = [Setting(100, 1, 0.4), Setting(100, 3, 0.4), Setting(200, 3, 0.4)]


def noise(share: float, pairs: int) -> float:
    """Four standard errors of a simulated share."""
    return float(4 * (share * (1 - share) / pairs) ** 0.5)


def same_rows(pairs: int) -> Iterator[tuple[str, bool]]:
    """An agent against itself: REGRESSED at most once in twenty."""
    for setting in SAME:
        found = verdicts(setting, pairs)
        regressed = found["REGRESSED"] / pairs
        alone = found["overall REGRESSED"] / pairs
        line = f"{setting}: REGRESSED {regressed:.3f} (attempts alone {alone:.3f}), "
        line += f"IMPROVED {found['IMPROVED'] / pairs:.3f}"
        yield line, regressed <= 0.05 + noise(0.05, pairs)


def worse_rows(pairs: int) -> Iterator[tuple[str, bool]]:
    """An agent that lost a tenth of its cases: seen, and rarely called equivalent at a margin of 0.05."""
    for setting in WORSE:
        found = verdicts(setting, pairs, drop=0.1, max_drop=0.05)
        equivalent = (found["EQUIVALENT"] + found["IMPROVED"]) / pairs
        line = f"{setting}, a tenth lost: REGRESSED {found['REGRESSED'] / pairs:.3f}, "
        line += f"EQUIVALENT or IMPROVED at 0.05: {equivalent:.3f}"
        yield line, equivalent <= 0.05 + noise(0.05, pairs)


def main(pairs: int) -> int:
    """Print the rows; 1 where one of them breaks its promise."""
    kept = True
    for title, rows in (("The same agent twice", same_rows), ("A worse agent", worse_rows)):
        print(title)
        for line, holds in rows(pairs):
            print(f"  {line}{'' if holds else '   BROKEN'}", flush=True)
            kept &= holds
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000))
