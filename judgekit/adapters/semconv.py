"""The span attributes that are read, by their names in each of the three conventions.

Sources, read and run on 2026-11-30:

- Semantic conventions: `open-telemetry/semantic-conventions-genai` (development status; all `gen_ai.*` left
  `open-telemetry/semantic-conventions` with v1.42.0 on 2026-05-05) as `opentelemetry-util-genai` 1.3b0 and
  `pydantic-ai-slim` 2.68.0 write them. Their schema URL says 1.37.0, so nothing here depends on it.
- OpenInference: `openinference-semantic-conventions` 0.1.42.
- OpenLLMetry: `opentelemetry-semantic-conventions-ai` 0.5.1; since March 2026 its instrumentors write the
  semantic conventions' messages.

Where several names stand together the first is the one in force, the others are older.
"""

from __future__ import annotations

__all__ = [
    "AGENT_ANSWER",
    "AGENT_OPERATIONS",
    "COST",
    "ERROR_TYPE",
    "EXCEPTION_MESSAGE",
    "EXCEPTION_TYPE",
    "FINISH_REASONS",
    "INPUT_MESSAGES",
    "INPUT_TOKENS",
    "MCP_METHOD",
    "MCP_TOOL_CALL",
    "MODEL_OPERATIONS",
    "OPERATION",
    "OUTPUT_MESSAGES",
    "OUTPUT_TOOLS",
    "OUTPUT_TOKENS",
    "OpenInference",
    "OpenLLMetry",
    "PROVIDER",
    "REQUEST_MODEL",
    "REQUEST_PARAMETERS",
    "RESPONSE_ID",
    "RESPONSE_MODEL",
    "SYSTEM_INSTRUCTIONS",
    "TOOL_ARGUMENTS",
    "TOOL_CALL_ID",
    "TOOL_DEFINITIONS",
    "TOOL_NAME",
    "TOOL_OPERATION",
    "TOOL_RESULT",
]

OPERATION = "gen_ai.operation.name"
MODEL_OPERATIONS = frozenset({"chat", "generate_content", "text_completion"})
TOOL_OPERATION = "execute_tool"
AGENT_OPERATIONS = frozenset({"invoke_agent", "invoke_workflow"})

PROVIDER = ("gen_ai.provider.name", "gen_ai.system")
REQUEST_MODEL = "gen_ai.request.model"
RESPONSE_MODEL = "gen_ai.response.model"
RESPONSE_ID = "gen_ai.response.id"
FINISH_REASONS = "gen_ai.response.finish_reasons"
SYSTEM_INSTRUCTIONS = "gen_ai.system_instructions"
INPUT_MESSAGES = "gen_ai.input.messages"
OUTPUT_MESSAGES = "gen_ai.output.messages"
TOOL_DEFINITIONS = "gen_ai.tool.definitions"
INPUT_TOKENS = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens")
OUTPUT_TOKENS = ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens")
COST = ("operation.cost", "llm.cost.total")

TOOL_NAME = "gen_ai.tool.name"
TOOL_CALL_ID = "gen_ai.tool.call.id"
# The second names are pydantic-ai's before its version 3 of spans.
TOOL_ARGUMENTS = ("gen_ai.tool.call.arguments", "tool_arguments")
TOOL_RESULT = ("gen_ai.tool.call.result", "tool_response")

# On spans of the Model Context Protocol (`docs/gen-ai/mcp.md` there), which lie inside a framework's.
MCP_METHOD = "mcp.method.name"
MCP_TOOL_CALL = "tools/call"

# Where pydantic-ai names the tools that carry a structured answer; the model asks for them, nobody runs them.
REQUEST_PARAMETERS = "model_request_parameters"
OUTPUT_TOOLS = "output_tools"

# What pydantic-ai puts on its agent spans, which carry no output messages.
AGENT_ANSWER = "final_result"

ERROR_TYPE = "error.type"
EXCEPTION_TYPE = "exception.type"
EXCEPTION_MESSAGE = "exception.message"


class OpenInference:
    """OpenInference's names."""

    KIND = "openinference.span.kind"
    MODEL, TOOL, AGENT = "LLM", "TOOL", "AGENT"
    INPUT, OUTPUT = "input.value", "output.value"
    INPUT_TYPE, OUTPUT_TYPE = "input.mime_type", "output.mime_type"
    INPUT_MESSAGES, OUTPUT_MESSAGES = "llm.input_messages", "llm.output_messages"
    MODEL_NAME = "llm.model_name"
    PROVIDER = ("llm.provider", "llm.system")
    FINISH_REASON = "llm.finish_reason"
    INPUT_TOKENS, OUTPUT_TOKENS = ("llm.token_count.prompt",), ("llm.token_count.completion",)
    TOOLS = "llm.tools"
    TOOL_NAME, TOOL_ID, TOOL_PARAMETERS = "tool.name", "tool.id", "tool.parameters"
    # Stands in the place of what the user chose not to record.
    REDACTED = "__REDACTED__"


class OpenLLMetry:
    """OpenLLMetry's names, where they differ from the semantic conventions."""

    KIND = "traceloop.span.kind"
    TOOL, AGENT, WORKFLOW = "tool", "agent", "workflow"
    NAME, INPUT, OUTPUT = "traceloop.entity.name", "traceloop.entity.input", "traceloop.entity.output"
    PROMPT, COMPLETION = "gen_ai.prompt", "gen_ai.completion"
    REQUEST_TYPE = "llm.request.type"
    GENERATIVE_TYPES = frozenset({"chat", "completion"})
    TOOLS = "llm.request.functions"
