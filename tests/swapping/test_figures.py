"""The figures of a swap, from attempts made by hand."""

import json
import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit import EvalResult, Interaction, Kind, ModelCall, Outcome, SwapReport
from judgekit.evaluation import Measurement
from judgekit.results import CaseResult
from judgekit.statistics import ComparisonVerdict, agreement, pass_rate
from judgekit.store import Axes
from judgekit.store.axes import JudgedName
from judgekit.swapping.chart import charts_of
from judgekit.swapping.families import family_of
from judgekit.swapping.wording import outcome_text

MODELS = {"a": "openai/gpt-5-mini", "b": "anthropic/claude-haiku-4-5", "c": "mistral/mistral-small"}
JUDGES = {"one": "openai/gpt-5", "two": "gemini/gemini-2.5-pro", "three": "deepseek/deepseek-chat"}


def judged(judge, score, *, criterion="tone"):
    """A result of a judge; None is one that it failed to give."""
    name = f"{criterion} [{judge}]"
    measured = (Measurement(model=JUDGES[judge], requests=1, input_tokens=10, output_tokens=2, cost=0.01),)
    if score is None:
        kind = Kind.JUDGE_FAILED
        return EvalResult(
            Outcome.INCONCLUSIVE, "x", kind, "judge", name, cause="refused", measurements=measured
        )
    outcome = Outcome.PASS if score >= 0.5 else Outcome.FAIL
    return EvalResult(outcome, "x", None, "judge", name, score, 0.5, measurements=measured)


def attempt(agent, case, scores, *, run=1, cost=0.001, criterion="tone"):
    """What an agent said at a case, and the score of each judge."""
    call = ModelCall(model=MODELS[agent], input_tokens=10, output_tokens=5, cost=cost)
    evidence = Interaction(reply="x", model_calls=(call,), latency=0.5)
    results = tuple(judged(judge, score, criterion=criterion) for judge, score in scores.items())
    return CaseResult(f"{agent}/{case}", run, evidence, results)


def swap_of(make_report, attempts, *, agents=("a", "b"), judges=("one", "two"), criteria=("tone",), runs=1):
    cases = tuple(dict.fromkeys(one.case_id.partition("/")[2] for one in attempts))
    order = {f"{agent}/{case}": n for n, (case, agent) in enumerate((c, a) for c in cases for a in agents)}
    ordered = sorted(attempts, key=lambda one: (order[one.case_id], one.run))
    names = tuple(JudgedName(f"{name} [{judge}]", name, judge) for name in criteria for judge in judges)
    return SwapReport.of(make_report(ordered, runs=runs), Axes(agents, judges, cases, names))


def grid(scores, *, agents=("a", "b"), runs=1):
    """Attempts at every case by every agent; `scores(agent, case, run)` gives a score a judge."""
    return [
        attempt(agent, f"c{n}", scores(agent, n, run), run=run)
        for n in range(8)
        for agent in agents
        for run in range(1, runs + 1)
    ]


def test_kappa_is_that_of_the_verdicts_on_the_same_transcripts(make_report):
    one = {("a", n): n % 2 for n in range(8)} | {("b", n): 1 for n in range(8)}
    two = {("a", n): n % 4 == 0 for n in range(8)} | {("b", n): n != 3 for n in range(8)}
    attempts = grid(lambda agent, n, run: {"one": float(one[agent, n]), "two": float(two[agent, n])})
    [found] = swap_of(make_report, attempts).agreements
    expected = agreement([bool(one[key]) for key in one], [bool(two[key]) for key in one])
    assert found.equal.estimate == pytest.approx(expected.estimate)
    assert found.kappa.estimate == pytest.approx(expected.kappa.estimate)
    assert found.ac1.estimate == pytest.approx(expected.ac1.estimate)
    assert sum(found.table) == 16
    assert {tuple(flip.transcript) for flip in found.flips} == {
        (agent, f"c{n}", 1) for agent, n in one if bool(one[agent, n]) != bool(two[agent, n])
    }


