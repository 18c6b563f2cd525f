"""One suite, one script, one report: whatever the agent is written in, and whatever tells of its calls."""

import contextlib
import json
import re

import pytest

from judgekit import EvalCase, ExperimentRunner, Judge
from judgekit.adapters.otlp import load_traces
from judgekit.adapters.traced import span_processor
from judgekit.evaluators import should_make_at_most_model_calls, should_make_calls
from judgekit.loop import run_sync
from judgekit.testing import FakeProvider

# What frameworks warn of is theirs to mend.
pytestmark = [pytest.mark.frameworks, pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

INSTRUCTIONS = "You are the assistant of a web shop."


def needs(*modules):
    """Skip, and say what is missing."""
    for module in modules:
        pytest.importorskip(module, reason=f"{module} is not installed (dependency group `frameworks`)")


def openai_tools():
    def tool(name, **parameters):
        schema = {"type": "object", "properties": {k: {"type": v} for k, v in parameters.items()}}
        return {
            "type": "function",
            "function": {"name": name, "parameters": schema | {"required": [*parameters]}},
        }

    return [tool("getOrder", orderId="string"), tool("issueRefund", orderId="string", amountCents="integer")]


async def openai_loop(client, shop, message, *, around_model=None, around_tool=None):
    """A loop of one's own around the OpenAI client; the messages that it leaves."""
    messages = [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": message}]
    while True:
        with around_model(messages) if around_model else contextlib.nullcontext() as seen:
            answer = await client.chat.completions.create(
                model="gpt-x", messages=messages, tools=openai_tools()
            )
            if seen is not None:
                seen(answer)
        said = answer.choices[0].message
        messages.append(said.model_dump(exclude_none=True))
        if not said.tool_calls:
            return messages
        for call in said.tool_calls:
            arguments = json.loads(call.function.arguments)
            with around_tool(call) if around_tool else contextlib.nullcontext() as done:
                result = shop.call(call.function.name, arguments)
                if done is not None:
                    done(arguments, result)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})


OPEN = []


@pytest.fixture(autouse=True)
def clients_are_closed():
    """In the loop that agents run in; connections that are left open disturb later tests."""
    yield
    while OPEN:
        run_sync(OPEN.pop().aclose)


def http_client():
    import httpx

    OPEN.append(httpx.AsyncClient())
    return OPEN[-1]


def client_of(provider):
    import openai

    return openai.AsyncOpenAI(base_url=provider.url, api_key="any", max_retries=0, http_client=http_client())


def litellm_loop(provider, shop, **_):
    """Seen through litellm."""
    needs("litellm")
    import litellm

    async def agent(message):
        held, messages = (
            shop(),
            [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": message}],
        )
        while True:
            answer = await litellm.acompletion(
                model="openai/gpt-x",
                api_base=provider.url,
                api_key="any",
                messages=messages,
                tools=openai_tools(),
            )
            said = answer.choices[0].message
            if not said.tool_calls:
                return said.content
            messages.append(said)
            for call in said.tool_calls:
                result = json.dumps(held.call(call.function.name, json.loads(call.function.arguments)))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result})

    return agent


def openai_reply(provider, shop):
    client = client_of(provider)

    async def agent(message):
        return (await openai_loop(client, shop(), message))[-1]["content"]

    return agent


def openinference_openai(provider, shop, tracing, instrumented):
    """Seen through OpenInference's spans of the OpenAI client."""
    needs("openinference.instrumentation.openai", "openai")
    from openinference.instrumentation.openai import OpenAIInstrumentor

    instrumented(OpenAIInstrumentor(), tracer_provider=tracing)
    return openai_reply(provider, shop)


def openllmetry_openai(provider, shop, tracing, instrumented):
    """Seen through OpenLLMetry's spans of the OpenAI client."""
    needs("opentelemetry.instrumentation.openai", "openai")
    from opentelemetry.instrumentation.openai import OpenAIInstrumentor

    instrumented(OpenAIInstrumentor(), tracer_provider=tracing)
    return openai_reply(provider, shop)


