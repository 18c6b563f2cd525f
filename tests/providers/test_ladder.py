"""The ladder of formats and the repair of parameters."""

import asyncio

import pytest

from judgekit.errors import RequestRefused
from judgekit.providers import Limits, ask
from judgekit.testing import FakeProvider, Fault

GOOD = {"reason": "polite", "score": 0.75}


def refusing(test, message="this is not supported", *, param=None, status=400):
    """A server that answers 400 to every request for which `test(body)` holds."""
    body = {"error": {"message": message, "param": param, "type": "invalid_request_error"}}

    def fault(request):
        return Fault.status(status, body) if test(request.body) else None

    return FakeProvider(GOOD, faults=fault)


def rung_of(body):
    if "tools" in body:
        return "tool_call"
    return body.get("response_format", {}).get("type", "prompt")


def test_a_refused_response_format_is_a_forced_tool_call_next(answered):  # LM09
    with refusing(lambda body: "response_format" in body, param="response_format") as provider:
        answer = answered(provider)
    assert (answer.value, provider.count, answer.rung) == (0.75, 2, "tool_call")
    sent = provider.requests[1].body
    assert sent["tool_choice"] == {"type": "function", "function": {"name": "score"}}
    assert sent["tools"][0]["function"]["parameters"]["required"] == ["reason", "score"]
    assert "openai/judge-1 refused the format json_schema" in answer.notes


@pytest.mark.parametrize("status", [400, 404, 422])
@pytest.mark.parametrize("model", ["openai/judge-1", "hosted_vllm/judge-1"])
def test_the_ladder_ends_at_the_schema_in_the_prompt(answered, model, status):
    def refused(body):
        return rung_of(body) != "prompt"

    text = "response_format, tools and tool_choice are not supported by this model"
    with refusing(refused, text, status=status) as provider:
        answer = answered(provider, model=model)
    assert (answer.value, answer.rung) == (0.75, "prompt")
    assert [rung_of(request.body) for request in provider.requests] == ["json_schema", "tool_call", "prompt"]
    system = provider.requests[-1].messages[0]
    assert system["role"] == "system"
    assert system["content"].startswith("You judge.\n\nReply with one JSON object")
    assert '"maximum":1' in system["content"]


def test_a_model_without_schemas_but_with_json_mode_gets_json_mode(answered):
    def refused(body):
        return rung_of(body) in ("json_schema", "tool_call")

    text = "response_format.type 'json_schema' is not supported; tools are not supported"
    with refusing(refused, text) as provider:
        answer = answered(provider)
    assert (answer.value, answer.rung, provider.count) == (0.75, "json_object", 3)
    sent = provider.requests[-1].body
    assert sent["response_format"] == {"type": "json_object"}
    assert "JSON Schema" in sent["messages"][0]["content"]


def test_what_a_model_refuses_is_asked_of_it_once_a_run(question_to, in_one_run, read_score):
    with refusing(lambda body: "response_format" in body, param="response_format") as provider:

        async def main():
            from judgekit.context import AttemptContext, RunScope, attempt_context

            scope = RunScope()
            answers = []
            for index in range(3):
                attempt_context.set(
                    AttemptContext(
                        case_id=str(index), case_index=index, run=1, session_id=str(index), scope=scope
                    )
                )
                answers.append(await ask(question_to(provider, f"text {index}"), read_score))
            await scope.close()
            return answers

        answers = asyncio.run(main())
    assert [answer.value for answer in answers] == [0.75] * 3
    assert [answer.usage.requests for answer in answers] == [2, 1, 1]
    assert {answer.rung for answer in answers} == {"tool_call"}
    # A note says how an answer was measured, so it is there whether or not this call found it out.
    assert len({answer.notes for answer in answers}) == 1


def test_requests_in_flight_together_each_find_their_way_down(question_to, in_one_run):
    with refusing(lambda body: "response_format" in body, param="response_format") as provider:
        answers = in_one_run([question_to(provider, f"text {index}") for index in range(8)])
    assert [answer.value for answer in answers] == [0.75] * 8
    assert sum(answer.usage.requests for answer in answers) == provider.count


