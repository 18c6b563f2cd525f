"""The ladder of answer formats, and parameters that a model does not take: learnt once a model and run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from judgekit.providers.base import RUNGS, AnswerFormat, Message, Request, Rung
from judgekit.providers.errors import Failure

__all__ = [
    "Knowledge",
    "format_arguments",
    "format_messages",
    "secrets_in",
    "shown_parameters",
    "wanted_parameters",
]

_REFUSING = re.compile(
    r"support|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed|extra |invalid|only |deprecated"
    r"|cannot|can't|must|may not|compatible",
    re.IGNORECASE,
)
_FORMAT_NAMES = re.compile(
    r"response_?format|json_?schema|structured[ _-]?outputs?|response_?schema|output_(?:format|config)"
    r"|guided_json|grammar|json_object|json[ _]mode|request\.format",
    re.IGNORECASE,
)
_TOOL_NAMES = re.compile(r"tool_?choice|\btools?\b|function[ _]call|\bfunctions?\b", re.IGNORECASE)
# These say that one kind of format is refused, and not the parameter as a whole.
_ONE_KIND = re.compile(r"json_?schema|json_object|json[ _]mode|\btype\b|schema|grammar", re.IGNORECASE)
_REFUSAL_STATUS = frozenset({400, 404, 422, 501})
_SECRET_NAME = re.compile(r"key|token(?!s)|secret|password|header|credential|auth", re.IGNORECASE)
_RENAMED = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}


class Knowledge:
    """What one model was seen to refuse in this run, so that no later call tries it again."""

    __slots__ = ("_notes", "dropped", "refused", "renamed")

    def __init__(self) -> None:
        self.refused: dict[Rung, None] = {}
        self.dropped: dict[str, None] = {}
        self.renamed: dict[str, str] = {}
        self._notes: dict[str, str] = {}

    @property
    def learnt(self) -> int:
        """How many things were learnt so far; it only grows."""
        return len(self._notes)

    def rung(self, start: str) -> Rung:
        """The first rung from `start` on that was not refused; `prompt` always works."""
        rungs = RUNGS if start == "auto" else RUNGS[RUNGS.index(start) :]
        return next((rung for rung in rungs if rung not in self.refused), "prompt")

    def repaired(self, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters as this model takes them."""
        return {
            self.renamed.get(name, name): value for name, value in wanted.items() if name not in self.dropped
        }

    def notes(self, request: Request) -> list[str]:
        """What was changed about this request, one sentence each."""
        if not self._notes:
            return []
        names = {*wanted_parameters(request), *(self.refused if request.format is not None else ())}
        return [note for name, note in self._notes.items() if name in names]

    def learn(self, request: Request, rung: Rung, sent: Iterable[str], failure: Failure) -> bool:
        """Whether the failure says what to leave out or rename, so that another request can do better.

        `sent` names the parameters that the failed request carried.
        """
        if failure.sent and failure.error.status not in _REFUSAL_STATUS:
            return False
        names, text = set(sent), failure.text
        if failure.param is not None:
            name = re.split(r"[.\[]", failure.param)[0]
            return (
                self._repair(request, name, text)
                if name in names
                else self._step_down(request, rung, text, name)
            )
        # litellm names everything that it does not send in one error.
        learnt = not failure.sent and self._step_down(request, rung, text)
        if "max_tokens" in names and "max_completion_tokens" in text:
            return self._repair(request, "max_tokens", text) or learnt
        if _REFUSING.search(text):
            for name in sorted(names):
                if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text):
                    learnt = self._repair(request, name, text) or learnt
        return learnt or self._step_down(request, rung, text)

    def _repair(self, request: Request, name: str, text: str) -> bool:
        if name in self.dropped or name in self.renamed:
            return True
        model, other = request.model_name, _RENAMED.get(name)
        if other is not None:
            if name in self.renamed.values() or not (other in text or _REFUSING.search(text)):
                return False
            self.renamed[name] = other
            self._notes[name] = f"{model} does not take {name}; it was sent as {other}"
            return True
        self.dropped[name] = None
        value = request.temperature if name == "temperature" else request.params.get(name)
        shown = "" if _SECRET_NAME.search(name) else f" {json.dumps(value, default=str)}"
        self._notes[name] = f"{model} does not take {name}{shown}; it was left out"
        return True

    def _step_down(self, request: Request, rung: Rung, text: str, param: str = "") -> bool:
        if request.format is None or rung == "prompt":
            return False
        text = f"{param} {text}"
        names = _TOOL_NAMES if rung == "tool_call" else _FORMAT_NAMES
        if not names.search(text) and not (rung == "json_schema" and _refuses_tools(text)):
            return False
        self._refuse(request, rung)
        whole = re.search(r"response_?format", text, re.IGNORECASE)
        if rung == "json_schema" and whole and not _ONE_KIND.search(_without_quoted(text)):
            self._refuse(request, "json_object")
        return True

    def _refuse(self, request: Request, rung: Rung) -> None:
        self.refused[rung] = None
        self._notes[rung] = f"{request.model_name} refused the format {rung}"


def _refuses_tools(text: str) -> bool:
    # litellm turns a native format into a forced tool call for some providers.
    return bool(_TOOL_NAMES.search(text) and _REFUSING.search(text))


def _without_quoted(text: str) -> str:
    # OpenAI-compatible errors end in "type": "invalid_request_error" when the body is shown whole.
    return re.sub(r"\"[\w ]+\"\s*:\s*\"[^\"]*\"|invalid_request_error", "", text)


def wanted_parameters(request: Request, *, max_tokens: int | None = None) -> dict[str, Any]:
    """The parameters that the request asks for; `max_tokens` stands in for the request's own."""
    wanted: dict[str, Any] = dict(request.params)
    if request.temperature is not None:
        wanted.setdefault("temperature", request.temperature)
    if request.max_tokens is not None and "max_completion_tokens" not in wanted:
        wanted.setdefault("max_tokens", max_tokens or request.max_tokens)
    return wanted


def shown_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters without what may hold a secret, for reports."""
    return {name: value for name, value in parameters.items() if not _SECRET_NAME.search(name)}


def secrets_in(parameters: Mapping[str, Any]) -> Iterator[str]:
    """The texts among the parameters that may be secrets, such as the values of extra headers."""
    for name, value in parameters.items():
        if not _SECRET_NAME.search(name):
            continue
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            yield from (inner for inner in value.values() if isinstance(inner, str))


def format_arguments(form: AnswerFormat | None, rung: Rung) -> dict[str, Any]:
    """What asks for the format on this rung, beside the messages."""
    if form is None or rung == "prompt":
        return {}
    if rung == "json_schema":
        return {"response_format": json.loads(form.native_json)}
    if rung == "json_object":
        return {"response_format": {"type": "json_object"}}
    return {
        "tools": [json.loads(form.tool_json)],
        "tool_choice": {"type": "function", "function": {"name": form.name}},
    }


def format_messages(
    messages: Iterable[Message], form: AnswerFormat | None, rung: Rung
) -> list[dict[str, Any]]:
    """The messages as they are sent: the two lower rungs carry the schema in the system message."""
    sent = [dict(message) for message in messages]
    if form is None or rung not in ("json_object", "prompt"):
        return sent
    wanted = (
        "Reply with one JSON object that follows this JSON Schema, "
        f"and with nothing else before or after it:\n{form.text}"
    )
    if sent and sent[0].get("role") == "system":
        sent[0]["content"] = f"{sent[0]['content']}\n\n{wanted}"
    else:
        sent.insert(0, {"role": "system", "content": wanted})
    return sent
