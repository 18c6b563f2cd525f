"""Spans of agents in this process: each attempt gets its own, by context."""

import asyncio
import contextvars
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from judgekit.adapters.spans import interaction_from_spans, merged
from judgekit.adapters.traced import span_processor, traced
from judgekit.interaction import Interaction

trace_api = pytest.importorskip("opentelemetry.trace", reason="opentelemetry-sdk is not installed")
sdk = pytest.importorskip("opentelemetry.sdk.trace", reason="opentelemetry-sdk is not installed")


@pytest.fixture(scope="module")
def provider():
    """The process's tracer provider, which can be set only once."""
    found = trace_api.get_tracer_provider()
    if not isinstance(found, sdk.TracerProvider):
        found = sdk.TracerProvider()
        trace_api.set_tracer_provider(found)
    return found


def call_tool(tracer, name, seconds=0.0, **more):
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
    attributes |= {"gen_ai.tool.call.arguments": "{}", "gen_ai.tool.call.result": "ok"}
    with tracer.start_as_current_span(f"execute_tool {name}", attributes=attributes, **more):
        time.sleep(seconds)


def names(trace):
    return [call.name for call in interaction_from_spans(trace.spans).tool_calls or ()]


def test_fifty_attempts_at_once_with_interleaved_calls_never_mix(provider):
    tracer = provider.get_tracer("agent")
    barrier = asyncio.Barrier(50)

    async def attempt(number):
        async def agent():
            await barrier.wait()
            for step in range(4):
                await asyncio.sleep(0.001 * ((number * 7 + step) % 5))
                with tracer.start_as_current_span(f"step {step}"):
                    await asyncio.to_thread(call_tool, tracer, f"tool-{number}-{step}", 0.001)

        with traced() as trace:
            await asyncio.create_task(agent())
        return trace

    async def run():
        return await asyncio.gather(*(attempt(number) for number in range(50)))

    for number, trace in enumerate(asyncio.run(run())):
        assert names(trace) == [f"tool-{number}-{step}" for step in range(4)]
        assert len({span.trace_id for span in trace.spans}) == 1


def test_fifty_threads_at_once_never_mix(provider):
    tracer = provider.get_tracer("agent")

    def attempt(number):
        with traced() as trace:
            for step in range(3):
                call_tool(tracer, f"tool-{number}-{step}", 0.0005)
        return trace

    with ThreadPoolExecutor(50) as pool:
        for number, trace in enumerate(pool.map(attempt, range(50))):
            assert names(trace) == [f"tool-{number}-{step}" for step in range(3)]


def test_an_attempt_is_a_trace_of_its_own_inside_a_span_of_the_callers(provider):
    tracer = provider.get_tracer("test")
    with tracer.start_as_current_span("the whole run") as outer:
        with traced() as one:
            call_tool(tracer, "a")
        with traced() as two:
            call_tool(tracer, "b")
        call_tool(tracer, "c")
    assert (names(one), names(two)) == (["a"], ["b"])
    ids = {f"{outer.get_span_context().trace_id:032x}", one.spans[0].trace_id, two.spans[0].trace_id}
    assert len(ids) == 3


def test_a_tool_that_still_runs_was_called(provider):
    tracer = provider.get_tracer("agent")
    with traced() as trace:
        hanging = tracer.start_span(
            "t", attributes={"gen_ai.tool.name": "slow", "gen_ai.operation.name": "execute_tool"}
        )
    assert names(trace) == ["slow"]
    assert trace.spans[0].end is None
    hanging.end()


def test_what_begins_after_the_attempt_is_not_its_own(provider):
    tracer = provider.get_tracer("agent")
    with traced() as trace:
        context = contextvars.copy_context()
    context.run(call_tool, tracer, "late")
    assert names(trace) == []


def test_a_thread_without_context_is_found_by_the_span_that_it_names(provider):
    tracer = provider.get_tracer("agent")
    with traced() as trace:
        here = sys.modules["opentelemetry.context"].get_current()
        thread = threading.Thread(target=call_tool, args=(tracer, "elsewhere"), kwargs={"context": here})
        thread.start()
        thread.join()
    assert names(trace) == ["elsewhere"]


def test_a_provider_of_the_agents_own_takes_the_processor():
    own = sdk.TracerProvider()
    own.add_span_processor(span_processor())
    tracer = own.get_tracer("agent")
    call_tool(tracer, "before")
    with tracer.start_as_current_span("shared by both"):
        with traced() as one:
            call_tool(tracer, "a")
        with traced() as two:
            call_tool(tracer, "b")
    assert (names(one), names(two)) == (["a"], ["b"])


def test_our_own_span_is_no_evidence(provider):
    with traced() as trace:
        pass
    assert trace.spans == ()
    assert merged(Interaction(reply="x"), trace.spans) == Interaction(reply="x")


def test_without_the_sdk_nothing_is_imported_and_nothing_happens():
    code = (
        "import sys\n"
        "from judgekit.adapters.traced import traced\n"
        "with traced() as trace: pass\n"
        "assert trace.spans == ()\n"
        "assert not any(name.startswith('opentelemetry') for name in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_processor_without_the_sdk_says_what_to_do(monkeypatch):
    monkeypatch.delitem(sys.modules, "opentelemetry.sdk.trace")
    with pytest.raises(RuntimeError, match="tracer provider first"):
        span_processor()
