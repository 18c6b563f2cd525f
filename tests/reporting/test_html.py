"""The HTML page without a browser: it parses, nothing of it can run or load but our own, text is there."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.evaluation import EvalResult, Kind, Measurement, Outcome
from judgekit.interaction import GuardrailResult, Interaction, ModelCall, ToolCall
from judgekit.reporting.html import data as page_data
from judgekit.reporting.html import render_comparison, write_comparison
from judgekit.reporting.html.money import duration
from judgekit.reporting.html.plots import Point, histogram, scatter
from judgekit.reporting.shown import shown
from judgekit.results import CaseResult

PASSED = EvalResult(Outcome.PASS, label="tools")
FAILED = EvalResult(Outcome.FAIL, "never called [x]; called no tools", label="tools")
MISSING = EvalResult(Outcome.INCONCLUSIVE, "x", Kind.JUDGE_FAILED, "judge", "polite", cause="rate limited")

# All that the two templates use.
OWN = {"html", "head", "meta", "title", "link", "style", "script", "noscript", "body", "main", "header"}
OWN |= {"section", "h1", "h2", "p", "div", "span", "bdi", "b", "i", "small", "code", "kbd", "dl", "dt", "dd"}
OWN |= {"table", "thead", "tbody", "tr", "th", "td", "figure", "figcaption", "svg", "path", "rect", "circle"}
OWN |= {"text", "button", "label", "input", "select", "option"}


def attempt(case_id, *results, run=1, **evidence):
    return CaseResult(case_id, run, Interaction(**evidence), results)


class Page(HTMLParser):
    """Elements with their attributes, the text that is shown, and what stands in scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.shown, self.inner = [], [], {}
        self._raw = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self._raw = "data" if dict(attrs).get("type") else tag
            assert self._raw not in self.inner
            self.inner[self._raw] = ""

    def handle_endtag(self, tag):
        self._raw = None if tag in ("script", "style") else self._raw

    def handle_data(self, data):
        if self._raw is None:
            self.shown.append(data)
        else:
            self.inner[self._raw] += data

    @property
    def data(self):
        return json.loads(self.inner["data"])

    @property
    def text(self):
        return " ".join(" ".join(self.shown).split())

    @property
    def policy(self):
        return next(found["content"] for _, found in self.elements if "http-equiv" in found)


