"""A swap carried out: every agent called once, one journal, the same transcript for all judges."""

import json
import os
import re
import subprocess
import sys
import textwrap
from collections import Counter
from pathlib import Path

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options

from judgekit import (
    EvalCase,
    ExperimentRunner,
    Gate,
    InvalidArgument,
    InvalidPlan,
    Outcome,
    Panel,
    ProviderSwap,
    SwapReport,
    ToolBindings,
    ToolCall,
    load_interactions,
)
from judgekit.evaluators import reply_should_contain
from judgekit.store import read_run

REPOSITORY = Path(__file__).resolve().parents[2]


def journal_of(report):
    return report.file.with_name("journal.jsonl")


def cell(report, agent, name, judge):
    [found] = [
        one
        for one in report.cells
        if (one.agent, one.measure.name, one.measure.judge) == (agent, name, judge)
    ]
    return found


def test_every_agent_is_called_once_a_case_and_repeat_however_many_judges_there_are(swap, short, long, make):
    third = make["Decides"](lambda reply: 0.1)
    swap.judges({"third": third}).criteria(lambda judge: judge.should_satisfy("helps", name="help")).repeat(
        2
    ).run()
    assert len(short.asked) == len(long.asked) == 8
    assert len(third.seen) == 2 * 2 * 8


def test_all_judges_see_the_same_transcripts(swap, strict, kind, make):
    turns = Counter()

    def drifting(command):
        turns[command] += 1
        return f"order, said for the {turns[command]}. time"

    swap.agents({"drifts": make["Counted"](drifting)}).repeat(3).run()
    assert Counter(strict.seen) == Counter(kind.seen)
    assert len({reply for _, reply in strict.seen if "said for" in reply}) == 3


def test_there_is_one_journal_with_an_attempt_an_agent_case_and_repeat(swap, tmp_path):
    report = swap.repeat(2).run()
    assert [path.name for path in (tmp_path / "runs").iterdir()] == [report.file.parent.name]
    head, *lines = [json.loads(line) for line in journal_of(report).read_text().splitlines()]
    assert head["swap"] == {
        "agents": ["short", "long"],
        "judges": ["strict", "kind"],
        "cases": ["case-0", "case-1", "case-2", "case-3"],
        "judged": [["tone [strict]", "tone", "strict"], ["tone [kind]", "tone", "kind"]],
    }
    assert head["agent"] == "short, long"
    assert len([line for line in lines if "interaction" in line]) == 16


def test_agents_take_turns_so_that_all_have_met_the_same_cases(swap, short, long):
    order = []
    for agent, name in ((short, "short"), (long, "long")):
        agent.reply = lambda command, name=name: order.append((name, command[-2])) or "order"
    swap.concurrency(1).first(2).run()
    assert order == [("short", "0"), ("long", "0"), ("short", "1"), ("long", "1")]


def test_the_report_read_from_the_journal_says_the_same(swap):
    report = swap.repeat(2).run()
    again = SwapReport.of_stored(read_run(journal_of(report)))
    for format in ("text", "json", "markdown", "html"):
        assert again.render(format) == report.render(format)


def test_a_journal_of_another_run_is_no_swap(short, make, tmp_path):
    plan = ExperimentRunner("plain").cases(make["cases"]()).agent(short).report_directory(tmp_path)
    stored = read_run(plan.run().file.parent)
    assert stored.head.axes is None
    with pytest.raises(InvalidArgument, match="the run 'plain' is no provider swap"):
        SwapReport.of_stored(stored)


def test_without_a_journal_the_report_is_the_same(swap):
    kept, written = swap.without_report_file().run(), swap.run()
    assert kept.file is None
    table = kept.render().split("agents\n")[0]
    assert table == written.render().split("agents\n")[0]


