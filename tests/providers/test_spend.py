"""What a run may cost."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from judgekit.errors import BudgetSpent, RequestRefused
from judgekit.jsonable import json_line
from judgekit.providers import LEDGER, Ledger, Price, price_of
from judgekit.providers.spend import Tally, estimated_tokens
from judgekit.testing import FakeProvider, Fault, ScriptedModel, otherwise, says

GOOD = {"reason": "polite", "score": 0.75}
PRICE = Price(100.0, 1000.0)  # dollars a million tokens: an answer of 100 + 10 tokens costs 2 cents


def limited(dollars):
    ledger = Ledger(dollars)
    return ledger, lambda scope: scope.service(LEDGER, lambda: ledger)


@pytest.fixture
def provider():
    with FakeProvider(says(json_line(GOOD), usage=(100, 10)), latency=0.01) as running:
        yield running


def questions(question_to, provider, count, **changes):
    return [question_to(provider, f"text {n}", price=PRICE, max_tokens=20, **changes) for n in range(count)]


def test_past_the_limit_nothing_is_asked(question_to, in_one_run, provider):
    ledger, prepare = limited(0.10)
    answers = in_one_run(questions(question_to, provider, 20), prepare=prepare)
    spent = [answer for answer in answers if answer.error is None]
    refused = [answer for answer in answers if answer.error is not None]
    assert {type(answer.error) for answer in refused} == {BudgetSpent}
    assert {answer.cause for answer in refused} == {"budget spent"}
    assert len(spent) == provider.count == 4  # 4 cost 8 cents; a fifth may cost more than the 2 that are left
    assert ledger.spent == pytest.approx(0.08)
    assert ledger.spent <= 0.10
    assert "the run's limit of $0.1000 is reached" in str(refused[0].error)
    assert all(answer.usage.requests == 0 for answer in refused)


def test_a_limit_is_used_up_however_many_are_in_flight(question_to, in_one_run, provider):
    # Reservations of calls in flight are more than what they come to, so the others wait for them.
    ledger, prepare = limited(1.0)
    answers = in_one_run(questions(question_to, provider, 60), prepare=prepare)
    assert sum(answer.error is None for answer in answers) == provider.count >= 48
    assert 0.95 <= ledger.spent <= 1.0
    assert ledger.reserved == pytest.approx(0, abs=1e-9)


def test_without_a_limit_everything_is_added_up(question_to, in_one_run, provider):
    ledger, prepare = limited(None)
    in_one_run(questions(question_to, provider, 5), prepare=prepare)
    assert ledger.spent == pytest.approx(5 * 0.02)


def test_failed_attempts_are_charged(question_to, in_one_run):
    ledger, prepare = limited(100.0)
    with FakeProvider([says("oops", usage=(100, 10)), says(json_line(GOOD), usage=(100, 10))]) as provider:
        answers = in_one_run(questions(question_to, provider, 1), prepare=prepare)
    assert answers[0].usage.cost == pytest.approx(0.04)
    assert ledger.spent == pytest.approx(0.04)


def test_a_lost_answer_counts_in_full_against_the_limit(question_to, in_one_run):
    ledger, prepare = limited(100.0)
    with FakeProvider(GOOD, faults=[Fault.cut(), Fault.reset()]) as provider:
        in_one_run(questions(question_to, provider, 1, attempts=2), prepare=prepare)
    assert ledger.spent >= 2 * 20 * 1000 / 1e6
    assert ledger.reserved == 0


def test_an_error_of_the_server_costs_nothing(question_to, in_one_run):
    ledger, prepare = limited(100.0)
    with FakeProvider(GOOD, faults=[Fault.status(500)] * 2) as provider:
        answers = in_one_run(questions(question_to, provider, 1, attempts=2), prepare=prepare)
    assert (answers[0].usage.cost, ledger.spent, ledger.reserved) == (0, 0, 0)


def test_a_model_without_a_price_is_not_asked_under_a_limit(question_to, in_one_run, provider):  # BG03
    _, prepare = limited(0.01)
    answer = in_one_run([question_to(provider)], prepare=prepare)[0]
    assert (type(answer.error), provider.count) == (RequestRefused, 0)
    assert "no price is known for openai/judge-1" in str(answer.error)


def test_a_known_price_comes_from_litellm(question_to, in_one_run, provider):
    ledger, prepare = limited(1.0)
    answer = in_one_run([question_to(provider, model="openai/gpt-4o-mini")], prepare=prepare)[0]
    price = price_of("openai/gpt-4o-mini")
    assert price is not None
    assert answer.usage.cost == pytest.approx(price.of(100, 10))
    assert ledger.spent == pytest.approx(price.of(100, 10))


def test_an_unknown_price_is_none_and_a_free_model_costs_nothing():
    assert price_of("openai/no-such-model-7") is None
    # litellm itself says 0 for these, since they look like models that it knows.
    assert price_of("openai/gpt-5-nonexistent") is None
    assert price_of("anthropic/claude-unknown-9") is None
    assert price_of("no provider at all") is None
    free = price_of("ollama/llama2")
    assert free is not None
    assert free.of(1000, 1000) == 0


def test_a_made_up_price_of_nothing_is_unknown(question_to, in_one_run, provider):  # BG03
    answers = in_one_run([question_to(provider, model="openai/gpt-5-nonexistent"), question_to(provider)])
    assert [answer.usage.cost for answer in answers] == [None, None]
    _, prepare = limited(0.01)
    answer = in_one_run([question_to(provider, model="openai/gpt-5-nonexistent")], prepare=prepare)[0]
    assert type(answer.error) is RequestRefused


def test_a_scripted_model_runs_under_any_limit(question_to, in_one_run, provider):
    _, prepare = limited(0.0)
    model = ScriptedModel(otherwise(GOOD))
    answer = in_one_run([question_to(provider, model=model)], prepare=prepare)[0]
    assert (answer.value, answer.usage.cost) == (0.75, None)


def test_an_agent_that_calls_its_model_itself_is_charged_afterwards(question_to, in_one_run, provider):
    ledger, prepare = limited(0.10)
    ledger.charge(0.09)
    answers = in_one_run(questions(question_to, provider, 3), prepare=prepare)
    assert {type(answer.error) for answer in answers} == {BudgetSpent}
    assert provider.count == 0


def test_who_waits_for_money_may_be_cancelled():
    async def main():
        ledger = Ledger(1.0)
        await ledger.reserve(0.8)
        waiting = asyncio.create_task(ledger.reserve(0.5))
        staying = asyncio.create_task(ledger.reserve(0.5))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.sleep(0)
        ledger.settle(0.8, 0.1)
        await staying
        return ledger.reserved, waiting.cancelled()

    assert asyncio.run(main()) == (pytest.approx(0.5), True)


def test_the_estimate_is_on_the_safe_side_of_the_tokens(litellm):
    for text in (
        "Plain English sentences, as people write them. " * 20,
        "Ответ вежлив и краток. " * 20,
        "漢字仮名" * 40,
    ):
        real = litellm.token_counter(model="gpt-4o", messages=[{"role": "user", "content": text}])
        assert real <= estimated_tokens([{"role": "user", "content": text}]) <= 5 * real


def test_a_tally_knows_what_it_does_not_know():
    tally = Tally()
    tally.add_reply(10, 5, 0.5)
    tally.add_failure(answered=True)
    assert (tally.usage().input_tokens, tally.usage().cost, tally.usage().requests) == (10, 0.5, 2)
    tally.add_failure(answered=False)
    tally.add_reply(7, None, None)
    usage = tally.usage()
    assert (usage.input_tokens, usage.cost) == (None, None)
    assert (usage.known_input_tokens, usage.known_output_tokens, usage.known_cost) == (17, 5, 0.5)


def test_threads_share_a_ledger_without_losing_a_cent():
    ledger = Ledger(50.0)

    def spend(_):
        try:
            ledger.reserve_now(0.03)
        except BudgetSpent:
            return False
        ledger.settle(0.03, 0.02)
        return True

    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(spend, range(4000)))
    assert ledger.spent == pytest.approx(0.02 * done.count(True))
    assert 49.7 <= ledger.spent <= 50
    assert ledger.reserved == pytest.approx(0, abs=1e-9)


def test_a_reservation_in_a_loop_waits_for_a_settlement_from_a_thread():
    async def main():
        ledger = Ledger(1.0)
        ledger.reserve_now(0.8)
        waiting = asyncio.create_task(ledger.reserve(0.5))
        await asyncio.sleep(0)
        await asyncio.to_thread(ledger.settle, 0.8, 0.1)
        await asyncio.wait_for(waiting, 5)
        return ledger.reserved

    assert asyncio.run(main()) == pytest.approx(0.5)


def test_a_ledger_is_exhausted_when_money_was_spent_and_none_is_left():
    ledger = Ledger(0.3)
    assert not ledger.is_exhausted
    for _ in range(3):
        ledger.charge(0.1)
    assert ledger.is_exhausted
    assert not Ledger(0).is_exhausted  # what is free may go on
    unlimited = Ledger()
    unlimited.charge(1000)
    assert not unlimited.is_exhausted
