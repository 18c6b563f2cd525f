"""A history as text, JSON, Markdown and HTML: bounded, safe, and honest about what is one trend."""

import json
import re
from html.parser import HTMLParser

import pytest

from judgekit import EvalCase, ExperimentRunner, Gate, InvalidArgument
from judgekit.evaluators import reply_should_contain
from judgekit.history import read_history
from judgekit.history.text import rendered, signs
from judgekit.history.trend import trend_of

from .conftest import edited_head, tone

WHOLE = (None, None)


@pytest.fixture
def history(runs):
    """Four runs: two before one judge, two before another."""
    runs.run("a", "b", judge=tone())
    runs.run("a", judge=tone())
    runs.run(judge=tone("mild"))
    runs.run("c", judge=tone("mild"))
    (runs.path / "foreign").mkdir()
    return read_history(runs.path)


def test_the_text_has_a_sign_a_run_and_a_bar_where_the_judge_changed(history):
    text = history.render()
    assert text.isascii()
    assert re.search(r"^desk: 4 runs, \d{4}-\d\d-\d\d to ", text)
    assert re.search(r"^  attempts +67% +0\.\d\d to 0\.\d\d  _:\|#:$", text, re.MULTILINE)
    assert "  | another agent, judge or list of evaluators: not one trend" in text
    assert "    new failures 1: c" in text
    assert "    fixed 1: b" in text
    assert text.endswith("not read:\n  foreign: it holds no journal.jsonl and no report.json")
    assert "▁" in rendered(history, blocks=True)
    assert max(map(len, text.splitlines())) <= 100


def test_signs_of_rates_near_each_other_do_not_look_like_a_trend(runs):
    for failing in ((), ("c0",), ()):
        runs.run(*failing, cases=[f"c{n}" for n in range(40)])
    (experiment,) = read_history(runs.path).experiments
    drawn = signs(experiment.runs, WHOLE, 0.8, 1.0, blocks=False)
    assert drawn == "###" or set(drawn) <= {"#", "*"}


def test_a_run_that_stopped_early_is_told_from_one_that_went_through(tmp_path):
    cases = [EvalCase(f"q{n}", f"q{n}", reply_should_contain("yes")) for n in range(100)]
    plan = ExperimentRunner("long").cases(cases).agent(lambda command: "yes").report_directory(tmp_path)
    stopped = (
        plan.gate(Gate.pass_rate_should_be_at_least(0.5)).stop_early(seed=1).concurrency(1).run().stopped
    )
    read = read_history(tmp_path)
    said = f"stopped early after {stopped.looked_at} of 100 cases"
    for format in ("text", "markdown", "html"):
        assert said in read.render(format), format
    (experiment,) = json.loads(read.render("json"))["experiments"]
    assert experiment["runs"][0]["stopped"]["attempts_saved"] == stopped.attempts_saved > 0


def test_json_is_one_document_with_whole_lists(history):
    document = json.loads(history.render("json"))
    assert document["format"] == "judgekit-history"
    (experiment,) = document["experiments"]
    *_, third, fourth = experiment["runs"]
    assert fourth["new_failures"] == ["c"]
    assert third["changes"][0]["of"] == "tone"
    assert [rate["name"] or rate["label"] for rate in fourth["rates"]] == [
        None, "reply-contains", "judge", "tone"
    ]  # fmt: skip
    assert document["unread"] == [
        {"folder": "foreign", "reason": "it holds no journal.jsonl and no report.json"}
    ]
    narrowed = read_history(history.folder, of="tone").to_json()["experiments"][0]["runs"][0]
    assert [rate["name"] for rate in narrowed["rates"]] == ["tone"]


