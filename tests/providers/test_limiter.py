"""Requests in flight and a minute, pauses, and the breaker."""

import asyncio
import time

import pytest

from judgekit.errors import AuthenticationFailed, QuotaSpent, RateLimited
from judgekit.jsonable import json_line
from judgekit.providers import LIMITS, Limits, Request
from judgekit.providers.limiter import Gate, Limiter
from judgekit.testing import FakeProvider, Fault, says

GOOD = {"reason": "polite", "score": 0.75}
LATE = float("inf")


async def taken(limiter, gate=None, *, tokens=1, ends=LATE):
    return await limiter.acquire(gate or Gate(), None, tokens=tokens, ends=ends)


def test_never_more_than_the_cap_is_in_flight(question_to, in_one_run):
    with FakeProvider(GOOD, latency=0.02) as provider:
        requests = [question_to(provider, f"text {n}", limits=Limits(max_in_flight=3)) for n in range(20)]
        answers = in_one_run(requests)
    assert [answer.value for answer in answers] == [0.75] * 20
    assert provider.max_in_flight == 3


def test_the_default_cap_is_eight(question_to, in_one_run):
    with FakeProvider(GOOD, latency=0.05) as provider:
        in_one_run([question_to(provider, f"text {n}") for n in range(30)])
    assert provider.max_in_flight == 8


def test_a_runs_own_limits_count_where_a_request_has_none(question_to, in_one_run):
    with FakeProvider(GOOD, latency=0.02) as provider:
        requests = [question_to(provider, f"text {n}") for n in range(8)]
        in_one_run(requests, prepare=lambda scope: scope.service(LIMITS, lambda: Limits(max_in_flight=2)))
    assert provider.max_in_flight == 2


def test_a_429_halves_what_is_in_flight_and_clean_answers_raise_it_again():
    async def main():
        limiter = Limiter(Limits(max_in_flight=8))
        slots = [await taken(limiter) for _ in range(8)]
        limiter.release(slots[0], rate_limited=True)
        # The others went out before the cut, so they say nothing about it.
        limiter.release(slots[1], rate_limited=True)
        seen = [limiter.allowed]
        for slot in slots[2:]:
            limiter.release(slot)
        seen.append(limiter.allowed)
        for _ in range(40):
            limiter.release(await taken(limiter))
        seen.append(limiter.allowed)
        for _ in range(9):
            limiter.release(await taken(limiter), rate_limited=True)
        return [*seen, limiter.allowed]

    assert asyncio.run(main()) == [4, 5, 8, 1]


def test_waiting_requests_go_out_in_order_of_arrival():
    async def main():
        limiter, order = Limiter(Limits(max_in_flight=1)), []

        async def one(number):
            slot = await taken(limiter)
            order.append(number)
            await asyncio.sleep(0)
            limiter.release(slot)

        await asyncio.gather(*(one(number) for number in range(20)))
        return order, limiter.in_flight

    assert asyncio.run(main()) == (list(range(20)), 0)


