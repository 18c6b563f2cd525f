"""litellm's exceptions as our own tree."""

import pickle
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import (
    AuthenticationFailed,
    ContentRefused,
    DeadlineExceeded,
    ProviderUnavailable,
    QuotaSpent,
    RateLimited,
    RequestRefused,
)
from judgekit.masking import Masker
from judgekit.providers.errors import failure_from, retry_after
from judgekit.testing import FakeProvider, Fault


def body(message, **fields):
    return {"error": {"message": message, **fields}}


ANSWERED = {
    "quota by code": (429, body("x", code="insufficient_quota"), QuotaSpent, False),
    "quota by type": (429, body("x", type="insufficient_quota"), QuotaSpent, False),
    "payment required": (402, body("pay first"), QuotaSpent, False),
    "credit": (400, body("Your credit balance is too low to access the API"), QuotaSpent, False),
    "a minute's quota is no spent quota": (
        429,
        body("quota exceeded for requests per minute"),
        RateLimited,
        True,
    ),
    "bad key as 400": (
        400,
        body("API key not valid. Please pass a valid API key."),
        AuthenticationFailed,
        False,
    ),
    "bad key by code": (400, body("no", code="invalid_api_key"), AuthenticationFailed, False),
    "forbidden": (403, body("no access to this model"), AuthenticationFailed, False),
    "filter by code": (400, body("no", code="content_filter"), ContentRefused, False),
    "filter with a 403": (403, body("flagged", code="content_policy_violation"), ContentRefused, False),
    "overloaded": (529, body("overloaded"), ProviderUnavailable, True),
    "conflict": (409, body("conflict"), ProviderUnavailable, True),
    "request timeout": (408, body("too slow"), DeadlineExceeded, True),
    "no such model": (404, body("no such model"), RequestRefused, False),
    "text about rate limits": (400, body("rate limit, too many requests"), RequestRefused, False),
    "text about a missing key": (
        500,
        body("Missing credentials. Please pass an api_key"),
        ProviderUnavailable,
        True,
    ),
    "a list around it": (400, [body("no", code="content_filter")], ContentRefused, False),
    "a bare text": (400, {"error": "response too long"}, RequestRefused, False),
    "no json": (500, "<html>oops</html>", ProviderUnavailable, True),
    "detail": (422, {"detail": "value is not valid"}, RequestRefused, False),
}


@pytest.mark.parametrize("prefix", ["openai", "hosted_vllm", "mistral", "deepseek", "groq", "openrouter"])
def test_what_the_server_answered_decides(prefix, litellm, raised):
    faults = [Fault.status(status, payload) for status, payload, _, _ in ANSWERED.values()]
    with FakeProvider(faults=faults) as provider:
        failures = [raised(litellm, provider, f"{prefix}/m") for _ in ANSWERED]
    assert provider.count == len(ANSWERED)
    found = {
        name: (type(failure.error), failure.retryable, failure.answered, failure.error.status)
        for name, failure in zip(ANSWERED, failures, strict=True)
    }
    assert found == {
        name: (kind, retryable, True, status) for name, (status, _, kind, retryable) in ANSWERED.items()
    }


@pytest.fixture
def raised():
    """What a call through litellm raises, classified."""
    import asyncio

    async def call(litellm, provider, model):
        try:
            await litellm.acompletion(
                model=model,
                messages=[{"role": "user", "content": "hi"}],
                api_base=provider.url,
                api_key="sk-qa-SECRET-123",
                num_retries=0,
                max_retries=0,
            )
        except Exception as error:  # noqa: BLE001 - whatever it is gets classified
            return failure_from(error, model=model, masked=Masker(["sk-qa-SECRET-123"]).masked)
        raise AssertionError("litellm raised nothing")

    return lambda litellm, provider, model: asyncio.run(call(litellm, provider, model))


def test_every_error_can_be_pickled_and_holds_no_key(litellm, raised):  # RP13
    faults = [
        Fault.key_echoed(),
        Fault.status(429, body("sk-qa-SECRET-123 is too fast"), retry_after=7),
        Fault.status(500, body("sk-qa-SECRET-123")),
        Fault.status(400, "sk-qa-SECRET-123 sk-other00000000000"),
        Fault.html(),
        Fault.reset(),
    ]
    with FakeProvider(faults=faults) as provider:
        errors = [raised(litellm, provider, "openai/m").error for _ in faults]
    for error in errors:
        copy = pickle.loads(pickle.dumps(error))
        assert (type(copy), str(copy), copy.status, copy.retry_after) == (
            type(error),
            str(error),
            error.status,
            error.retry_after,
        )
        assert "SECRET" not in repr(error)
        assert "sk-other" not in repr(error)
        assert "\n" not in str(error)
        assert "Traceback" not in str(error)
    assert errors[1].retry_after == 7


def test_an_error_is_cut_to_a_line(litellm, raised):
    with FakeProvider(faults=[Fault.status(500, body("word " * 5000))]) as provider:
        assert len(str(raised(litellm, provider, "openai/m").error)) < 500


@given(st.floats(min_value=0, max_value=1e6))
def test_retry_after_reads_seconds(seconds):
    assert retry_after({"retry-after": repr(seconds)}) == seconds
    assert retry_after({"retry-after-ms": repr(seconds), "retry-after": "99"}) == seconds / 1000


@given(st.integers(min_value=-1000, max_value=100_000))
def test_retry_after_reads_a_date_by_the_servers_clock(seconds):
    now = datetime(2031, 5, 6, 7, 8, 9, tzinfo=UTC)
    headers = {
        "date": format_datetime(now, usegmt=True),
        "retry-after": format_datetime(now + timedelta(seconds=seconds), usegmt=True),
    }
    assert retry_after(headers) == max(0, seconds)


@given(st.text())
def test_no_header_breaks_the_reading(text):
    found = retry_after({"retry-after": text, "retry-after-ms": text, "date": text})
    assert found is None or 0 <= found < float("inf")
