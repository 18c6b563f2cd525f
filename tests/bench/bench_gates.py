"""What gates with a confidence and runs that stop early promise, over seeded synthetic suites.

Run it by hand: `python tests/bench/bench_gates.py [SUITES]`, with 10,000 suites a gate unless told otherwise,
and fewer of early stops, the larger they are; 1,000 take a minute or two. Every decision is made by a `Gate`
over `Results`, as in a run. It exits with 1 where a promise is broken by more than the simulation's own
error; the figures are those of the docs.
"""

import sys
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from judgekit.evaluation import EvalResult, Outcome
from judgekit.gate import Gate
from judgekit.interaction import Interaction
from judgekit.results import Results
from judgekit.stopping import EarlyStop

SEED = 20_240_601
LABEL = "tools"
EVIDENCE = Interaction()
PASSED = [EvalResult(Outcome.PASS, label=LABEL)]
FAILED = [EvalResult(Outcome.FAIL, "no", label=LABEL)]


def noise(share: float, suites: int) -> float:
    """Four standard errors of a simulated share."""
    return 4 * (share * (1 - share) / suites) ** 0.5


def passed_runs(seeds: Sequence[int], suites: int, cases: int, runs: int, rate: float, icc: float):
    """How many runs of each case pass; the cases' own rates vary (beta) so that runs correlate by `icc`."""
    rng = np.random.default_rng([SEED, *seeds])
    if icc == 0:
        return rng.binomial(runs, rate, (suites, cases))
    spread = 1 / icc - 1
    return rng.binomial(runs, rng.beta(rate * spread, (1 - rate) * spread, (suites, cases)))


def results_of(passed: Sequence[int], runs: int, early: EarlyStop | None = None) -> Results:
    """A run in which each case passed so many of its runs."""
    results = Results([str(case) for case in range(len(passed))], early=early)
    for case, good in enumerate(passed):
        for run in range(runs):
            results.add(case, run + 1, EVIDENCE, PASSED if run < good else FAILED)
    return results


@cache
def outcome_of(gate: Gate, histogram: tuple[int, ...]) -> Outcome:
    """What a gate says where so many cases passed 0, 1, 2 ... of their runs."""
    passed = [good for good, cases in enumerate(histogram) for _ in range(cases)]
    return gate.decide(results_of(passed, len(histogram) - 1)).outcome


def gate_rows(suites: int) -> Iterator[tuple[str, bool]]:
    """A gate at the very rate that it requires is green by luck alone."""
    for runs, icc in ((1, 0.0), (3, 0.0), (3, 0.4), (5, 0.4), (5, 0.8)):
        worst, power = 0.0, []
        for rate in (0.8, 0.9, 0.95):
            gate = Gate.pass_rate_should_be_at_least(rate, confidence=0.95)
            for cases in (10, 20, 50, 100):
                seeds = [cases, runs, int(100 * icc), int(100 * rate)]
                for true in (rate, (1 + rate) / 2) if cases == 100 else (rate,):
                    suites_of = passed_runs([*seeds, true == rate], suites, cases, runs, true, icc)
                    found = (tuple(np.bincount(suite, minlength=runs + 1).tolist()) for suite in suites_of)
                    green = sum(outcome_of(gate, one) is Outcome.PASS for one in found) / suites
                    if true == rate:
                        worst = max(worst, green)
                    else:
                        power.append(f"{green:.0%} of suites at {true:g} pass {rate:g}")
        yield (
            f"gate at its required rate, {runs} runs a case, icc {icc}: wrongly green at most {worst:.2%}; "
            f"with 100 cases {', '.join(power)}",
            worst <= 0.05 + noise(0.05, suites),
        )


def stop_rows(suites: int) -> Iterator[tuple[str, bool]]:
    """A run that looks after every case: how often it is wrong, and what it saves."""
    for runs, icc in ((1, 0.0), (3, 0.4)):
        for cases in (50, 100, 200, 500):
            for rate in (0.88, 0.8, 0.72):
                gate = Gate.pass_rate_should_be_at_least(0.8)
                yield stop_row(gate, "the suite's rate", suites, cases, runs, rate, icc)
    for runs, icc in ((1, 0.0), (3, 0.4)):
        for cases in (100, 200, 500):
            for rate in (0.88, 0.8):
                gate = Gate.pass_rate_should_be_at_least(0.8, confidence=0.95)
                yield stop_row(gate, "confidence 0.95", suites, cases, runs, rate, icc)


def stop_row(
    gate: Gate, asked: str, suites: int, cases: int, runs: int, rate: float, icc: float
) -> tuple[str, bool]:
    """One row: the same gate over suites that stop as soon as it is decided."""
    early = EarlyStop(alpha=0.05, seed=1, case_runs=[runs] * cases, requirements=((((LABEL, None),), runs),))
    order, confident = early.order(), gate.rules[0].to_json().get("confidence") is not None
    rounds = max(1, suites * 20 // cases)
    wrong = green = 0
    saved = 0.0
    suites_of = passed_runs([cases, runs, int(100 * rate), confident], rounds, cases, runs, rate, icc)
    for passed in suites_of.tolist():
        results = results_of(passed, runs, early)
        looks = gate.looks(results)
        at = next((n for n, case in enumerate(order, 1) if looks.add(case) is not None), cases)
        whole = gate.decide(results).outcome
        decided = looks.outcome or whole
        saved += 1 - at / cases
        green += decided is Outcome.PASS
        wrong += decided is not whole
    text = f"stop early, bar 0.8, {asked}, {cases} cases x {runs} (icc {icc}) at {rate}: "
    text += f"saved {saved / rounds:.1%}, green {green / rounds:.2%}"
    if confident:
        kept = rate > 0.8 or green / rounds <= 0.05 + noise(0.05, rounds)
        return text, kept
    enough = rate != 0.88 or runs > 1 or cases < 200 or saved / rounds >= 0.4
    text += f", other than the whole suite {wrong / rounds:.2%}"
    return text, wrong / rounds <= 0.05 + noise(0.05, rounds) and enough


def main(suites: int) -> int:
    """Print every row; 1 where one of them breaks its promise."""
    broken = 0
    for part in (gate_rows(suites), stop_rows(suites)):
        for text, kept in part:
            broken += not kept
            print(text if kept else f"BROKEN: {text}", flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
