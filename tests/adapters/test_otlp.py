"""Traces from files of OTLP JSON."""

import json
import sys

import pytest

from judgekit.adapters.otlp import load_traces
from judgekit.errors import ExtraMissing, FileUnreadable


def attribute(name, value):
    return {"key": name, "value": {"stringValue": value}}


def exported(*spans):
    return {
        "resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {"name": "x"}, "spans": list(spans)}]}]
    }


def chat(trace, number, reply, at):
    output = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": reply}]}])
    return {
        "traceId": trace * 32,
        "spanId": f"{number:016x}",
        "name": "chat m",
        "kind": 3,
        "startTimeUnixNano": str(at * 10**9),
        "endTimeUnixNano": str((at + 1) * 10**9),
        "attributes": [
            attribute("gen_ai.operation.name", "chat"),
            attribute("gen_ai.request.model", "m"),
            attribute("gen_ai.output.messages", output),
            {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "10"}},
            {"key": "gen_ai.usage.output_tokens", "value": {"intValue": "5"}},
            {
                "key": "gen_ai.response.finish_reasons",
                "value": {"arrayValue": {"values": [{"stringValue": "stop"}]}},
            },
        ],
    }


def tool(trace, number, parent, at, *, error=None):
    found = chat(trace, number, "", at) | {"name": "execute_tool getOrder", "parentSpanId": f"{parent:016x}"}
    arguments = {"kvlistValue": {"values": [{"key": "orderId", "value": {"stringValue": "o_42"}}]}}
    found["attributes"] = [
        attribute("gen_ai.operation.name", "execute_tool"),
        attribute("gen_ai.tool.name", "getOrder"),
        {"key": "gen_ai.tool.call.arguments", "value": arguments},
    ]
    if error:
        found["status"] = {"code": 2, "message": error}
    else:
        found["attributes"].append(attribute("gen_ai.tool.call.result", "shipped"))
    return found


@pytest.fixture
def decoder():
    pytest.importorskip("opentelemetry.proto_json", reason="opentelemetry-proto-json is not installed")


@pytest.mark.usefixtures("decoder")
def test_each_trace_is_one_interaction_in_the_order_in_which_they_began(tmp_path):
    path = tmp_path / "traces.jsonl"
    lines = [
        exported(chat("b", 1, "second", 50)),
        exported(chat("a", 2, "first", 10), tool("a", 3, 2, 11), tool("a", 4, 2, 12, error="timeout")),
    ]
    path.write_bytes(b"\xef\xbb\xbf" + "\n\n".join(map(json.dumps, lines)).encode())
    first, second = load_traces(path)
    assert (first.reply, second.reply) == ("first", "second")
    assert [(call.arguments, call.result, call.error) for call in first.tool_calls] == [
        ({"orderId": "o_42"}, "shipped", None),
        ({"orderId": "o_42"}, None, "timeout"),
    ]
    assert first.model_calls[0].finish_reasons == ("stop",)
    assert (first.input_tokens, first.output_tokens) == (10, 5)
    assert first.latency == 3.0


@pytest.mark.usefixtures("decoder")
def test_one_trace_may_be_spread_over_several_exports(tmp_path):
    path = tmp_path / "traces.jsonl"
    lines = [exported(tool("a", 3, 2, 11)), exported(chat("a", 2, "first", 10))]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    (interaction,) = load_traces(path)
    assert [call.name for call in interaction.tool_calls] == ["getOrder"]


@pytest.mark.usefixtures("decoder")
def test_one_export_may_be_written_over_several_lines(tmp_path):
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(exported(chat("a", 1, "Hi", 1)), indent=2), encoding="utf-8")
    assert [interaction.reply for interaction in load_traces(path)] == ["Hi"]


@pytest.mark.usefixtures("decoder")
def test_traces_without_a_model_or_a_tool_are_left_out(tmp_path):
    path = tmp_path / "traces.jsonl"
    plain = chat("c", 1, "", 1) | {"attributes": [attribute("http.request.method", "GET")]}
    path.write_text(json.dumps(exported(plain)), encoding="utf-8")
    assert load_traces(path) == ()


@pytest.mark.usefixtures("decoder")
def test_every_bad_line_is_named(tmp_path):
    path = tmp_path / "traces.jsonl"
    good = json.dumps(exported(chat("a", 1, "Hi", 1)))
    path.write_text(f'{good}\n{{"resourceSpans": 1}}\n\nnonsense\n{good[:40]}', encoding="utf-8")
    with pytest.raises(FileUnreadable) as caught:
        load_traces(path)
    lines = str(caught.value).splitlines()
    assert lines[0] == "traces.jsonl is no OTLP JSON:"
    assert [line.partition(":")[0] for line in lines[1:]] == ["line 2", "line 4", "line 5"]


def test_a_missing_extra_says_what_to_install(tmp_path, monkeypatch):
    path = tmp_path / "traces.jsonl"
    path.write_text("{}", encoding="utf-8")
    monkeypatch.setitem(sys.modules, "opentelemetry.proto_json.trace.v1.trace", None)
    with pytest.raises(ExtraMissing, match=r"pip install judgekit-evals\[otel\]"):
        load_traces(path)
