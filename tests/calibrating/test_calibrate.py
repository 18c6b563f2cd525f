"""A judge against human labels: asked, from a run, or from a column."""

import csv
import json
import math
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit import EvalCase, ExperimentRunner, Interaction
from judgekit.calibrating import calibrate, labels_from
from judgekit.calibrating.figures import kappa_low
from judgekit.calibrating.plain import plain
from judgekit.errors import InvalidArgument
from judgekit.evaluation import Outcome
from judgekit.judging import Judge, Levels
from judgekit.statistics import confusion
from judgekit.testing import ScriptedModel, verdict


def near(value, abs=1e-6):
    return pytest.approx(value, abs=abs)


def stored(pairs, **more):
    """Calibrate verdicts in a column; each pair is a label and a verdict."""
    rows = [{"label": label, "v": said} for label, said in pairs]
    return calibrate("x", labels_from(rows, verdict="v"), **more)


def numbers(data) -> Iterator[float]:
    for value in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        if isinstance(value, float):
            yield value
        yield from numbers(value)


def test_the_judge_is_asked_about_every_reply(polite, rows):
    heard = []
    found = calibrate(polite, rows, told=lambda *counts: heard.append(counts))
    table = found.confusion
    assert (table.true_pass, table.false_pass, table.false_fail, table.true_fail) == (55, 5, 5, 55)
    assert found.kappa.estimate == near(110 / 60 - 1)
    assert (found.name, found.criterion, found.threshold) == ("polite", "The reply is courteous.", 0.7)
    assert (found.labels, found.unlabelled, found.raters) == (120, 0, ("label",))
    assert [count for _, count in found.instruments] == [120]
    assert (found.spend.asked, heard[-1]) == (120, (120, 120))


