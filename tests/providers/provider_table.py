"""The providers of the matrix: model strings, addresses, and errors in each one's own words."""

from dataclasses import dataclass, field
from typing import Any, Literal

import provider_shapes as shapes
from provider_shapes import Error

KEY = "sk-qa-SECRET-0123456789"
AWS_SECRET = "wJalrXUtnFEMI-SECRET-bPxRfiCYEXAMPLEKEY"
SENT_WITHOUT_KEY = {
    "cohere", "deepseek", "groq", "hosted_vllm", "mistral", "ollama", "ollama_chat", "openrouter", "xai",
}  # fmt: skip


@dataclass(frozen=True)
class Provider:
    """One model string and what is known of its provider.

    `base` is what follows the server's address in `api_base`. `errors` are its 429 and its refusal of the
    key; `key_in` is the header that carries the key.
    """

    model: str
    shape: Any
    path: str
    limited: Any
    unauthorized: Any
    base: str = ""
    form: str = "schema"
    rung: str = "json_schema"
    key_in: str = "authorization"
    auth: Literal["key", "aws", "google"] = "key"
    params: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def asked_without_key(self) -> int:
        """How many requests litellm sends where it has no key: for some it leaves the error to the server."""
        return int(self.model.split("/")[0] in SENT_WITHOUT_KEY)


WAIT = {"retry-after": "0.3"}


def _openai_error(status, message, code, kind="invalid_request_error", **headers):
    return Error(status, {"error": {"message": message, "type": kind, "param": None, "code": code}}, headers)


OPENAI_429 = _openai_error(429, "Rate limit reached for requests", "rate_limit_exceeded", "requests", **WAIT)
OPENAI_401 = _openai_error(401, f"Incorrect API key provided: {KEY}.", "invalid_api_key")
CHAT = "/chat/completions"


def _anthropic_error(status, kind, message, **headers):
    return Error(status, {"type": "error", "error": {"type": kind, "message": message}}, headers)


ANTHROPIC = {
    "shape": shapes.ANTHROPIC,
    "path": "/v1/messages",
    "key_in": "x-api-key",
    "limited": _anthropic_error(
        429, "rate_limit_error", "This request would exceed your rate limit.", **WAIT
    ),
    "unauthorized": _anthropic_error(401, "authentication_error", "invalid x-api-key"),
}


def _google_error(status, kind, message, details=()):
    error = {"code": status, "message": message, "status": kind, "details": list(details)}
    return Error(status, {"error": error})


