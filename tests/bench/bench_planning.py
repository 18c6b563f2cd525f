"""How often the cases that are planned are enough, over seeded synthetic suites; the figures are in the docs.

Run it by hand: `python tests/bench/bench_planning.py [SUITES]`, with 600 suites a row unless told otherwise.
It exits with 1 where a plan for a chance of 0.8 comes to less than 0.72, or one for 0.9 to less than 0.82.
"""

import sys

import numpy as np
from scipy.stats import beta, norm

from judgekit.statistics import (
    ComparisonVerdict,
    cases_for_comparison,
    cases_for_gate,
    compare_pass_fail,
    pass_rate_bounds,
)

SEED = 20_240_601
ICC = 0.4
ALIKE = 0.5
LEAST = {0.8: 0.72, 0.9: 0.82}
# Rate, bar, runs of a case.
GATES = [(0.95, 0.9, 1), (0.95, 0.9, 3), (0.9, 0.8, 3), (0.97, 0.9, 3), (0.8, 0.6, 4)]
# Rate, drop, runs of a case.
DROPS = [(0.9, 0.1, 1), (0.9, 0.1, 3), (0.8, 0.15, 3), (0.7, 0.1, 2)]


def case_rates(rate, places):
    """The rates of cases, so that runs of a case correlate by ICC."""
    spread = (1 - ICC) / ICC
    return beta.ppf(places, rate * spread, (1 - rate) * spread)


def gate_passes(rate, bar, repeats, power, suites):
    cases = cases_for_gate(rate, bar, repeats=repeats, icc=ICC, power=power).cases
    rng = np.random.default_rng([SEED, cases, repeats])
    green = 0
    for _ in range(suites):
        passed = rng.binomial(repeats, case_rates(rate, rng.random(cases)))
        low = pass_rate_bounds([(int(count), int(repeats - count)) for count in passed]).low
        green += low is not None and low >= bar
    return cases, green / suites


def drop_is_seen(rate, drop, repeats, power, suites):
    needed = cases_for_comparison(rate, drop, repeats=repeats, icc=ICC, case_correlation=ALIKE, power=power)
    rng = np.random.default_rng([SEED, needed.cases, repeats])
    seen = 0
    for _ in range(suites):
        places = norm.cdf(rng.multivariate_normal([0, 0], [[1, ALIKE], [ALIKE, 1]], needed.cases))
        sides = [
            {
                str(case): [bool(run) for run in rng.random(repeats) < share]
                for case, share in enumerate(case_rates(level, places[:, side]))
            }
            for side, level in enumerate((rate, rate - drop))
        ]
        verdict = compare_pass_fail(sides[1], sides[0], resamples=500).verdict
        seen += verdict is ComparisonVerdict.REGRESSED
    return needed.cases, seen / suites


def main(suites):
    kept = True
    for power in LEAST:
        for title, rows, simulate in (("gate", GATES, gate_passes), ("drop", DROPS, drop_is_seen)):
            for row in rows:
                cases, share = simulate(*row, power, suites)
                kept &= share >= LEAST[power]
                print(f"planned {power}  {title} {row}: {cases} cases, {share:.3f}", flush=True)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 600))