def test_a_second_time_costs_nothing(rows, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = ScriptedModel(verdict(0.9, "fine"))
    criterion = Judge(model, cache="read-write").should_satisfy("It is courteous.")
    first = calibrate(criterion, rows)
    again = calibrate(criterion, rows)
    assert len(model.requests) == 120
    assert (again.spend.asked, again.spend.cached) == (0, 120)
    assert plain(first.confusion) == plain(again.confusion)


def test_what_there_is_no_money_for_is_a_missing_verdict(rows, fake_provider):
    from judgekit import Price

    provider = fake_provider(verdict(0.9, "fine"))
    judge = Judge("openai/m", api_base=provider.url, api_key="k", price=Price(0, 100))
    found = calibrate(judge.should_satisfy("It is courteous."), rows[:20], max_cost=0.11, concurrency=1)
    assert 0 < found.confusion.n_clusters < 20
    assert found.causes == {"budget spent": found.confusion.n_missing}


def ran(criterion, rows, tmp_path, **plan):
    cases = [
        EvalCase(row["id"], row["asked"], criterion, interactions=[Interaction(reply=row["reply"])])
        for row in rows
    ]
    return ExperimentRunner("calibrated").report_directory(tmp_path).cases(cases).run()


def test_verdicts_of_a_run_are_joined_by_id(polite, rows, tmp_path):
    report = ran(polite, rows, tmp_path)
    labels = [{"id": row["id"], "label": row["label"]} for row in rows[:60]]
    found = calibrate(None, labels, judged=report.results, design="random_subset")
    asked = calibrate(polite, rows[:60])
    assert plain(found.confusion) == plain(asked.confusion)
    assert found.fingerprint == asked.fingerprint
    assert (found.unlabelled, found.spend.asked) == (60, 0)
    # The judge passes every other reply; the human does too but for the first ten.
    assert found.rate.judge.estimate == 0.5
    assert found.rate.corrected.method == "PPI++, tuned"
    assert found.rate.corrected.interval[0] < 0.5 < found.rate.corrected.interval[1]
    assert 0 < found.rate.label_saving < 1


def test_a_criterion_of_a_run_is_found_by_its_name_or_its_text(polite, rows, tmp_path):
    report = ran(polite, rows[:4], tmp_path)
    labels = [{"id": row["id"], "label": row["label"]} for row in rows[:4]]
    for name in ("polite", "The reply is courteous."):
        assert calibrate(name, labels, judged=report.results).name == "polite"
    with pytest.raises(InvalidArgument, match="no judged criterion 'warm'; it has 'polite'"):
        calibrate("warm", labels, judged=report.results)


def test_labels_that_the_run_does_not_hold_are_missing_verdicts(polite, rows, tmp_path):
    report = ran(polite, rows[:4], tmp_path)
    labels = [{"id": row["id"], "label": row["label"]} for row in rows[:6]]
    found = calibrate("polite", labels, judged=report.results)
    assert (found.causes, found.confusion.n_missing) == ({"not in the run": 2}, 2)
    strange = [{"id": f"x{row['id']}", "label": row["label"]} for row in rows[:6]]
    with pytest.raises(InvalidArgument, match=r"no labelled row is of the run: .* the column with the ids"):
        calibrate("polite", strange, judged=report.results, design="random_subset")


def test_a_set_of_its_own_corrects_the_rate_of_a_run(polite, rows, tmp_path):
    report = ran(polite, rows[:40], tmp_path)
    found = calibrate(polite, rows[40:], judged=report.results, design="separate_calibration")
    assert (found.unlabelled, found.spend.asked) == (40, 80)
    assert found.rate.corrected.method == "Rogan-Gladen, Lee interval"
    assert found.rate.corrected.estimate == near(0.5)
    other = Judge(ScriptedModel(verdict(1.0, "fine"), name="other")).should_score_at_least(
        "The reply is courteous.", 0.7, name="polite"
    )
    with pytest.raises(InvalidArgument, match="judged by another instrument: model was"):
        calibrate(other, rows[40:], judged=report.results, design="separate_calibration")


def test_runs_of_a_case_are_told_apart(polite, tmp_path):
    replies = [Interaction(reply="Wait."), Interaction(reply="Wait, please.")]
    case = EvalCase("a", "When?", polite, interactions=replies)
    report = ExperimentRunner("twice").report_directory(tmp_path).cases(case).run()
    labels = [{"id": "a", "run": n, "label": n - 1} for n in (1, 2)]
    found = calibrate("polite", labels, judged=report.results)
    assert found.confusion.estimate == 1
    assert "note: 1 reply is a repeat of a case: intervals are clustered by case" in found.render()
    with pytest.raises(InvalidArgument, match="several replies of 'a'; say in a column `run`"):
        calibrate("polite", [{"id": "a", "label": 1}], judged=report.results, design="random_subset")


def test_repeats_of_a_case_make_no_judge_better_known():
    rows = [
        {"id": f"c{n}", "label": n % 2, "verdict": n % 2 if n % 5 else 1 - n % 2, "group": f"g{n % 4}"}
        for n in range(40)
    ]
    once = calibrate("warm", labels_from(rows, verdict="verdict"))
    four = [{**row, "run": run} for row in rows for run in (1, 2, 3, 4)]
    repeated = calibrate("warm", labels_from(four, verdict="verdict"))
    assert repeated.kappa.estimate == near(once.kappa.estimate)
    assert abs(repeated.kappa_low - once.kappa_low) < 0.05
    assert abs(repeated.rate.human.low - once.rate.human.low) < 0.02
    assert "note: 120 replies are repeats of a case: intervals are clustered by case" in repeated.render()


def test_how_the_labelled_replies_were_chosen_has_to_be_said(polite, rows):
    some = [{**row, "label": row["label"] if n < 60 else None} for n, row in enumerate(rows)]
    with pytest.raises(InvalidArgument, match="60 replies have no label; say how the others were chosen"):
        calibrate(polite, some)
    model = polite.judge.model
    assert not model.requests
    assert calibrate(polite, some, design="random_subset").rate.n_runs == 120


def test_few_labels_are_not_used_to_correct(polite, rows):
    some = [{**row, "label": row["label"] if n < 49 else None} for n, row in enumerate(rows)]
    rate = calibrate(polite, some, design="random_subset").rate
    assert (rate.corrected.estimate, rate.estimate) == (None, rate.human.estimate)
    assert "49 labels" in rate.corrected.reason


def test_several_raters_are_a_majority_and_have_an_agreement_of_their_own(polite, rows):
    three = [{**row, "label": [row["label"], row["label"], n % 3 == 0]} for n, row in enumerate(rows)]
    found = calibrate(polite, three)
    assert found.confusion.true_pass + found.confusion.false_fail == sum(
        sum(row["label"]) > 1 for row in three
    )
    assert found.human_agreement.method.startswith("Krippendorff's alpha, nominal")
    assert found.human_agreement.interval is not None
    assert set(found.alternative.by_annotator) == {"label 1", "label 2", "label 3"}
    halves = [{**row, "label": [row["label"], bool(n % 2)]} for n, row in enumerate(rows[:30])]
    two = calibrate(polite, halves)
    assert two.undecided > 0
    assert two.labels + two.undecided == 30
    assert two.alternative is None
    assert two.alternative_reason == "2 raters, and the alternative annotator test needs 3"


def test_scores_are_compared_in_rank_and_each_protocol_only_with_its_columns(rows):
    model = ScriptedModel(lambda turn: verdict(0.1 * (turn.text.count("t") % 10), "counted"))
    criterion = Judge(model).should_score_at_least("It has many t.", 0.5)
    scored = [{**row, "label": (n % 10) / 10} for n, row in enumerate(rows)]
    alone = calibrate(criterion, scored)
    assert [one.protocol for one in alone.rank_agreement] == ["dataset"]
    grouped = [{**row, "group": f"g{n // 4}", "system": f"s{n % 4}"} for n, row in enumerate(scored)]
    found = calibrate(criterion, grouped)
    assert [one.protocol for one in found.rank_agreement] == ["dataset", "group", "system"]
    assert "rank, group" in found.render()
    assert calibrate("x", labels_from([{"label": 1, "v": 0}], verdict="v")).rank_agreement == ()


def test_levels_are_held_against_the_threshold(rows):
    scale = Levels({"cold": "curt", "plain": "matter of fact", "warm": "kind"})
    model = ScriptedModel({"reason": "r", "level": "plain"})
    criterion = Judge(model).should_score_at_least("It is kind.", "plain", scale=scale)
    names = ["cold", "plain", "warm"]
    labels = [{**row, "label": names[n % 3]} for n, row in enumerate(rows[:15])]
    found = calibrate(criterion, labels)
    assert (found.confusion.true_pass, found.confusion.false_pass) == (10, 5)


CONSTANT = {"everything passes": ([True] * 8, [True] * 8), "judge constant": ([True, False] * 4, [True] * 8)}
ODD = {
    **CONSTANT,
    "human constant": ([False] * 8, [True, False] * 4),
    "one label": ([True], [True]),
    "no verdict": ([True, False], [None, None]),
    "one verdict": ([True, False], [True, None]),
    "always wrong": ([True, False] * 5, [False, True] * 5),
}


@pytest.mark.parametrize("design", ["random_subset", "separate_calibration"])
@pytest.mark.parametrize("name", ODD)
def test_odd_data_has_figures_or_a_reason(name, design):
    labels, verdicts = ODD[name]
    pairs = [*zip(labels, verdicts, strict=True), *((None, value) for value in verdicts)]
    found = stored(pairs, design=design)
    document = json.dumps(found.to_json(), allow_nan=False)
    assert all(math.isfinite(value) for value in numbers(json.loads(document)))
    assert found.render()
    for figure in (found.confusion, found.kappa, found.rate, found.rate.corrected, found.rate.judge):
        assert figure.estimate is not None or figure.reason
    outcome, sentence = found.decide(0.4)
    assert outcome is not Outcome.PASS
    assert sentence


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.sampled_from([True, False, None]), st.sampled_from([True, False, None])),
        min_size=1,
        max_size=80,
    ),
    st.sampled_from(["random_subset", "separate_calibration"]),
)
def test_any_labels_and_verdicts_have_figures_or_a_reason(pairs, design):
    if all(label is None for label, _ in pairs):
        with pytest.raises(InvalidArgument, match="no row has a human label"):
            stored(pairs, design=design)
        return
    found = stored(pairs, design=design)
    json.dumps(found.to_json(), allow_nan=False)
    low = found.kappa_low
    assert (low is None) == (found.kappa.estimate is None) or found.kappa.estimate is not None
    if low is not None:
        assert low <= found.kappa.estimate + 1e-12


