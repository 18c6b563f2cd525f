"""Several turns in one session: carried out, judged by turn and as a whole, written and read back."""

import asyncio
import json

import pytest

from judgekit import (
    Blocked,
    EvalCase,
    EvalReport,
    ExperimentRunner,
    GuardrailResult,
    Interaction,
    InvalidArgument,
    InvalidPlan,
    Judge,
    Kind,
    ModelCall,
    Outcome,
    ToolBindings,
    ToolCall,
    Turn,
    Verdict,
    eval_label,
    load_interactions,
)
from judgekit.conversation import turns_of, view_of_turn, whole_of
from judgekit.evaluation import EvalResult
from judgekit.evaluators import (
    reply_should_contain,
    reply_should_not_contain,
    should_be_blocked,
    should_call_tool,
    should_call_tool_with,
    should_call_tools_in_order,
    should_make_at_most_tool_calls,
    should_not_call_tool,
    should_use_at_most_tokens,
)
from judgekit.judging import Criterion
from judgekit.store import read_run
from judgekit.testing import ScriptedModel, otherwise, verdict


class Shop:
    """An agent that remembers, by session, which order is talked about."""

    def __init__(self):
        self.orders = {}
        self.sessions = []

    async def __call__(self, command, session):
        await asyncio.sleep(0)
        self.sessions.append(session.id)
        if "order" in command:
            self.orders[session.id] = command.split()[-1]
            call = ToolCall("getOrder", {"orderId": self.orders[session.id]}, result="shipped")
            return Interaction(reply=f"{self.orders[session.id]} is shipped.", tool_calls=[call])
        if "refund" in command:
            order = self.orders[session.id]
            call = ToolCall("issueRefund", {"orderId": order})
            return Interaction(reply=f"Refunded {order}.", tool_calls=[call])
        if "crash" in command:
            raise RuntimeError("the shop burns")
        return Interaction(reply="Hm?", tool_calls=[])


def refund(**options):
    return EvalCase.conversation(
        "refund",
        [
            Turn(
                "about order o_42",
                should_call_tool_with("getOrder", "orderId", "o_42"),
                should_not_call_tool("issueRefund"),
            ),
            Turn("refund it please", reply_should_contain("Refunded o_42"), should_not_call_tool("getOrder")),
        ],
        should_call_tools_in_order("getOrder", "issueRefund"),
        should_make_at_most_tool_calls(2),
        **options,
    )


def plan(*cases, name="talks"):
    return ExperimentRunner(name).cases(cases).without_report_file()


def shown(attempt):
    return [(found.label, found.outcome.value, found.detail) for found in attempt.results]


# carried out


def test_turns_share_a_session_and_attempts_do_not():
    shop = Shop()
    report = plan(refund()).agent(shop).repeat(3).run()
    assert report.passed, report.render()
    assert len(shop.sessions) == 6
    assert len(set(shop.sessions)) == 3


def test_each_turn_is_judged_on_its_own_evidence_and_the_whole_on_all_of_it():
    (attempt,) = plan(refund()).agent(Shop()).run().results
    assert shown(attempt) == [
        ("tool-arguments", "pass", "turn 1"),
        ("forbidden-tools", "pass", "turn 1"),
        ("reply-contains", "pass", "turn 2"),
        ("forbidden-tools", "pass", "turn 2"),
        ("tool-order", "pass", ""),
        ("tool-call-budget", "pass", ""),
    ]
    whole = attempt.interaction
    assert [call.name for call in whole.tool_calls] == ["getOrder", "issueRefund"]
    assert (whole.command_text, whole.reply) == ("about order o_42", "Refunded o_42.")
    assert [turn.reply for turn in whole.turns] == ["o_42 is shipped.", "Refunded o_42."]
    assert whole.latency == pytest.approx(sum(turn.latency for turn in whole.turns))


def test_evaluators_of_the_experiment_see_the_whole_after_all_others():
    report = plan(refund()).evaluator(should_call_tool("issueRefund")).agent(Shop()).run()
    assert shown(report.results[0])[-1] == ("tools", "pass", "")


