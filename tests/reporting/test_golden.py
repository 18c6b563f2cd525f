"""Four reports in every format, as they were looked at; JUDGEKIT_WRITE_GOLDEN=1 writes them anew."""

import os
import re
from pathlib import Path

import pytest

from judgekit.evaluation import EvalResult, Kind, Measurement, Outcome
from judgekit.interaction import Interaction, ModelCall, ToolCall
from judgekit.reporting.formats import FORMATS
from judgekit.results import CaseResult

FOLDER = Path(__file__).with_name("golden")

CALL = ModelCall(model="m/agent", input_tokens=120, output_tokens=30, latency=0.5, cost=0.0004)
TOOL = ToolCall("getOrder", {"orderId": "o_42"}, {"status": "shipped"})
TURN = {"command_text": "Where is o_42?", "model_calls": (CALL,), "latency": 0.5, "tool_calls": (TOOL,)}
TOOLS = EvalResult(Outcome.PASS, label="tool-arguments")
RUDE = EvalResult(Outcome.FAIL, "reply does not carry [shipped]", label="reply-contains")
JUDGED = Measurement(
    model="m/judge", criterion="polite", requests=1, input_tokens=90, output_tokens=9, cost=0.001
)
POLITE = EvalResult(
    Outcome.PASS,
    "polite: scored 0.90, needed 0.50 — kind",
    None,
    "judge",
    "polite",
    0.9,
    0.5,
    None,
    (JUDGED,),
)
UNKNOWN = EvalResult(
    Outcome.INCONCLUSIVE, "429 after 6 requests", Kind.JUDGE_FAILED, "judge", "polite", cause="rate limited"
)


def attempt(case_id, *results, run=1, reply="It has been shipped."):
    return CaseResult(case_id, run, Interaction(reply=reply, **TURN), results)


REPORTS = {
    "passed": [attempt("status", TOOLS, POLITE), attempt("again", TOOLS)],
    "failed": [
        attempt("status", TOOLS, POLITE),
        attempt("status", TOOLS, RUDE, run=2, reply="It is lost."),
        attempt("flaky", RUDE),
        attempt("flaky", EvalResult(Outcome.PASS, label="reply-contains"), run=2),
    ],
    "inconclusive": [attempt("status", TOOLS, UNKNOWN), attempt("again", TOOLS, POLITE)],
    "empty": [],
}


def stable(text):
    """The page without our script and style, which have tests of their own, as have the line ends of CSV."""
    text = text.replace("\r\n", "\n")
    text = re.sub(r"(<style>|<script>).*?(</style>|</script>)", r"\1\2", text, flags=re.DOTALL)
    return re.sub(r"sha256-[^&\"']+", "sha256-…", text)


@pytest.mark.parametrize("entry", FORMATS, ids=lambda entry: entry.name)
@pytest.mark.parametrize("name", REPORTS)
def test_a_report_reads_as_it_did(make_report, name, entry, tmp_path):
    runs = max((one.run for one in REPORTS[name]), default=1)
    path = make_report(REPORTS[name], runs=runs).write(tmp_path / f"{name}{entry.suffixes[0]}")
    found = stable(path.read_bytes().decode("utf-8"))
    golden = FOLDER / path.name
    if os.environ.get("JUDGEKIT_WRITE_GOLDEN"):
        golden.write_text(found, encoding="utf-8", newline="\n")
    assert found == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", REPORTS)
def test_each_golden_report_comes_to_what_it_is_called(make_report, name):
    outcome = {"passed": "pass", "failed": "fail"}.get(name, "inconclusive")
    assert make_report(REPORTS[name]).decision.outcome.value == outcome