def test_few_labels_that_all_agree_are_no_proof():
    few = stored([(True, True), (False, False)] * 3)
    assert few.kappa.estimate == 1
    assert few.kappa_low < 0.4
    assert few.decide(0.4)[0] is Outcome.INCONCLUSIVE
    many = stored([(True, True), (False, False)] * 30)
    assert many.kappa_low == near(2 * confusion([True] * 60, [True] * 60).low - 1)
    assert many.decide(0.4)[0] is Outcome.PASS
    assert stored([(True, False), (False, True)] * 30).decide(0.4)[0] is Outcome.FAIL


def test_the_lower_end_of_kappa_is_that_of_its_interval_where_it_has_one():
    table = confusion([True, False, True, False, True] * 9, [True, False, True, True, True] * 9)
    assert kappa_low(table) == table.agreement.kappa.low


@pytest.mark.parametrize(
    ("criterion", "options", "said"),
    [
        (None, {}, "nobody to ask"),
        ("polite", {"judged": "runs/desk"}, "EvalReport.read"),
        ("polite", {"judged": 3}, "report.results"),
        ("polite", {}, "nobody to ask"),
        (3, {}, "must be a Criterion"),
        ("x", {"population": " "}, "`population`"),
        ("x", {"epsilon": 1}, "`epsilon`"),
        ("x", {"level": 95}, "`level`"),
        ("x", {"concurrency": 0}, "`concurrency`"),
    ],
)
def test_what_cannot_work_is_refused(criterion, options, said):
    with pytest.raises(InvalidArgument, match=said):
        calibrate(criterion, [{"label": 1, "reply": "a", "asked": "q"}], **options)