def util_genai(provider, shop, tracing, **_):
    """Seen through spans that a loop writes with OpenTelemetry's own helper."""
    needs("opentelemetry.util.genai", "openai")
    from opentelemetry.util.genai import types
    from opentelemetry.util.genai.handler import TelemetryHandler

    handler = TelemetryHandler(tracer_provider=tracing, instrumentation_scope_name="order-agent")
    client = client_of(provider)

    def part(message):
        if message["role"] == "tool":
            return [types.ToolCallResponsePart(message["content"], message["tool_call_id"])]
        asked = [
            types.ToolCallRequestPart(json.loads(c["function"]["arguments"]), c["function"]["name"], c["id"])
            for c in message.get("tool_calls") or ()
        ]
        return [types.TextPart(message["content"]), *asked] if message.get("content") else asked

    @contextlib.contextmanager
    def around_model(messages):
        with handler.inference("openai", request_model="gpt-x") as call:
            call.input_messages = [types.InputMessage(m["role"], part(m)) for m in messages]

            def seen(answer):
                choice = answer.choices[0]
                said = part(choice.message.model_dump(exclude_none=True))
                call.output_messages = [types.OutputMessage("assistant", said, choice.finish_reason)]
                call.input_tokens = answer.usage.prompt_tokens
                call.output_tokens = answer.usage.completion_tokens

            yield seen

    @contextlib.contextmanager
    def around_tool(call):
        with handler.tool(call.function.name) as invocation:
            invocation.tool_call_id = call.id

            def done(arguments, result):
                invocation.arguments, invocation.tool_result = arguments, result

            yield done

    async def agent(message):
        with handler.invoke_local_agent(agent_name="orders"):
            messages = await openai_loop(
                client, shop(), message, around_model=around_model, around_tool=around_tool
            )
            return messages[-1]["content"]

    return agent


def pydantic_ai_agent(provider, shop):
    needs("pydantic_ai", "openai")
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    model = OpenAIChatModel("gpt-x", provider=OpenAIProvider(openai_client=client_of(provider)))

    def make():
        held, agent = shop(), Agent(model, instructions=INSTRUCTIONS)

        @agent.tool_plain
        def getOrder(orderId: str) -> dict:
            return held.get_order(orderId)

        @agent.tool_plain
        def issueRefund(orderId: str, amountCents: int) -> dict:
            return held.issue_refund(orderId, amountCents)

        return agent

    return make


def pydantic_ai_result(provider, shop, **_):
    """Seen through its result."""
    make = pydantic_ai_agent(provider, shop)

    async def agent(message):
        return await make().run(message)

    return agent


class PydanticAiSpans:
    """pydantic-ai's own switch, with the shape of an instrumentor."""

    def instrument(self, **options):
        from pydantic_ai import Agent
        from pydantic_ai.models.instrumented import InstrumentationSettings

        Agent.instrument_all(InstrumentationSettings(**options))

    def uninstrument(self):
        from pydantic_ai import Agent

        Agent.instrument_all(False)


def pydantic_ai_spans(provider, shop, tracing, instrumented):
    """Seen through its spans."""
    make = pydantic_ai_agent(provider, shop)
    instrumented(PydanticAiSpans(), tracer_provider=tracing)

    async def agent(message):
        return (await make().run(message)).output

    return agent


def pydantic_ai_stream(provider, shop, tracing, instrumented):
    """Streams, and is seen through its spans."""
    make = pydantic_ai_agent(provider, shop)
    instrumented(PydanticAiSpans(), tracer_provider=tracing)

    async def agent(message):
        async with make().run_stream(message) as streamed:
            return "".join([piece async for piece in streamed.stream_text(delta=True)])

    return agent


