"""The settings of a judge, checked when it is built."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judgekit.checking import is_finite_number
from judgekit.errors import InvalidArgument

if TYPE_CHECKING:
    from judgekit.judging.judge import Judge

__all__ = ["checked_settings"]

CACHE_MODES = ("off", "read-write", "replay")
SCORES_FROM = ("verdict", "logprobs")
RUNGS = ("auto", "json_schema", "tool_call", "json_object", "prompt")

# What judgekit sets itself; a second value beside it would decide behind the judge's back.
_OURS = {
    "model": "`Judge(model)`",
    "messages": "a prompt file",
    "temperature": "`temperature=`",
    "max_tokens": "`max_tokens=`",
    "max_completion_tokens": "`max_tokens=`",
    "timeout": "`timeout=`",
    "request_timeout": "`timeout=`",
    "max_retries": "`attempts=`",
    "num_retries": "`attempts=`",
    "api_base": "`api_base=`",
    "base_url": "`api_base=`",
    "api_key": "`api_key=`",
    "response_format": "the verdict schema",
    "tools": "the verdict schema",
    "tool_choice": "the verdict schema",
    "functions": "the verdict schema",
    "logprobs": "`score_from='logprobs'`",
    "top_logprobs": "`score_from='logprobs'`",
    "n": "`samples=`",
    "stream": "nothing: verdicts are not streamed",
    "caching": "`cache=`",
    "cache": "`cache=`",
}


def checked_settings(judge: Judge) -> None:
    """Refuse every setting that cannot work.

    Raises:
        InvalidArgument: The setting, what was given and what is allowed.
    """
    if not isinstance(judge.model, str) or not judge.model.strip():
        raise InvalidArgument(
            f"Judge: `model` must be a litellm model string such as 'openai/gpt-5-mini', got {judge.model!r}"
        )
    for name in ("system_message", "prompt", "api_base", "api_key"):
        _text_or_none(name, getattr(judge, name))
    _whole("samples", judge.samples)
    _whole("attempts", judge.attempts)
    if judge.max_tokens is not None:
        _whole("max_tokens", judge.max_tokens)
    _seconds("timeout", judge.timeout)
    _seconds("deadline", judge.deadline)
    if judge.temperature is not None and (
        not is_finite_number(judge.temperature) or not 0 <= judge.temperature <= 2
    ):
        raise InvalidArgument(f"Judge: `temperature` must be from 0 to 2 or None, got {judge.temperature!r}")
    _one_of("cache", judge.cache, CACHE_MODES)
    _one_of("score_from", judge.score_from, SCORES_FROM)
    _one_of("rung", judge.rung, RUNGS)
    _folder(judge.prompts)
    _params(judge.params)
    _limits_and_price(judge.limits, judge.price)


def default_cache() -> str:
    """`JUDGEKIT_CACHE`, else `off`."""
    return os.environ.get("JUDGEKIT_CACHE", "").strip() or "off"


def _text_or_none(name: str, value: object) -> None:
    if value is not None and (not isinstance(value, str) or not value.strip()):
        raise InvalidArgument(
            f"Judge: `{name}` must be text that is not blank or None, got {_hidden(name, value)}"
        )


def _hidden(name: str, value: object) -> str:
    return type(value).__name__ if name == "api_key" else repr(value)


def _whole(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidArgument(f"Judge: `{name}` must be a whole number of at least 1, got {value!r}")


def _seconds(name: str, value: object) -> None:
    if not is_finite_number(value) or value <= 0:  # type: ignore[operator]
        raise InvalidArgument(f"Judge: `{name}` must be seconds, more than 0, got {value!r}")


def _one_of(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InvalidArgument(
            f"Judge: `{name}` must be one of {', '.join(map(repr, allowed))}, got {value!r}"
        )


def _folder(folder: str | Path | None) -> None:
    if folder is not None and not (isinstance(folder, str | Path) and Path(folder).is_dir()):
        raise InvalidArgument(f"Judge: `prompts` must be a folder of prompt files, got {folder!r}")


def _params(params: Mapping[str, Any] | None) -> None:
    if not isinstance(params, Mapping) or not all(isinstance(name, str) for name in params):
        raise InvalidArgument(
            f"Judge: `params` must be litellm parameters by name, got {type(params).__name__}"
        )
    for name in params:
        if name in _OURS:
            raise InvalidArgument(f"Judge: `params` must not hold {name!r}; it is set by {_OURS[name]}")


def _limits_and_price(limits: object, price: object) -> None:
    from judgekit.providers.base import Limits, Price

    if limits is not None and not isinstance(limits, Limits):
        raise InvalidArgument(f"Judge: `limits` must be Limits(...), got {limits!r}")
    if price is not None and not isinstance(price, Price):
        raise InvalidArgument(f"Judge: `price` must be Price(dollars in, dollars out), got {price!r}")
