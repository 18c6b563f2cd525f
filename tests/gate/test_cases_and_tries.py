"""Rules on each case by itself, on tagged cases, and on what a case does in k tries."""

import itertools
import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.errors import InvalidArgument
from judgekit.evaluation import Outcome
from judgekit.gate import Gate

PASS, FAIL, INCONCLUSIVE = Outcome.PASS, Outcome.FAIL, Outcome.INCONCLUSIVE


def decided(gate, results):
    decision = gate.decide(results)
    return decision.outcome, decision.detail


@pytest.mark.parametrize(
    ("fields", "outcome", "detail"),
    [
        ({}, FAIL, "2 of 3 cases did not pass in every run: [c1 (2 of 3 passed), c2 (0 of 3 passed)]"),
        ({"at_least": 1}, FAIL, "1 of 3 cases did not pass in at least 1 run: [c2 (0 of 3 passed)]"),
        ({"tagged": "must_pass"}, PASS, "all 1 case tagged must_pass passed in every run"),
        ({"at_least": 2, "tagged": "core"}, PASS, "all 2 cases tagged core passed in at least 2 runs"),
    ],
)
def test_every_case_must_pass_so_often(suite, fields, outcome, detail):
    results = suite(["PPP", "PFP", "FFF"], tags={"must_pass": [0], "core": [0, 1]})
    assert decided(Gate.cases_should_pass(**fields), results) == (outcome, detail)


def test_a_missing_run_decides_nothing(suite):
    twice = Gate.cases_should_pass(at_least=2)
    assert decided(twice, suite(["PPM", "PFM"])) == (
        INCONCLUSIVE,
        "1 of 2 cases undecided, to pass in at least 2 runs: [c1 (1 of 3 passed, 1 missing)]",
    )
    assert twice.decide(suite(["PPM", "FFM"])).outcome is FAIL
    assert twice.decide(suite(["PPM"])).outcome is PASS
    # Of a plan with two runs at least, one was not made.
    assert twice.decide(suite(["P", "PP"])).outcome is INCONCLUSIVE


def test_where_no_tagged_case_ran_the_gate_says_nothing(suite):
    results = suite(["P"], tags={})
    expected = (INCONCLUSIVE, "no case tagged must_pass ran")
    assert decided(Gate.cases_should_pass(tagged="must_pass"), results) == expected


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Gate.cases_should_pass(at_least=0), "`at_least` must be a whole number >= 1, got 0"),
        (lambda: Gate.cases_should_pass(at_least=True), "`at_least` must be a whole number"),
        (lambda: Gate.cases_should_pass(tagged=" "), "`tagged` must be a tag that is not blank"),
        (lambda: Gate.pass_at_k_should_be_at_least(0.5, k=0), "`k` must be a whole number >= 1, got 0"),
        (lambda: Gate.pass_hat_k_should_be_at_least(50, k=2), "`rate` must be a number from 0 to 1, got 50"),
    ],
)
def test_what_cannot_be_is_refused_when_built(make, complaint):
    with pytest.raises(InvalidArgument, match=complaint):
        make()


KNOWN = {"labels": ["tools"], "criteria": []}


def test_a_plan_that_cannot_satisfy_a_rule_is_a_problem():
    runs = {"tags": {"must_pass": [0, 2]}, "case_runs": [3, 1, 2]}
    assert Gate.cases_should_pass(at_least=2, tagged="must_pass").problems(**KNOWN, **runs) == ()
    assert Gate.cases_should_pass(at_least=2).problems(**KNOWN, **runs) == (
        "the gate asks for 2 passes of every case (`at_least=2`), and a case has 1 run; "
        "write `.repeat(2)` or fewer passes",
    )
    assert Gate.cases_should_pass(tagged="must-pass").problems(**KNOWN, **runs) == (
        "the gate's `tagged='must-pass'` is a tag of no case; known are [must_pass]",
    )
    assert Gate.pass_at_k_should_be_at_least(0.9, k=2).problems(**KNOWN, **runs) == (
        "the gate's pass@2 needs 2 runs of every case, and a case has 1 run; "
        "write `.repeat(2)` or a smaller `k`",
    )
    assert Gate.pass_hat_k_should_be_at_least(0.9, k=1).problems(**KNOWN, **runs) == ()


