"""`report.json`: written, described by its schema, and read back equal."""

import json
import os
import subprocess
import sys
import tempfile
from datetime import date
from decimal import Decimal
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.errors import FileUnreadable
from judgekit.evaluation import EvalResult, Kind, Measurement, Outcome
from judgekit.gate import Gate
from judgekit.interaction import GuardrailResult, Interaction, ModelCall, ToolCall
from judgekit.jsonable import json_line
from judgekit.records import attempt_from_json, attempt_to_json
from judgekit.reporting import EvalReport, document
from judgekit.reporting.document import ReportDocument, generated_schema, report_schema, schema_text
from judgekit.results import CaseResult

PASSED = EvalResult(Outcome.PASS, label="tools")
FAILED = EvalResult(Outcome.FAIL, "never called [x]; called no tools", label="tools")
MISSING = EvalResult(Outcome.INCONCLUSIVE, "x", Kind.JUDGE_FAILED, "judge", "polite", cause="rate limited")


def attempt(case_id, *results, run=1, **evidence):
    return CaseResult(case_id, run, Interaction(**evidence), results)


def written(report, folder):
    text = report.write(folder / "report.json").read_bytes().decode("utf-8")
    return json.loads(text, parse_constant=pytest.fail)


SCORED = EvalResult(
    Outcome.PASS,
    "polite: scored 0.90, needed 0.50 — thanks",
    label="judge",
    name="polite",
    score=0.9,
    threshold=0.5,
    measurements=(Measurement(model="m", requests=2, input_tokens=10, output_tokens=4, cost=0.5),),
)


@pytest.fixture
def full(make_report):
    """A report with something in every field."""
    calls = (ModelCall(model="m", input_tokens=12, output_tokens=3, latency=0.5, finish_reasons=("stop",)),)
    attempts = [
        attempt("a", PASSED, SCORED, reply="Hi", tool_calls=(ToolCall("f", {"x": 1}),), model_calls=calls),
        attempt("a", FAILED, MISSING, run=2, latency=0.25, guardrails=(GuardrailResult("pii", "x", False),)),
        attempt("b", PASSED, EvalResult(Outcome.INCONCLUSIVE, "no trace", Kind.NO_EVIDENCE, "token-budget")),
    ]
    return make_report(attempts, runs=2)


def test_the_document_says_what_the_report_says(full, tmp_path):
    data = written(full, tmp_path)
    attempts = data.pop("attempts")
    units = {unit["label"]: unit for unit in data["evaluators"]}
    for unit in (*units.values(), *units["judge"]["criteria"], data["summary"]):
        found = unit.pop("interval")
        if found is None and unit["passed"] + unit["failed"]:
            assert unit.pop("interval_reason") == "an interval over repeats needs at least 2 cases, got 1"
        if found is not None:
            assert (found["level"], found["method"]) in (
                (0.95, "wilson"),
                (0.95, "wilson at the effective n"),
            )
            assert 0 <= found["low"] < found["high"] <= 1
    assert list(units) == ["tools", "judge", "token-budget"]
    assert data == {
        "format": "judgekit-report",
        "format_version": 1,
        "name": "orders",
        "started_at": "2025-03-01T12:00:00Z",
        "finished_at": "2025-03-01T12:00:07.250000Z",
        "runs": 2,
        "gate": {"outcome": "fail", "detail": "failed cases [a (run 2)]"},
        "summary": {
            "cases": 2,
            "attempts": 3,
            "passed": 2,
            "failed": 1,
            "inconclusive": 0,
            "nothing_conclusive": 0,
            "pass_rate": 2 / 3,
        },
        "evaluators": [
            counted("label", "tools", 2, 1),
            {
                **counted("label", "judge", 1, 0, {"judge failed: rate limited": 1}, mean=0.9),
                "criteria": [counted("name", "polite", 1, 0, {"judge failed: rate limited": 1}, mean=0.9)],
            },
            {**counted("label", "token-budget", 0, 0), "inconclusive": 1},
        ],
        "spend": {
            "attempts_with_evidence": 1,
            "model_calls": 1,
            "input_tokens": 12,
            "input_complete": True,
            "output_tokens": 3,
            "output_complete": True,
            "cost": None,
            "cost_complete": False,
            "latency": 0.25,
            "slowest": {"id": "a", "run": 2, "latency": 0.25},
        },
        "judges": {
            "verdicts": 1,
            "asked": 1,
            "cached": 0,
            "requests": 2,
            "retries": 1,
            "input_tokens": 10,
            "output_tokens": 4,
            "tokens_complete": True,
            "cost": 0.5,
            "cost_complete": True,
            "models": ["m"],
        },
        "cases": [
            {
                "id": "a",
                "outcome": "inconsistent",
                "requirements": [
                    {"position": 1, "label": "tools", "passed": [1], "failed": [2], "inconclusive": []},
                    {
                        "position": 2,
                        "label": "judge",
                        "name": "polite",
                        "passed": [1],
                        "failed": [],
                        "inconclusive": [2],
                    },
                ],
            },
            {
                "id": "b",
                "outcome": "pass",
                "requirements": [
                    {"position": 1, "label": "tools", "passed": [1], "failed": [], "inconclusive": []},
                    {
                        "position": 2,
                        "label": "token-budget",
                        "passed": [],
                        "failed": [],
                        "inconclusive": [1],
                    },
                ],
            },
        ],
    }
    assert [(one["id"], one["run"], one["outcome"]) for one in attempts] == [
        ("a", 1, "pass"),
        ("a", 2, "fail"),
        ("b", 1, "pass"),
    ]
    assert attempts == [json.loads(json_line(attempt_to_json(one))) for one in full.results]


