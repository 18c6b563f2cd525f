"""A folder of runs is read in order, with what moved, what changed, and what could not be read."""

import json
import os
import shutil
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judgekit import EvalReport, FileUnreadable, InvalidArgument, Outcome
from judgekit.evaluators import reply_should_contain, reply_should_not_contain
from judgekit.history import read_history

from .conftest import edited_head, tone


def only(history):
    """The runs of the one experiment."""
    (experiment,) = history.experiments
    return experiment.runs


def changes_of(run):
    return [(change.what, change.text) for change in run.changes]


def test_runs_stand_in_the_order_in_which_they_began_with_their_rates(runs):
    runs.run("a", "b")
    runs.run("a")
    last = runs.run()
    history = read_history(runs.path)
    found = only(history)
    assert [run.passes.rate for run in found] == [pytest.approx(1 / 3), pytest.approx(2 / 3), 1]
    assert [run.outcome for run in found] == [Outcome.FAIL, Outcome.PASS, Outcome.PASS]
    assert found[-1].folder == last
    assert (found[-1].cases, found[-1].attempts, found[-1].agent) == (3, 3, "desk")
    assert all(run.started_at < other.started_at for run, other in pairwise(found))
    assert 0 <= found[0].seconds < 60
    report = json.loads(EvalReport.read(last).render("json"))
    interval = found[-1].passes.interval
    assert [interval.low, interval.high] == [report["summary"]["interval"][end] for end in ("low", "high")]
    label = found[-1].rate_of(("reply-contains", None)).interval
    assert label.low == report["evaluators"][0]["interval"]["low"]


def test_new_failures_fixed_and_flaky_cases_are_named(runs):
    runs.run("a")
    runs.run("b", flaky=["c"], repeat=2)
    runs.run("b")
    first, second, third = only(read_history(runs.path))
    assert (first.new_failures, first.fixed, first.flaky) == ((), (), ())
    assert (second.new_failures, second.fixed, second.flaky) == (("b", "c"), ("a",), ("c",))
    assert (third.new_failures, third.fixed, third.flaky) == ((), ("c",), ())


def test_a_case_is_held_against_the_run_that_decided_it_last(runs):
    runs.run()
    killed = runs.run()
    runs.run("c")
    journal = killed / "journal.jsonl"
    # Killed after the first attempt: b and c were not decided.
    journal.write_text("".join(journal.read_text(encoding="utf-8").splitlines(keepends=True)[:2]), "utf-8")
    _, second, third = only(read_history(runs.path))
    assert (second.finished_at, second.seconds, second.passes.missing) == (None, None, 2)
    assert second.outcome is Outcome.INCONCLUSIVE
    assert third.new_failures == ("c",)


def test_another_judge_is_marked_and_breaks_the_rates_it_measured(runs):
    runs.run(judge=tone())
    runs.run(judge=tone())
    runs.run(judge=tone("mild"))
    runs.run(judge=tone("mild", "It is plain"))
    first, same, other, criterion = only(read_history(runs.path))
    assert first.changes == same.changes == ()
    (change,) = other.changes
    assert (change.what, change.of) == ("judge", "tone")
    assert "model was 'judgekit-scripted/strict', now 'judgekit-scripted/mild'" in change.text
    broken = {rate.shown: change.breaks(rate) for rate in other.rates}
    assert broken == {"attempts": True, "reply-contains": False, "judge": True, "tone": True}
    (change,) = criterion.changes
    assert "criterion was 'It is warm', now 'It is plain'" in change.text


def test_another_agent_case_evaluator_or_version_is_marked(runs):
    runs.run()
    runs.run(agent="desk-2")
    runs.run(agent="desk-2", cases=["a", "b", "d", "e"])
    runs.run(agent="desk-2", cases=["a", "b", "d", "e"], more=[reply_should_not_contain("maybe")])
    older = runs.run(agent="desk-2", cases=["a", "b", "d", "e"], more=[reply_should_not_contain("maybe")])
    versions = json.loads((older / "journal.jsonl").read_text(encoding="utf-8").splitlines()[0])["versions"]
    edited_head(older, versions=versions | {"judgekit": "9.9"})
    first, agent, cases, evaluators, version = only(read_history(runs.path))
    assert changes_of(first) == []
    assert changes_of(agent) == [("agent", "agent was 'desk', now 'desk-2'")]
    assert all(agent.changes[0].breaks(rate) for rate in agent.rates)
    assert changes_of(cases) == [("cases", "2 new cases (d, e), 1 removed case (c)")]
    assert not cases.changes[0].breaks(cases.passes)
    assert changes_of(evaluators) == [("evaluators", "1 new evaluator (reply-lacks)")]
    assert [evaluators.changes[0].breaks(rate) for rate in evaluators.rates] == [True, False, False]
    assert changes_of(version) == [("version", f"judgekit was {versions['judgekit']}, now 9.9")]


def test_experiments_are_kept_apart_the_newest_first(runs):
    runs.run("a", name="old")
    runs.run(name="new")
    runs.run("b", name="old")
    runs.run(name="new")
    history = read_history(runs.path)
    assert [(one.name, len(one.runs)) for one in history.experiments] == [("new", 2), ("old", 2)]
    assert only(read_history(runs.path, name="old"))[1].new_failures == ("b",)
    with pytest.raises(InvalidArgument, match=r"no run under .* is of 'other'; there are 'new', 'old'"):
        read_history(runs.path, name="other")


def test_the_first_run_of_a_limited_history_is_held_against_the_one_before(runs):
    for failing in ("a", "b", "c"):
        runs.run(failing)
    (experiment,) = read_history(runs.path, limit=2).experiments
    assert experiment.earlier == 1
    assert [run.new_failures for run in experiment.runs] == [("b",), ("c",)]
    for wrong in (0, True, 1.5):
        with pytest.raises(InvalidArgument, match="`limit` must be a whole number >= 1"):
            read_history(runs.path, limit=wrong)


