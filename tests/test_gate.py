"""Gates: every text, and the rule that missing measurements may bound a gate but never decide it."""

import itertools
import json
import math
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalResult, Kind, Outcome, built_in_label, eval_label
from judgekit.gate import Decision, Gate
from judgekit.interaction import Interaction
from judgekit.results import Results

PASS, FAIL, INCONCLUSIVE = Outcome.PASS, Outcome.FAIL, Outcome.INCONCLUSIVE


@built_in_label("tool-arguments")
class ToolArgument:
    def evaluate(self, case, interaction):
        return EvalResult.passed()


@built_in_label("judge")
class Criterion:
    name = "polite"

    def evaluate(self, case, interaction):
        return EvalResult.passed()


@eval_label("refund-within-total")
def refund_within_total(case, interaction):
    return EvalResult.passed()


def passed(label="tools", **fields):
    return EvalResult(PASS, label=label, **fields)


def failed(label="tools", **fields):
    return EvalResult(FAIL, "no", label=label, **fields)


def no_evidence(label="tools", **fields):
    return EvalResult(INCONCLUSIVE, kind=Kind.NO_EVIDENCE, label=label, **fields)


def missing(label="judge", *, kind=Kind.JUDGE_FAILED, cause="rate limited", **fields):
    return EvalResult(INCONCLUSIVE, kind=kind, label=label, cause=cause, **fields)


def crashed(*labels, at="target"):
    return [failed(at), *(EvalResult(INCONCLUSIVE, kind=Kind.NOT_RUN, label=label) for label in labels)]


def interrupted(*labels):
    return [missing(label, kind=Kind.INTERRUPTED, cause=None) for label in ("target", *labels)]


def tally(**cases):
    """Results of cases by id, each a list of runs, each a list of results."""
    results = Results(tuple(cases))
    for index, runs in enumerate(cases.values()):
        for run, found in enumerate(runs, start=1):
            results.add(index, run, Interaction(), found)
    return results


def one_run(*runs):
    return tally(**{f"c{number}": [found] for number, found in enumerate(runs, start=1)})


def decided(gate, results):
    decision = gate.decide(results)
    return decision.outcome, decision.detail


# all_cases_should_pass


def test_all_cases_passed():
    results = one_run([passed()], [passed()], [])
    assert decided(Gate.all_cases_should_pass(), results) == (PASS, "all 3 attempts (3 cases, 1 run) passed")


def test_one_attempt_is_singular():
    assert decided(Gate.all_cases_should_pass(), one_run([passed()])) == (
        PASS,
        "all 1 attempt (1 case, 1 run) passed",
    )


def test_failed_cases_are_listed_in_case_order_with_their_runs():
    results = tally(
        id=[[passed()], [failed()], [passed()]],
        good=[[passed()]] * 3,
        id2=[[failed()], [passed()], [failed()]],
    )
    assert decided(Gate.all_cases_should_pass(), results) == (
        FAIL,
        "failed cases [id (run 2), id2 (runs 1, 3)]",
    )


def test_a_missing_measurement_leaves_all_cases_undecided():
    results = one_run([passed()], [passed(), missing()])
    assert decided(Gate.all_cases_should_pass(), results) == (
        INCONCLUSIVE,
        "1 of 2 attempts (2 cases, 1 run) passed, undecided [c2 (run 1)]; "
        "1 missing (judge failed: rate limited 1)",
    )


def test_a_line_names_twenty_cases_and_counts_the_others():
    results = one_run(*([failed()] for _ in range(1000)))
    _, detail = decided(Gate.all_cases_should_pass(), results)
    assert detail.endswith(", c20 (run 1), and 980 more]")
    assert detail.count("(run 1)") == 20


def test_a_failed_case_decides_whatever_is_missing_elsewhere():
    results = one_run([failed()], [missing()])
    assert decided(Gate.all_cases_should_pass(), results) == (FAIL, "failed cases [c1 (run 1)]")


def test_cases_with_different_numbers_of_runs_say_so():
    results = tally(a=[[passed()]], b=[[passed()]] * 4)
    assert decided(Gate.all_cases_should_pass(), results)[1] == "all 5 attempts (2 cases, 1 to 4 runs) passed"


# pass_rate_should_be_at_least


