"""The text report, line by line."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.evaluation import EvalResult, Kind, Measurement, Outcome, built_in_label
from judgekit.gate import Gate
from judgekit.interaction import Interaction, ModelCall, ToolCall
from judgekit.results import CaseResult


@built_in_label("tool-arguments")
class ToolArgument:
    def evaluate(self, case, interaction):
        return EvalResult.passed()


def passed(label="tools", detail="", **fields):
    return EvalResult(Outcome.PASS, detail, label=label, **fields)


def failed(label="tools", detail="no", **fields):
    return EvalResult(Outcome.FAIL, detail, label=label, **fields)


def no_evidence(label="tools", detail="no trace", **fields):
    return EvalResult(Outcome.INCONCLUSIVE, detail, Kind.NO_EVIDENCE, label=label, **fields)


def missing(label="judge", detail="polite: rate limited", *, cause="rate limited", **fields):
    return EvalResult(Outcome.INCONCLUSIVE, detail, Kind.JUDGE_FAILED, label=label, cause=cause, **fields)


def attempt(case_id, *results, run=1, **evidence):
    return CaseResult(case_id, run, Interaction(**evidence), results)


def call(tokens_in=None, tokens_out=None, **fields):
    return ModelCall(input_tokens=tokens_in, output_tokens=tokens_out, **fields)


def line(report, start, **options):
    found = [text for text in report.render(**options).split("\n") if text.startswith(start)]
    assert len(found) <= 1
    return found[0] if found else None


# four whole reports


def test_a_report_in_which_all_passed(make_report):
    two_calls = (call(20, 50), call(21, 57))
    attempts = [
        attempt(
            "order-status",
            passed("tools"),
            tool_calls=(ToolCall("getOrder", {"orderId": "o_42"}),),
            model_calls=two_calls,
            latency=0.489,
        ),
        attempt(
            "full-refund",
            passed("tool-arguments"),
            no_evidence("token-budget"),
            model_calls=two_calls,
            latency=0.040,
        ),
        attempt(
            "greeting",
            passed("tool-arguments"),
            no_evidence("token-budget"),
            model_calls=two_calls,
            latency=0.021,
        ),
    ]
    gate = (
        Gate.pass_rate_should_be_at_least(0.9)
        & Gate.pass_rate_should_be_at_least(1.0, of=ToolArgument)
        & Gate.target_should_not_fail()
    )
    assert make_report(attempts, gate=gate).render() == (
        "3 cases, 1 run: 3/3 attempts passed (100%)\n"
        "gate: passed — pass rate 1.00 over 3 attempts (3 cases, 1 run), required 0.90; "
        "tool-arguments rate 1.00 over 2 judged attempts, required 1.00; no target failures\n"
        "  tools 1/1\n"
        "  tool-arguments 2/2\n"
        "  token-budget 0/0 (2 inconclusive)\n"
        "spend: 6 model calls, 123 tokens in, 321 out, 550 ms in total, "
        "slowest order-status run 1 at 489 ms, over 3/3 attempts with evidence"
    )


def test_a_report_in_which_a_case_failed(make_report):
    def measured(**fields):
        return (Measurement(model="openai/gpt-5-mini", **fields),)

    polite = {"label": "judge", "name": "polite", "threshold": 0.5}
    attempts = [
        attempt(
            "a",
            passed(**polite, score=0.9, measurements=measured(cached=True, requests=0)),
            passed(
                **polite,
                score=0.8,
                measurements=measured(requests=1, input_tokens=200, output_tokens=30, cost=1e-4),
            ),
            reply="Your order is late.",
        ),
        attempt(
            "bad",
            failed("tool-arguments", "getOrder(orderId) expected o_43, was [o_42]"),
            passed(
                **polite,
                detail="polite: scored 0.90, needed 0.50 — it thanks the customer",
                score=0.9,
                measurements=measured(requests=3, input_tokens=300, output_tokens=33, cost=2e-4),
            ),
            failed(
                "judge",
                "faithful: scored 0.10, needed 0.50 — it was not late",
                name="faithful",
                score=0.1,
                measurements=measured(requests=1, input_tokens=312, output_tokens=33, cost=1e-4),
            ),
            reply="Thank you.",
            tool_calls=(ToolCall("getOrder", {"orderId": "o_42"}),),
        ),
        attempt("c", no_evidence("judge", name="faithful")),
    ]
    assert make_report(attempts).render() == (
        "3 cases, 1 run: 2/3 attempts passed (67%) (1 with nothing conclusive)\n"
        "gate: FAILED — failed cases [bad (run 1)]\n"
        "  judge 3/4 (1 inconclusive)\n"
        "    polite 3/3\n"
        "    faithful 0/1 (1 inconclusive)\n"
        "  tool-arguments 0/1\n"
        "judges: 4 verdicts, 3 asked, 1 from cache, 2 retries, 812 tokens in, 96 out, $0.0004, "
        "openai/gpt-5-mini\n"
        "case bad run 1 FAILED\n"
        "  reply: Thank you.\n"
        "  tools: getOrder{orderId=o_42}\n"
        "  FAIL tool-arguments: getOrder(orderId) expected o_43, was [o_42]\n"
        "  PASS judge: polite: scored 0.90, needed 0.50 — it thanks the customer\n"
        "  FAIL judge: faithful: scored 0.10, needed 0.50 — it was not late"
    )


def test_an_inconclusive_report(make_report):
    attempts = [
        attempt("a", passed(), reply="Hello"),
        attempt("b", passed(), missing(name="polite"), reply="Hi"),
    ]
    assert make_report(attempts).render() == (
        "2 cases, 1 run: 1/2 attempts passed (50%) (1 inconclusive)\n"
        "gate: INCONCLUSIVE — 1 of 2 attempts (2 cases, 1 run) passed, undecided [b (run 1)]; "
        "1 missing (judge failed: rate limited 1)\n"
        "  tools 2/2\n"
        "  judge 0/0 (1 inconclusive)\n"
        "    polite 0/0 (1 inconclusive)\n"
        "case b run 1 INCONCLUSIVE\n"
        "  reply: Hi\n"
        "  tools: not recorded\n"
        "  PASS tools\n"
        "  INCONCLUSIVE judge: polite: rate limited"
    )


def test_an_empty_report(make_report):
    """GT01, CL08."""
    assert (
        make_report([]).render() == "0 cases, 1 run: 0/0 attempts passed\ngate: INCONCLUSIVE — no cases ran"
    )


# line 1


@pytest.mark.parametrize(
    ("good", "bad", "share"), [(5, 3, "63%"), (1, 7, "13%"), (1, 2, "33%"), (2, 1, "67%"), (0, 1, "0%")]
)
def test_the_share_is_rounded_half_up(make_report, good, bad, share):
    results = [passed()] * good + [failed()] * bad
    report = make_report([attempt(f"c{number}", result) for number, result in enumerate(results)])
    assert f"attempt{'s' if good + bad > 1 else ''} passed ({share})" in report.render()


def test_one_of_everything_is_singular(make_report):
    report = make_report([attempt("a", passed(), model_calls=(call(1, 1),))])
    assert report.render().startswith("1 case, 1 run: 1/1 attempt passed (100%)\n")
    assert line(report, "spend") == "spend: 1 model call, 1 token in, 1 out, over 1/1 attempt with evidence"


def test_inconclusive_attempts_and_those_with_nothing_conclusive_are_counted(make_report):
    attempts = [
        attempt("a", passed(), missing()),
        attempt("b", no_evidence()),
        attempt("c", no_evidence()),
        attempt("d", passed()),
    ]
    assert (
        make_report(attempts)
        .render()
        .startswith("4 cases, 1 run: 3/4 attempts passed (75%) (1 inconclusive, 2 with nothing conclusive)\n")
    )


def test_recorded_cases_may_have_different_numbers_of_runs(make_report):
    attempts = [attempt("a", passed()), *(attempt("b", passed(), run=run) for run in (1, 2, 3))]
    assert make_report(attempts, runs=3).render().startswith("2 cases, 1 to 3 runs: 4/4 attempts passed")


# evaluators, spend, judges


def test_results_that_were_not_run_stand_beside_the_rate(make_report):
    crashed = (
        failed("target", "ValueError: boom"),
        EvalResult(Outcome.INCONCLUSIVE, kind=Kind.NOT_RUN, label="tools"),
    )
    report = make_report([attempt("a", passed()), attempt("b", *crashed), attempt("c", no_evidence())])
    assert line(report, "  tools ") == "  tools 1/1 (1 inconclusive), 1 not run"
    assert line(report, "  target") is None


def test_intervals_are_shown_when_asked_for(make_report):
    report = make_report([attempt("a", passed(), no_evidence("cost-budget")), attempt("b", passed())])
    assert "interval" not in report.render()
    assert report.render(intervals=True).split("\n")[0] == (
        "2 cases, 1 run: 2/2 attempts passed (100%), 95% interval 0.34 to 1.00"
    )
    assert line(report, "  tools", intervals=True) == "  tools 2/2, 95% interval 0.34 to 1.00"
    assert line(report, "  cost", intervals=True) == "  cost-budget 0/0 (1 inconclusive)"


def test_repeats_do_not_narrow_the_interval_of_an_evaluator(make_report):
    once = make_report([attempt("a", passed()), attempt("b", passed())])
    often = make_report([attempt(case, passed(), run=run) for case in "ab" for run in range(1, 6)], runs=5)
    shown = [line(report, "  tools", intervals=True).split(", ")[1] for report in (once, often)]
    assert shown[0] == shown[1]


def test_spend_is_absent_without_model_calls(make_report):
    report = make_report([attempt("a", passed(), model_calls=(), latency=1.0), attempt("b", passed())])
    assert line(report, "spend") is None
    assert line(report, "judges") is None


def test_spend_says_what_is_only_a_lower_bound(make_report):
    attempts = [
        attempt("a", model_calls=(call(100, 3, cost=0.01), call(None, 4)), latency=0.004),
        attempt("b", passed()),
    ]
    assert line(make_report(attempts), "spend") == (
        "spend: 2 model calls, at least 100 tokens in, 7 out, 4 ms in total, "
        "slowest a run 1 at 4 ms, over 1/2 attempts with evidence"
    )
    unknown = make_report([attempt("a", model_calls=(call(),))])
    assert line(unknown, "spend").startswith("spend: 1 model call, tokens not reported, over 1/1")


@pytest.mark.parametrize(
    ("costs", "shown"),
    [
        ([0.0004], "$0.0004"),
        ([1.5, 0.25], "$1.7500"),
        ([0.00000321], "$0.000003"),
        ([0.0], "$0.0000"),
        ([None], "cost unknown"),
        ([None, 0.5], "at least $0.5000"),
    ],
)
def test_a_judge_without_a_known_price_never_looks_free(make_report, costs, shown):
    """BG03."""
    results = [
        passed(
            "judge",
            measurements=(Measurement(model="m", requests=1, input_tokens=1, output_tokens=1, cost=cost),),
        )
        for cost in costs
    ]
    assert line(make_report([attempt("a", *results)]), "judges").endswith(f"{len(costs)} out, {shown}, m")


def test_judges_are_listed_once_and_failed_ones_are_no_verdict(make_report):
    results = [
        passed("judge", measurements=(Measurement(model="m1", requests=1, input_tokens=5, output_tokens=2),)),
        missing(measurements=(Measurement(model="m2", requests=4),)),
        passed("judge", measurements=(Measurement(model="m1", requests=1, input_tokens=5, output_tokens=2),)),
    ]
    assert line(make_report([attempt("a", *results)]), "judges") == (
        "judges: 2 verdicts, 3 asked, 0 from cache, 3 retries, at least 10 tokens in, at least 4 out, "
        "cost unknown, m1, m2"
    )


# repeats


def test_a_requirement_that_flips_is_named(make_report):
    flips = [passed("reply-contains"), failed("reply-contains"), passed("reply-contains")]
    attempts = [attempt("flaky", passed(), result, run=run) for run, result in enumerate(flips, start=1)]
    attempts += [attempt("steady", failed(), run=run) for run in (1, 2, 3)]
    text = make_report(attempts, runs=3).render()
    assert (
        "\ninconsistent across runs:\n"
        "  flaky reply-contains: passed in runs 1, 3, failed in run 2\n"
        "case flaky run 2 FAILED\n"
    ) in text


def test_one_of_several_requirements_of_a_label_is_named_by_its_position(make_report):
    first = attempt("flaky", passed(), passed(), failed())
    second = attempt("flaky", failed(), passed(), failed(), run=2)
    assert (
        "\n  flaky tools #1: passed in run 1, failed in run 2\n"
        in make_report([first, second], runs=2).render()
    )


def test_a_run_that_decided_nothing_is_no_inconsistency(make_report):
    attempts = [attempt("a", passed(), run=1), attempt("a", no_evidence(), run=2)]
    assert "inconsistent" not in make_report(attempts, runs=2).render()


# attempts


def test_only_failed_and_inconclusive_attempts_are_printed_unless_asked(make_report):
    report = make_report(
        [attempt("good", passed()), attempt("bad", failed()), attempt("open", passed(), missing())]
    )
    heads = [text for text in report.render().split("\n") if text.startswith("case ")]
    assert heads == ["case bad run 1 FAILED", "case open run 1 INCONCLUSIVE"]
    everything = report.render(all=True)
    assert "case good run 1 PASSED\n  reply: (none)\n" in everything


def test_attempts_are_printed_case_by_case_whatever_finished_first(make_report):
    attempts = [attempt("b", failed(), run=2), attempt("a", failed(), run=2)]
    attempts += [attempt("a", failed(), run=1), attempt("b", failed(), run=1)]
    heads = [text for text in make_report(attempts, runs=2).render().split("\n") if text.startswith("case ")]
    assert heads == [f"case {place} FAILED" for place in ("b run 1", "b run 2", "a run 1", "a run 2")]


# what was tested is data


def test_square_brackets_and_escape_sequences_are_shown(make_report):
    """RP05, RP06."""
    reply = "see [/tmp/x] and [bold]\x1b]0;owned\x07\x1b[2J"
    text = make_report([attempt("a", failed(detail=reply), reply=reply)]).render()
    assert text.count("see [/tmp/x] and [bold]\\x1b]0;owned\\x07\\x1b[2J") == 2
    assert "\x1b" not in text
    assert "\x07" not in text


def test_case_ids_appear_as_typed(make_report):
    """IN07."""
    ids = ["../../evil", "a:b", "CON", "x/y"]
    text = make_report([attempt(case_id, failed()) for case_id in ids]).render()
    for case_id in ids:
        assert f"case {case_id} run 1 FAILED" in text


TEXT = st.text(min_size=1, max_size=20)
RESULTS = st.builds(
    EvalResult,
    st.sampled_from([Outcome.PASS, Outcome.FAIL]),
    TEXT,
    label=TEXT,
    name=st.none() | TEXT,
    measurements=st.just(()) | TEXT.map(lambda model: (Measurement(model=model),)),
)


@given(st.lists(RESULTS, max_size=3), st.lists(RESULTS, max_size=3), TEXT)
def test_nothing_that_was_tested_moves_a_terminal(make_report, first, second, case_id):
    attempts = [
        CaseResult(
            case_id, run, Interaction(reply=case_id, model_calls=(call(1, 1),), latency=1.0), tuple(results)
        )
        for run, results in enumerate((first, second), start=1)
    ]
    lines = make_report(attempts, runs=2).render(all=True, intervals=True).split("\n")
    for text in lines:
        assert not {unicodedata.category(char) for char in text} & {"Cc", "Cs", "Zl", "Zp"}