def counted(key, name, good, bad, missing=None, *, mean=None):
    missing = missing or {}
    return {
        key: name,
        "passed": good,
        "failed": bad,
        "inconclusive": sum(missing.values()),
        "not_run": 0,
        "missing": missing,
        "mean_score": mean,
    }


def test_what_did_not_happen_is_null(make_report, tmp_path):
    data = written(make_report([attempt("a", PASSED)]), tmp_path)
    assert data["spend"] is None
    assert data["judges"] is None
    empty = written(make_report([]), tmp_path)
    assert empty["summary"]["pass_rate"] is None
    assert empty["summary"]["interval"] is None
    assert empty["cases"] == empty["attempts"] == []


def test_the_shipped_schema_is_that_of_the_models():
    shipped = (Path(document.__file__).parent / "report.schema.json").read_text(encoding="utf-8")
    assert shipped == schema_text(), "write schema_text() to judgekit/reporting/report.schema.json"
    assert report_schema() == generated_schema()
    jsonschema.Draft202012Validator.check_schema(report_schema())


def test_written_reports_fit_the_schema_and_hold_nothing_beyond_it(full, make_report, tmp_path):
    for report in (full, make_report([])):
        data = written(report, tmp_path)
        jsonschema.validate(data, report_schema(), jsonschema.Draft202012Validator)
        ReportDocument.model_validate(data, extra="forbid")


def test_the_schema_refuses_what_is_no_report(full, tmp_path):
    data = written(full, tmp_path)
    data["attempts"][0]["outcome"] = "green"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, report_schema())


def test_a_report_reads_back_equal_and_renders_the_same(full, tmp_path):
    back = EvalReport.read(full.write(tmp_path / "report.json"))
    assert back == full
    assert back.render(all=True, intervals=True) == full.render(all=True, intervals=True)
    assert back.cases == full.cases
    assert back.file == tmp_path / "report.json"
    assert EvalReport.read(tmp_path) == full


def test_a_report_of_a_killed_run_reads_back_equal(full, tmp_path):
    fields = ("name", "started_at", "runs", "counts", "results", "decision")
    killed = EvalReport(finished_at=None, **{name: getattr(full, name) for name in fields})
    assert written(killed, tmp_path)["finished_at"] is None
    assert EvalReport.read(tmp_path) == killed


def test_attempts_that_lie_in_a_journal_are_copied_byte_by_byte(make_report, tmp_path):
    class Journal(list):
        def lines(self):
            for one in self:
                yield json.dumps(attempt_to_json(one), indent=None, separators=(" , ", " : ")).encode()

    plain = make_report([attempt("a", PASSED, reply="Hi"), attempt("b", PASSED)])
    fields = ("name", "started_at", "finished_at", "runs", "counts", "decision")
    report = EvalReport(results=Journal(plain.results), **{name: getattr(plain, name) for name in fields})
    text = report.write(tmp_path / "report.json").read_text(encoding="utf-8")
    assert '"reply" : "Hi"' in text
    assert EvalReport.read(tmp_path) == plain


def test_values_that_json_has_no_type_for_are_written_as_text(make_report, tmp_path):
    """RN10."""
    arguments = {"day": date(2024, 1, 2), "amount": Decimal("9.90"), "tags": {"b"}, "raw": b"x"}
    data = written(make_report([attempt("a", PASSED, tool_calls=(ToolCall("f", arguments),))]), tmp_path)
    assert data["attempts"][0]["interaction"]["tool_calls"][0]["arguments"] == {
        "day": "2024-01-02",
        "amount": "9.90",
        "tags": "{'b'}",
        "raw": "x",
    }


