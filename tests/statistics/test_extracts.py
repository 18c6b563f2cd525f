"""Known numbers of real data, from the small extracts that the repository holds (`data/NOTICE.md`)."""

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from judgekit import statistics as js
from judgekit.errors import InvalidArgument

FOLDER = Path(__file__).parent / "data"


def extract(name):
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def near(*values, abs=1e-6):
    return pytest.approx(values[0] if len(values) == 1 else values, abs=abs)


@pytest.fixture(scope="module")
def airline():
    tasks = extract("tau_bench_airline").items()
    return js.counts_by_cluster(
        [run == "1" for _, runs in tasks for run in runs], [task for task, runs in tasks for _ in runs]
    )


def test_four_trials_of_a_task_are_not_four_tasks(airline):
    rate = js.pass_rate(airline)
    assert (rate.estimate, rate.n_items, rate.n_runs, rate.n_clusters) == (0.42, 50, 200, 50)
    assert rate.standard_error == near(0.052216)
    assert rate.design_effect == near(2.193760)
    assert rate.effective_n == near(91.167665)
    assert rate.interval == near(0.315068, 0.524932)
    pooled = js.wilson_interval(84, 200)
    assert (pooled.low, pooled.high) == near(0.353736, 0.489279)


@pytest.mark.parametrize(
    ("k", "hat", "at"), [(1, 0.42, 0.42), (2, 0.273333, 0.566667), (3, 0.22, 0.66), (4, 0.2, 0.72)]
)
def test_pass_hat_k_is_that_of_the_leaderboard(airline, k, hat, at):
    assert js.pass_hat_k(airline, k).estimate == near(hat)
    assert js.pass_at_k(airline, k).estimate == near(at)


def test_the_share_of_variance_between_tasks(airline):
    readings = [[1] * case.passed + [0] * case.failed for case in airline]
    assert js.intraclass_correlation(readings).estimate == near(0.404584)


@pytest.mark.parametrize(
    ("name", "flip", "pairwise_equal", "ordinal", "icc", "icc_mean", "sd"),
    [
        ("mt_bench_eval", 0.559375, 0.611458, 0.814523, 0.851254, 0.944960, 0.507239),
        ("vicuna_eval", 0.378125, 0.745833, 0.723442, 0.807868, 0.926548, 0.366572),
    ],
)
def test_gpt4_grading_the_same_reply_three_times(name, flip, pairwise_equal, ordinal, icc, icc_mean, sd):
    report = js.repeatability([list(map(int, grades)) for grades in extract("prometheus")[name]])
    assert report.estimate == near(flip)
    assert report.pairwise == near(pairwise_equal)
    assert report.alpha_ordinal.estimate == near(ordinal)
    assert report.icc_single.estimate == near(icc)
    assert report.icc_mean.estimate == near(icc_mean)
    assert report.within_sd == near(sd)


@pytest.fixture(scope="module")
def pandalm():
    held = extract("pandalm")
    labels = [list(map(int, three)) for three in held["annotators"]]
    return held, labels, [Counter(three).most_common(1)[0][0] for three in labels]


def test_three_annotators_of_999_pairs(pandalm):
    _, labels, _ = pandalm
    first, second, third = zip(*labels, strict=True)
    kappa = js.cohen_kappa(first, second)
    assert kappa.estimate == near(0.852023)
    assert kappa.standard_error == near(0.015078)
    assert kappa.interval == near(0.822471, 0.881575)
    assert [js.cohen_kappa(a, b).estimate for a, b in pairwise((second, third, first))] == near(
        0.861661, 0.878944
    )
    assert js.krippendorff_alpha(labels).estimate == near(0.864221)
    assert js.gwet_coefficient(labels).estimate == near(0.88644, abs=6e-6)
    assert js.fleiss_kappa(labels).estimate == near(0.86418, abs=6e-6)


def test_an_unreadable_reply_taken_for_a_tie_raises_the_published_accuracy(pandalm):
    held, _, majority = pandalm
    as_tie = js.macro_scores(
        [int(x) if x != "?" else 0 for x in held["gpt35"]], majority, categories=[0, 1, 2]
    )
    as_wrong = js.macro_scores(
        [int(x) if x != "?" else -1 for x in held["gpt35"]], majority, categories=[0, 1, 2]
    )
    assert (as_tie.estimate, as_tie.precision, as_tie.recall, as_tie.f1) == near(
        0.710711, 0.587919, 0.573623, 0.575538
    )
    assert (as_wrong.estimate, as_wrong.precision, as_wrong.recall, as_wrong.f1) == near(
        0.697698, 0.536540, 0.532354, 0.527419
    )
    left_out = js.macro_scores(
        [int(x) if x != "?" else None for x in held["gpt35"]], majority, categories=[0, 1, 2]
    )
    assert (left_out.n_runs, left_out.n_missing) == (974, 25)


