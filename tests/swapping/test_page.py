"""The page of a swap without a browser: nothing in it runs or loads but our own, and names are text."""

import base64
import hashlib
import json
from html.parser import HTMLParser

import pytest

OWN = {"html", "head", "meta", "title", "link", "style", "script", "noscript", "body", "main", "header"}
OWN |= {"section", "h1", "h2", "h3", "p", "div", "span", "bdi", "b", "i", "small", "code", "kbd", "details"}
OWN |= {"summary", "table", "thead", "tbody", "tr", "th", "td", "figure", "figcaption", "svg", "path", "rect"}
OWN |= {"circle", "text", "button", "label", "input", "select", "option", "pre"}


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.elements, self.shown, self.inner, self._raw = [], [], {}, None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self._raw = "data" if dict(attrs).get("type") else tag

    def handle_endtag(self, tag):
        self._raw = None if tag in ("script", "style") else self._raw

    def handle_data(self, data):
        if self._raw is None:
            self.shown.append(data)
        else:
            self.inner[self._raw] = self.inner.get(self._raw, "") + data

    @property
    def text(self):
        return " ".join(" ".join(self.shown).split())


def hashed(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


@pytest.fixture
def page(swap):
    return Page(swap.repeat(2).run().render("html"))


def test_the_policy_lets_our_one_script_and_style_run_and_nothing_else(page):
    policy = next(found["content"] for _, found in page.elements if "http-equiv" in found)
    assert policy == (
        f"default-src 'none'; script-src {hashed(page.inner['script'])}; "
        f"style-src {hashed(page.inner['style'])}; img-src data:; base-uri 'none'; form-action 'none'"
    )
    assert {tag for tag, _ in page.elements} <= OWN
    for tag, found in page.elements:
        assert not [name for name in found if name.startswith("on") or name in ("style", "src", "action")]
        assert "href" not in found or (tag == "link" and found["href"].startswith("data:image/svg+xml,"))


def test_the_page_has_the_tables_the_plots_and_the_attempts(page):
    for text in (
        "Quality against cost",
        "Judge strict",
        "Held against each other",
        "Does the order depend on the judge?",
        "Cohen's kappa: tone",
        "The transcripts on which they differ",
    ):
        assert text in page.text
    assert len([tag for tag, _ in page.elements if tag == "circle"]) == 4, "two agents before two judges"
    assert len(json.loads(page.inner["data"])["rows"]) == 16


def test_names_that_break_out_of_markup_stay_text(hostile_texts, make, swap):
    names = [text for text in hostile_texts if "<" in text and len(text) < 200]
    hostile = swap.agents({name: make["Counted"](name, cost=0.01) for name in names[:3]})
    hostile = hostile.judges({name: make["Decides"](lambda reply: 0.4) for name in names[3:5]})
    found = Page(hostile.without_report_file().run().render("html"))
    assert {tag for tag, _ in found.elements} <= OWN
    for name in names[:5]:
        assert " ".join(name.split())[:30] in found.text


def test_a_page_lists_a_bounded_number_of_flips(make, swap):
    wide = swap.cases(make["cases"](150)[4:]).judges({"harsh": make["Decides"](lambda reply: 0.0)})
    text = Page(wide.without_report_file().run().render("html")).text
    assert "100 more are in the JSON of this report." in text
