"""litellm's exceptions as our own: by what the server really answered, not by the class they arrive as.

A missing key and a refused connection arrive as status 500, a 400 that echoes the words "rate limit" as
429, spent quota as an ordinary 429. The truth is in the chain behind the exception: the HTTP response that
came back, or the connection error where none did. Duck-typed, so that nothing here imports litellm.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

from judgekit.errors import (
    AuthenticationFailed,
    ContentRefused,
    DeadlineExceeded,
    ProviderError,
    ProviderUnavailable,
    QuotaSpent,
    RateLimited,
    RequestRefused,
)
from judgekit.text import one_line

__all__ = ["Failure", "failure_from", "retry_after"]

_CHAIN_LIMIT = 12
_TEXT_LIMIT = 400

_FILTER_CODES = frozenset({"content_filter", "content_policy_violation", "responsibleaipolicyviolation"})
_QUOTA_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_KEY_CODES = frozenset({"invalid_api_key", "invalid_authentication", "authentication_error"})
_UNFIT_CODES = frozenset({"json_validate_failed", "tool_use_failed", "output_parse_failed"})
_CONTEXT_CODES = frozenset({"context_length_exceeded", "string_above_max_length"})

_NO_KEY = re.compile(
    r"missing credentials|missing [\w ]{0,40}api.?key|no api.?key|unable to locate credentials"
    r"|api_key client option must be set|default credentials were not found",
    re.IGNORECASE,
)
_BAD_KEY = re.compile(r"api.?key not valid|(?:invalid|incorrect) api.?key|api_key_invalid", re.IGNORECASE)
_REFUSED_LOGIN = re.compile(r"invalid_grant|invalid_client|unauthorized_client|access_denied")
_NO_CREDIT = re.compile(r"credit balance is too low|insufficient[ _](?:quota|balance|credits)", re.IGNORECASE)
_NO_PROVIDER = "LLM Provider NOT provided"
_LITELLM_PREFIX = re.compile(r"^(?:litellm\.\w+: )+(?:\w+Error: )?(?:\w+Exception(?: \w+)? - )?")


@dataclass(frozen=True, slots=True)
class Failure:
    """How one attempt failed.

    Attributes:
        error: What callers see.
        retryable: Whether sending the same again may help.
        sent: Whether a request left this process.
        answered: Whether the server answered it, with an error; then it used no tokens.
        text: What the server or litellm said, for finding out which part of the request it refuses.
        param: The part of the request that the server names.
        unfit: Whether the model did answer, and the provider kept the answer because it does not fit the
            format.
    """

    error: ProviderError
    retryable: bool
    sent: bool = True
    answered: bool = False
    text: str = ""
    param: str | None = None
    unfit: bool = False


@dataclass(frozen=True, slots=True)
class _Facts:
    """What is known about a failed call."""

    model: str
    status: int | None
    text: str
    codes: frozenset[str]
    param: str | None
    names: frozenset[str]
    wait: float | None


def failure_from(error: Exception, *, model: str, masked: Callable[[str], str]) -> Failure:
    """Classify what litellm raised; `masked` takes the keys out of every text."""
    chain = list(_chain(error))
    names = frozenset(type(link).__name__ for link in chain)
    response = next((link.response for link in chain if _is_answer(link)), None)
    body = _body(response, error)
    text = str(body.get("message") or "") or _LITELLM_PREFIX.sub("", str(error).partition("Traceback (")[0])
    facts = _Facts(
        model=model,
        status=response.status_code if response is not None else None,
        text=masked(text),
        codes=frozenset(str(body[key]).lower() for key in ("code", "type", "status") if body.get(key)),
        param=str(body["param"]) if body.get("param") else None,
        names=names,
        wait=_wait(_headers(response, error), body),
    )
    return _unanswered(facts) if facts.status is None else _answered(facts)


def _chain(error: BaseException) -> Iterator[Any]:
    link: BaseException | None = error
    for _ in range(_CHAIN_LIMIT):
        if link is None:
            return
        yield link
        link = link.__cause__ or link.__context__


def _is_answer(link: Any) -> bool:
    return type(link).__name__.endswith("HTTPStatusError") and hasattr(link, "response")


def _headers(response: Any, error: Any) -> Mapping[str, Any]:
    for found in (
        getattr(response, "headers", None),
        getattr(error, "litellm_response_headers", None),
        getattr(getattr(error, "response", None), "headers", None),
    ):
        if found:
            return {str(key).lower(): value for key, value in dict(found).items()}
    return {}


def _body(response: Any, error: Any) -> Mapping[str, Any]:
    """The error object of the body, whatever shape the provider gives it."""
    text = ""
    if response is not None:
        try:
            text = response.text
        except Exception:  # noqa: BLE001 - a body that was streamed away is no reason to lose the error
            text = ""
    try:
        body: Any = json.loads(text) if text else getattr(error, "body", None)
    except (ValueError, RecursionError):
        return {"message": text}
    if isinstance(body, list) and body:
        body = body[0]
    if isinstance(body, Mapping) and isinstance(body.get("error"), Mapping | str):
        inner = body["error"]
        body = inner if isinstance(inner, Mapping) else {**body, "message": inner}
    if not isinstance(body, Mapping):
        return {}
    return body if body.get("message") else {**body, "message": body.get("detail") or text}


def _said(facts: _Facts, error: type[ProviderError], what: str) -> ProviderError:
    shown = one_line(facts.text, _TEXT_LIMIT)
    text = f"{facts.model}: {what}" + (f": {shown}" if shown and shown not in what else "")
    return error(text, status=facts.status, retry_after=facts.wait)


def _unanswered(facts: _Facts) -> Failure:
    text, names = facts.text, facts.names
    if "UnsupportedParamsError" in names:
        error = _said(facts, RequestRefused, "litellm does not send this request")
        return Failure(error, retryable=False, sent=False, text=text)
    if _NO_PROVIDER in text:
        wanted = f"no provider in {facts.model!r}; write for example 'openai/{facts.model}'"
        return Failure(RequestRefused(wanted), retryable=False, sent=False)
    if _NO_KEY.search(text) or "NoCredentialsError" in names:
        return Failure(_said(facts, AuthenticationFailed, "no API key"), retryable=False, sent=False)
    if "RefreshError" in names and _REFUSED_LOGIN.search(text):
        # Google's library asks for a token before anything is sent to the model.
        error = _said(facts, AuthenticationFailed, "the credentials were not accepted")
        return Failure(error, retryable=False, sent=False)
    if names & {"ModuleNotFoundError", "ImportError"}:
        error = _said(facts, RequestRefused, "litellm lacks a package for this provider")
        return Failure(error, retryable=False, sent=False)
    if names & {"InvalidURL", "UnsupportedProtocol", "InvalidUrlClientError"}:
        return Failure(_said(facts, RequestRefused, "the address is no URL"), retryable=False, sent=False)
    if names & {"Timeout", "APITimeoutError", "TimeoutError", "ReadTimeout", "ConnectTimeout"}:
        return Failure(_said(facts, DeadlineExceeded, "no answer in time"), retryable=True)
    if names & {"ConnectError", "ClientConnectorError", "ClientConnectorDNSError"}:
        return Failure(_said(facts, ProviderUnavailable, "cannot connect"), retryable=True)
    if names & {"ReadError", "WriteError", "RemoteProtocolError", "ServerDisconnectedError"}:
        return Failure(_said(facts, ProviderUnavailable, "the connection was lost"), retryable=True)
    return Failure(_said(facts, ProviderUnavailable, "what came back is no answer"), retryable=True)


def _answered(facts: _Facts) -> Failure:
    kind, what = _kind(facts)
    if facts.status == 400 and facts.codes & _UNFIT_CODES:
        # Tokens were used, and nobody says how many.
        return Failure(_said(facts, kind, what), retryable=True, text=facts.text, unfit=True)
    retryable = kind in (RateLimited, ProviderUnavailable, DeadlineExceeded)
    return Failure(
        _said(facts, kind, what), retryable=retryable, answered=True, text=facts.text, param=facts.param
    )


def _kind(facts: _Facts) -> tuple[type[ProviderError], str]:
    status, codes = facts.status or 0, facts.codes
    what = f"HTTP {status}"
    client_error = 400 <= status < 500
    if client_error and (codes & _FILTER_CODES or "ContentPolicyViolationError" in facts.names):
        return ContentRefused, f"a content filter stopped the request ({what})"
    if status == 402 or (client_error and (codes & _QUOTA_CODES or _NO_CREDIT.search(facts.text))):
        return QuotaSpent, f"the account has no quota left ({what})"
    if status in {401, 403} or (status == 400 and (codes & _KEY_CODES or _BAD_KEY.search(facts.text))):
        return AuthenticationFailed, f"the key was not accepted ({what})"
    if status == 429:
        return RateLimited, what
    if status == 408:
        return DeadlineExceeded, what
    if status == 409 or status >= 500:
        return ProviderUnavailable, what
    if codes & _CONTEXT_CODES or "ContextWindowExceededError" in facts.names:
        return RequestRefused, f"the messages are longer than the model takes ({what})"
    return RequestRefused, what


def _wait(headers: Mapping[str, Any], body: Mapping[str, Any]) -> float | None:
    found = retry_after(headers)
    details = body.get("details")
    if found is not None or not isinstance(details, list):
        return found
    # Google says it in the body: {"@type": ".../google.rpc.RetryInfo", "retryDelay": "31s"}
    delays = (str(detail.get("retryDelay", "")) for detail in details if isinstance(detail, Mapping))
    return next((_seconds(delay.removesuffix("s")) for delay in delays if delay), None)


def retry_after(headers: Mapping[str, Any]) -> float | None:
    """Seconds that the server asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date."""
    exact = _seconds(headers.get("retry-after-ms"))
    if exact is not None:
        return exact / 1000
    value = headers.get("retry-after")
    seconds = _seconds(value)
    if seconds is not None or value is None:
        return seconds
    until = _moment(value)
    if until is None:
        return None
    # The server's own clock counts where it says what time it is.
    return max(0.0, until - (_moment(headers.get("date")) or time.time()))


def _seconds(value: Any) -> float | None:
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        return None
    return seconds if 0 <= seconds < float("inf") else None


def _moment(value: Any) -> float | None:
    try:
        return parsedate_to_datetime(str(value)).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None
