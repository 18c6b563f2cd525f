"""What a plan would call, before it does: turns and simulated users included."""

import pytest

from judgekit import EvalCase, ExperimentRunner, Interaction, Judge, SimulatedUser, Turn
from judgekit.conversation import Said
from judgekit.evaluators import reply_should_contain
from judgekit.providers import Price
from judgekit.providers.spend import estimated_tokens
from judgekit.testing import ScriptedModel, otherwise, verdict

JUDGE = Judge("openai/mine", price=Price(1, 2))
IDA = SimulatedUser("openai/ida", "Ida", "a refund", max_turns=4, price=Price(10, 20), max_tokens=100)


def plan(*cases):
    return ExperimentRunner("talks").cases(cases).without_report_file()


def echo(command, session):
    return command


def outline_of(*cases):
    return plan(*cases).agent(echo).repeat(3).outline(priced=True)


def test_every_turn_of_a_conversation_is_a_call_of_the_agent():
    talk = EvalCase.conversation("talk", ["hello", "and then?", Turn("bye", reply_should_contain("bye"))])
    outline = outline_of(talk, EvalCase("single", "hello"))
    assert (outline.attempts, outline.agent_calls, outline.open_ended) == (6, 3 * 3 + 3, False)
    assert not outline.user_questions


def test_a_simulated_user_is_asked_before_each_message_it_may_say():
    outline = outline_of(EvalCase.conversation("talk", ["hello", IDA]))
    assert outline.agent_calls == 3 * (1 + 4)
    assert outline.open_ended
    assert dict(outline.user_questions) == {"openai/ida": 3 * 4}


def test_what_simulated_users_may_cost_grows_with_what_was_said():
    def tokens(said):
        return estimated_tokens(
            IDA.request([Interaction(command_text="x" * 200, reply="x" * 900)] * said).messages
        )

    outline = outline_of(EvalCase.conversation("talk", [IDA]))
    read = 3 * sum(tokens(said) for said in range(4)) * 10e-6
    assert outline.users_most_cost == pytest.approx(read + 12 * 100 * 20e-6)
    assert outline.users_usual_cost == pytest.approx(read + 12 * 60 * 20e-6)
    assert tokens(3) > tokens(1) > tokens(0)
    assert outline.usual_cost == outline.most_cost == 0
    assert outline.unpriced == ()


def test_a_judge_of_a_late_turn_reads_what_was_said_before():
    polite = JUDGE.should_satisfy("It is polite", name="polite")
    early = outline_of(EvalCase.conversation("talk", [Turn("hello", polite), "more", "bye"]))
    late = outline_of(EvalCase.conversation("talk", ["hello", "more", Turn("bye", polite)]))
    whole = outline_of(EvalCase.conversation("talk", ["hello", "more", "bye"], polite))
    assert [dict(each.questions) for each in (early, late, whole)] == [{"openai/mine": 3}] * 3
    assert early.usual_cost < late.usual_cost <= whole.usual_cost


def test_a_recorded_conversation_calls_neither_agent_nor_user():
    told = Interaction(turns=[Interaction(command_text="hi", reply="hello")])
    polite = JUDGE.should_satisfy("It is polite", name="polite")
    talk = EvalCase.conversation("talk", [Turn("hi", polite), Turn("bye", polite), IDA], interactions=[told])
    outline = plan(talk).outline()
    assert (outline.agent_calls, outline.open_ended, dict(outline.user_questions)) == (0, False, {})
    # The second turn was not recorded, and nobody is asked about it.
    assert dict(outline.questions) == {"openai/mine": 1}


def test_an_outline_counts_what_a_run_then_asks():
    scripted = ScriptedModel(otherwise({"message": "again", "finished": False}), name="ida")
    judging = ScriptedModel(otherwise(verdict(1, "fine")))
    polite = Judge(judging).should_satisfy("It is polite", name="polite")
    ida = SimulatedUser(scripted, "Ida", "a refund", max_turns=3)
    heard = []
    talk = EvalCase.conversation("talk", [Turn("hi", polite), ida], polite)

    def agent(command, session):
        heard.append(command)
        return command

    prepared = plan(talk).agent(agent)
    outline = prepared.outline()
    prepared.run()
    assert outline.agent_calls == len(heard) == 4
    assert sum(outline.user_questions.values()) == len(scripted.requests) == 3
    assert sum(outline.questions.values()) == len(judging.requests) == 2
    assert outline.users_most_cost == 0


class Patient:
    """A user of one's own, who asks no model."""

    goal = "an answer"
    max_turns = 2

    async def next_message(self, turns, /, *, spoken):
        return Said(text=None if spoken else "hello")


def test_a_user_of_ones_own_asks_no_model_but_the_agent():
    outline = outline_of(EvalCase.conversation("talk", [Patient()]))
    assert (outline.agent_calls, dict(outline.user_questions)) == (6, {})