@pytest.mark.parametrize(("rate", "outcome"), [(0.9, PASS), (0.95, FAIL)])
def test_the_pass_rate_of_attempts(rate, outcome):
    results = one_run(*[[passed()]] * 11, [failed()])
    assert decided(Gate.pass_rate_should_be_at_least(rate), results) == (
        outcome,
        f"pass rate 0.92 over 12 attempts (12 cases, 1 run), required {rate:.2f}",
    )


def test_one_pass_and_nine_errors_do_not_carry_a_gate():
    """GT03."""
    results = one_run([passed("judge")], *[[missing()]] * 9)
    assert decided(Gate.pass_rate_should_be_at_least(0.8), results) == (
        INCONCLUSIVE,
        "pass rate between 0.10 and 1.00 over 10 attempts (10 cases, 1 run), required 0.80; "
        "9 missing (judge failed: rate limited 9)",
    )


def test_missing_measurements_that_cannot_matter_do_not_stop_a_gate():
    results = one_run(*[[passed()]] * 9, [missing()])
    assert decided(Gate.pass_rate_should_be_at_least(0.9), results) == (
        PASS,
        "pass rate between 0.90 and 1.00 over 10 attempts (10 cases, 1 run), required 0.90; "
        "1 missing (judge failed: rate limited 1)",
    )
    results = one_run(*[[failed()]] * 9, [missing()])
    assert decided(Gate.pass_rate_should_be_at_least(0.9), results)[0] is FAIL


def test_reasons_of_missing_measurements_come_most_frequent_first():
    budget = missing(kind=Kind.BUDGET_SPENT, cause=None)
    results = one_run([passed()], [budget], [missing()], [missing()], [missing(cause="timeout")])
    detail = Gate.pass_rate_should_be_at_least(0.8).decide(results).detail
    assert detail.endswith(
        "; 4 missing (judge failed: rate limited 2, budget spent 1, judge failed: timeout 1)"
    )


def test_the_rate_of_a_class():
    results = one_run([passed("tool-arguments")], [passed("tool-arguments"), failed("tools")])
    assert decided(Gate.pass_rate_should_be_at_least(1.0, of=ToolArgument), results) == (
        PASS,
        "tool-arguments rate 1.00 over 2 judged attempts, required 1.00",
    )


def test_the_rate_of_a_labelled_function_and_of_a_criterion():
    label = "custom-eval:refund-within-total"
    results = one_run([passed(label), failed("judge", name="polite"), passed("judge", name="short")])
    assert decided(Gate.pass_rate_should_be_at_least(1, of=refund_within_total), results) == (
        PASS,
        "custom-eval:refund-within-total rate 1.00 over 1 judged attempt, required 1.00",
    )
    assert decided(Gate.pass_rate_should_be_at_least(0.5, of="polite"), results) == (
        FAIL,
        "polite rate 0.00 over 1 judged attempt, required 0.50",
    )
    assert (
        Gate.pass_rate_should_be_at_least(0.5, of=Criterion)
        .decide(results)
        .detail.startswith("judge rate 0.50")
    )


def test_several_results_on_an_attempt_are_said_to_be():
    results = one_run([passed("tool-arguments")] * 2, [failed("tool-arguments")])
    assert decided(Gate.pass_rate_should_be_at_least(0.5, of=ToolArgument), results) == (
        PASS,
        "tool-arguments rate 0.67 over 3 results on 2 attempts, required 0.50",
    )


def test_results_without_evidence_leave_the_count():
    results = one_run([passed("tool-arguments")], [no_evidence("tool-arguments"), passed()])
    assert decided(Gate.pass_rate_should_be_at_least(1, of=ToolArgument), results)[1] == (
        "tool-arguments rate 1.00 over 1 judged attempt, required 1.00"
    )


def test_results_that_were_not_run_are_left_out_and_counted():
    results = one_run([passed("tool-arguments")], *[crashed("tool-arguments")] * 9)
    assert decided(Gate.pass_rate_should_be_at_least(1, of=ToolArgument), results) == (
        PASS,
        "tool-arguments rate 1.00 over 1 judged attempt, required 1.00, 9 not run",
    )


