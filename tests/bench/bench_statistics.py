"""What the statistics promise, over seeded synthetic suites; the figures are those of the docs.

Run it by hand: `python tests/bench/bench_statistics.py [SUITES]`, with 10,000 suites a row unless told
otherwise. It exits with 1 where a promise is broken by more than the simulation's own error. The rows on real
judges need the data folder (JUDGEKIT_DATA).
"""

import csv
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random

import numpy as np

from judgekit.statistics import (
    ComparisonVerdict,
    StopState,
    compare_pass_fail,
    corrected_pass_rate,
    early_decision,
    pass_rate_bounds,
)

SEED = 20_240_601
DATA = Path(os.environ.get("JUDGEKIT_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))


def noise(share: float, suites: int) -> float:
    """Four standard errors of a simulated share."""
    return 4 * (share * (1 - share) / suites) ** 0.5


def passed_runs(
    rng: np.random.Generator, suites: int, cases: int, runs: int, rate: float, icc: float
) -> np.ndarray:
    """How many runs of each case pass; the cases' own rates vary so that runs correlate by `icc`."""
    if icc == 0:
        return rng.binomial(runs, rate, (suites, cases))
    spread = 1 / icc - 1
    return rng.binomial(runs, rng.beta(rate * spread, (1 - rate) * spread, (suites, cases)))


@cache
def lower_bound(histogram: tuple[int, ...]) -> float:
    """The gate's bound from how many cases passed 0, 1, 2 ... of their runs."""
    runs = len(histogram) - 1
    counts = [(passed, runs - passed) for passed, cases in enumerate(histogram) for _ in range(cases)]
    return pass_rate_bounds(counts, confidence=0.95).low or 0.0


GATES = [
    (rate, cases, runs, icc)
    for rate in (0.8, 0.9, 0.95)
    for cases in (10, 20, 30, 50, 100, 200)
    for runs, icc in ((1, 0.0), (3, 0.0), (3, 0.4), (3, 0.8), (5, 0.4), (10, 0.2))
]


def gate_rows(suites: int) -> Iterator[tuple[str, bool]]:
    """A gate at the very rate that it requires is green by luck alone."""
    worst: dict[str, float] = {}
    for rate, cases, runs, icc in GATES:
        rng = np.random.default_rng([SEED, cases, runs, int(100 * icc), int(100 * rate)])
        passed = passed_runs(rng, suites, cases, runs, rate, icc)
        found = (tuple(np.bincount(suite, minlength=runs + 1).tolist()) for suite in passed)
        green = sum(lower_bound(histogram) >= rate for histogram in found) / suites
        key = "one run a case" if runs == 1 else "repeats, correlated" if icc else "repeats, independent"
        worst[key] = max(worst.get(key, 0), green)
        if green > 0.05 + noise(0.05, suites):
            yield f"gate at {rate}: {cases} cases x {runs}, icc {icc}: wrongly green {green:.3%}", False
    for key, green in worst.items():
        text = f"gate with confidence 0.95 at its required rate, {key}: wrongly green at most {green:.2%}"
        yield text, green <= 0.05 + noise(0.05, suites)


def regressed(new: np.ndarray, old: np.ndarray, runs: int) -> bool:
    """Whether a comparison of two suites says REGRESSED."""
    sides = [
        {str(case): [run < passed for run in range(runs)] for case, passed in enumerate(side.tolist())}
        for side in (new, old)
    ]
    return compare_pass_fail(*sides, resamples=499).verdict is ComparisonVerdict.REGRESSED


def same_rows(suites: int) -> Iterator[tuple[str, bool]]:
    """Two runs of one agent: REGRESSED is always wrong."""
    for cases, runs, rate, icc, share in (
        (20, 1, 0.8, 0.4, 1), (50, 1, 0.7, 0.4, 1), (100, 1, 0.9, 0.4, 1), (200, 1, 0.5, 0.0, 1),
        (20, 3, 0.8, 0.4, 0.5), (60, 3, 0.7, 0.6, 0.5), (8, 5, 0.6, 0.4, 0.5),
    ):  # fmt: skip
        rng = np.random.default_rng([SEED, cases, runs])
        rounds = int(suites * share)
        rates = np.full((rounds, cases), rate)
        if icc:
            spread = 1 / icc - 1
            rates = rng.beta(rate * spread, (1 - rate) * spread, (rounds, cases))
        new, old = rng.binomial(runs, rates), rng.binomial(runs, rates)
        wrong = sum(regressed(a, b, runs) for a, b in zip(new, old, strict=True)) / rounds
        yield (
            f"A/A, {cases} cases x {runs}, rate {rate}, icc {icc}: REGRESSED {wrong:.2%}",
            wrong <= 0.05 + noise(0.05, rounds),
        )


def stop_table(cases: int, bar: float, *, of_suite: bool) -> tuple[np.ndarray, np.ndarray]:
    """After n cases: the fewest passes that decide PASS, and the most that decide FAIL."""

    def state(passed: int, total: int) -> StopState:
        return early_decision(passed, total, at_least=bar, population=cases, of_suite=of_suite).state

    def least(holds: Callable[[int], bool], low: int, high: int) -> int:
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if holds(middle) else (middle + 1, high)
        return low

    totals = range(1, cases + 1)
    passes = [least(lambda k, n=n: state(k, n) is StopState.PASS, 0, n + 1) for n in totals]
    fails = [least(lambda k, n=n: state(k, n) is not StopState.FAIL, 0, n + 1) - 1 for n in totals]
    return np.array(passes), np.array(fails)


def stop_rows(suites: int) -> Iterator[tuple[str, bool]]:
    """A run that looks after every case: how often it is wrong, and what it saves."""
    for cases in (200, 500):
        for of_suite in (True, False):
            passes, fails = stop_table(cases, 0.8, of_suite=of_suite)
            for rate in (0.88, 0.8, 0.72):
                rng = np.random.default_rng([SEED, cases, int(100 * rate)])
                seen = np.cumsum(rng.random((suites, cases)) < rate, axis=1)
                decided = (seen >= passes) | (seen <= fails)
                at = np.where(decided.any(axis=1), decided.argmax(axis=1), cases - 1)
                ends = seen[np.arange(suites), at]
                green, red = ends >= passes[at], ends <= fails[at]
                truth = seen[:, -1] >= 0.8 * cases - 1e-9 if of_suite else np.full(suites, rate >= 0.8)
                wrong = float(np.mean((green & ~truth) | (red & truth)))
                saved = 1 - float(np.mean(at + 1)) / cases
                asked = "the suite's own rate" if of_suite else "the rate in the long run"
                kept = wrong <= 0.05 + noise(0.05, suites)
                enough = saved >= 0.4 or not of_suite or rate != 0.88
                yield (
                    f"early stop, bar 0.8 on {asked}, {cases} cases at {rate}: "
                    f"wrong {wrong:.2%}, saved {saved:.1%}",
                    kept and enough,
                )


def judge_rows(repeats: int) -> Iterator[tuple[str, bool]]:
    """PPI++ with 100 labels of 400 answers, on real judges."""
    if not DATA.is_dir():
        yield "real judges: skipped, no data folder", True
        return
    with (DATA / "triviaqa_judges" / "v1.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for judge in ("GPT-4", "Llama3-70B", "Mistral-7B", "JudgeLM", "Contains"):
        random = Random(SEED)
        covered, width, human_width, n = 0, 0.0, 0.0, 0
        for model in dict.fromkeys(row["model"] for row in rows):
            mine = [
                (row[judge] == "1", row["human"] == "1")
                for row in rows
                if row["model"] == model and row[judge]
            ]
            truth = sum(human for _, human in mine) / len(mine)
            for _ in range(repeats):
                random.shuffle(mine)
                labels = [human if place < 100 else None for place, (_, human) in enumerate(mine)]
                triple = corrected_pass_rate([said for said, _ in mine], labels, design="random_subset")
                low, high = triple.interval or (0.0, 1.0)
                covered += low <= truth <= high
                width += high - low
                human_width += 2 * (triple.human.half_width or 0.5)
                n += 1
        yield (
            f"PPI++ on {judge}: coverage {covered / n:.3f} of 95 %, width {width / n:.3f} "
            f"(human labels alone {human_width / n:.3f})",
            0.96 <= covered / n <= 1 and width < human_width,
        )


def rare_rows(repeats: int) -> Iterator[tuple[str, bool]]:
    """The corrected rate where nearly all pass, and a normal interval alone covers as little as 60 %."""
    for labels, items in ((50, 200), (100, 400), (100, 2000)):
        for rate in (0.9, 0.95, 0.98, 1.0):
            rng = np.random.default_rng([SEED, labels, items, int(100 * rate)])
            covered = 0
            for _ in range(repeats):
                human = rng.random(items) < rate
                judge = np.where(human, rng.random(items) < 0.97, rng.random(items) < 0.2)
                known = [*human[:labels].tolist(), *([None] * (items - labels))]
                low, high = corrected_pass_rate(judge.tolist(), known, design="random_subset").interval or (
                    0,
                    1,
                )
                covered += low - 1e-9 <= rate <= high + 1e-9
            share = covered / repeats
            yield (
                f"corrected rate, {labels} labels of {items} replies at {rate}: coverage {share:.3f} of 95 %",
                share >= 0.9 - noise(0.1, repeats),
            )


def main(suites: int) -> int:
    """Print every row; 1 where one of them breaks its promise."""
    broken = 0
    few = max(1, suites // 50)
    parts = (gate_rows(suites), same_rows(suites), stop_rows(suites), judge_rows(few), rare_rows(10 * few))
    for part in parts:
        for text, kept in part:
            broken += not kept
            print(text if kept else f"BROKEN: {text}", flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