def test_rows_without_a_reply_cannot_be_asked_about(polite):
    with pytest.raises(InvalidArgument, match="no reply and no verdict of an earlier run for row 1"):
        calibrate(polite, [{"label": 1}])


def test_verdicts_come_from_one_place_only(polite, rows, tmp_path):
    labels = labels_from([{"label": 1, "v": 1}], verdict="v")
    with pytest.raises(InvalidArgument, match="verdicts of their own"):
        calibrate(polite, labels)
    with pytest.raises(InvalidArgument, match="not from both"):
        calibrate("x", labels, judged=[])
    with pytest.raises(InvalidArgument, match="`threshold` is for stored verdicts"):
        calibrate(polite, rows, threshold=0.5)


JUDGES = [
    "GPT-4", "Llama3-70B", "Llama-70B", "JudgeLM", "Mistral-7B", "Llama-7B", "Llama-13B", "Llama3-8B",
    "Gemma-2B",
]  # fmt: skip
KNOWN = [*((judge, v) for judge in JUDGES for v in ("v1", "v2")), ("Contains", "v1"), ("EM", "v1")]


@pytest.mark.parametrize(("judge", "version"), KNOWN)
def test_the_known_figures_of_real_judges(data_folder, judge, version):
    expected = json.loads((data_folder / "acceptance.json").read_text(encoding="utf-8"))["triviaqa_agreement"]
    known = expected[f"{version}|{judge}"]
    with (data_folder / "triviaqa_judges" / f"{version}.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["human"]]
    found = calibrate(judge, labels_from(rows, label="human", verdict=judge, id="row"))
    table = found.confusion
    assert table.n_clusters == known["n"]
    assert {
        "agreement": table.estimate,
        "scott_pi": table.agreement.pi.estimate,
        "cohen_kappa": found.kappa.estimate,
        "gwet_ac1": table.agreement.ac1.estimate,
        "sensitivity": table.sensitivity.estimate,
        "specificity": table.specificity.estimate,
        "judge_rate": table.judge_rate.estimate,
        "human_rate": table.human_rate.estimate,
    } == {name: near(value) for name, value in known.items() if name != "n"}


def test_the_known_correction_of_a_real_pass_rate(data_folder):
    known = json.loads((data_folder / "acceptance.json").read_text(encoding="utf-8"))[
        "triviaqa_correction_example"
    ]
    with (data_folder / "triviaqa_judges" / "v1.csv").open(encoding="utf-8", newline="") as file:
        every = [row for row in csv.DictReader(file) if row["model"] == "mistral-7B"]
    rows = [{**row, "human": row["human"] if n < 100 else None} for n, row in enumerate(every)]
    labels = labels_from(rows, label="human", verdict="Llama3-70B", id="row")
    subset = calibrate("Llama3-70B", labels, design="random_subset").rate.corrected
    assert (subset.estimate, *subset.interval) == near(
        (known["ppi_tuned"]["est"], *known["ppi_tuned"]["ci95"])
    )
    separate = calibrate("Llama3-70B", labels, design="separate_calibration").rate.corrected
    assert (separate.estimate, *separate.interval) == near((known["rg"], *known["lee_ci95"]))
