"""A real Chromium, that of the system, and a report of the size that a real run has."""

import os
import random
import shutil

import pytest

from judgekit.evaluation import EvalResult, Kind, Measurement, Outcome
from judgekit.interaction import Interaction, ModelCall, ToolCall
from judgekit.results import CaseResult

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
CRITERIA = ("helpful", "grounded in tool results", "tone")
REPLY = (
    "I am sorry that your order is late. It left our warehouse on Monday, and the carrier says that it will"
    " arrive tomorrow before noon. If it does not, write to me and I will send a new one at once. ({order})"
)
REASON = (
    "{name}: scored {score:.2f}, needed 0.50 — It apologises and names a date, but it does not say what"
    " happens if the parcel is lost, so the customer of {order} has to ask again."
)


@pytest.fixture(scope="module")
def chromium():
    """The system's Chromium, driven by Playwright; closed with the module, for its loop blocks asyncio."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = os.environ.get("JUDGEKIT_CHROMIUM") or shutil.which("chromium")
    if path is None:
        pytest.skip(
            "there is no chromium on this machine; apt-get install chromium, or set JUDGEKIT_CHROMIUM"
        )
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium):
    """Opens a file in a page of its own, which must stay silent and ask for nothing."""
    contexts, troubles = [], []

    def open_file(path, **options):
        context = chromium.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: troubles.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: troubles.append(f"error: {error}"))
        page.on("dialog", lambda dialog: troubles.append(f"dialog: {dialog.message}") or dialog.dismiss())
        page.on("popup", lambda popup: troubles.append(f"popup: {popup.url}"))
        page.on("request", lambda request: _asked(request.url, path.as_uri(), troubles))
        page.goto(path.as_uri())
        return page

    open_file.troubles = troubles
    yield open_file
    for context in contexts:
        context.close()
    assert troubles == []


def _asked(url, own, troubles):
    if not url.startswith((own, "data:")):
        troubles.append(f"request: {url}")


@pytest.fixture(scope="session")
def make_run(make_report):
    """Makes a report of 1,000 attempts with 3 criteria; `seed` changes what came out."""

    def make(seed=1, *, name="order agent"):
        draw = random.Random(seed)
        attempts = [_attempt(draw, case, run) for case in range(250) for run in (1, 2, 3, 4)]
        return make_report(attempts, runs=4, name=name)

    return make


def _attempt(draw, case, run):
    order = f"o_{1000 + case}"
    calls = tuple(
        ModelCall(
            model="openai/gpt-5-mini",
            input_tokens=draw.randint(700, 1500),
            output_tokens=draw.randint(40, 200),
            latency=round(draw.lognormvariate(0, 0.4), 3),
            cost=round(draw.uniform(0.001, 0.004), 6),
            finish_reasons=("stop",),
        )
        for _ in range(2)
    )
    asked, reply = f"Where is my order {order}?", REPLY.format(order=order)
    messages = (
        {
            "role": "system",
            "content": "You are the order agent of a shop. Never promise what no tool says. " * 10,
        },
        {"role": "user", "content": asked},
        {"role": "assistant", "content": reply},
    )
    interaction = Interaction(
        command_text=asked,
        reply=reply,
        tool_calls=(
            ToolCall("getOrder", {"orderId": order}, {"id": order, "status": "shipped", "run": run}),
        ),
        model_calls=calls,
        latency=sum(call.latency for call in calls),
        messages=messages,
    )
    return CaseResult(
        f"late-{order}", run, interaction, tuple(_judged(draw, name, order) for name in CRITERIA)
    )


def _judged(draw, name, order):
    measured = (
        Measurement(
            model="anthropic/claude-sonnet-4-5",
            criterion=f"{name}: says what happens next, and stays with what the tools returned",
            prompt="judge/score 1 3f2a9c81d0e4",
            requests=1,
            input_tokens=draw.randint(600, 900),
            output_tokens=draw.randint(60, 120),
            cost=0.002,
        ),
    )
    if draw.random() < 0.01:
        detail = "anthropic/claude-sonnet-4-5: 429 Too Many Requests after 6 requests"
        kind = Kind.JUDGE_FAILED
        return EvalResult(
            Outcome.INCONCLUSIVE, detail, kind, "judge", name, cause="rate limited", measurements=measured
        )
    score = round(min(1, max(0, draw.gauss(0.75, 0.15))), 2)
    detail = REASON.format(name=name, score=score, order=order)
    outcome = Outcome.PASS if score >= 0.5 else Outcome.FAIL
    return EvalResult(outcome, detail, None, "judge", name, score, 0.5, measurements=measured)