def test_rates_can_be_narrowed_to_a_criterion_or_a_label(runs):
    runs.run(judge=tone())
    (experiment,) = read_history(runs.path, of="tone").experiments
    assert experiment.rate_keys("tone") == (("judge", "tone"),)
    assert read_history(runs.path, of="reply-contains").of == "reply-contains"
    with pytest.raises(InvalidArgument, match="'colour'; there are 'reply-contains', 'judge', 'tone'"):
        read_history(runs.path, of="colour")


def test_what_is_no_run_is_listed_and_no_error(runs):
    good = runs.run()
    (runs.path / "foreign").mkdir()
    (runs.path / "foreign" / "x.txt").write_text("x", encoding="utf-8")
    (runs.path / "a file").write_text("x", encoding="utf-8")
    (runs.path / ".desk-0123").mkdir()
    for name, text in {
        "empty": b"",
        "torn": b'{"format":"judgekit-jou',
        "binary": b"\xff\xfe\x00",
        "newer": b'{"format":"judgekit-journal","format_version":99}\n',
        "list": b"[1, 2]\n",
        "deep": b"[" * 100_000,
    }.items():
        (runs.path / name).mkdir()
        (runs.path / name / "journal.jsonl").write_bytes(text)
    damaged = shutil.copytree(good, runs.path / "damaged") / "journal.jsonl"
    text = damaged.read_text(encoding="utf-8").replace('"finished_at":"', '"finished_at":"soon')
    damaged.write_text(text, encoding="utf-8")
    (runs.path / "report").mkdir()
    (runs.path / "report" / "report.json").write_text('{"name": 1}', encoding="utf-8")
    history = read_history(runs.path)
    assert len(only(history)) == 1
    reasons = {one.folder.name: one.reason for one in history.unread}
    assert set(reasons) == {
        "foreign", "empty", "torn", "binary", "newer", "list", "deep", "damaged", "report"
    }  # fmt: skip
    assert reasons["foreign"] == "it holds no journal.jsonl and no report.json"
    assert "format version is 99" in reasons["newer"]
    assert all(reason and "\n" not in reason for reason in reasons.values())


def test_torn_lines_are_counted_and_warn_nobody(runs):
    folder = runs.run()
    journal = folder / "journal.jsonl"
    lines = journal.read_text(encoding="utf-8").splitlines(keepends=True)
    journal.write_text("".join([lines[0], lines[1], lines[2][:30] + "\n", *lines[3:]]), encoding="utf-8")
    (run,) = only(read_history(runs.path))
    assert run.lines_left_out == 1
    assert (run.passes.passed, run.passes.missing) == (2, 1)


def test_a_run_of_which_only_the_report_is_left_counts(runs):
    runs.run("a", judge=tone())
    folder = runs.run("b", judge=tone("mild"))
    (folder / "journal.jsonl").unlink()
    runs.run(judge=tone("mild"))
    first, report, last = only(read_history(runs.path))
    assert (report.new_failures, report.fixed, report.agent) == (("b",), ("a",), None)
    assert [change.what for change in report.changes] == ["judge"]
    assert first.changes == last.changes == ()


def test_a_start_without_a_zone_is_in_utc(runs):
    edited_head(runs.run(), started_at="2001-02-03T04:05:06")
    runs.run()
    first, _ = only(read_history(runs.path))
    assert first.started_at.isoformat() == "2001-02-03T04:05:06+00:00"


def test_a_folder_that_is_none_or_a_run_itself_is_refused(runs, tmp_path):
    with pytest.raises(FileUnreadable, match="there is no folder"):
        read_history(tmp_path / "nothing")
    folder = runs.run()
    with pytest.raises(FileUnreadable, match="is one run; name the folder that it is in"):
        read_history(folder)
    (tmp_path / "bare").mkdir()
    history = read_history(tmp_path / "bare")
    assert (history.experiments, history.unread) == ((), ())
    assert history.render() == f"no runs under {tmp_path / 'bare'}"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have names on Unix only")
def test_a_named_pipe_in_the_place_of_a_journal_is_not_waited_for(runs):
    runs.run()
    (runs.path / "pipe").mkdir()
    os.mkfifo(runs.path / "pipe" / "journal.jsonl")
    assert [one.folder.name for one in read_history(runs.path).unread] == ["pipe"]


@given(st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_damage_to_a_journal_is_an_exception(runs, data):
    if not runs.path.exists():
        runs.run("a", judge=tone())
    (source,) = (one for one in runs.path.iterdir() if one.name != "hurt")
    text = bytearray((source / "journal.jsonl").read_bytes())
    start = data.draw(st.integers(0, len(text) - 1))
    text[start : start + data.draw(st.integers(0, 200))] = data.draw(st.binary(max_size=40))
    (runs.path / "hurt").mkdir(exist_ok=True)
    (runs.path / "hurt" / "journal.jsonl").write_bytes(text)
    history = read_history(runs.path)
    found = sum(len(one.runs) for one in history.experiments) + len(history.unread)
    assert found == 2
    for format in ("text", "json", "markdown", "html"):
        history.render(format)


def test_a_check_with_other_parameters_is_marked_and_breaks_its_own_rate(runs):
    for letter in "ees":
        runs.run(more=(reply_should_contain(letter),))
    _, same, other = only(read_history(runs.path))
    assert same.changes == ()
    [change] = other.changes
    assert (change.what, change.of) == ("evaluators", "reply-contains")
    assert change.text == "the check reply-contains has other parameters or other code"
    assert all(change.breaks(rate) for rate in other.rates)
