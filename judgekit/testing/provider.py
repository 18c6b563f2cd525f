"""`FakeProvider`: the OpenAI chat API on a loopback port, which can be told to fail."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, TypeAlias

from judgekit.errors import InvalidArgument
from judgekit.jsonable import json_line
from judgekit.testing.faults import Fault, RecordedRequest, parsed
from judgekit.testing.http import Connection, HttpRequest, response_head
from judgekit.testing.script import Answer, Answerable, otherwise
from judgekit.testing.scripted import ScriptedModel, UnscriptedMessage
from judgekit.testing.streaming import event_stream

__all__ = ["FakeProvider", "Faults"]

Faults: TypeAlias = "Sequence[Fault | None] | Callable[[RecordedRequest], Fault | None]"
_NO_FAULT = Fault()
_PIECES = 10
_CLOSE_SECONDS = 5.0


def _served(answers: object) -> ScriptedModel:
    if isinstance(answers, ScriptedModel):
        return answers
    if isinstance(answers, str | Mapping | Answer) or callable(answers):
        return ScriptedModel(otherwise(answers), name="fake")
    if isinstance(answers, Sequence) and answers:
        return ScriptedModel(otherwise(*answers), name="fake")
    raise InvalidArgument(
        "FakeProvider: `answers` is a ScriptedModel, text, a dict, an Answer, a function of the Turn, or a "
        f"list of those, got {answers!r}"
    )


class FakeProvider:
    """The OpenAI chat API on a loopback port, in a thread of its own.

    Any client or framework can point its base URL at `url`; any key will do.

        with FakeProvider("Hello!", faults=[Fault.status(429, retry_after=1)]) as provider:
            client = OpenAI(base_url=provider.url, api_key="any")

    Args:
        answers: A ScriptedModel, or an answer, or a function of the Turn, or a list of answers that are
            given in turn, the last one staying. A dict is sent as JSON text.
        faults: What goes wrong: a list, one entry a request in order of arrival, None for none, and
            nothing after its end; or a function of the request. It is called in the server's thread.
        latency: Seconds that every answer takes.
    """

    def __init__(
        self,
        answers: ScriptedModel | Answerable | Sequence[Answerable] = "ok",
        *,
        faults: Faults = (),
        latency: float = 0.0,
    ) -> None:
        self.model = _served(answers)
        self._faults = faults
        self._latency = latency
        self._requests: list[RecordedRequest] = []
        self._arrived = threading.Condition()
        self._in_flight = 0
        self._max_in_flight = 0
        self._opened: set[Connection] = set()
        self._connections = 0
        self._port: int | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """The base URL, with `/v1` at its end."""
        if self._port is None:
            raise RuntimeError("the FakeProvider is not running; write `with FakeProvider(...) as provider:`")
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def requests(self) -> tuple[RecordedRequest, ...]:
        """Every request so far, in order of arrival."""
        return tuple(self._requests)

    @property
    def count(self) -> int:
        """How many requests arrived."""
        return len(self._requests)

    @property
    def in_flight(self) -> int:
        """How many requests wait for their answer."""
        return self._in_flight

    @property
    def max_in_flight(self) -> int:
        """The most requests that ever waited at the same time."""
        return self._max_in_flight

    def wait_for(self, count: int, *, timeout: float = 10.0) -> None:
        """Block until that many requests arrived.

        Raises:
            TimeoutError: They did not, in `timeout` seconds.
        """
        with self._arrived:
            if not self._arrived.wait_for(lambda: self.count >= count, timeout):
                raise TimeoutError(f"{self.count} of {count} requests arrived in {timeout} s")

    def __enter__(self) -> FakeProvider:
        if self._thread is not None:
            raise RuntimeError("this FakeProvider already runs; build another one")
        ready = threading.Event()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._run(ready)), name="judgekit-fake-provider", daemon=True
        )
        self._thread.start()
        if not ready.wait(_CLOSE_SECONDS) or self._port is None:
            raise RuntimeError("the FakeProvider could not open a loopback port")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Drop every connection and end the thread; again is harmless."""
        if self._loop is not None and self._stop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has already ended
                self._loop.call_soon_threadsafe(self._stop.set)
        if self._thread is not None:
            self._thread.join(_CLOSE_SECONDS)

    async def _run(self, ready: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        try:
            server = await self._loop.create_server(self._connected, "127.0.0.1", 0, backlog=1024)
            self._port = server.sockets[0].getsockname()[1]
        finally:
            ready.set()
        try:
            await self._stop.wait()
        finally:
            server.close()
            for connection in tuple(self._opened):
                connection.reset()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(server.wait_closed(), 1.0)
            await asyncio.sleep(0)

    def _connected(self) -> Connection:
        self._connections += 1
        return Connection(self._connections, self._handle, self._opened)

    async def _handle(self, connection: Connection, request: HttpRequest) -> None:
        self._in_flight += 1
        self._max_in_flight = max(self._max_in_flight, self._in_flight)
        try:
            recorded = self._record(connection, request)
            fault, (status, headers, body) = self._reaction(recorded)
            await self._deliver(connection, fault, response_head(status, len(body), headers), body)
        finally:
            self._in_flight -= 1

    def _record(self, connection: Connection, request: HttpRequest) -> RecordedRequest:
        with self._arrived:
            recorded = RecordedRequest(
                method=request.method,
                path=request.path,
                headers=request.headers,
                body=parsed(request.body),
                received=time.monotonic(),
                number=len(self._requests) + 1,
                connection=connection.number,
            )
            self._requests.append(recorded)
            self._arrived.notify_all()
        return recorded

    def _reaction(self, request: RecordedRequest) -> tuple[Fault, tuple[int, dict[str, str], bytes]]:
        try:
            fault = self._fault_for(request)
            return fault, self._response(request, fault)
        except Exception as error:  # noqa: BLE001 - a script that raises must not leave its client waiting
            fault = Fault.status(500, _error(f"the script raised {type(error).__name__}: {error}"))
            return fault, self._response(request, fault)

    def _fault_for(self, request: RecordedRequest) -> Fault:
        if callable(self._faults):
            return self._faults(request) or _NO_FAULT
        position = request.number - 1
        return (self._faults[position] if position < len(self._faults) else None) or _NO_FAULT

    def _response(self, request: RecordedRequest, fault: Fault) -> tuple[int, dict[str, str], bytes]:
        headers = {"content-type": "application/json", "x-request-id": f"req_{request.number}"}
        headers |= fault.headers
        if fault.body is not None:
            body = fault.body(request) if callable(fault.body) else fault.body
            return fault.status_code, headers, body
        if fault.delivery in {"hang", "reset"}:
            return 200, headers, b""
        status, answer = self._answer(request)
        if status == 200 and "choices" in answer:
            answer = fault.edit(answer) if fault.edit else answer
            if request.body.get("stream"):
                headers["content-type"] = "text/event-stream"
                return 200, headers, event_stream(answer, request.body)
        return (fault.status_code if status == 200 else status), headers, json_line(answer).encode()

    def _answer(self, request: RecordedRequest) -> tuple[int, dict[str, Any]]:
        path = request.path.partition("?")[0].rstrip("/")
        if request.method == "GET" and path.endswith("/models"):
            listed = {"id": str(self.model), "object": "model", "created": 0, "owned_by": "judgekit"}
            return 200, {"object": "list", "data": [listed]}
        if request.method != "POST" or not path.endswith("/chat/completions"):
            return 404, _error(f"no such route: {request.method} {request.path}")
        if not isinstance(request.body, dict) or not isinstance(request.body.get("messages"), list):
            return 400, _error("the body must be a JSON object with `messages`")
        call = {k: v for k, v in request.body.items() if k not in {"model", "stream", "stream_options"}}
        try:
            answer = self.model.complete(**call)
        except UnscriptedMessage as error:
            return 400, _error(str(error))
        return 200, {**answer, "model": request.body.get("model") or answer["model"]}

    async def _deliver(self, connection: Connection, fault: Fault, head: bytes, body: bytes) -> None:
        delay = fault.delay + self._latency
        if delay:
            await asyncio.sleep(delay)
        if fault.delivery == "hang":
            await asyncio.get_running_loop().create_future()
        elif fault.delivery == "reset":
            connection.reset()
        elif fault.delivery == "cut":
            connection.write(head + body[: len(body) // 2])
            connection.close()
        elif fault.delivery == "slow":
            connection.write(head)
            size = max(1, -(-len(body) // _PIECES))
            for start in range(0, len(body), size):
                await asyncio.sleep(fault.seconds / _PIECES)
                connection.write(body[start : start + size])
        else:
            connection.write(head + body)


def _error(text: str) -> dict[str, Any]:
    return {"error": {"message": text, "type": "invalid_request_error", "param": None, "code": None}}
