"""What a fake provider can be told to do wrong."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any, Literal, TypeAlias

from judgekit.jsonable import json_line

__all__ = ["Fault", "RecordedRequest"]


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """One request that a fake provider got.

    Attributes:
        method, path: As sent.
        headers: Names in lower case.
        body: The JSON of the body; its text where it is none; None where there was no body.
        received: When it was complete, on the clock of `time.monotonic`.
        number: Which request it is, counted from 1.
        connection: Which connection it came on, counted from 1.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any
    received: float
    number: int
    connection: int

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The chat messages that it carried."""
        found = self.body.get("messages") if isinstance(self.body, dict) else None
        return found if isinstance(found, list) else []


Completion: TypeAlias = "dict[str, Any]"
Delivery: TypeAlias = Literal["whole", "hang", "reset", "slow", "cut"]


def _error(message: str, kind: str, *, param: str | None = None, code: str | None = None) -> bytes:
    return json_line({"error": {"message": message, "type": kind, "param": param, "code": code}}).encode()


def _bytes_of(body: object) -> bytes:
    if isinstance(body, bytes):
        return body
    return body.encode() if isinstance(body, str) else json_line(body).encode()


def _retry_after(value: float | datetime | str) -> str:
    if isinstance(value, datetime):
        return format_datetime(value.astimezone(UTC), usegmt=True)
    return str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One way in which a request goes wrong; build it with the class methods.

    Attributes:
        status_code: The HTTP status.
        headers: Headers beside or instead of the usual ones.
        body: What is sent instead of an answer: bytes, or a function of the request; None: the answer.
        edit: Changes the answer before it is sent.
        delay: Seconds before anything is sent.
        delivery: Whether the response arrives whole, slowly, cut in the middle, or not at all.
        seconds: How long a slow body takes.
    """

    status_code: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | Callable[[RecordedRequest], bytes] | None = None
    edit: Callable[[Completion], Completion] | None = None
    delay: float = 0.0
    delivery: Delivery = "whole"
    seconds: float = 0.0

    def after(self, seconds: float) -> Fault:
        """The same fault, that many seconds later."""
        return dataclasses.replace(self, delay=seconds)

    @classmethod
    def status(
        cls,
        code: int,
        body: object = None,
        *,
        retry_after: float | datetime | str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Fault:
        """An HTTP status with this JSON (or text, or bytes), else an error in OpenAI's shape.

        `retry_after` becomes the header: seconds, or a time for the form with a date.
        """
        found = dict(headers or {})
        if retry_after is not None:
            found["retry-after"] = _retry_after(retry_after)
        payload = _error(f"scripted status {code}", "scripted_error") if body is None else _bytes_of(body)
        return cls(status_code=code, headers=found, body=payload)

    @classmethod
    def delayed(cls, seconds: float) -> Fault:
        """The right answer, late."""
        return cls(delay=seconds)

    @classmethod
    def hang(cls) -> Fault:
        """No answer, ever; the connection stays open."""
        return cls(delivery="hang")

    @classmethod
    def reset(cls) -> Fault:
        """The connection is reset."""
        return cls(delivery="reset")

    @classmethod
    def slow(cls, seconds: float) -> Fault:
        """The right answer, in pieces over that many seconds."""
        return cls(delivery="slow", seconds=seconds)

    @classmethod
    def cut(cls) -> Fault:
        """The connection ends in the middle of the body."""
        return cls(delivery="cut")

    @classmethod
    def invalid_json(cls) -> Fault:
        """Status 200 with a body that is no JSON."""
        return cls(body=b'{"choices": [')

    @classmethod
    def html(cls) -> Fault:
        """Status 200 with an HTML page, as a captive portal sends it."""
        page = b"<!doctype html><html><body><h1>Sign in to continue</h1></body></html>"
        return cls(body=page, headers={"content-type": "text/html"})

    @classmethod
    def wrong_schema(cls) -> Fault:
        """Status 200 with JSON that is no chat completion."""
        return cls(body=b'{"result": {"answer": "ok"}, "status": "done"}')

    @classmethod
    def empty_choices(cls) -> Fault:
        """A completion without choices."""
        return cls(edit=lambda completion: {**completion, "choices": []})

    @classmethod
    def no_content(cls, *, finish_reason: str = "stop") -> Fault:
        """A completion whose content is null."""
        return cls(edit=lambda completion: _message(completion, finish_reason, content=None))

    @classmethod
    def content_parts(cls) -> Fault:
        """The right answer as a list of content parts, an image among them."""
        return cls(edit=_in_parts)

    @classmethod
    def no_usage(cls) -> Fault:
        """The right answer without token counts."""
        return cls(edit=lambda completion: {k: v for k, v in completion.items() if k != "usage"})

    @classmethod
    def finish(cls, reason: str) -> Fault:
        """The right answer under this finish reason; `length` also cuts its text in half."""
        return cls(edit=lambda completion: _finished(completion, reason))

    @classmethod
    def refusal(cls, text: str = "I cannot help with that.") -> Fault:
        """A refusal in the field that OpenAI has for it."""
        return cls(edit=lambda completion: _message(completion, "stop", content=None, refusal=text))

    @classmethod
    def key_echoed(cls) -> Fault:
        """A 401 whose text repeats the key that was sent."""
        return cls(status_code=401, body=_key_refused)

    @classmethod
    def parameter_refused(cls, name: str) -> Fault:
        """A 400 that names a parameter which this model does not take."""
        text = f"Unsupported parameter: '{name}' is not supported with this model."
        if name == "max_tokens":
            text += " Use 'max_completion_tokens' instead."
        body = _error(text, "invalid_request_error", param=name, code="unsupported_parameter")
        return cls(status_code=400, body=body)


def _message(completion: Completion, finish_reason: str, **fields: Any) -> Completion:
    choice = completion["choices"][0]
    changed = {**choice, "finish_reason": finish_reason, "message": {**choice["message"], **fields}}
    return {**completion, "choices": [changed]}


def _in_parts(completion: Completion) -> Completion:
    choice = completion["choices"][0]
    text = choice["message"]["content"] or ""
    parts = [
        {"type": "text", "text": text},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ]
    return _message(completion, choice["finish_reason"], content=parts)


def _finished(completion: Completion, reason: str) -> Completion:
    text = completion["choices"][0]["message"]["content"]
    if reason == "length" and text:
        text = text[: len(text) // 2]
    return _message(completion, reason, content="" if reason == "content_filter" else text)


def _key_refused(request: RecordedRequest) -> bytes:
    key = request.headers.get("authorization", "").removeprefix("Bearer ")
    return _error(f"Incorrect API key provided: {key}.", "invalid_request_error", code="invalid_api_key")


def parsed(body: bytes) -> Any:
    """A request's body: JSON, else text, else None."""
    if not body:
        return None
    try:
        return json.loads(body)
    except ValueError:
        return body.decode("utf-8", "replace")