def openai_agents_run(provider, shop):
    needs("agents", "openai")
    from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool

    model = OpenAIChatCompletionsModel("gpt-x", openai_client=client_of(provider))

    async def run(message):
        held = shop()

        @function_tool
        def getOrder(orderId: str) -> str:
            return json.dumps(held.get_order(orderId))

        @function_tool
        def issueRefund(orderId: str, amountCents: int) -> str:
            return json.dumps(held.issue_refund(orderId, amountCents))

        agent = Agent(name="orders", instructions=INSTRUCTIONS, model=model, tools=[getOrder, issueRefund])
        return await Runner.run(agent, message)

    return run


def openai_agents_result(provider, shop, **_):
    """Seen through its result."""
    run = openai_agents_run(provider, shop)
    import agents

    agents.set_trace_processors([])  # its own tracing would go to the network
    return run


def openai_agents_openinference(provider, shop, tracing, instrumented):
    """Seen through OpenInference's spans."""
    run = openai_agents_run(provider, shop)
    needs("openinference.instrumentation.openai_agents")
    from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor

    instrumented(OpenAIAgentsInstrumentor(), tracer_provider=tracing, exclusive_processor=True)

    async def agent(message):
        return (await run(message)).final_output

    return agent


def langchain_run(provider, shop):
    needs("langchain", "langgraph", "langchain_openai")
    from langchain.agents import create_agent
    from langchain_core.tools import StructuredTool
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(
        model="gpt-x", base_url=provider.url, api_key="any", max_retries=0, http_async_client=http_client()
    )

    async def run(message):
        held = shop()

        def getOrder(orderId: str) -> dict:
            """Look up one order."""
            return held.get_order(orderId)

        def issueRefund(orderId: str, amountCents: int) -> dict:
            """Pay money back."""
            return held.issue_refund(orderId, amountCents)

        tools = [StructuredTool.from_function(tool) for tool in (getOrder, issueRefund)]
        graph = create_agent(model, tools, system_prompt=INSTRUCTIONS)
        return await graph.ainvoke({"messages": [{"role": "user", "content": message}]})

    return run


def langgraph_state(provider, shop, **_):
    """Seen through its state."""
    return langchain_run(provider, shop)


def langchain_spans(provider, shop, tracing, instrumented, instrumentor):
    run = langchain_run(provider, shop)
    instrumented(instrumentor, tracer_provider=tracing)

    async def agent(message):
        return (await run(message))["messages"][-1].text

    return agent


def langchain_openinference(provider, shop, tracing, instrumented):
    """Seen through OpenInference's spans."""
    needs("openinference.instrumentation.langchain", "langchain")
    from openinference.instrumentation.langchain import LangChainInstrumentor

    return langchain_spans(provider, shop, tracing, instrumented, LangChainInstrumentor())


def langchain_openllmetry(provider, shop, tracing, instrumented):
    """Seen through OpenLLMetry's spans."""
    needs("opentelemetry.instrumentation.langchain", "langchain")
    from opentelemetry.instrumentation.langchain import LangchainInstrumentor

    return langchain_spans(provider, shop, tracing, instrumented, LangchainInstrumentor())


def both_instrumentations(provider, shop, tracing, instrumented):
    """Seen twice, through pydantic-ai's spans and OpenInference's of the client under it."""
    needs("openinference.instrumentation.openai", "openai")
    from openinference.instrumentation.openai import OpenAIInstrumentor

    instrumented(OpenAIInstrumentor(), tracer_provider=tracing)
    return pydantic_ai_spans(provider, shop, tracing, instrumented)


AGENTS = [
    openinference_openai,
    openllmetry_openai,
    util_genai,
    pydantic_ai_result,
    pydantic_ai_spans,
    pydantic_ai_stream,
    openai_agents_result,
    openai_agents_openinference,
    langgraph_state,
    langchain_openinference,
    langchain_openllmetry,
    both_instrumentations,
]


def comparable(report):
    """The report as text, without what differs by nature: times, tokens, and the path that a run takes."""
    text = report.render(all=True)
    text = re.sub(r"[\d.,]+ tokens in, (at least )?[\d.,]+ out", "N tokens", text)
    return re.sub(r"slowest \S+ run \d+ at [\d.]+ ms|[\d.]+ ms( in total)?", "T", text)


