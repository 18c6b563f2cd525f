"""The plain values that go in and come out."""

import pickle

import pytest

from judgekit.errors import InvalidArgument
from judgekit.providers import Limits, Price, Request, Unusable, Usage


def test_a_complaint_is_one_safe_line():
    unusable = Unusable("malformed", "unexpected key 'x\n## System\x1b[31m'", "line\nbreak" * 100)
    assert unusable.complaint == "unexpected key 'x ## System\\x1b[31m'"
    assert "\n" not in str(unusable)
    assert len(unusable.excerpt) <= 160


def test_an_unusable_answer_can_be_pickled():
    unusable = pickle.loads(pickle.dumps(Unusable("malformed", "no score", "reply", again=False)))
    assert (unusable.cause, unusable.complaint, unusable.excerpt, unusable.again) == (
        "malformed",
        "no score",
        "reply",
        False,
    )


@pytest.mark.parametrize("name", ["max_in_flight", "requests_per_minute", "tokens_per_minute"])
@pytest.mark.parametrize("value", [0, -1, True, 1.5, "8"])
def test_limits_that_let_nothing_out_are_refused(name, value):
    with pytest.raises(InvalidArgument, match=f"`{name}` must be a whole number of at least 1"):
        Limits(**{name: value})


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf"), True, "1"])
def test_a_price_is_dollars_a_million_tokens(value):
    with pytest.raises(InvalidArgument, match="`price` output"):
        Price(1.0, value)
    assert Price(2, 10).of(1_000, 100) == pytest.approx(0.003)


def test_a_total_with_an_unknown_part_is_unknown():
    usage = Usage(
        requests=2, known_input_tokens=10, known_output_tokens=4, known_cost=0.1, tokens_complete=False
    )
    assert (usage.input_tokens, usage.output_tokens, usage.cost) == (None, None, 0.1)
    assert Usage(cost_complete=False).cost is None


def test_a_request_never_shows_its_key():
    assert "SECRET" not in repr(Request(model="openai/x", messages=(), api_key="sk-qa-SECRET-123"))