def test_markdown_has_a_table_of_rates_and_one_of_runs(history):
    text = history.render("markdown")
    assert "| `attempts` | 33% | 67% |" in text
    assert "| ↳ `tone` | 100% | 100% |" in text
    assert text.count("| ❌ FAILED |") + text.count("| ✅ passed |") == 4
    assert "judge of tone: model was 'judgekit-scripted/strict', now 'judgekit-scripted/mild'" in text


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.elements, self.texts = [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.texts.append(data)

    def all(self, tag):
        return [attrs for found, attrs in self.elements if found == tag]


def test_the_page_needs_no_script_and_breaks_its_lines_where_the_judge_changed(history):
    page = Page(history.render("html"))
    (policy,) = [attrs["content"] for attrs in page.all("meta") if "http-equiv" in attrs]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "script" not in policy
    assert page.all("script") == []
    assert not any(name.startswith("on") or name == "style" for _, attrs in page.elements for name in attrs)
    # Of four rates three were measured by the judge, and are two pieces each.
    assert len(page.all("polyline")) == 2 * 3 + 1
    assert len([attrs for attrs in page.all("path") if attrs.get("class") == "break"]) == 3
    assert len(page.all("circle")) == 4 * 4


def test_a_trend_stands_within_its_plot(history):
    (experiment,) = history.experiments
    trend = trend_of(experiment.runs, WHOLE)
    assert [dot.outcome for dot in trend.dots] == ["fail", "pass", "pass", "pass"]
    for dot in trend.dots:
        assert trend.left < dot.x < trend.right
        assert trend.top <= dot.high <= dot.y <= dot.low <= trend.bottom
    assert len(trend.lines) == 2
    ((at, why),) = trend.breaks
    assert trend.dots[1].x < at < trend.dots[2].x
    assert "judgekit-scripted/mild" in why
    assert trend_of(experiment.runs, ("judge", "nobody")) is None


def test_hostile_names_run_nowhere_and_are_shown(runs, hostile_texts):
    for text in hostile_texts[:-1]:
        folder = runs.run("a", judge=tone())
        plain = text.encode("utf-8", "replace").decode()
        edited_head(folder, name=f"x {plain}", agent=plain, judges=[plain], versions={"judgekit": plain})
    history = read_history(runs.path)
    assert not history.unread
    text = history.render()
    assert "\x1b" not in text
    assert "\u202e" not in text
    page = Page(history.render("html"))
    assert page.all("script") == page.all("img") == page.all("iframe") == []
    assert not any(name.startswith("on") for _, attrs in page.elements for name in attrs)
    shown = " ".join(page.texts)
    for number in range(len(hostile_texts) - 1):
        assert f"mark-{number}" in shown
    assert len(json.loads(history.render("json"))["experiments"]) == len(history.experiments)
    assert "<script" not in re.sub(r"`[^`]*`", "", history.render("markdown"))


def test_a_history_is_written_in_the_format_of_its_suffix(history, tmp_path):
    for name, begins in {
        "h.html": "<!DOCTYPE html>", "h.md": "## `desk`", "h.json": "{", "h.txt": "desk: 4 runs"
    }.items():  # fmt: skip
        assert history.write(tmp_path / "new" / name).read_text(encoding="utf-8").lstrip().startswith(begins)
    with pytest.raises(InvalidArgument, match=r"a history is written by its suffix, one of .*; got 'h.csv'"):
        history.write(tmp_path / "h.csv")
    with pytest.raises(InvalidArgument, match="`format` must be one of text, json, markdown, html"):
        history.render("xml")


def test_a_long_history_stays_short_in_markdown_and_html(runs):
    """A step summary of GitHub holds 1 MiB."""
    many = [f"{number}-{'x' * 80}" for number in range(60)]
    for number in range(6):
        runs.run(*many[number % 2 :: 2], cases=many, flaky=many[::3], repeat=2, agent=f"desk-{number}")
    history = read_history(runs.path)
    (experiment,) = history.experiments
    shape = experiment.__class__
    long = [shape(name=f"e{n}", runs=experiment.runs * 60, earlier=3) for n in range(40)]
    history = history.__class__(folder=history.folder, experiments=tuple(long))
    assert len(history.render("html").encode()) < 10_000_000
    assert len(history.render("markdown").encode()) < 1024 * 1024
    assert "20 more experiments in the JSON" in history.render("markdown")
    one = history.__class__(folder=history.folder, experiments=tuple(long[:1]))
    assert len(one.render("html").encode()) < 3_000_000
    assert len(one.render().splitlines()) < 200
    assert rendered(one, most=12).count("gate ") == 12
    assert len(json.loads(one.render("json"))["experiments"][0]["runs"]) == 360


def test_a_folder_without_a_run_is_shown_in_every_format(tmp_path):
    history = read_history(tmp_path)
    assert history.render("markdown") == "No runs.\n"
    assert "There is no run in this folder." in history.render("html")
    assert json.loads(history.render("json"))["experiments"] == []


def test_a_share_is_of_what_was_decided_and_the_rest_is_said(runs):
    killed = runs.run("b", cases=("a", "b", "c", "d", "e"))
    journal = killed / "journal.jsonl"
    journal.write_text("".join(journal.read_text(encoding="utf-8").splitlines(keepends=True)[:4]), "utf-8")
    history = read_history(runs.path)
    text, page = history.render("text"), history.render("html")
    assert "2/3   67%" in text
    assert "never finished, 2 not measured" in text
    assert "| 2/3, 2 not measured |" in history.render("markdown")
    assert "2/3<br><small>2 not measured</small>" in page
