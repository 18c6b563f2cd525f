"""Two runs held against each other: the verdicts, and what they may be attributed to."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.comparing import Axis, RunReading, judge_agreement
from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalResult, Kind, Measurement, Outcome
from judgekit.interaction import Interaction, ModelCall, ToolCall
from judgekit.results import CaseResult
from judgekit.statistics import ComparisonVerdict, mcnemar_exact

IMPROVED, EQUIVALENT, REGRESSED, UNDERPOWERED = ComparisonVerdict
MIRROR = {IMPROVED: REGRESSED, REGRESSED: IMPROVED, UNDERPOWERED: UNDERPOWERED}


PASS, FAIL = Outcome.PASS, Outcome.FAIL
JUDGE = Measurement(
    model="openai/a",
    model_served="a-1",
    criterion="The reply is polite",
    prompt="judge/score 1 aa",
    schema="score",
    rung="json_schema",
    parameters={"temperature": 0},
    requests=1,
    cost=0.001,
    fingerprint="f",
)


def check(passed, label="tools"):
    """What a deterministic evaluator found; None is missing evidence."""
    if passed is None:
        return EvalResult(Outcome.INCONCLUSIVE, "nothing recorded", Kind.NO_EVIDENCE, label)
    return EvalResult(PASS if passed else FAIL, label=label)


def judged(score, *, name="polite", threshold=0.5, judge=JUDGE, **changes):
    """What a judge found; None is a judge that failed."""
    measured = (replace(judge, **changes),)
    if score is None:
        kind = Kind.JUDGE_FAILED
        return EvalResult(
            Outcome.INCONCLUSIVE, "", kind, "judge", name, cause="timeout", measurements=measured
        )
    outcome = PASS if score >= threshold else FAIL
    return EvalResult(outcome, "", None, "judge", name, score, threshold, measurements=measured)


def attempt(case_id, *results, run=1, reply="", **evidence):
    return CaseResult(case_id, run, Interaction(command_text=case_id, reply=reply, **evidence), results)


@pytest.fixture(scope="session")
def run_of(make_report):
    """A report over attempts, `minutes` after the others."""

    def run(attempts, *, minutes=0, **options):
        report = make_report(list(attempts), **options)
        return replace(report, started_at=report.started_at + timedelta(minutes=minutes))

    return run


@pytest.fixture(scope="session")
def checks(run_of):
    """A run of one check a case, one run each, from a text such as `++-?`."""

    def run(signs, *, reply, minutes=0, label="tools", **options):
        values = {"+": True, "-": False, "?": None}
        attempts = [attempt(f"c{n}", check(values[sign], label), reply=reply) for n, sign in enumerate(signs)]
        return run_of(attempts, minutes=minutes, **options)

    return run


def pair_of(checks, new, old, **options):
    return checks(new, reply="new", minutes=5, **options).compare(checks(old, reply="old", **options))


def test_the_attempts_of_two_runs_are_tested_as_mcnemar_does(checks):
    found = pair_of(checks, "+" * 10 + "-" * 12, "-" * 2 + "+" * 20)
    assert found.overall.p_value == mcnemar_exact(2, 12)
    assert found.overall.estimate == pytest.approx(-10 / 22)
    assert (found.verdict, found.axis) == (REGRESSED, Axis.AGENT)
    assert [flip.case_id for flip in found.improved] == ["c0", "c1"]
    assert len(found.worsened) == 12
    assert (found.worsened[0].old_passed, found.worsened[0].new_passed) == (1, 0)
    assert found.worsened[0].failed_on == ("tools",)
    assert found.improved[0].failed_on == ("tools",)


def test_nothing_is_equivalent_without_a_drop_that_is_allowed(checks):
    new, old = checks("+" * 200, reply="new"), checks("+" * 200, reply="old")
    assert new.compare(old).verdict is UNDERPOWERED
    assert new.compare(old, max_drop=0.05).verdict is EQUIVALENT
    few = checks("+++", reply="new").compare(checks("+++", reply="old"), max_drop=0.05)
    assert few.verdict is UNDERPOWERED


def test_the_evaluators_share_one_error(run_of):
    """Alone each of four would be shown at 0.039; together none is."""
    names = ("a", "b", "c", "d")

    def run(reply, failing):
        return run_of(
            [
                attempt(f"c{n}", *(check(n not in failing[name], name) for name in names), reply=reply)
                for n in range(60)
            ]
        )

    old = run("old", {name: range(10 * i, 10 * i + 2) for i, name in enumerate(names)})
    new = run("new", {name: range(10 * i + 2, 10 * i + 10) for i, name in enumerate(names)})
    found = new.compare(old)
    assert [one.verdict for one in found.evaluators] == [UNDERPOWERED] * 4
    assert found.evaluators[0].pass_fail.p_value == pytest.approx(min(1, 4 * mcnemar_exact(2, 8)))
    assert found.evaluators[0].pass_fail.adjusted_by == "holm"
    assert found.verdict is REGRESSED
    assert found.overall.p_value < 0.01


def test_an_evaluator_that_regressed_is_not_hidden_by_a_rate_that_rose(run_of):
    def run(reply, tools, safety):
        return run_of(
            [
                attempt(f"c{n}", check(tools(n), "tools"), check(safety(n), "safety"), reply=reply)
                for n in range(60)
            ]
        )

    old = run("old", lambda n: n >= 40, lambda n: True)
    new = run("new", lambda n: True, lambda n: n >= 15)
    found = new.compare(old)
    assert found.overall.verdict is IMPROVED
    assert found.verdict is REGRESSED
    assert found.reason == "of the evaluators, safety regressed"


def scored(run_of, reply, scores, *, minutes=0, **changes):
    return run_of(
        [attempt(f"c{n}", judged(score, **changes), reply=reply) for n, score in enumerate(scores)],
        minutes=minutes,
    )


def test_another_judge_of_the_same_transcripts_says_nothing_about_the_agent(run_of):
    old = scored(run_of, "same", [0.9] * 30)
    new = scored(run_of, "same", [0.9] * 18 + [0.3] * 12, model="openai/b", fingerprint="g", minutes=1)
    found = new.compare(old)
    assert (found.axis, found.verdict) == (Axis.JUDGE, REGRESSED)
    assert "about the judging, not the agent" in found.reason
    one = found.evaluators[0]
    assert one.change.judge == ("model",)
    assert (one.change.old_models, one.change.new_models) == (("openai/a",), ("openai/b",))
    assert one.agreement is not None
    assert one.agreement.table == ((0, 0), (12, 18))
    assert one.agreement.estimate == 0.6
    text = " ".join(str(found).split())
    assert "changed: the judge, on the same transcripts (openai/a → openai/b); not the agent" in text
    assert "the new judge is stricter by 0.40; the transcripts are the same" in text
    assert "only the old passes 12, only the new 0" in text


def test_where_agent_and_judge_both_changed_nothing_judged_has_a_verdict(run_of):
    def run(reply, score, passed, **changes):
        return run_of(
            [attempt(f"c{n}", check(passed), judged(score, **changes), reply=reply) for n in range(20)]
        )

    found = run("new", 0.1, False, model="openai/b").compare(run("old", 0.9, True), max_drop=0.1)
    assert (found.axis, found.verdict) == (Axis.BOTH, None)
    assert "`judgekit rejudge RUN --judge-model M`" in found.reason
    tools, polite = found.evaluators
    assert (tools.verdict, tools.reason) == (REGRESSED, "")
    assert tools.pass_fail.p_value == mcnemar_exact(0, 20)
    assert (polite.verdict, polite.score_verdict) == (None, None)
    assert polite.reason == found.reason
    # The figures stand; nothing else claims to be a verdict.
    assert polite.pass_fail.estimate == -1
    assert polite.pass_fail.verdict is UNDERPOWERED
    assert found.overall.verdict is UNDERPOWERED
    assert found.to_json()["verdict"] is None


def test_a_repeat_changes_nothing_but_the_measurement(run_of):
    old = scored(run_of, "same", [0.9] * 10)
    new = scored(run_of, "same", [0.9] * 8 + [0.1] * 2, minutes=1)
    found = new.compare(old)
    assert (found.axis, found.same_transcripts, found.other_transcripts) == (Axis.NEITHER, 10, 0)
    assert found.evaluators[0].agreement is None
    assert any("a repeat" in warning for warning in found.warnings)


def test_a_judge_that_another_version_serves_is_the_same_judge_with_a_warning(run_of):
    old, new = (
        scored(run_of, "a", [0.9] * 9),
        scored(run_of, "b", [0.9] * 9, model_served="a-2", fingerprint="g"),
    )
    found = new.compare(old)
    assert found.axis is Axis.AGENT
    assert found.evaluators[0].change.drift == ("model served",)
    assert "the model served of 1 criterion changed under the same name" in found.warnings


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"criterion": "The reply is kind"}, ("text",)),
        ({"threshold": 0.8}, ("threshold",)),
        ({"schema": "binary"}, ("scale",)),
        ({"fingerprint": "g"}, ("levels, reference or samples",)),
    ],
)
def test_a_changed_criterion_is_named_and_is_another_instrument(run_of, changes, named):
    old, new = scored(run_of, "a", [0.9] * 9), scored(run_of, "b", [0.9] * 9, **changes)
    found = new.compare(old, max_drop=0.5)
    assert found.evaluators[0].change.criterion == named
    assert found.verdict is None
    assert "'polite'" in found.reason
    assert any(f"'polite' changed: {named[0]}" in warning for warning in found.warnings)
    frozen = scored(run_of, "a", [0.9] * 9, **changes).compare(old, max_drop=0.5)
    assert (frozen.axis, frozen.verdict) == (Axis.JUDGE, EQUIVALENT)


@pytest.mark.parametrize(
    "changes", [{"model": "b"}, {"prompt": "judge/score 2 bb"}, {"parameters": {"temperature": 1}}]
)
def test_model_prompt_and_parameters_make_another_judge(run_of, changes):
    old, new = scored(run_of, "same", [0.9] * 9), scored(run_of, "same", [0.9] * 9, **changes)
    assert new.compare(old).evaluators[0].change.judge == tuple(changes)


def test_a_judge_that_was_never_asked_is_not_taken_for_another(run_of):
    failed = EvalResult(Outcome.INCONCLUSIVE, "", Kind.JUDGE_FAILED, "judge", "polite", cause="timeout")
    old = run_of([attempt(f"c{n}", judged(0.9), reply="a") for n in range(9)])
    new = run_of([attempt(f"c{n}", failed, reply="a") for n in range(9)])
    assert new.compare(old).axis is Axis.NEITHER


def test_attempts_are_compared_over_what_both_runs_checked(run_of):
    old = run_of([attempt(f"c{n}", check(True), reply="a") for n in range(20)])
    new = run_of([attempt(f"c{n}", check(True), check(False, "strict"), reply="b") for n in range(20)])
    found = new.compare(old, max_drop=0.3)
    assert (found.overall.new_mean, found.verdict) == (1, EQUIVALENT)
    assert (found.only_new, found.only_old) == (("strict",), ())
    assert "evaluators only in the new run, left out: 'strict'" in found.warnings
    assert [one.shown for one in found.evaluators] == ["tools"]


def test_results_of_one_label_are_paired_in_their_order(run_of):
    old = run_of([attempt("c", check(True), check(False), reply="a")])
    new = run_of([attempt("c", check(True), check(True), check(False), reply="b")])
    found = new.compare(old)
    assert found.evaluators[0].pass_fail.n_runs == 4
    assert found.evaluators[0].pass_fail.estimate == 0.5
    assert found.overall.estimate == 1


def test_cases_and_repeats_of_one_side_are_counted_and_left_out(run_of):
    def run(reply, ids, runs):
        return run_of([attempt(one, check(True), run=n + 1, reply=reply) for one in ids for n in range(runs)])

    found = run("new", "abcd", 3).compare(run("old", "cdefghij", 2))
    assert (found.attempts, found.overall.n_items) == (4, 2)
    assert (found.unpaired_cases, found.unpaired_runs) == (8, 2)
    assert found.overall.only_new == ("a", "b")
    assert "6 cases only in the baseline: 'e', 'f', 'g', 'h', 'i' and 1 more" in found.warnings
    assert "2 repeats of shared cases on one side only, not compared" in found.warnings


def test_runs_without_a_shared_case_come_to_nothing(run_of):
    found = run_of([attempt("a", check(True))]).compare(run_of([attempt("b", check(True))]))
    assert (found.verdict, found.axis, found.reason) == (UNDERPOWERED, None, "the runs share no attempt")
    assert found.evaluators == ()
    empty = run_of([]).compare(run_of([]))
    assert empty.overall.estimate is None
    assert "unknown → unknown" in str(empty)


def test_one_case_is_no_evidence(run_of):
    found = run_of([attempt("a", check(False), reply="x")]).compare(run_of([attempt("a", check(True))]))
    assert (found.overall.estimate, found.verdict) == (-1, UNDERPOWERED)


def test_what_a_killed_run_never_did_bounds_the_difference(run_of):
    never = EvalResult(Outcome.INCONCLUSIVE, "", Kind.INTERRUPTED, "target")
    lost = replace(never, label="tools")
    old = run_of([attempt(f"c{n}", check(True), reply="a") for n in range(40)])
    new = run_of(
        [
            attempt(f"c{n}", check(True), reply="b")
            if n < 20
            else CaseResult(f"c{n}", 1, Interaction(), (never, lost))
            for n in range(40)
        ]
    )
    found = replace(new, finished_at=None).compare(old, max_drop=0.2)
    assert (found.overall.estimate, found.overall.n_missing) == (0, 20)
    assert found.overall.low < -0.4
    assert found.verdict is UNDERPOWERED
    assert found.other_transcripts == 20
    assert any("the new run did not come to its end" in warning for warning in found.warnings)


def test_a_failed_agent_is_a_failed_attempt_and_no_verdict_of_its_evaluators(run_of):
    broken = EvalResult(FAIL, "it raised", label="target")
    skipped = EvalResult(Outcome.INCONCLUSIVE, "", Kind.NOT_RUN, "tools")
    old = run_of([attempt(f"c{n}", check(True), reply="a") for n in range(10)])
    new = run_of([CaseResult(f"c{n}", 1, Interaction(error="no"), (broken, skipped)) for n in range(10)])
    found = new.compare(old)
    assert (found.overall.estimate, found.verdict) == (-1, REGRESSED)
    assert found.worsened[0].failed_on == ("target",)
    assert (found.evaluators[0].alone, found.evaluators[0].pass_fail.n_items) == (10, 0)


def test_no_evidence_on_one_side_leaves_the_count_of_the_evaluator(checks):
    found = pair_of(checks, "++?+", "?+++")
    assert (found.evaluators[0].alone, found.evaluators[0].pass_fail.n_items) == (2, 2)
    assert found.overall.n_items == 4


def test_a_missing_verdict_is_counted_both_ways(run_of):
    old = scored(run_of, "a", [0.9] * 20)
    found = scored(run_of, "b", [0.9] * 15 + [None] * 5).compare(old, max_drop=0.2)
    assert found.evaluators[0].pass_fail.n_missing == 5
    assert found.evaluators[0].pass_fail.low < -0.25
    assert found.verdict is UNDERPOWERED


def test_scores_that_only_say_passed_and_failed_are_not_tested_twice(run_of):
    old, new = scored(run_of, "a", [1.0, 0.0, 1.0]), scored(run_of, "b", [1.0, 1.0, 1.0])
    assert new.compare(old).evaluators[0].scores is None
    graded = scored(run_of, "b", [0.9, 0.8, 0.7]).compare(old).evaluators[0]
    assert graded.scores.new_mean == pytest.approx(0.8)
    assert graded.score_verdict is UNDERPOWERED


def test_unknown_amounts_are_never_taken_for_none(run_of):
    def run(reply, **evidence):
        return run_of([attempt(f"c{n}", check(True), reply=reply, **evidence) for n in range(4)])

    found = run("a", latency=2.0, input_tokens=10).compare(run("b", latency=1.0, replayed=True, cost=0.5))
    latency, cost, tokens = found.amounts
    assert (latency.name, latency.new_mean, latency.old_mean, latency.old_known) == ("latency", 2.0, None, 0)
    assert (cost.new_mean, cost.old_mean) == (None, 0.5)
    assert (tokens.new_mean, tokens.old_mean) == (10, None)
    assert {one.difference.estimate for one in found.amounts} == {None}
    text = str(found)
    assert "latency: unknown → 2.00 s (known on one side only)" in text
    slower = run("a", latency=2.0).compare(run("b", latency=1.5)).amounts[0]
    assert slower.difference.estimate == 0.5


def test_the_price_of_a_verdict_from_a_cache_is_unknown(run_of):
    old, new = scored(run_of, "a", [0.9] * 3), scored(run_of, "b", [0.9] * 3, cached=True)
    cost = next(one for one in new.compare(old).amounts if one.name == "judge cost")
    assert (cost.old_mean, cost.new_mean, cost.difference.estimate) == (0.001, None, None)


def test_cases_of_one_group_are_one_piece_of_evidence(checks):
    new, old = checks("-" * 12, reply="a"), checks("+" * 12, reply="b")
    assert new.compare(old).verdict is REGRESSED
    grouped = new.compare(old, cluster={f"c{n}": n // 4 for n in range(12)})
    assert (grouped.overall.n_clusters, grouped.verdict) == (3, UNDERPOWERED)
    assert grouped.clustered_by == "given groups of cases"
    called = new.compare(old, cluster=lambda case: "first" if case in ("c0", "c1") else None)
    assert called.overall.n_clusters == 11
    with pytest.raises(InvalidArgument, match="names no group for 'c1'"):
        new.compare(old, cluster={"c0": 1})


def test_a_margin_that_is_no_share_is_refused(checks):
    with pytest.raises(InvalidArgument, match="max_drop"):
        checks("+", reply="a").compare(checks("+", reply="b"), max_drop=5)
    with pytest.raises(InvalidArgument, match=r"0\.95, not 95"):
        checks("+", reply="a").compare(checks("+", reply="b"), level=95)


def test_what_differs_from_call_to_call_is_no_other_transcript(run_of):
    def run(latency, call_id):
        evidence = {
            "latency": latency,
            "model_calls": (ModelCall(model="m", latency=latency),),
            "tool_calls": (ToolCall("get", {"id": 1}, "late", id=call_id),),
        }
        return run_of([attempt("a", check(True), **evidence)])

    assert run(1.0, "x").compare(run(2.0, "y")).axis is Axis.NEITHER
    other = run_of([attempt("a", check(True), tool_calls=(ToolCall("get", {"id": 2}),))])
    assert other.compare(run(1.0, "x")).axis is Axis.AGENT


def test_a_case_that_asks_something_else_is_warned_of(run_of):
    old = run_of([attempt("a", check(True), reply="x")])
    new = run_of([CaseResult("a", 1, Interaction(command_text="other", reply="x"), (check(True),))])
    assert any("1 case asked something else" in warning for warning in new.compare(old).warnings)


def test_runs_of_other_experiments_and_the_same_run_twice_are_warned_of(checks):
    one, other = checks("+", reply="a"), checks("+", reply="a", name="another")
    assert "different experiments: 'orders' and 'another'" in other.compare(one).warnings
    assert "both are the same run: name and start are equal" in one.compare(one).warnings
    later = checks("+", reply="a", minutes=5)
    assert any("began after the new run" in warning for warning in one.compare(later).warnings)
    assert not any("began after" in warning for warning in later.compare(one).warnings)


def test_a_comparison_is_no_truth(checks):
    with pytest.raises(TypeError, match=r"comparison\.verdict"):
        bool(pair_of(checks, "+", "+"))


def test_an_attempt_that_stands_there_twice_counts_once(run_of):
    class Twice:
        name, finished_at = "twice", None

        def __init__(self, report):
            self.started_at = report.started_at
            self.results = [*report.results, *report.results]

    report = run_of([attempt("a", check(True)), attempt("b", check(False))])
    assert RunReading.of(Twice(report)).cases == RunReading.of(report).cases


def test_how_far_judges_agree_is_known_for_every_criterion(run_of):
    def run(first, second, model):
        return run_of(
            [
                attempt(f"c{n}", check(True), judged(a, model=model), judged(b, name="plain", model=model))
                for n, (a, b) in enumerate(zip(first, second, strict=True))
            ]
        )

    old = run([0.9, 0.9, 0.1, 0.1], [0.9] * 4, "a")
    new = run([0.9, 0.1, 0.1, None], [0.9] * 4, "b")
    found = judge_agreement(RunReading.of(new), RunReading.of(old))
    assert found.keys() == {"polite", "plain"}
    assert found["polite"].table == ((1, 0), (1, 1))
    assert (found["polite"].n_items, found["polite"].n_missing) == (4, 1)
    assert found["plain"].estimate == 1


RESULTS = st.lists(
    st.one_of(
        st.builds(check, st.sampled_from([True, False, None]), st.sampled_from(["a", "b"])),
        st.builds(judged, st.one_of(st.none(), st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0]))),
    ),
    max_size=4,
)
RUNS = st.dictionaries(st.tuples(st.sampled_from("abcdefghijklm"), st.integers(1, 3)), RESULTS, max_size=30)


def reported(run_of, run, reply):
    return run_of([attempt(case, *results, run=n, reply=reply) for (case, n), results in run.items()])


@given(RUNS, RUNS)
def test_swapping_the_sides_turns_every_difference(run_of, first, second):
    a, b = reported(run_of, first, "x"), reported(run_of, second, "y")
    there, back = a.compare(b), b.compare(a)
    pairs = [(there.overall, back.overall)]
    others = {one.unit: one for one in back.evaluators}
    for one in there.evaluators:
        pairs.append((one.pass_fail, others[one.unit].pass_fail))
        if one.scores is not None:
            pairs.append((one.scores, others[one.unit].scores))
    for one, other in pairs:
        assert other.verdict is MIRROR[one.verdict]
        if one.estimate is None:
            assert other.estimate is None
            continue
        assert one.estimate == pytest.approx(-other.estimate, abs=1e-12)
        if one.low is not None:
            assert (one.low, one.high) == pytest.approx((-other.high, -other.low), abs=1e-9)
    assert {flip.case_id for flip in there.improved} == {flip.case_id for flip in back.worsened}


@given(RUNS, st.sampled_from([None, 0.05, 0.5]))
def test_a_run_against_itself_has_neither_improved_nor_regressed(run_of, run, max_drop):
    report = reported(run_of, run, "x")
    found = report.compare(report, max_drop=max_drop)
    verdicts = {found.verdict, *(one.verdict for one in found.evaluators)}
    assert not verdicts & {IMPROVED, REGRESSED, None}
    assert found.overall.estimate in (0, None)
    assert not found.improved
    assert not found.worsened


@given(RUNS, RUNS)
def test_every_comparison_is_json_and_text(run_of, first, second):
    found = reported(run_of, first, "x").compare(reported(run_of, second, "y"), max_drop=0.1)
    json.dumps(found.to_json(), allow_nan=False)
    assert max(map(len, str(found).splitlines())) <= 60


def test_the_pass_of_an_attempt_is_that_of_its_report(run_of):
    report = run_of(
        [attempt("a", check(True), judged(0.9)), attempt("b", check(None)), attempt("c", judged(0.1))]
    )
    assert report.compare(report).overall.new_mean == pytest.approx(report.pass_rate)


def seated(run_of, reply, seats):
    """A run whose results were measured by these models, one list a case."""
    measured = {model: replace(JUDGE, model=model, fingerprint=model) for held in seats for model in held}
    return run_of(
        [
            CaseResult(
                f"c{n}",
                1,
                Interaction(command_text=str(n), reply=reply),
                (replace(judged(0.9), measurements=tuple(measured[model] for model in held)),),
            )
            for n, held in enumerate(seats)
        ]
    )


def test_a_strong_judge_that_is_asked_only_where_a_cheap_one_is_unsure_is_the_same_judge(run_of):
    old = seated(run_of, "a", [["cheap"], ["cheap", "strong"], ["cheap"]])
    new = seated(run_of, "b", [["cheap", "strong"], ["cheap"], ["cheap"]])
    found = new.compare(old)
    assert (found.axis, found.evaluators[0].change.changed) == (Axis.AGENT, ())
    never = seated(run_of, "b", [["cheap"]] * 3)
    assert never.compare(old).axis is Axis.AGENT


def test_a_panel_with_a_judge_less_is_another_judge_and_one_with_an_empty_seat_is_not(run_of):
    old = seated(run_of, "a", [["x", "y", "z"]] * 3)
    fewer = seated(run_of, "b", [["x", "y"]] * 3)
    assert fewer.compare(old).evaluators[0].change.judge == ("model",)
    empty = seated(run_of, "b", [["x", "y", "z"], ["x", "y"], ["x", "z"]])
    assert empty.compare(old).axis is Axis.AGENT


def test_a_panel_that_needs_another_share_for_an_empty_seat_has_no_other_threshold(run_of):
    old = run_of([attempt(f"c{n}", judged(0.9, threshold=0.6), reply="a") for n in range(4)])
    new = run_of([attempt(f"c{n}", judged(0.9, threshold=1.0 if n else 0.6), reply="b") for n in range(4)])
    assert new.compare(old).axis is Axis.AGENT


def test_a_changed_text_is_named_beside_a_changed_threshold(run_of):
    old = scored(run_of, "a", [0.9] * 3)
    new = scored(run_of, "b", [0.9] * 3, threshold=0.8, criterion="The reply is kind")
    assert new.compare(old).evaluators[0].change.criterion == ("text", "threshold")


def test_a_check_with_other_parameters_is_no_repeat_of_the_same_measurement(run_of):
    def made(digest, written="judgekit 1 python 3.12", cases=12):
        report = run_of([attempt(f"c{n}", check(True)) for n in range(cases)])
        report.counts.checks = {"tools": f"{digest} by {written}"}
        return report

    changed = made("aa").compare(made("bb"))
    assert changed.changed_checks == ("tools",)
    assert "the check 'tools' changed" in changed.warnings[-1]
    assert "changed: checks that no judge answers" in changed.render()
    assert not any("a repeat" in warning for warning in changed.warnings)
    # The same check, one described by another version, and checks of other cases: nothing can be said.
    for one, other in [
        (made("aa"), made("aa")),
        (made("aa"), made("bb", "judgekit 2 python 3.12")),
        (made("aa"), made("bb", cases=11)),
        (made("aa"), run_of([attempt(f"c{n}", check(True)) for n in range(12)])),
    ]:
        assert one.compare(other).changed_checks == ()


def test_too_few_cases_for_any_test_are_told_of(checks):
    assert "5 independent cases" in pair_of(checks, "-----", "+++++").warnings[-1]
    assert pair_of(checks, "------", "++++++").warnings == ()


def test_measurements_that_all_are_missing_are_counted(run_of):
    failed = run_of([attempt(f"c{n}", judged(None)) for n in range(12)])
    found = failed.compare(run_of([attempt(f"c{n}", judged(0.9)) for n in range(12)]))
    assert found.render().count("no case was measured on both sides, 12") == 2