def test_no_nan_ever_reaches_the_file(make_report, tmp_path):
    """RP11."""
    arguments = {"x": float("nan"), "y": [float("inf")]}
    data = written(make_report([attempt("a", PASSED, tool_calls=(ToolCall("f", arguments),))]), tmp_path)
    assert data["attempts"][0]["interaction"]["tool_calls"][0]["arguments"] == {"x": "nan", "y": ["inf"]}


WRITES = """
import sys
from datetime import UTC, datetime
from judgekit.evaluation import EvalResult, Outcome
from judgekit.gate import Gate
from judgekit.interaction import Interaction
from judgekit.reporting import EvalReport
from judgekit.results import CaseResult, Results

result = EvalResult(Outcome.FAIL, "é ✅ 漢 \\ud800", label="tools")
counts = Results(["ä"])
counts.add(0, 1, Interaction(), [result])
now = datetime.now(UTC)
report = EvalReport(name="x", started_at=now, finished_at=now, runs=1, counts=counts,
    results=[CaseResult("ä", 1, Interaction(), (result,))],
    decision=Gate.all_cases_should_pass().decide(counts))
report.write(sys.argv[1] + "/report.json")
report.write(sys.argv[1] + "/report.txt")
"""


def test_files_are_utf_8_whatever_the_locale(tmp_path):
    """RP09."""
    environment = {**os.environ, "PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    script = tmp_path / "writes.py"
    script.write_text(WRITES, encoding="utf-8")
    command = [sys.executable, "-X", "utf8=0", str(script), str(tmp_path)]
    environment["PYTHONPATH"] = str(Path(__file__).parents[2])
    subprocess.run(command, env=environment, check=True)
    detail = json.loads((tmp_path / "report.json").read_bytes().decode("utf-8"))["attempts"][0]["results"][0]
    assert detail["detail"].startswith("é ✅ 漢 ")
    assert "FAIL tools: é ✅ 漢 \\ud800" in (tmp_path / "report.txt").read_bytes().decode("utf-8")


# what is no report


def broken(report, folder, change):
    data = written(report, folder)
    change(data)
    path = folder / "report.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda d: d.update(format="junit"), "this is no report; a report has `format` 'judgekit-report'"),
        (lambda d: d.update(format_version=2), "a report of version 2; this judgekit reads 1"),
        (lambda d: d.pop("gate"), "gate: Field required"),
        (lambda d: d["attempts"][1].update(run="2"), r"attempts\.1\.run: Input should be a valid integer"),
        (lambda d: d["attempts"][0]["results"][0].update(score=True), r"attempts\.0\.results\.0\.score"),
        (lambda d: d["attempts"][0]["results"][0].update(kind="no_evidence"), "`kind` belongs to"),
        (lambda d: d["attempts"][2].update(id="a"), "the attempt 'a' run 1 stands there twice"),
        (lambda d: d["attempts"][2].update(id="z"), "the attempt 'z' run 1 is of no listed case"),
        (lambda d: d["cases"][1].update(id="a"), "two cases have the same id"),
        (lambda d: d.update(started_at="2025-03-01T12:00:00"), "started_at: .*timezone"),
    ],
)
def test_what_is_no_report_is_refused_with_the_place(full, tmp_path, change, complaint):
    path = broken(full, tmp_path, change)
    with pytest.raises(FileUnreadable, match=complaint) as raised:
        EvalReport.read(path)
    assert str(raised.value).startswith(f"{path}: ")