def test_a_judge_that_fails_leaves_its_own_cells_inconclusive_and_the_others_whole(swap, make):
    def broken(reply):
        raise RuntimeError("no answer")

    report = swap.judges({"broken": make["Decides"](broken)}).run()
    missing = cell(report, "long", "tone", "broken")
    assert (missing.rate.estimate, missing.rate.n_missing) == (None, 4)
    assert sum(missing.missing.values()) == 4
    assert cell(report, "long", "tone", "strict").rate.estimate == 1.0
    assert cell(report, "long", "whole attempt", "strict").rate.estimate == 1.0
    assert cell(report, "long", "whole attempt", "broken").rate.estimate is None
    with_broken = [one for one in report.agreements if "broken" in (one.first, one.second)]
    assert [one.kappa.reason for one in with_broken] == ["no item has both labels"] * 2
    assert [judge.missing for judge in report.judges] == [0, 0, 8]
    assert report.decision.outcome is Outcome.FAIL, "the short agent fails before the strict judge"


def test_an_agent_that_fails_is_not_judged_and_counts_as_failed_over_the_whole_attempt(swap, short, strict):
    def fails_at_two(command):
        if "2" in command:
            raise ConnectionError("gone")
        return "order 7"

    short.reply = fails_at_two
    report = swap.run()
    assert cell(report, "short", "tone", "strict").not_run == 1
    assert cell(report, "short", "tone", "strict").rate.failed == 3
    assert cell(report, "short", "whole attempt", "kind").rate.failed == 1
    assert report.agents[0].failures == 1
    assert len(strict.seen) == 7
    [tone] = [one for one in report.comparisons if one.measure.judge == "kind" and one.measure.name == "tone"]
    assert tone.left_out == 1
    assert "1 pair left out" in report.render()


def test_recorded_agents_are_judged_and_nobody_is_called(swap, short, long, make, strict):
    first = swap.repeat(2).run()
    calls = len(short.asked), len(long.asked)
    seen = Counter(strict.seen)
    fresh = make["Decides"](strict.score)
    again = (
        ProviderSwap("judges only")
        .cases(make["cases"]())
        .agents({"short": first.file.parent, "long": str(journal_of(first))})
        .judges({"fresh": fresh, "harsh": make["Decides"](lambda reply: 0.0)})
        .criteria(make["tone"])
        .report_directory(first.file.parent.parent)
        .run()
    )
    assert (len(short.asked), len(long.asked)) == calls
    assert Counter(fresh.seen) == seen
    assert [agent.attempts for agent in again.agents] == [8, 8]
    assert again.agents[1].mean_cost == pytest.approx(0.01)
    assert cell(again, "long", "tone", "fresh").rate == cell(first, "long", "tone", "strict").rate


def test_a_recorded_agent_stands_beside_one_that_is_called(swap, short, long, make, strict, kind):
    first = swap.repeat(2).run()
    live = make["Counted"]("order 7, as a third agent says it")
    report = (
        ProviderSwap("one more")
        .cases(make["cases"]())
        .agents({"short": first.file.parent, "third": live})
        .judges({"strict": strict, "kind": kind})
        .criteria(make["tone"])
        .repeat(2)
        .without_report_file()
        .run()
    )
    assert len(live.asked) == 8
    assert (len(short.asked), len(long.asked)) == (8, 8)
    assert [agent.attempts for agent in report.agents] == [8, 8]


def test_a_plain_run_gives_the_transcripts_of_one_agent(short, make, tmp_path, strict):
    cases = make["cases"]()
    run = ExperimentRunner("plain").cases(cases).agent(short).report_directory(tmp_path).run()
    swap = (
        ProviderSwap("x").cases(cases).agents({"any name": run.file}).judges({"strict": strict})
    ).criteria(make["tone"])
    assert len(swap.without_report_file().run().report.results) == 4
    assert len(short.asked) == 4


def test_transcripts_may_come_from_any_file_of_interactions(tmp_path, make, strict):
    file = tmp_path / "replies.jsonl"
    rows = [
        {"id": "a", "asked": "where?", "reply": "order 1"},
        {"id": "b", "asked": "when?", "reply": "order 2"},
    ]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    swap = ProviderSwap("x").cases(load_interactions(file)).agents({"recorded": file})
    swap.judges({"strict": strict}).criteria(make["tone"]).without_report_file().run()
    assert [reply for _, reply in strict.seen] == ["order 1", "order 2"]


