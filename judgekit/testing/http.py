"""HTTP/1.1 over asyncio, as much of it as a fake provider needs."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import TypeAlias

__all__ = ["Connection", "Handler", "HttpRequest", "response_head"]

_HEAD_LIMIT = 64 * 1024
_BODY_LIMIT = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One parsed request."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


Handler: TypeAlias = "Callable[[Connection, HttpRequest], Awaitable[None]]"


class BadRequest(Exception):
    """What came is no HTTP request."""


def response_head(status: int, length: int, headers: Mapping[str, str]) -> bytes:
    """The head of a response."""
    try:
        reason = HTTPStatus(status).phrase
    except ValueError:
        reason = "Scripted"
    lines = [f"HTTP/1.1 {status} {reason}", f"content-length: {length}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")


def _chunked(data: bytes, start: int) -> tuple[bytes, int] | None:
    """The decoded body and the position after it; None while it is incomplete."""
    pieces: list[bytes] = []
    while True:
        line_end = data.find(b"\r\n", start)
        if line_end < 0:
            return None
        size = int(data[start:line_end].split(b";")[0], 16)
        start = line_end + 2 + size + 2
        if size == 0:
            # Trailers are not used by any client here; the blank line ends the body.
            return (b"".join(pieces), start) if len(data) >= start else None
        if len(data) < start:
            return None
        pieces.append(data[line_end + 2 : line_end + 2 + size])


def _parse(data: bytes) -> tuple[HttpRequest, int] | None:
    """The first request in `data` and its length; None while it is incomplete."""
    end = data.find(b"\r\n\r\n")
    if end < 0:
        if len(data) > _HEAD_LIMIT:
            raise BadRequest("the head is too long")
        return None
    lines = data[:end].decode("latin-1").split("\r\n")
    try:
        method, path, _ = lines[0].split(" ", 2)
        headers = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines[1:])}
        if headers.get("transfer-encoding", "").lower() == "chunked":
            found = _chunked(data, end + 4)
            return (HttpRequest(method, path, headers, found[0]), found[1]) if found else None
        length = int(headers.get("content-length") or 0)
    except ValueError as error:
        raise BadRequest(str(error)) from error
    if length > _BODY_LIMIT:
        raise BadRequest("the body is too long")
    stop = end + 4 + length
    if len(data) < stop:
        return None
    return HttpRequest(method, path, headers, data[end + 4 : stop]), stop


class Connection(asyncio.Protocol):
    """One client connection: its requests go to the handler one after the other."""

    def __init__(self, number: int, handler: Handler, opened: set[Connection]) -> None:
        self.number = number
        self._handler = handler
        self._opened = opened
        self._buffer = bytearray()
        self._task: asyncio.Task[None] | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Part of asyncio's protocol."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - for the type checker
        self._transport = transport
        self._opened.add(self)

    def data_received(self, data: bytes) -> None:
        """Part of asyncio's protocol."""
        self._buffer += data
        if b"100-continue" in data and self._transport is not None:
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        self._next()

    def connection_lost(self, exc: Exception | None) -> None:
        """Part of asyncio's protocol: whoever waits for this connection stops waiting."""
        self._opened.discard(self)
        self._transport = None
        if self._task is not None:
            self._task.cancel()

    def _next(self) -> None:
        if self._task is not None or self._transport is None:
            return
        try:
            found = _parse(bytes(self._buffer))
        except BadRequest:
            self.write(response_head(400, 0, {"connection": "close"}))
            self.close()
            return
        if found is not None:
            request, length = found
            del self._buffer[:length]
            self._task = asyncio.get_running_loop().create_task(self._serve(request))

    async def _serve(self, request: HttpRequest) -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await self._handler(self, request)
        self._task = None
        self._next()

    def write(self, data: bytes) -> None:
        """Send bytes, where the client is still there."""
        if self._transport is not None:
            self._transport.write(data)

    def close(self) -> None:
        """Close after what was written."""
        if self._transport is not None:
            self._transport.close()

    def reset(self) -> None:
        """Drop the connection so that the client sees a reset."""
        if self._transport is None:
            return
        raw = self._transport.get_extra_info("socket")
        if raw is not None:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._transport.abort()
