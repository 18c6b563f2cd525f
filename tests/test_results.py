"""The tally of a run."""

from hypothesis import given
from hypothesis import strategies as st

from judgekit.evaluation import EvalResult, Kind, Measurement, Outcome
from judgekit.interaction import Interaction, ModelCall
from judgekit.results import CaseResult, Results, attempt_outcome


def result(outcome: str, label: str = "tools", **fields) -> EvalResult:
    kind = fields.pop("kind", Kind.NO_EVIDENCE) if outcome == "inconclusive" else None
    return EvalResult(Outcome(outcome), label=label, kind=kind, **fields)


def test_a_failed_result_fails_the_attempt_whatever_else_is_missing():
    found = [result("inconclusive", kind=Kind.JUDGE_FAILED), result("fail"), result("pass")]
    assert attempt_outcome(found) is Outcome.FAIL


def test_a_missing_measurement_makes_the_attempt_inconclusive():
    found = [result("pass"), result("inconclusive", kind=Kind.TIME_LIMIT)]
    assert attempt_outcome(found) is Outcome.INCONCLUSIVE


def test_results_without_evidence_alone_leave_the_attempt_passed():
    assert attempt_outcome([result("inconclusive")]) is Outcome.PASS
    assert attempt_outcome([]) is Outcome.PASS


def test_labels_come_in_case_order_however_attempts_finish():
    results = Results(["a", "b"])
    evidence = Interaction()
    results.add(1, 1, evidence, [result("pass", "second")])
    results.add(0, 1, evidence, [result("pass", "first"), result("pass", "second")])
    assert results.labels() == ("first", "second")


def test_several_results_of_one_label_on_one_attempt_count_as_one_attempt():
    results = Results(["a"])
    results.add(0, 1, Interaction(), [result("pass"), result("fail"), result("inconclusive")])
    unit = results.units["tools"]
    assert (unit.passed, unit.failed, unit.no_evidence, unit.attempts) == (1, 1, 1, 1)


def test_a_target_failure_is_kept_apart_from_the_declared_evaluators():
    results = Results(["a"])
    found = [result("fail", "target"), result("inconclusive", kind=Kind.NOT_RUN)]
    attempt = results.add(0, 1, Interaction(error="boom"), found)
    assert attempt.failure == "target"
    assert attempt.codes == b"X"
    assert attempt.is_conclusive
    assert list(results.units) == ["tools"]
    assert results.units["tools"].not_run == 1


def test_missing_measurements_are_counted_by_their_reason():
    results = Results(["a"])
    limited = result("inconclusive", "judge", kind=Kind.JUDGE_FAILED, cause="rate limited", name="polite")
    results.add(0, 1, Interaction(), [limited])
    assert results.criteria["polite"].missing == {"judge failed: rate limited": 1}
    assert results.units["judge"].inconclusive == 1


def test_spend_says_where_a_count_is_only_a_lower_bound():
    results = Results(["a"])
    calls = (ModelCall(input_tokens=100, output_tokens=5), ModelCall(output_tokens=7))
    results.add(0, 1, Interaction(model_calls=calls), [])
    spend = results.spend
    assert (spend.model_calls, spend.input_tokens, spend.output_tokens) == (2, 100, 12)
    assert not spend.input_complete
    assert spend.output_complete
    assert not spend.cost_complete


def test_a_replayed_latency_is_no_evidence():
    results = Results(["a"])
    results.add(0, 1, Interaction(latency=5.0, replayed=True), [])
    assert results.spend.latency == 0
    assert results.spend.slowest_case is None