def test_many_problems_are_summed_up(make_report, tmp_path):
    report = make_report([attempt(str(number), PASSED) for number in range(20)])
    path = broken(report, tmp_path, lambda data: [one.pop("run") for one in data["attempts"]])
    with pytest.raises(FileUnreadable, match=r"and 15 more$"):
        EvalReport.read(path)


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff\xfe", b'{"a": NaN}', b"[" * 100_000])
def test_a_file_that_is_no_json_object_is_refused(tmp_path, content):
    path = tmp_path / "report.json"
    path.write_bytes(content)
    with pytest.raises(FileUnreadable, match="this is no"):
        EvalReport.read(path)


def test_a_byte_order_mark_and_unknown_keys_are_no_hindrance(full, tmp_path):
    path = broken(full, tmp_path, lambda data: data.update(added_later=1))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert EvalReport.read(path) == full


def test_a_journal_is_sent_to_the_store(tmp_path):
    journal = tmp_path / "journal.jsonl"
    journal.write_text("{}\n")
    for path in (tmp_path, journal):
        with pytest.raises(FileUnreadable, match=r"this is a journal; write judgekit\.store\.read_run\("):
            EvalReport.read(path)


def test_a_file_that_is_not_there_is_not_found(tmp_path):
    for path in (tmp_path, tmp_path / "other.json"):
        with pytest.raises(FileNotFoundError):
            EvalReport.read(path)


# round trip


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
COUNT = st.none() | st.integers(0, 10**6)
AMOUNT = st.none() | st.floats(0, 1e6)
TOOL_CALLS = st.builds(
    ToolCall,
    TEXT.filter(str.strip),
    st.dictionaries(TEXT, JSON, max_size=2),
    JSON,
    st.none() | TEXT,
    st.none() | TEXT,
)
MODEL_CALLS = st.builds(
    ModelCall,
    model=st.none() | TEXT,
    provider=st.none() | TEXT,
    input_tokens=COUNT,
    output_tokens=COUNT,
    latency=AMOUNT,
    cost=AMOUNT,
    finish_reasons=st.lists(TEXT, max_size=2).map(tuple),
    messages=st.lists(st.dictionaries(TEXT, JSON, max_size=2), max_size=2).map(tuple),
)
EVIDENCE = st.builds(
    Interaction,
    command_text=TEXT,
    user_message=TEXT,
    reply=st.none() | TEXT,
    model_text=st.none() | TEXT,
    tool_calls=st.none() | st.lists(TOOL_CALLS, max_size=2).map(tuple),
    model_calls=st.none() | st.lists(MODEL_CALLS, max_size=2).map(tuple),
    guardrails=st.lists(
        st.builds(GuardrailResult, TEXT, st.none() | TEXT, st.booleans(), st.none() | TEXT), max_size=2
    ).map(tuple),
    latency=AMOUNT,
    input_tokens=COUNT,
    output_tokens=COUNT,
    cost=AMOUNT,
    blocked=st.booleans(),
    replayed=st.booleans(),
    error=st.none() | TEXT,
    messages=st.lists(st.dictionaries(TEXT, JSON, max_size=2), max_size=2).map(tuple),
)
MEASUREMENTS = st.builds(
    Measurement,
    model=TEXT,
    model_served=st.none() | TEXT,
    criterion=TEXT,
    schema=TEXT,
    parameters=st.dictionaries(TEXT, JSON, max_size=2),
    notes=st.lists(TEXT, max_size=2).map(tuple),
    requests=st.integers(0, 5),
    asked=st.booleans(),
    cached=st.booleans(),
    tokens_complete=st.booleans(),
    cost_complete=st.booleans(),
    input_tokens=COUNT,
    output_tokens=COUNT,
    cost=AMOUNT,
)
LABEL = st.sampled_from(["tools", "judge", "custom-eval:x"])


@st.composite
def found(draw):
    outcome = draw(st.sampled_from(list(Outcome)))
    kind = draw(st.sampled_from(list(Kind))) if outcome is Outcome.INCONCLUSIVE else None
    return EvalResult(
        outcome,
        draw(TEXT),
        kind,
        draw(LABEL),
        name=draw(st.none() | TEXT),
        score=draw(st.none() | st.floats(0, 1)),
        threshold=draw(st.none() | st.floats(0, 1)),
        cause=draw(st.none() | TEXT),
        measurements=draw(st.lists(MEASUREMENTS, max_size=1).map(tuple)),
    )


PLACES = st.lists(st.tuples(TEXT.filter(str.strip), st.integers(1, 3)), max_size=4, unique=True)


@settings(max_examples=60)
@given(PLACES, st.data(), TEXT)
def test_every_report_reads_back_equal(make_report, places, data, name):
    attempts = [
        CaseResult(case_id, run, data.draw(EVIDENCE), tuple(data.draw(st.lists(found(), max_size=3))))
        for case_id, run in places
    ]
    report = make_report(attempts, name=name, gate=Gate.target_should_not_fail())
    with tempfile.TemporaryDirectory() as folder:
        data_written = written(report, Path(folder))
        back = EvalReport.read(folder)
    jsonschema.validate(data_written, report_schema(), jsonschema.Draft202012Validator)
    ReportDocument.model_validate(data_written, extra="forbid")
    assert back == report
    assert back.render(all=True) == report.render(all=True)
    assert [attempt_from_json(one) for one in data_written["attempts"]] == list(report.results)
