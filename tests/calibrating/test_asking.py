"""Questions outside an experiment: so many at once, within a limit, cancelled cleanly."""

import asyncio

import pytest

from judgekit.calibrating.asking import Asking, Question
from judgekit.context import current_attempt
from judgekit.errors import InvalidArgument


def test_answers_come_in_the_order_of_the_questions_and_never_more_than_so_many_at_once():
    busy = most = 0

    async def ask(number):
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        for _ in range(10 - number % 7):
            await asyncio.sleep(0)
        busy -= 1
        return number, current_attempt().run

    told = []
    asking = Asking(concurrency=3, told=lambda *counts: told.append(counts))
    questions = [Question(f"c{n // 2}", n % 2 + 1, lambda n=n: ask(n)) for n in range(20)]
    assert asyncio.run(asking.answers(questions)) == [(n, n % 2 + 1) for n in range(20)]
    assert most == 3
    assert told[-1] == (20, 20)
    assert asyncio.run(asking.answers([])) == []


def test_an_error_in_a_question_ends_the_others_and_comes_out_as_it_is():
    async def ask():
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        asyncio.run(Asking().answers([Question("c", run, ask) for run in (1, 2, 3)]))


@pytest.mark.parametrize(
    "options", [{"concurrency": 0}, {"concurrency": True}, {"max_cost": -1}, {"max_cost": float("nan")}]
)
def test_what_cannot_work_is_refused(options):
    with pytest.raises(InvalidArgument):
        Asking(**options)