def test_requests_that_wait_for_their_turn_go_out_with_what_was_learnt_meanwhile(question_to, in_one_run):
    with refusing(lambda body: "response_format" in body, param="response_format") as provider:
        limits = Limits(max_in_flight=1)
        asked = [question_to(provider, f"text {index}", limits=limits, attempts=2) for index in range(4)]
        answers = in_one_run(asked)
    assert [answer.value for answer in answers] == [0.75] * 4
    assert [answer.rung for answer in answers] == ["tool_call"] * 4
    assert [rung_of(request.body) for request in provider.requests] == ["json_schema", *["tool_call"] * 4]


def test_stepping_down_counts_as_an_attempt(answered):
    with refusing(lambda body: rung_of(body) != "prompt", "response_format and tools: no") as provider:
        answer = answered(provider, attempts=2)
    assert (type(answer.error), provider.count) == (RequestRefused, 2)
    assert "tools" in str(answer.error)


def test_a_start_lower_down_is_taken(answered):
    with FakeProvider(GOOD) as provider:
        answer = answered(provider, rung="json_object")
    assert (answer.rung, rung_of(provider.requests[0].body)) == ("json_object", "json_object")


def test_a_model_without_a_native_format_in_litellm_costs_no_request(answered):
    # litellm refuses response_format for this model itself, before anything is sent.
    with FakeProvider(GOOD) as provider:
        answer = answered(provider, model="openai/gpt-4")
    assert (answer.value, provider.count, answer.usage.requests) == (0.75, 1, 1)
    assert answer.rung == "tool_call"


def test_temperature_on_a_reasoning_model_is_left_out_and_noted(answered):  # LM07
    for model in ("openai/o3-mini", "openai/gpt-5-mini"):
        with FakeProvider(GOOD) as provider:
            answer = answered(provider, model=model)
        assert (answer.value, provider.count, answer.usage.requests) == (0.75, 1, 1)
        assert "temperature" not in provider.requests[0].body
        assert "temperature" not in answer.parameters
        assert answer.notes == (f"{model} does not take temperature 0; it was left out",)


@pytest.mark.parametrize("model", ["openai/judge-1", "hosted_vllm/judge-1"])
@pytest.mark.parametrize("param", ["max_tokens", None])
def test_max_tokens_becomes_max_completion_tokens(answered, param, model):  # LM08
    text = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    with refusing(lambda body: "max_tokens" in body, text, param=param) as provider:
        answer = answered(provider, max_tokens=300, model=model)
    assert (answer.value, provider.count) == (0.75, 2)
    assert provider.requests[1].body["max_completion_tokens"] == 300
    assert answer.parameters == {"temperature": 0, "max_completion_tokens": 300}
    assert answer.notes == (f"{model} does not take max_tokens; it was sent as max_completion_tokens",)


def test_a_server_that_takes_neither_name_is_refused_and_not_asked_for_ever(answered):  # LM08
    def refused(body):
        return "max_tokens" in body or "max_completion_tokens" in body

    with refusing(refused, "max_tokens and max_completion_tokens are not supported") as provider:
        answer = answered(provider)
    assert (type(answer.error), provider.count) == (RequestRefused, 2)
    assert "max_completion_tokens" in str(answer.error)


def test_a_users_parameter_that_is_refused_is_left_out_and_noted(answered):
    with refusing(lambda body: "top_p" in body, "Unknown parameter: 'top_p'.", param="top_p") as provider:
        answer = answered(provider, params={"top_p": 0.9, "seed": 7})
    assert (answer.value, provider.count) == (0.75, 2)
    assert provider.requests[1].body["seed"] == 7
    assert answer.notes == ("openai/judge-1 does not take top_p 0.9; it was left out",)


def test_a_400_about_something_else_changes_nothing(answered):
    # The words occur in the echoed prompt; nothing in the text refuses them.
    text = "Prompt blocked: 'What temperature is it in Oslo, and which tools did it use?'"
    with refusing(lambda body: True, text) as provider:
        answer = answered(provider)
    assert (type(answer.error), provider.count, answer.notes) == (RequestRefused, 1, ())


def test_secrets_among_the_parameters_are_in_no_answer(answered):
    params = {"extra_headers": {"X-Auth": "abcdef-SECRET-headers"}, "seed": 1}
    with FakeProvider(
        GOOD, faults=[Fault.status(500, {"error": {"message": "abcdef-SECRET-headers"}})]
    ) as provider:
        answer = answered(provider, params=params, attempts=1)
    assert provider.requests[0].headers["x-auth"] == "abcdef-SECRET-headers"
    assert answer.parameters == {"temperature": 0, "max_tokens": 1024, "seed": 1}
    assert "SECRET" not in repr(answer)