def test_one_failed_turn_fails_the_case_and_later_turns_are_still_run():
    shop = Shop()
    case = EvalCase.conversation(
        "c",
        [Turn("about order o_1", reply_should_contain("lost")), Turn("refund", reply_should_contain("o_1"))],
    )
    (attempt,) = plan(case).agent(shop).run().results
    assert len(shop.sessions) == 2
    assert shown(attempt) == [
        ("reply-contains", "fail", "turn 1: reply does not carry [lost]"),
        ("reply-contains", "pass", "turn 2"),
    ]
    assert not attempt.passed


def test_with_stop_on_failure_a_failed_turn_ends_the_conversation():
    shop = Shop()
    case = EvalCase.conversation(
        "c",
        [
            Turn("about order o_1", reply_should_contain("o_1")),
            Turn("refund", reply_should_contain("lost")),
            Turn("hello", reply_should_contain("Hm")),
        ],
        should_call_tool("getOrder"),
        stop_on_failure=True,
    )
    report = plan(case).agent(shop).run()
    (attempt,) = report.results
    assert len(shop.sessions) == 2
    assert [result.kind for result in attempt.results] == [None, None, Kind.NOT_RUN, Kind.NOT_RUN]
    assert attempt.outcome is Outcome.FAIL
    assert "tools 0/0, 1 not run" in report.render()
    assert "stopped" not in report.render()


def test_with_stop_on_failure_and_no_failure_everything_is_run_and_judged_once():
    asked = []

    @eval_label("counting")
    def counting(case, interaction):
        asked.append(interaction.command_text)
        return EvalResult.passed()

    case = EvalCase.conversation(
        "c", [Turn("about order o_1", counting), Turn("refund", counting)], counting, stop_on_failure=True
    )
    assert plan(case).agent(Shop()).run().passed
    assert asked == ["about order o_1", "refund", "about order o_1"]


def test_a_turn_that_raises_fails_the_target_and_the_others_are_judged():
    case = EvalCase.conversation(
        "c",
        [Turn("crash", reply_should_not_contain("x")), Turn("about order o_1", reply_should_contain("o_1"))],
        should_not_call_tool("deleteAll"),
    )
    (attempt,) = plan(case).agent(Shop()).run().results
    assert shown(attempt)[0] == ("target", "fail", "turn 1: RuntimeError: the shop burns")
    assert [result.kind for result in attempt.results[1:]] == [Kind.NOT_RUN, None, Kind.NOT_RUN]
    assert attempt.results[2].outcome is Outcome.PASS
    assert attempt.interaction.error == "turn 1: RuntimeError: the shop burns"


def test_a_turn_that_takes_too_long_fails_alone():
    async def slow(command, session):
        if command == "sleep":
            await asyncio.sleep(30)
        return "awake"

    case = EvalCase.conversation("c", ["sleep", Turn("up", reply_should_contain("awake"))])
    (attempt,) = plan(case).agent(slow).timeout(0.1).run().results
    assert shown(attempt)[0][2] == "turn 1: TimeoutError: the agent gave no answer within 0.1 s"
    assert attempt.results[1].outcome is Outcome.PASS


def test_a_block_that_one_turn_asks_for_is_no_failure_there():
    async def guarded(command, session):
        if "hack" in command:
            raise Blocked("no")
        return Interaction(reply="ok", guardrails=[GuardrailResult("pii")])

    case = EvalCase.conversation(
        "c", [Turn("hack", should_be_blocked()), Turn("hi", reply_should_contain("ok"))]
    )
    report = plan(case).agent(guarded).run()
    assert report.passed, report.render()
    case = EvalCase.conversation("c", [Turn("hi"), Turn("hack", reply_should_not_contain("key"))])
    (attempt,) = plan(case).agent(guarded).run().results
    assert shown(attempt)[0] == ("target", "fail", "turn 2: Blocked: no")