def test_a_swap_without_that_agent_and_a_case_without_a_transcript_are_refused(swap, make):
    first = swap.run()
    with pytest.raises(InvalidArgument, match="without an agent 'medium'; it has 'short', 'long'"):
        ProviderSwap("x").agents({"medium": first.file.parent})
    more = ProviderSwap("x").cases(make["cases"](9)).agents({"short": first.file.parent})
    with pytest.raises(InvalidPlan, match=r"agent 'short': .* holds no attempt at 'case-4', .*leave these"):
        more.run()


def test_a_repeat_of_recordings_alone_is_refused(swap, make):
    first = swap.run()
    again = ProviderSwap("x").cases(make["cases"]()).agents({"short": first.file.parent}).repeat(2)
    with pytest.raises(InvalidPlan, match="needs an agent"):
        again.run()


def test_the_journal_of_another_swap_is_refused(swap, make, strict):
    first = swap.run()
    other = swap.judges({"third": make["Decides"](len)}).resume(first.file.parent)
    with pytest.raises(InvalidArgument, match="is the journal of another plan"):
        other.run()


def test_resuming_a_finished_swap_calls_nobody(swap, short, long, strict):
    first = swap.run()
    again = swap.resume(first.file.parent).run()
    assert (len(short.asked), len(long.asked), len(strict.seen)) == (4, 4, 8)
    assert (
        again.render("json").partition("finished_at")[0] == first.render("json").partition("finished_at")[0]
    )
    assert again.cells == first.cells


KILLED = """
import os, sys
from judgekit import EvalCase, ProviderSwap, Verdict
from judgekit.judging import JudgeBase

def noted(line):
    with open("calls.txt", "a") as file:
        file.write(line + "\\n")

def agent(name):
    def answer(command):
        noted(f"agent {name} {command}")
        if os.environ.get("KILL") and sum(1 for line in open("calls.txt") if line.startswith("agent")) == 7:
            os._exit(9)
        return f"{name} says {command}"
    return answer

class Noted(JudgeBase):
    def __init__(self, name):
        self.name = name
    def __repr__(self):
        return f"Noted({self.name})"
    async def decide(self, criterion, interaction):
        noted(f"judge {self.name} {interaction.reply}")
        return Verdict(0.9, "fine")

swap = (
    ProviderSwap("killed")
    .cases(EvalCase(f"case-{n}", f"question {n}") for n in range(6))
    .agents({"a": agent("a"), "b": agent("b")})
    .judges({"one": Noted("one"), "two": Noted("two")})
    .criteria(lambda judge: judge.should_satisfy("polite", name="tone"))
    .concurrency(1)
    .report_directory("runs")
)
report = (swap.resume(sys.argv[1]) if sys.argv[1:] else swap).run()
print(report.render("json"))
"""


@pytest.mark.slow
def test_a_swap_that_was_killed_goes_on_where_it_was(tmp_path):
    script = tmp_path / "killed.py"
    script.write_text(KILLED, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY)}

    def run(*arguments, **more):
        return subprocess.run(
            [sys.executable, str(script), *arguments],
            cwd=tmp_path,
            env=environment | more,
            capture_output=True,
            text=True,
            timeout=60,
        )

    assert run(KILL="1").returncode == 9
    [folder] = (tmp_path / "runs").iterdir()
    partial = SwapReport.of_stored(read_run(folder))
    assert [agent.unreached for agent in partial.agents] == [3, 3]
    assert "never ran" not in partial.render()
    assert "3 interrupted" in partial.render()
    done = run(str(folder))
    assert done.returncode == 0, done.stderr
    calls = Counter((tmp_path / "calls.txt").read_text().splitlines())
    repeated = {call for call, count in calls.items() if count > 1}
    assert repeated == {"agent a question 3"}, "only the call under which the process was killed"
    assert len([call for call in calls if call.startswith("agent")]) == 12
    assert len([call for call in calls if call.startswith("judge")]) == 24
    assert [agent["unreached"] for agent in json.loads(done.stdout)["agents"]] == [0, 0]


