"""A cheap judge first."""

import pytest

from judgekit.errors import InvalidArgument
from judgekit.evaluation import Outcome
from judgekit.judging import Escalation, Judge, Levels
from judgekit.testing import Answer


@pytest.fixture
def escalation(scripted):
    """An escalation over two scripted models, and the models."""

    def make(cheap, strong, **more):
        models = scripted(*cheap, name="cheap"), scripted(*strong, name="strong")
        return Escalation([Judge(model, attempts=1) for model in models], **more), models

    return make


def score(value):
    return {"reason": f"because {value}", "score": value}


def test_a_cheap_judge_that_is_sure_settles_it(escalation, evaluate):
    judge, (cheap, strong) = escalation([score(0.9)], [score(0.1)])
    result = evaluate(judge.should_satisfy("p", name="p"))
    assert result.detail == "p: scored 0.90, needed 0.50 — because 0.9"
    assert (len(cheap.requests), len(strong.requests)) == (1, 0)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (score("abstain"), "abstained"),
        ("no idea", "malformed"),
        (Answer(text='{"reason": "x', finish_reason="length"), "truncated"),
        (score(0.45), "unsure at 0.45"),
        (score(0.55), "unsure at 0.55"),
    ],
)
def test_the_strong_judge_is_asked_where_the_cheap_one_does_not_settle_it(escalation, evaluate, answer, why):
    judge, (cheap, strong) = escalation([answer], [score(0.9)])
    result = evaluate(judge.should_satisfy("p", name="p"))
    assert result.outcome is Outcome.PASS
    assert result.detail == (f"p: scored 0.90, needed 0.50 — because 0.9 ({cheap} {why}, then {strong})")
    assert (len(cheap.requests), len(strong.requests)) == (1, 1)
    assert [m.model for m in result.measurements] == [cheap, strong]


def test_a_refusal_of_the_wire_is_not_passed_on(escalation, evaluate):
    judge, (_, strong) = escalation([Answer(text="x", finish_reason="content_filter")], [score(0.9)])
    assert evaluate(judge.should_satisfy("p")).cause == "refused"
    assert len(strong.requests) == 0


def test_the_last_judges_word_stands(escalation, evaluate):
    judge, (cheap, _) = escalation([score(0.45)], ["no idea"])
    result = evaluate(judge.should_satisfy("p"))
    assert (result.outcome, result.cause) == (Outcome.INCONCLUSIVE, "malformed")
    assert f"{cheap} unsure at 0.45" in result.detail


def test_samples_on_both_sides_of_the_threshold_are_unsure(scores, evaluate):
    cheap, strong = scores(0.1, 1.0, 1.0, name="cheap"), scores(0.9, name="strong")
    judge = Escalation([Judge(cheap, samples=3), Judge(strong)])
    assert evaluate(judge.should_satisfy("p")).score == 0.9
    assert len(strong.requests) == 1


def test_a_level_at_the_threshold_is_sure(escalation, evaluate):
    tone = Levels({"cold": "a", "plain": "b", "warm": "c"})
    judge, (_, strong) = escalation([{"reason": "r", "level": "plain"}], [{"reason": "r", "level": "cold"}])
    assert evaluate(judge.should_score_at_least("p", "plain", scale=tone)).outcome is Outcome.PASS
    assert len(strong.requests) == 0


def test_how_close_is_unsure_can_be_set(escalation, evaluate):
    judge, (_, strong) = escalation([score(0.45)], [score(0.9)], unsure_within=0)
    assert evaluate(judge.should_satisfy("p")).score == 0.45
    assert len(strong.requests) == 0


def test_orders_that_disagree_are_unsure(escalation, evaluate):
    judge, (_, strong) = escalation(
        [{"reason": "r", "preferred": "first"}], [{"reason": "r", "preferred": "tie"}]
    )
    result = evaluate(judge.should_be_preferred_over("x", "better?", threshold=0.5))
    assert result.outcome is Outcome.PASS
    assert len(strong.requests) == 2


def test_of_a_rubric_only_what_is_not_settled_is_taken_from_the_strong_judge(escalation, evaluate):
    def rubric(a, b):
        return {"verdicts": [{"criterion": n, "reason": n, "score": s} for n, s in (("a", a), ("b", b))]}

    judge, (cheap, strong) = escalation([rubric(0.9, 0.5)], [rubric(0.0, 1.0)])
    one, two = judge.should_satisfy_all({"a": "first", "b": "second"})
    assert evaluate(one).score == 0.9
    assert evaluate(two).score == 1.0
    assert (len(cheap.requests), len(strong.requests)) == (1, 1)


def test_every_judge_can_be_replaced(escalation):
    judge, _ = escalation([score(1)], [score(1)])
    mapped = judge.should_satisfy("p").map_judges(lambda one: one.with_model("openai/x"))
    assert [one.model for one in mapped.judge.judges] == ["openai/x", "openai/x"]


@pytest.mark.parametrize("within", [-0.1, 2, True, "0.1"])
def test_a_distance_that_cannot_work_is_refused(within):
    with pytest.raises(InvalidArgument, match="`unsure_within`"):
        Escalation([Judge("openai/x"), Judge("openai/y")], unsure_within=within)
    with pytest.raises(InvalidArgument, match="at least two judges"):
        Escalation([Judge("openai/x")])