def test_recorded_calls_are_loaded_once_and_conversations_over_shared_stubs_do_not_overlap():
    loaded, open_talks, most = [], 0, 0

    async def agent(command, session):
        nonlocal open_talks, most
        if command == "first":
            open_talks += 1
            most = max(most, open_talks)
        await asyncio.sleep(0.005)
        if command == "last":
            open_talks -= 1
        return "ok"

    bindings = ToolBindings().bind("getOrder", lambda call: loaded.append(call.tool))
    cases = [
        EvalCase.conversation(f"c{n}", ["first", "last"], recorded_calls=[ToolCall("getOrder")])
        for n in range(4)
    ]
    assert plan(*cases).bindings(bindings).agent(agent).run().passed
    assert (len(loaded), most) == (4, 1)


def test_a_setup_that_raises_is_one_failure_and_nothing_is_said():
    def broken(call):
        raise ValueError("no stub")

    shop = Shop()
    case = refund(recorded_calls=[ToolCall("getOrder")])
    (attempt,) = plan(case).bindings(ToolBindings().bind("getOrder", broken)).agent(shop).run().results
    assert shown(attempt)[0] == ("setup", "fail", "ValueError: no stub")
    assert [result.kind for result in attempt.results[1:]] == [Kind.NOT_RUN] * 6
    assert shop.sessions == []


def test_a_command_may_be_any_value():
    async def agent(command, session):
        return str(command["n"])

    case = EvalCase.conversation("c", [Turn({"n": 1}), Turn({"n": 2}, reply_should_contain("2"))])
    (attempt,) = plan(case).agent(agent).run().results
    assert attempt.passed
    assert [turn.command_text for turn in attempt.interaction.turns] == ['{"n": 1}', '{"n": 2}']


def test_conversations_and_single_turns_stand_side_by_side():
    single = EvalCase("single", "about order o_7", reply_should_contain("o_7"))
    report = plan(single, refund(), EvalCase("another", "hello")).agent(Shop()).run()
    assert report.passed
    assert [attempt.case_id for attempt in report.results] == ["single", "refund", "another"]
    assert report.results[0].interaction.turns == ()


# judges


class Noting:
    """A judge that keeps what it was shown."""

    def __init__(self):
        self.shown = []

    async def decide(self, criterion, interaction):
        self.shown.append(interaction)
        return Verdict(score=1.0, reason="fine")


def test_a_judge_of_a_turn_is_shown_the_conversation_up_to_it():
    judge = Noting()
    kind = Criterion(judge=judge, criterion="kind")
    case = EvalCase.conversation(
        "c", [Turn("about order o_1", kind), Turn("refund", kind), Turn("hello")], kind
    )
    (attempt,) = plan(case).agent(Shop()).run().results
    first, second, whole = judge.shown
    texts = [[message["content"] for message in seen.messages] for seen in judge.shown]
    said = ["about order o_1", "o_1 is shipped.", "refund", "Refunded o_1.", "hello", "Hm?"]
    assert first.messages == ()
    assert texts[1:] == [said[:4], said]
    assert (first.reply, second.reply, whole.reply) == ("o_1 is shipped.", "Refunded o_1.", "Hm?")
    assert [len(seen.tool_calls) for seen in judge.shown] == [1, 1, 2]
    assert [result.detail for result in attempt.results] == [
        "turn 1: kind: scored 1.00, needed 0.50 — fine",
        "turn 2: kind: scored 1.00, needed 0.50 — fine",
        "kind: scored 1.00, needed 0.50 — fine",
    ]


def test_what_is_sent_to_a_judge_holds_every_turn():
    model = ScriptedModel(otherwise(verdict(0.9)))
    case = EvalCase.conversation(
        "c", ["about order o_1", "refund", "hello"], Judge(model).should_satisfy("helpful")
    )
    assert plan(case).agent(Shop()).run().passed
    sent = model.requests[0].messages[1]["content"]
    assert "The whole conversation" in sent
    for text in ("about order o_1", "o_1 is shipped.", "Refunded o_1.", '"calls": ["issueRefund"]', "Hm?"):
        assert text in sent


