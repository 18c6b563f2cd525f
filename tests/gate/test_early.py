"""A gate that is looked at after every case: which rules decide, and what a decision says."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.evaluation import Outcome
from judgekit.gate import Gate
from judgekit.statistics import StopState, early_decision

PASS, FAIL = Outcome.PASS, Outcome.FAIL
RATE = Gate.pass_rate_should_be_at_least


def stopped_at(gate, results):
    """After how many cases, in the run's order, the gate is decided; None where it never is."""
    looks = gate.looks(results)
    for number, index in enumerate(results.early.order(), start=1):
        if looks.add(index) is not None:
            results.looked_at = number
            return number
    return None


def test_a_rate_of_single_runs_is_decided_where_the_confidence_sequence_decides_it(suite):
    random = Random(5)
    results = suite([random.choice("PPPPPPPPPF") for _ in range(200)], alpha=0.05)
    codes = [results.runs_of(index)[0].outcome is PASS for index in results.early.order()]
    expected = next(
        n
        for n in range(1, 201)
        if early_decision(sum(codes[:n]), n, at_least=0.8, population=200).state is StopState.PASS
    )
    assert stopped_at(RATE(0.8), results) == expected < 120
    decision = RATE(0.8).decide(results)
    assert decision.outcome is PASS
    assert decision.detail == (
        f"pass rate {sum(codes[:expected]) / expected:.2f} after {expected} of 200 cases, required 0.80: "
        "reached (alpha 0.05)"
    )


def test_a_confident_gate_gives_half_of_its_error_to_the_looks_and_has_the_rest_at_the_end(suite):
    gate = RATE(0.8, confidence=0.95)
    quick = suite(["P"] * 300, alpha=0.05)
    assert stopped_at(gate, quick) < 40
    assert gate.decide(quick).detail.endswith("required 0.80 at 95 %: reached (alpha 0.025)")
    slow = suite(["P"] * 97 + ["F"] * 13, alpha=0.05)
    assert stopped_at(gate, slow) is None
    assert "at 97.5 %" in gate.decide(slow).detail
    strict = suite(["P"] * 97 + ["F"] * 13, alpha=0.01)
    assert "at 96 %" in gate.decide(strict).detail


@pytest.mark.parametrize(
    ("gate", "code"),
    [
        (Gate.all_cases_should_pass(), "F"),
        (Gate.cases_should_pass(), "F"),
        (Gate.cases_should_pass(tagged="must_pass"), "F"),
        (Gate.every_attempt_should_be_conclusive(), "N"),
    ],
)
def test_a_rule_that_one_case_breaks_is_decided_by_it_and_by_nothing_sooner_than_the_last(suite, gate, code):
    results = suite(["P"] * 30, alpha=0.05, tags={"must_pass": range(30)})
    assert stopped_at(gate, results) is None
    broken = results.early.order()[11]
    cases = ["P"] * 30
    cases[broken] = code
    results = suite(cases, alpha=0.05, tags={"must_pass": range(30)})
    assert stopped_at(gate, results) == 12
    decision = gate.decide(results)
    assert decision.outcome is FAIL
    assert f"c{broken}" in decision.detail


def test_a_gate_of_several_rules_passes_with_all_and_fails_with_one(suite):
    both = RATE(0.8) & RATE(0.7, of="tools")
    results = suite(["P"] * 200, alpha=0.05)
    assert stopped_at(both, results) > stopped_at(RATE(0.8), suite(["P"] * 200, alpha=0.05))
    assert both.decide(results).detail.count("reached (alpha 0.025)") == 2
    never = RATE(0.8) & Gate.target_should_not_fail()
    assert stopped_at(never, suite(["P"] * 200, alpha=0.05)) is None
    failing = suite(["F"] * 200, alpha=0.05)
    assert stopped_at(never, failing) < 20
    assert never.decide(failing).detail.endswith(": not reached (alpha 0.05); no target failures so far")