def hashed(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def both(report):
    return [Page(report.render("html")), Page(render_comparison(report, report))]


def inert(page):
    """Nothing in the page loads, submits or runs, save for our one script and style."""
    assert {tag for tag, _ in page.elements} <= OWN
    for tag, found in page.elements:
        assert not [name for name in found if name.startswith("on") or name in ("style", "srcdoc", "action")]
        assert not {"src", "xlink:href", "formaction"} & set(found)
        if "href" in found:
            assert tag == "link"
            assert found["href"].startswith("data:image/svg+xml,")
        if tag == "meta":
            assert found.get("http-equiv") in (None, "Content-Security-Policy")
    assert set(page.inner) == {"script", "style", "data"}
    assert "url(" not in page.inner["style"]
    assert "@import" not in page.inner["style"]
    return True


def test_the_policy_lets_our_one_script_and_style_run_and_nothing_else(make_report):
    for page in both(make_report([attempt("a", FAILED)])):
        script, style = hashed(page.inner["script"]), hashed(page.inner["style"])
        assert page.policy == (
            f"default-src 'none'; script-src {script}; style-src {style}; "
            "img-src data:; base-uri 'none'; form-action 'none'"
        )
        tags = [tag for tag, _ in page.elements]
        assert tags.index("meta") < tags.index("style")
        assert inert(page)


def test_the_script_makes_text_and_never_markup(make_report):
    script = Page(make_report([attempt("a", FAILED)]).render("html")).inner["script"]
    for sink in (
        "innerHTML",
        "outerHTML",
        "insertAdjacent",
        "document.write",
        "eval(",
        "Function(",
        "fetch(",
    ):
        assert sink not in script


def test_an_image_in_a_reply_is_no_element(make_report):  # RP01
    report = make_report([attempt("a", FAILED, reply="<img src=x onerror=alert(1)>")])
    for page in both(report):
        assert "img" not in {tag for tag, _ in page.elements}
        assert "<img src=x onerror=alert(1)>" in page.data["texts"]
    assert "<img" not in report.render("html")


def test_hostile_text_runs_nowhere_and_is_shown(hostile_report, hostile_texts):
    for page in both(hostile_report):
        assert inert(page)
        texts = page.data["texts"]
        for number, text in enumerate(hostile_texts):
            assert shown(text, 20_000) in texts
            assert re.search(rf"\bmark-{number}\b", page.text)
        assert len(page.data["rows"]) == 80


@given(st.text())
def test_any_text_stays_text(make_report, text):
    result = EvalResult(Outcome.FAIL, text, label=text, name=text, score=0.5, threshold=1)
    report = make_report([attempt("a", result, reply=text, messages=({"role": text, "content": text},))])
    for page in both(report):
        assert inert(page)
        assert shown(text) in page.data["texts"]


def test_the_page_is_one_document_in_utf_8(make_report, tmp_path):
    path = make_report([attempt("é ✅ 漢", PASSED)]).write(tmp_path / "out.html")
    text = path.read_bytes().decode("utf-8")
    assert text.startswith("<!DOCTYPE html>\n<html lang=")
    assert text.count("<html") == text.count("</html>") == 1
    assert 'charset="utf-8"' in text[:200]


def test_the_summary_stands_in_the_page_without_its_script(make_report):
    scored = EvalResult(Outcome.PASS, "ok", label="judge", name="polite", score=0.9, threshold=0.5)
    call = ModelCall(input_tokens=1_000, output_tokens=20, cost=0.004)
    attempts = [
        attempt("a", PASSED, scored, model_calls=(call,), latency=1.5),
        attempt("a", FAILED, MISSING, run=2),
    ]
    text = Page(make_report(attempts, runs=2).render("html")).text
    for said in (
        "Gate failed failed cases [a (run 2)]",
        "50 % of attempts passed 1 passed 1 failed 0 inconclusive",
        "1.00 pass@2: one of 2 runs passes 0.00 pass^2: all 2 runs pass",
        "Agents $0.0040 · 1 model call · 1,000 tokens in, 20 out · 1.5 s in total · slowest a run 1 at 1.5 s",
        "tools 1/2 50 %",
        "polite judge failed: rate limited 1 1/1 100 %",
        "mean 0.90 of 1, needed 0.50",
        "Inconsistent across runs Case Evaluator Runs a tools 1 2",
        "All 2 Failed 1 Passed 1 Inconsistent 2",
    ):
        assert said in text


def test_a_row_holds_what_its_attempt_needs(make_report):
    measured = Measurement(model="m", criterion="be kind", requests=2, cost=0.5, notes=("cut",))
    judged = EvalResult(Outcome.FAIL, "rude", None, "judge", "polite", 0.25, 0.5, None, (measured,))
    one = attempt(
        "a",
        judged,
        command_text="Hi?",
        reply="No.",
        model_text="no",
        tool_calls=(ToolCall("f", {"x": 1}, {"y": 2}), ToolCall("g", error="boom")),
        model_calls=(ModelCall(model="m", input_tokens=1, messages=({"role": "user", "content": "Hi?"},)),),
        guardrails=(GuardrailResult("pii", None, False, "a name"),),
        latency=0.12345,
        blocked=True,
    )
    data = Page(make_report([one, attempt("b", PASSED, tool_calls=())]).render("html")).data
    texts = data["texts"]
    side = data["rows"][0]["sides"][0]
    assert (side["outcome"], side["quality"], side["latency"], side["flags"]) == (
        "fail",
        0.25,
        0.1235,
        ["blocked"],
    )
    assert [texts[side[name]] for name in ("asked", "reply", "model_text")] == ["Hi?", "No.", "no"]
    calls = [{name: texts[at] for name, at in call.items()} for call in side["tools"]]
    assert calls == [
        {"name": "f", "arguments": '{"x": 1}', "result": '{"y": 2}'},
        {"name": "g", "arguments": "{}", "error": "boom"},
    ]
    assert [[texts[role], texts[text]] for role, text in side["conversation"]] == [["user", "Hi?"]]
    (result,) = side["results"]
    assert (texts[result["detail"]], result["score"], result["threshold"]) == ("rude", 0.25, 0.5)
    (way,) = result["measured"]
    assert texts[data["instruments"][way["way"]]["criterion"]] == "be kind"
    assert texts[way["notes"][0]] == "cut"
    assert data["rows"][1]["sides"][0]["tools"] == []
    assert "tools" not in Page(make_report([attempt("a", PASSED)]).render("html")).data["rows"][0]["sides"][0]


def test_each_text_is_in_the_page_once(make_report):
    prompt = "You are the order agent. " * 20
    attempts = [
        attempt(str(n), PASSED, reply="Same.", messages=({"role": "system", "content": prompt},))
        for n in range(50)
    ]
    page = make_report(attempts).render("html")
    assert page.count(prompt) == 1


def test_a_long_text_is_cut_with_a_note(make_report):
    page = Page(make_report([attempt("a", FAILED, reply="x" * 1_000_000)]).render("html"))
    (reply,) = [text for text in page.data["texts"] if text.startswith("xxx")]
    assert reply == "x" * 20_000 + "… (980,000 more characters)"


def test_a_page_that_is_full_keeps_the_evidence_of_what_did_not_pass(make_report, monkeypatch):
    monkeypatch.setattr(page_data, "_BUDGET", 3_000)
    attempts = [
        attempt(f"c{number}", FAILED if number == 9 else PASSED, reply=f"{number}" * 1_000)
        for number in range(10)
    ]
    page = Page(make_report(attempts).render("html"))
    sides = [row["sides"][0] for row in page.data["rows"]]
    assert "left_out" not in sides[9]
    left = sum("left_out" in side for side in sides)
    assert 5 <= left <= 8
    assert f"{left} attempts are listed without their evidence" in page.text
    assert sides[8]["outcome"] == "pass"


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"role": "user", "content": "hi"}, "hi"),
        ({"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "a\nb"),
        ({"role": "user", "content": [{"type": "image", "url": "u"}]}, '{"type": "image", "url": "u"}'),
        (
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}],
            },
            "→ f {}",
        ),
        ({"role": "assistant", "content": "", "tool_calls": ["odd"]}, '"odd"'),
        ({"role": "tool", "content": {"x": 1}}, '{"x": 1}'),
        ({"role": "user", "parts": [1]}, '{"parts": [1]}'),
    ],
)
def test_a_message_of_any_shape_is_text(make_report, message, text):
    data = Page(make_report([attempt("a", PASSED, messages=(message,))]).render("html")).data
    ((role, at),) = data["rows"][0]["sides"][0]["conversation"]
    assert (data["texts"][role], data["texts"][at]) == (message["role"], text)