def test_judges_of_turns_can_be_swapped():
    first, second = Noting(), Noting()
    kind = Criterion(judge=first, criterion="kind")
    case = EvalCase.conversation("c", [Turn("hello", kind), Turn("hi", kind)], reply_should_contain("Hm"))
    runner = plan(case).agent(Shop()).map_judges(lambda judge: second)
    assert runner.run().passed
    assert (len(first.shown), len(second.shown)) == (0, 2)


# gates and reports


def test_results_of_turns_pool_under_their_label_and_keep_their_position():
    class Moody(Shop):
        async def __call__(self, command, session):
            answer = await super().__call__(command, session)
            return Interaction(reply="No.", tool_calls=[]) if len(self.sessions) == 4 else answer

    report = plan(refund()).agent(Moody()).repeat(2).concurrency(1).run()
    text = report.render()
    assert "  forbidden-tools 4/4" in text
    assert "refund reply-contains: passed in run 1, failed in run 2" in text
    assert "  FAIL reply-contains: turn 2: reply does not carry [Refunded o_42]" in text
    assert "  turn 1: about order o_42\n    reply: o_42 is shipped.\n  turn 2: refund it please" in text


def test_journal_and_report_read_back_equal(tmp_path):
    runner = ExperimentRunner("talks").cases(refund(), EvalCase("one", "hello")).agent(Shop())
    report = runner.report_directory(tmp_path).run()
    again = EvalReport.read(report.file)
    assert list(again.results) == list(report.results)
    assert again.render(all=True) == report.render(all=True)
    journal = read_run(report.file.parent).report()
    assert list(journal.results) == list(report.results)
    document = json.loads(report.file.read_text(encoding="utf-8"))
    assert [turn["reply"] for turn in document["attempts"][0]["interaction"]["turns"]] == [
        "o_42 is shipped.",
        "Refunded o_42.",
    ]
    assert "users" not in document


def test_a_killed_run_goes_on_with_the_conversations_that_are_left(tmp_path):
    shop = Shop()
    runner = ExperimentRunner("talks").cases(refund()).agent(shop).repeat(3).concurrency(1)
    report = runner.report_directory(tmp_path).run()
    journal = report.file.with_name("journal.jsonl")
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:2]))
    resumed = runner.resume(journal).run()
    assert len(shop.sessions) == 6 + 4
    assert resumed.passed
    changed = EvalCase.conversation("refund", ["other words", Turn("x")], refund().evaluators)
    with pytest.raises(InvalidArgument, match="journal of another plan"):
        ExperimentRunner("talks").cases(changed).agent(shop).repeat(3).resume(journal).run()


# recorded conversations


def test_a_recorded_conversation_is_scored_turn_by_turn_without_an_agent(tmp_path):
    report = ExperimentRunner("talks").cases(refund()).agent(Shop()).report_directory(tmp_path).run()
    (loaded,) = load_interactions(report.file.parent)
    again = plan(refund(interactions=loaded.interactions)).run()
    assert [shown(attempt) for attempt in again.results] == [shown(attempt) for attempt in report.results]
    stricter = EvalCase.conversation(
        "refund",
        [
            Turn("about order o_42", should_call_tool("issueRefund")),
            "x",
            Turn("y", reply_should_contain("z")),
        ],
        interactions=loaded.interactions,
    )
    (attempt,) = plan(stricter).run().results
    assert [(result.outcome, result.detail) for result in attempt.results] == [
        (Outcome.FAIL, "turn 1: never called [issueRefund]; called [getOrder]"),
        (Outcome.INCONCLUSIVE, "turn 3: this turn was not recorded"),
    ]
    assert attempt.results[1].kind is Kind.NO_EVIDENCE