def test_one_limit_covers_all_agents_and_judges(swap, make):
    paid = swap.agents({"dear": make["Counted"]("order of a dear agent", cost=1.0)}).concurrency(1)
    report = paid.max_cost(1.5).run()
    dear = report.agents[2]
    assert dear.attempts == 4
    assert dear.unreached == 2
    assert report.agents[0].unreached == 2, "agents take turns, so that none is favoured"
    assert "2 budget spent" in report.render()


def test_what_recordings_cost_is_no_part_of_the_limit_when_a_run_is_resumed(swap, make, strict):
    swap = swap.agents({"dear": make["Counted"]("order of a dear agent", cost=1.0)})
    first = swap.run()
    live = make["Counted"]("order, by somebody else", cost=0.1)
    mixed = (
        ProviderSwap("mixed")
        .cases(make["cases"]())
        .agents({"dear": first.file.parent, "live": live})
        .judges({"strict": strict})
        .criteria(make["tone"])
        .report_directory(first.file.parent.parent)
        .max_cost(0.45)
    )
    done = mixed.run()
    assert [agent.unreached for agent in done.agents] == [0, 0]
    again = mixed.resume(done.file.parent).run()
    assert len(live.asked) == 4
    assert again.cells == done.cells


def test_one_agent_and_one_judge_are_a_swap_too(make, short, strict, tmp_path):
    report = (
        ProviderSwap("small")
        .cases(make["cases"]())
        .agents({"only": short})
        .judges({"one": strict})
        .criteria(make["tone"])
        .report_directory(tmp_path)
        .run()
    )
    assert (report.agreements, report.comparisons, report.rankings) == ((), (), ())
    for format in ("text", "json", "markdown", "html", "junit", "csv"):
        assert "only" in report.render(format)


def test_a_panel_is_a_judge(swap, make):
    panel = Panel([make["Decides"](lambda reply: 0.2), make["Decides"](lambda reply: 0.3)])
    report = swap.judges({"panel": panel}).run()
    assert cell(report, "long", "tone", "panel").rate.passed == 0


def test_a_rubric_is_asked_once_a_judge_and_its_lines_keep_their_names(make, short, litellm, tmp_path):
    from judgekit import Judge
    from judgekit.testing import ScriptedModel

    scores = {"verdicts": [{"criterion": n, "reason": "r", "score": 0.9} for n in ("warm", "plain")]}
    models = [ScriptedModel(scores, name=name) for name in ("rubric-one", "rubric-two")]
    report = (
        ProviderSwap("rubric")
        .cases(make["cases"]())
        .agents({"short": short})
        .judges({model.partition("/")[2]: Judge(model) for model in models})
        .criteria(lambda judge: judge.should_satisfy_all({"warm": "is warm", "plain": "is plain"}))
        .report_directory(tmp_path)
        .run()
    )
    assert report.passed, report.render()
    assert [model.call_count for model in models] == [4, 4]
    assert [one.name for one in report.axes.judged] == [
        "warm [rubric-one]",
        "warm [rubric-two]",
        "plain [rubric-one]",
        "plain [rubric-two]",
    ]
    assert [judge.spend.asked for judge in report.judges] == [4, 4]


def test_conversations_are_held_by_every_agent_and_judged_as_a_whole(swap):
    heard = []

    def talks(command, session):
        heard.append((session.id, command))
        return f"order: {command}"

    case = EvalCase.conversation("talk", ["hello", "and then?"], reply_should_contain("then"))
    talk = ProviderSwap("talk").cases(case).agents({"a": talks, "b": talks})
    report = talk.without_report_file().run()
    assert len(heard) == 4
    assert len({session for session, _ in heard}) == 2
    assert report.passed