def test_a_judge_may_lean_to_the_shorter_reply(pandalm):
    held, _, majority = pandalm
    side = {1: "a", 2: "b"}
    bias = js.length_bias(
        (*lengths, side.get(int(pick.replace("?", "0"))), side.get(human))
        for lengths, pick, human in zip(held["lengths"], held["gpt35"], majority, strict=True)
    )
    assert bias.judge_longer.estimate == near(0.619151)
    assert bias.human_longer.estimate == near(0.675310)
    assert (bias.errors, bias.errors_longer.estimate) == (155, near(0.354839))
    assert bias.p_value == near(0.00037560461)
    assert bias.estimate < 0


def llmbar(judge, strategy):
    label, first, second = extract("llmbar")[f"{judge}|{strategy}"]
    return label, *([None if winner == "?" else winner for winner in side] for side in (first, second))


@pytest.mark.parametrize(
    ("judge", "strategy", "consistent", "inconsistent", "first", "second", "unread"),
    [
        ("GPT-4", "Vanilla", 389, 30, 20, 10, 0),
        ("GPT-4", "CoT", 374, 45, 32, 13, 0),
        ("ChatGPT", "Vanilla", 276, 143, 133, 10, 0),
        ("ChatGPT", "CoT", 244, 170, 167, 3, 5),
        ("PaLM2", "Vanilla", 300, 115, 83, 32, 8),
    ],
)
def test_what_wins_hangs_on_the_slot(judge, strategy, consistent, inconsistent, first, second, unread):
    _, straight, swapped = llmbar(judge, strategy)
    bias = js.position_bias(zip(straight, swapped, strict=True), first="1", second="2")
    assert (bias.consistent, bias.inconsistent) == (consistent, inconsistent)
    assert (bias.first_slot, bias.second_slot) == (first, second)
    assert (bias.unread_verdicts, bias.n_runs) == (unread, 2 * (consistent + inconsistent))
    assert bias.primacy > 0


def test_rules_in_the_prompt_make_gpt4_better_at_judging():
    label, plain, _ = llmbar("GPT-4", "Vanilla_NoRules")
    _, ruled, _ = llmbar("GPT-4", "Vanilla")
    old, new = (
        {str(item): [winner == right] for item, (winner, right) in enumerate(zip(side, label, strict=True))}
        for side in (plain, ruled)
    )
    found = js.compare_pass_fail(new, old)
    assert found.verdict is js.ComparisonVerdict.IMPROVED
    assert (len(found.improved), len(found.worsened)) == (33, 5)
    assert found.p_value == pytest.approx(4.255962267052382e-06, rel=1e-9)
    assert (found.new_mean, found.old_mean) == near(0.828162, 0.761337)


def test_labels_in_two_codings_are_refused():
    """The published kappa of 0.268 compared 0 and 1 with 1 and 2."""
    label, winner, _ = llmbar("GPT-4", "Vanilla")
    with pytest.raises(InvalidArgument, match="share a coding"):
        js.cohen_kappa([int(x) - 1 for x in label], [int(x) for x in winner])


def test_a_difference_may_rest_on_a_few_tasks():
    tasks = extract("livebench")
    pairs = [(*scores, task) for task, rows in tasks.items() for scores in rows]
    a, b, keys = zip(*pairs, strict=True)
    alone, clustered = js.paired_difference(a, b), js.paired_difference(a, b, keys)
    assert (alone.estimate, alone.standard_error, alone.unpaired_error) == near(0.044384, 0.013815, 0.019822)
    assert alone.p_value == near(0.0013563555906)
    assert (clustered.uncorrected_error, clustered.p_value) == near(0.035880, 0.245783224)
    assert clustered.n_clusters == 18
    differences = [x - y for x, y in zip(a, b, strict=True)]
    assert js.sign_flip_p(differences) == near(0.0016, abs=0.005)
    assert js.cluster_bootstrap(differences).interval == near(0.017211, 0.071051, abs=0.005)


def test_a_judge_that_likes_one_side_more_than_people_do():
    held = {name: [x == "1" for x in text] for name, text in extract("arena").items()}
    won = {
        who: [pick == side for pick, side in zip(held[who], held["claude_is_a"], strict=True)]
        for who in ("judge_a", "human_a")
    }
    table = js.confusion(won["judge_a"], won["human_a"])
    assert (table.human_rate.estimate, table.judge_rate.estimate) == near(0.409231, 0.486154)
    assert (table.sensitivity.estimate, table.specificity.estimate) == near(0.556391, 0.5625)
    assert table.leniency == near(0.486154 - 0.409231)
