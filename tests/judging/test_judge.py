"""What a judge sends and what it records."""

import asyncio
import math
import re
import subprocess
import sys

import pytest

from judgekit.errors import Abstained, InvalidArgument, JudgekitError
from judgekit.evaluation import Outcome
from judgekit.interaction import Interaction, ToolCall
from judgekit.judging import Binary, Judge, Levels, Verdict
from judgekit.providers.base import Limits, Price

GOOD = {"reason": "because", "score": 0.8}


def sent(model, number=0):
    system, user = model.requests[number].messages
    assert (system["role"], user["role"]) == ("system", "user")
    return system["content"], user["content"]


def section(user, name):
    found = re.search(rf"^<<<{name} ([0-9a-f]+)\n(.*?)\n{name} \1>>>$", user, re.S | re.M)
    return found and found[2]


def test_the_user_message_holds_criterion_request_reply_and_tool_calls(evaluate, scripted):
    # PR08
    model = scripted(GOOD)
    calls = (
        ToolCall("save_note", {"text": "hi"}, {"ok": True}),
        ToolCall("getOrder", '{"id": "o_42"}', error="timeout"),
        ToolCall("odd", "not json"),
    )
    evaluate(
        Judge(model).should_satisfy("Was a note saved?", reference="Saved."),
        Interaction(command_text="Save it", user_message="Please save it", reply="Done", tool_calls=calls),
    )
    system, user = sent(model)
    assert section(user, "criterion") == "Was a note saved?"
    assert section(user, "request") == "Please save it"
    assert section(user, "reply") == "Done"
    assert section(user, "reference") == "Saved."
    assert section(user, "tool calls").splitlines() == [
        '{"call": 1, "tool": "save_note", "arguments": {"text": "hi"}, "result": {"ok": true}}',
        '{"call": 2, "tool": "getOrder", "arguments": {"id": "o_42"}, "error": "timeout"}',
        '{"call": 3, "tool": "odd", "arguments": "not json"}',
    ]
    for text in ("note", "Done", "o_42", "Saved"):
        assert text not in system


def test_no_tool_call_section_where_none_was_made_and_a_word_where_none_was_recorded(evaluate, scripted):
    model = scripted(GOOD)
    criterion = Judge(model).should_satisfy("polite")
    evaluate(criterion, Interaction(reply="Done", tool_calls=()))
    evaluate(criterion, Interaction(reply="Done", tool_calls=None))
    assert "tool calls" not in sent(model, 0)[1]
    assert "one a line:\nnot recorded\n" in sent(model, 1)[1]
    assert "<<<reference" not in sent(model, 0)[1]


def test_the_whole_conversation_is_shown_where_there_is_more_than_one_user_turn(evaluate, scripted):
    model = scripted(GOOD)
    messages = (
        {"role": "system", "content": "You are an agent."},
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "getOrder"}}]},
        {"role": "tool", "content": "{}", "tool_call_id": "1"},
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "Hi\nthere"}, {"type": "tool_use", "name": "x"}],
        },
        {"role": "user", "content": [{"type": "tool_result", "content": "42"}]},
        {"role": "user", "content": [{"type": "text", "text": "And now?"}, {"type": "image_url"}]},
        {"role": "assistant", "content": "Done"},
    )
    interaction = Interaction(command_text="Hello", reply="Done", messages=messages)
    evaluate(Judge(model).should_satisfy("polite"), interaction)
    _, user = sent(model)
    assert section(user, "conversation").splitlines() == [
        '{"role": "user", "text": "Hello"}',
        '{"role": "assistant", "calls": ["getOrder"]}',
        '{"role": "assistant", "text": "Hi\\nthere", "calls": ["x"]}',
        '{"role": "user", "text": "And now?"}',
        '{"role": "assistant", "text": "Done"}',
    ]
    assert section(user, "request") is None


def test_one_user_turn_is_no_conversation(evaluate, scripted):
    model = scripted(GOOD)
    messages = ({"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Done"})
    evaluate(
        Judge(model).should_satisfy("p"), Interaction(command_text="Hello", reply="Done", messages=messages)
    )
    assert section(sent(model)[1], "request") == "Hello"
    assert section(sent(model)[1], "conversation") is None