def test_turns_are_found_in_recorded_messages_too():
    messages = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Where is o_1?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "getOrder", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "1", "content": "shipped"},
        {"role": "assistant", "content": "Shipped."},
        {"role": "user", "content": "Thanks"},
        {"role": "assistant", "content": "You are welcome."},
    ]
    case = EvalCase.conversation(
        "c",
        [
            Turn("Where is o_1?", should_call_tool("getOrder"), reply_should_contain("Shipped")),
            Turn("Thanks", reply_should_contain("welcome"), should_not_call_tool("getOrder")),
        ],
        interactions=[Interaction.from_messages(messages)],
    )
    report = plan(case).run()
    assert report.passed, report.render()
    assert [turn.command_text for turn in report.results[0].interaction.turns] == ["Where is o_1?", "Thanks"]


def test_a_single_recorded_turn_is_a_conversation_of_one():
    interaction = Interaction(command_text="hi", reply="hello")
    assert turns_of(interaction) == (interaction,)


# evidence


def test_what_one_turn_leaves_unrecorded_is_unrecorded_for_the_whole():
    known = Interaction(
        command_text="a",
        reply="b",
        tool_calls=(),
        model_calls=[ModelCall(input_tokens=5, output_tokens=2, cost=0.1)],
    )
    unknown = Interaction(command_text="c", reply="d")
    both = whole_of([known, unknown])
    assert (both.tool_calls, both.model_calls, both.input_tokens, both.cost) == (None, None, None, None)
    twice = whole_of([known, known])
    assert (twice.total_tokens, twice.cost, twice.tool_calls) == (14, pytest.approx(0.2), ())
    assert view_of_turn([known, unknown], 2).messages[0]["content"] == "a"


def test_spend_counts_the_turns_that_were_recorded():
    async def agent(command, session):
        calls = [ModelCall(input_tokens=5, output_tokens=2, cost=0.1)] if command == "a" else None
        return Interaction(reply="ok", model_calls=calls)

    report = plan(EvalCase.conversation("c", ["a", "b"], should_use_at_most_tokens(3))).agent(agent).run()
    assert (report.spend.model_calls, report.spend.input_tokens, report.spend.cost) == (1, 5, 0.1)
    assert report.spend.attempts_with_evidence == 1
    assert report.results[0].results[0].kind is Kind.NO_EVIDENCE


def test_a_limit_on_cost_ends_a_conversation_where_it_is():
    async def agent(command, session):
        return Interaction(reply="ok", cost=0.4)

    case = EvalCase.conversation("c", [Turn("a", reply_should_contain("ok")), "b", "c"])
    runner = plan(case, EvalCase("later", "x")).agent(agent).concurrency(1).max_cost(1)
    first, later = runner.run().results
    assert first.passed
    assert later.results[0].kind is Kind.BUDGET_SPENT


# refused


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (lambda: EvalCase.conversation("c", []), "`turns` is empty; a conversation needs one turn at least"),
        (lambda: EvalCase.conversation("c", "hello"), "`turns` must be a list of turns, got 'hello'"),
        (lambda: EvalCase.conversation("c", 5), "`turns` must be a list of turns, got 5"),
        (lambda: EvalCase.conversation("c", [5]), "turn 1 must be a Turn or text, got 5"),
        (lambda: EvalCase.conversation("c", ["hi", ""]), "Turn: `command` must not be blank, got ''"),
        (lambda: Turn(None), "Turn: `command` must not be blank, got None"),
        (lambda: Turn("hi", lambda case, interaction: None), "Turn: a bare lambda has no label"),
        (lambda: EvalCase.conversation("", ["hi"]), "`id` must be text that is not blank"),
        (lambda: EvalCase.conversation("c", ["hi"], tags="slow"), "`tags` must be a list of words"),
    ],
)
def test_what_cannot_work_is_refused_when_it_is_built(build, text):
    with pytest.raises(InvalidArgument, match=text):
        build()


def test_an_agent_that_cannot_tell_conversations_apart_is_refused():
    with pytest.raises(InvalidPlan) as refused:
        plan(refund(), EvalCase("one", "x")).agent(lambda command: command).run()
    assert refused.value.problems == (
        "'refund' is a conversation, so the agent must know which one a command belongs to; "
        "write it as agent(command, session), by `session.id`",
    )
