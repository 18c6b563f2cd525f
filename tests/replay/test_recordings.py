"""Recordings: what a line becomes, what is wrong with it, and the recorder that writes them."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from judgekit.errors import FileUnreadable, InvalidArgument
from judgekit.evaluation import EvalCase, Outcome
from judgekit.interaction import Interaction, ModelCall, ToolCall
from judgekit.judging import Judge
from judgekit.replay import Recorder, load_recordings
from judgekit.reporting import EvalReport
from judgekit.results import CaseResult
from judgekit.runner import ExperimentRunner
from judgekit.testing import ScriptedModel, otherwise, verdict

LOOK_UP = {"name": "getOrder", "arguments": {"orderId": "o_42"}, "result": {"state": "sent"}}
REFUND = {"name": "issueRefund", "arguments": {"orderId": "o_42", "amountCents": 4999}, "error": "timeout"}


@pytest.fixture
def load(tmp_path):
    def load(*lines, **options):
        path = tmp_path / "calls.jsonl"
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        path.write_text("\n".join(texts), encoding="utf-8")
        return load_recordings(path, **options)

    return load


def labels(case):
    return [evaluator.__eval_label__ for evaluator in case.evaluators]


def outcomes(case, interaction):
    return [evaluator.evaluate(case, interaction).outcome for evaluator in case.evaluators]


def details(case, interaction):
    results = [evaluator.evaluate(case, interaction) for evaluator in case.evaluators]
    return [result.detail for result in results if result.outcome is Outcome.FAIL]


def test_a_line_becomes_a_case_with_evaluators_in_order(load):
    (case,) = load(
        {
            "id": "refund",
            "input": "Refund order o_42",
            "toolCalls": [LOOK_UP, REFUND, LOOK_UP],
            "output": "Done",
            "modelCalls": 3,
            "tokens": {"input": 100, "output": 10},
            "latencyMs": 1000,
            "somethingElse": 1,
        }
    )
    assert (case.id, case.command) == ("refund", "Refund order o_42")
    assert labels(case) == [
        "tools",
        "tool-order",
        *["tool-arguments"] * 4,
        "model-call-budget",
        "token-budget",
        "latency-budget",
    ]
    assert case.evaluators[0].names == ("getOrder", "issueRefund")
    assert case.evaluators[1].names == ("getOrder", "issueRefund", "getOrder")
    assert [(e.tool, e.argument, e.value) for e in case.evaluators[2:6]] == [
        ("getOrder", "orderId", "o_42"),
        ("issueRefund", "orderId", "o_42"),
        ("issueRefund", "amountCents", 4999),
        ("getOrder", "orderId", "o_42"),
    ]
    assert case.recorded_calls == (
        ToolCall("getOrder", {"orderId": "o_42"}, {"state": "sent"}),
        ToolCall("issueRefund", {"orderId": "o_42", "amountCents": 4999}, error="timeout"),
        ToolCall("getOrder", {"orderId": "o_42"}, {"state": "sent"}),
    )


@pytest.mark.parametrize("tokens", [110, 110.0, {"input": 100, "output": 10}])
def test_110_tokens_at_one_and_a_half_allow_165_and_not_166(load, tokens):
    (case,) = load({"input": "x", "tokens": tokens})
    assert outcomes(case, Interaction(input_tokens=100, output_tokens=65)) == [Outcome.PASS]
    assert outcomes(case, Interaction(input_tokens=100, output_tokens=66)) == [Outcome.FAIL]


def test_1000_ms_at_one_and_a_half_allow_1500(load):
    (case,) = load({"input": "x", "latencyMs": 1000})
    assert outcomes(case, Interaction(latency=1.5)) == [Outcome.PASS]
    assert outcomes(case, Interaction(latency=1.501)) == [Outcome.FAIL]


def test_model_calls_have_no_tolerance(load):
    (case,) = load({"input": "x", "modelCalls": 2}, tolerance=10)
    assert outcomes(case, Interaction(model_calls=[ModelCall()] * 2)) == [Outcome.PASS]
    assert outcomes(case, Interaction(model_calls=[ModelCall()] * 3)) == [Outcome.FAIL]


@pytest.mark.parametrize(("tolerance", "limit"), [(1, 100), (1.1, 110), (1.005, 101), (2, 200)])
def test_the_tolerance_is_what_is_written_and_not_its_float(load, tolerance, limit):
    (case,) = load({"input": "x", "tokens": 100}, tolerance=tolerance)
    assert case.evaluators[0].limit == limit


@pytest.mark.parametrize("tolerance", [0.99, 0, -1, True, float("nan"), float("inf"), "2", None])
def test_a_tolerance_under_one_is_refused(tmp_path, tolerance):
    with pytest.raises(InvalidArgument, match="tolerance"):
        load_recordings(tmp_path / "not-even-opened.jsonl", tolerance=tolerance)


def test_snake_case_spellings_are_read_too(load):
    camel, snake = load(
        {"input": "x", "toolCalls": [LOOK_UP], "modelCalls": 1, "latencyMs": 5},
        {"input": "x", "tool_calls": [LOOK_UP], "model_calls": 1, "latency_ms": 5},
    )
    assert camel.evaluators == snake.evaluators
    assert camel.recorded_calls == snake.recorded_calls


# IN03
def test_blank_lines_are_skipped_and_a_byte_order_mark_allowed(tmp_path):
    path = tmp_path / "calls.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": "a", "input": "x"}\r\n\r\n   \n{"input": "\xe2\x80\xa8y"}\r\n')
    assert [(case.id, case.command) for case in load_recordings(path)] == [
        ("a", "x"),
        ("replay-4", "\u2028y"),
    ]


@pytest.mark.parametrize(
    ("value", "command"),
    [("x", "x"), (42, "42"), (4.5, "4.5"), (True, "true"), (" x ", " x "), ("no", "no")],
)
def test_any_scalar_is_the_command_as_text(load, value, command):
    (case,) = load({"input": value})
    assert case.command == command


@dataclass
class Refund:
    orderId: str
    cents: int


class RefundModel(BaseModel):
    orderId: str
    cents: int


@pytest.mark.parametrize("kind", [Refund, RefundModel])
def test_an_input_is_decoded_into_the_commands_type(load, kind):
    from_data, from_text = load(
        {"input": {"orderId": "o_42", "cents": 5}},
        {"input": '{"orderId": "o_42", "cents": 5}'},
        command_type=kind,
    )
    assert from_data.command == from_text.command == kind(orderId="o_42", cents=5)


def test_no_tool_calls_recorded_as_none_made_derive_nothing_unless_others_are_forbidden(load):
    line = {"input": "x", "toolCalls": []}
    assert load(line)[0].evaluators == ()
    (case,) = load(line, forbid_others=True)
    assert labels(case) == ["forbidden-tools"]
    assert outcomes(case, Interaction(tool_calls=())) == [Outcome.PASS]
    assert details(case, Interaction(tool_calls=[ToolCall("pay")])) == ["called [pay]"]
    assert outcomes(case, Interaction()) == [Outcome.INCONCLUSIVE]


def test_with_others_forbidden_only_recorded_tools_may_be_called(load):
    (case,) = load({"input": "x", "toolCalls": [LOOK_UP]}, forbid_others=True)
    assert labels(case) == ["tools", "tool-order", "tool-arguments", "forbidden-tools"]
    again = Interaction(tool_calls=[ToolCall("getOrder", {"orderId": "o_42"})] * 2)
    assert set(outcomes(case, again)) == {Outcome.PASS}
    other = Interaction(tool_calls=[ToolCall("getOrder", {"orderId": "o_42"}), ToolCall("pay")])
    assert details(case, other) == ["called [pay]"]


def test_without_recorded_tool_calls_nothing_is_forbidden(load):
    assert load({"input": "x"}, forbid_others=True)[0].evaluators == ()


def test_an_output_is_nothing_by_itself_since_a_rewording_is_no_regression(load):
    (case,) = load({"input": "x", "output": "On its way."})
    assert case.evaluators == ()
    assert case.metadata["output"] == "On its way."


def test_an_expected_output_must_be_carried(load):
    (case,) = load({"input": "x", "output": "On its way."}, expect_output="contains")
    assert labels(case) == ["reply-contains"]
    assert outcomes(case, Interaction(reply="It is on its way. Bye")) == [Outcome.PASS]
    assert outcomes(case, Interaction(reply="Lost.")) == [Outcome.FAIL]


def test_a_judge_may_compare_outputs_under_one_name(load):
    judge = Judge(ScriptedModel(otherwise(verdict(1.0)), name="same"))
    one, two, none = load(
        {"input": "x", "output": "On its way."},
        {"input": "y", "output": "Lost."},
        {"input": "z"},
        expect_output="judge",
        judge=judge,
    )
    assert labels(one) == labels(two) == ["judge"]
    assert {one.evaluators[0].name, two.evaluators[0].name} == {"same as recorded"}
    assert (one.evaluators[0].reference, two.evaluators[0].reference) == ("On its way.", "Lost.")
    assert none.evaluators == ()


@pytest.mark.parametrize(
    "options", [{"expect_output": "judge"}, {"judge": object()}, {"expect_output": "same"}]
)
def test_settings_that_cannot_work_are_refused(load, options):
    with pytest.raises(InvalidArgument, match="expect_output"):
        load({"input": "x"}, **options)


def test_all_bad_lines_are_in_one_error(load):
    lines = [
        {"id": "ok", "input": "x"},
        '{"input": "torn',
        [1],
        {"toolCalls": []},
        {"input": "  "},
        {"input": {"a": 1}},
        {"input": "x", "toolCalls": {}},
        {"input": "x", "toolCalls": [LOOK_UP, {"arguments": {}}]},
        {"input": "x", "toolCalls": [{"name": "a", "arguments": [1]}]},
        {"input": "x", "modelCalls": 0},
        {"input": "x", "tokens": True},
        {"input": "x", "tokens": {"input": 5}},
        {"input": "x", "latencyMs": 0.5},
        {"id": "ok", "input": "y"},
        {"id": " ", "input": "y"},
        {"input": "x", "toolCalls": [{"name": "a*"}]},
    ]
    with pytest.raises(FileUnreadable) as caught:
        load(*lines)
    first, *problems = str(caught.value).splitlines()
    assert first == "calls.jsonl is not replayable:"
    assert problems[0].startswith("line 2: it is no JSON: ")
    assert problems[1:-1] == [
        "line 3: it must be an object, got [1]",
        "line 4: no input",
        "line 5: no input",
        'line 6: input is no text, got {"a": 1}; name its type with command_type=',
        "line 7: toolCalls must be a list, got {}",
        "line 8: toolCalls[1] has no name",
        "line 9: toolCalls[0].arguments must be an object, got [1]",
        "line 10: modelCalls must be a whole number >= 1, got 0",
        "line 11: tokens must be a whole number >= 1, got true",
        'line 12: tokens must be a number or have input and output, got {"input": 5}',
        "line 13: latencyMs must be a whole number >= 1, got 0.5",
        "line 14: the id 'ok' is that of line 1 too",
        'line 15: id must be text that is not blank, got " "',
    ]
    assert problems[-1].startswith("line 16: ")
    assert "a*" in problems[-1]


def test_an_input_of_another_type_is_named(load):
    with pytest.raises(FileUnreadable, match=r"line 1: input is not a Refund: cents: Field required"):
        load({"input": {"orderId": "o_42"}}, command_type=Refund)
    with pytest.raises(FileUnreadable, match=r"line 1: input is not a Refund: "):
        load({"input": "please"}, command_type=Refund)


def test_bytes_that_are_no_utf_8_are_named(tmp_path):
    path = tmp_path / "calls.jsonl"
    path.write_bytes(b'{"input": "x"}\n{"input": "\xff"}\n')
    with pytest.raises(FileUnreadable, match="line 2: it is not UTF-8"):
        load_recordings(path)


TURN = Interaction(
    command_text="Where is o_42? Mail jane@example.com",
    reply="I have mailed jane@example.com",
    tool_calls=[
        ToolCall(
            "getOrder", {"orderId": "o_42", "mail": "jane@example.com"}, '{"card": "4111 1111 1111 1111"}'
        ),
        ToolCall("pay", {}, error="key sk-qa-SECRET-123 is refused"),
    ],
    model_calls=[ModelCall(input_tokens=100, output_tokens=10), ModelCall(input_tokens=5, output_tokens=5)],
    latency=0.0401,
)


# RC09
def test_what_a_recorder_writes_holds_no_secret_and_loads_back(tmp_path):
    recorder = Recorder(secrets=["o_42-hidden"])
    recorder.add(TURN, id="order")
    path = recorder.write(tmp_path / "calls.jsonl")
    text = path.read_text(encoding="utf-8")
    for secret in ("jane", "4111", "SECRET"):
        assert secret not in text
    assert recorder.masked == {"email": 3, "card": 1, "key": 1}
    (case,) = load_recordings(path)
    assert (case.id, case.command) == ("order", "Where is o_42? Mail [email 1]")
    assert case.recorded_calls[0].arguments == {"orderId": "o_42", "mail": "[email 1]"}
    assert case.recorded_calls[1].error == "key [key 1] is refused"
    replayed = replace(TURN, tool_calls=case.recorded_calls)
    assert set(outcomes(case, replayed)) == {Outcome.PASS}
    assert labels(case)[-3:] == ["model-call-budget", "token-budget", "latency-budget"]
    assert json.loads(text)["latencyMs"] == 41


def test_without_redaction_everything_is_written(tmp_path):
    recorder = Recorder(redact=False)
    recorder.add(TURN)
    assert "jane@example.com" in recorder.lines()[0]
    assert recorder.masked == {}
    with pytest.raises(InvalidArgument, match="redact=True"):
        Recorder(redact=False, secrets=["a secret"])


def test_own_patterns_are_masked_and_counted():
    recorder = Recorder(patterns={"order": r"o_\d+"})
    recorder.add(TURN)
    assert recorder.masked["order"] == 2
    assert "o_42" not in recorder.lines()[0]


def test_what_was_not_recorded_is_left_out_and_what_was_empty_stays():
    recorder = Recorder()
    recorder.add(Interaction(command_text="x"))
    recorder.add(
        Interaction(command_text="x", tool_calls=(), model_calls=(), reply="", replayed=True, latency=1)
    )
    assert [json.loads(line) for line in recorder.lines()] == [
        {"input": "x"},
        {"input": "x", "toolCalls": [], "output": ""},
    ]


def test_a_conversation_becomes_one_line_with_its_turns_and_no_split_secret():
    messages = [
        {"role": "system", "content": "Be kind"},
        {"role": "user", "content": "My card is 4111 1111"},
        {"role": "assistant", "content": "And the rest?"},
        {"role": "user", "content": [{"type": "text", "text": "1111 1111"}]},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"name": "pay"}}]},
        {"role": "tool", "tool_call_id": "1", "content": "ok"},
        {"role": "assistant", "content": "Paid."},
        {"role": "user", "content": "Bye"},
    ]
    recorder = Recorder()
    recorder.add(Interaction.from_messages(messages, command_text="ignored"), id="talk")
    record = json.loads(recorder.lines()[0])
    assert record["input"] == "My card is [card 1]"
    assert record["turns"] == [
        {"input": "My card is [card 1]", "output": "And the rest?"},
        {"input": "", "output": "Paid."},
        {"input": "Bye"},
    ]
    assert list(record)[:2] == ["id", "input"]
    assert record["toolCalls"] == [{"name": "pay", "arguments": {}, "result": "ok"}]


def test_ids_stay_unique_and_failed_attempts_are_not_recorded():
    recorder = Recorder()
    good = CaseResult("a", 1, Interaction(command_text="x"), ())
    assert recorder.add_attempt(good)
    assert recorder.add_attempt(good)
    assert not recorder.add_attempt(CaseResult("b", 1, Interaction(command_text="x", error="boom"), ()))
    assert [json.loads(line)["id"] for line in recorder.lines()] == ["a", "a-2"]
    assert len(recorder) == 2


def test_an_earlier_run_is_recorded_from_its_report(tmp_path):
    def agent(command):
        if command == "fail":
            raise RuntimeError("boom")
        return replace(TURN, command_text=command)

    cases = [EvalCase("good", "where?"), EvalCase("bad", "fail")]
    runner = ExperimentRunner("earlier").cases(cases).agent(agent).report_directory(tmp_path)
    report = EvalReport.read(runner.run().file)
    recorder = Recorder()
    assert [recorder.add_attempt(attempt) for attempt in report.results] == [True, False]
    (case,) = load_recordings(recorder.write(tmp_path / "calls.jsonl"))
    assert (case.id, case.command) == ("good", "where?")
    assert [call.name for call in case.recorded_calls] == ["getOrder", "pay"]


def test_a_turn_that_nobody_asked_for_is_refused():
    with pytest.raises(InvalidArgument, match="command_text"):
        Recorder().add(Interaction(reply="x"))


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "calls.jsonl"
    path.write_text("old", encoding="utf-8")
    recorder = Recorder()
    recorder.add(TURN)

    def broken(self, target):
        raise OSError("no space")

    monkeypatch.setattr(Path, "replace", broken)
    with pytest.raises(OSError, match="no space"):
        recorder.write(path)
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
CALLS = st.builds(
    ToolCall,
    st.text("abcXYZ_.-", min_size=1, max_size=8),
    st.dictionaries(st.text("abcdef", min_size=1), VALUES, max_size=3),
    VALUES,
    st.none() | st.text(),
)


@given(st.lists(CALLS, max_size=4), st.booleans())
def test_what_was_recorded_passes_its_own_evaluators(tmp_path_factory, calls, redact):
    interaction = Interaction(command_text="x", tool_calls=calls, model_calls=[ModelCall()], latency=0.2)
    recorder = Recorder(redact=redact)
    recorder.add(interaction)
    path = recorder.write(tmp_path_factory.mktemp("recordings") / "calls.jsonl")
    (case,) = load_recordings(path, forbid_others=True)
    replayed = replace(interaction, tool_calls=case.recorded_calls)
    assert [call.name for call in case.recorded_calls] == [call.name for call in calls]
    assert set(outcomes(case, replayed)) == {Outcome.PASS}


FIELDS = [
    "id",
    "input",
    "toolCalls",
    "tool_calls",
    "output",
    "modelCalls",
    "tokens",
    "latencyMs",
    "turns",
    "name",
]
LINES = st.dictionaries(
    st.sampled_from(FIELDS),
    VALUES
    | st.lists(
        st.dictionaries(st.sampled_from(["name", "arguments", "result", "error"]), VALUES, max_size=4),
        max_size=2,
    ),
    max_size=6,
)


@given(st.lists(LINES.map(lambda line: json.dumps(line).encode()) | st.binary(max_size=20), max_size=4))
def test_any_file_loads_or_names_its_bad_lines(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp("recordings") / "calls.jsonl"
    path.write_bytes(b"\n".join(lines))
    said = ""
    try:
        load_recordings(path, forbid_others=True, expect_output="contains")
    except FileUnreadable as error:
        said = str(error)
    assert not said or said.startswith("calls.jsonl is not replayable:\nline ")
