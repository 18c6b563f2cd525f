"""Suites in a few letters: `"PFM"` is a case of three runs that passed, failed, and are missing."""

import pytest

from judgekit.evaluation import EvalResult, Kind, Outcome
from judgekit.interaction import Interaction
from judgekit.results import Results
from judgekit.stopping import EarlyStop


def result_of(code, label):
    if code == "P":
        return EvalResult(Outcome.PASS, label=label)
    if code == "F":
        return EvalResult(Outcome.FAIL, "no", label=label)
    if code == "N":
        return EvalResult(Outcome.INCONCLUSIVE, kind=Kind.NO_EVIDENCE, label=label)
    return EvalResult(Outcome.INCONCLUSIVE, kind=Kind.JUDGE_FAILED, label=label, cause="timeout")


def suite_of(cases, *, tags=None, alpha=None, label="tools"):
    """Results of cases, each a text with a letter a run; with `alpha` of a run that may stop early."""
    early = None
    if alpha is not None:
        runs = [len(case) for case in cases]
        required = (((label, None),), max(runs))
        early = EarlyStop(alpha=alpha, seed=1, case_runs=runs, requirements=(required,))
    results = Results([f"c{n}" for n in range(len(cases))], tags=tags, early=early)
    for index, case in enumerate(cases):
        for run, code in enumerate(case, start=1):
            results.add(index, run, Interaction(), [result_of(code, label)])
    return results


@pytest.fixture(scope="session")
def suite():
    return suite_of
