"""The order agent of the examples, written in every framework; each answers over HTTP from one script."""

import contextlib
import gc
import importlib
import sys
from pathlib import Path

import pytest

from judgekit.testing import FakeProvider

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CAPTURE = {
    "OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental",
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_ONLY",
    "TRACELOOP_TRACE_CONTENT": "true",
    "LANGSMITH_TRACING": "false",
    "OPENAI_AGENTS_DISABLE_TRACING": "0",
}


@pytest.fixture(scope="session", autouse=True)
def environment():
    """Content in spans, and no network for what frameworks report about themselves."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in CAPTURE.items():
            patch.setenv(name, value)
        patch.delenv("OPENAI_API_KEY", raising=False)
        yield


@pytest.fixture(autouse=True)
def clients_are_dropped():
    """Connections that frameworks leave open are collected where their warnings are not errors."""
    yield
    gc.collect()


@pytest.fixture(scope="session")
def example():
    """The example's modules."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXAMPLES))
        for name in ("orders", "scripted", "suite"):
            importlib.import_module(f"order_agent.{name}")
        yield sys.modules["order_agent"]
        for name in [name for name in sys.modules if name.startswith("order_agent")]:
            del sys.modules[name]


@pytest.fixture
def provider(example):
    """The scripted model of the example, over HTTP."""
    with FakeProvider(example.scripted.scripted_agent()) as provider:
        yield provider


@pytest.fixture(scope="session")
def tracing():
    """The process's tracer provider, which can be set only once; None without OpenTelemetry."""
    try:
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider
    except ImportError:
        return None

    provider = trace.get_tracer_provider()
    if not isinstance(provider, TracerProvider):
        provider = TracerProvider()
        trace.set_tracer_provider(provider)
    return provider


class Shop:
    """The tools of one attempt over a shop of its own."""

    def __init__(self, orders):
        self._orders = orders

    def get_order(self, order_id):
        return self._answer(lambda: self._orders.get_order(order_id))

    def issue_refund(self, order_id, amount_cents):
        return self._answer(lambda: self._orders.issue_refund(order_id, amount_cents))

    @staticmethod
    def _answer(call):
        try:
            return call()
        except Exception as error:  # noqa: BLE001 - the model is told, as in the example
            return {"error": str(error)}

    def call(self, name, arguments):
        if name == "getOrder":
            return self.get_order(arguments["orderId"])
        return self.issue_refund(arguments["orderId"], arguments["amountCents"])


@pytest.fixture(scope="session")
def shop(example):
    """Makes a shop for an attempt; with `orders` it sells others."""

    def shop(orders=None):
        held = example.orders.InMemoryOrders()
        if orders is not None:
            held.orders = orders
        return Shop(held)

    return shop


@pytest.fixture
def instrumented():
    """Switches an instrumentor on until the test ends."""
    with contextlib.ExitStack() as stack:

        def switch_on(instrumentor, **options):
            instrumentor.instrument(**options)
            stack.callback(instrumentor.uninstrument)

        yield switch_on
