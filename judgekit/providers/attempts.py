"""One question through all its attempts: sent, read, asked again, and counted."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

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
from judgekit.providers.base import Answer, Reader, Reply, Request, Rung, Unusable
from judgekit.providers.errors import Failure
from judgekit.providers.ladder import format_arguments, format_messages, shown_parameters, wanted_parameters
from judgekit.providers.litellm_wire import WireFailure
from judgekit.providers.scripted_wire import ask_scripted
from judgekit.providers.services import Services
from judgekit.providers.spend import ASSUMED_OUTPUT_TOKENS, Tally, estimated_tokens
from judgekit.text import one_line

if TYPE_CHECKING:
    from tenacity import RetryCallState

__all__ = ["Question"]

T = TypeVar("T")

_REFUSING_FINISHES = frozenset({"content_filter", "refusal", "safety"})
_BACKOFF_SECONDS = 0.5
_LONGEST_BACKOFF_SECONDS = 20.0
_REPLY_SHOWN_AGAIN = 8000
_UNSENT_LIMIT = 16


class _Failed(Exception):
    """An attempt that gave no value; tenacity decides about the next one."""

    def __init__(self, error: ProviderError | Unusable, *, again: bool, at_once: bool = False) -> None:
        self.error = error
        self.again = again
        self.at_once = at_once
        super().__init__(str(error))


class Question(Generic[T]):
    """One request on its way to an answer."""

    def __init__(self, services: Services, request: Request, read: Reader[T]) -> None:
        self._services = services
        self._request = request
        self._read = read
        self._ends = time.monotonic() + request.deadline
        self._tally = Tally()
        self._max_tokens = request.max_tokens
        self._complaint: tuple[str, str] | None = None
        self._rung: Rung = "prompt"
        self._parameters: Mapping[str, Any] = {}
        self._reply: Reply | None = None
        self._last: ProviderError | Unusable | None = None
        self._unsent = self._learnt = 0

    async def answer(self) -> Answer[T]:
        """Ask until there is a value, or no use in asking again."""
        try:
            async with asyncio.timeout(self._request.deadline):
                return self._answer(value=await self._value_of_attempts())
        except _Failed as failed:
            return self._answer(error=self._final(failed.error, late=failed.again and self._may_ask_again()))
        except TimeoutError:
            return self._answer(error=self._final(self._last, late=True))

    async def _value_of_attempts(self) -> T:
        """The first attempt's value, or of those that tenacity drives after it, told of the first failure.

        Most questions need one. They are spared tenacity's objects, which stay until they are collected.
        """
        try:
            return await self._attempt()
        except _Failed as failed:
            failures = [failed]
        from tenacity import AsyncRetrying, retry_if_exception

        async def attempt() -> T:
            if failures:
                raise failures.pop()
            return await self._attempt()

        retrying = AsyncRetrying(
            retry=retry_if_exception(lambda error: isinstance(error, _Failed) and error.again),
            stop=self._is_over,
            wait=self._wait,
            sleep=self._sleep,
            reraise=True,
        )
        return cast("T", await retrying(attempt))

    async def _attempt(self) -> T:
        try:
            reply = await self._paid(self._arguments())
        except WireFailure as wire:
            failed = self._after_failure(wire.failure)
        except ProviderError as error:
            failed = _Failed(error, again=False)
        else:
            self._reply = reply
            try:
                return self._value(reply)
            except _Failed as unusable:
                failed = unusable
        self._last = failed.error
        # litellm's own exceptions, and the keys in their texts, stay behind.
        raise failed from None

    def _arguments(self) -> dict[str, Any]:
        request, knowledge = self._request, self._services.knowledge
        self._learnt = knowledge.learnt
        self._rung = "prompt" if request.format is None else knowledge.rung(request.rung)
        self._parameters = knowledge.repaired(wanted_parameters(request, max_tokens=self._max_tokens))
        messages = format_messages(request.messages, request.format, self._rung)
        if self._complaint is not None:
            reply, complaint = self._complaint
            if reply:
                messages.append({"role": "assistant", "content": reply})
            messages.append({"role": "user", "content": complaint})
        form = format_arguments(request.format, self._rung)
        return {**self._parameters, **form, "messages": messages}

    async def _paid(self, arguments: Mapping[str, Any]) -> Reply:
        services, ledger = self._services, self._services.ledger
        form = self._request.format
        tokens = estimated_tokens(arguments["messages"]) + (0 if form is None else len(form.text) // 3)
        price = services.price(self._request)
        if price is None and ledger.max_cost is not None:
            raise RequestRefused(
                f"no price is known for {self._request.model_name}, so no cost limit can hold; give `price=`"
            )
        answered = self._max_tokens or ASSUMED_OUTPUT_TOKENS
        reserved = price.of(tokens, answered) if price is not None else 0.0
        await ledger.reserve(reserved)
        spent, unknown = self._tally.cost, self._tally.unknown_costs
        try:
            return await self._sent(arguments, tokens + (self._max_tokens or 0))
        finally:
            # What a lost request cost is unknown; the limit only holds if it counts in full.
            lost = self._tally.unknown_costs > unknown
            ledger.settle(reserved, reserved if lost else self._tally.cost - spent)

    async def _sent(self, arguments: Mapping[str, Any], tokens: int) -> Reply:
        services, tally = self._services, self._tally
        slot = await services.limiter.acquire(services.gate, services.account, tokens=tokens, ends=self._ends)
        limited, used = False, None
        try:
            reply = await self._exchanged(arguments)
            tally.add_reply(reply.input_tokens, reply.output_tokens, reply.cost)
            if reply.input_tokens is not None and reply.output_tokens is not None:
                used = reply.input_tokens + reply.output_tokens
            return reply
        except WireFailure as wire:
            if wire.failure.sent:
                tally.add_failure(answered=wire.failure.answered)
            limited = isinstance(wire.failure.error, RateLimited)
            if wire.failure.retryable and wire.failure.error.retry_after is not None:
                services.gate.pause(wire.failure.error.retry_after)
            raise
        except asyncio.CancelledError:
            tally.add_failure(answered=False)
            raise
        finally:
            services.limiter.release(slot, rate_limited=limited, tokens=used)

    async def _exchanged(self, arguments: Mapping[str, Any]) -> Reply:
        request, services = self._request, self._services
        if services.knowledge.learnt != self._learnt:
            # Calls before this one found out what the model refuses, while it waited for its turn.
            arguments = self._arguments()
        if request.is_scripted:
            return await ask_scripted(request, arguments, rung=self._rung)
        masked = services.scope.masker.masked
        seconds = request.timeout
        return await services.wire.send(request, arguments, rung=self._rung, seconds=seconds, masked=masked)

    def _after_failure(self, failure: Failure) -> _Failed:
        services, error = self._services, failure.error
        if failure.unfit:
            why = f"the provider kept back an answer that does not fit the format: {failure.text}"
            return _Failed(Unusable("malformed", why), again=True, at_once=True)
        if services.knowledge.learn(self._request, self._rung, self._parameters, failure):
            self._unsent += not failure.sent
            return _Failed(error, again=True, at_once=True)
        if isinstance(error, AuthenticationFailed | QuotaSpent):
            services.gate.close(services.account, error)
        if isinstance(error, RequestRefused) and self._was_doubled():
            # More tokens than the model gives: the answer before this one says what is wrong.
            return _Failed(cast("Unusable", self._last), again=False)
        return _Failed(error, again=failure.retryable)

    def _value(self, reply: Reply) -> T:
        model, finish = self._request.model_name, reply.finish_reason
        if reply.choices == 0:
            raise _Failed(ProviderUnavailable(f"{model}: no choices in the answer"), again=True)
        if finish == "length":
            raise self._cut_off(reply)
        if reply.refusal or finish in _REFUSING_FINISHES:
            said = one_line(self._services.scope.masker.masked(reply.refusal or reply.text or ""), 160)
            why = "the model refused" if reply.refusal else f"a filter stopped the answer ({finish})"
            raise _Failed(ContentRefused(f"{model}: {why}" + (f": {said}" if said else "")), again=False)
        try:
            if not (reply.text or "").strip():
                raise Unusable("malformed", f"the reply has no text (finish_reason {finish})")
            return self._read(reply)
        except Unusable as unusable:
            if self._reached_limit(reply):
                raise self._cut_off(reply) from None
            raise self._malformed(reply, unusable) from None

    def _reached_limit(self, reply: Reply) -> bool:
        # litellm says `stop` for every answer of ollama's generate API, cut off or not.
        limit, used = self._max_tokens, reply.output_tokens
        return limit is not None and used is not None and used >= limit

    def _malformed(self, reply: Reply, unusable: Unusable) -> _Failed:
        text = reply.text or ""
        if (left_out := len(text) - _REPLY_SHOWN_AGAIN) > 0:
            text = f"{text[:_REPLY_SHOWN_AGAIN]}\n[{left_out} characters left out]"
        complaint = (
            f"That reply cannot be used: {unusable.complaint}. "
            "Reply again to the same task, exactly in the format asked for, and with nothing else."
        )
        self._complaint = (text.strip(), complaint)
        return _Failed(unusable, again=unusable.again, at_once=True)

    def _cut_off(self, reply: Reply) -> _Failed:
        again = self._max_tokens is not None and not self._was_doubled()
        limit = f" of {self._max_tokens} tokens" if self._max_tokens is not None else ""
        complaint = f"the reply was cut off at the limit{limit} (finish_reason {reply.finish_reason})"
        if again:
            self._max_tokens = 2 * cast("int", self._max_tokens)
        return _Failed(Unusable("truncated", complaint, reply.text or ""), again=again, at_once=True)

    def _was_doubled(self) -> bool:
        return self._max_tokens != self._request.max_tokens

    def _may_ask_again(self) -> bool:
        return self._tally.requests < self._request.attempts and self._unsent < _UNSENT_LIMIT

    def _is_over(self, state: RetryCallState) -> bool:
        return not self._may_ask_again() or time.monotonic() + state.upcoming_sleep >= self._ends

    def _wait(self, state: RetryCallState) -> float:
        from tenacity import wait_random_exponential

        failed = state.outcome.exception() if state.outcome is not None else None
        if not isinstance(failed, _Failed) or failed.at_once:
            return 0.0
        jitter = wait_random_exponential(_BACKOFF_SECONDS, _LONGEST_BACKOFF_SECONDS)(state)
        floor = getattr(failed.error, "retry_after", None)
        # Whoever was told the same moment should not come back in the same moment.
        return jitter if floor is None else float(floor) + min(jitter, 1.0)

    async def _sleep(self, seconds: float) -> None:
        if seconds > 0:
            await self._services.gate.sleep(self._services.account, seconds)

    def _final(self, error: ProviderError | Unusable | None, *, late: bool) -> ProviderError | Unusable:
        request, requests = self._request, self._tally.requests
        if error is None:
            return DeadlineExceeded(
                f"{request.model_name}: no answer within the deadline of {request.deadline:g} s"
            )
        if isinstance(error, Unusable):
            return error
        text = str(error)
        if late:
            text += f"; the deadline of {request.deadline:g} s leaves no time to ask again"
        if requests > 1:
            text += f" (after {requests} requests)"
        return type(error)(text, status=error.status, retry_after=error.retry_after)

    def _answer(self, *, value: T | None = None, error: ProviderError | Unusable | None = None) -> Answer[T]:
        notes = self._services.knowledge.notes(self._request)
        if self._was_doubled():
            notes.append(f"max_tokens was raised to {self._max_tokens} after a reply was cut off")
        return Answer(
            value=value,
            error=error,
            usage=self._tally.usage(),
            rung=self._rung if self._request.format is not None else None,
            parameters=shown_parameters(self._parameters),
            notes=tuple(notes),
            model_served=self._reply.model_served if self._reply is not None else None,
            reply=self._reply,
        )
