"""Recorded interactions are read from every kind of file, and bad lines are all named."""

import csv
import gzip
import json
import sys

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit import EvalCase, ExperimentRunner, FileUnreadable, Interaction, InvalidArgument, ToolCall
from judgekit.datasets import load_interactions
from judgekit.errors import ExtraMissing
from judgekit.evaluators import reply_should_contain
from judgekit.jsonable import json_line
from judgekit.records import JournalWarning, attempt_to_json
from judgekit.results import CaseResult

ROWS = [
    {"id": "late", "question": "Where is o_42?", "answer": "It is late.", "stars": 2},
    {"id": "hi", "question": "Hello", "answer": "Hi!", "stars": 5},
    {"id": "late", "question": "Where is o_42?", "answer": "Soon.", "stars": 3},
]


def written(path, text, *, mark=False):
    path.write_bytes((b"\xef\xbb\xbf" if mark else b"") + text.encode())
    return path


def lines(rows):
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n"


def check(path):
    late, hi = load_interactions(path, asked="question", reply="answer")
    assert (late.id, late.command, hi.id) == ("late", "Where is o_42?", "hi")
    assert [run.reply for run in late.interactions] == ["It is late.", "Soon."]
    assert [run.command_text for run in late.interactions] == ["Where is o_42?"] * 2
    assert late.interactions[0].tool_calls is None
    assert [str(extra["stars"]) for extra in late.metadata["rows"]] == ["2", "3"]
    return late, hi


def test_json_lines_with_a_byte_order_mark_and_blank_lines(tmp_path):
    # IN03
    check(written(tmp_path / "replies.jsonl", "\n" + lines(ROWS) + "\n   \n", mark=True))


def test_the_same_rows_as_json_packed_and_yaml(tmp_path):
    check(written(tmp_path / "replies.json", json.dumps(ROWS), mark=True))
    packed = tmp_path / "replies.jsonl.gz"
    packed.write_bytes(gzip.compress(lines(ROWS).encode()))
    check(packed)
    check(written(tmp_path / "replies.yaml", json.dumps(ROWS, indent=1)))


@pytest.mark.parametrize(("name", "delimiter"), [("replies.csv", ","), ("replies.tsv", "\t")])
def test_csv_with_a_byte_order_mark_and_line_breaks_inside(tmp_path, name, delimiter):
    with (tmp_path / name).open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=ROWS[0], delimiter=delimiter)
        writer.writeheader()
        writer.writerows(ROWS)
        writer.writerow({"id": "long", "question": 'a "b"\n\nc', "answer": "é" * 200_000, "stars": ""})
    *_, long = load_interactions(tmp_path / name, asked="question", reply="answer")
    assert long.command == 'a "b"\n\nc'
    assert len(long.interactions[0].reply) == 200_000
    assert csv.field_size_limit() == 131072


def test_parquet(tmp_path):
    rows = written(tmp_path / "rows.json", json.dumps(ROWS))
    duckdb.sql(f"COPY (SELECT * FROM read_json('{rows}')) TO '{tmp_path / 'rows.parquet'}' (FORMAT parquet)")
    check(tmp_path / "rows.parquet")
    with pytest.raises(FileUnreadable, match="it is no Parquet file"):
        load_interactions(written(tmp_path / "bad.parquet", "x"))


def test_parquet_without_duckdb_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    with pytest.raises(ExtraMissing, match=r"pip install judgekit-evals\[data\]"):
        load_interactions(written(tmp_path / "rows.parquet", "x"))


