"""Replies that must fail."""

import asyncio
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.errors import InvalidArgument
from judgekit.judging import Judge
from judgekit.judging.probe import PROBES, QUESTIONS, probe, probes_for, upper_bound
from judgekit.testing import FakeProvider, verdict


def test_a_strict_judge_lets_nothing_pass_and_the_bound_says_how_much_that_shows(scores):
    report = asyncio.run(probe(Judge(scores(0.0))))
    assert report.judged == len(report.results) == len(probes_for())
    assert (report.false_pass_rate, report.false_passes) == (0, ())
    assert 0.03 < report.at_most < 0.05
    assert report.render().splitlines()[0] == (
        "0 of 81 probes passed that must fail: false-pass rate 0.00, at most 0.04 (95% confidence)"
    )


def test_a_judge_that_falls_for_one_kind_is_shown_with_it(scripted):
    def gullible(turn):
        return verdict(1.0 if "Solution" in turn.text else 0.0, "hm")

    report = asyncio.run(probe(Judge(scripted(gullible))))
    assert report.by_kind()["opening without an answer"] == (6, 15)
    assert report.by_kind()["attack"] == (0, 12)
    assert "PASSED opening without an answer: Solution: | answers: scored 1.00" in report.render()


def test_what_could_not_be_judged_is_counted_apart(scripted):
    report = asyncio.run(probe(Judge(scripted("no idea"), attempts=1), kinds=["attack"]))
    assert (report.judged, report.false_pass_rate, report.at_most) == (0, None, 1.0)
    assert "not judged: malformed 12" in report.render()
    assert "false-pass rate none judged" in report.render()


def test_each_kind_has_a_rate_with_its_own_interval(scripted):
    def gullible(turn):
        return verdict(1.0 if "Solution" in turn.text else 0.0, "hm")

    report = asyncio.run(probe(Judge(scripted(gullible)), level=0.9))
    opening = report.rates()["opening without an answer"]
    assert (opening.estimate, opening.n_items, opening.n_missing, opening.level) == (0.4, 15, 0, 0.9)
    assert 0.19 < opening.low < 0.2 < 0.6 < opening.high < 0.65
    assert "  opening without an answer 6/15 [0.19, 0.64]" in report.render().splitlines()
    assert report.rate.estimate == report.false_pass_rate == 6 / 81


def test_a_rate_of_nothing_is_not_defined_and_says_why(scripted):
    report = asyncio.run(probe(Judge(scripted("no idea"), attempts=1), kinds=["attack"]))
    assert (report.rate.estimate, report.rate.interval, report.rate.n_missing) == (None, None, 12)
    assert report.rate.reason == "no probe was judged"
    assert "  attack 0/0" in report.render().splitlines()


def test_a_criterion_and_questions_of_ones_own(scores):
    model = scores(0.0)
    criterion = Judge(model).should_score_at_least("It names the sum.", 0.8)
    report = asyncio.run(
        probe(
            criterion, questions=[("How much?", "It is 49.99 EUR in all, tax included.")], kinds=["truncated"]
        )
    )
    assert [one.probe.reply for one in report.results] == ["It"]
    assert "It names the sum." in model.requests[0].messages[1]["content"]


def test_probes_of_one_call_share_their_limits():
    with FakeProvider(verdict(0.0), latency=0.01) as provider:
        judge = Judge("openai/m", api_base=provider.url, api_key="k")
        report = asyncio.run(probe(judge, kinds=["attack", "off-topic"], concurrency=3))
        assert report.judged == 18
        assert provider.count == 18
        assert provider.max_in_flight <= 3


def test_every_kind_that_is_known_to_fool_judges_is_there():
    replies = [reply for kind in PROBES.values() for reply in kind]
    for reply in (".", ":", "Solution:", "Thought process:", "解答："):
        assert reply in replies
    assert {one.kind for one in probes_for()} == set(PROBES)
    for asked, good in QUESTIONS:
        assert good not in [one.reply for one in probes_for() if one.asked == asked]


@pytest.mark.parametrize(
    "more",
    [{"kinds": ["magic"]}, {"kinds": []}, {"questions": []}, {"concurrency": 0}, {"concurrency": True}],
)
def test_a_probe_that_cannot_work_is_refused(more, scores):
    with pytest.raises(InvalidArgument, match="probe"):
        asyncio.run(probe(Judge(scores(0.0)), **more))


@pytest.mark.parametrize(
    ("passed", "total", "bound"),
    [(0, 1, 0.95), (0, 59, 0.0495), (1, 10, 0.3942), (5, 50, 0.1988), (3, 3, 1.0), (0, 0, 1.0)],
)
def test_the_bound_is_that_of_clopper_and_pearson(passed, total, bound):
    assert upper_bound(passed, total) == pytest.approx(bound, abs=1e-4)


@settings(max_examples=50)
@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_bound_lies_above_the_rate_and_falls_with_more_probes(counts):
    passed, total = counts
    bound = upper_bound(passed, total)
    assert passed / total <= bound <= 1
    assert upper_bound(passed, total + 50) <= bound
    if passed < total:
        left = sum(math.comb(total, k) * bound**k * (1 - bound) ** (total - k) for k in range(passed + 1))
        assert left == pytest.approx(0.05, abs=1e-6)