RETRY_INFO = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.3s"}
GOOGLE_429 = _google_error(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted.", [RETRY_INFO])
AWS_WAIT = {**WAIT, "x-amzn-errortype": "ThrottlingException"}
BEDROCK = {
    "shape": shapes.BEDROCK,
    "auth": "aws",
    "limited": Error(429, {"message": "Too many requests, please wait before trying again."}, AWS_WAIT),
    "unauthorized": Error(
        403,
        {"message": "The security token included in the request is invalid."},
        {"x-amzn-errortype": "UnrecognizedClientException"},
    ),
}
OLLAMA = {
    "shape": shapes.OLLAMA,
    "limited": Error(429, {"error": "too many concurrent requests"}, WAIT),
    "unauthorized": Error(401, {"error": "unauthorized"}),
}
COMPATIBLE = {"shape": shapes.OPENAI, "limited": OPENAI_429, "unauthorized": OPENAI_401}

PROVIDERS = [
    Provider("openai/gpt-4o-mini", base="/v1", path="/v1" + CHAT, **COMPATIBLE),
    Provider(
        "openai/gpt-5-mini",
        base="/v1",
        path="/v1" + CHAT,
        notes=("does not take temperature 0; it was left out",),
        **COMPATIBLE,
    ),
    Provider(
        "azure/gpt-4o",
        shape=shapes.OPENAI,
        path=f"/openai/deployments/gpt-4o{CHAT}?api-version=2024-10-21",
        key_in="api-key",
        params={"api_version": "2024-10-21"},
        limited=Error(
            429, {"error": {"code": "429", "message": "Requests have exceeded call rate limit."}}, WAIT
        ),
        unauthorized=Error(401, {"error": {"code": "401", "message": "Access denied due to invalid key."}}),
    ),
    Provider("anthropic/claude-sonnet-4-5", **ANTHROPIC),
    Provider("anthropic/claude-3-7-sonnet-20250219", form="forced tool", **ANTHROPIC),
    Provider("anthropic/claude-unknown-9", form="offered tool", **ANTHROPIC),
    Provider(
        "gemini/gemini-2.5-flash",
        shape=shapes.GEMINI,
        path="/models/gemini-2.5-flash:generateContent",
        key_in="x-goog-api-key",
        limited=GOOGLE_429,
        unauthorized=_google_error(
            400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."
        ),
    ),
    Provider(
        "vertex_ai/gemini-2.5-flash",
        shape=shapes.GEMINI,
        path="/v1/projects/demo/locations/europe-west1/publishers/google/models/gemini-2.5-flash:generateContent",
        auth="google",
        params={"vertex_project": "demo", "vertex_location": "europe-west1"},
        limited=GOOGLE_429,
        unauthorized=_google_error(401, "UNAUTHENTICATED", "Request had invalid authentication credentials."),
    ),
    Provider(
        "bedrock/anthropic.claude-3-5-sonnet-20240620-v1:0",
        path="/model/anthropic.claude-3-5-sonnet-20240620-v1%3A0/converse",
        form="forced tool",
        **BEDROCK,
    ),
    Provider(
        "bedrock/us.amazon.nova-lite-v1:0",
        path="/model/us.amazon.nova-lite-v1%3A0/converse",
        form="forced tool",
        **BEDROCK,
    ),
    Provider(
        "bedrock/meta.llama3-1-70b-instruct-v1:0",
        path="/model/meta.llama3-1-70b-instruct-v1%3A0/converse",
        form="offered tool",
        **BEDROCK,
    ),
    Provider(
        "mistral/mistral-small-latest",
        shape=shapes.OPENAI,
        base="/v1",
        path="/v1" + CHAT,
        limited=Error(
            429, {"object": "error", "message": "Requests rate limit exceeded", "code": None}, WAIT
        ),
        unauthorized=Error(401, {"detail": "Unauthorized"}),
    ),
    Provider(
        "groq/llama-3.3-70b-versatile",
        base="/openai/v1",
        path="/openai/v1" + CHAT,
        form="forced tool",
        **COMPATIBLE,
    ),
    Provider("groq/openai/gpt-oss-20b", base="/openai/v1", path="/openai/v1" + CHAT, **COMPATIBLE),
    Provider("deepseek/deepseek-chat", path=CHAT, **COMPATIBLE),
    Provider("ollama/llama3.1", path="/api/generate", **OLLAMA),
    Provider("ollama_chat/llama3.1", path="/api/chat", **OLLAMA),
    Provider("hosted_vllm/Qwen/Qwen3-8B", base="/v1", path="/v1" + CHAT, **COMPATIBLE),
    Provider(
        "openrouter/openai/gpt-4o-mini",
        shape=shapes.OPENAI,
        base="/api/v1",
        path="/api/v1" + CHAT,
        limited=Error(429, {"error": {"code": 429, "message": "Rate limit exceeded", "metadata": {}}}, WAIT),
        unauthorized=Error(401, {"error": {"code": 401, "message": "No auth credentials found"}}),
    ),
    Provider(
        "xai/grok-4.3",
        shape=shapes.OPENAI,
        base="/v1",
        path="/v1" + CHAT,
        limited=Error(429, {"code": "rate", "error": "Too many requests"}, WAIT),
        unauthorized=Error(400, {"code": "bad", "error": "Incorrect API key provided: sk***89."}),
    ),
    Provider(
        "cohere/command-a-03-2025",
        shape=shapes.COHERE,
        base="/v2/chat",
        path="/v2/chat",
        form="offered tool",
        rung="tool_call",
        limited=Error(429, {"message": "You are past the per minute request limit."}, WAIT),
        unauthorized=Error(401, {"message": "invalid api token"}),
        notes=("refused the format json_schema", "refused the format json_object"),
    ),
]


@dataclass(frozen=True)
class Refusal:
    """How a provider refuses a format, and the rung that is left."""

    model: str
    error: Error
    forms: tuple[str, ...]
    rung: str


REFUSALS = [
    Refusal(
        "deepseek/deepseek-chat",
        _openai_error(400, "This response_format type is unavailable now", "invalid_request_error"),
        ("schema",),
        "tool_call",
    ),
    Refusal(
        "groq/openai/gpt-oss-20b",
        _openai_error(400, "This model does not support response format `json_schema`.", None),
        ("schema",),
        "tool_call",
    ),
    Refusal(
        "groq/llama-3.3-70b-versatile",
        _openai_error(400, "`tool_choice` is not supported with this model", None),
        ("forced tool",),
        "json_object",
    ),
    Refusal(
        "anthropic/claude-sonnet-4-5",
        _anthropic_error(400, "invalid_request_error", "output_format: Extra inputs are not permitted"),
        ("schema",),
        "tool_call",
    ),
    Refusal(
        "anthropic/claude-3-7-sonnet-20250219",
        _anthropic_error(
            400, "invalid_request_error", "Thinking may not be enabled when tool_choice forces tool use."
        ),
        ("forced tool",),
        "json_object",
    ),
    Refusal(
        "gemini/gemini-2.5-flash",
        _google_error(
            400,
            "INVALID_ARGUMENT",
            "Invalid JSON payload received. Unknown name \"response_json_schema\" at 'generation_config'.",
        ),
        ("schema",),
        "tool_call",
    ),
    Refusal(
        "bedrock/us.amazon.nova-lite-v1:0",
        Error(
            400,
            {"message": "This model doesn't support the toolConfig.toolChoice.tool field. Remove it."},
            {"x-amzn-errortype": "ValidationException"},
        ),
        ("forced tool", "offered tool"),
        "json_object",
    ),
    Refusal(
        "ollama_chat/llama3.1",
        Error(
            400,
            {"error": "json: cannot unmarshal object into Go struct field ChatRequest.format of type string"},
        ),
        ("schema",),
        "tool_call",
    ),
    Refusal(
        "hosted_vllm/Qwen/Qwen3-8B",
        Error(400, {"error": {"message": "Grammar error: Unimplemented keys: anyOf", "code": 400}}),
        ("schema",),
        "tool_call",
    ),
    Refusal(
        "azure/gpt-4o",
        _openai_error(
            400,
            "response_format value as json_schema is enabled only for api versions 2024-08-01-preview",
            None,
        ),
        ("schema",),
        "tool_call",
    ),
]


@dataclass(frozen=True)
class Ending:
    """What a provider answers now and then, and how the verdict ends after at most two requests."""

    model: str
    what: str
    answer: Error
    cause: str | None
    requests: int


_BLOCKED = {
    "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
    "usageMetadata": {"promptTokenCount": 10, "totalTokenCount": 10},
    "modelVersion": "gemini-2.5-flash",
}
_THOUGHT_ONLY = {
    "candidates": [{"finishReason": "MAX_TOKENS", "index": 0, "content": {"role": "model"}}],
    "usageMetadata": {"promptTokenCount": 10, "totalTokenCount": 1034, "thoughtsTokenCount": 1024},
    "modelVersion": "gemini-2.5-flash",
}
_UNFIT = "Please adjust your prompt. See 'failed_generation' for more details."

ENDINGS = [
    Ending(
        "openrouter/openai/gpt-4o-mini",
        "an error with status 200",
        Error(200, {"error": {"code": 502, "message": "Provider returned error"}}),
        None,
        2,
    ),
    Ending(
        "anthropic/claude-sonnet-4-5",
        "overloaded",
        _anthropic_error(529, "overloaded_error", "Overloaded"),
        None,
        2,
    ),
    Ending(
        "anthropic/claude-sonnet-4-5",
        "no credit",
        _anthropic_error(400, "invalid_request_error", "Your credit balance is too low."),
        "quota",
        1,
    ),
    Ending("gemini/gemini-2.5-flash", "a blocked prompt", Error(200, _BLOCKED), "refused", 1),
    Ending("gemini/gemini-2.5-flash", "thoughts and no answer", Error(200, _THOUGHT_ONLY), None, 2),
    Ending(
        "gemini/gemini-2.5-flash",
        "overloaded",
        _google_error(503, "UNAVAILABLE", "The model is overloaded."),
        None,
        2,
    ),
    Ending(
        "deepseek/deepseek-chat",
        "no credit",
        _openai_error(402, "Insufficient Balance", "invalid_request_error", "unknown_error"),
        "quota",
        1,
    ),
    Ending(
        "azure/gpt-4o",
        "a filtered prompt",
        _openai_error(400, "The prompt triggered the content management policy.", "content_filter"),
        "refused",
        1,
    ),
    Ending(
        "azure/gpt-4o",
        "no such deployment",
        Error(404, {"error": {"code": "DeploymentNotFound", "message": "The deployment does not exist."}}),
        "bad request",
        1,
    ),
    Ending(
        "ollama/llama3.1",
        "no such model",
        Error(404, {"error": "model 'llama3.1' not found"}),
        "bad request",
        1,
    ),
    Ending(
        "groq/openai/gpt-oss-20b",
        "an answer kept back",
        _openai_error(400, f"Failed to generate JSON. {_UNFIT}", "json_validate_failed"),
        None,
        2,
    ),
    Ending(
        "groq/llama-3.3-70b-versatile",
        "a call kept back",
        _openai_error(400, f"Failed to call a function. {_UNFIT}", "tool_use_failed"),
        None,
        2,
    ),
    Ending(
        "hosted_vllm/Qwen/Qwen3-8B",
        "too long",
        Error(400, {"object": "error", "message": "This model's maximum context length is 4096 tokens."}),
        "bad request",
        1,
    ),
]
