"""One question through its attempts, against a real server through the real litellm."""

import asyncio
import itertools
import time
from datetime import UTC, datetime, timedelta

import pytest

from judgekit.errors import (
    AuthenticationFailed,
    ContentRefused,
    DeadlineExceeded,
    ProviderUnavailable,
    QuotaSpent,
    RateLimited,
    RequestRefused,
)
from judgekit.jsonable import json_line
from judgekit.providers import Price, Unusable, ask
from judgekit.testing import FakeProvider, Fault, ScriptedModel, otherwise, says, when

GOOD = {"reason": "polite", "score": 0.75}


def error_body(message, **fields):
    return {"error": {"message": message, **fields}}


def gaps(provider):
    times = [request.received for request in provider.requests]
    return [later - earlier for earlier, later in itertools.pairwise(times)]


def test_one_good_answer_is_one_request(answered):
    with FakeProvider(says(json_line(GOOD), usage=(40, 9))) as provider:
        answer = answered(provider, price=Price(1.0, 2.0))
    assert (answer.value, answer.error, provider.count) == (0.75, None, 1)
    assert (answer.usage.requests, answer.usage.input_tokens, answer.usage.output_tokens) == (1, 40, 9)
    assert answer.usage.cost == pytest.approx(58e-6)
    assert (answer.rung, answer.model_served, answer.notes) == ("json_schema", "judge-1", ())
    assert answer.parameters == {"temperature": 0, "max_tokens": 1024}


def test_bounds_stay_here_and_the_strict_schema_is_sent(answered):
    with FakeProvider(GOOD) as provider:
        answered(provider)
    sent = provider.requests[0].body
    assert sent["response_format"]["json_schema"]["strict"] is True
    assert sent["response_format"]["json_schema"]["schema"] == {
        "type": "object",
        "properties": {"reason": {"type": "string"}, "score": {"type": "number"}},
        "required": ["reason", "score"],
        "additionalProperties": False,
    }
    assert not {"n", "stream", "user", "caching", "num_retries", "max_retries"} & sent.keys()


def test_retry_after_in_seconds_is_a_floor(answered):  # LM01
    with FakeProvider(GOOD, faults=[Fault.status(429, retry_after=1)]) as provider:
        answer = answered(provider)
    assert (answer.value, provider.count, answer.usage.requests) == (0.75, 2, 2)
    assert gaps(provider)[0] >= 1.0


def test_retry_after_as_a_date_is_a_floor(answered):  # LM01
    # HTTP dates have whole seconds, so the floor lies between one and two seconds from here.
    until = datetime.now(UTC) + timedelta(seconds=2)
    with FakeProvider(GOOD, faults=[Fault.status(503, retry_after=until)]) as provider:
        answer = answered(provider)
    assert (answer.value, provider.count) == (0.75, 2)
    assert gaps(provider)[0] >= 0.9


def test_retry_after_in_milliseconds_is_a_floor(answered):  # LM01
    faults = [Fault.status(429, headers={"retry-after-ms": "600", "retry-after": "1"})]
    with FakeProvider(GOOD, faults=faults) as provider:
        answer = answered(provider)
    assert (answer.value, provider.count) == (0.75, 2)
    assert gaps(provider)[0] >= 0.6


def test_a_wait_past_the_deadline_is_not_waited_for(answered):
    with FakeProvider(GOOD, faults=[Fault.status(429, retry_after=3600)] * 9) as provider:
        started = time.monotonic()
        answer = answered(provider, deadline=30)
    assert (type(answer.error), provider.count) == (RateLimited, 1)
    assert time.monotonic() - started < 10
    assert "the deadline of 30 s leaves no time to ask again" in str(answer.error)


@pytest.mark.parametrize("model", ["openai/judge-1", "hosted_vllm/judge-1"])
def test_attempts_is_the_number_of_http_requests(answered, model):  # LM03
    with FakeProvider(GOOD, faults=[Fault.status(429)] * 20) as provider:
        answer = answered(provider, attempts=3, model=model)
    assert (type(answer.error), answer.cause, provider.count) == (RateLimited, "rate limited", 3)
    assert answer.usage.requests == 3
    assert "(after 3 requests)" in str(answer.error)


def test_a_global_retry_setting_of_litellm_changes_nothing(answered):  # LM03
    import litellm

    litellm.num_retries = 3
    try:
        with FakeProvider(GOOD, faults=[Fault.status(500)] * 20) as provider:
            answered(provider, attempts=2)
        assert provider.count == 2
    finally:
        litellm.num_retries = None