def test_a_rate_over_nothing_cannot_be_read():
    results = one_run([passed(), no_evidence("tool-arguments")], crashed("tool-arguments"))
    assert decided(Gate.pass_rate_should_be_at_least(1, of=ToolArgument), results) == (
        FAIL,
        "tool-arguments judged no case, so its rate cannot be read, 1 not run",
    )
    only_missing = one_run([passed(), missing("tool-arguments")])
    assert decided(Gate.pass_rate_should_be_at_least(1, of=ToolArgument), only_missing) == (
        INCONCLUSIVE,
        "tool-arguments rate between 0.00 and 1.00 over 1 judged attempt, required 1.00; "
        "1 missing (judge failed: rate limited 1)",
    )


def test_a_failed_rate_never_looks_equal_to_the_required_one():
    """GT06."""
    results = one_run(*[[passed()]] * 8961, *[[failed()]] * 1039)
    assert decided(Gate.pass_rate_should_be_at_least(0.9), results) == (
        FAIL,
        "pass rate 0.896 over 10000 attempts (10000 cases, 1 run), required 0.900",
    )
    scored = one_run([failed("judge", name="helpful", score=0.8961)])
    assert decided(Gate.mean_score_should_be_at_least(0.9, of="helpful"), scored)[1] == (
        "helpful mean score 0.896 over 1 judged attempt, required 0.900"
    )


def test_a_rate_that_fails_by_little_more_than_the_tolerance_is_still_told_apart():
    results = one_run([failed("judge", name="helpful", score=0.899999998)])
    assert decided(Gate.mean_score_should_be_at_least(0.9, of="helpful"), results) == (
        FAIL,
        "helpful mean score 0.899999998 over 1 judged attempt, required 0.900000000",
    )


@given(st.integers(0, 300), st.integers(1, 300), st.floats(0, 1))
def test_the_text_of_a_failed_rate_shows_less_than_was_required(good, bad, rate):
    results = Results(["a"])
    for run in range(good + bad):
        results.add(0, run, Interaction(), [passed() if run < good else failed()])
    decision = Gate.pass_rate_should_be_at_least(rate).decide(results)
    shown = float(decision.detail.split()[2])
    required = float(decision.detail.rsplit(" ", 1)[1])
    if decision.outcome is FAIL:
        assert shown < required
    else:
        assert len(decision.detail.split()[2]) == len("0.00")


def test_a_small_floor_is_not_rounded_away():
    """GT09."""
    results = one_run([passed()], *[[failed()]] * 999)
    assert Gate.pass_rate_should_be_at_least(0.001).decide(results).outcome is PASS
    assert decided(Gate.pass_rate_should_be_at_least(0.0011), results) == (
        FAIL,
        "pass rate 0.0010 over 1000 attempts (1000 cases, 1 run), required 0.0011",
    )


# mean_score_should_be_at_least


def test_the_mean_score_of_a_criterion():
    results = one_run(
        [passed("judge", name="helpful", score=0.9)], [passed("judge", name="helpful", score=0.74)]
    )
    assert decided(Gate.mean_score_should_be_at_least(0.8, of="helpful"), results) == (
        PASS,
        "helpful mean score 0.82 over 2 judged attempts, required 0.80",
    )


def test_float_noise_does_not_decide_at_the_border():
    """GT04."""
    scores = [0.7, 0.7, 0.7]
    assert sum(scores) / 3 < 0.7
    results = one_run(*[[passed("judge", name="helpful", score=score)] for score in scores])
    assert decided(Gate.mean_score_should_be_at_least(0.7, of="helpful"), results)[0] is PASS


def test_missing_scores_bound_the_mean_as_0_and_1():
    results = one_run([passed("judge", name="helpful", score=0.9)], [missing(name="helpful")])
    assert decided(Gate.mean_score_should_be_at_least(0.8, of="helpful"), results) == (
        INCONCLUSIVE,
        "helpful mean score between 0.45 and 0.95 over 2 judged attempts, required 0.80; "
        "1 missing (judge failed: rate limited 1)",
    )


def test_a_mean_over_nothing_cannot_be_read():
    results = one_run([passed(), no_evidence("judge", name="helpful")])
    assert decided(Gate.mean_score_should_be_at_least(0.8, of="helpful"), results) == (
        FAIL,
        "helpful judged no case, so its mean score cannot be read",
    )
    results = one_run([passed("custom-eval:own")])
    assert decided(Gate.mean_score_should_be_at_least(0.8, of="custom-eval:own"), results) == (
        FAIL,
        "custom-eval:own has no score, so its mean score cannot be read",
    )