def test_a_request_that_nobody_recorded_is_said_to_be_so(evaluate, scripted):
    model = scripted(GOOD)
    evaluate(Judge(model).should_satisfy("polite"), Interaction(reply="Done"))
    assert "What the agent was asked:\nnot recorded\n" in sent(model)[1]


@pytest.mark.parametrize(
    "text",
    ['Set {1, 2}, {user}, {"k": 1}', r"C:\new \1 \g<0>", "{{ reply }} {% raw %}", "Grüße 你好 مرحبا"],
    ids=["PR01", "PR06", "template", "script"],
)
def test_text_arrives_as_it_is_wherever_it_stands(evaluate, scripted, text):
    # PR01, PR02, PR06
    model = scripted(GOOD)
    interaction = Interaction(command_text=text, reply=text, tool_calls=(ToolCall("t", {"a": 1}, text),))
    evaluate(Judge(model).should_satisfy(f'Return {{"grade": "A"}} {text}', name="n"), interaction)
    _, user = sent(model)
    assert section(user, "criterion") == f'Return {{"grade": "A"}} {text}'
    assert section(user, "request") == section(user, "reply") == text


def test_a_long_reply_is_whole_or_the_result_says_that_it_was_cut(evaluate, scripted):
    # PR09
    model = scripted(GOOD)
    criterion = Judge(model).should_satisfy("polite", name="polite")
    whole = "\n".join(f"line {number}" for number in range(399)) + "\nMARK-END"
    assert "MARK-END" in sent_after(evaluate, criterion, whole, model)
    result = evaluate(criterion, Interaction(reply="x" * 100_001 + "MARK-END", tool_calls=()))
    assert result.detail == (
        "polite: scored 0.80, needed 0.50 — because (9 characters in the middle of the reply were left out)"
    )
    assert result.measurements[0].notes == ("9 characters in the middle of the reply were left out",)


def sent_after(evaluate, criterion, reply, model):
    evaluate(criterion, Interaction(reply=reply, tool_calls=()))
    return sent(model, -1)[1]


def test_a_custom_system_message_keeps_the_required_format(evaluate, scripted):
    model = scripted(GOOD)
    judge = Judge(model, system_message="Score {refusal} only.")
    result = evaluate(judge.should_satisfy("polite"))
    system, _ = sent(model)
    assert system.startswith("Score {refusal} only.\n\nAnswer with one JSON object")
    plain = evaluate(Judge(model).should_satisfy("polite"))
    assert result.measurements[0].prompt != plain.measurements[0].prompt
    assert result.measurements[0].fingerprint != plain.measurements[0].fingerprint


def test_a_scale_decides_the_form_of_the_answer(evaluate, scripted):
    model = scripted({"reason": "r", "answer": "yes"}, {"reason": "r", "level": "plain"})
    judge = Judge(model)
    assert evaluate(judge.should_satisfy("polite", scale=Binary())).score == 1
    tone = Levels({"cold": "stiff words", "plain": "neither", "warm": "friendly words"})
    result = evaluate(judge.should_score_at_least("tone", "warm", scale=tone, name="tone"))
    assert result.outcome is Outcome.FAIL
    assert result.detail == "tone: scored 0.50, needed 1.00 — r"
    assert (
        section(sent(model, 1)[1], "levels").splitlines()[0]
        == '{"level": "cold", "description": "stiff words"}'
    )
    assert [r.response_format["json_schema"]["name"] for r in model.requests] == [
        "binary_verdict",
        "levels_verdict",
    ]


def test_a_result_records_how_it_was_measured(evaluate, scripted):
    model = scripted(GOOD)
    (found,) = evaluate(Judge(model, temperature=0.3, max_tokens=99).should_satisfy("polite")).measurements
    assert found.model == found.model_served == model
    assert found.criterion == "polite"
    assert re.fullmatch(r"judge/score \d+ [0-9a-f]{12}", found.prompt)
    assert (found.schema, found.rung) == ("score", "json_schema")
    assert found.parameters == {"temperature": 0.3, "max_tokens": 99}
    assert (found.requests, found.asked, found.cached) == (1, True, False)
    assert found.input_tokens > 100
    assert found.output_tokens > 0
    assert re.fullmatch("[0-9a-f]{16}", found.fingerprint)