def test_messages_carry_the_question_the_calls_and_the_reply(tmp_path):
    messages = [
        {"role": "system", "content": "x"},
        {"role": "user", "content": "Where is o_42?"},
        {
            "role": "assistant",
            "tool_calls": [{"id": "c", "function": {"name": "getOrder", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "c", "content": "late"},
        {"role": "assistant", "content": "It is late."},
        {"role": "user", "content": "Thanks"},
        {"role": "assistant", "content": "Bye."},
    ]
    rows = [{"traj": messages, "expected": ["getOrder"]}, {"traj": json.dumps(messages), "expected": None}]
    first, second = load_interactions(written(tmp_path / "t.jsonl", lines(rows)), messages="traj")
    assert (first.id, second.id) == ("row-1", "row-2")
    assert first.command == second.command == "Where is o_42?"
    assert first.metadata == {"expected": ["getOrder"]}
    assert second.metadata == {}
    (run,) = first.interactions
    assert (run.reply, run.user_message) == ("Bye.", "Thanks")
    assert run.tool_calls == (ToolCall("getOrder", {}, "late", id="c"),)


def test_columns_have_usual_names_and_evaluators_come_from_the_row(tmp_path):
    row = {"asked": {"order": 42}, "reply": None, "expected": "late"}
    (case,) = load_interactions(
        written(tmp_path / "r.jsonl", lines([row])),
        evaluators=lambda row: [reply_should_contain(row["expected"])],
    )
    assert case.command == {"order": 42}
    assert case.interactions == (Interaction(command_text='{"order": 42}', reply=None),)
    assert case.evaluators == (reply_should_contain("late"),)


def test_rows_in_other_columns_say_how_to_name_them(tmp_path):
    path = tmp_path / "calls.jsonl"
    path.write_text('{"asked": "a", "answer": "b"}', encoding="utf-8")
    with pytest.raises(
        FileUnreadable, match=r"it has \['answer', 'asked'\]; name its column, `reply` or --reply"
    ):
        ExperimentRunner("x").cases(load_interactions(path)).run()


def test_every_bad_line_is_named_in_one_error(tmp_path):
    text = "\n".join(
        [
            '{"question": "a", "answer": "b"}',
            "",
            '{"question": "a"',
            '["a"]',
            '{"question": "a", "answer": "b", "answer": "c"}',
            '{"question": "a"}',
            '{"question": " ", "answer": "b"}',
            '{"id": " ", "question": "a", "answer": "b"}',
            '{"question": "a", "answer": NaN}',
        ]
    )
    path = tmp_path / "calls.jsonl"
    path.write_bytes(text.encode() + b'\n{"question": "\xff"}\n' + b"[" * 100_000)
    with pytest.raises(FileUnreadable) as raised:
        load_interactions(path, asked="question", reply="answer")
    head, *problems = str(raised.value).split("\n")
    assert head == "calls.jsonl cannot be read as cases:"
    assert [problem.strip().split(":")[0] for problem in problems] == [
        f"line {n}" for n in (3, 4, 5, 6, 7, 8, 9, 10, 11)
    ]
    assert "no 'answer'; it has ['question']" in problems[3]
    assert "nothing was asked" in problems[4]


def test_one_id_for_two_questions_is_refused_with_both_places(tmp_path):
    rows = [{"id": 1, "asked": "a", "reply": "x"}, {"id": "1", "asked": "b", "reply": "y"}]
    with pytest.raises(FileUnreadable, match="line 2: id '1' was asked something else in line 1"):
        load_interactions(written(tmp_path / "r.jsonl", lines(rows)))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("r.csv", "a,b\n1\n", "line 2: it has 1 fields where the head has 2"),
        ("r.csv", "a,a\n1,2\n", r"columns \['a'\] appear twice"),
        ("r.csv", 'a,b\n"1,2\n', "line 2: unexpected end of data"),
        ("r.json", "{}", "r.json: it must be a list of rows, got dict"),
        ("r.json", "[", "r.json: it is no JSON"),
        ("r.yaml", "a: [", "r.yaml: line 1"),
        ("r.yaml", "- reply: x\n  reply: y\n", "line 2: the key 'reply' stands twice"),
        ("r.yaml", "x", "it must be a list of rows, got str"),
        ("r.jsonl", "\n\n", "r.jsonl holds no rows"),
        ("r.csv", "", "r.csv holds no rows"),
        (
            "r.xlsx",
            "x",
            r"rows are read from .jsonl, .json, .csv, .tsv, .yaml and .parquet files, got '.xlsx'",
        ),
        ("r.jsonl.gz", "x", "it is no gzip file"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(tmp_path, name, text, message):
    with pytest.raises(FileUnreadable, match=message):
        load_interactions(written(tmp_path / name, text))


def test_a_file_that_is_not_there_and_a_column_that_is_none(tmp_path):
    with pytest.raises(FileUnreadable, match="there is no such file"):
        load_interactions(tmp_path / "none.jsonl")
    with pytest.raises(InvalidArgument, match="`reply` must be the name of a column"):
        load_interactions(tmp_path / "none.jsonl", reply="")


def test_yaml_values_stay_as_typed(tmp_path):
    # IN01
    text = "- asked: yes\n  reply: no\n  day: 2024-01-02\n  clock: 12:30\n  big: 1_000\n"
    text += "  n: 7\n  ok: true\n  x: ~\n"
    (case,) = load_interactions(written(tmp_path / "r.yaml", text))
    assert (case.command, case.interactions[0].reply) == ("yes", "no")
    assert case.metadata == {
        "day": "2024-01-02",
        "clock": "12:30",
        "big": "1_000",
        "n": 7,
        "ok": True,
        "x": None,
    }


def attempt(case_id, run, reply):
    interaction = Interaction(
        command_text=f"ask {case_id}", reply=reply, tool_calls=[ToolCall("f", {"n": 1}, "x")]
    )
    return json_line(attempt_to_json(CaseResult(case_id, run, interaction, ())))


def test_an_earlier_run_is_read_from_its_journal_in_the_order_of_its_cases(tmp_path):
    head = json_line({"format": "judgekit-journal", "format_version": 1, "cases": [["b", 2, 0], ["a", 1, 0]]})
    journal = [head, attempt("a", 1, "A"), attempt("b", 2, "B2"), attempt("b", 1, "B1")]
    written(tmp_path / "journal.jsonl", "\n".join(journal) + '\n{"decision": {}}\n{"id": "c", "interac')
    for path in (tmp_path, tmp_path / "journal.jsonl"):
        with pytest.warns(JournalWarning, match="line 6: it is no JSON"):
            b, a = load_interactions(path)
        assert (b.id, b.command, a.id) == ("b", "ask b", "a")
        assert [run.reply for run in b.interactions] == ["B1", "B2"]
        assert b.interactions[0].tool_calls == (ToolCall("f", {"n": 1}, "x"),)


# RC07
@pytest.mark.parametrize("between", ["\n", ""])
def test_a_journal_with_a_torn_line_is_read_without_it(tmp_path, between):
    head = json_line({"format": "judgekit-journal", "format_version": 1, "cases": [["a", 1, 0], ["c", 1, 0]]})
    torn = attempt("b", 1, "B")[:30]
    text = "\n".join(
        [head, attempt("a", 1, "A"), torn + between + attempt("x", 1, "X"), attempt("c", 1, "C")]
    )
    path = written(tmp_path / "journal.jsonl", f"{text}\n")
    with pytest.warns(JournalWarning, match="line 3: it is no JSON"):
        cases = load_interactions(path)
    assert [case.id for case in cases] == (["a", "c", "x"] if between else ["a", "c"])


TALK = [
    {"role": "user", "content": "Where is o_42?"},
    {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c", "content": "late"},
    {"role": "assistant", "content": "It is late."},
]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("talks.jsonl", lines([TALK, TALK])),
        ("talks.json", json.dumps([TALK, TALK])),
        ("talk.json", json.dumps(TALK)),
    ],
)
def test_a_transcript_is_a_row_of_its_own(tmp_path, name, text):
    cases = load_interactions(written(tmp_path / name, text, mark=True))
    assert [case.id for case in cases] == [f"row-{n}" for n in range(1, len(cases) + 1)]
    assert len(cases) == (1 if name == "talk.json" else 2)
    for case in cases:
        assert case.command == "Where is o_42?"
        assert case.interactions[0].reply == "It is late."
        assert case.interactions[0].tool_calls == (ToolCall("f", {}, "late", id="c"),)


def test_a_transcript_that_is_none_is_named(tmp_path):
    path = written(tmp_path / "talks.jsonl", lines([TALK, [1]]))
    with pytest.raises(FileUnreadable, match=r"line 2: messages\[0\] must be a chat message"):
        load_interactions(path)


def exported(number, question, prefix="x", **attributes):
    messages = {
        "gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": question}]}],
        "gen_ai.output.messages": [{"role": "assistant", "parts": [{"type": "text", "content": "Here."}]}],
    }
    spans = [
        ("root", {f"{prefix}.{key}": value for key, value in attributes.items()}, ""),
        (
            "chat m",
            {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
            | {key: json.dumps(value) for key, value in messages.items()},
            f"{number:015x}1",
        ),
    ]
    written = [
        {
            "traceId": f"{number:032x}",
            "spanId": f"{number:015x}{position}",
            "parentSpanId": parent,
            "name": name,
            "startTimeUnixNano": str((number * 10 + position) * 10**9),
            "endTimeUnixNano": str((number * 10 + 5) * 10**9),
            "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in held.items()],
        }
        for position, (name, held, parent) in enumerate(spans, start=1)
    ]
    return {"resourceSpans": [{"scopeSpans": [{"scope": {"name": "x"}, "spans": written}]}]}


def test_traces_are_runs_of_the_case_that_an_attribute_names(tmp_path):
    pytest.importorskip("opentelemetry.proto_json", reason="opentelemetry-proto-json is not installed")
    exports = [exported(1, "A?", case="a"), exported(2, "B?", case="b"), exported(3, "A?", case="a")]
    for path in (
        written(tmp_path / "traces.jsonl", lines(exports), mark=True),
        tmp_path / "traces.jsonl.gz",
    ):
        if path.suffix == ".gz":
            path.write_bytes(gzip.compress(lines(exports).encode()))
        a, b = load_interactions(path, id="x.case")
        assert (a.id, a.command, b.id) == ("a", "A?", "b")
        assert [run.reply for run in a.interactions] == ["Here."] * 2
        assert a.metadata["trace_id"] == f"{1:032x}"
        assert [case.id for case in load_interactions(path)] == ["row-1", "row-2", "row-3"]
    whole = written(tmp_path / "trace.json", json.dumps(exports[1], indent=1))
    assert [case.command for case in load_interactions(whole)] == ["B?"]


def test_traces_of_one_session_are_the_turns_of_a_conversation(tmp_path):
    pytest.importorskip("opentelemetry.proto_json", reason="opentelemetry-proto-json is not installed")
    said = [("s1", "A?"), ("s2", "A?"), ("s1", "And then?"), ("s2", "And now?")]
    exports = [
        exported(number, question, "judgekit", case="talk", session=session)
        for number, (session, question) in enumerate(said, start=1)
    ]
    (case,) = load_interactions(written(tmp_path / "traces.jsonl", lines(exports)), id="judgekit.case")
    assert (case.id, case.command) == ("talk", "A?")
    assert [[turn.user_message for turn in run.turns] for run in case.interactions] == [
        ["A?", "And then?"],
        ["A?", "And now?"],
    ]
    talk = EvalCase.conversation("talk", ["A?", "And then?"], interactions=case.interactions[:1])
    report = ExperimentRunner("talk").cases(talk).evaluator(reply_should_contain("Here"))
    assert report.without_report_file().run().passed


def test_traces_of_one_id_that_were_asked_different_things_are_refused(tmp_path):
    pytest.importorskip("opentelemetry.proto_json", reason="opentelemetry-proto-json is not installed")
    exports = [exported(1, "A?", case="a"), exported(2, "B?", case="a")]
    path = written(tmp_path / "traces.jsonl", lines(exports))
    with pytest.raises(FileUnreadable, match=r"trace 2: id 'a' was asked something else in trace 1"):
        load_interactions(path, id="x.case")
    with pytest.raises(FileUnreadable, match=r"trace 1: no 'x.name'; it has"):
        load_interactions(path, id="x.name")


def test_traces_need_their_decoder(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "opentelemetry.proto_json.trace.v1.trace", None)
    path = written(tmp_path / "traces.jsonl", lines([exported(1, "A?")]))
    with pytest.raises(ExtraMissing, match=r"judgekit-evals\[otel\]"):
        load_interactions(path)


def test_an_earlier_run_is_read_from_its_report(tmp_path):
    attempts = [json.loads(attempt("a", 1, "A")), json.loads(attempt("a", 2, None))]
    path = written(tmp_path / "report.json", json.dumps({"format": "judgekit-report", "attempts": attempts}))
    (case,) = load_interactions(path)
    assert [run.reply for run in case.interactions] == ["A", None]


TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(str.strip)


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=5))
def test_any_text_survives_json_lines(tmp_path_factory, pairs):
    rows = [{"asked": asked, "reply": reply} for asked, reply in pairs]
    path = tmp_path_factory.mktemp("rows") / "r.jsonl"
    cases = load_interactions(written(path, lines(rows)))
    assert [(case.command, case.interactions[0].reply) for case in cases] == pairs