def test_the_mean_score_of_an_evaluator_without_scores_is_refused():
    with pytest.raises(InvalidArgument, match="tool-arguments"):
        Gate.mean_score_should_be_at_least(0.8, of=ToolArgument)


# target_should_not_fail


def test_no_target_failures():
    results = one_run([passed()], [failed()])
    assert decided(Gate.target_should_not_fail(), results) == (PASS, "no target failures")


def test_target_and_setup_failures_are_listed():
    results = tally(c1=[[passed()]], c2=[crashed("tools")], c3=[crashed("tools", at="setup")])
    assert decided(Gate.target_should_not_fail(), results) == (
        FAIL,
        "target failed on [c2 (run 1), c3 (run 1)]",
    )


def test_an_attempt_that_never_ran_may_have_failed():
    results = one_run([passed()], interrupted("tools"))
    assert decided(Gate.target_should_not_fail(), results) == (
        INCONCLUSIVE,
        "no target failures on 1 of 2 attempts (2 cases, 1 run), never ran [c2 (run 1)]; "
        "1 missing (interrupted 1)",
    )


def test_an_interruption_is_a_missing_measurement_of_every_bounded_gate():
    results = one_run([passed("judge", name="polite", score=1.0)], interrupted("judge"))
    results.add(1, 2, Interaction(), [missing(name="polite", kind=Kind.INTERRUPTED, cause=None)])
    for gate in (
        Gate.all_cases_should_pass(),
        Gate.pass_rate_should_be_at_least(0.9),
        Gate.pass_rate_should_be_at_least(0.9, of="judge"),
        Gate.mean_score_should_be_at_least(0.9, of="polite"),
        Gate.target_should_not_fail(),
    ):
        decision = gate.decide(results)
        assert decision.outcome is INCONCLUSIVE
        assert "(interrupted " in decision.detail


# every_attempt_should_be_conclusive, inconclusive_should_be_at_most


def test_every_attempt_is_conclusive():
    results = one_run([passed(), missing()], crashed("tools"))
    assert decided(Gate.every_attempt_should_be_conclusive(), results) == (
        PASS,
        "every attempt has a conclusive result",
    )


def test_attempts_without_a_conclusive_result_are_listed_whatever_the_reason():
    results = tally(a=[[passed()]], c=[[no_evidence(), missing()]], none=[[]])
    assert decided(Gate.every_attempt_should_be_conclusive(), results) == (
        FAIL,
        "nothing conclusive on [c (run 1), none (run 1)]",
    )


@pytest.mark.parametrize(("allowed", "outcome"), [(0.05, PASS), (0.02, PASS), (0.01, FAIL)])
def test_the_inconclusive_share_counts_both_kinds(allowed, outcome):
    results = one_run(*[[passed("judge")]] * 98, [missing()], [no_evidence("judge")])
    assert decided(Gate.inconclusive_should_be_at_most(allowed, of=Criterion), results) == (
        outcome,
        f"judge inconclusive 0.02 of 100, allowed {allowed:.2f}",
    )


def test_a_share_that_is_too_large_never_looks_equal_to_the_allowed_one():
    results = one_run(*[[passed("judge")]] * 947, *[[missing()]] * 53)
    assert decided(Gate.inconclusive_should_be_at_most(0.05, of="judge"), results) == (
        FAIL,
        "judge inconclusive 0.053 of 1000, allowed 0.050",
    )


def test_the_inconclusive_share_of_the_whole_run():
    results = one_run([passed(), no_evidence("token-budget")], crashed("tools"))
    assert decided(Gate.inconclusive_should_be_at_most(0.5), results) == (
        PASS,
        "inconclusive 0.50 of 2, allowed 0.50, 1 not run",
    )


def test_an_inconclusive_share_of_nothing_cannot_be_read():
    assert decided(Gate.inconclusive_should_be_at_most(0.5, of="judge"), one_run(crashed("judge"))) == (
        FAIL,
        "judge has no result, so its inconclusive share cannot be read, 1 not run",
    )


# the run as a whole


@pytest.mark.parametrize(
    "gate",
    [
        Gate.all_cases_should_pass(),
        Gate.pass_rate_should_be_at_least(0),
        Gate.pass_rate_should_be_at_least(0.5, of="polite"),
        Gate.target_should_not_fail() & Gate.every_attempt_should_be_conclusive(),
    ],
)
def test_no_attempts_are_inconclusive(gate):
    """GT01."""
    assert decided(gate, Results([])) == (INCONCLUSIVE, "no cases ran")


