"""A pass rate with a confidence: its bounds decide, and in between it says how many more cases."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.errors import InvalidArgument
from judgekit.evaluation import Outcome, built_in_label
from judgekit.gate import Gate
from judgekit.statistics import (
    clopper_pearson_lower,
    clopper_pearson_upper,
    more_cases_needed,
    pass_rate_bounds,
)

PASS, FAIL, INCONCLUSIVE = Outcome.PASS, Outcome.FAIL, Outcome.INCONCLUSIVE
RANK = {FAIL: 0, INCONCLUSIVE: 1, PASS: 2}


@built_in_label("tools")
class Tools:
    def evaluate(self, case, interaction):
        raise NotImplementedError


def gate(rate=0.9, **fields):
    return Gate.pass_rate_should_be_at_least(rate, confidence=0.95, **fields)


def test_the_lower_bound_of_a_rate_must_reach_what_is_required(suite):
    decision = gate().decide(suite(["P"] * 97 + ["F"] * 3))
    assert decision.outcome is PASS
    assert decision.detail == (
        f"pass rate 0.97 (97 of 100 attempts, 100 cases), lower bound {clopper_pearson_lower(97, 100):.2f} "
        "at 95 %, required 0.90"
    )


def test_a_rate_whose_upper_bound_lies_below_fails(suite):
    decision = gate().decide(suite(["P"] * 70 + ["F"] * 30))
    assert decision.outcome is FAIL
    assert decision.detail == (
        f"pass rate 0.70 (70 of 100 attempts, 100 cases), upper bound {clopper_pearson_upper(70, 100):.2f} "
        "at 95 %, required 0.90"
    )


def test_in_between_it_says_how_many_more_cases_would_decide(suite):
    decision = gate().decide(suite(["PPP"] * 13 + ["PPF"] * 3))
    bounds = pass_rate_bounds([(3, 0)] * 13 + [(2, 1)] * 3)
    more = more_cases_needed([(3, 0)] * 13 + [(2, 1)] * 3, at_least=0.9)
    assert decision.outcome is INCONCLUSIVE
    assert decision.detail == (
        f"pass rate 0.94 (45 of 48 attempts, 16 cases), lower bound {bounds.low:.2f} at 95 %, "
        f"required 0.90; about {more} more cases"
    )


def test_a_rate_at_the_bar_is_decided_by_no_number_of_cases(suite):
    decision = gate(0.5).decide(suite("PF" * 10))
    assert decision.outcome is INCONCLUSIVE
    assert decision.detail.endswith("required 0.50; more cases like these would not decide it")


def test_the_same_rate_without_a_confidence_is_decided_by_the_point_estimate(suite):
    results = suite(["PPP"] * 13 + ["PPF"] * 3)
    assert Gate.pass_rate_should_be_at_least(0.9).decide(results).outcome is PASS


def test_repeats_of_one_case_say_nothing_about_others(suite):
    decision = gate().decide(suite(["P" * 50]))
    assert decision.outcome is INCONCLUSIVE
    assert decision.detail == (
        "pass rate 1.00 (50 of 50 attempts, 1 case), required 0.90 at 95 %; "
        "bounds need at least 2 cases, got 1"
    )


def test_one_label_is_bounded_over_the_cases_that_have_it(suite):
    results = suite(["P"] * 60 + ["N"] * 40)
    assert gate(of=Tools).decide(results).detail == (
        f"tools rate 1.00 (60 of 60 attempts, 60 cases), lower bound {0.05 ** (1 / 60):.2f} at 95 %, "
        "required 0.90"
    )
    decision = gate(of=Tools).decide(suite(["P", "N"]))
    assert "(1 of 1 attempt, 1 case)" in decision.detail
    unread = gate(of="speed").decide(suite("P"))
    assert (unread.outcome, unread.detail) == (FAIL, "speed judged no case, so its rate cannot be read")


def test_missing_measurements_widen_the_bounds_and_are_named(suite):
    few = gate().decide(suite(["P"] * 100 + ["M"] * 2))
    many = gate().decide(suite(["P"] * 100 + ["M"] * 40))
    assert few.outcome is PASS
    assert many.outcome is INCONCLUSIVE
    assert many.detail.endswith("; 40 missing (judge failed: timeout 40)")
    assert gate(0.6).decide(suite(["F"] * 60 + ["M"] * 10)).outcome is FAIL


@pytest.mark.parametrize(
    ("rate", "confidence", "complaint"),
    [
        (1, 0.95, "a rate of 1 cannot be shown with a confidence.*write 0.99"),
        (0.9, 1, "`confidence` must be above 0.5 and below 1, got 1; write 0.95"),
        (0.9, 0.05, "`confidence` must be above 0.5 and below 1, got 0.05; write 0.95"),
        (0.9, 0.5, "`confidence` must be above 0.5 and below 1, got 0.5; write 0.95"),
        (0.9, 0, "above 0.5 and below 1"),
        (0.9, 95, "`confidence` must be a number from 0 to 1, got 95; write 0.95"),
        (0.9, True, "`confidence` must be a number"),
        (0.9, float("nan"), "`confidence` must be a number"),
    ],
)
def test_what_no_suite_could_reach_is_refused_when_built(rate, confidence, complaint):
    with pytest.raises(InvalidArgument, match=complaint):
        Gate.pass_rate_should_be_at_least(rate, confidence=confidence)


def test_a_confidence_is_part_of_the_data_and_old_data_has_none():
    made = gate(0.9, of="polite")
    assert made.to_json() == [
        {"rule": "pass_rate_should_be_at_least", "rate": 0.9, "of": {"name": "polite"}, "confidence": 0.95}
    ]
    assert Gate.from_json(json.loads(json.dumps(made.to_json()))) == made
    assert repr(made) == "Gate.pass_rate_should_be_at_least(0.9, of='polite', confidence=0.95)"
    assert eval(repr(made)) == made
    old = Gate.pass_rate_should_be_at_least(0.9)
    assert old.to_json() == [{"rule": "pass_rate_should_be_at_least", "rate": 0.9}]
    assert Gate.from_json(old.to_json()) == old


CODES = st.text("PFMN", min_size=1, max_size=60).filter(lambda codes: set(codes) & set("PF"))
BARS = st.sampled_from([0.0, 0.3, 0.5, 0.8, 0.95])


@settings(max_examples=150)
@given(CODES, BARS, st.data())
def test_a_pass_in_the_place_of_a_failure_never_makes_single_runs_worse(suite, codes, bar, data):
    at = data.draw(st.integers(0, len(codes) - 1))
    better = codes[:at] + "P" + codes[at + 1 :]
    if codes[at] == "N":
        return
    found = [gate(bar).decide(suite(list(one))).outcome for one in (codes, better)]
    assert RANK[found[0]] <= RANK[found[1]]


@settings(max_examples=150)
@given(CODES, BARS)
def test_what_is_missing_decides_nothing_that_both_its_ends_do_not(suite, codes, bar):
    ends = {gate(bar).decide(suite(list(codes.replace("M", end)))).outcome for end in "PF"}
    found = gate(bar).decide(suite(list(codes))).outcome
    assert found is (ends.pop() if len(ends) == 1 else INCONCLUSIVE)


@settings(max_examples=60)
@given(st.integers(0, 30), st.integers(0, 30), BARS, st.integers(2, 5))
def test_more_cases_at_the_same_rate_never_turn_a_decision_round(suite, passed, failed, bar, times):
    if not passed + failed:
        return
    once, often = (
        gate(bar).decide(suite(["P"] * (passed * n) + ["F"] * (failed * n))).outcome for n in (1, times)
    )
    assert {once, often} != {PASS, FAIL}
    assert once is INCONCLUSIVE or once is often


@settings(max_examples=80)
@given(st.lists(st.text("PFM", min_size=1, max_size=5), min_size=2, max_size=25), BARS)
def test_the_bounds_are_those_of_the_statistics_over_cases(suite, cases, bar):
    if not set("".join(cases)) & set("PF"):
        return
    bounds = pass_rate_bounds([tuple(case.count(code) for code in "PFM") for case in cases])
    found = gate(bar).decide(suite(cases)).outcome
    if abs(bounds.low - bar) < 1e-6 or abs(bounds.high - bar) < 1e-6:
        return
    assert found is (PASS if bounds.low > bar else FAIL if bounds.high < bar else INCONCLUSIVE)
