"""Whatever producers write into attributes, reading them ends in an Interaction."""

import json

from hypothesis import given
from hypothesis import strategies as st

from judgekit.adapters import semconv
from judgekit.adapters.semconv import OpenInference, OpenLLMetry
from judgekit.interaction import Interaction
from judgekit.records import interaction_from_json, interaction_to_json

NAMES = [
    semconv.OPERATION,
    *semconv.PROVIDER,
    *semconv.INPUT_TOKENS,
    *semconv.OUTPUT_TOKENS,
    *semconv.COST,
    *semconv.TOOL_ARGUMENTS,
    *semconv.TOOL_RESULT,
    semconv.REQUEST_MODEL,
    semconv.RESPONSE_ID,
    semconv.FINISH_REASONS,
    semconv.SYSTEM_INSTRUCTIONS,
    semconv.INPUT_MESSAGES,
    semconv.OUTPUT_MESSAGES,
    semconv.TOOL_DEFINITIONS,
    semconv.TOOL_NAME,
    semconv.TOOL_CALL_ID,
    semconv.AGENT_ANSWER,
    semconv.REQUEST_PARAMETERS,
    semconv.ERROR_TYPE,
    OpenInference.KIND,
    OpenInference.INPUT,
    OpenInference.OUTPUT,
    OpenInference.TOOL_NAME,
    OpenInference.TOOL_PARAMETERS,
    OpenInference.FINISH_REASON,
    OpenInference.INPUT_MESSAGES + ".0.message.role",
    OpenInference.OUTPUT_MESSAGES + ".0.message.content",
    OpenInference.OUTPUT_MESSAGES + ".0.message",
    OpenInference.OUTPUT_MESSAGES + ".0.message.tool_calls.0.tool_call.function.name",
    OpenInference.OUTPUT_MESSAGES + ".x",
    OpenLLMetry.KIND,
    OpenLLMetry.INPUT,
    OpenLLMetry.OUTPUT,
    OpenLLMetry.NAME,
    OpenLLMetry.REQUEST_TYPE,
    OpenLLMetry.PROMPT + ".0.content",
    OpenLLMetry.COMPLETION + ".0.tool_calls.0.name",
    OpenLLMetry.COMPLETION + ".0.tool_calls",
    OpenLLMetry.COMPLETION + ".99999999999.role",
]
WORDS = ["chat", "execute_tool", "invoke_agent", "LLM", "TOOL", "AGENT", "tool", "workflow", "agent", "role"]
WORDS += ["user", "assistant", "parts", "type", "text", "content", "tool_call", "tool_call_response", "name"]
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-5, 10**20)
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(WORDS)
)
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=5),
    max_leaves=12,
)
VALUES = DATA | DATA.map(json.dumps) | st.sampled_from(WORDS)
SPANS = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["chat m", "execute_tool x", "running tool", " "]),
        "context": st.fixed_dictionaries({"span_id": st.sampled_from(["a", "b", "c", ""])}),
        "parent_id": st.sampled_from([None, "a", "b", "c"]),
        "start_time": st.sampled_from([0, 1, 5, "2026-01-01T00:00:00Z", "nonsense", None]),
        "end_time": st.sampled_from([0, 3, None]),
        "attributes": st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=6),
    }
)


@given(st.lists(SPANS, max_size=5))
def test_no_attribute_can_break_the_reading(spans):
    interaction = Interaction.from_spans(spans)
    assert interaction.reply is None or isinstance(interaction.reply, str)
    written = json.loads(json.dumps(interaction_to_json(interaction), default=str))
    assert isinstance(interaction_from_json(written), Interaction)
