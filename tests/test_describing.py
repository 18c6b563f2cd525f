"""One attempt as a block of text."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from judgekit.describing import describe_attempt
from judgekit.evaluation import EvalResult, Kind, Outcome
from judgekit.interaction import GuardrailResult, Interaction, ModelCall, ToolCall
from judgekit.results import CaseResult, attempt_outcome

PASSED_TOOLS = EvalResult(Outcome.PASS, label="tools")


def block(interaction, *results, case_id="bad", run=1):
    return describe_attempt(case_id, run, attempt_outcome(results), interaction, results).split("\n")


def line(interaction, start):
    found = [text for text in block(interaction, PASSED_TOOLS) if text.startswith(f"  {start}: ")]
    assert len(found) <= 1
    return found[0].removeprefix(f"  {start}: ") if found else None


def test_a_failed_attempt_is_a_block_with_everything_that_happened():
    interaction = Interaction(
        reply="one line of at most\n200 characters",
        model_text="one line",
        tool_calls=(
            ToolCall("getOrder", {"orderId": "o_42"}),
            ToolCall("issueRefund", {"amountCents": 4999}, error="timeout"),
        ),
        model_calls=(
            ModelCall(input_tokens=100, output_tokens=300),
            ModelCall(input_tokens=23, output_tokens=21),
        ),
        guardrails=(
            GuardrailResult("pii"),
            GuardrailResult("jailbreak", passed=False, explanation="explanation"),
        ),
        latency=0.006,
    )
    results = (
        EvalResult(Outcome.FAIL, "getOrder(orderId) expected o_43, was [o_42]", label="tool-arguments"),
        EvalResult(Outcome.PASS, "polite: scored 0.90, needed 0.50 — it thanks the customer", label="judge"),
    )
    attempt = CaseResult("bad", 1, interaction, results)
    assert attempt.describe() == (
        "case bad run 1 FAILED\n"
        "  reply: one line of at most 200 characters\n"
        "  model text: one line\n"
        "  tools: getOrder{orderId=o_42} → issueRefund{amountCents=4999} (failed: timeout)\n"
        "  model: 2 calls, 123 tokens in, 321 out, 6 ms\n"
        "  guardrails: pii passed, jailbreak blocked: explanation\n"
        "  FAIL tool-arguments: getOrder(orderId) expected o_43, was [o_42]\n"
        "  PASS judge: polite: scored 0.90, needed 0.50 — it thanks the customer"
    )


def test_an_attempt_of_which_little_is_known_says_so():
    assert block(Interaction(reply="Hello")) == [
        "case bad run 1 PASSED",
        "  reply: Hello",
        "  tools: not recorded",
        "  results: none declared",
    ]


def test_an_inconclusive_result_shows_its_reason_and_a_bare_pass_only_its_label():
    missing = EvalResult(Outcome.INCONCLUSIVE, "rate limited", Kind.JUDGE_FAILED, label="judge")
    assert block(Interaction(reply="Hi", tool_calls=()), PASSED_TOOLS, missing, run=3) == [
        "case bad run 3 INCONCLUSIVE",
        "  reply: Hi",
        "  tools: none called",
        "  PASS tools",
        "  INCONCLUSIVE judge: rate limited",
    ]


def test_evaluators_that_were_not_reached_are_not_listed():
    results = (
        EvalResult(Outcome.FAIL, "ValueError: boom", label="target"),
        EvalResult(Outcome.INCONCLUSIVE, kind=Kind.NOT_RUN, label="tools"),
    )
    assert block(Interaction(error="boom"), *results) == [
        "case bad run 1 FAILED",
        "  reply: (none)",
        "  tools: not recorded",
        "  FAIL target: ValueError: boom",
    ]


def test_no_reply_and_an_empty_reply_are_two_things():
    assert line(Interaction(), "reply") == "(none)"
    assert line(Interaction(reply=" \n"), "reply") == "(empty)"


def test_the_models_text_is_shown_only_where_it_is_not_the_reply():
    assert line(Interaction(reply="a", model_text="a"), "model text") is None
    assert line(Interaction(reply="a", model_text='{"text": "a"}'), "model text") == '{"text": "a"}'


def test_arguments_are_shown_as_text_or_json():
    call = ToolCall("f", {"text": "two words", "list": [1, "é"], "none": None, "yes": True})
    shown = 'f{text=two words, list=[1, "é"], none=null, yes=true}'
    assert line(Interaction(tool_calls=(call,)), "tools") == shown
    assert line(Interaction(tool_calls=(ToolCall("f"),)), "tools") == "f{}"


def test_arguments_that_are_no_json_object_are_shown_as_they_came():
    call = ToolCall("f", '{"id": "o_4')
    assert line(Interaction(tool_calls=(call,)), "tools") == 'f{no JSON object: {"id": "o_4}'


def test_a_runaway_agent_does_not_fill_the_report():
    calls = tuple(ToolCall("look", {"n": number}) for number in range(1000))
    shown = line(Interaction(tool_calls=calls), "tools")
    assert shown.endswith("look{n=49} → … 950 more calls")
    calls = (ToolCall("look", {"text": "x" * 10_000}),)
    assert len(line(Interaction(tool_calls=calls), "tools")) == 200


def test_tokens_that_a_model_did_not_report_are_never_0():
    partly = (ModelCall(input_tokens=5, output_tokens=7), ModelCall(output_tokens=1))
    assert line(Interaction(model_calls=partly), "model") == "2 calls, at least 5 tokens in, 8 out"
    assert line(Interaction(model_calls=(ModelCall(),)), "model") == "1 call, tokens not reported"
    assert line(Interaction(input_tokens=1, output_tokens=2), "model") == "1 token in, 2 out"


def test_no_model_line_without_model_calls():
    assert line(Interaction(model_calls=(), latency=1.0), "model") is None
    assert line(Interaction(latency=1.0), "model") is None


def test_a_latency_from_a_cache_is_marked():
    interaction = Interaction(model_calls=(ModelCall(),), latency=0.0012, replayed=True)
    assert line(interaction, "model") == "1 call, tokens not reported, 1.2 ms (replayed)"


def test_a_guardrail_that_blocked_without_saying_why():
    interaction = Interaction(guardrails=(GuardrailResult("pii", passed=False),))
    assert line(interaction, "guardrails") == "pii blocked"


def test_a_long_reply_is_cut_at_200_characters():
    shown = line(Interaction(reply="word " * 1000), "reply")
    assert len(shown) == 200
    assert shown.endswith("…")
    assert line(Interaction(reply="x" * 200), "reply") == "x" * 200


def test_square_brackets_stay_and_escape_sequences_are_written_out():
    """RP05, RP06."""
    interaction = Interaction(reply="see [/tmp/x] and [bold]\x1b]0;owned\x07\x1b[2J")
    assert line(interaction, "reply") == "see [/tmp/x] and [bold]\\x1b]0;owned\\x07\\x1b[2J"


def test_case_ids_appear_as_typed():
    """IN07."""
    for case_id in ("../../evil", "a:b", "CON", "x/y"):
        assert block(Interaction(), case_id=case_id)[0] == f"case {case_id} run 1 PASSED"


TEXT = st.text(max_size=30)
CALLS = st.builds(
    ToolCall,
    TEXT.filter(str.strip),
    st.dictionaries(TEXT, TEXT | st.integers() | st.none() | st.lists(TEXT), max_size=3) | TEXT,
    error=st.none() | TEXT,
)
EVIDENCE = st.builds(
    Interaction,
    reply=st.none() | TEXT,
    model_text=st.none() | TEXT,
    tool_calls=st.none() | st.lists(CALLS, max_size=3).map(tuple),
    guardrails=st.lists(
        st.builds(GuardrailResult, TEXT, passed=st.booleans(), explanation=st.none() | TEXT), max_size=2
    ).map(tuple),
)


@given(EVIDENCE, TEXT, TEXT, TEXT)
def test_nothing_that_was_tested_moves_a_terminal_or_adds_a_line(interaction, case_id, label, detail):
    results = [EvalResult(Outcome.FAIL, detail, label=label)]
    lines = block(interaction, *results, case_id=case_id)
    expected = 4 + bool(interaction.guardrails)
    expected += interaction.model_text is not None and interaction.model_text != interaction.reply
    assert len(lines) == expected
    for text in lines:
        assert not {unicodedata.category(char) for char in text} & {"Cc", "Cs", "Zl", "Zp"}
        assert not set(text) & set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u200b\ufeff")
