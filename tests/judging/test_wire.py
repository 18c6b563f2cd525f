"""A judge over HTTP: what leaves, and what comes of it."""

import pytest

from judgekit.evaluation import Kind, Outcome
from judgekit.interaction import Interaction, ToolCall
from judgekit.judging import Judge
from judgekit.testing import Answer, FakeProvider, Fault, verdict


def judge_at(provider, **settings):
    return Judge("openai/test-model", api_base=provider.url, api_key="sk-qa-SECRET-123", **settings)


def test_one_verdict_is_one_request_that_carries_criterion_reply_and_format(evaluate):
    with FakeProvider(verdict(0.8, "it thanks")) as provider:
        result = evaluate(judge_at(provider).should_satisfy("Is it polite?", name="polite"))
        assert result.detail == "polite: scored 0.80, needed 0.50 — it thanks"
        (request,) = provider.requests
    system, user = request.messages
    assert (system["role"], user["role"]) == ("system", "user")
    assert "Is it polite?" in user["content"]
    assert "It is on its way, thank you!" in user["content"]
    assert "on its way" not in system["content"]
    assert request.body["temperature"] == 0
    assert request.body["max_tokens"] == 1024
    sent = request.body["response_format"]["json_schema"]
    assert list(sent["schema"]["properties"]) == ["reason", "score"]
    assert "minimum" not in str(sent)
    (found,) = result.measurements
    assert (found.rung, found.requests) == ("json_schema", 1)
    assert found.model == "openai/test-model"
    assert found.input_tokens > 0


def test_lone_surrogates_and_controls_do_not_break_the_request(evaluate):
    with FakeProvider(verdict(1)) as provider:
        result = evaluate(
            judge_at(provider, attempts=1).should_satisfy("ok?"),
            Interaction(command_text="\ud83d", reply="a\ud800b\x00c\x1b[2J\u202e\u2028", tool_calls=()),
        )
        assert result.outcome is Outcome.PASS
        assert "a\ufffdb\u2400c\x1b[2J\u202e\u2028" in provider.requests[0].messages[1]["content"]


@pytest.mark.parametrize(
    ("answer", "faults", "cause", "said", "requests"),
    [
        ("Yes, it looks right.", [], "malformed", "the judge wrote: Yes, it looks right.", 2),
        ("ok", [Fault.empty_choices()] * 2, "unavailable", "no choices", 2),
        ("ok", [Fault.no_content()] * 2, "malformed", "finish_reason stop", 2),
        ("ok", [Fault.status(401)], "authentication", "", 1),
        ("ok", [Fault.status(429)] * 2, "rate limited", "", 2),
        ("ok", [Fault.status(400)], "bad request", "", 1),
        ("ok", [Fault.refusal("I cannot grade this.")], "refused", "I cannot grade this.", 1),
        (Answer(text='{"reason": "cut o', finish_reason="length"), [], "truncated", "length", 2),
        ("ok", [Fault.html()] * 2, "unavailable", "", 2),
    ],
    ids=["LM11", "JP23", "JP18", "LM04", "LM03", "bad request", "refusal", "JP20", "HTML"],
)
def test_no_usable_answer_is_inconclusive_with_its_cause(evaluate, answer, faults, cause, said, requests):
    with FakeProvider(answer, faults=faults) as provider:
        result = evaluate(judge_at(provider, attempts=2, deadline=20).should_satisfy("polite", name="polite"))
        assert (result.outcome, result.kind) == (Outcome.INCONCLUSIVE, Kind.JUDGE_FAILED)
        assert result.cause == cause
        assert result.detail.startswith(f"polite: {cause}: ")
        assert said in result.detail
        assert "SECRET" not in repr(result)
        assert provider.count == requests
        assert result.measurements[0].requests == requests


def test_a_server_that_never_answers_is_a_timeout(evaluate):
    # LM06
    with FakeProvider(verdict(1), faults=[Fault.hang()]) as provider:
        result = evaluate(judge_at(provider, attempts=1, timeout=0.3).should_satisfy("polite"))
        assert result.cause == "timeout"
        assert provider.count == 1


def test_a_refused_format_is_asked_for_in_another_way(evaluate):
    # LM09
    def no_format(request):
        body = {"error": {"message": "response_format is not supported", "type": "invalid_request_error"}}
        return Fault.status(400, body) if "response_format" in request.body else None

    with FakeProvider(verdict(0.7), faults=no_format) as provider:
        result = evaluate(judge_at(provider).should_satisfy("polite"))
        assert result.score == 0.7
        (found,) = result.measurements
        assert found.rung in ("tool_call", "prompt")
        assert any("refused the format json_schema" in note for note in found.notes)


@pytest.mark.parametrize("rung", ["json_schema", "tool_call", "json_object", "prompt"])
def test_the_rung_to_start_on_can_be_chosen(evaluate, rung):
    answer = '{"reason": "r", "score": 0.7}'
    if rung == "tool_call":
        answer = Answer(tool_calls=(ToolCall("score_verdict", {"reason": "r", "score": 0.7}),))
    with FakeProvider(answer) as provider:
        result = evaluate(judge_at(provider, rung=rung).should_satisfy("polite"))
        assert (result.score, result.measurements[0].rung) == (0.7, rung)
        body = provider.requests[0].body
    assert ("tools" in body) == (rung == "tool_call")
    assert ("response_format" in body) == (rung in ("json_schema", "json_object"))


def test_missing_usage_is_unknown_and_not_zero(evaluate):
    with FakeProvider(verdict(1), faults=[Fault.no_usage()]) as provider:
        (found,) = evaluate(judge_at(provider).should_satisfy("polite")).measurements
        assert found.input_tokens is None
        assert found.cost is None


def test_the_served_model_is_recorded_beside_the_one_asked(evaluate):
    served = Fault(edit=lambda completion: {**completion, "model": "test-model-2026-01-01"})
    with FakeProvider(verdict(1), faults=[served]) as provider:
        (found,) = evaluate(judge_at(provider).should_satisfy("polite")).measurements
        assert (found.model, found.model_served) == ("openai/test-model", "test-model-2026-01-01")
