"""One HTTP request through litellm: the only module that imports it, when a model is first called."""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import sys
import warnings
import weakref
from collections.abc import Callable, Mapping
from typing import Any

from judgekit.errors import DeadlineExceeded
from judgekit.providers.base import Price, Reply, Request, Rung
from judgekit.providers.errors import Failure, failure_from
from judgekit.providers.heap import set_aside, take_back

__all__ = ["LitellmWire", "WireFailure", "price_of", "reply_from"]

# litellm builds a client for every value; the real limit is the time-out around each attempt.
_CLIENT_TIMEOUT = 600.0
_FLUSH_SECONDS = 2.0
_SECRET_ENDINGS = ("_API_KEY", "_API_TOKEN", "_AUTH_TOKEN", "_ACCESS_KEY", "_SESSION_TOKEN", "_CLIENT_SECRET")

# litellm keeps its clients in one cache for the whole process, so who still needs those of a loop has to
# be known for the whole process too. Nothing about a run is kept here.
_users: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, int] = weakref.WeakKeyDictionary()


class WireFailure(Exception):
    """An attempt without a reply; `failure` says how."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(str(failure.error))


def _import() -> Any:
    """Import litellm without a network call, a `.env` file, or a word on stdout."""
    first = "litellm" not in sys.modules
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
    litellm: Any = importlib.import_module("litellm")
    litellm.suppress_debug_info = True
    if first:
        # A server that sends content in parts makes pydantic warn inside litellm before it raises.
        warnings.filterwarnings("ignore", message="Pydantic serializer warnings", category=UserWarning)
        if "LITELLM_LOG" not in os.environ:
            # Whatever it reports arrives here as an exception too, and is told with its cause.
            logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)
    return litellm


def environment_secrets() -> list[str]:
    """Keys that litellm may take from the environment, so that they can be masked."""
    return [value for name, value in os.environ.items() if name.upper().endswith(_SECRET_ENDINGS)]


def price_of(model: str) -> Price | None:
    """What litellm's price list says of a model; None: it knows no price. Imports litellm.

    Models that are free have a price of 0, which is a price.
    """
    return _listed_price(_import(), model)


def _listed_price(litellm: Any, model: str) -> Price | None:
    try:
        info = litellm.get_model_info(model)
    except Exception:  # noqa: BLE001 - it raises a bare Exception for a model that it does not know
        return None
    tokens_in, tokens_out = info.get("input_cost_per_token"), info.get("output_cost_per_token")
    # For a model that is like one it knows, litellm makes up an entry with prices of 0.
    if tokens_in is None or tokens_out is None or info.get("key") not in litellm.model_cost:
        return None
    return Price(float(tokens_in) * 1_000_000, float(tokens_out) * 1_000_000)


class LitellmWire:
    """litellm for the calls of one run: loaded once, off the event loop; its clients closed at the end."""

    __slots__ = ("_free", "_litellm", "_loading", "_loop")

    def __init__(self) -> None:
        self._litellm: Any = None
        self._free: dict[str, bool] = {}
        self._loading: asyncio.Task[Any] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def load(self) -> None:
        """Import litellm in a thread, so that nothing else waits for it."""
        if self._litellm is not None:
            return
        if self._loading is None:
            self._loading = asyncio.create_task(asyncio.to_thread(_import))
        litellm = await asyncio.shield(self._loading)
        if self._litellm is None:
            self._litellm = litellm
            self._loop = asyncio.get_running_loop()
            _users[self._loop] = _users.get(self._loop, 0) + 1
            set_aside()

    async def send(
        self,
        request: Request,
        arguments: Mapping[str, Any],
        *,
        rung: Rung,
        seconds: float,
        masked: Callable[[str], str],
    ) -> Reply:
        """Send one request and wait for its reply; `load` first.

        Args:
            request: Whose model, address and key are used.
            arguments: The messages, parameters and format to send.
            rung: The rung that the format is from.
            seconds: How long it may take.
            masked: Takes the keys out of a text.

        Raises:
            WireFailure: There is no reply.
        """
        model = str(request.model)
        try:
            async with asyncio.timeout(seconds):
                response = await self._litellm.acompletion(
                    model=model,
                    api_base=request.api_base,
                    api_key=request.api_key,
                    num_retries=0,
                    max_retries=0,
                    timeout=max(_CLIENT_TIMEOUT, request.timeout),
                    caching=False,
                    **arguments,
                )
        except TimeoutError:
            error = DeadlineExceeded(f"{model}: no answer in {seconds:g} s")
            raise WireFailure(Failure(error, retryable=True)) from None
        except Exception as error:  # noqa: BLE001 - whatever litellm raises is classified, nothing is lost
            # Without `from None` the chain would carry litellm's own text, keys included.
            raise WireFailure(failure_from(error, model=model, masked=masked)) from None
        hidden = getattr(response, "_hidden_params", None) or {}
        cost = hidden.get("response_cost")
        if not cost and not self._is_free(model):
            cost = None
        served = hidden.get("provider_response_model") or getattr(response, "model", None)
        return _reply(response, request, rung, cost=cost, model_served=served)

    def _is_free(self, model: str) -> bool:
        if model not in self._free:
            self._free[model] = _listed_price(self._litellm, model) == Price(0, 0)
        return self._free[model]

    async def close(self) -> None:
        """Flush litellm's logging worker and close its clients, once no other run on this loop needs them."""
        if self._loading is not None and self._litellm is None:
            self._loading.cancel()
        loop, self._loop = self._loop, None
        if loop is None:
            return
        take_back()
        _users[loop] = _users.get(loop, 1) - 1
        if _users[loop] > 0 or loop is not asyncio.get_running_loop():
            return
        _users.pop(loop, None)
        await _flush_logging(loop)
        await _close_clients(self._litellm)