def test_a_run_without_one_conclusive_result_judged_nothing():
    results = one_run([no_evidence()], [no_evidence()], [])
    assert decided(Gate.all_cases_should_pass(), results) == (INCONCLUSIVE, "nothing was judged")


def test_a_run_whose_judge_always_failed_says_why_nothing_was_judged():
    """RP14: the reason stays in sight."""
    results = one_run(*[[missing(cause="malformed")]] * 3)
    assert decided(Gate.all_cases_should_pass(), results) == (
        INCONCLUSIVE,
        "nothing was judged; 3 missing (judge failed: malformed 3)",
    )


def test_cases_without_evaluators_are_not_asked_to_judge():
    assert decided(Gate.all_cases_should_pass(), one_run([], []))[0] is PASS


def test_a_run_whose_agent_always_failed_has_failed():
    assert decided(Gate.all_cases_should_pass(), one_run(crashed("tools")))[0] is FAIL


# joining


def test_joined_gates_are_all_decided_and_failure_dominates():
    results = one_run([passed()], [missing()], [failed()])
    gate = Gate.pass_rate_should_be_at_least(0.5) & Gate.target_should_not_fail()
    assert decided(gate, results) == (
        INCONCLUSIVE,
        "pass rate between 0.33 and 0.67 over 3 attempts (3 cases, 1 run), required 0.50; "
        "1 missing (judge failed: rate limited 1); no target failures",
    )
    outcome, detail = decided(gate.and_(Gate.all_cases_should_pass()), results)
    assert outcome is FAIL
    assert detail.endswith("; no target failures; failed cases [c3 (run 1)]")


def test_joining_is_associative_and_keeps_order():
    a, b, c = (
        Gate.all_cases_should_pass(),
        Gate.target_should_not_fail(),
        Gate.pass_rate_should_be_at_least(1),
    )
    assert (a & b) & c == a & (b & c) == a.and_(b).and_(c)
    assert a & b != b & a


def test_a_gate_joins_with_gates_only():
    with pytest.raises(TypeError):
        Gate.all_cases_should_pass() & 0.9
    with pytest.raises(InvalidArgument, match=r"got 0\.9"):
        Gate.all_cases_should_pass().and_(0.9)


def test_and_between_gates_is_a_type_error_that_names_the_operator():
    with pytest.raises(TypeError, match="a & b"):
        Gate.all_cases_should_pass() and Gate.target_should_not_fail()
    with pytest.raises(TypeError, match=r"decision\.passed"):
        bool(Gate.all_cases_should_pass().decide(one_run([passed()])))


def test_a_decision_says_whether_it_passed():
    assert Decision(PASS, "").passed
    assert not Decision(INCONCLUSIVE, "").passed


# refusals


@pytest.mark.parametrize("rate", [-0.1, 1.1, 80, math.nan, math.inf, True, False, "eighty", "0.8", None])
@pytest.mark.parametrize(
    "factory",
    [
        Gate.pass_rate_should_be_at_least,
        lambda rate: Gate.mean_score_should_be_at_least(rate, of="helpful"),
        lambda rate: Gate.inconclusive_should_be_at_most(rate, of="helpful"),
    ],
)
def test_what_is_no_share_is_refused_when_built(factory, rate):
    """GT09."""
    with pytest.raises(InvalidArgument, match="must be a number from 0 to 1, got"):
        factory(rate)


def test_a_percentage_is_told_how_to_be_written():
    with pytest.raises(InvalidArgument, match=r"got 95; write 0\.95"):
        Gate.pass_rate_should_be_at_least(95)


def test_0_and_1_are_real_values():
    assert Gate.pass_rate_should_be_at_least(0).decide(one_run([failed()])).outcome is PASS
    assert Gate.inconclusive_should_be_at_most(0).decide(one_run([passed()])).outcome is PASS


@pytest.mark.parametrize("unit", ["", "  ", 5, len, object(), lambda case, interaction: None])
def test_what_names_no_evaluator_is_refused_when_built(unit):
    with pytest.raises(InvalidArgument, match="`of` must"):
        Gate.pass_rate_should_be_at_least(0.5, of=unit)


