"""The report as an object."""

from datetime import datetime, timedelta, timezone

import pytest

from judgekit.errors import GateFailed, InvalidArgument
from judgekit.evaluation import EvalResult, Kind, Outcome
from judgekit.gate import Gate
from judgekit.interaction import Interaction, ModelCall
from judgekit.reporting import CaseOutcome, EvalReport, RequirementSummary
from judgekit.reporting.cases import summarised
from judgekit.reporting.formats import FORMATS
from judgekit.results import CaseResult, Results

PASSED = EvalResult(Outcome.PASS, label="tools")
FAILED = EvalResult(Outcome.FAIL, "never called [x]; called no tools", label="tools")
MISSING = EvalResult(Outcome.INCONCLUSIVE, "timeout", Kind.JUDGE_FAILED, label="judge", name="polite")


def attempt(case_id, *results, run=1, **evidence):
    return CaseResult(case_id, run, Interaction(**evidence), results)


def test_a_report_passes_only_where_its_gate_passed(make_report):
    assert make_report([attempt("a", PASSED)]).passed is True
    assert make_report([attempt("a", FAILED)]).passed is False
    assert make_report([attempt("a", PASSED, MISSING)]).passed is False
    assert make_report([]).passed is False


def test_the_pass_rate_is_a_share_of_attempts_and_none_without_any(make_report):
    assert make_report([attempt("a", PASSED), attempt("b", FAILED), attempt("c", MISSING)]).pass_rate == 1 / 3
    assert make_report([]).pass_rate is None


def test_a_failed_gate_raises_only_when_asked_with_the_report_as_its_text(make_report):
    make_report([attempt("a", PASSED)]).raise_for_gate()
    for attempts in ([attempt("a", FAILED)], [attempt("a", PASSED, MISSING)], []):
        report = make_report(attempts)
        with pytest.raises(GateFailed) as raised:
            report.raise_for_gate()
        assert isinstance(raised.value, AssertionError)
        assert str(raised.value) == report.render() == str(report)


def test_a_report_has_no_truth_value(make_report):
    with pytest.raises(TypeError, match=r"write `report\.passed`"):
        bool(make_report([attempt("a", PASSED)]))


def test_a_report_shows_itself_in_short(make_report):
    assert repr(make_report([attempt("a", FAILED)])) == "<EvalReport 'orders': gate FAIL, 1 attempts>"


def test_times_are_kept_in_utc_and_need_a_zone(make_report):
    counts, decision = Results([]), Gate.all_cases_should_pass().decide(Results([]))
    berlin = timezone(timedelta(hours=2))
    fields = {"name": "x", "runs": 1, "counts": counts, "results": [], "decision": decision}
    moment = datetime(2025, 6, 1, 14, 0, tzinfo=berlin)
    report = EvalReport(started_at=moment, finished_at=None, **fields)
    assert report.started_at.isoformat() == "2025-06-01T12:00:00+00:00"
    assert report.finished_at is None
    with pytest.raises(InvalidArgument, match="`finished_at` must have a time zone"):
        EvalReport(started_at=moment, finished_at=moment.replace(tzinfo=None), **fields)


def test_reports_are_equal_where_they_say_the_same(make_report):
    attempts = [attempt("a", PASSED), attempt("b", FAILED, reply="no")]
    assert make_report(attempts) == make_report(list(attempts))
    assert make_report(attempts) != make_report(attempts, name="other")
    assert make_report(attempts) != make_report(attempts[:1])
    assert make_report(attempts) != make_report([attempts[0], attempt("b", FAILED, reply="yes")])
    assert make_report(attempts) != "a report"


@pytest.mark.parametrize(
    ("results", "outcome"),
    [
        ([PASSED, PASSED], CaseOutcome.PASS),
        ([FAILED, FAILED], CaseOutcome.FAIL),
        ([PASSED, FAILED], CaseOutcome.INCONSISTENT),
        ([PASSED, FAILED, MISSING], CaseOutcome.INCONSISTENT),
        ([PASSED, MISSING], CaseOutcome.INCONCLUSIVE),
        ([FAILED, MISSING], CaseOutcome.INCONCLUSIVE),
        ([MISSING], CaseOutcome.INCONCLUSIVE),
    ],
)
def test_a_case_sums_up_its_runs(make_report, results, outcome):
    attempts = [attempt("a", result, run=run) for run, result in enumerate(results, start=1)]
    (case,) = make_report(attempts, runs=len(results)).cases
    assert (case.id, case.outcome) == ("a", outcome)


def test_a_case_sums_up_each_requirement(make_report):
    attempts = [
        attempt("a", PASSED, MISSING, PASSED, run=1),
        attempt("a", PASSED, MISSING, FAILED, run=2),
    ]
    (case,) = make_report(attempts, runs=2).cases
    assert case.requirements == (
        RequirementSummary(1, "tools", None, (1, 2), (), ()),
        RequirementSummary(2, "judge", "polite", (), (), (1, 2)),
        RequirementSummary(3, "tools", None, (1,), (2,), ()),
    )
    assert case.inconsistent == case.requirements[2:]
    assert case.shown(case.requirements[2]) == "tools #3"
    assert case.shown(case.requirements[1]) == "judge"