def test_an_agent_without_a_session_cannot_hold_a_conversation(short):
    case = EvalCase.conversation("talk", ["hello", "and then?"])
    with pytest.raises(InvalidPlan, match=r"'short/talk' is a conversation.*agent\(command, session\)"):
        ProviderSwap("talk").cases(case).agents({"short": short}).run()


def test_stubs_are_loaded_for_every_call_of_every_agent(make):
    loaded = []
    case = EvalCase("c", "hello", recorded_calls=[ToolCall("getOrder", {}, "late")])
    bindings = ToolBindings().bind("getOrder", lambda call: loaded.append(call.result))
    agents = {"a": lambda command: "x", "b": lambda command: "x"}
    ProviderSwap("x").cases(case).agents(agents).bindings(bindings).without_report_file().run()
    assert loaded == ["late", "late"]


async def in_a_loop(swap):
    return await swap.run_async()


def test_a_swap_runs_inside_a_loop_too(swap):
    import asyncio

    report = asyncio.run(in_a_loop(swap.gate(Gate.target_should_not_fail())))
    assert report.passed
    report.raise_for_gate()


def markdown_as_html(markdown):
    return cmarkgfm.github_flavored_markdown_to_html(markdown, options=Options.CMARK_OPT_UNSAFE)


def test_texts_that_break_out_of_what_does_not_expect_them_stay_text(hostile_texts, make, tmp_path, strict):
    texts = [text for text in hostile_texts if text.strip() and len(text) < 5_000][:12]
    hostile = (
        ProviderSwap("hostile")
        .cases(EvalCase(texts[0], "hello"), EvalCase(texts[1], "hello"))
        .agents({text: make["Counted"](text) for text in texts[2:6]})
        .judges({text: make["Decides"](lambda reply, n=n: n / 10) for n, text in enumerate(texts[6:9], 4)})
        .criteria(lambda judge: judge.should_satisfy("polite", name=texts[9]))
        .report_directory(tmp_path)
    )
    report = hostile.run()
    again = SwapReport.of_stored(read_run(report.file.parent))
    assert len(again.agents) == 4
    assert all(len(one.flips) in (0, 8) for one in again.agreements)
    for found in (report, again):
        text = found.render()
        assert not any(ord(character) < 32 and character != "\n" for character in text)
        assert "\u202e" not in text
        document = json.loads(found.render("json"), parse_constant=lambda name: pytest.fail(name))
        assert len(document["agents"]) == 4
        assert "<script>alert" not in found.render("html")
        assert not re.findall("<(?:img|script|svg|a) ", markdown_as_html(found.render("markdown")))


def test_a_secret_in_a_name_reaches_no_file_and_no_report(make, tmp_path, strict):
    secret = "sk-" + "a1b2c3d4e5f6"
    swap = (
        ProviderSwap("secret")
        .cases(make["cases"](2))
        .agents({f"agent {secret}": make["Counted"]("order")})
        .judges({f"judge {secret}": strict})
        .criteria(make["tone"])
        .report_directory(tmp_path)
    )
    report = swap.run()
    for format in ("text", "json", "markdown", "html"):
        assert secret not in report.render(format)
    assert cell(report, "agent [masked]", "tone", "judge [masked]").rate.failed == 2
    for file in report.file.parent.iterdir():
        assert secret not in file.read_text(encoding="utf-8")


def test_a_damaged_grid_is_told_and_not_guessed(swap):
    from judgekit import FileUnreadable

    file = journal_of(swap.run())
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"case-3"]', '"case-3","case-4"]', 1), encoding="utf-8")
    with pytest.raises(FileUnreadable, match="its swap has 2 agents at 5 cases, not 8"):
        read_run(file)
    file.write_text(text.replace('["short","long"]', '["short",7]', 1), encoding="utf-8")
    with pytest.raises(FileUnreadable, match="is no text"):
        read_run(file)


def test_the_text_is_dedented_nowhere_and_has_no_line_feed_at_its_end(swap):
    text = swap.run().render()
    assert text == textwrap.dedent(text)
    assert not text.endswith("\n")
