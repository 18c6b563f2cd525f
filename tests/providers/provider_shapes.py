"""The APIs of many providers on one loopback port: each reads and answers in its own provider's shape."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any, NamedTuple

TOKEN_PATH = "/token"
TOKENS = (210, 17)
"""Input and output tokens that every answer reports."""


class Asked(NamedTuple):
    """What a request carried, whatever its shape.

    `form` says how the answer's format was asked for: `schema`, `forced tool`, `offered tool`, `json mode`
    or `none`. `schema` is what was sent as the format; None where there was none.
    """

    system: str
    user: str
    turns: tuple[str, ...]
    form: str
    schema: dict[str, Any] | None
    tool: str | None


class Said(NamedTuple):
    """What the provider answers: text, or the input of the tool it was handed."""

    text: str
    tool: str | None
    finish: str = "stop"
    tokens: int = TOKENS[1]


class Error(NamedTuple):
    """An error in the provider's own words."""

    status: int
    body: Any
    headers: Mapping[str, str] = MappingProxyType({})


def _openai_asked(body: dict[str, Any]) -> Asked:
    messages = body["messages"]
    form, schema, tool = "none", None, None
    response_format = body.get("response_format") or {}
    if response_format.get("type") == "json_schema":
        form, schema = "schema", response_format["json_schema"]["schema"]
    elif response_format.get("type") == "json_object":
        form = "json mode"
    elif body.get("tools"):
        function = body["tools"][0]["function"]
        schema, tool = function["parameters"], function["name"]
        form = "forced tool" if body.get("tool_choice") else "offered tool"
    return Asked(
        "\n".join(_text(m["content"]) for m in messages if m["role"] == "system"),
        next(_text(m["content"]) for m in messages if m["role"] == "user"),
        tuple(m["role"] for m in messages if m["role"] != "system"),
        form,
        schema,
        tool,
    )


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def _openai_answer(said: Said, model: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said.text or None}
    if said.tool is not None:
        function = {"name": said.tool, "arguments": said.text}
        call = {"id": "call_1", "type": "function", "function": function}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    finish = {"stop": "tool_calls" if said.tool else "stop", "filter": "content_filter"}
    choice = {"index": 0, "message": message, "finish_reason": finish.get(said.finish, said.finish)}
    tokens_in, tokens_out = TOKENS[0], said.tokens
    usage = {
        "prompt_tokens": tokens_in,
        "completion_tokens": tokens_out,
        "total_tokens": tokens_in + tokens_out,
    }
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_760_000_000,
        "model": model,
        "choices": [choice],
        "usage": usage,
        "service_tier": "default",
    }


def _anthropic_asked(body: dict[str, Any]) -> Asked:
    form, schema, tool = "none", None, None
    if body.get("output_format") or body.get("output_config"):
        found = body.get("output_format") or body["output_config"]["format"]
        form, schema = "schema", found["schema"]
    elif body.get("tools"):
        schema, tool = body["tools"][0]["input_schema"], body["tools"][0]["name"]
        form = "forced tool" if body.get("tool_choice", {}).get("type") == "tool" else "offered tool"
    turns = tuple(message["role"] for message in body["messages"])
    system, user = _text(body.get("system", "")), _text(body["messages"][0]["content"])
    return Asked(system, user, turns, form, schema, tool)


def _anthropic_answer(said: Said, model: str) -> dict[str, Any]:
    content: dict[str, Any] = {"type": "text", "text": said.text}
    if said.tool is not None:
        content = {"type": "tool_use", "id": "toolu_1", "name": said.tool, "input": json.loads(said.text)}
    stop = "tool_use" if said.tool else "end_turn"
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [content] if said.text else [],
        "stop_reason": {"stop": stop, "length": "max_tokens", "filter": "refusal"}[said.finish],
        "stop_sequence": None,
        "usage": {"input_tokens": TOKENS[0], "output_tokens": said.tokens},
    }


def _gemini_asked(body: dict[str, Any]) -> Asked:
    config = body.get("generationConfig") or {}
    schema = config.get("response_json_schema") or config.get("response_schema")
    mode = "json mode" if config.get("response_mime_type") == "application/json" else "none"
    return Asked(
        _text(body["system_instruction"]["parts"]),
        _text(body["contents"][0]["parts"]),
        tuple(turn["role"] for turn in body["contents"]),
        "schema" if schema else mode,
        schema,
        None,
    )


def _gemini_answer(said: Said, model: str) -> dict[str, Any]:
    reason = {"stop": "STOP", "length": "MAX_TOKENS", "filter": "SAFETY"}[said.finish]
    content: dict[str, Any] = {"role": "model", "parts": [{"text": said.text}] if said.text else []}
    return {
        "candidates": [{"content": content, "finishReason": reason, "index": 0}],
        "usageMetadata": {
            "promptTokenCount": TOKENS[0],
            "candidatesTokenCount": said.tokens,
            "totalTokenCount": TOKENS[0] + said.tokens,
        },
        "modelVersion": model,
        "responseId": "r1",
    }