def test_a_fingerprint_changes_with_whatever_shapes_a_verdict(evaluate, scripted):
    model, other = scripted(GOOD), scripted(GOOD, name="other")

    def fingerprint(judge, *, text="polite", threshold=0.5, **more):
        criterion = judge.should_score_at_least(text, threshold, name="n", **more)
        return evaluate(criterion).measurements[0].fingerprint

    base = fingerprint(Judge(model))
    assert fingerprint(Judge(model, attempts=2, timeout=5, deadline=9)) == base
    changed = {
        fingerprint(Judge(other)),
        fingerprint(Judge(model, temperature=1)),
        fingerprint(Judge(model, params={"seed": 1})),
        fingerprint(Judge(model), text="rude"),
        fingerprint(Judge(model), threshold=0.6),
        fingerprint(Judge(model), reference="like this"),
        fingerprint(Judge(model, system_message="Be strict.")),
        base,
    }
    assert len(changed) == 8


def test_what_a_bad_answer_cost_is_counted(evaluate, scripted):
    # BG05
    from judgekit.testing import Answer

    model = scripted(
        Answer(text="oops", usage=(30, 20)), Answer(text='{"reason": "r", "score": 1}', usage=(40, 20))
    )
    (found,) = evaluate(Judge(model).should_satisfy("polite")).measurements
    assert (found.requests, found.input_tokens, found.output_tokens) == (2, 70, 40)


def test_a_bad_answer_is_asked_again_with_the_exact_complaint(evaluate, scripted):
    model = scripted({"reason": "good", "score": 8}, GOOD)
    assert evaluate(Judge(model).should_satisfy("polite")).score == 0.8
    again = model.requests[1].messages
    assert [message["role"] for message in again] == ["system", "user", "assistant", "user"]
    assert '"score" is 8, outside 0..1' in again[-1]["content"]


def test_decide_gives_a_verdict_or_raises(interaction, scripted):
    judge = Judge(scripted(GOOD, {"reason": "no", "score": "abstain"}, "no idea"), attempts=1)
    assert asyncio.run(judge.decide("polite", interaction)) == Verdict(0.8, "because")
    with pytest.raises(Abstained, match="no"):
        asyncio.run(judge.decide(judge.should_satisfy("polite"), interaction))
    with pytest.raises(JudgekitError, match="no JSON object"):
        asyncio.run(judge.decide("polite", interaction))
    with pytest.raises(Abstained, match="there is no reply to judge"):
        asyncio.run(judge.decide("polite", Interaction(reply=" ")))


def test_another_model_is_another_judge(scripted):
    judge = Judge("openai/a", temperature=0.5, params={"seed": 1})
    other = judge.with_model("anthropic/b")
    assert (other.model, other.temperature, other.params) == ("anthropic/b", 0.5, {"seed": 1})
    assert judge.model == "openai/a"
    assert Judge("openai/a", price=Price(1, 2)).with_model("openai/b").price is None
    assert other == Judge("anthropic/b", temperature=0.5, params={"seed": 1})
    assert hash(judge) != hash(other)


def test_no_provider_is_sent_the_key_the_address_or_the_headers_of_another():
    params = {"seed": 1, "extra_headers": {"x-team": "secret"}}
    judge = Judge("openai/a", api_key="sk-first", api_base="http://127.0.0.1:1/v1", params=params)
    same, other = judge.with_model("openai/b"), judge.with_model("anthropic/b")
    assert (same.api_key, same.api_base, same.params) == (judge.api_key, judge.api_base, params)
    assert (other.api_key, other.api_base, other.params) == (None, None, {"seed": 1})


def test_a_judge_cannot_be_changed():
    judge = Judge("openai/a")
    with pytest.raises(AttributeError):
        judge.model = "x"


