"""The expected score over the tokens that a model considered."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import InvalidArgument
from judgekit.judging import Binary, Judge, Levels
from judgekit.judging.logprobs import expected_score
from judgekit.providers.base import Reply, Unusable
from judgekit.testing import FakeProvider, Fault

YES_NO = {"no": 0.0, "yes": 1.0}


def token(text, probability=1.0, **others):
    top = [[text, math.log(probability)], *([other, math.log(p)] for other, p in others.items())]
    return {"token": text, "logprob": math.log(probability), "top": top}


def reply(*tokens):
    return Reply(text="".join(one["token"] for one in tokens), finish_reason="stop", logprobs=tokens)


def expected(key, worth, score, *tokens):
    return expected_score(reply(*tokens), key, worth, score)


def test_words_are_weighted_with_their_probability():
    found = expected(
        "answer", YES_NO, 1.0, token('{"reason": "r", "answer": "'), token("yes", 0.7, no=0.3), token('"}')
    )
    assert found == pytest.approx(0.7)


def test_a_quote_in_the_token_of_the_value_is_no_matter():
    found = expected(
        "answer", YES_NO, 1.0, token('{"answer":'), token(' "yes', 0.6, **{' "no': 0.2}), token('"}')
    )
    assert found == pytest.approx(0.75)


def test_an_abstention_counts_as_mass_that_is_not_covered():
    with pytest.raises(Unusable, match=r"cover 0\.45 of the probability"):
        expected("answer", YES_NO, 1.0, token('{"answer": "'), token("yes", 0.45, abstain=0.55), token('"}'))


def test_words_that_begin_alike_are_told_apart_by_the_next_token():
    worth = {"warm": 1.0, "warning": 0.0, "plain": 0.5}
    found = expected(
        "level",
        worth,
        1.0,
        token('{"level": "'),
        token("war", 0.8, pl=0.2),
        token("m", 0.5, ning=0.5),
        token('"}'),
    )
    assert found == pytest.approx(0.2 * 0.5 + 0.8 * 0.5 * 1.0)


@pytest.mark.parametrize(
    ("tokens", "score", "mean"),
    [
        ([token("0", 0.9, **{"1": 0.1}), token("."), token("8", 0.5, **{"6": 0.5}), token("}")], 0.8, 0.73),
        ([token("0.", 0.9, **{"1.": 0.1}), token("8"), token("}")], 0.8, 0.8),
        ([token("0.8", 0.6, **{"0.2": 0.4}), token("}")], 0.8, 0.56),
        ([token("1", 0.6, **{"0": 0.4}), token("}")], 1.0, 1.0),
        ([token("0", 0.6), token("}", 0.9, **{".": 0.1})], 0.0, 0.0),
        ([token("0"), token("."), token("8"), token("5"), token("}")], 0.85, 0.85),
        ([token(" 0", 1.0), token("."), token("8"), token("}")], 0.8, 0.8),
    ],
    ids=["digits", "point in the token", "whole", "bare zero is not counted", "zero", "two digits", "space"],
)
def test_numbers_are_weighted_with_their_probability(tokens, score, mean):
    found = expected("score", None, score, token('{"reason": "r", "score":'), *tokens)
    assert found == pytest.approx(mean)


def test_tokens_that_differ_in_white_space_are_one_value():
    found = expected(
        "score",
        None,
        0.8,
        token('{"score":'),
        token(" 0.8", 0.5, **{"0.8": 0.2, "0.1": 0.2, " 0.1": 0.1}),
        token("}"),
    )
    assert found == pytest.approx(0.7 * 0.8 + 0.3 * 0.1)
    found = expected(
        "answer",
        YES_NO,
        1.0,
        token('{"answer": "'),
        token("yes", 0.5, **{" yes": 0.3, " no": 0.2}),
        token('"}'),
    )
    assert found == pytest.approx(0.8)


def test_a_value_out_of_range_is_not_counted():
    found = expected(
        "score", None, 0.8, token('{"score": '), token("0.8", 0.7, **{"8": 0.2, "80": 0.1}), token("}")
    )
    assert found == pytest.approx(0.8)


def test_a_mention_of_the_key_in_the_reason_is_not_the_value():
    found = expected(
        "answer", YES_NO, 0.0,
        token('{"reason": "so \\"answer\\": \\"yes\\"", "answer": "'), token("no", 0.9, yes=0.1), token('"}'),
    )  # fmt: skip
    assert found == pytest.approx(0.1)


@pytest.mark.parametrize("logprobs", [None, ()])
def test_a_provider_that_returns_none_is_said_so(logprobs):
    with pytest.raises(Unusable, match="returned no log probabilities"):
        expected_score(Reply(text="{}", logprobs=logprobs), "score", None, 1.0)


def test_log_probabilities_of_another_text_are_refused():
    with pytest.raises(Unusable, match="do not fit"):
        expected("score", None, 1.0, token("hello"))
    with pytest.raises(Unusable, match="do not fit"):
        expected("score", None, 1.0, token('{"score": '))


@given(st.floats(0.01, 0.98), st.floats(0, 1))
def test_the_expected_score_lies_between_the_values(probability, share):
    other = (1 - probability) * share
    tokens = [token('{"answer": "'), token("yes", probability, no=max(other, 1e-9)), token('"}')]
    try:
        found = expected("answer", YES_NO, 1.0, *tokens)
    except Unusable:
        assert probability + other < 0.51
    else:
        assert found == pytest.approx(probability / (probability + max(other, 1e-9)))


def with_logprobs(completion):
    choice = completion["choices"][0]
    content = [
        {"token": '{"reason": "r", "answer": "', "logprob": 0.0, "bytes": None, "top_logprobs": []},
        {
            "token": "yes",
            "logprob": math.log(0.7),
            "bytes": None,
            "top_logprobs": [
                {"token": "yes", "logprob": math.log(0.7), "bytes": None},
                {"token": "no", "logprob": math.log(0.3), "bytes": None},
            ],
        },
        {"token": '"}', "logprob": 0.0, "bytes": None, "top_logprobs": []},
    ]
    return {**completion, "choices": [{**choice, "logprobs": {"content": content}}]}


def test_over_http_the_score_is_the_expected_one(evaluate):
    with FakeProvider('{"reason": "r", "answer": "yes"}', faults=[Fault(edit=with_logprobs)]) as provider:
        judge = Judge("openai/m", api_base=provider.url, api_key="k", score_from="logprobs")
        result = evaluate(judge.should_satisfy("p", scale=Binary()))
        assert result.score == pytest.approx(0.7)
        assert provider.requests[0].body["logprobs"] is True
        assert provider.requests[0].body["top_logprobs"] == 20


def test_a_provider_without_them_is_inconclusive_after_one_request(evaluate, scripted):
    model = scripted({"reason": "r", "score": 0.8})
    result = evaluate(Judge(model, score_from="logprobs").should_satisfy("p"))
    assert result.score is None
    assert "no log probabilities" in result.detail
    assert len(model.requests) == 1


def test_an_abstention_stays_one(evaluate, scripted):
    model = scripted({"reason": "r", "score": "abstain"})
    assert evaluate(Judge(model, score_from="logprobs").should_satisfy("p")).cause == "abstained"


def test_only_a_single_value_can_be_read_from_them():
    judge = Judge("openai/x", score_from="logprobs")
    judge.should_satisfy("p", scale=Levels({"a": "x", "b": "y", "c": "z"}))
    for build in (
        lambda: judge.should_satisfy_all({"a": "b"}),
        lambda: judge.should_be_preferred_over("x", "better?"),
        lambda: judge.should_answer({"type": "object", "properties": {"score": {}}}, "q"),
    ):
        with pytest.raises(InvalidArgument, match="needs one value to read from"):
            build()
