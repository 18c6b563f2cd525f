"""An agent that a tool runs: a framework's result does not tell of it; what saw it beside the result does."""

import pytest

from judgekit import EvalCase, ExperimentRunner, tool
from judgekit.evaluators import should_not_call_tool
from judgekit.loop import run_sync
from judgekit.testing import FakeProvider, ScriptedModel, after_tool, calls, otherwise, when

pytestmark = [pytest.mark.frameworks, pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def client():
    """An OpenAI client in front of the script."""
    openai, httpx = pytest.importorskip("openai"), pytest.importorskip("httpx")
    script = ScriptedModel(
        after_tool("issueRefund", "It is done."),
        after_tool("askDesk", "The desk has refunded it."),
        when("please refund", calls("issueRefund", orderId="o_42")),
        otherwise(calls("askDesk", question="please refund")),
    )
    with FakeProvider(script) as provider:
        http = httpx.AsyncClient()
        yield openai.AsyncOpenAI(base_url=provider.url, api_key="any", max_retries=0, http_client=http)
        run_sync(http.aclose)


def issueRefund(orderId: str) -> str:
    """Give the money back."""
    return "refunded"


def pydantic_ai(client, recorded):
    pytest.importorskip("pydantic_ai")
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    model = OpenAIChatModel("gpt-x", provider=OpenAIProvider(openai_client=client))
    desk = Agent(model, tools=[recorded(issueRefund)])

    async def askDesk(question: str) -> str:
        return (await desk.run(question)).output

    return Agent(model, tools=[recorded(askDesk)]).run


def openai_agents(client, recorded):
    agents = pytest.importorskip("agents")
    agents.set_trace_processors([])  # its own tracing would go to the network
    model = agents.OpenAIChatCompletionsModel("gpt-x", openai_client=client)
    desk = agents.Agent(name="desk", model=model, tools=[agents.function_tool(recorded(issueRefund))])

    async def askDesk(question: str) -> str:
        return (await agents.Runner.run(desk, question)).final_output

    shop = agents.Agent(name="shop", model=model, tools=[agents.function_tool(recorded(askDesk))])

    async def agent(message):
        return await agents.Runner.run(shop, message)

    return agent


def spans_of_pydantic_ai(instrumented, tracing):
    from pydantic_ai import Agent
    from pydantic_ai.models.instrumented import InstrumentationSettings

    class Switch:
        def instrument(self):
            Agent.instrument_all(InstrumentationSettings(tracer_provider=tracing))

        def uninstrument(self):
            Agent.instrument_all(False)

    instrumented(Switch())


def spans_of_openai_agents(instrumented, tracing):
    pytest.importorskip("openinference.instrumentation.openai_agents")
    from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor

    instrumented(OpenAIAgentsInstrumentor(), tracer_provider=tracing, exclusive_processor=True)


@pytest.mark.parametrize(
    ("write", "instrument"),
    [(pydantic_ai, spans_of_pydantic_ai), (openai_agents, spans_of_openai_agents)],
)
@pytest.mark.parametrize("seen_by", ["nothing", "spans", "tools", "both"])
def test_what_a_sub_agent_did_is_added_to_the_result(
    write, instrument, seen_by, client, tracing, instrumented
):
    agent = write(client, tool if seen_by in ("tools", "both") else lambda function: function)
    if seen_by in ("spans", "both"):
        instrument(instrumented, tracing)
    case = EvalCase("refund", "I want my money back", should_not_call_tool("issueRefund"))
    report = ExperimentRunner("sub-agents").cases(case).agent(agent).without_report_file().run()

    found = report.results[0].interaction
    made = [("askDesk", {"question": "please refund"}, "It is done.")]
    if seen_by != "nothing":
        made += [("issueRefund", {"orderId": "o_42"}, "refunded")]
    assert [(call.name, call.arguments, call.result) for call in found.tool_calls] == made
    assert len(found.model_calls) == (4 if seen_by in ("spans", "both") else 2)
    assert found.total_tokens == sum(call.input_tokens + call.output_tokens for call in found.model_calls)
    assert report.passed is (seen_by == "nothing")