def test_pass_at_k_and_pass_hat_k_are_means_over_cases(suite):
    results = suite(["PPP", "PFF", "FFF", "PPF"])
    at_two = [1, 2 / 3, 0, 1]
    hat_two = [1, 0, 0, 1 / 3]
    assert decided(Gate.pass_at_k_should_be_at_least(0.6, k=2), results) == (
        PASS,
        f"pass@2 {sum(at_two) / 4:.2f} over 12 attempts (4 cases, 3 runs), required 0.60",
    )
    assert decided(Gate.pass_hat_k_should_be_at_least(0.5, k=2), results) == (
        FAIL,
        f"pass^2 {sum(hat_two) / 4:.2f} over 12 attempts (4 cases, 3 runs), required 0.50",
    )
    equal = Gate.pass_at_k_should_be_at_least(sum(at_two) / 4, k=2)
    assert equal.decide(results).outcome is PASS


def test_too_few_runs_for_k_say_nothing(suite):
    assert decided(Gate.pass_at_k_should_be_at_least(0.6, k=2), suite(["PP", "P"])) == (
        INCONCLUSIVE,
        "pass@2 needs 2 runs of every case, over 3 attempts (2 cases, 1 to 2 runs)",
    )


def test_the_airline_tasks_have_the_published_pass_hat_k(suite):
    """50 tasks, four runs each (tau-bench, GPT-4o)."""
    file = Path(__file__).parents[1] / "statistics" / "data" / "tau_bench_airline.json"
    runs = json.loads(file.read_text(encoding="utf-8")).values()
    results = suite([one.replace("1", "P").replace("0", "F") for one in runs])
    for k, published in enumerate((0.42, 0.2733, 0.22, 0.20), start=1):
        detail = Gate.pass_hat_k_should_be_at_least(0, k=k).decide(results).detail
        assert detail.startswith(f"pass^{k} {published:.2f} over 200 attempts (50 cases, 4 runs)")


CASES = st.lists(st.text("PFM", min_size=3, max_size=3), min_size=1, max_size=4).filter(
    lambda cases: 0 < sum(case.count("M") for case in cases) <= 5 and set("".join(cases)) & set("PF")
)
RULES = st.one_of(
    st.builds(lambda n: Gate.cases_should_pass(at_least=n), st.none() | st.integers(1, 3)),
    st.builds(
        lambda make, rate, k: make(rate, k=k),
        st.sampled_from([Gate.pass_at_k_should_be_at_least, Gate.pass_hat_k_should_be_at_least]),
        st.sampled_from([0, 0.25, 1 / 3, 0.5, 0.9, 1]),
        st.integers(1, 3),
    ),
)


def completions(cases):
    text = ",".join(cases)
    for choice in itertools.product("PF", repeat=text.count("M")):
        values = iter(choice)
        yield "".join(next(values) if code == "M" else code for code in text).split(",")


@settings(max_examples=200)
@given(CASES, RULES)
def test_a_rule_decides_exactly_what_every_completion_agrees_on(suite, cases, gate):
    outcomes = {gate.decide(suite(completed)).outcome for completed in completions(cases)}
    assert INCONCLUSIVE not in outcomes
    expected = outcomes.pop() if len(outcomes) == 1 else INCONCLUSIVE
    assert gate.decide(suite(cases)).outcome is expected


@settings(max_examples=150)
@given(st.lists(st.text("PFM", min_size=3, max_size=3), min_size=1, max_size=8), RULES, st.data())
def test_a_pass_in_the_place_of_a_failure_never_makes_a_rule_worse(suite, cases, gate, data):
    rank = {FAIL: 0, INCONCLUSIVE: 1, PASS: 2}
    index, run = data.draw(st.integers(0, len(cases) - 1)), data.draw(st.integers(0, 2))
    better = [*cases]
    better[index] = better[index][:run] + "P" + better[index][run + 1 :]
    found = [gate.decide(suite(one)).outcome for one in (cases, better)]
    assert rank[found[0]] <= rank[found[1]]


@given(RULES | st.just(Gate.cases_should_pass(tagged="must pass", at_least=2)))
def test_a_rule_reads_back_equal_from_its_json_and_its_code(gate):
    assert Gate.from_json(json.loads(json.dumps(gate.to_json()))) == gate
    assert eval(repr(gate)) == gate


def test_pass_at_k_grows_with_k_and_pass_hat_k_shrinks(suite):
    results = suite(["PPFF", "PFFF", "PPPF"])
    values = {
        make.__name__: [make(0, k=k).decide(results).detail.split()[1] for k in range(1, 5)]
        for make in (Gate.pass_at_k_should_be_at_least, Gate.pass_hat_k_should_be_at_least)
    }
    at, hat = values.values()
    assert at == sorted(at)
    assert hat == sorted(hat, reverse=True)
    assert at[0] == hat[0] == f"{math.fsum([2, 1, 3]) / 12:.2f}"