def test_the_interval_of_kappa_knows_that_repeats_are_no_new_cases(make_report):
    def scores(agent, n, run):
        return {"one": float(n % 2), "two": float(n % 4 == 1)}

    [once] = swap_of(make_report, grid(scores, agents=("a",)), agents=("a",)).agreements
    [often] = swap_of(make_report, grid(scores, agents=("a",), runs=10), agents=("a",), runs=10).agreements
    assert often.kappa.estimate == pytest.approx(once.kappa.estimate)
    assert often.kappa.n_clusters == 8
    assert often.kappa.half_width > 0.8 * once.kappa.half_width, "ten times the rows, the same evidence"


def test_judges_that_always_say_the_same_have_no_kappa_and_the_report_says_why(make_report):
    report = swap_of(make_report, grid(lambda agent, n, run: {"one": 0.9, "two": 0.8}))
    [found] = report.agreements
    assert found.kappa.estimate is None
    assert found.kappa.reason == "both raters used one category only"
    assert found.ac1.estimate == 1.0
    assert "kappa undefined (both raters used one category only); AC1 1.00" in report.render()
    assert json.loads(report.render("json"))["agreements"][0]["kappa"]["estimate"] is None
    for format in ("markdown", "html"):
        assert "both raters used one category only" in report.render(format)


def test_three_judges_or_more_get_a_matrix(make_report):
    report = swap_of(
        make_report,
        grid(lambda agent, n, run: {"one": n % 2, "two": n % 2, "three": 1 - n % 2}),
        judges=("one", "two", "three"),
    )
    assert [one.kappa.estimate for one in report.agreements] == [1.0, -1.0, -1.0]
    lines = report.render().split("kappa of every two judges: tone\n")[1].splitlines()[:4]
    assert [line.split() for line in lines] == [
        ["one", "two", "three"],
        ["one", "-", "1.00", "-1.00"],
        ["two", "1.00", "-", "-1.00"],
        ["three", "-1.00", "-1.00", "-"],
    ]
    assert "| `three` | -1.00 | -1.00 | - |" in report.render("markdown")


def test_missing_verdicts_are_counted_and_compared_with_nothing(make_report):
    attempts = grid(lambda agent, n, run: {"one": None if n == 0 else 0.9, "two": 0.2 if n == 1 else 0.9})
    report = swap_of(make_report, attempts)
    [found] = report.agreements
    assert (sum(found.table), found.kappa.n_missing) == (14, 2)
    assert "2 without both verdicts" in report.render()
    [cell] = [one for one in report.cells if one.measure.judge == "one" and one.agent == "a"][:1]
    assert cell.missing == {"judge failed: refused": 1}
    assert (cell.rate.low, cell.rate.estimate) == (pytest.approx(0.529, abs=0.01), 1.0)


def test_the_stricter_judge_is_named_by_the_scores(make_report):
    report = swap_of(make_report, grid(lambda agent, n, run: {"one": 0.2 + n / 100, "two": 0.6 + n / 50}))
    [found] = report.agreements
    assert found.stricter.estimate == pytest.approx(0.435)
    assert (
        "two scores +0.43 against one" in report.render() or "two scores +0.44 against one" in report.render()
    )


def test_rates_are_clustered_by_case(make_report):
    def scores(agent, n, run):
        return {"one": float(n < 5 if agent == "a" else n != run)}

    report = swap_of(make_report, grid(scores, runs=4), judges=("one",), runs=4)
    cells = {one.agent: one for one in report.cells if one.measure.kind == "criterion"}
    assert cells["a"].rate == pass_rate([(4, 0)] * 5 + [(0, 4)] * 3)
    assert cells["b"].rate == pass_rate([(4, 0), *[(3, 1)] * 4, *[(4, 0)] * 3])
    assert cells["a"].rate.half_width > cells["b"].rate.half_width


def better(agent):
    """Scores of an agent that one judge likes and another does not."""
    return {"one": 0.9 if agent == "a" else 0.3, "two": 0.2 if agent == "a" else 0.8}


