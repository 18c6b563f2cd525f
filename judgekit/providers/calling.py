"""`ask`: the one door to a model. Cache first, then an identical request in flight, then the provider."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Hashable
from typing import Any, TypeVar

from judgekit.context import AttemptContext, RunScope, current_attempt
from judgekit.errors import (
    ContentRefused,
    DeadlineExceeded,
    FileUnreadable,
    ProviderUnavailable,
    ReplayMissing,
)
from judgekit.providers.attempts import Question
from judgekit.providers.base import Answer, CacheMode, Reader, Request, Unusable, Usage
from judgekit.providers.cache import Cache, Ordinals, Record, cache_mode, cache_path, request_key
from judgekit.providers.services import services_of

__all__ = ["ask"]

T = TypeVar("T")


async def ask(request: Request, read: Reader[T]) -> Answer[T]:
    """Ask a model one question and read its answer.

    Sends at most `request.attempts` HTTP requests, and none where the cache holds the answer. Calls of one
    run share their limits, spend and what was learnt about the model; outside a run a call has its own.

    Args:
        request: The question.
        read: Makes the value of a reply, and raises `Unusable` for one that cannot be used. It is not
            called for a reply that was cut off, refused, filtered or empty.

    Returns:
        The value, or the error that says why there is none, with what it took. Nothing is raised for
        anything that a provider does.

    Raises:
        InvalidArgument: The cache mode is unknown.
    """
    attempt = current_attempt()
    if attempt is not None:
        return await _Asking(attempt.scope, attempt, request).answer(read)
    scope = RunScope()
    try:
        return await _Asking(scope, None, request).answer(read)
    finally:
        await scope.close()


class _Asking:
    """One request and where its answer may come from."""

    def __init__(self, scope: RunScope, attempt: AttemptContext | None, request: Request) -> None:
        self._scope = scope
        self._attempt = attempt
        self._request = request
        self._mode: CacheMode = cache_mode(request)
        run = attempt.run if attempt is not None else 1
        self._key = request_key(request, run) if self._mode != "off" else ""
        # What another key or less patience ended with is no answer to this one.
        whose = (request.api_key, request.attempts, request.timeout)
        self._twin = (self._key or _twin_key(request, run), *whose)
        self._case_id = attempt.case_id if attempt is not None else ""
        self._position = attempt.case_index if attempt is not None else 0
        self._ordinal = 0
        if self._mode != "off" and attempt is not None:
            ordinals = scope.service("judgekit.ordinals", Ordinals)
            self._ordinal = ordinals.next(attempt.session_id, self._key)

    async def answer(self, read: Reader[T]) -> Answer[T]:
        """The answer, from wherever it comes."""
        if self._mode == "off":
            return await self._asked(read)
        try:
            found = self._recorded(read)
        except FileUnreadable as error:
            return Answer(error=ProviderUnavailable(str(error)))
        if found is not None:
            return found
        if self._mode == "replay":
            return Answer(error=self._missing())
        answer = await self._asked(read)
        try:
            self._keep(answer)
        except FileUnreadable as error:
            # What was paid for is not thrown away with it.
            return dataclasses.replace(answer, notes=(*answer.notes, f"not kept: {error}"))
        return answer

    async def _asked(self, read: Reader[T]) -> Answer[T]:
        in_flight: dict[Hashable, asyncio.Future[Answer[Any]]]
        in_flight = self._scope.service("judgekit.in-flight", dict)
        while (leader := in_flight.get(self._twin)) is not None:
            joined = await self._joined(leader, read)
            if joined is not None:
                return joined
        promise: asyncio.Future[Answer[Any]] = asyncio.get_running_loop().create_future()
        in_flight[self._twin] = promise
        try:
            services = services_of(self._scope, self._request)
            if not self._request.is_scripted:
                # Before the question's clock starts: the seconds of the import are not the provider's.
                await services.wire.load()
            answer = await Question(services, self._request, read).answer()
            promise.set_result(answer)
            return answer
        finally:
            # Cancelled where there is no answer to share; whoever waits then asks for itself.
            promise.cancel()
            del in_flight[self._twin]

    async def _joined(self, leader: asyncio.Future[Answer[Any]], read: Reader[T]) -> Answer[T] | None:
        """What the identical request in flight brought; None: nothing that can be used here."""
        seconds = self._request.deadline
        await asyncio.wait((leader,), timeout=seconds)
        if not leader.done():
            late = DeadlineExceeded(
                f"{self._request.model_name}: no answer within the deadline of {seconds:g} s"
            )
            return Answer(error=late, shared=True)
        if leader.cancelled():
            return None
        answer = leader.result()
        shared: Answer[T] = dataclasses.replace(answer, usage=Usage(), shared=True)
        if answer.error is not None or answer.reply is None:
            return shared
        try:
            return dataclasses.replace(shared, value=read(answer.reply))
        except Unusable:
            return None

    def _cache(self) -> Cache:
        replay, path = self._mode == "replay", cache_path(self._request)

        def opened() -> Cache:
            cache = Cache(path, replay=replay)
            self._scope.on_close(cache.close)
            return cache

        return self._scope.service(("judgekit.cache", path, replay), opened)

    def _recorded(self, read: Reader[T]) -> Answer[T] | None:
        record = self._cache().find(
            self._key,
            self._case_id,
            self._ordinal,
            position=self._position,
            plan=self._scope.case_ids,
        )
        if record is None:
            return None
        answer: Answer[T] = _replayed(record)
        if record.usable:
            try:
                return dataclasses.replace(answer, value=read(record.reply))
            except Unusable as unusable:
                # The reader has become stricter since: that is an answer to a replay, and a miss else.
                return dataclasses.replace(answer, error=unusable) if self._mode == "replay" else None
        return answer

    def _keep(self, answer: Answer[Any]) -> None:
        error, why = answer.error, None
        if isinstance(error, Unusable):
            why = (error.cause, error.complaint, error.excerpt)
        elif isinstance(error, ContentRefused):
            why = (error.cause, str(error), "")
        if answer.reply is None or (error is not None and why is None):
            return
        record = Record(
            reply=answer.reply,
            usage=answer.usage,
            parameters=answer.parameters,
            notes=answer.notes,
            error=why,
        )
        self._cache().keep(
            self._key,
            self._case_id,
            self._ordinal,
            position=self._position,
            record=record,
            body=record.to_json(self._scope.masker),
        )

    def _missing(self) -> ReplayMissing:
        attempt = self._attempt
        where = (
            f"case {self._case_id!r} run {attempt.run}" if attempt is not None else "a question outside a run"
        )
        return ReplayMissing(
            f"{cache_path(self._request)} holds no record of {where} for {self._request.model_name}; "
            "record it with cache='read-write'"
        )


def _twin_key(request: Request, run: int) -> Hashable:
    """Equal for identical requests of this process; much cheaper than the key of the cache."""
    messages = tuple((message.get("role"), message.get("content")) for message in request.messages)
    plain = all(len(message) == 2 and isinstance(message.get("content"), str) for message in request.messages)
    if request.params or not plain:
        return request_key(request, run)
    settings = (request.temperature, request.max_tokens, request.rung, request.sample)
    return request.model_name, request.api_base, messages, id(request.format), settings, run


def _replayed(record: Record) -> Answer[Any]:
    error: ContentRefused | Unusable | None = None
    if record.error is not None:
        cause, text, excerpt = record.error
        error = ContentRefused(text) if cause == ContentRefused.cause else Unusable(cause, text, excerpt)
    return Answer(
        error=error,
        usage=record.usage,
        rung=record.reply.rung,
        parameters=record.parameters,
        notes=record.notes,
        model_served=record.reply.model_served,
        cached=True,
        reply=record.reply,
    )