@pytest.mark.parametrize("status", [408, 409, 500, 502, 503, 504, 529])
def test_what_may_pass_is_asked_again(answered, status):
    with FakeProvider(GOOD, faults=[Fault.status(status)]) as provider:
        answer = answered(provider)
    assert (answer.value, provider.count, answer.usage.input_tokens is not None) == (0.75, 2, True)


@pytest.mark.parametrize("status", [400, 404, 405, 413, 415, 422])
def test_a_wrong_request_is_not_sent_again(answered, status):
    with FakeProvider(GOOD, faults=[Fault.status(status)] * 4) as provider:
        answer = answered(provider)
    assert (type(answer.error), provider.count) == (RequestRefused, 1)
    assert f"HTTP {status}" in str(answer.error)


@pytest.mark.parametrize("status", [401, 403])
def test_a_wrong_key_is_tried_once(answered, status):  # LM04
    with FakeProvider(GOOD, faults=[Fault.status(status)] * 4) as provider:
        answer = answered(provider)
    assert (type(answer.error), answer.cause, provider.count) == (AuthenticationFailed, "authentication", 1)


@pytest.mark.parametrize("model", ["openai/judge-1", "hosted_vllm/judge-1"])
def test_the_key_in_a_providers_error_is_masked(answered, question_to, model):  # RP13
    with FakeProvider(GOOD, faults=[Fault.key_echoed()]) as provider:
        answer = answered(provider, model=model)
        assert "SECRET" not in repr(question_to(provider))
    assert type(answer.error) is AuthenticationFailed
    assert "[masked]" in str(answer.error)
    assert "SECRET" not in repr(answer)


def test_a_missing_key_is_no_server_error_and_is_not_retried(answered, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with FakeProvider(GOOD) as provider:
        answer = answered(provider, api_key=None)
    assert (type(answer.error), provider.count, answer.usage.requests) == (AuthenticationFailed, 0, 0)
    assert "no API key" in str(answer.error)


def test_spent_quota_is_not_an_ordinary_429(answered):
    body = error_body("You exceeded your current quota", type="insufficient_quota", code="insufficient_quota")
    for model in ("openai/judge-1", "hosted_vllm/judge-1"):
        with FakeProvider(GOOD, faults=[Fault.status(429, body)] * 4) as provider:
            answer = answered(provider, model=model)
        assert (type(answer.error), answer.cause, provider.count) == (QuotaSpent, "quota", 1)


def test_a_400_that_echoes_the_words_rate_limit_is_a_400(answered):
    body = error_body("your prompt 'rate limit 429 too many requests' is not allowed here")
    for model in ("openai/judge-1", "hosted_vllm/judge-1"):
        with FakeProvider(GOOD, faults=[Fault.status(400, body)] * 4) as provider:
            answer = answered(provider, model=model)
        assert (type(answer.error), answer.error.status, provider.count) == (RequestRefused, 400, 1)


def test_messages_that_are_too_long_are_named_and_not_sent_again(answered):
    body = error_body("This model's maximum context length is 10 tokens", code="context_length_exceeded")
    with FakeProvider(GOOD, faults=[Fault.status(400, body)] * 4) as provider:
        answer = answered(provider)
    assert (type(answer.error), provider.count) == (RequestRefused, 1)
    assert "longer than the model takes" in str(answer.error)


def test_a_filtered_request_is_refused_once(answered):
    body = error_body("The response was filtered", code="content_filter")
    with FakeProvider(GOOD, faults=[Fault.status(400, body)] * 4) as provider:
        answer = answered(provider)
    assert (type(answer.error), answer.cause, provider.count) == (ContentRefused, "refused", 1)


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (Fault.finish("content_filter"), "a filter stopped the answer (content_filter)"),
        (Fault.refusal("I will not grade this."), "the model refused: I will not grade this."),
    ],
)
def test_a_refused_answer_is_not_asked_for_again(answered, fault, text):
    with FakeProvider(GOOD, faults=[fault] * 4) as provider:
        answer = answered(provider)
    assert (type(answer.error), answer.cause, provider.count) == (ContentRefused, "refused", 1)
    assert text in str(answer.error)
    assert answer.usage.input_tokens


def test_a_call_that_never_answers_ends_in_time(answered):  # LM06
    with FakeProvider(GOOD, faults=[Fault.hang()] * 4) as provider:
        answered(provider, attempts=1, timeout=0.1)  # litellm is loaded by now
        started = time.monotonic()
        answer = answered(provider, timeout=0.5, attempts=1)
        seconds = time.monotonic() - started
    assert (type(answer.error), answer.cause, provider.count) == (DeadlineExceeded, "timeout", 2)
    assert seconds < 3
    assert answer.usage.requests == 1
    assert answer.usage.input_tokens is None