def test_the_turns_of_a_conversation_stand_in_for_its_messages(make_report):
    turns = (Interaction(command_text="Hi", reply="Hello"), Interaction(command_text="Bye"))
    data = Page(make_report([attempt("a", PASSED, turns=turns)]).render("html")).data
    told = [[data["texts"][at] for at in pair] for pair in data["rows"][0]["sides"][0]["conversation"]]
    assert told == [["user", "Hi"], ["assistant", "Hello"], ["user", "Bye"], ["assistant", "(no reply)"]]


def test_two_runs_are_paired_by_case_and_run(make_report, tmp_path):
    before = make_report(
        [
            attempt("a", PASSED),
            attempt("b", FAILED),
            attempt("c", FAILED),
            attempt("d", PASSED),
            attempt("e", MISSING),
        ],
        name="old",
    )
    after = make_report(
        [
            attempt("f", PASSED),
            attempt("a", FAILED),
            attempt("b", PASSED),
            attempt("c", FAILED),
            attempt("e", PASSED),
        ],
        name="new",
    )
    path = write_comparison(before, after, tmp_path / "deep" / "two.html")
    page = Page(path.read_text(encoding="utf-8"))
    texts = page.data["texts"]
    assert [(texts[row["id"]], row["tags"][0]) for row in page.data["rows"]] == [
        ("f", "single"),
        ("a", "broken"),
        ("b", "fixed"),
        ("c", "failing"),
        ("e", "changed"),
        ("d", "single"),
    ]
    assert [texts[name] for name in page.data["names"]] == ["old", "new"]
    assert page.data["rows"][0]["sides"][0] is None
    for said in (
        "passed in A 0 0 1 inconclusive in A 1 0 0 failed in A 1 0 1",
        "All 6 Newly failed 1 Fixed 1 Changed otherwise 1 Failed in both 1 In one run only 2",
        "tools 50 % 2/4 60 % 3/5 +10.0",
    ):
        assert said in page.text


def test_an_empty_run_has_a_page(make_report):
    for page in both(make_report([])):
        assert "no cases ran" in page.text
        assert page.data["rows"] == []
        assert inert(page)


def test_a_score_is_in_the_bin_that_begins_with_it():
    for index in range(20):
        (column,) = histogram("x", [index / 20], {0.5}).columns
        assert column.left == index / 20
        assert column.side == ("pass" if index >= 10 else "fail")
    (last,) = histogram("x", [1.0], set()).columns
    assert (last.left, last.side) == (0.95, "plain")
    assert histogram("x", [0.71], {0.72}).columns[0].side == "mixed"
    assert histogram("x", [0.71], {0.7, 0.8}).threshold is None


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1e6), st.sampled_from(["pass", "fail"])), min_size=1))
def test_the_marks_of_a_plot_are_inside_of_it_and_stand_for_every_attempt(found):
    points = [
        (Point(row, outcome, share, None, None), value) for row, (share, value, outcome) in enumerate(found)
    ]
    plot = scatter("x", "s", points, unknown=0)
    assert plot.count == len(found)
    for mark in plot.marks:
        assert plot.left - 4 <= mark.x <= plot.width
        assert plot.top <= mark.y <= plot.bottom
    assert 2 <= len(plot.across) <= 7
    assert {mark.outcome for mark in plot.marks} == {outcome for _, _, outcome in found}


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.85, "850 ms"), (7.25, "7.2 s"), (59.96, "1 min 0 s"), (412, "6 min 52 s"), (7_500, "2 h 5 min")],
)
def test_a_duration_reads_well(seconds, text):
    assert duration(seconds) == text