def test_an_order_that_depends_on_the_judge_is_told_with_whether_it_is_shown(make_report):
    report = swap_of(make_report, grid(lambda agent, n, run: better(agent)))
    [ranking] = report.rankings
    assert ranking.depends_on_judge
    assert dict(ranking.orders) == {
        "one": (("a", pytest.approx(0.9)), ("b", pytest.approx(0.3))),
        "two": (("b", pytest.approx(0.8)), ("a", pytest.approx(0.2))),
    }
    [reversal] = ranking.reversals
    assert (reversal.better, reversal.worse, reversal.judge, reversal.other_judge) == ("a", "b", "one", "two")
    assert reversal.is_shown
    text = report.render()
    assert "the order depends on the judge: one puts a above b, two the other way round; both beyond" in text
    assert "    one: a 0.90 > b 0.30" in text


def test_a_tie_is_no_contradiction(make_report):
    report = swap_of(
        make_report, grid(lambda agent, n, run: {"one": 0.9 if agent == "a" else 0.3, "two": 0.7})
    )
    [ranking] = report.rankings
    assert not ranking.depends_on_judge
    assert "two: a 0.70 = b 0.70" in report.render()


def test_all_comparisons_are_adjusted_together(make_report):
    report = swap_of(make_report, grid(lambda agent, n, run: better(agent)))
    compared = {one.measure: one for one in report.comparisons}
    assert len(compared) == 4, "the criterion and the whole attempt, before two judges"
    assert {one.passes.adjusted_by for one in compared.values()} == {"holm"}
    # Of eight flips both tests give 2 / 2**8; four of rates and two of scores are one family of six.
    assert [one.passes.p_value for one in compared.values()] == [pytest.approx(6 * 2 / 2**8)] * 4
    assert [one.scores.p_value for one in compared.values() if one.scores] == [
        pytest.approx(6 * 2 / 2**8)
    ] * 2
    assert [one.passes.estimate for one in compared.values()] == [-1.0, 1.0, -1.0, 1.0]


def test_rate_and_score_may_each_show_who_is_better_and_may_disagree(make_report):
    report = swap_of(
        make_report, grid(lambda agent, n, run: {"one": 0.9 if agent == "a" else 0.3}), judges=("one",)
    )
    [one] = [found for found in report.comparisons if found.scores is not None]
    assert (one.new, one.old, one.better) == ("b", "a", ("a",))
    apart = replace(one, scores=replace(one.scores, verdict=ComparisonVerdict.IMPROVED))
    assert apart.better == ("b", "a")
    assert outcome_text(apart, str) == "rate and score disagree"
    unshown = replace(one, scores=replace(one.scores, verdict=ComparisonVerdict.UNDERPOWERED))
    assert outcome_text(unshown, str) == "a better"


def test_an_agent_held_against_itself_is_not_better(make_report):
    report = swap_of(make_report, grid(lambda agent, n, run: {"one": n / 8, "two": 1 - n / 8}))
    assert not any(one.better for one in report.comparisons)
    assert {one.difference for one in report.comparisons} == {0.0}


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("gpt-5-mini", "openai"),
        ("azure/gpt-4o", "openai"),
        ("openai/o3-mini", "openai"),
        ("openrouter/anthropic/claude-sonnet-4.5", "anthropic"),
        ("bedrock/eu.anthropic.claude-haiku-4-5-v1:0", "anthropic"),
        ("vertex_ai/gemini-2.5-pro", "google"),
        ("ollama/gemma3:4b", "google"),
        ("groq/llama-3.3-70b", "meta"),
        ("ollama/qwen3:8b", "alibaba"),
        ("mistral/codestral-latest", "mistral"),
        ("openai/my-own-model", None),
        ("judgekit-scripted/strict", None),
        ("", None),
    ],
)
def test_a_family_is_read_from_the_name_of_the_model_and_not_from_who_serves_it(model, family):
    assert family_of(model) == family


def test_a_judge_of_an_agents_family_is_told_and_measured_against_a_judge_of_another(make_report):
    def scores(agent, n, run):
        own = 0.9 if agent == "a" else 0.5
        fair = (0.9 if agent == "a" else 0.4) if n < 3 else (0.4 if agent == "a" else 0.9)
        return {"one": own, "two": fair}

    report = swap_of(make_report, grid(scores))
    [found] = report.families
    assert (found.judge, found.agent, found.family) == ("one", "a", "openai")
    assert (found.reference, found.against) == ("two", "b")
    # Of three wins of a it gives all to a, of five wins of b none to b.
    assert found.preference.estimate == pytest.approx(1.0)
    assert (found.preference.own_recall.estimate, found.preference.other_recall.estimate) == (1.0, 0.0)
    assert "warning: judge one and agent a are both models of openai" in report.render()
    assert "+1.00" in report.render().rpartition("warning: ")[2]