def _bedrock_asked(body: dict[str, Any]) -> Asked:
    form, schema, tool = "none", None, None
    if body.get("outputConfig"):
        structure = body["outputConfig"]["textFormat"]["structure"]["jsonSchema"]
        form, schema = "schema", json.loads(structure["schema"])
    elif body.get("toolConfig"):
        spec = body["toolConfig"]["tools"][0]["toolSpec"]
        schema, tool = spec["inputSchema"]["json"], spec["name"]
        form = "forced tool" if "tool" in body["toolConfig"].get("toolChoice", {}) else "offered tool"
    return Asked(
        _text(body["system"]),
        _text(body["messages"][0]["content"]),
        tuple(message["role"] for message in body["messages"]),
        form,
        schema,
        tool,
    )


def _bedrock_answer(said: Said, model: str) -> dict[str, Any]:
    content: dict[str, Any] = {"text": said.text}
    if said.tool is not None:
        content = {"toolUse": {"toolUseId": "tu_1", "name": said.tool, "input": json.loads(said.text)}}
    stop = "tool_use" if said.tool else "end_turn"
    return {
        "metrics": {"latencyMs": 5},
        "output": {"message": {"role": "assistant", "content": [content] if said.text else []}},
        "stopReason": {"stop": stop, "length": "max_tokens", "filter": "content_filtered"}[said.finish],
        "usage": {
            "inputTokens": TOKENS[0],
            "outputTokens": said.tokens,
            "totalTokens": TOKENS[0] + said.tokens,
        },
    }


def _ollama_asked(body: dict[str, Any]) -> Asked:
    found = body.get("format")
    form = "schema" if isinstance(found, dict) else "json mode" if found == "json" else "none"
    schema = found if isinstance(found, dict) else None
    if "messages" in body:
        return _openai_asked(body)._replace(form=form, schema=schema)
    system, _, user = body["prompt"].partition("### User:")
    return Asked(
        system, user, ("user",) + ("assistant", "user") * user.count("### User:"), form, schema, None
    )


def _ollama_answer(said: Said, model: str) -> dict[str, Any]:
    return {
        "model": model,
        "created_at": "2026-01-01T00:00:00Z",
        "response": said.text,
        "message": {"role": "assistant", "content": said.text},
        "done": True,
        "done_reason": said.finish,
        "prompt_eval_count": TOKENS[0],
        "eval_count": said.tokens,
    }


def _cohere_asked(body: dict[str, Any]) -> Asked:
    return _openai_asked(body)


def _cohere_answer(said: Said, model: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": [{"type": "text", "text": said.text}]}
    if said.tool is not None:
        call = {
            "id": "t1",
            "type": "function",
            "function": {"name": said.tool, "arguments": said.text},
        }
        message = {"role": "assistant", "tool_calls": [call]}
    stop = "TOOL_CALL" if said.tool else "COMPLETE"
    return {
        "id": "c1",
        "finish_reason": {"stop": stop, "length": "MAX_TOKENS", "filter": "ERROR_TOXIC"}[said.finish],
        "message": message,
        "usage": {"tokens": {"input_tokens": TOKENS[0], "output_tokens": said.tokens}},
    }


@dataclass(frozen=True)
class Shape:
    """How one API reads requests and gives answers."""

    asked: Callable[[dict[str, Any]], Asked]
    answer: Callable[[Said, str], dict[str, Any]]


OPENAI = Shape(_openai_asked, _openai_answer)
ANTHROPIC = Shape(_anthropic_asked, _anthropic_answer)
GEMINI = Shape(_gemini_asked, _gemini_answer)
BEDROCK = Shape(_bedrock_asked, _bedrock_answer)
OLLAMA = Shape(_ollama_asked, _ollama_answer)
COHERE = Shape(_cohere_asked, _cohere_answer)


@dataclass
class Arrived:
    """One request as the server got it."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    raw: str
    asked: Asked
    received: float


@dataclass
class Server:
    """A provider on loopback. `script` gives the reaction to the n-th request, counted from 0."""

    shape: Shape
    script: Callable[[int, Asked], Said | Error]
    requests: list[Arrived] = field(default_factory=list)
    tokens_asked: int = 0
    token_error: Error | None = None
    url: str = ""

    def __enter__(self) -> Server:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
                status, headers, body = owner.react(self.path, dict(self.headers), raw)
                payload = json.dumps(body).encode()
                self.send_response(status)
                for name, value in {"content-type": "application/json", **headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def react(self, path: str, headers: dict[str, str], raw: str) -> tuple[int, Mapping[str, str], Any]:
        """The response to one request: status, headers and JSON body."""
        if path == TOKEN_PATH:
            self.tokens_asked += 1
            if self.token_error is not None:
                return self.token_error.status, self.token_error.headers, self.token_error.body
            return 200, {}, {"access_token": "ya29.dummy", "expires_in": 3600, "token_type": "Bearer"}
        body = json.loads(raw)
        asked = self.shape.asked(body)
        number = len(self.requests)
        lowered = {name.lower(): value for name, value in headers.items()}
        self.requests.append(Arrived(path, lowered, body, raw, asked, time.monotonic()))
        reaction = self.script(number, asked)
        if isinstance(reaction, Error):
            return reaction.status, reaction.headers, reaction.body
        return 200, {}, self.shape.answer(reaction, str(body.get("model", "served-model")))
