"""Identical requests in flight, and calls inside and outside a run."""

import asyncio
import dataclasses

import pytest

from judgekit.context import AttemptContext, RunScope, attempt_context
from judgekit.errors import DeadlineExceeded, ProviderUnavailable
from judgekit.providers import Unusable, ask
from judgekit.testing import FakeProvider, Fault

GOOD = {"reason": "polite", "score": 0.75}


def test_identical_requests_in_flight_are_sent_once(question_to, in_one_run):
    with FakeProvider(GOOD, latency=0.2) as provider:
        answers = in_one_run([question_to(provider)] * 5)
    assert provider.count == 1
    assert [answer.value for answer in answers] == [0.75] * 5
    assert sorted(answer.shared for answer in answers) == [False, True, True, True, True]
    assert sum(answer.usage.requests for answer in answers) == 1
    assert sum(answer.usage.known_input_tokens for answer in answers) == answers[0].usage.known_input_tokens


def test_samples_are_never_shared(question_to, in_one_run):
    with FakeProvider(GOOD, latency=0.1) as provider:
        request = question_to(provider)
        in_one_run([dataclasses.replace(request, sample=sample) for sample in range(4)])
    assert provider.count == 4


@pytest.mark.parametrize(
    "changes",
    [{"temperature": 1}, {"max_tokens": 5000}, {"params": {"seed": 1}}, {"rung": "prompt"}, {"format": None}],
)
def test_requests_that_differ_are_never_shared(question_to, in_one_run, changes):
    with FakeProvider(GOOD, latency=0.1) as provider:
        request = question_to(provider)
        in_one_run([request, dataclasses.replace(request, **changes)])
    assert provider.count == 2


def test_a_shared_failure_is_a_failure_of_all(question_to, in_one_run):
    with FakeProvider(GOOD, faults=lambda request: Fault.status(500).after(0.1)) as provider:
        answers = in_one_run([question_to(provider, attempts=1)] * 3)
    assert provider.count == 1
    assert {type(answer.error) for answer in answers} == {ProviderUnavailable}


@pytest.mark.parametrize("changes", [{"api_key": "sk-other"}, {"attempts": 3}, {"timeout": 15}])
def test_a_failure_is_not_shared_with_who_has_another_key_or_more_patience(question_to, in_one_run, changes):
    failing = [Fault.status(401 if "api_key" in changes else 500).after(0.1)]
    with FakeProvider(GOOD, faults=failing) as provider:
        request = question_to(provider, attempts=1)
        answers = in_one_run([request, dataclasses.replace(request, **changes)])
    assert answers[0].error is not None
    assert (answers[1].value, answers[1].error) == (0.75, None)
    assert provider.count == 2


def test_each_reads_a_shared_reply_for_itself(question_to):
    def reads(value):
        return lambda reply: value

    def refuses(reply):
        raise Unusable("malformed", "not for me", reply.text)

    async def main(provider):
        scope = RunScope()
        answers = await asyncio.gather(
            *(in_case(scope, number, question_to(provider), read) for number, read in enumerate(readers))
        )
        await scope.close()
        return answers

    readers = [reads("one"), reads("two"), refuses]
    with FakeProvider(GOOD, latency=0.1) as provider:
        one, two, three = asyncio.run(main(provider))
    assert (one.value, two.value, two.shared) == ("one", "two", True)
    # The third could not use it, and asked for itself until its attempts were spent.
    assert (three.cause, three.shared, three.usage.requests, provider.count) == ("malformed", False, 4, 5)


async def in_case(scope, number, request, read):
    case_id = f"case-{number}"
    context = AttemptContext(case_id=case_id, case_index=number, run=1, session_id=case_id, scope=scope)
    token = attempt_context.set(context)
    try:
        return await ask(request, read)
    finally:
        attempt_context.reset(token)


def test_who_waits_for_a_cancelled_request_asks_for_itself(question_to, read_score):
    async def main(provider):
        scope, request = RunScope(), question_to(provider)
        first = asyncio.create_task(in_case(scope, 0, request, read_score))
        await asyncio.to_thread(provider.wait_for, 1)
        second = asyncio.create_task(in_case(scope, 1, request, read_score))
        await asyncio.sleep(0.01)
        first.cancel()
        answer = await second
        await scope.close()
        return answer, first.cancelled()

    with FakeProvider(GOOD, latency=0.3) as provider:
        answer, cancelled = asyncio.run(main(provider))
    assert (answer.value, answer.shared, cancelled, provider.count) == (0.75, False, True, 2)


def test_who_waits_keeps_its_own_deadline(question_to, read_score):
    async def main(provider):
        scope, request = RunScope(), question_to(provider)
        first = asyncio.create_task(in_case(scope, 0, request, read_score))
        await asyncio.to_thread(provider.wait_for, 1)
        short = dataclasses.replace(request, deadline=0.2)
        second = await in_case(scope, 1, short, read_score)
        first.cancel()
        await asyncio.wait([first])
        await scope.close()
        return second

    with FakeProvider(GOOD, faults=[Fault.hang()]) as provider:
        answer = asyncio.run(main(provider))
    assert (type(answer.error), answer.usage.requests) == (DeadlineExceeded, 0)
    assert "deadline of 0.2 s" in str(answer.error)


def test_cancelling_a_call_frees_what_it_held(question_to, read_score):
    async def main(provider):
        scope = RunScope()
        hanging = [
            asyncio.create_task(in_case(scope, number, question_to(provider, f"text {number}"), read_score))
            for number in range(8)
        ]
        await asyncio.to_thread(provider.wait_for, 8)
        for task in hanging:
            task.cancel()
        await asyncio.wait(hanging)
        answer = await in_case(scope, 9, question_to(provider, "after"), read_score)
        await scope.close()
        return answer

    with FakeProvider(GOOD, faults=[Fault.hang()] * 8) as provider:
        assert asyncio.run(main(provider)).value == 0.75


def test_a_reader_that_breaks_is_not_hidden(question_to):
    def broken(reply):
        raise ZeroDivisionError("in the reader")

    with FakeProvider(GOOD) as provider, pytest.raises(ZeroDivisionError):
        asyncio.run(ask(question_to(provider), broken))
    assert provider.count == 1


def test_two_runs_share_nothing(question_to, in_one_run):
    with FakeProvider(GOOD, faults=lambda request: Fault.status(401)) as provider:
        in_one_run([question_to(provider)])
        in_one_run([question_to(provider)])
    # The breaker of the first run is not open in the second.
    assert provider.count == 2


def test_text_without_a_format_is_asked_as_it_is(question_to):
    with FakeProvider("just words") as provider:
        answer = asyncio.run(ask(question_to(provider, format=None), lambda reply: reply.text))
    assert (answer.value, answer.rung) == ("just words", None)
    assert not {"response_format", "tools"} & provider.requests[0].body.keys()
