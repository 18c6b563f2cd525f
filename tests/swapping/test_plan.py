"""ProviderSwap: what it refuses when it is built and before it runs, and how it is laid out."""

import pytest

from judgekit import EvalCase, Gate, InvalidArgument, InvalidPlan, Judge, ProviderSwap
from judgekit.evaluators import reply_should_contain
from judgekit.judging.criteria import warmth
from judgekit.testing import ScriptedModel


def problems_of(swap):
    with pytest.raises(InvalidPlan) as found:
        swap.outline()
    return found.value.problems


def test_a_plan_is_frozen_and_every_method_gives_another(swap, short):
    more = swap.agents({"third": short})
    assert more is not swap
    assert "2 agents" in repr(swap)
    assert "3 agents" in repr(more)
    with pytest.raises(AttributeError):
        swap._agents = {}


def test_an_empty_plan_names_everything_that_is_missing():
    found = problems_of(ProviderSwap("empty"))
    assert [text.partition(";")[0] for text in found] == ["there are no cases", "there are no agents"]


def test_criteria_need_judges_and_judges_need_criteria(swap, make, short, strict):
    bare = ProviderSwap("x").cases(make["cases"]()).agents({"short": short})
    assert "there are criteria and no judges" in problems_of(bare.criteria(make["tone"]))[0]
    assert "there are judges and no criteria" in problems_of(bare.judges({"strict": strict}))[0]
    assert bare.outline().attempts == 4, "checks alone are enough"


def test_all_problems_are_named_at_once(swap, make):
    broken = (
        swap.cases(EvalCase("case-9", "x", reply_should_contain("x")))
        .criteria(lambda judge: judge.should_satisfy("helps", name="tone"))
        .gate(Gate.pass_rate_should_be_at_least(0.5, of="tone"))
    )
    found = problems_of(broken)
    assert "two criteria for judge 'strict' have the name 'tone'" in found
    assert any("'tone'" in text and "tone [strict]" in text for text in found), found


def test_a_gate_names_the_criterion_with_its_judge(swap):
    report = swap.gate(Gate.pass_rate_should_be_at_least(0.9, of="tone [kind]")).run()
    assert report.passed
    assert report.render().splitlines()[1].startswith("gate: passed — tone [kind] rate 1.00")


@pytest.mark.parametrize("agents", [{}, [], None, "model", {"": len}, {" ": len}, {3: len}])
def test_agents_are_a_mapping_by_name(agents):
    with pytest.raises(InvalidArgument, match="`agents`"):
        ProviderSwap("x").agents(agents)


def test_an_agent_is_a_function_or_a_run_that_is_there(tmp_path):
    with pytest.raises(InvalidArgument, match="there is no such run or file; for a model, write a function"):
        ProviderSwap("x").agents({"mini": "openai/gpt-5-mini"})
    with pytest.raises(InvalidArgument, match="must be callable or the path of a run, got 3"):
        ProviderSwap("x").agents({"mini": 3})
    with pytest.raises(InvalidArgument, match=r"'mini'.*must take"):
        ProviderSwap("x").agents({"mini": lambda: "nothing taken"})


def test_a_name_is_given_once(swap, short, kind):
    with pytest.raises(InvalidArgument, match="'short' is there already"):
        swap.agents({"short": short})
    with pytest.raises(InvalidArgument, match="'kind' is there already"):
        swap.judges({"kind": kind})


@pytest.mark.parametrize("judge", ["openai/gpt-5", Judge, None, ScriptedModel("x")])
def test_a_judge_decides(judge):
    with pytest.raises(InvalidArgument, match="must be a judge such as"):
        ProviderSwap("x").judges({"strict": judge})


def test_criteria_are_functions_of_a_judge(strict, make):
    swap = ProviderSwap("x")
    with pytest.raises(InvalidArgument, match="has a judge already; write a function"):
        swap.criteria(make["tone"](strict))
    with pytest.raises(InvalidArgument, match="must be functions of a judge"):
        swap.criteria("polite")
    with pytest.raises(InvalidArgument, match="got nothing"):
        swap.criteria()


def test_criteria_that_return_something_else_are_refused_before_the_run(swap):
    assert "must return a criterion or a list" in problems_of(swap.criteria(lambda judge: "polite"))[0]


def test_an_error_in_a_criterion_names_the_judge(swap):
    found = problems_of(swap.criteria(lambda judge: judge.should_satisfy(" ", name="blank")))
    assert [text.partition(":")[0] for text in found] == [
        "the criteria for judge 'strict'",
        "the criteria for judge 'kind'",
    ]


def test_all_judges_are_asked_the_same(swap, strict):
    def uneven(judge):
        return judge.should_satisfy("helps" if judge is strict else "is kind", name="help")

    assert "have different criteria" in problems_of(swap.criteria(uneven))[0]


def test_a_criterion_and_a_judge_that_would_read_alike_are_refused(make, short):
    swap = (
        ProviderSwap("x")
        .cases(make["cases"]())
        .agents({"short": short})
        .judges({"b] [c": make["Decides"](len), "c": make["Decides"](len)})
        .criteria(
            lambda judge: [
                judge.should_satisfy("one", name="a"),
                judge.should_satisfy("two", name="a [b]"),
            ]
        )
    )
    assert "would be 'a [b] [c]' twice in a report" in problems_of(swap)[0]


def test_a_case_may_not_have_a_criterion_of_the_same_reported_name(swap, kind):
    case = EvalCase("own", "hello", kind.should_satisfy("polite and complete", name="tone [kind]"))
    assert "a case has a criterion of its own with the name 'tone [kind]'" in problems_of(swap.cases(case))[0]


def test_agents_and_cases_that_would_read_alike_are_refused(short, long):
    swap = ProviderSwap("x").cases(EvalCase("c", "x"), EvalCase("b/c", "x")).agents({"a/b": short, "a": long})
    assert problems_of(swap) == (
        "agent 'a/b' at case 'c' and agent 'a' at case 'b/c' would both be 'a/b/c'; "
        "give one agent another name",
    )


def test_a_case_id_used_twice_is_named_once(swap):
    assert problems_of(swap.cases(EvalCase("case-1", "again"))) == (
        "the case id 'case-1' is used twice; ids are unique",
    )


def test_a_ready_made_criterion_is_a_function_of_a_judge(swap):
    assert swap.criteria(warmth).outline().attempts == 8


def test_an_outline_counts_calls_and_questions_and_calls_nobody(swap, short, long, strict):
    outline = swap.repeat(3).outline()
    assert (outline.cases, outline.attempts, outline.agent_calls) == (8, 24, 24)
    assert outline.agent == "short, long"
    assert (short.asked, long.asked, strict.seen) == ([], [], [])


def test_filters_take_cases_from_every_agent(swap, short, long):
    report = swap.filter(lambda case: case.id != "case-2").first(2).run()
    assert report.axes.cases == ("case-0", "case-1")
    assert short.asked == long.asked == ["where is order 0?", "where is order 1?"]


def test_a_filter_that_leaves_no_case_is_inconclusive(swap):
    report = swap.filter(lambda case: False).run()
    assert report.decision.outcome.value == "inconclusive"
    assert report.render().startswith("2 agents and 2 judges over 0 cases: 0 transcripts")
    for format in ("json", "markdown", "html"):
        report.render(format)


def test_a_plan_without_a_name_is_called_after_its_test(make, short):
    plan = ProviderSwap().cases(make["cases"]()).agents({"short": short})
    assert plan.outline().name == "test_plan.test_a_plan_without_a_name_is_called_after_its_test"