def test_a_cancelled_wait_leaves_no_slot_behind():
    async def main():
        limiter = Limiter(Limits(max_in_flight=1))
        slot = await taken(limiter)
        waiting = [asyncio.create_task(taken(limiter)) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        waiting[1].cancel()
        await asyncio.sleep(0)
        limiter.release(slot)
        limiter.release(await waiting[2])
        return limiter.in_flight

    assert asyncio.run(main()) == 0


def test_requests_a_minute_hold_the_next_one_back():
    async def main():
        limiter = Limiter(Limits(requests_per_minute=2))
        for _ in range(2):
            limiter.release(await taken(limiter))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await taken(limiter)
        delay = limiter._delay(Gate(), 1)
        return delay, limiter.in_flight

    delay, in_flight = asyncio.run(main())
    assert 50 < delay <= 60
    assert in_flight == 0


def test_tokens_a_minute_are_corrected_by_what_was_used():
    async def main():
        limiter = Limiter(Limits(tokens_per_minute=1000))
        first = await taken(limiter, tokens=900)
        assert limiter._delay(Gate(), 200) > 50
        limiter.release(first, tokens=100)
        assert limiter._delay(Gate(), 200) == 0
        # What is larger than the whole limit still goes out, alone.
        limiter.release(await taken(limiter, tokens=800), tokens=0)
        return limiter._delay(Gate(), 5000)

    assert 50 < asyncio.run(main()) <= 60


def test_the_smaller_of_two_limits_counts():
    limiter = Limiter(Limits(max_in_flight=8, requests_per_minute=100))
    limiter.tighten(Limits(max_in_flight=4, tokens_per_minute=50))
    assert limiter.limits == Limits(max_in_flight=4, requests_per_minute=100, tokens_per_minute=50)
    assert limiter.allowed == 4


def test_a_pause_holds_back_every_call_of_the_provider(question_to, in_one_run):
    # The first answer is a 429; the others arrive while the provider is paused, and for another model.
    with FakeProvider(GOOD, faults=[Fault.status(429, retry_after=0.8)]) as provider:
        first = question_to(provider, "first", limits=Limits(max_in_flight=1))
        requests = [
            first,
            *(question_to(provider, f"text {n}", limits=Limits(max_in_flight=1)) for n in range(3)),
        ]
        answers = in_one_run(requests)
    assert [answer.value for answer in answers] == [0.75] * 4
    times = [request.received for request in provider.requests]
    assert len(times) == 5
    assert min(times[1:]) - times[0] >= 0.8


def test_a_pause_past_the_deadline_ends_the_waiting_calls_at_once():
    async def main():
        limiter, gate = Limiter(Limits(max_in_flight=1)), Gate()
        await taken(limiter, gate)
        ends = time.monotonic() + 30
        waiting = [asyncio.create_task(taken(limiter, gate, ends=ends)) for _ in range(3)]
        await asyncio.sleep(0)
        gate.pause(100)
        return await asyncio.gather(*waiting, return_exceptions=True)

    found = asyncio.run(main())
    assert [type(error) for error in found] == [RateLimited] * 3


def test_a_wrong_key_ends_every_remaining_call_at_once(question_to, in_one_run):  # LM04
    with FakeProvider(GOOD, faults=lambda request: Fault.status(401), latency=0.02) as provider:
        requests = [question_to(provider, f"text {n}", limits=Limits(max_in_flight=2)) for n in range(50)]
        started = time.monotonic()
        answers = in_one_run(requests)
        seconds = time.monotonic() - started
    assert {type(answer.error) for answer in answers} == {AuthenticationFailed}
    assert provider.count <= 2
    assert sum(answer.usage.requests for answer in answers) == provider.count
    assert seconds < 5
    assert "not asked again in this run" in str(answers[-1].error)


def test_spent_quota_wakes_calls_that_wait_to_try_again(question_to, in_one_run):
    quota = Fault.status(429, {"error": {"message": "x", "code": "insufficient_quota"}})

    def fault(request):
        return Fault.status(503, retry_after=30) if "first" in json_line(request.body) else quota.after(0.3)

    with FakeProvider(GOOD, faults=fault) as provider:
        requests = [question_to(provider, "first"), question_to(provider, "second")]
        started = time.monotonic()
        answers = in_one_run(requests)
        seconds = time.monotonic() - started
    assert [type(answer.error) for answer in answers] == [QuotaSpent, QuotaSpent]
    assert provider.count == 2
    assert seconds < 10


def test_another_account_is_not_stopped(question_to, in_one_run):
    def fault(request):
        return Fault.status(401) if request.headers["authorization"].endswith("bad-key-0000") else None

    with FakeProvider(GOOD, faults=fault) as provider:
        requests: list[Request] = [
            question_to(provider, "one", api_key="bad-key-0000"),
            question_to(provider, "two", api_key="good-key-0000"),
        ]
        answers = in_one_run(requests)
    assert [answer.value for answer in answers] == [None, 0.75]


def test_a_slot_is_free_while_a_call_waits_to_try_again(question_to, in_one_run):
    # With one slot the second call can only be answered first if the first does not hold it asleep.
    def fault(request):
        first = provider.count == 1
        return Fault.status(500, retry_after=0.4) if first else None

    answers_to = says(json_line(GOOD))
    with FakeProvider(answers_to, faults=fault) as provider:
        limits = Limits(max_in_flight=1)
        answers = in_one_run([question_to(provider, f"text {n}", limits=limits) for n in range(2)])
        assert provider.count == 3
    assert [answer.value for answer in answers] == [0.75, 0.75]
