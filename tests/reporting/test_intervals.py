"""The intervals of a report: those of the statistics over cases, for the whole run, labels and criteria."""

import json

from judgekit.evaluation import EvalResult, Kind, Outcome
from judgekit.interaction import Interaction
from judgekit.reporting.intervals import Rates, interval_of
from judgekit.results import Results
from judgekit.statistics import pass_hat_k, pass_rate
from judgekit.stopping import EarlyStop

SIGNS = {"P": (Outcome.PASS, None), "F": (Outcome.FAIL, None), "M": (Outcome.INCONCLUSIVE, Kind.JUDGE_FAILED)}


def results_of(*cases, early=None):
    results = Results([f"c{number}" for number in range(len(cases))], early=early)
    for index, case in enumerate(cases):
        for run, code in enumerate(case, start=1):
            outcome, kind = SIGNS[code]
            found = EvalResult(outcome, "", kind, "judge", "polite", cause="timeout" if kind else None)
            results.add(index, run, Interaction(), [found, EvalResult(Outcome.PASS, label="tools")])
    return results


CASES = ["PPP"] * 9 + ["PPF"] * 4 + ["FFF"] * 5 + ["PMP"]
COUNTS = [tuple(case.count(code) for code in "PFM") for case in CASES]


def test_repeats_are_clustered_by_case_everywhere():
    rates, expected = Rates(results_of(*CASES)), pass_rate(COUNTS)
    assert rates.whole() == rates.label("judge") == rates.criterion("polite") == expected
    assert expected.method.startswith("cluster-robust t")
    assert rates.label("tools") == pass_rate([(3, 0)] * len(CASES))
    interval = interval_of(rates.whole())
    assert (interval.low, interval.high, interval.n) == (expected.low, expected.high, expected.effective_n)


def test_pass_hat_k_is_of_all_runs_of_a_case():
    tries = Rates(results_of(*CASES)).tries()
    assert tries.k == 3
    assert tries.all_of_them == pass_hat_k(COUNTS, 3)
    assert [name for name, *_ in tries.shown()] == ["pass@3", "pass^3"]
    assert Rates(results_of("P", "F")).tries() is None
    assert Rates(results_of("PP", "F")).tries() is None
    assert Rates(Results([])).tries() is None


def test_one_case_that_was_repeated_has_no_interval_and_a_reason(make_report):
    rate = Rates(results_of("PPF")).whole()
    assert interval_of(rate) is None
    assert "at least 2 cases" in rate.reason


def test_a_run_that_stopped_early_warns_and_leaves_half_run_cases_out_of_its_tries():
    early = EarlyStop(alpha=0.05, seed=1, case_runs=[2] * 4, requirements=())
    results = results_of("PP", "PF", "P", early=early)
    results.looked_at = 2
    rates = Rates(results)
    assert rates.whole().warnings[-1] == "the run stopped early, of which the interval takes no account"
    assert rates.tries().all_of_them.estimate == 0.5


def test_the_document_says_method_level_number_and_warnings(make_report):
    from judgekit.results import CaseResult

    attempts = [
        CaseResult(case, run, Interaction(), (EvalResult(Outcome.PASS, label="tools"),))
        for case in ("a", "b")
        for run in (1, 2)
    ]
    data = json.loads(make_report(attempts, runs=2).render("json"))
    interval = data["summary"]["interval"]
    assert (interval["method"], interval["level"], interval["n"]) == ("wilson at the effective n", 0.95, 2.0)
    assert interval["warnings"] == ["2 clusters: a cluster-robust error is unsure with fewer than 10"]
    assert data["summary"]["pass_hat_k"]["k"] == 2
    assert data["summary"]["pass_hat_k"]["estimate"] == 1.0
