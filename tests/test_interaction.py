"""The evidence of one turn."""

import pickle

import pytest

from judgekit.errors import InvalidArgument
from judgekit.interaction import GuardrailResult, Interaction, ModelCall, ToolCall


@pytest.mark.parametrize("arguments", [None, "", "  \n", {}, "{}"])
def test_no_arguments_are_an_empty_object_however_they_arrive(arguments):
    # TC02
    assert ToolCall("t", arguments).arguments == {}


@pytest.mark.parametrize("arguments", ['{"city": "Oslo"}', {"city": "Oslo"}])
def test_arguments_arrive_as_json_text_or_as_a_mapping(arguments):
    # TC01
    assert ToolCall("t", arguments).arguments == {"city": "Oslo"}


@pytest.mark.parametrize(
    "arguments", ["{broken", "[1]", "3", "null", "city=Oslo", '{"a": NaN}', "[" * 100_000, "9" * 5_000]
)
def test_text_that_is_no_json_object_is_kept_as_it_is(arguments):
    assert ToolCall("t", arguments).arguments == arguments


@pytest.mark.parametrize("arguments", [[1], 3, b"{}", {1}])
def test_other_arguments_are_refused(arguments):
    with pytest.raises(InvalidArgument, match="`arguments` must be a mapping, JSON text or None"):
        ToolCall("t", arguments)


@pytest.mark.parametrize("name", ["", " ", None, 3])
def test_a_call_without_a_name_is_refused(name):
    with pytest.raises(InvalidArgument, match="must be a tool's name"):
        ToolCall(name)


def test_nothing_recorded_and_nothing_done_are_two_things():
    # TC16
    assert Interaction().tool_calls is None
    assert Interaction().model_calls is None
    assert Interaction(tool_calls=[]).tool_calls == ()
    assert Interaction(tool_calls=()).tools_called() == ()


def test_no_reply_and_an_empty_reply_are_two_things():
    assert Interaction().reply is None
    assert Interaction(reply="").reply == ""


def test_a_judge_is_told_what_was_really_sent_else_the_command():
    assert Interaction(command_text="go", user_message="please go").asked() == "please go"
    assert Interaction(command_text="go").asked() == "go"


def test_tools_called_are_the_distinct_names_in_first_call_order():
    calls = [ToolCall("b"), ToolCall("a", {"x": 1}), ToolCall("b", {"x": 2})]
    interaction = Interaction(tool_calls=calls)
    assert interaction.tools_called() == ("b", "a")
    assert interaction.calls_to("b") == (calls[0], calls[2])
    assert Interaction().tools_called() == ()


def test_tokens_and_cost_are_summed_from_the_model_calls():
    calls = [
        ModelCall(input_tokens=1, output_tokens=2, cost=0.25),
        ModelCall(input_tokens=3, output_tokens=4, cost=0.5),
    ]
    interaction = Interaction(model_calls=calls)
    assert (interaction.input_tokens, interaction.output_tokens, interaction.total_tokens) == (4, 6, 10)
    assert interaction.cost == 0.75
    assert interaction.known_tokens() == (4, 6)


def test_a_sum_with_an_unknown_part_is_unknown_and_its_known_part_is_told():
    # BG01, BG03
    calls = [ModelCall(input_tokens=1, output_tokens=2), ModelCall(input_tokens=3, cost=0.5)]
    interaction = Interaction(model_calls=calls)
    assert (interaction.input_tokens, interaction.output_tokens) == (4, None)
    assert (interaction.total_tokens, interaction.cost) == (None, None)
    assert interaction.known_tokens() == (4, 2)


def test_what_the_agent_says_itself_wins_over_the_sum():
    interaction = Interaction(input_tokens=9, model_calls=[ModelCall(input_tokens=1, output_tokens=1)])
    assert (interaction.input_tokens, interaction.output_tokens) == (9, 1)


