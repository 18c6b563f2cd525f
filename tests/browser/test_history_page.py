"""The page of a history in a real Chromium, opened from disk."""

import pytest

from judgekit import EvalCase, ExperimentRunner
from judgekit.evaluators import reply_should_contain
from judgekit.history import read_history

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser


@pytest.fixture
def history_page(tmp_path):
    """Four runs of hostile cases, by two agents."""
    cases = [
        EvalCase(name, name, reply_should_contain("yes"))
        for name in ("a", "<img src=x onerror=alert(1)>", "</title><script>alert(2)</script>", "‮x")
    ]
    for number, wrong in enumerate(("", "a", "<", "a")):
        agent = lambda command, wrong=wrong: "no" if wrong and wrong in command else "yes"  # noqa: E731
        plan = ExperimentRunner("desk").cases(cases).agent(agent, name=f"<b>{number // 2}</b>")
        plan.report_directory(tmp_path / "runs").run()
    return read_history(tmp_path / "runs").write(tmp_path / "history.html")


@pytest.mark.parametrize("options", [{}, {"java_script_enabled": False}, {"color_scheme": "dark"}])
def test_the_page_is_silent_and_shows_each_run(visit, history_page, options):
    page = visit(history_page, **options)
    assert page.locator("table.history tbody tr").count() == 4
    assert page.locator("svg.trend").count() == 2
    assert page.locator("svg.trend").first.locator("polyline").count() == 2
    assert page.locator("img, script").count() == 0
    assert "agent was '<b>0</b>', now '<b>1</b>'" in page.locator("table.history").inner_text()


def test_the_cases_that_moved_open_by_keyboard(visit, history_page):
    page = visit(history_page)
    summary = page.locator("details summary").first
    assert not page.locator("details .ids").first.is_visible()
    summary.focus()
    page.keyboard.press("Enter")
    assert page.locator("details .ids").first.is_visible()
    assert page.locator("details .ids").first.inner_text() == "a"


def test_a_narrow_page_does_not_scroll_sideways(visit, history_page):
    page = visit(history_page, viewport={"width": 360, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
