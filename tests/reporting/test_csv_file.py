"""CSV: one row a result, read back by the csv module, and no formula in it."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.evaluation import EvalResult, Kind, Measurement, Outcome
from judgekit.interaction import Interaction, ToolCall
from judgekit.reporting.csv_file import COLUMNS
from judgekit.results import CaseResult

PASSED = EvalResult(Outcome.PASS, label="tools")
MISSING = EvalResult(Outcome.INCONCLUSIVE, "x", Kind.JUDGE_FAILED, "judge", "polite", cause="rate limited")
SCORED = EvalResult(
    Outcome.FAIL,
    "rude",
    label="judge",
    name="polite",
    score=0.25,
    threshold=0.5,
    measurements=(Measurement(model="m/a", cost=0.5), Measurement(model="m/b", cost=0.25)),
)


def attempt(case_id, *results, run=1, **evidence):
    return CaseResult(case_id, run, Interaction(**evidence), results)


def rows_of(report):
    return list(csv.DictReader(io.StringIO(report.render("csv"), newline="")))


def test_each_result_is_a_row(make_report):
    evidence = {
        "command_text": "Where is o_42?",
        "reply": 'He said "hi",\nthen left.',
        "tool_calls": (ToolCall("getOrder"), ToolCall("notify")),
        "latency": 0.5,
        "input_tokens": 12,
        "output_tokens": 3,
        "cost": 0.001,
    }
    rows = rows_of(make_report([attempt("a", PASSED, SCORED, **evidence), attempt("b", MISSING)]))
    assert [row["case"] for row in rows] == ["a", "a", "b"]
    assert rows[1] == {
        "case": "a",
        "run": "1",
        "attempt_outcome": "fail",
        "label": "judge",
        "criterion": "polite",
        "outcome": "fail",
        "kind": "",
        "cause": "",
        "score": "0.25",
        "threshold": "0.5",
        "detail": "rude",
        "asked": "Where is o_42?",
        "reply": 'He said "hi",\nthen left.',
        "tools_called": "getOrder → notify",
        "latency": "0.5",
        "input_tokens": "12",
        "output_tokens": "3",
        "cost": "0.001",
        "judges": "m/a, m/b",
        "judge_cost": "0.75",
    }
    assert (rows[2]["kind"], rows[2]["cause"], rows[2]["latency"]) == ("judge_failed", "rate limited", "")


def test_an_attempt_without_results_is_a_row_too(make_report):
    (row,) = rows_of(make_report([attempt("a", reply="hi")]))
    assert (row["case"], row["attempt_outcome"], row["label"], row["reply"]) == ("a", "pass", "", "hi")


def test_lines_end_as_the_standard_says_and_the_file_is_utf_8(make_report, tmp_path):
    path = make_report([attempt("é ✅ 漢", PASSED)]).write(tmp_path / "out.csv")
    lines = path.read_bytes().split(b"\r\n")
    assert lines[0].decode() == ",".join(COLUMNS)
    assert lines[1].decode().startswith("é ✅ 漢,1,pass,tools")
    assert lines[2:] == [b""]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", " =", "\n=", "＝", "\t", "=1+1\r"])
def test_a_formula_is_text(make_report, start):
    (row,) = rows_of(make_report([attempt("a", PASSED, reply=f"{start}cmd|' /C calc'!A0")]))
    assert row["reply"].startswith("'")
    assert row["reply"].endswith("cmd|' /C calc'!A0")


@given(st.text(), st.text())
def test_any_text_stays_in_its_cell(make_report, reply, detail):
    result = EvalResult(Outcome.FAIL, detail, label="x")
    (row,) = rows_of(make_report([attempt("a", result, reply=reply)]))
    assert set(row) == set(COLUMNS)
    for name in ("reply", "detail"):
        assert not row[name].lstrip().startswith(("=", "+", "-", "@"))
        assert "\x00" not in row[name]


def test_hostile_text_parses_and_is_shown(hostile_report, hostile_texts):
    hostile_report.render("csv").encode()
    csv.field_size_limit(131_072)
    rows = rows_of(hostile_report)
    assert len(rows) == 6 * len(hostile_texts)
    for number in range(len(hostile_texts)):
        own = [row for row in rows if f"mark-{number}" in row["case"].split(" ")]
        assert len(own) == 6
        for row in own:
            for name in ("label", "criterion", "detail", "asked", "reply", "tools_called"):
                assert f"mark-{number}" in row[name] or (
                    name == "criterion" and row["label"].startswith("c ")
                )
                assert not row[name].startswith(("=", "+", "-", "@", "\t", "\r"))
                assert len(row[name]) < 32_767