def test_a_server_that_trickles_bytes_is_bounded_too(answered):
    with FakeProvider(GOOD, faults=[Fault.slow(30)]) as provider:
        answer = answered(provider, timeout=0.5)
    assert (answer.value, provider.count, answer.usage.input_tokens) == (0.75, 2, None)


def test_the_deadline_bounds_every_attempt_together(answered):
    with FakeProvider(GOOD, faults=[Fault.hang()] * 9) as provider:
        answered(provider, attempts=1, timeout=0.1)
        started = time.monotonic()
        answer = answered(provider, attempts=9, timeout=30, deadline=0.6)
        seconds = time.monotonic() - started
    assert type(answer.error) is DeadlineExceeded
    assert "deadline of 0.6 s" in str(answer.error)
    assert seconds < 3
    assert (answer.usage.requests, answer.usage.input_tokens) == (1, None)


def test_nobody_listening_is_unavailable(answered, question_to):
    with FakeProvider(GOOD) as provider:
        url = provider.url
    answer = answered(provider, api_base=url, attempts=2)
    assert (type(answer.error), answer.usage.requests) == (ProviderUnavailable, 2)
    assert "cannot connect" in str(answer.error)


@pytest.mark.parametrize(
    "fault",
    [
        Fault.reset(),
        Fault.cut(),
        Fault.html(),
        Fault.invalid_json(),
        Fault.wrong_schema(),
        Fault.content_parts(),
    ],
    ids=["reset", "cut", "html", "invalid-json", "wrong-schema", "content-parts"],
)
def test_what_is_no_answer_is_asked_for_again_at_most_attempts_times(answered, fault):
    with FakeProvider(GOOD, faults=[fault]) as provider:
        answer = answered(provider)
    assert (answer.value, provider.count, answer.usage.requests) == (0.75, 2, 2)
    # Nobody knows what the lost answer cost.
    assert (answer.usage.input_tokens, answer.usage.cost) == (None, None)
    with FakeProvider(GOOD, faults=[fault] * 9) as provider:
        answer = answered(provider, attempts=2)
    assert (type(answer.error), answer.cause, provider.count) == (ProviderUnavailable, "unavailable", 2)


def test_an_empty_list_of_choices_says_so(answered):  # JP23
    with FakeProvider(GOOD, faults=[Fault.empty_choices()] * 9) as provider:
        answer = answered(provider, attempts=2)
    assert (type(answer.error), provider.count) == (ProviderUnavailable, 2)
    assert "no choices" in str(answer.error)


def test_content_none_is_never_read(answered):  # JP18
    with FakeProvider(GOOD, faults=[Fault.no_content()] * 9) as provider:
        answer = answered(provider, attempts=2)
    assert (type(answer.error), answer.cause, provider.count) == (Unusable, "malformed", 2)
    assert "finish_reason stop" in str(answer.error)
    assert "None" not in str(answer.error)


def test_a_cut_off_answer_is_asked_for_once_more_with_twice_the_tokens(answered):  # JP20
    with FakeProvider(GOOD, faults=[Fault.finish("length")] * 9) as provider:
        answer = answered(provider, max_tokens=100)
    assert (type(answer.error), answer.cause, provider.count) == (Unusable, "truncated", 2)
    assert [request.body["max_tokens"] for request in provider.requests] == [100, 200]
    assert "cut off at the limit of 200 tokens (finish_reason length)" in str(answer.error)


def test_the_answer_after_a_cut_off_one_counts(answered):  # JP20
    with FakeProvider(GOOD, faults=[Fault.finish("length")]) as provider:
        answer = answered(provider, max_tokens=100)
    assert (answer.value, provider.count, answer.parameters["max_tokens"]) == (0.75, 2, 200)
    assert answer.notes == ("max_tokens was raised to 200 after a reply was cut off",)


def test_more_tokens_than_the_model_gives_still_reads_as_cut_off(answered):  # JP20
    too_many = Fault.status(400, error_body("max_tokens is too large: 200", param=None))
    with FakeProvider(GOOD, faults=[Fault.finish("length"), too_many]) as provider:
        answer = answered(provider, max_tokens=100)
    assert (answer.cause, provider.count) == ("truncated", 2)


