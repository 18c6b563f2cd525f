"""The counts of cases: the same as those of the whole run, with cases that are alike together."""

from hypothesis import given
from hypothesis import strategies as st

from judgekit.evaluation import EvalResult, Kind, Outcome
from judgekit.gate.counting import case_groups, counts_of, criterion, label, whole
from judgekit.interaction import Interaction
from judgekit.results import Results

CODES = {
    "P": (Outcome.PASS, None),
    "F": (Outcome.FAIL, None),
    "N": (Outcome.INCONCLUSIVE, Kind.NO_EVIDENCE),
    "X": (Outcome.INCONCLUSIVE, Kind.NOT_RUN),
    "M": (Outcome.INCONCLUSIVE, Kind.JUDGE_FAILED),
}
RESULT = st.builds(
    lambda code, kind: EvalResult(*CODES[code][:1], "", CODES[code][1], *kind),
    st.sampled_from(list(CODES)),
    st.sampled_from([("tools", None), ("judge", "polite"), ("judge", "short"), ("other", None)]),
)
RUNS = st.lists(st.lists(RESULT, max_size=4), max_size=3)


def results_of(cases):
    results = Results([f"c{number}" for number in range(len(cases))])
    for index, runs in enumerate(cases):
        for run, found in enumerate(runs, start=1):
            results.add(index, run, Interaction(), found)
    return results


def summed(groups, counted):
    found = [(counts_of(group.runs, counted), group.cases) for group in groups]
    return tuple(sum(counts[at] * cases for counts, cases in found) for at in range(3))


@given(st.lists(RUNS, max_size=8))
def test_the_counts_of_all_cases_add_up_to_those_of_the_run(cases):
    results = results_of(cases)
    groups = case_groups(results)
    outcomes = results.outcomes()
    assert sum(group.cases for group in groups) == sum(bool(runs) for runs in cases)
    assert summed(groups, whole) == tuple(
        outcomes[one] for one in (Outcome.PASS, Outcome.FAIL, Outcome.INCONCLUSIVE)
    )
    for units, made in ((results.units, label), (results.criteria, criterion)):
        for name, unit in units.items():
            expected = (unit.passed, unit.failed, unit.missing.total())
            assert summed(groups, made(name)) == expected


@given(st.lists(RUNS, min_size=1, max_size=6), st.integers(1, 3))
def test_cases_that_are_alike_are_one_group(cases, times):
    once, often = case_groups(results_of(cases)), case_groups(results_of(cases * times))
    assert len(once) == len(often)
    assert [group.cases * times for group in once] == [group.cases for group in often]