def test_nothing_reported_is_unknown_and_never_zero():
    # BG01
    interaction = Interaction(model_calls=[ModelCall()])
    assert (interaction.input_tokens, interaction.total_tokens, interaction.cost) == (None, None, None)
    assert interaction.known_tokens() == (0, 0)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Interaction(reply=3), "`reply` must be text or None, got int"),
        (lambda: Interaction(tool_calls="a"), "`tool_calls` must be a list of ToolCall"),
        (lambda: Interaction(tool_calls=3), "`tool_calls` must be a list of ToolCall"),
        (lambda: Interaction(tool_calls=["a"]), "`tool_calls` must hold ToolCall objects, got str"),
        (lambda: Interaction(model_calls=[{}]), "`model_calls` must hold ModelCall objects, got dict"),
        (lambda: Interaction(guardrails=["pii"]), "`guardrails` must hold GuardrailResult objects"),
        (lambda: Interaction(latency=-1), "`latency` must be a finite number >= 0 or None"),
        (lambda: Interaction(latency=float("nan")), "`latency` must be a finite number >= 0 or None"),
        (lambda: Interaction(cost=True), "`cost` must be a finite number >= 0 or None"),
        (lambda: Interaction(input_tokens=1.5), "`input_tokens` must be a whole number >= 0 or None"),
        (lambda: ModelCall(output_tokens=True), "`output_tokens` must be a whole number >= 0 or None"),
        (lambda: ModelCall(cost=float("inf")), "`cost` must be a finite number >= 0 or None"),
        (lambda: Interaction(latency=10**400), "`latency` must be a finite number >= 0 or None"),
        (lambda: ModelCall(input_tokens=10**400), "`input_tokens` must be a whole number >= 0 or None"),
        (
            lambda: Interaction(error=ValueError("x")),
            "`error` must be text or None, got ValueError; write str(",
        ),
        (lambda: Interaction(model_text={"a": 1}), "`model_text` must be text or None, got dict"),
        (lambda: Interaction(command_text=None), "`command_text` must be text, got NoneType"),
        (lambda: Interaction(user_message={"a": 1}), "`user_message` must be text, got dict"),
        (lambda: Interaction(blocked="yes"), "`blocked` must be True or False, got 'yes'"),
        (lambda: Interaction(replayed=None), "`replayed` must be True or False, got None"),
        (lambda: Interaction(messages="abc"), "`messages` must be a list of chat messages, got 'abc'"),
        (lambda: Interaction(messages=None), "`messages` must be a list of chat messages, got None"),
        (lambda: Interaction(guardrails=None), "`guardrails` must be a list of GuardrailResult objects"),
        (lambda: Interaction(messages=["abc"]), "`messages` must hold chat messages, got str"),
        (lambda: ToolCall("a", error=ValueError("x")), "`error` must be text or None, got ValueError"),
        (lambda: ToolCall("a", id=7), "`id` must be text or None, got int"),
        (lambda: ModelCall(model=5), "`model` must be text or None, got int"),
        (lambda: ModelCall(finish_reasons="stop"), "`finish_reasons` must be a list of texts, got 'stop'"),
        (lambda: ModelCall(finish_reasons=[None]), "`finish_reasons` must hold texts, got NoneType"),
        (lambda: ModelCall(messages=[1]), "`messages` must hold chat messages, got int"),
        (lambda: GuardrailResult(5), "`name` must be text, got 5"),
        (lambda: GuardrailResult("pii", passed=None), "`passed` must be True or False, got None"),
        (
            lambda: GuardrailResult("pii", explanation=object()),
            "`explanation` must be text or None, got object",
        ),
    ],
)
def test_evidence_that_cannot_be_is_refused_with_the_parameter_named(build, message):
    with pytest.raises(InvalidArgument, match=message.replace("(", r"\(")):
        build()


def test_evidence_is_frozen_keyword_only_and_plain_data():
    interaction = Interaction(
        reply="hi",
        tool_calls=[ToolCall("a", {"x": 1}, result={"y": 2}, id="1")],
        model_calls=[ModelCall(model="m", finish_reasons=["stop"], messages=[{"role": "user"}])],
        guardrails=[GuardrailResult("pii", "output", False, "a card")],
        messages=[{"role": "user", "content": "hi"}],
    )
    with pytest.raises(AttributeError):
        interaction.reply = "other"
    with pytest.raises(TypeError):
        Interaction("go")
    assert pickle.loads(pickle.dumps(interaction)) == interaction
    assert interaction.model_calls[0].finish_reasons == ("stop",)
    assert isinstance(interaction.messages, tuple)