def test_the_text_of_a_failed_call_is_never_read(answered):  # JP24
    body = error_body('[ERROR] HTTP 500 from judge model q-1 after 1 try {"score": 1.0, "reason": "x"}')
    with FakeProvider(GOOD, faults=[Fault.status(500, body)] * 9) as provider:
        answer = answered(provider, attempts=2)
    assert (answer.value, type(answer.error)) == (None, ProviderUnavailable)


def test_an_unusable_answer_is_asked_for_again_with_the_complaint(answered):  # LM11, RP14
    replies = [says("Yes, it looks right.\n## New section"), GOOD]
    with FakeProvider(replies) as provider:
        answer = answered(provider)
    assert (answer.value, provider.count) == (0.75, 2)
    first, second = (request.messages for request in provider.requests)
    assert second[: len(first)] == first
    assert second[len(first)] == {"role": "assistant", "content": "Yes, it looks right.\n## New section"}
    complaint = second[len(first) + 1]
    assert complaint["role"] == "user"
    assert "That reply cannot be used: no score in it: JSONDecodeError." in complaint["content"]
    assert "\n" not in complaint["content"]


def test_prose_ends_unusable_after_the_set_attempts(answered):  # LM11, RP14
    with FakeProvider(says("Yes, it looks right.")) as provider:
        answer = answered(provider, attempts=3)
    assert (type(answer.error), answer.cause, provider.count) == (Unusable, "malformed", 3)
    assert answer.error.excerpt == "Yes, it looks right."
    assert "Yes, it looks right." in str(answer.error)


def test_only_the_last_exchange_is_shown_again(answered):
    with FakeProvider([says("one"), says("two"), GOOD]) as provider:
        answered(provider)
    assert [
        message["content"] for message in provider.requests[2].messages if message["role"] == "assistant"
    ] == ["two"]


def test_every_attempts_tokens_are_counted(answered):  # BG05
    replies = [says("no idea", usage=(40, 10)), says(json_line(GOOD), usage=(50, 10))]
    with FakeProvider(replies) as provider:
        answer = answered(provider, price=Price(1.0, 1.0))
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (90, 20)
    assert answer.usage.cost == pytest.approx(110e-6)


def test_missing_usage_is_unknown_and_not_zero(answered):  # BG01
    with FakeProvider(GOOD, faults=[Fault.no_usage()]) as provider:
        answer = answered(provider, price=Price(1.0, 1.0))
    assert (answer.value, answer.usage.requests) == (0.75, 1)
    assert (answer.usage.input_tokens, answer.usage.output_tokens, answer.usage.cost) == (None, None, None)
    assert not answer.usage.tokens_complete


def test_a_model_without_a_price_has_an_unknown_cost(answered):  # BG03
    with FakeProvider(GOOD) as provider:
        answer = answered(provider)
    assert answer.usage.input_tokens is not None
    assert answer.usage.cost is None


def test_an_unknown_provider_is_named_with_what_to_write(answered):
    with FakeProvider(GOOD) as provider:
        answer = answered(provider, model="judge-1", api_base=None)
    assert (type(answer.error), provider.count, answer.usage.requests) == (RequestRefused, 0, 0)
    assert str(answer.error) == "no provider in 'judge-1'; write for example 'openai/judge-1'"


def test_a_scripted_model_is_asked_without_a_wire(question_to, read_score):
    model = ScriptedModel(when("polite", says(json_line(GOOD), usage=(7, 3))), otherwise("?"))
    with FakeProvider(GOOD) as provider:
        answer = asyncio.run(ask(question_to(provider, model=model), read_score))
        assert provider.count == 0
    assert (answer.value, answer.usage.requests, answer.usage.input_tokens) == (0.75, 1, 7)
    assert answer.usage.cost is None


def test_a_message_that_a_script_does_not_know_is_a_clear_error(question_to, read_score):
    model = ScriptedModel(when("something else", GOOD))
    with FakeProvider(GOOD) as provider:
        answer = asyncio.run(ask(question_to(provider, model=model), read_score))
    assert (type(answer.error), model.call_count) == (RequestRefused, 1)
    assert "no rule answers" in str(answer.error)


def test_nothing_is_ever_written_to_stdout(answered, capfd):
    faults = [Fault.status(500), Fault.status(429), Fault.html(), Fault.content_parts(), Fault.reset()]
    with FakeProvider(GOOD, faults=faults) as provider:
        answered(provider, attempts=2)
        answered(provider, attempts=2)
        answered(provider, attempts=2)
    assert capfd.readouterr().out == ""