def test_one_evaluator_object_is_refused_and_its_class_named():
    with pytest.raises(InvalidArgument, match="write `of=ToolArgument`"):
        Gate.pass_rate_should_be_at_least(0.5, of=ToolArgument())


def test_a_criterion_object_stands_for_its_name():
    gate = Gate.pass_rate_should_be_at_least(0.5, of=Criterion())
    assert gate == Gate.pass_rate_should_be_at_least(0.5, of="polite")


def test_a_gate_without_rules_is_refused():
    with pytest.raises(InvalidArgument, match="needs a rule"):
        Gate(())


# what an experiment checks


KNOWN = {"labels": ["tools", "judge"], "criteria": ["tone", "facts"]}


def test_a_misspelt_name_is_a_problem_that_lists_the_known_ones():
    """GT10."""
    gate = Gate.pass_rate_should_be_at_least(0.5, of="tonee") & Gate.inconclusive_should_be_at_most(
        0, of=ToolArgument
    )
    assert gate.references() == ("tonee", "tool-arguments")
    assert gate.problems(**KNOWN) == (
        "the gate's `of='tonee'` names no evaluator of any case; "
        "known are evaluators [tools, judge], criteria [tone, facts]",
        "the gate's `of='tool-arguments'` names no evaluator of any case; "
        "known are evaluators [tools, judge], criteria [tone, facts]",
    )


def test_known_names_are_no_problem():
    gate = Gate.mean_score_should_be_at_least(0.5, of="tone") & Gate.pass_rate_should_be_at_least(
        1, of="tools"
    )
    assert gate.problems(**KNOWN) == ()
    assert Gate.pass_rate_should_be_at_least(0.5, of=Criterion).problems(**KNOWN) == ()


def test_a_text_that_is_both_a_criterion_and_a_label_is_a_problem():
    known = {"labels": ["tools", "judge"], "criteria": ["tools"]}
    assert "both" in Gate.pass_rate_should_be_at_least(0.5, of="tools").problems(**known)[0]


def test_a_class_is_never_taken_for_a_criterion_of_the_same_name():
    known = {"labels": ["judge"], "criteria": ["tool-arguments"]}
    assert (
        "names no evaluator" in Gate.pass_rate_should_be_at_least(0.5, of=ToolArgument).problems(**known)[0]
    )
    results = one_run([passed("judge", name="tool-arguments")])
    assert decided(Gate.pass_rate_should_be_at_least(0.5, of=ToolArgument), results)[0] is FAIL


# as data


SHARES = st.floats(0, 1) | st.integers(0, 1)
UNITS = st.sampled_from([ToolArgument, refund_within_total, Criterion, "polite", "tools", "a 'quoted' name"])
SCORED = st.sampled_from([refund_within_total, Criterion, "polite", "tools"])
SINGLE = st.one_of(
    st.just(Gate.all_cases_should_pass()),
    st.just(Gate.target_should_not_fail()),
    st.just(Gate.every_attempt_should_be_conclusive()),
    st.builds(lambda rate, of: Gate.pass_rate_should_be_at_least(rate, of=of), SHARES, st.none() | UNITS),
    st.builds(lambda score, of: Gate.mean_score_should_be_at_least(score, of=of), SHARES, SCORED),
    st.builds(lambda rate, of: Gate.inconclusive_should_be_at_most(rate, of=of), SHARES, st.none() | UNITS),
)
GATES = st.lists(SINGLE, min_size=1, max_size=4).map(
    lambda gates: Gate(tuple(rule for gate in gates for rule in gate.rules))
)


@given(GATES)
def test_a_gate_reads_back_equal_from_its_json(gate):
    back = Gate.from_json(json.loads(json.dumps(gate.to_json())))
    assert back == gate
    assert hash(back) == hash(gate)
    assert repr(back) == repr(gate)


def test_a_gate_shows_the_code_that_makes_it():
    gate = Gate.target_should_not_fail() & Gate.pass_rate_should_be_at_least(0.9, of="polite")
    assert repr(gate) == "Gate.target_should_not_fail() & Gate.pass_rate_should_be_at_least(0.9, of='polite')"
    assert eval(repr(gate)) == gate


