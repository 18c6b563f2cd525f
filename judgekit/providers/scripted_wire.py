"""A model that is an object in this process: asked directly, without litellm."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from judgekit.errors import (
    DeadlineExceeded,
    JudgekitError,
    ProviderError,
    ProviderUnavailable,
    RateLimited,
    RequestRefused,
)
from judgekit.providers.base import Reply, Request, Rung
from judgekit.providers.errors import Failure
from judgekit.providers.litellm_wire import WireFailure, reply_from
from judgekit.text import first_line

__all__ = ["ask_scripted"]


async def ask_scripted(request: Request, arguments: Mapping[str, Any], *, rung: Rung) -> Reply:
    """One answer of `request.model.complete(messages, **arguments)`, which gives an OpenAI completion.

    Raises:
        WireFailure: The model raised, or gave something else. A `ProviderError` passes as it is.
    """
    call = dict(arguments)
    messages = call.pop("messages")
    try:
        completion = request.model.complete(messages, **call)
        if inspect.isawaitable(completion):
            completion = await completion
        return _reply(completion, request, rung)
    except ProviderError as error:
        retryable = isinstance(error, RateLimited | ProviderUnavailable | DeadlineExceeded)
        raise WireFailure(Failure(error, retryable=retryable, answered=True)) from error
    except Exception as error:
        said = str(error) if isinstance(error, JudgekitError) else first_line(error)
        refused = RequestRefused(f"{request.model_name}: {said}")
        raise WireFailure(Failure(refused, retryable=False, answered=True)) from error


def _reply(completion: Mapping[str, Any], request: Request, rung: Rung) -> Reply:
    choices = completion["choices"]
    choice = choices[0] if choices else {}
    message = choice.get("message") or {}
    usage = completion.get("usage") or {}
    calls = [
        (call["function"]["name"], call["function"]["arguments"]) for call in message.get("tool_calls") or ()
    ]
    return reply_from(
        {"content": message.get("content"), "refusal": message.get("refusal"), "tool_calls": calls},
        request=request,
        rung=rung,
        choices=len(choices),
        finish_reason=choice.get("finish_reason"),
        tokens=(usage.get("prompt_tokens"), usage.get("completion_tokens")),
        model_served=str(completion.get("model") or request.model_name),
    )
