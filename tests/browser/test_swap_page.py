"""The page of a provider swap in a real Chromium, opened from disk."""

import pytest

from judgekit import EvalCase, Interaction, ModelCall, ProviderSwap, Verdict
from judgekit.judging import JudgeBase

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser

NAMES = ("<b onmouseover=alert(1)>small</b>", "large & slow")


class Decides(JudgeBase):
    def __init__(self, score):
        self.score = score

    async def decide(self, criterion, interaction):
        return Verdict(self.score(interaction.reply), "as the test says")


def agent(reply, cost):
    call = ModelCall(model="m", input_tokens=1, output_tokens=1, cost=cost)
    return lambda command: Interaction(reply=reply, model_calls=(call,))


@pytest.fixture
def file(tmp_path):
    swap = (
        ProviderSwap("tone of mail")
        .cases(EvalCase(f"case-{n}", f"question {n}") for n in range(6))
        .agents({NAMES[0]: agent("short", 0.001), NAMES[1]: agent("a longer reply", 0.01)})
        .judges({"strict": Decides(lambda reply: len(reply) / 20), "kind": Decides(lambda reply: 0.9)})
        .criteria(lambda judge: judge.should_satisfy("polite", name="tone"))
        .without_report_file()
    )
    return swap.run().write(tmp_path / "swap.html")


def test_the_page_shows_every_agent_and_opens_what_the_judges_differ_on(visit, file):
    page = visit(file)
    playwright.expect(page.locator("h1")).to_have_text("tone of mail")
    playwright.expect(page.locator("svg.chart")).to_have_count(2)
    playwright.expect(page.locator("svg.chart >> nth=0 >> text.name")).to_have_count(2)
    page.get_by_text("The transcripts on which they differ").click()
    playwright.expect(page.get_by_role("cell", name="failed 0.25").first).to_be_visible()
    playwright.expect(page.get_by_role("rowheader", name=NAMES[0]).first).to_be_visible()


def test_the_attempts_can_be_searched_and_opened(visit, file):
    page = visit(file)
    page.locator("#search").fill("large & slow/case-3")
    playwright.expect(page.locator(".row .case")).to_have_count(1)
    page.locator(".row summary").click()
    playwright.expect(page.locator(".verdicts li")).to_have_count(2)
    playwright.expect(page.locator(".verdicts")).to_contain_text("tone [strict]")


def test_on_a_narrow_screen_nothing_but_tables_scrolls_sideways(visit, file):
    page = visit(file, viewport={"width": 400, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == 400


def test_names_in_the_plot_stand_inside_of_it(visit, file):
    page = visit(file)
    edges = page.evaluate(
        "[...document.querySelectorAll('svg.chart')].flatMap(chart => [...chart.querySelectorAll('.name')]"
        ".map(name => [name.getBoundingClientRect(), chart.getBoundingClientRect()])"
        ".map(([a, b]) => [a.left - b.left, b.right - a.right]))"
    )
    assert len(edges) == 4
    assert all(left >= 0 and right >= 0 for left, right in edges)
