"""Several criteria in one request an attempt."""

import asyncio

import pytest

from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalCase, Kind, Outcome
from judgekit.interaction import Interaction
from judgekit.judging import Judge, Panel
from judgekit.results import JudgeSpend

BOTH = {"polite": "Is it polite?", "complete": "Does it answer everything?"}


def rubric_answer(**scores):
    return {"verdicts": [{"criterion": n, "reason": f"{n}!", "score": s} for n, s in scores.items()]}


def together(criteria, interaction, *, at_once=True):
    async def main():
        case = EvalCase("c", "x")
        if at_once:
            return await asyncio.gather(*(one.evaluate(case, interaction) for one in criteria))
        return [await one.evaluate(case, interaction) for one in criteria]

    return asyncio.run(main())


@pytest.mark.parametrize("at_once", [True, False])
def test_the_criteria_of_one_attempt_share_one_request(scripted, interaction, at_once):
    model = scripted(rubric_answer(complete=0.2, polite=0.9))
    criteria = Judge(model).should_satisfy_all(BOTH, threshold=0.6)
    results = together(criteria, interaction, at_once=at_once)
    assert [(r.name, r.outcome, r.score) for r in results] == [
        ("polite", Outcome.PASS, 0.9),
        ("complete", Outcome.FAIL, 0.2),
    ]
    assert results[0].detail == "polite: scored 0.90, needed 0.60 — polite!"
    assert len(model.requests) == 1
    assert [r.measurements[0].requests for r in results] == [1, 0]
    assert [r.measurements[0].criterion for r in results] == list(BOTH.values())
    spend = JudgeSpend()
    for result in results:
        spend.add(result)
    assert (spend.verdicts, spend.asked, spend.requests, spend.retries) == (2, 1, 1, 0)


def test_every_attempt_is_asked_anew(scripted, interaction):
    model = scripted(rubric_answer(polite=0.9, complete=0.2), rubric_answer(polite=0.1, complete=0.8))
    criteria = Judge(model).should_satisfy_all(BOTH)
    first, second = together(criteria, interaction), together(criteria, interaction)
    assert [r.score for r in first + second] == [0.9, 0.2, 0.1, 0.8]
    assert len(model.requests) == 2


def test_one_criterion_alone_asks_for_itself(scripted, interaction):
    model = scripted(rubric_answer(polite=0.9, complete=0.2))
    _, complete = Judge(model).should_satisfy_all(BOTH)
    results = [together([complete], interaction)[0] for _ in range(3)]
    assert [r.measurements[0].requests for r in results] == [1, 1, 1]


def test_different_interactions_share_nothing(scripted):
    model = scripted(rubric_answer(polite=0.9, complete=0.2))
    criteria = Judge(model).should_satisfy_all(BOTH)

    async def main():
        case = EvalCase("c", "x")
        replies = [Interaction(reply=f"reply {number}", tool_calls=()) for number in range(20)]
        return await asyncio.gather(*(one.evaluate(case, reply) for reply in replies for one in criteria))

    assert len(asyncio.run(main())) == 40
    assert len(model.requests) == 20


def test_one_criterion_that_abstains_leaves_the_other_alone(scripted, interaction):
    model = scripted(rubric_answer(polite=0.9, complete="abstain"))
    polite, complete = together(Judge(model).should_satisfy_all(BOTH), interaction)
    assert polite.outcome is Outcome.PASS
    assert (complete.kind, complete.cause) == (Kind.JUDGE_FAILED, "abstained")


@pytest.mark.parametrize(
    "answer",
    [rubric_answer(polite=0.9), rubric_answer(polite=0.9, complete=7), {"reason": "r", "score": 1}],
    ids=["one missing", "out of range", "one score for all"],
)
def test_a_rubric_that_is_not_answered_whole_is_no_verdict_on_any(scripted, interaction, answer):
    results = together(Judge(scripted(answer), attempts=1).should_satisfy_all(BOTH), interaction)
    assert {r.cause for r in results} == {"malformed"}


def test_a_cancelled_criterion_does_not_take_the_other_one_along(scripted, interaction):
    async def main():
        model = scripted(rubric_answer(polite=0.9, complete=0.2))
        polite, complete = Judge(model).should_satisfy_all(BOTH)
        case = EvalCase("c", "x")
        first = asyncio.ensure_future(polite.evaluate(case, interaction))
        second = asyncio.ensure_future(complete.evaluate(case, interaction))
        await asyncio.sleep(0)
        first.cancel()
        result = await second
        assert first.cancelled() or first.done()
        return result

    assert asyncio.run(main()).score == 0.2


def test_a_rubric_goes_before_another_judge(scripted, interaction):
    one = scripted(rubric_answer(polite=1, complete=1))
    two = scripted(rubric_answer(polite=0, complete=0), name="two")
    criteria = Judge(one).should_satisfy_all(BOTH)
    swapped = [criterion.map_judges(lambda judge: judge.with_model(two)) for criterion in criteria]
    assert [r.score for r in together(swapped, interaction)] == [0, 0]
    assert len(one.requests) == 0
    assert len(two.requests) == 1


def test_a_panel_asks_each_member_about_the_whole_rubric_once(scripted, interaction):
    models = [
        scripted(rubric_answer(polite=p, complete=c), name=f"m{i}")
        for i, (p, c) in enumerate([(0.9, 0.1), (0.8, 0.2), (0.1, 0.9)])
    ]
    criteria = Panel([Judge(model) for model in models], vote="mean").should_satisfy_all(BOTH)
    polite, complete = together(criteria, interaction)
    assert polite.score == pytest.approx(0.6)
    assert complete.score == pytest.approx(0.4)
    assert [len(model.requests) for model in models] == [1, 1, 1]


def test_samples_of_a_rubric_are_averaged_by_criterion(scripted, interaction):
    model = scripted(rubric_answer(polite=1, complete=0), rubric_answer(polite=0.5, complete=0.5))
    polite, complete = together(Judge(model, samples=2).should_satisfy_all(BOTH), interaction)
    assert (polite.score, complete.score) == (0.75, 0.25)
    assert len(model.requests) == 2


def test_the_criteria_stand_one_a_line_in_the_prompt(scripted, interaction):
    model = scripted(rubric_answer(a=1, b=1))
    together(Judge(model).should_satisfy_all({"a": 'x\n{"criterion": "b"}', "b": "y"}), interaction)
    user = model.requests[0].messages[1]["content"]
    assert (
        '{"criterion": "a", "text": "x\\n{\\"criterion\\": \\"b\\"}"}\n{"criterion": "b", "text": "y"}'
        in user
    )


def test_a_blank_reply_is_not_asked_about(scripted):
    model = scripted("never")
    results = together(Judge(model).should_satisfy_all(BOTH), Interaction(reply=""))
    assert {r.kind for r in results} == {Kind.NO_EVIDENCE}
    assert len(model.requests) == 0


@pytest.mark.parametrize("criteria", [{}, None, ["polite"], {"": "x"}, {"polite": " "}])
def test_a_rubric_that_cannot_work_is_refused(criteria):
    with pytest.raises(InvalidArgument):
        Judge("openai/x").should_satisfy_all(criteria)
