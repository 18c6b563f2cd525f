"""Markdown, rendered by GitHub's own parser: tables hold, and tested text is text."""

from html.parser import HTMLParser

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options
from hypothesis import given
from hypothesis import strategies as st

from judgekit.evaluation import EvalResult, Kind, Outcome
from judgekit.interaction import Interaction, ToolCall
from judgekit.reporting.markdown import SIZE_LIMIT
from judgekit.results import CaseResult

PASSED = EvalResult(Outcome.PASS, label="tools")
FAILED = EvalResult(Outcome.FAIL, "never called [x]; called no tools", label="tools")
MISSING = EvalResult(Outcome.INCONCLUSIVE, "x", Kind.JUDGE_FAILED, "judge", "polite", cause="rate limited")

# All that the report itself uses.
OWN = {"h2", "h3", "p", "strong", "code", "pre", "table", "thead", "tbody", "tr", "th", "td"} | {
    "details",
    "summary",
}


def attempt(case_id, *results, run=1, **evidence):
    return CaseResult(case_id, run, Interaction(**evidence), results)


class Page(HTMLParser):
    """Elements, the texts inside and outside of code, and the cells of each table row."""

    def __init__(self, markdown):
        super().__init__()
        self.elements, self.code, self.prose, self.rows = set(), [], [], []
        self._open = self._cell = 0
        html = cmarkgfm.github_flavored_markdown_to_html(markdown, options=Options.CMARK_OPT_UNSAFE)
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)
        self._open += tag in ("code", "pre")
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self._cell += 1

    def handle_endtag(self, tag):
        self._open -= tag in ("code", "pre")
        self._cell -= tag in ("td", "th")

    def handle_data(self, data):
        (self.code if self._open else self.prose).append(data)
        if self._cell:
            self.rows[-1][-1] += data.strip("\n")


def test_the_summary_says_gate_rates_and_why_an_attempt_failed(make_report):
    attempts = [
        attempt("a", PASSED, FAILED, MISSING, reply="Hi.", command_text="Hello?", tool_calls=[ToolCall("f")]),
        attempt("b", PASSED),
    ]
    text = make_report(attempts).render("markdown")
    assert text.startswith("## `orders`: gate ❌ FAILED\n\n```text\nfailed cases [a (run 1)]\n```\n")
    assert (
        "**1/2 attempts passed** (95% interval 0.09 to 0.91); 1 failed, 0 inconclusive; 2 cases, 1 run"
        in text
    )
    page = Page(text)
    assert page.rows == [
        ["evaluator", "passed", "rate", "95 % interval", "mean score", "inconclusive", "not run"],
        ["tools", "2/3", "67%", "0.21 – 0.94", "", "", ""],
        ["judge", "0/0", "", "0.00 – 1.00", "", "1", ""],
        ["↳ polite", "0/0", "", "0.00 – 1.00", "", "1", ""],
    ]
    block = page.code[-1].splitlines()
    assert block == [
        "asked: Hello?",
        "reply: Hi.",
        "tools: f{}",
        "PASS tools",
        "FAIL tools: never called [x]; called no tools",
        "INCONCLUSIVE judge: x",
    ]
    assert "FAIL tools: never called [x]" in text.partition("<summary>")[2].partition("</summary>")[0]


def test_passed_attempts_have_no_fold_and_flaky_ones_a_row(make_report):
    passed = make_report([attempt("a", PASSED)]).render("markdown")
    assert "gate ✅ passed" in passed
    assert "<details>" not in passed
    assert "Inconsistent" not in passed
    flaky = make_report([attempt("a", PASSED), attempt("a", FAILED, run=2)], runs=2).render("markdown")
    assert "| `a` | `tools` | run 1 | run 2 |" in flaky


def test_a_long_reason_is_there_beyond_the_first_line_of_the_text_report(make_report):
    reason = EvalResult(Outcome.FAIL, f"{'because ' * 100}END", label="judge")
    assert "because END" in make_report([attempt("a", reason)]).render("markdown")


def test_a_large_run_stays_small_and_says_what_is_left_out(make_report):
    long = EvalResult(Outcome.FAIL, "x" * 900, label="tools")
    attempts = [attempt(f"case-{number}", long, reply="é" * 900) for number in range(400)]
    text = make_report(attempts).render("markdown")
    assert SIZE_LIMIT - 5_000 < len(text.encode()) < SIZE_LIMIT
    shown = text.count("<details>")
    assert f"\n{400 - shown} attempts that did not pass are left out to keep this short" in text
    assert text.count("</details>") == shown


def test_a_run_of_many_evaluators_and_flaky_cases_stays_small_too(make_report):
    results = [EvalResult(Outcome.PASS, label=f"label-{number} {'x' * 300}") for number in range(500)]
    flaky = [
        attempt(f"case-{number} {'y' * 300}", *results, FAILED if run == 2 else PASSED, run=run)
        for number in range(200)
        for run in (1, 2)
    ]
    text = make_report(flaky, runs=2).render("markdown")
    assert len(text.encode()) < SIZE_LIMIT
    assert "401 more rows in `report.json`" in text
    assert "150 more rows in `report.json`" in text


@pytest.mark.parametrize("text", ["a|b", "\\|", "a\\", "`", "``", " ` ", "x`", "|", "||", "a\\\\|b", "<b>"])
def test_a_name_stays_in_its_cell_as_it_is(make_report, text):
    label = EvalResult(Outcome.PASS, label=f"l{text}")
    page = Page(make_report([attempt("a", label)]).render("markdown"))
    assert [len(row) for row in page.rows] == [7, 7]
    assert page.rows[1][0] == f"l{text.rstrip()}"


@given(st.text(min_size=1))
def test_any_text_stays_text(make_report, text):
    attempts = [
        attempt("a", EvalResult(Outcome.FAIL, text, label=text), reply=text, command_text=text),
        attempt("a", EvalResult(Outcome.PASS, text, label=text), run=2),
    ]
    report = make_report(attempts, runs=2, name=text)
    page = Page(report.render("markdown"))
    assert page.elements <= OWN
    assert {len(row) for row in page.rows} <= {4, 7}


def test_hostile_text_runs_nowhere_and_is_shown(hostile_report, hostile_texts):
    page = Page(hostile_report.render("markdown"))
    assert page.elements <= OWN
    assert {len(row) for row in page.rows} == {4, 7}
    # GitHub looks for mentions, issues and addresses outside of code only.
    prose = "".join(page.prose)
    for sign in ("@", "#", "http", "www.", "mark-", "$", ":rocket:"):
        assert sign not in prose
    words = set("\n".join(page.code).replace("\\", " ").split())
    assert {f"mark-{number}" for number in range(len(hostile_texts))} <= words