def test_a_key_is_not_shown():
    judge = Judge("openai/a", api_key="sk-qa-SECRET-123", params={"extra_headers": {"x": "sk-qa-SECRET-124"}})
    assert "SECRET" not in repr(judge)
    assert "SECRET" not in repr(judge.should_satisfy("polite"))


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"model": ""}, "`model`"),
        ({"model": None}, "`model`"),
        ({"system_message": " "}, "`system_message`"),
        ({"prompt": ""}, "`prompt`"),
        ({"prompts": "/no/such/folder"}, "`prompts` must be a folder"),
        ({"temperature": -1}, "`temperature`"),
        ({"temperature": True}, "`temperature`"),
        ({"temperature": math.nan}, "`temperature`"),
        ({"samples": 0}, "`samples`"),
        ({"samples": 1.5}, "`samples`"),
        ({"timeout": 0}, "`timeout`"),
        ({"timeout": "60"}, "`timeout`"),
        ({"attempts": 0}, "`attempts`"),
        ({"deadline": math.inf}, "`deadline`"),
        ({"api_base": ""}, "`api_base`"),
        ({"api_key": 5}, "`api_key` must be text that is not blank or None, got int"),
        ({"max_tokens": 0}, "`max_tokens`"),
        ({"cache": "on"}, "`cache` must be one of 'off', 'read-write', 'replay'"),
        ({"score_from": "prose"}, "`score_from`"),
        ({"rung": "yaml"}, "`rung` must be one of"),
        ({"params": ["seed"]}, "`params`"),
        ({"params": {"temperature": 1}}, "set by `temperature=`"),
        ({"params": {"response_format": {}}}, "set by the verdict schema"),
        ({"params": {"num_retries": 3}}, "set by `attempts=`"),
        ({"price": 3}, "`price` must be Price"),
        ({"limits": 3}, "`limits` must be Limits"),
    ],
)
def test_a_setting_that_cannot_work_is_refused_when_built(settings, complaint):
    with pytest.raises(InvalidArgument, match=re.escape(complaint)):
        Judge(**{"model": "openai/x", **settings})


def test_settings_at_their_ends_are_allowed():
    judge = Judge(
        "openai/x",
        temperature=None,
        max_tokens=None,
        samples=9,
        attempts=1,
        timeout=0.1,
        price=Price(1, 2),
        limits=Limits(max_in_flight=1),
    )
    assert judge.temperature is None


def test_the_cache_mode_comes_from_the_environment_where_it_is_not_given(monkeypatch):
    monkeypatch.delenv("JUDGEKIT_CACHE", raising=False)
    assert Judge("openai/x").cache == "off"
    monkeypatch.setenv("JUDGEKIT_CACHE", "replay")
    assert Judge("openai/x").cache == "replay"
    assert Judge("openai/x", cache="off").cache == "off"
    monkeypatch.setenv("JUDGEKIT_CACHE", "sometimes")
    with pytest.raises(InvalidArgument, match="`cache`"):
        Judge("openai/x")


def test_a_prompt_of_ones_own_is_used_and_recorded(tmp_path, evaluate, scripted):
    file = tmp_path / "strict.md"
    file.write_text(
        "---\nversion: 7\nschema: score\nvariables: [criterion, reply]\n---\n# System\n\nBe strict.\n\n"
        "# User\n\n{{ criterion }}\n{{ reply }}\n",
        encoding="utf-8",
    )
    model = scripted(GOOD)
    result = evaluate(Judge(model, prompt=str(file)).should_satisfy("polite"))
    assert sent(model)[0].startswith("Be strict.\n\nAnswer with one JSON object")
    assert section(sent(model)[1], "reply")
    assert result.measurements[0].prompt.startswith("strict 7 ")


def test_a_prompt_for_another_schema_is_refused_when_the_criterion_is_built():
    judge = Judge("openai/x", prompt="judge/score")
    judge.should_satisfy("polite")
    with pytest.raises(
        InvalidArgument, match="asks for the schema 'score', and the criterion needs 'binary'"
    ):
        judge.should_satisfy("polite", scale=Binary())
    with pytest.raises(InvalidArgument, match="there is no prompt 'judge/nothing'"):
        Judge("openai/x", prompt="judge/nothing").should_satisfy("polite")


def test_a_scripted_judge_needs_no_client_library():
    # R14
    code = """
import asyncio, sys
from judgekit import EvalCase, Interaction, Judge
from judgekit.testing import ScriptedModel, verdict
model = ScriptedModel(verdict(0.9))
criterion = Judge(model).should_satisfy("polite")
result = asyncio.run(criterion.evaluate(EvalCase("a", "b"), Interaction(reply="hello")))
assert result.score == 0.9, result
assert not {"litellm", "openai", "numpy", "scipy"} & set(sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