def test_without_a_judge_of_a_third_family_the_preference_is_a_warning_only(make_report):
    report = swap_of(make_report, grid(lambda agent, n, run: {"one": 0.9}), judges=("one",))
    [found] = report.families
    assert found.preference is None
    assert "add an agent and a judge of two other families to measure it" in report.render()
    other = swap_of(make_report, grid(lambda agent, n, run: {"two": 0.9}), judges=("two",))
    assert other.families == ()


def test_a_preference_that_cannot_be_measured_says_why(make_report):
    report = swap_of(make_report, grid(lambda agent, n, run: {"one": 0.9, "two": 0.9}))
    [found] = report.families
    assert found.preference.estimate is None
    assert "it cannot be measured: judge two never prefers one of them" in report.render()


def test_costs_tokens_and_latencies_are_kept_apart_by_agent_and_judge(make_report):
    attempts = [
        attempt(agent, f"c{n}", {"one": 0.9, "two": 0.9}, cost=0.01 if agent == "a" else None)
        for n in range(4)
        for agent in ("a", "b")
    ]
    report = swap_of(make_report, attempts)
    a, b = report.agents
    assert (a.mean_cost, a.costs_known, b.mean_cost, b.costs_known) == (pytest.approx(0.01), 4, None, 0)
    assert (a.spend.input_tokens, a.mean_latency, a.median_latency) == (40, 0.5, 0.5)
    assert a.models == ("openai/gpt-5-mini",)
    assert [judge.spend.cost for judge in report.judges] == [pytest.approx(0.08)] * 2
    chart, other = charts_of(report)
    assert ([dot.agent for dot in chart.dots], chart.left_out) == (["a"], ("b",))
    assert other.judge == "two"
    assert "Not shown, since the cost or the rate is not known: <bdi>b</bdi>" in report.render("html")


def test_of_agents_without_any_cost_there_is_no_plot(make_report):
    attempts = [attempt("a", f"c{n}", {"one": 0.9}, cost=None) for n in range(4)]
    page = swap_of(make_report, attempts, agents=("a",), judges=("one",)).render("html")
    assert "Quality against cost" not in page
    assert '<td class="num">unknown</td>' in page


def test_dots_and_their_names_stay_in_the_plot_and_apart(make_report):
    attempts = [
        attempt(agent, f"c{n}", {"one": 0.9}, cost=cost)
        for n in range(6)
        for agent, cost in (("a", 0.0101), ("b", 0.0102), ("c", 0.00001))
    ]
    [chart] = charts_of(swap_of(make_report, attempts, agents=("a", "b", "c"), judges=("one",)))
    labels = [dot.label for dot in chart.dots if dot.x > chart.width / 2]
    assert abs(labels[0] - labels[1]) >= 13
    assert all(40 <= dot.x <= chart.width and 0 <= dot.high <= dot.y <= dot.low for dot in chart.dots)


SCORES = st.one_of(st.none(), st.floats(0, 1))


@settings(max_examples=40)
@given(st.data())
def test_whatever_the_judges_say_every_figure_is_defined_or_says_why(make_report, data):
    cases, runs = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 3))
    attempts = [
        attempt(agent, f"c{n}", {judge: data.draw(SCORES) for judge in JUDGES}, run=run)
        for n in range(cases)
        for agent in ("a", "b")
        for run in range(1, runs + 1)
    ]
    report = swap_of(make_report, attempts, judges=tuple(JUDGES), runs=runs)
    document = json.loads(report.render("json"), parse_constant=lambda name: pytest.fail(name))
    for found in report.agreements:
        for estimate in (found.equal, found.kappa, found.ac1):
            assert estimate.estimate is not None or estimate.reason
            assert estimate.estimate is None or -1 - 1e-9 <= estimate.estimate <= 1 + 1e-9
    assert math.isfinite(sum(len(one["flips"]) for one in document["agreements"]))
    for format in ("text", "markdown", "html"):
        assert "nan" not in report.render(format).split()