def test_a_failed_target_leaves_the_requirements_of_that_run_open(make_report):
    not_run = EvalResult(Outcome.INCONCLUSIVE, kind=Kind.NOT_RUN, label="tools")
    crash = EvalResult(Outcome.FAIL, "ValueError: boom", label="target")
    (case,) = make_report([attempt("a", PASSED), attempt("a", crash, not_run, run=2)], runs=2).cases
    assert case.outcome is CaseOutcome.INCONSISTENT
    assert case.requirements == (RequirementSummary(1, "tools", None, (1,), (), (2,)),)


def test_an_evaluator_of_several_results_that_raised_once_is_kept_apart():
    counts = Results(["a"])
    raised = EvalResult(Outcome.FAIL, "the evaluator threw ValueError: x", label="custom-eval:rubric")
    rubric = [EvalResult(Outcome.PASS, label="custom-eval:rubric", name=name) for name in ("polite", "short")]
    counts.add(0, 1, Interaction(), [*rubric, PASSED])
    counts.add(0, 2, Interaction(), [raised, PASSED])
    (case,) = summarised(counts)
    assert [(one.position, one.label, one.name, one.passed, one.failed) for one in case.requirements] == [
        (1, "custom-eval:rubric", "polite", (1,), ()),
        (1, "custom-eval:rubric", None, (), (2,)),
        (2, "custom-eval:rubric", "short", (1,), ()),
        (2, "tools", None, (2,), ()),
        (3, "tools", None, (1,), ()),
    ]


def test_cases_that_never_ran_have_no_summary():
    counts = Results(["a", "b"])
    counts.add(1, 1, Interaction(), [PASSED])
    assert [case.id for case in summarised(counts)] == ["b"]


def test_spend_and_judges_are_those_of_the_counts(make_report):
    report = make_report([attempt("a", PASSED, model_calls=(ModelCall(input_tokens=3, output_tokens=4),))])
    assert (report.spend.model_calls, report.spend.input_tokens) == (1, 3)
    assert report.judges.verdicts == 0


def test_a_file_is_written_by_its_suffix(make_report, tmp_path):
    report = make_report([attempt("a", FAILED, reply="é ✅ 漢")])
    written = report.write(tmp_path / "deep" / "Report.TXT")
    assert written.read_text(encoding="utf-8") == report.render() + "\n"
    assert [path.name for path in written.parent.iterdir()] == ["Report.TXT"]


def test_an_unknown_suffix_is_refused_and_the_known_ones_listed(make_report, tmp_path):
    report = make_report([attempt("a", PASSED)])
    with pytest.raises(InvalidArgument, match=r"one of \.json, \.txt.*got 'report\.pdf'"):
        report.write(tmp_path / "report.pdf")
    with pytest.raises(InvalidArgument, match="got 'report'"):
        report.write(str(tmp_path / "report"))
    assert list(tmp_path.iterdir()) == []


def test_a_report_that_cannot_be_written_leaves_the_old_file(make_report, tmp_path):
    class Torn(list):
        def lines(self):
            yield b'{"id": "a"}'
            raise OSError("the journal is gone")

    target = tmp_path / "report.json"
    target.write_text("old")
    good = make_report([attempt("a", PASSED)])
    torn = EvalReport(
        name="x",
        started_at=good.started_at,
        finished_at=None,
        runs=1,
        counts=good.counts,
        results=Torn(good.results),
        decision=good.decision,
    )
    with pytest.raises(OSError, match="gone"):
        torn.write(target)
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


@pytest.mark.parametrize("entry", FORMATS, ids=lambda entry: entry.name)
def test_a_format_renders_what_it_writes(make_report, tmp_path, entry):
    report = make_report([attempt("a", PASSED), attempt("é ✅ 漢\r\n", FAILED, reply="\ud800")])
    for suffix in entry.suffixes:
        written = report.write(tmp_path / f"report{suffix.upper()}").read_bytes()
        # The text report of `render` is for `print`, which ends the line.
        assert written == report.render(entry.name).encode() + (b"\n" if entry.name == "text" else b"")


def test_an_unknown_format_is_refused_and_so_are_choices_of_another(make_report):
    report = make_report([attempt("a", PASSED)])
    with pytest.raises(InvalidArgument, match="one of json, text, junit, markdown, csv, html; got 'pdf'"):
        report.render("pdf")
    for choice in ({"all": True}, {"intervals": True}, {"most": 0}):
        with pytest.raises(InvalidArgument, match="choices of the text report, got them for 'csv'"):
            report.render("csv", **choice)