async def _flush_logging(loop: asyncio.AbstractEventLoop) -> None:
    """Let callbacks that a user registered with litellm see the last calls; they run in the background."""
    module = sys.modules.get("litellm.litellm_core_utils.logging_worker")
    worker = getattr(module, "GLOBAL_LOGGING_WORKER", None)
    if worker is None or getattr(worker, "_bound_loop", None) is not loop:
        return
    try:
        async with asyncio.timeout(_FLUSH_SECONDS):
            await worker.flush()
    except Exception as error:  # noqa: BLE001 - a foreign callback must not cost a finished run
        logging.getLogger(__name__).debug("litellm's logging worker was not flushed: %r", error)


async def _close_clients(litellm: Any) -> None:
    """Close and forget the clients that litellm keeps for the running loop, and no others."""
    cache = litellm.in_memory_llm_clients_cache
    suffix = cache.update_cache_key_with_event_loop("")
    if not suffix:
        return
    for key in [key for key in cache.cache_dict if str(key).endswith(suffix)]:
        client = cache.cache_dict.pop(key, None)
        cache.ttl_dict.pop(key, None)
        close = getattr(client, "aclose", None) or getattr(client, "close", None)
        if close is None or not (asyncio.iscoroutinefunction(close)):
            continue
        try:
            await close()
        except Exception as error:  # noqa: BLE001 - the other clients still have to be closed
            logging.getLogger(__name__).debug("a client of litellm was not closed: %r", error)
    # The transports close on the next turn of the loop.
    await asyncio.sleep(0)


def _reply(
    response: Any, request: Request, rung: Rung, *, cost: float | None, model_served: str | None
) -> Reply:
    usage = getattr(response, "usage", None)
    choices = getattr(response, "choices", None) or ()
    choice = choices[0] if choices else None
    message = getattr(choice, "message", None)
    fields = {
        "content": getattr(message, "content", None),
        "refusal": getattr(message, "refusal", None),
        "tool_calls": [_call(call) for call in getattr(message, "tool_calls", None) or ()],
    }
    return reply_from(
        fields,
        request=request,
        rung=rung,
        choices=len(choices),
        finish_reason=getattr(choice, "finish_reason", None),
        tokens=(getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None)),
        cost=cost,
        model_served=model_served,
        logprobs=_logprobs(getattr(choice, "logprobs", None)),
    )


def _call(call: Any) -> tuple[str | None, str | None]:
    function = getattr(call, "function", None)
    return getattr(function, "name", None), getattr(function, "arguments", None)


def _logprobs(found: Any) -> tuple[Mapping[str, Any], ...] | None:
    content = getattr(found, "content", None)
    if not content:
        return None
    return tuple(
        {
            "token": entry.token,
            "logprob": entry.logprob,
            "top": [[top.token, top.logprob] for top in entry.top_logprobs or ()],
        }
        for entry in content
    )


def reply_from(
    message: Mapping[str, Any],
    *,
    request: Request,
    rung: Rung,
    choices: int,
    finish_reason: str | None,
    tokens: tuple[int | None, int | None],
    cost: float | None = None,
    model_served: str | None = None,
    logprobs: tuple[Mapping[str, Any], ...] | None = None,
) -> Reply:
    """The reply in plain values. `message` holds content, refusal and tool_calls (name, arguments)."""
    content = message.get("content")
    # Several calls are all part of the answer; the reader refuses what contradicts itself.
    called = [arguments for name, arguments in message["tool_calls"] if _is_answer(request, name)]
    text = "\n".join(str(arguments) for arguments in called) if called else content
    tokens_in, tokens_out = tokens
    # litellm fills in 0 where the server sent no usage; a request of no tokens does not exist.
    known_in = tokens_in or None
    known_out = tokens_out if tokens_out or (known_in and not text) else None
    price = request.price
    if known_in is None or known_out is None:
        cost = None
    elif price is not None:
        cost = price.of(known_in, known_out)
    return Reply(
        text=text if isinstance(text, str) else None,
        finish_reason=finish_reason,
        refusal=message.get("refusal") or None,
        input_tokens=known_in,
        output_tokens=known_out,
        cost=cost,
        model_served=model_served,
        rung=rung,
        logprobs=logprobs,
        choices=choices,
    )


def _is_answer(request: Request, name: str | None) -> bool:
    return request.format is not None and name == request.format.name