@pytest.mark.parametrize(
    ("rules", "complaint"),
    [
        ([{"rule": "coverage"}], "unknown gate rule 'coverage'; known are"),
        ([{}], "unknown gate rule None"),
        ([{"rule": "pass_rate_should_be_at_least"}], "cannot be read"),
        ([{"rule": "pass_rate_should_be_at_least", "rate": 2}], "from 0 to 1"),
        ([{"rule": "pass_rate_should_be_at_least", "rate": 1, "of": {}}], "cannot be read"),
        ([{"rule": "all_cases_should_pass", "rate": 1}], "cannot be read"),
        ([], "needs a rule"),
    ],
)
def test_data_that_is_no_gate_is_refused(rules, complaint):
    with pytest.raises(InvalidArgument, match=complaint):
        Gate.from_json(rules)


# properties of the missing-measurement rule


LABELS = ("tool-arguments", "judge")
CODES = st.sampled_from("PFNM")


def result_of(code, label):
    name = "polite" if label == "judge" else None
    score = {"P": 1.0, "F": 0.0}.get(code) if label == "judge" else None
    if code == "P":
        return passed(label, name=name, score=score)
    if code == "F":
        return failed(label, name=name, score=score)
    return no_evidence(label, name=name) if code == "N" else missing(label, name=name)


def run_of(attempts):
    return one_run(*[[result_of(code, label) for code, label in attempt] for attempt in attempts])


def completions(attempts):
    """Every way in which the missing measurements could have come out."""
    flat = [code for attempt in attempts for code, _ in attempt]
    for choice in itertools.product("PF", repeat=flat.count("M")):
        values = iter(choice)
        yield [[(next(values) if code == "M" else code, label) for code, label in a] for a in attempts]


ATTEMPTS = st.lists(
    st.lists(st.tuples(CODES, st.sampled_from(LABELS)), max_size=3), min_size=1, max_size=4
).filter(lambda attempts: sum(code == "M" for a in attempts for code, _ in a) <= 6)
BOUNDED = st.lists(
    st.one_of(
        st.just(Gate.all_cases_should_pass()),
        st.builds(
            lambda rate, of: Gate.pass_rate_should_be_at_least(rate, of=of),
            st.sampled_from([0, 0.25, 1 / 3, 0.5, 2 / 3, 0.9, 1]),
            st.sampled_from([None, ToolArgument, "polite", Criterion]),
        ),
        st.builds(
            lambda score: Gate.mean_score_should_be_at_least(score, of="polite"),
            st.sampled_from([0, 0.25, 1 / 3, 0.5, 1]),
        ),
    ),
    min_size=1,
    max_size=3,
).map(lambda gates: Gate(tuple(rule for gate in gates for rule in gate.rules)))


def has_conclusive(attempts):
    return any(code in "PF" for attempt in attempts for code, _ in attempt)


@settings(max_examples=300)
@given(ATTEMPTS.filter(has_conclusive), BOUNDED)
def test_a_gate_decides_exactly_what_every_completion_agrees_on(attempts, gate):
    outcomes = {gate.decide(run_of(completed)).outcome for completed in completions(attempts)}
    assert INCONCLUSIVE not in outcomes
    expected = outcomes.pop() if len(outcomes) == 1 else INCONCLUSIVE
    assert gate.decide(run_of(attempts)).outcome is expected


RANK = {FAIL: 0, INCONCLUSIVE: 1, PASS: 2}


@settings(max_examples=200)
@given(ATTEMPTS.filter(has_conclusive), BOUNDED, st.data())
def test_a_better_result_never_makes_a_gate_worse(attempts, gate, data):
    places = [(i, j) for i, a in enumerate(attempts) for j, (code, _) in enumerate(a) if code in "FM"]
    if not places:
        return
    i, j = data.draw(st.sampled_from(places))
    better = [list(attempt) for attempt in attempts]
    better[i][j] = ("P", better[i][j][1])
    assert RANK[gate.decide(run_of(attempts)).outcome] <= RANK[gate.decide(run_of(better)).outcome]


@given(GATES, st.text(max_size=20).filter(str.strip), st.text(max_size=20))
def test_a_decision_is_one_line_without_control_characters(gate, case_id, cause):
    results = Results([case_id])
    results.add(0, 1, Interaction(), [failed(), missing(cause=cause, name="polite")])
    results.add(0, 2, Interaction(), [missing("tool-arguments", cause=cause), *crashed("tools")[1:]])
    categories = set(map(unicodedata.category, gate.decide(results).detail))
    assert not categories & {"Cc", "Cs", "Zl", "Zp"}
