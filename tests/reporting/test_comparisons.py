"""The files of a comparison: hostile text stays text, and every figure of the page stands on its scale."""

import json
from dataclasses import replace
from datetime import timedelta

import cmarkgfm
import pytest

from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalResult, Outcome
from judgekit.interaction import Interaction
from judgekit.reporting.comparison_markdown import comparison_markdown
from judgekit.reporting.comparisons import comparison_json, write_comparison
from judgekit.reporting.html.forest import WIDTH, comparison_summary
from judgekit.results import CaseResult


@pytest.fixture
def sides(make_report):
    """A run of 30 cases that fails the last `failing`, by its number."""

    def run(failing, reply):
        attempts = [
            CaseResult(
                f"c{n}",
                1,
                Interaction(reply=reply, latency=1.0),
                (EvalResult(Outcome.PASS if n < 30 - failing else Outcome.FAIL, label="tools"),),
            )
            for n in range(30)
        ]
        return make_report(attempts)

    return run


def hostile_pair(hostile_report):
    """The hostile run, and one in which each attempt came out the other way."""
    turned = {Outcome.PASS: Outcome.FAIL, Outcome.FAIL: Outcome.PASS}
    attempts = [
        replace(
            attempt,
            interaction=replace(attempt.interaction, reply="other"),
            results=tuple(
                replace(result, outcome=turned[result.outcome]) if result.outcome in turned else result
                for result in attempt.results
            ),
        )
        for attempt in hostile_report.results
    ]
    return replace(hostile_report, results=attempts, started_at=hostile_report.started_at + timedelta(1))


def test_hostile_text_is_text_in_every_format(hostile_report):  # RP05, RP06
    found = hostile_pair(hostile_report).compare(hostile_report)
    text = found.render()
    assert not [sign for sign in text if sign != "\n" and (ord(sign) < 0x20 or 0x7F <= ord(sign) < 0xA0)]
    assert max(map(len, text.splitlines())) <= 60
    assert json.loads(comparison_json(found))["axis"] == "agent"
    markdown = comparison_markdown(found)
    page = cmarkgfm.github_flavored_markdown_to_html(markdown)
    for element in ("<img", "<script", "<a ", "<b>", "<iframe", "<svg"):
        assert element not in page
    assert "mark-1" in page


def test_a_table_of_the_markdown_has_its_columns(sides):
    found = sides(12, "new").compare(sides(0, "old"), max_drop=0.05)
    page = cmarkgfm.github_flavored_markdown_to_html(comparison_markdown(found))
    assert page.count("<table>") == 3
    rows = [row.count("<td") for row in page.split("<tr>")[1:] if "<td" in row]
    assert set(rows) == {3, 4}
    assert "❌ REGRESSED" in page


def test_a_file_is_written_by_its_suffix_or_refused(sides, tmp_path):
    new, old = sides(3, "new"), sides(0, "old")
    found = new.compare(old)
    written = write_comparison(found, tmp_path / "deep" / "a.md", new=new, baseline=old)
    assert written.read_text(encoding="utf-8") == comparison_markdown(found)
    with pytest.raises(InvalidArgument, match=r"\.html, \.htm, \.md, \.json, \.txt; got 'a\.xml'"):
        write_comparison(found, tmp_path / "a.xml", new=new, baseline=old)
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["a.md"]


def test_the_intervals_of_the_page_lie_on_one_scale(sides):
    found = sides(12, "new").compare(sides(0, "old"), max_drop=0.05)
    view = comparison_summary(found)
    assert (view["extent"], view["zero"]) == ("0.75", WIDTH / 2)
    assert view["drop"] == pytest.approx(WIDTH / 2 - 0.05 / 0.75 * 116, abs=0.1)
    whole, tools = view["rows"]
    assert (whole.name, whole.depth, tools.name, tools.depth) == ("attempts passed", 0, "tools", 1)
    assert whole.whisker.at == pytest.approx(WIDTH / 2 - 0.4 / 0.75 * 116, abs=0.1)
    assert 0 < whole.whisker.left < whole.whisker.at < whole.whisker.left + whole.whisker.width < WIDTH / 2
    assert (whole.verdict, whole.tone) == ("REGRESSED", "fail")


def test_a_difference_that_is_not_known_has_no_interval(make_report):
    empty = make_report([])
    view = comparison_summary(empty.compare(empty))
    assert [row.whisker for row in view["rows"]] == [None]
    assert view["extent"] == "0.05"