def test_judge_spend_counts_a_cached_verdict_as_not_asked():
    results = Results(["a"])
    asked = Measurement(model="m", requests=3, input_tokens=10, output_tokens=2, cost=0.5)
    cached = Measurement(model="m", cached=True, asked=False)
    results.add(
        0,
        1,
        Interaction(),
        [
            result("pass", "judge", name="polite", score=1.0, measurements=(asked,)),
            result("fail", "judge", name="polite", score=0.0, measurements=(cached,)),
        ],
    )
    judges = results.judges
    assert (judges.verdicts, judges.asked, judges.cached, judges.retries) == (2, 1, 1, 2)
    assert (judges.input_tokens, judges.output_tokens, judges.cost) == (10, 2, 0.5)
    assert list(results.criteria["polite"].scores) == [1.0, 0.0]


def test_a_case_result_knows_its_outcome():
    attempt = CaseResult("a", 1, Interaction(), (result("pass"),))
    assert attempt.passed
    assert attempt.outcome is Outcome.PASS


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 3)), unique=True))
def test_attempts_come_back_in_case_order_with_runs_ascending(places):
    results = Results([f"case-{i}" for i in range(5)])
    for case_index, run in places:
        results.add(case_index, run, Interaction(), [result("pass")])
    assert [(a.case_index, a.run) for a in results.attempts()] == sorted(places)
    assert len(results) == len(places)


def test_criteria_come_in_case_order_under_their_label():
    results = Results(["a", "b"])
    results.add(1, 1, Interaction(), [result("pass", "judge", name="faithful", score=0.5)])
    results.add(0, 1, Interaction(), [result("pass", "judge", name=n) for n in ("polite", "faithful")])
    assert results.criteria_of("judge") == ("polite", "faithful")
    assert results.criteria_of("tools") == ()
    assert results.criteria["faithful"].mean_score == 0.5
    assert results.criteria["polite"].mean_score is None


def test_a_score_beside_a_missing_measurement_is_no_score():
    results = Results(["a"])
    split = result("inconclusive", "judge", kind=Kind.JUDGE_FAILED, name="polite", score=0.5)
    results.add(0, 1, Interaction(), [split])
    assert results.criteria["polite"].scores == []


def test_an_attempt_keeps_the_label_and_name_of_each_result_of_a_declared_evaluator():
    results = Results(["a"])
    found = [result("fail", "setup"), result("inconclusive", "judge", kind=Kind.NOT_RUN, name="polite")]
    assert results.add(0, 1, Interaction(), found).requirements == (("judge", "polite"),)


def test_an_attempt_that_never_ran_is_neither_failed_nor_conclusive():
    results = Results(["a"])
    never = [result("inconclusive", label, kind=Kind.INTERRUPTED) for label in ("target", "tools")]
    attempt = results.add(0, 1, Interaction(), never)
    assert attempt.unreached
    assert attempt.failure is None
    assert not attempt.is_conclusive
    assert attempt.codes == b"M"
    assert list(results.units) == ["tools"]


def test_inconclusive_attempts_are_counted_by_their_first_reason():
    results = Results(["a", "b"])
    slow = result("inconclusive", "custom-eval:x", kind=Kind.TIME_LIMIT)
    limited = result("inconclusive", "judge", kind=Kind.JUDGE_FAILED, cause="rate limited")
    results.add(0, 1, Interaction(), [slow, limited])
    results.add(0, 2, Interaction(), [limited, result("fail")])
    assert results.missing == {"time limit": 1}
    assert results.outcomes() == {Outcome.INCONCLUSIVE: 1, Outcome.FAIL: 1}
    assert results.run_counts() == (2, 0)


def test_tokens_of_some_of_the_requests_are_a_lower_bound_and_not_lost():
    results = Results(["a"])
    partly = Measurement(
        model="m", requests=2, input_tokens=10, output_tokens=4, tokens_complete=False, cost=0.25
    )
    results.add(0, 1, Interaction(), [result("pass", "judge", name="n", score=1.0, measurements=(partly,))])
    judges = results.judges
    assert (judges.input_tokens, judges.output_tokens, judges.tokens_complete) == (10, 4, False)
    assert (judges.cost, judges.cost_complete) == (0.25, True)