def test_each_rate_of_a_gate_says_after_how_many_cases_it_was_decided(suite):
    random = Random(2)
    gate = RATE(0.5) & RATE(0.8)
    results = suite([random.choice("PPPPPPPPPF") for _ in range(200)], alpha=0.05)
    last = stopped_at(gate, results)
    low, high = gate.decide(results).detail.split("; ")
    assert f" after {last} of 200 cases, required 0.80: reached" in high
    after = int(low.split(" after ")[1].split()[0])
    assert after < last
    codes = [results.runs_of(index)[0].outcome is PASS for index in results.early.order()]
    assert low.startswith(f"pass rate {sum(codes[:after]) / after:.2f} after {after} of 200 cases")


def test_another_gate_is_decided_by_the_cases_that_were_looked_at_or_not_at_all(suite):
    results = suite(["P"] * 190 + ["F"] * 10, alpha=0.05)
    assert stopped_at(RATE(0.8), results)
    assert RATE(0.5).decide(results).outcome is PASS
    higher = RATE(0.95).decide(results)
    assert higher.outcome is Outcome.INCONCLUSIVE
    assert higher.detail.endswith("required 0.95: not decided")
    scores = Gate.inconclusive_should_be_at_most(0.1).decide(results)
    assert scores.outcome is Outcome.INCONCLUSIVE
    assert scores.detail.endswith("so far")


def test_rules_that_only_a_whole_run_decides_cannot_stop_it(suite):
    results = suite(["P"] * 20, alpha=0.05)
    share = Gate.inconclusive_should_be_at_most(0.1)
    assert not share.can_stop_early(results)
    assert (share & RATE(0.5)).can_stop_early(results)
    assert not RATE(0.5, of="speed").can_stop_early(results)
    assert not RATE(0.5).can_stop_early(suite(["P"]))


def test_a_run_that_judged_nothing_does_not_stop(suite):
    assert stopped_at(RATE(0.5), suite(["N"] * 100, alpha=0.05)) is None


def test_missing_measurements_stop_nothing(suite):
    assert stopped_at(RATE(0.8), suite(["P"] * 100 + ["M"] * 100, alpha=0.05)) is None
    results = suite(["P"] * 195 + ["M"] * 5, alpha=0.05)
    assert stopped_at(RATE(0.5), results)


def test_pass_hat_k_is_decided_over_the_chances_of_whole_cases(suite):
    gate = Gate.pass_hat_k_should_be_at_least(0.5, k=2)
    results = suite(["PPP"] * 100, alpha=0.05)
    assert stopped_at(gate, results) < 20
    assert gate.decide(results).outcome is PASS
    assert stopped_at(gate, suite(["PPF", "PFF"] * 60, alpha=0.05)) < 60


def test_a_case_with_more_results_than_planned_decides_nothing(suite):
    results = suite(["PP"] * 100, alpha=0.05)
    planned = results.early.requirements
    object.__setattr__(results.early, "requirements", ((planned[0][0], 1),))
    assert stopped_at(RATE(0.5, of="tools"), results) is None


CASES = st.lists(st.text("PFMN", min_size=2, max_size=2), min_size=1, max_size=40)


@settings(max_examples=100)
@given(CASES, st.sampled_from([0.2, 0.5, 0.8]), st.sampled_from([None, "tools"]))
def test_a_decision_stays_and_is_the_same_from_the_counts_alone(suite, cases, bar, of):
    gate = RATE(bar, of=of) & Gate.cases_should_pass(at_least=1)
    results = suite(cases, alpha=0.05)
    looks, found = gate.looks(results), []
    for index in results.early.order():
        found.append(looks.add(index))
    first = next((number for number, outcome in enumerate(found, start=1) if outcome), None)
    if first is not None:
        assert set(found[first - 1 :]) == {found[first - 1]}
        results.looked_at = first
        assert gate.decide(results).outcome is found[first - 1]


@settings(max_examples=50)
@given(st.lists(st.sampled_from("PF"), min_size=1, max_size=80), st.sampled_from([0.2, 0.5, 0.8]))
def test_the_whole_suite_with_a_tiny_alpha_never_comes_to_another_decision(suite, codes, bar):
    """What is then decided early is certain, or next to it."""
    results = suite(codes, alpha=1e-15)
    if stopped_at(RATE(bar), results):
        early = RATE(bar).decide(results).outcome
        assert early is RATE(bar).decide(suite(codes)).outcome


def test_the_order_is_of_the_seed_alone(suite):
    early = suite(["P"] * 6, alpha=0.05).early
    assert early.order() == [4, 5, 2, 3, 0, 1]
