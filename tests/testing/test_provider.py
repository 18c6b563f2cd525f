"""The fake provider speaks OpenAI's chat API and fails in every way it is told to."""

import http.client
import json
import socket
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest

from judgekit.errors import InvalidArgument
from judgekit.interaction import ToolCall
from judgekit.testing import Answer, FakeProvider, Fault, ScriptedModel, calls, says, when

BODY = {"model": "m-1", "messages": [{"role": "user", "content": "hello"}]}


def post(provider, body=None, *, timeout=10, path="/chat/completions"):
    """Status, headers and bytes of one request over a connection of its own."""
    request = urllib.request.Request(
        provider.url + path,
        data=json.dumps(BODY if body is None else body).encode(),
        headers={
            "content-type": "application/json",
            "authorization": "Bearer sk-made-up-123456",
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=timeout) as response:
            return response.status, dict(response.headers), response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), error.read()


def message(provider, body=None):
    status, _, content = post(provider, body)
    assert status == 200
    return json.loads(content)["choices"][0]


def test_it_answers_and_records_what_it_got(fake_provider):
    provider = fake_provider(says("Hi there", usage=(3, 2)))
    status, headers, content = post(provider)
    answer = json.loads(content)
    assert status == 200
    assert headers["content-type"] == "application/json"
    assert answer["choices"][0]["message"]["content"] == "Hi there"
    assert answer["model"] == "m-1"
    assert answer["usage"] == {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    (request,) = provider.requests
    assert (request.method, request.path, request.number) == ("POST", "/v1/chat/completions", 1)
    assert request.body == BODY
    assert request.messages == BODY["messages"]
    assert request.headers["authorization"] == "Bearer sk-made-up-123456"
    assert abs(time.monotonic() - request.received) < 60


def test_it_serves_a_scripted_model_with_tools(fake_provider):
    model = ScriptedModel(when("hello", calls("greet", name="Ann")))
    provider = fake_provider(model)
    choice = message(
        provider, {**BODY, "tools": [{"type": "function", "function": {"name": "greet"}}], "seed": 7}
    )
    assert choice["message"]["tool_calls"][0]["function"] == {"name": "greet", "arguments": '{"name": "Ann"}'}
    assert model.requests[0].parameters == {"seed": 7}
    assert model.requests[0].tools[0]["function"]["name"] == "greet"


def test_a_message_that_the_script_does_not_know_is_a_400_that_shows_it(fake_provider):
    status, _, content = post(fake_provider(ScriptedModel(when("refund", "x"))))
    assert status == 400
    assert "no rule answers the user message 'hello'" in json.loads(content)["error"]["message"]


def test_a_script_that_raises_is_a_500_and_not_a_silence(fake_provider):
    def broken(turn):
        raise ZeroDivisionError("oops")

    assert post(fake_provider(broken))[0] == 500
    status, _, content = post(fake_provider("x", faults=broken))
    assert status == 500
    assert b"ZeroDivisionError: oops" in content


def test_it_lists_its_model_and_knows_no_other_route(fake_provider):
    provider = fake_provider("x")
    with urllib.request.urlopen(provider.url + "/models") as response:
        assert json.load(response)["data"][0]["id"] == provider.model
    assert post(provider, path="/embeddings")[0] == 404
    assert post(provider, body=["no", "object"])[0] == 400


def test_one_connection_carries_many_requests_and_chunked_bodies(fake_provider):
    provider = fake_provider(["one", "two", "three"])
    connection = http.client.HTTPConnection("127.0.0.1", urlsplit(provider.url).port)
    texts = []
    for chunked in (False, True, False):
        data = json.dumps(BODY).encode()
        body = iter([data[:7], data[7:]]) if chunked else data
        connection.request(
            "POST",
            "/v1/chat/completions",
            body=body,
            encode_chunked=chunked,
            headers={"transfer-encoding": "chunked"} if chunked else {},
        )
        texts.append(json.loads(connection.getresponse().read())["choices"][0]["message"]["content"])
    connection.close()
    assert texts == ["one", "two", "three"]
    assert {request.connection for request in provider.requests} == {1}
    assert all(request.body == BODY for request in provider.requests)


def test_what_is_no_http_is_answered_with_400(fake_provider):
    provider = fake_provider("x")
    with socket.create_connection(("127.0.0.1", urlsplit(provider.url).port), timeout=5) as raw:
        raw.sendall(b"nonsense\r\n\r\n")
        assert raw.recv(1000).startswith(b"HTTP/1.1 400")


def test_fifty_requests_wait_at_the_same_time(fake_provider):
    gate = threading.Barrier(51, timeout=20)
    provider = fake_provider("x", latency=0.3)

    def one(_):
        gate.wait()
        return post(provider)[0]

    with ThreadPoolExecutor(50) as pool:
        answers = pool.map(one, range(50))
        gate.wait()
        assert set(answers) == {200}
    assert provider.count == 50
    assert provider.max_in_flight > 10
    # The last answer may be read here before its handler has ended in the server's thread.
    deadline = time.monotonic() + 5
    while provider.in_flight and time.monotonic() < deadline:
        time.sleep(0.01)
    assert provider.in_flight == 0


def test_faults_come_in_order_of_arrival_and_then_stop(fake_provider):
    provider = fake_provider(
        "x", faults=[Fault.status(429, retry_after=2), None, Fault.status(503, {"why": "maintenance"})]
    )
    first, second, third, fourth = (post(provider) for _ in range(4))
    assert (first[0], first[1]["retry-after"]) == (429, "2")
    assert second[0] == fourth[0] == 200
    assert (third[0], json.loads(third[2])) == (503, {"why": "maintenance"})


def test_a_rule_decides_by_the_request(fake_provider):
    provider = fake_provider("x", faults=lambda r: Fault.status(400) if "response_format" in r.body else None)
    assert post(provider)[0] == 200
    assert post(provider, {**BODY, "response_format": {"type": "json_object"}})[0] == 400


def test_retry_after_may_be_a_date(fake_provider):
    moment = datetime(2031, 5, 6, 7, 8, 9, tzinfo=UTC)
    provider = fake_provider("x", faults=[Fault.status(429, retry_after=moment)])
    assert post(provider)[1]["retry-after"] == "Tue, 06 May 2031 07:08:09 GMT"


def test_a_hang_lasts_until_the_client_gives_up(fake_provider):
    provider = fake_provider("x", faults=[Fault.hang()])
    with pytest.raises(TimeoutError):
        post(provider, timeout=0.2)
    assert message(provider)["message"]["content"] == "x"


def test_a_reset_a_cut_and_a_slow_body(fake_provider):
    provider = fake_provider("x" * 500, faults=[Fault.reset(), Fault.cut(), Fault.slow(0.2)])
    with pytest.raises((ConnectionResetError, urllib.error.URLError)):
        post(provider)
    with pytest.raises(http.client.IncompleteRead):
        post(provider)
    began = time.monotonic()
    assert message(provider)["message"]["content"] == "x" * 500
    assert time.monotonic() - began >= 0.2


def test_a_delayed_answer_is_the_right_one_late(fake_provider):
    provider = fake_provider("x", faults=[Fault.delayed(0.2), Fault.status(500).after(0.2)])
    began = time.monotonic()
    assert message(provider)["message"]["content"] == "x"
    assert post(provider)[0] == 500
    assert time.monotonic() - began >= 0.4


def test_bodies_that_are_no_completion(fake_provider):
    provider = fake_provider("x", faults=[Fault.invalid_json(), Fault.html(), Fault.wrong_schema()])
    with pytest.raises(ValueError):
        json.loads(post(provider)[2])
    status, headers, content = post(provider)
    assert (status, headers["content-type"], content[:9]) == (200, "text/html", b"<!doctype")
    assert "choices" not in json.loads(post(provider)[2])


def test_completions_that_are_wrong_inside(fake_provider):
    # JP18, JP23, TC20, BG01: the shapes that real providers sent.
    provider = fake_provider(
        "Total 12, all paid",
        faults=[
            Fault.empty_choices(),
            Fault.no_content(),
            Fault.content_parts(),
            Fault.no_usage(),
            Fault.finish("length"),
            Fault.finish("content_filter"),
            Fault.refusal("I will not."),
        ],
    )
    empty, none, parts, usage, length, filtered, refused = (json.loads(post(provider)[2]) for _ in range(7))
    assert empty["choices"] == []
    assert none["choices"][0]["message"]["content"] is None
    assert parts["choices"][0]["message"]["content"][0] == {"type": "text", "text": "Total 12, all paid"}
    assert "usage" not in usage
    assert length["choices"][0]["finish_reason"] == "length"
    assert length["choices"][0]["message"]["content"] == "Total 12,"
    assert (filtered["choices"][0]["finish_reason"], filtered["choices"][0]["message"]["content"]) == (
        "content_filter",
        "",
    )
    assert refused["choices"][0]["message"]["refusal"] == "I will not."
    assert refused["choices"][0]["message"]["content"] is None


def test_errors_that_name_a_key_or_a_parameter(fake_provider):
    provider = fake_provider("x", faults=[Fault.key_echoed(), Fault.parameter_refused("max_tokens")])
    status, _, content = post(provider)
    assert status == 401
    assert b"sk-made-up-123456" in content
    status, _, content = post(provider)
    error = json.loads(content)["error"]
    assert (status, error["param"]) == (400, "max_tokens")
    assert "max_completion_tokens" in error["message"]


def test_it_streams_text_tool_calls_and_usage(fake_provider):
    answer = Answer(
        text="It is on its way, truly.", tool_calls=(ToolCall("getOrder", {"orderId": "o_42"}),), usage=(9, 4)
    )
    provider = fake_provider(answer)
    _, headers, content = post(provider, {**BODY, "stream": True, "stream_options": {"include_usage": True}})
    assert headers["content-type"] == "text/event-stream"
    events = content.decode().split("\n\n")
    assert events[-2:] == ["data: [DONE]", ""]
    chunks = [json.loads(event.removeprefix("data: ")) for event in events[:-2]]
    deltas = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
    assert "".join(delta.get("content") or "" for delta in deltas) == "It is on its way, truly."
    parts = [call["function"]["arguments"] for delta in deltas for call in delta.get("tool_calls", ())]
    assert json.loads("".join(parts)) == {"orderId": "o_42"}
    assert chunks[-1]["usage"]["total_tokens"] == 13
    assert post(provider, {**BODY, "stream": True})[2].count(b"usage") == 0


def test_the_openai_client_works_with_it(fake_provider):
    openai = pytest.importorskip("openai")
    provider = fake_provider(ScriptedModel(when("hello", calls("greet", name="Ann"))))
    with openai.OpenAI(base_url=provider.url, api_key="any", max_retries=0) as client:
        answer = client.chat.completions.create(**BODY)
        assert answer.choices[0].message.tool_calls[0].function.name == "greet"
        with client.chat.completions.create(**BODY, stream=True) as stream:
            assert [c.choices[0].finish_reason for c in stream][-1] == "tool_calls"
        assert provider.model in [model.id for model in client.models.list()]


def test_closing_drops_hanging_clients_and_ends_the_thread():
    with FakeProvider("x", faults=[Fault.hang()]) as provider, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(post, provider)
        provider.wait_for(1)
        provider.close()
        with pytest.raises((OSError, http.client.HTTPException)):
            waiting.result(timeout=10)
    assert not [t for t in threading.enumerate() if t.name == "judgekit-fake-provider"]
    provider.close()


def test_waiting_for_requests_that_do_not_come_ends(fake_provider):
    with pytest.raises(TimeoutError, match="0 of 1 requests arrived"):
        fake_provider("x").wait_for(1, timeout=0.01)


def test_wrong_uses_are_refused():
    with pytest.raises(InvalidArgument, match="`answers` is a ScriptedModel"):
        FakeProvider(3)
    with pytest.raises(RuntimeError, match="not running"):
        _ = FakeProvider("x").url
    with FakeProvider("x") as provider, pytest.raises(RuntimeError, match="already runs"):
        provider.__enter__()
