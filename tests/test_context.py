"""What the calls of one run share."""

import asyncio

import pytest

from judgekit.context import RunScope, current_attempt


def test_a_service_is_made_once_and_shared_by_its_key():
    scope = RunScope()
    assert scope.service("limiter", list) is scope.service("limiter", list)
    assert scope.service("other", list) is not scope.service("limiter", list)


def test_two_runs_share_nothing():
    assert RunScope().service("limiter", list) is not RunScope().service("limiter", list)


def test_closing_runs_every_closer_last_first_even_when_one_raises():
    scope, order = RunScope(), []

    async def slow():
        order.append("async")

    def broken():
        order.append("broken")
        raise OSError("disk")

    scope.on_close(lambda: order.append("first"))
    scope.on_close(broken)
    scope.on_close(slow)
    with pytest.raises(ExceptionGroup, match="closing the run"):
        asyncio.run(scope.close())
    assert order == ["async", "broken", "first"]


def test_outside_a_run_there_is_no_attempt():
    assert current_attempt() is None
