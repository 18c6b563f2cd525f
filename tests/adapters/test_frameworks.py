"""The real frameworks, where they are installed, against a loopback provider."""

import asyncio
import gc

import pytest

from judgekit.adapters import interaction_from
from judgekit.testing import ScriptedModel, after_tool, calls, says, when

SCRIPT = (
    when("where", calls("get_order", order_id="o_42")),
    after_tool("get_order", says("It is late.", usage=(20, 5))),
)


@pytest.fixture(autouse=True)
def clients_are_dropped():
    """Connections that frameworks leave open are collected where their warnings are not errors."""
    yield
    gc.collect()


@pytest.fixture
def provider(fake_provider):
    return fake_provider(ScriptedModel(*SCRIPT))


def check(result):
    found = interaction_from(result, command_text="where is it")
    assert (found.reply, found.user_message) == ("It is late.", "where is it")
    (call,) = found.tool_calls
    assert (call.name, call.arguments, call.result) == ("get_order", {"order_id": "o_42"}, "late")
    assert [made.output_tokens for made in found.model_calls][-1] == 5
    assert found.input_tokens > 20


@pytest.mark.filterwarnings("default")
def test_pydantic_ai(provider):
    ai = pytest.importorskip("pydantic_ai")
    models = pytest.importorskip("pydantic_ai.models.openai")
    providers = pytest.importorskip("pydantic_ai.providers.openai")
    model = models.OpenAIChatModel("m", provider=providers.OpenAIProvider(base_url=provider.url, api_key="k"))
    agent = ai.Agent(model)

    @agent.tool_plain
    def get_order(order_id: str) -> str:
        return "late"

    check(asyncio.run(agent.run("where is it")))


@pytest.mark.filterwarnings("default")
def test_openai_agents(provider):
    agents = pytest.importorskip("agents")
    openai = pytest.importorskip("openai")
    agents.set_tracing_disabled(True)

    @agents.function_tool
    def get_order(order_id: str) -> str:
        return "late"

    async def run():
        async with openai.AsyncOpenAI(base_url=provider.url, api_key="k") as client:
            model = agents.OpenAIChatCompletionsModel(model="m", openai_client=client)
            agent = agents.Agent(name="shop", tools=[get_order], model=model)
            return await agents.Runner.run(agent, "where is it")

    check(asyncio.run(run()))


@pytest.mark.filterwarnings("default")
def test_langgraph():
    messages = pytest.importorskip("langchain_core.messages")
    graphs = pytest.importorskip("langgraph.graph")
    usage = {"input_tokens": 20, "output_tokens": 5, "total_tokens": 25}
    answers = [
        messages.AIMessage(
            "",
            tool_calls=[{"name": "get_order", "args": {"order_id": "o_42"}, "id": "c1"}],
            usage_metadata=usage,
        ),
        messages.ToolMessage("late", tool_call_id="c1", name="get_order"),
        messages.AIMessage([{"type": "text", "text": "It is late."}], usage_metadata=usage),
    ]
    graph = graphs.StateGraph(graphs.MessagesState)
    graph.add_node("agent", lambda state: {"messages": answers})
    graph.add_edge(graphs.START, "agent")
    graph.add_edge("agent", graphs.END)
    check(graph.compile().invoke({"messages": [messages.HumanMessage("where is it")]}))
