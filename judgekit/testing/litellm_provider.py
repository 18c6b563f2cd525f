"""Scripted models as a provider of litellm. Import it only where litellm is already imported."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import litellm
from litellm import CustomLLM, ModelResponse

from judgekit.testing.scripted import PROVIDER, UnscriptedMessage, scripted_model
from judgekit.testing.streaming import pieces

__all__ = ["register"]

_NOT_PARAMETERS = frozenset({"stream", "stream_options"})


class ScriptedProvider(CustomLLM):  # type: ignore[misc]
    """Answers litellm's calls from the scripted model that the model string names."""

    def completion(self, *args: Any, **call: Any) -> ModelResponse:
        """Answer a call."""
        return _model_response(_answered(call), call)

    async def acompletion(self, *args: Any, **call: Any) -> ModelResponse:
        """Answer an asynchronous call."""
        return _model_response(_answered(call), call)

    def streaming(self, *args: Any, **call: Any) -> Iterator[dict[str, Any]]:
        """Answer a streamed call."""
        return iter(_chunks(_answered(call)))

    async def astreaming(self, *args: Any, **call: Any) -> AsyncIterator[dict[str, Any]]:
        """Answer an asynchronous streamed call."""
        for chunk in _chunks(_answered(call)):
            yield chunk


def _answered(call: dict[str, Any]) -> dict[str, Any]:
    # Providers over HTTP report the call before it is sent; loggers rely on that.
    call["logging_obj"].pre_call(input=call["messages"], api_key="", additional_args={})
    parameters = {k: v for k, v in (call["optional_params"] or {}).items() if k not in _NOT_PARAMETERS}
    try:
        return scripted_model(call["model"]).complete(call["messages"], **parameters)
    except UnscriptedMessage as error:
        # As litellm's own class it is neither retried nor reported as a bug of litellm.
        raise litellm.BadRequestError(str(error), model=call["model"], llm_provider=PROVIDER) from error


def _model_response(answer: dict[str, Any], call: dict[str, Any]) -> ModelResponse:
    response = ModelResponse(**answer)
    if "usage" not in answer and hasattr(response, "usage"):
        del response.usage
    return response


def _chunks(answer: dict[str, Any]) -> list[dict[str, Any]]:
    choice = answer["choices"][0]
    message = choice["message"]
    chunks = [_chunk(text=piece) for piece in pieces(message["content"] or "")]
    for index, tool in enumerate(message.get("tool_calls") or ()):
        chunks.append(_chunk(tool_use={**tool, "index": index}))
    usage = answer.get("usage")
    chunks.append(_chunk(finish_reason=choice["finish_reason"], usage=usage))
    return chunks


def _chunk(
    *,
    text: str = "",
    tool_use: dict[str, Any] | None = None,
    finish_reason: str = "",
    usage: dict[str, Any] | None = None,
) -> dict[str, Any]:
    return {
        "text": text,
        "tool_use": tool_use,
        "is_finished": bool(finish_reason),
        "finish_reason": finish_reason,
        "usage": usage,
        "index": 0,
    }


def register() -> None:
    """Make litellm know the provider; again is harmless."""
    if not any(item["provider"] == PROVIDER for item in litellm.custom_provider_map):
        litellm.custom_provider_map.append({"provider": PROVIDER, "custom_handler": ScriptedProvider()})
    litellm.utils.custom_llm_setup()


register()