def run(example, agent):
    cases = example.suite.cases(Judge(example.scripted.scripted_judge()))
    plan = ExperimentRunner("order-agent").cases(cases).evaluator(example.suite.refund_after_lookup)
    return (
        plan.evaluator(should_make_at_most_model_calls(3)).agent(agent).repeat(2).without_report_file().run()
    )


@pytest.fixture(scope="module")
def expected(example, shop, litellm):
    """The report on a plain loop around litellm, which no span tells of."""
    with FakeProvider(example.scripted.scripted_agent()) as provider:
        report = run(example, litellm_loop(provider, shop))
        run_sync(litellm.close_litellm_async_clients)
        litellm.in_memory_llm_clients_cache.flush_cache()
    assert report.passed, report.render()
    return comparable(report)


def test_the_loop_around_litellm_tells_everything(expected):
    assert "12/12 attempts passed" in expected
    assert "tools: getOrder{orderId=o_43} → issueRefund{orderId=o_43, amountCents=12900}" in expected
    assert "model: 3 calls" in expected
    assert "not recorded" not in expected


@pytest.mark.parametrize("write", AGENTS, ids=lambda write: write.__name__)
def test_the_report_is_the_same_whatever_the_agent_is_written_in(
    write, example, shop, provider, tracing, instrumented, expected
):
    agent = write(provider=provider, shop=shop, tracing=tracing, instrumented=instrumented)
    assert comparable(run(example, agent)) == expected


@pytest.mark.parametrize(
    "write",
    [openinference_openai, openllmetry_openai, util_genai, pydantic_ai_spans],
    ids=lambda w: w.__name__,
)
def test_fifty_attempts_at_once_hold_exactly_their_own_calls(write, example, shop, tracing, instrumented):
    orders = {
        f"o_{n}": {"orderId": f"o_{n}", "status": "shipped", "arrives": "Friday", "totalCents": 100 + n}
        for n in range(50)
    }
    cases = [
        EvalCase(
            f"case-{n}",
            f"Please refund o_{n}",
            should_make_calls(
                [
                    ("getOrder", {"orderId": f"o_{n}"}),
                    ("issueRefund", {"orderId": f"o_{n}", "amountCents": 100 + n}),
                ]
            ),
            should_make_at_most_model_calls(3),
        )
        for n in range(50)
    ]
    with FakeProvider(example.scripted.scripted_agent(), latency=0.02) as provider:
        agent = write(
            provider=provider, shop=lambda: shop(orders), tracing=tracing, instrumented=instrumented
        )
        report = (
            ExperimentRunner("fifty").cases(cases).agent(agent).concurrency(50).without_report_file().run()
        )
        assert provider.max_in_flight > 10
    assert report.passed, report.render()
    assert {len(attempt.interaction.model_calls) for attempt in report.results} == {3}


def test_a_file_of_otlp_json_tells_the_same_as_the_process(example, shop, provider, tmp_path):
    needs("opentelemetry.exporter.otlp.json.file", "opentelemetry.proto_json", "opentelemetry.util.genai")
    from opentelemetry.exporter.otlp.json.file import FileSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    path = tmp_path / "traces.jsonl"
    own = TracerProvider()
    own.add_span_processor(span_processor())
    own.add_span_processor(SimpleSpanProcessor(FileSpanExporter(path)))
    cases = [EvalCase("a", "Please refund o_43"), EvalCase("b", "Hello!")]
    agent = util_genai(provider=provider, shop=shop, tracing=own)
    report = ExperimentRunner("file").cases(cases).agent(agent).concurrency(1).without_report_file().run()
    own.shutdown()
    live = [attempt.interaction for attempt in report.results]
    assert [len(interaction.model_calls) for interaction in live] == [3, 1]
    for from_file, in_process in zip(load_traces(path), live, strict=True):
        for name in ("reply", "tool_calls", "model_calls", "messages", "input_tokens", "user_message"):
            assert getattr(from_file, name) == getattr(in_process, name), name
