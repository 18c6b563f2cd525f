"""Every number that is known of the real data sets, from their raw files through the public functions.

The numbers are those of `acceptance.json` in the data folder; without the folder these tests are skipped, and
`test_extracts.py` holds the main ones.
"""

import csv
import gzip
import json
import math
from collections import Counter
from collections.abc import Mapping
from itertools import combinations
from random import Random
from statistics import fmean, stdev

import pytest

from judgekit import statistics as js
from judgekit.errors import InvalidArgument

# What was rounded to six decimals, and what was drawn at random.
EXACT, DRAWN = 1e-6, 0.005


class Data:
    """The raw files of the data folder, each read once."""

    def __init__(self, folder):
        self.folder = folder
        self.held = {}

    def once(self, name, read):
        if name not in self.held:
            self.held[name] = read()
        return self.held[name]

    def lines(self, path):
        opened = gzip.open if path.endswith(".gz") else open
        with opened(self.folder / path, "rt", encoding="utf-8") as file:
            return file.read().splitlines()

    def csv(self, path):
        return self.once(path, lambda: list(csv.DictReader(self.lines(path))))

    def jsonl(self, path):
        return self.once(path, lambda: [json.loads(line) for line in self.lines(path)])

    @property
    def verdicts(self):
        """LLMBar: rows by subset, judge and strategy."""
        return self.once("llmbar", self._verdicts)

    def _verdicts(self):
        rows = {}
        for row in self.csv("llmbar/verdicts.csv.gz"):
            winners = tuple(row[name] or None for name in ("winner_order1", "winner_order2"))
            key = row["subset"], row["judge"], row["strategy"]
            rows.setdefault(key, []).append((row["label"], *winners))
        return rows

    def llmbar(self, judge, strategy):
        """The five subsets of LLMBar proper."""
        mine = [
            rows
            for (subset, *who), rows in self.verdicts.items()
            if subset.startswith("LLMBar/") and who == [judge, strategy]
        ]
        return [row for rows in mine for row in rows]

    def triviaqa(self, version="v1"):
        return self.csv(f"triviaqa_judges/{version}.csv")

    def by_model(self):
        """The rows of each exam-taker, in file order."""
        found = {}
        for row in self.triviaqa():
            found.setdefault(row["model"], []).append(row)
        return found


@pytest.fixture(scope="module")
def data(data_folder):
    return Data(data_folder)


@pytest.fixture(scope="module")
def known(data_folder):
    return json.loads((data_folder / "acceptance.json").read_text(encoding="utf-8"))


def passes(rows, column):
    return [None if row[column] == "" else row[column] == "1" for row in rows]


# Printed with five decimals.
COARSE = {"gwet_ac1", "fleiss", "ac1", "conger", "ac2_linear", "ac2_quadratic", "ac2_ordinal"}


def tolerance(key, expected):
    if "boot" in key or "signflip" in key:
        return {"abs": DRAWN}
    if 0 < abs(expected) < 1e-5:  # a p value in full
        return {"rel": 1e-6, "abs": 0}
    return {"abs": 5.1e-6 if key in COARSE else EXACT}


def matches(found, expected, where="", key=""):
    """Assert that everything expected is found, numbers within their tolerance."""
    if isinstance(expected, Mapping):
        for name, value in expected.items():
            assert name in found, f"{where}/{name}"
            matches(found[name], value, f"{where}/{name}", name)
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for place, (mine, value) in enumerate(zip(found, expected, strict=True)):
            matches(mine, value, f"{where}[{place}]", key)
    elif isinstance(expected, float):
        assert found is not None, where
        assert found == pytest.approx(expected, **tolerance(key, expected)), where
    else:
        assert found == expected, where


# --- LLMBar


def share_text(count, n):
    return f"{count} / {n} = {count / n * 100}%"


def llmbar_statistics(rows):
    """The authors' own five strings."""
    n = len(rows)
    labels, first, second = zip(*rows, strict=True)
    by_order = [js.agreement(labels, winners, categories=["1", "2"]) for winners in (first, second)]
    right = [sum(each.table[k][k] for k in range(2)) for each in by_order]
    both = sum(label == one == other for label, one, other in rows)
    equal = sum(one == other for _, one, other in rows)
    return {
        "correct_False": share_text(right[0], n),
        "correct_True": share_text(right[1], n),
        "correct_average": f"{sum(right) / (2 * n) * 100}%",
        "correct_both": share_text(both, n),
        "equal": share_text(equal, n),
    }


def llmbar_statistics_reproduced(data, _):
    published = data.jsonl("llmbar/published_statistics.jsonl")
    matched = 0
    for row in published:
        mine = llmbar_statistics(data.verdicts[row["subset"], row["judge"], row["strategy"]])
        matched += all(row[name] == text for name, text in mine.items())
    return {"matched": matched, "total": len(published)}


def kappa(a, b):
    """As the reference has it: an unread verdict is a category of its own."""
    named = [[label or "unread" for label in labels] for labels in (a, b)]
    return js.cohen_kappa(*named, categories=["1", "2", "unread"]).estimate


def llmbar(data, expected):
    published = {
        (row["subset"], row["judge"], row["strategy"]): row
        for row in data.jsonl("llmbar/published_statistics.jsonl")
    }
    found = {}
    for key in expected:
        who = tuple(key.split("|"))
        rows = data.verdicts[who]
        labels, first, second = zip(*rows, strict=True)
        n = len(rows)
        right = [
            sum(js.agreement(labels, w, categories=["1", "2"]).table[k][k] for k in range(2)) / n
            for w in (first, second)
        ]
        found[key] = {
            "n": n,
            "acc_avg": sum(right) / 2,
            "acc_order1": right[0],
            "acc_order2": right[1],
            "both": sum(label == one == other for label, one, other in rows) / n,
            "agreement": sum(one == other for _, one, other in rows) / n,
            "kappa_vs_gold_order1": kappa(labels, first),
            "kappa_published_order1": published[who]["kappa_False"],
            "kappa_between_orders": kappa(first, second),
        }
    return found


def llmbar_strategy_paired(data, expected):
    found = {}
    for key in expected:
        judge, both = key.split(":")
        sides = [data.llmbar(judge, strategy) for strategy in both.split(" vs ")]
        a, b = ([label == first for label, first, _ in side] for side in sides)
        mean = [[((label == one) + (label == other)) / 2 for label, one, other in side] for side in sides]
        difference = js.paired_difference(a, b)
        averaged = js.paired_difference(*mean)
        only_a, only_b = (
            sum(x and not y for x, y in zip(a, b, strict=True)),
            sum(y and not x for x, y in zip(a, b, strict=True)),
        )
        found[key] = {
            "n": len(a),
            "acc_a": difference.mean_a,
            "acc_b": difference.mean_b,
            "n10": only_a,
            "n01": only_b,
            "p_exact": js.mcnemar_exact(only_a, only_b),
            "avg_order_diff": averaged.estimate,
            "se_paired": averaged.paired_error,
        }
    return found


def llmbar_position_bias(data, expected):
    found = {}
    for key in expected:
        rows = data.llmbar(*key.split("|"))
        bias = js.position_bias([row[1:] for row in rows], first="1", second="2")
        found[key] = {
            "n": bias.n_items,
            # The reference counts a pair with an unread verdict as consistent; `bias.estimate` leaves it out.
            "consistent": 1 - bias.inconsistent / bias.n_items,
            "inconsistent": bias.inconsistent,
            "first_pos": bias.first_slot,
            "second_pos": bias.second_slot,
            "p_sign": bias.p_value,
            "unparsed": bias.unread_verdicts,
            "acc_order1": sum(label == one for label, one, _ in rows) / len(rows),
            "acc_order2": sum(label == other for label, _, other in rows) / len(rows),
        }
    return found


# --- PandaLM


def pandalm_rows(data):
    rows = data.jsonl("pandalm/testset.jsonl.gz")
    majority = [Counter(row["annotators"]).most_common(1)[0][0] for row in rows]
    return rows, majority


GPT35 = {"1": 1, "2": 2, "Tie": 0}


def pandalm(data, _):
    rows, majority = pandalm_rows(data)
    annotators = list(zip(*(row["annotators"] for row in rows), strict=True))
    items = [row["annotators"] for row in rows]

    def scores(predicted):
        macro = js.macro_scores(predicted, majority, categories=[0, 1, 2])
        labels = ["garbage" if label == "garbage" else str(label) for label in predicted]
        kappa = js.cohen_kappa(
            labels, [str(label) for label in majority], categories=["0", "1", "2", "garbage"]
        )
        return {
            "acc": macro.estimate,
            "prec": macro.precision,
            "rec": macro.recall,
            "f1": macro.f1,
            "kappa": kappa.estimate,
        }

    return {
        "n": len(rows),
        "majority": {str(label): count for label, count in Counter(majority).items()},
        **{
            f"kappa{i + 1}{j + 1}": js.cohen_kappa(annotators[i], annotators[j]).estimate
            for i, j in combinations(range(3), 2)
        },
        "alpha_nominal": js.krippendorff_alpha(items).estimate,
        "gwet_ac1": js.gwet_coefficient(items).estimate,
        "fleiss": js.fleiss_kappa(items).estimate,
        "gpt35_garbage_as_tie": scores([GPT35.get(row["gpt35"], 0) for row in rows]),
        "gpt35_garbage_as_error": scores([GPT35.get(row["gpt35"], "garbage") for row in rows]),
        "pandalm7b": scores([row["pandalm7b"] for row in rows]),
        "gpt35_unparsable": sum(row["gpt35"] not in GPT35 for row in rows),
    }


def kappa_ci_pandalm12(data, expected):
    rows, _ = pandalm_rows(data)
    whole = js.agreement(*list(zip(*(row["annotators"] for row in rows), strict=True))[:2])
    linear = js.table_kappa(whole.table, weights="linear")
    return {
        "table": [[float(count) for count in row] for row in whole.table],
        "kappa": whole.kappa.estimate,
        "se": whole.kappa.standard_error,
        "ci": list(whole.kappa.interval),
        "linear": {"kappa": linear.estimate, "se": linear.standard_error},
    }


def verbosity_pandalm(data, expected):
    rows, majority = pandalm_rows(data)
    side = {1: "a", 2: "b", 0: None}
    picks = {
        "human_majority": majority,
        "gpt35": [GPT35.get(row["gpt35"], 0) for row in rows],
        "pandalm7b": [row["pandalm7b"] for row in rows],
    }
    found = {}
    for name, judged in picks.items():
        bias = js.length_bias(
            (len(str(row["response1"])), len(str(row["response2"])), side[pick], side[human])
            for row, pick, human in zip(rows, judged, majority, strict=True)
        )
        found[name] = {
            "n": bias.judge_longer.n_runs,
            "pick_longer": bias.judge_longer.estimate,
            "errors": bias.errors,
            "errors_toward_longer": bias.errors_longer.estimate,
            "p_err": bias.p_value if bias.errors else None,
        }
    return found


# --- repeats


def prometheus_gpt4x3(data, expected):
    found = {}
    for name in expected:
        items = [
            row["gpt4_score"] for row in data.jsonl("prometheus_gpt4x3/scores.jsonl.gz") if row["set"] == name
        ]
        report = js.repeatability(items)
        found[name] = {
            "n": report.n_items,
            "k": report.mean_repeats,
            "all_equal": report.all_equal.estimate,
            "pairwise_agree": report.pairwise,
            "alpha_ordinal": report.alpha_ordinal.estimate,
            "alpha_interval": report.alpha_interval.estimate,
            "icc1": report.icc_single.estimate,
            "iccK": report.icc_mean.estimate,
            "within_sd": report.within_sd,
        }
    return found


def tau_airline(data, expected):
    rows = data.csv("tau_bench_airline/rewards.csv")
    rewards = [float(row["reward"]) for row in rows]
    tasks = [row["task_id"] for row in rows]
    counts = js.counts_by_cluster([reward == 1 for reward in rewards], tasks)
    found = {}
    for k in range(1, 5):
        hat, at = js.pass_hat_k(counts, k), js.pass_at_k(counts, k)
        found |= {f"pass^{k}": hat.estimate, f"pass^{k}_se_cluster": hat.standard_error}
        found |= {f"pass@{k}": at.estimate, f"pass@{k}_se": at.standard_error}
    mean = js.cluster_mean(rewards, tasks)
    rate = js.pass_rate(counts)
    assert rate.interval == pytest.approx(mean.interval)
    assert rate.effective_n == pytest.approx(mean.effective_n)
    passed, n, worth = int(sum(rewards)), len(rewards), rate.effective_n
    wilson, exact = js.wilson_interval(passed, n), js.clopper_pearson_interval(passed, n)
    effective = js.wilson_interval(rate.estimate * worth, worth)
    return found | {
        "n_runs": rate.n_runs,
        "n_tasks": rate.n_clusters,
        "mean": rate.estimate,
        "se_naive_iid": mean.naive_error,
        "se_clt_ddof1": js.cluster_mean(rewards).standard_error,
        "se_cluster_miller": mean.uncorrected_error,
        "se_cluster_G/(G-1)": rate.standard_error,
        "deff": rate.design_effect,
        "n_eff": worth,
        "wilson_iid": [wilson.low, wilson.high],
        "cp_iid": [exact.low, exact.high],
        "wilson_neff": [effective.low, effective.high],
        "t_cluster": list(rate.interval),
        "icc1": js.intraclass_correlation([[1] * c.passed + [0] * c.failed for c in counts]).estimate,
        "cluster_bootstrap_pct_seed0": list(js.cluster_bootstrap(rewards, tasks).interval),
    }


def tau_trajectory_evaluators(data, expected):
    """The matchers themselves are tested with the adapters; here what their counts say."""
    found = dict(expected)
    for name, row in expected.items():
        if not isinstance(row, dict) or "tp" not in row:
            continue
        pairs = [(True, True)] * row["tp"] + [(True, False)] * row["fp"]
        pairs += [(False, True)] * row["fn"] + [(False, False)] * row["tn"]
        table = js.confusion([judge for judge, _ in pairs], [human for _, human in pairs])
        found[name] = {
            "passed": table.true_pass + table.false_pass,
            "tp": table.true_pass,
            "fp": table.false_pass,
            "fn": table.false_fail,
            "tn": table.true_fail,
            "sens": table.sensitivity.estimate,
            "spec": table.specificity.estimate,
            "kappa": table.agreement.kappa.estimate,
        }
    return found


# --- TriviaQA


def triviaqa_agreement(data, expected):
    found = {}
    for key in expected:
        version, judge = key.split("|")
        rows = data.triviaqa(version)
        table = js.confusion(passes(rows, judge), passes(rows, "human"))
        found[key] = {
            "n": table.n_runs // 2,
            "agreement": table.estimate,
            "scott_pi": table.agreement.pi.estimate,
            "cohen_kappa": table.agreement.kappa.estimate,
            "gwet_ac1": table.agreement.ac1.estimate,
            "sensitivity": table.sensitivity.estimate,
            "specificity": table.specificity.estimate,
            "judge_rate": table.judge_rate.estimate,
            "human_rate": table.human_rate.estimate,
        }
    return found


def triviaqa_correction_example(data, _):
    rows = [row for row in data.triviaqa() if row["model"] == "mistral-7B"]
    judge, human = passes(rows, "Llama3-70B"), passes(rows, "human")
    triple = js.corrected_pass_rate(judge, human[:100] + [None] * 300, design="separate_calibration")
    gladen = triple.corrected
    subset = js.corrected_pass_rate(judge, human[:100] + [None] * 300, design="random_subset")

    def powered(tuning):
        return js.prediction_powered(human[:100], judge[:100], judge[100:], tuning=tuning)

    tuned = powered(None)
    assert subset.interval == pytest.approx(tuned.interval)
    return {
        "n_test": triple.judge.n_runs,
        "m0": gladen.human_fails,
        "m1": gladen.human_passes,
        "p": triple.judge.estimate,
        "q0": gladen.specificity,
        "q1": gladen.sensitivity,
        "rg": gladen.estimate,
        "lee_ci95": list(gladen.interval),
        "truth_all": sum(human) / 400,
        "truth_test": sum(human[100:]) / 300,
        "ppi_lam0": {"est": powered(0).estimate, "ci95": list(powered(0).interval)},
        "ppi_lam1": {"est": powered(1).estimate, "ci95": list(powered(1).interval)},
        "ppi_tuned": {"est": tuned.estimate, "ci95": list(tuned.interval)},
    }


def triviaqa_paired_mcnemar(data, expected):
    # Five rows that no judge read repeat questions of the same exam-taker.
    human = {
        model: {row["question"]: row["human"] == "1" for row in rows if row["GPT-4"]}
        for model, rows in data.by_model().items()
    }
    found, p_values = {}, {}
    for key in (key for key in expected if "|" in key):
        first, second = (human[name] for name in key.split("|"))
        shared = [question for question in first if question in second]
        a, b = ([side[question] for question in shared] for side in (first, second))
        difference = js.paired_difference(a, b)
        only_a = sum(x and not y for x, y in zip(a, b, strict=True))
        only_b = sum(y and not x for x, y in zip(a, b, strict=True))
        p_values[key] = js.mcnemar_exact(only_a, only_b)
        found[key] = {
            "n": difference.n_items,
            "acc_a": difference.mean_a,
            "acc_b": difference.mean_b,
            "n10": only_a,
            "n01": only_b,
            "diff": difference.estimate,
            "mcnemar_exact_p": p_values[key],
            "mcnemar_midp": js.mcnemar_mid_p(only_a, only_b),
            "se_paired": difference.paired_error,
            "se_unpaired": difference.unpaired_error,
            "corr": difference.correlation,
        }
    adjustments = {
        "holm": js.holm,
        "fdr_bh": js.benjamini_hochberg,
        "fdr_by": js.benjamini_yekutieli,
        "bonferroni": js.bonferroni,
    }
    found["_rejections_unadjusted"] = sum(p < 0.05 for p in p_values.values())
    for name, adjust in adjustments.items():
        adjusted = adjust(list(p_values.values()))
        found[f"_rejections_{name}"] = sum(p < 0.05 for p in adjusted)
        for key, p in zip(p_values, adjusted, strict=True):
            found[key][name] = p
    return found


def mixture_log_e(passed, total, rate):
    """The e-value by plain quadrature, on the log scale."""
    from scipy.integrate import quad

    def log_ratio(p):
        return passed * math.log(p / rate) + (total - passed) * math.log((1 - p) / (1 - rate))

    return math.log(
        quad(lambda p: math.exp(log_ratio(p)), rate, 1 - 1e-12, epsabs=0, limit=500)[0] / (1 - rate)
    )


# Where the e-value is tiny the reference lost its digits in 1 - I(p); these are right by quadrature.
UNDERFLOWN = {"llama2-13b-chat", "llama2-7b-base", "llama2-7b-chat", "mistral-7b-chat"}
LAST = "eproc_final_logE_p0=0.8"


def without_underflow(expected):
    return {
        model: {key: value for key, value in row.items() if key != LAST or model not in UNDERFLOWN}
        for model, row in expected.items()
    }


def test_a_tiny_e_value_is_that_of_quadrature_where_the_reference_underflows(data, known):
    for model in UNDERFLOWN:
        outcomes = passes(data.by_model()[model], "human")
        mine = js.log_e_at_most(sum(outcomes), len(outcomes), rate=0.8)
        assert mine == pytest.approx(mixture_log_e(sum(outcomes), len(outcomes), 0.8), abs=1e-6)
        assert abs(mine - known["sequential_triviaqa"][model][LAST]) > 0.01


def sequential_triviaqa(data, expected):
    names = {"accept_h0": "accept_H0", "accept_h1": "accept_H1", "undecided": "undecided"}
    found = {}
    for model in expected:
        outcomes = passes(data.by_model()[model], "human")
        mine = {"n": len(outcomes), "rate": sum(outcomes) / len(outcomes)}
        for low, high in ((0.6, 0.7), (0.7, 0.8), (0.8, 0.9)):
            test = js.sprt(outcomes, rate0=low, rate1=high)
            mine[f"sprt_{low}_{high}"] = [names[test.decision], test.n, test.log_ratio]
        for n in (20, 50, 100, 200, 400):
            interval = js.confidence_sequence(sum(outcomes[:n]), n)
            mine[f"bbcs_n{n}"] = [sum(outcomes[:n]), interval.low, interval.high]
        for rate in (0.6, 0.7, 0.8):
            mine[f"eproc_reject_p<={rate}_at"] = js.rejected_at(outcomes, rate=rate)
            mine[f"eproc_final_logE_p0={rate}"] = js.log_e_at_most(sum(outcomes), len(outcomes), rate=rate)
        found[model] = mine
    return found


def prpl_eb_gpt4t_regularised_mean(data, expected):
    outcomes = passes(data.by_model()["gpt-4t"], "human")
    found = {"note": expected["note"]}
    for n in (key for key in expected if key.isdigit()):
        interval = js.empirical_bernstein_sequence(outcomes[: int(n)])
        found[n] = [interval.low, interval.high]
    return found


def panel_triviaqa_v1(data, expected):
    judges = list(expected["single"])
    rows = [row for row in data.triviaqa() if all(row[name] for name in (*judges, "human"))]
    human = passes(rows, "human")
    found = {"n": len(rows), "single": {}}
    for judge in judges:
        table = js.confusion(passes(rows, judge), human)
        found["single"][judge] = {"acc": table.estimate, "kappa": table.agreement.kappa.estimate}
    for name, panel in expected.items():
        if not isinstance(panel, dict) or "members" not in panel:
            continue
        reading = js.panel_reading({judge: passes(rows, judge) for judge in panel["members"]}, human)
        found[name] = {
            "members": list(reading.accuracy),
            "acc": reading.estimate,
            "kappa": reading.kappa.estimate,
            "mean_error_corr": reading.error_correlation,
            "n_eff": reading.n_eff,
            "unanimous_rate": reading.unanimous.estimate,
            "acc_when_unanimous": reading.unanimous_accuracy.estimate,
        }
    return found


# --- the rest


def arena_judge(data, expected):
    rows = data.csv("arena_judge_debias/judgements.csv")
    found = {}
    for key in expected:
        mine = [row for row in rows if f"{row['pair']}|{row['judge']}" == key]
        human_a = [row["human_winner"] == "model_a" for row in mine]
        judge_a = [row["judge_pick"] == "A" if row["judge_pick"] else None for row in mine]
        claude_a = [row["model_a"].startswith("claude") for row in mine]
        human = [pick == side for pick, side in zip(human_a, claude_a, strict=True)]
        judge = [None if pick is None else pick == side for pick, side in zip(judge_a, claude_a, strict=True)]
        table = js.confusion(judge, human)
        slot = js.confusion(judge_a, human_a)
        found[key] = {
            "n": table.human_rate.n_runs,
            "human_win_claude": table.human_rate.estimate,
            "judge_win_claude": table.judge_rate.estimate,
            "agreement": table.estimate,
            "sens": table.sensitivity.estimate,
            "spec": table.specificity.estimate,
            "judge_pick_A": slot.judge_rate.estimate,
            "human_pick_A": slot.human_rate.estimate,
            "pickA_binom_p_vs_human": js.exact_sign_test(
                slot.true_pass + slot.false_pass, slot.judge_rate.n_runs, rate=slot.human_rate.estimate
            ),
        }
    return found


def livebench_paired(data, expected):
    rows = data.csv("livebench_scores/top20_scores.csv.gz")
    found = {}
    for key in expected:
        a, b = key.split("|")
        both = [row for row in rows if row[a] and row[b]]
        first, second = ([float(row[name]) for row in both] for name in (a, b))
        tasks = [row["task"] for row in both]
        plain, clustered = js.paired_difference(first, second), js.paired_difference(first, second, tasks)
        differences = [x - y for x, y in zip(first, second, strict=True)]
        found[key] = {
            "n": plain.n_items,
            "mean_a": plain.mean_a,
            "mean_b": plain.mean_b,
            "diff": plain.estimate,
            "se_paired": plain.paired_error,
            "se_unpaired": plain.unpaired_error,
            "corr": plain.correlation,
            "se_cluster_task": clustered.uncorrected_error,
            "tasks": clustered.n_clusters,
            "t": plain.t,
            "p_t": plain.p_value,
            "p_cluster_t": clustered.p_value,
            "boot_pct95_seed0": list(js.cluster_bootstrap(differences).interval),
            "signflip_p_seed0": js.sign_flip_p(differences, resamples=40_000),
        }
    return found


def lee_readme_example(data, _):
    result = js.rogan_gladen(1000, 400, human_passes=200, judge_passed=180, human_fails=200, judge_failed=140)
    allocation = js.label_allocation(200, 0.4, 0.7, 0.9, pilot=10)
    return {"theta": result.estimate, "ci": list(result.interval), "alloc": list(allocation)}


def tiny_corr_case(data, expected):
    judge, human = expected["judge"], expected["human"]
    rows = [(expected["doc"], *row) for row in zip(expected["systems"], judge, human, strict=True)]
    found = dict(expected)
    for name, coefficient in (
        ("spearman", "spearman"),
        ("kendall_b", "kendall-b"),
        ("kendall_c", "kendall-c"),
        ("pearson", "pearson"),
    ):
        found[name] = js.rank_correlation(judge, human, coefficient=coefficient)
        for protocol in ("group", "system"):  # one document: each is the same coefficient
            assert js.rank_agreement(
                rows, protocol=protocol, coefficient=coefficient
            ).estimate == pytest.approx(found[name])
    return found


_ = None
# Krippendorff (2011), four observers and twelve units.
FOUR_BY_TWELVE = list(
    zip(
        [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
        [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
        strict=True,
    )
)


def unit_reference(data, expected):
    intervals = {
        "wilson": js.wilson_interval,
        "clopper_pearson": js.clopper_pearson_interval,
        "jeffreys": js.jeffreys_interval,
        "agresti_coull": js.agresti_coull_interval,
    }

    def ends(interval):
        return [interval.low, interval.high]

    found = {}
    for key in (key for key in expected if key.startswith("newcombe_")):
        passed, total = map(int, key.removeprefix("newcombe_").split("/"))
        found[key] = {name: ends(make(passed, total)) for name, make in intervals.items()}
    found["krippendorff_2011_4x12"] = {
        scale: js.krippendorff_alpha(FOUR_BY_TWELVE, scale=scale).estimate
        for scale in ("nominal", "ordinal", "interval", "ratio")
    }
    found["gwet_4x12"] = {
        "ac1": js.gwet_coefficient(FOUR_BY_TWELVE).estimate,
        "fleiss": js.fleiss_kappa(FOUR_BY_TWELVE).estimate,
        "conger": js.conger_kappa(FOUR_BY_TWELVE).estimate,
        **{
            f"ac2_{weights}": js.gwet_coefficient(FOUR_BY_TWELVE, weights=weights).estimate
            for weights in ("linear", "quadratic", "ordinal")
        },
    }
    found["mcnemar_exact"] = {
        key: js.mcnemar_exact(*map(int, key.split("-"))) for key in expected["mcnemar_exact"]
    }
    found["sprt_bounds"] = {
        "a.05b.05": list(js.sprt_bounds(0.05, 0.05)),
        "a.05b.1": list(js.sprt_bounds(0.05, 0.1)),
    }
    found["rule_of_three_n30"] = js.clopper_pearson_upper(0, 30)
    found["cp_upper_onesided_zero_failures"] = {
        n: js.clopper_pearson_upper(0, int(n)) for n in expected["cp_upper_onesided_zero_failures"]
    }
    found["min_n_zero_errors"] = {
        f"alpha{alpha}_delta{delta}": js.clean_runs_needed(alpha, confidence=1 - delta)
        for alpha in (0.01, 0.05, 0.1, 0.15)
        for delta in (0.05, 0.1)
    }
    found["bbcs"] = {key: ends(js.confidence_sequence(*map(int, key.split("/")))) for key in expected["bbcs"]}
    found["holm_example"] = js.holm([0.01, 0.04, 0.03, 0.005])
    found["bh_example"] = js.benjamini_hochberg([0.01, 0.04, 0.03, 0.005])
    found["miller_power"] = {
        "note": expected["miller_power"]["note"],
        "n_for_delta3pct": js.miller_cases(0.03, between=1 / 9),
    }
    return found


# --- drawn at random: the reference does not name its draws, so these are our own


def splits(data, judge, m, repeats, seed):
    """m answers of each exam-taker with a human label, the rest with the judge alone, and m of the others."""
    random = Random(seed)
    by_model = {
        model: [
            (h, j) for h, j in zip(passes(rows, "human"), passes(rows, judge), strict=True) if j is not None
        ]
        for model, rows in data.by_model().items()
    }
    for model, mine in by_model.items():
        others = [pair for other, pairs in by_model.items() if other != model for pair in pairs]
        truth = sum(human for human, _ in mine) / len(mine)
        for _ in range(repeats):
            random.shuffle(mine)
            yield truth, mine[:m], mine[m:], random.sample(others, m)


def rogan_gladen(labelled, rest):
    judged = [judge for _, judge in rest]
    passed = [judge for human, judge in labelled if human]
    failed = [not judge for human, judge in labelled if not human]
    return js.rogan_gladen(
        len(judged), sum(judged), human_passes=len(passed), judge_passed=sum(passed),
        human_fails=len(failed), judge_failed=sum(failed),
        least_youden=1e-9,  # the reference refuses only a judge that tells nothing at all
    )  # fmt: skip


def powered(labelled, rest, tuning):
    human, judge = zip(*labelled, strict=True)
    return js.prediction_powered(human, judge, [judge for _, judge in rest], tuning=tuning)


def wilson(values):
    return js.share_of(sum(values), len(values))


METHODS = {
    "naive_judge_wilson": lambda labelled, rest, others: wilson([judge for _, judge in rest]),
    "human_only_wilson": lambda labelled, rest, others: wilson([human for human, _ in labelled]),
    "RG_Lee_same_model_cal": lambda labelled, rest, others: rogan_gladen(labelled, rest),
    "RG_Lee_other_models_cal": lambda labelled, rest, others: rogan_gladen(others, rest),
    "PPI_lam1": lambda labelled, rest, others: powered(labelled, rest, 1),
    "PPI++": lambda labelled, rest, others: powered(labelled, rest, None),
}


def close(mine, theirs, spread, n):
    """Within the tolerance of drawn numbers, or four standard errors of both draws where that is more."""
    return mine == pytest.approx(theirs, abs=max(DRAWN, 4 * spread * (n**-0.5 + 1800**-0.5)))


def check_drawn(results, expected, coverage):
    """Usable intervals, their error, coverage and width against those of 1,800 draws of the reference."""
    usable = [(truth, each) for truth, each in results if each.interval]
    n = len(usable)
    share = expected["n"] / 1800
    assert close(n / len(results), share, (share * (1 - share)) ** 0.5, len(results))
    covered = sum(each.low <= truth <= each.high for truth, each in usable) / n
    assert close(covered, expected[coverage], (expected[coverage] * (1 - expected[coverage])) ** 0.5, n)
    for name, values in (
        ("width", [each.high - each.low for _, each in usable]),
        ("mae", [abs(each.estimate - truth) for truth, each in usable]),
    ):
        if expected[name] is not None:
            assert close(fmean(values), expected[name], stdev(values), n), name
    return covered, fmean(each.high - each.low for _, each in usable)


REPEATS = 60


@pytest.mark.parametrize("judge", ["GPT-4", "Llama3-70B", "Mistral-7B", "JudgeLM", "Contains", "Gemma-2B"])
def test_triviaqa_correction_coverage(judge, data, known):
    key = known["triviaqa_correction_coverage"]
    expected = key["judges"][judge]
    drawn = list(splits(data, judge, key["m"], REPEATS, seed=judge))
    found = {
        name: check_drawn([(truth, method(*parts)) for truth, *parts in drawn], expected[name], "coverage")
        for name, method in METHODS.items()
        # How the reference chose labels of other exam-takers for this judge cannot be told.
        if (judge, name) != ("Gemma-2B", "RG_Lee_other_models_cal")
    }
    if judge != "Gemma-2B":
        assert 0.96 <= found["PPI++"][0] <= 1
    assert found["PPI++"][1] < found["human_only_wilson"][1]


@pytest.mark.parametrize(
    "key", [f"{judge}|m={m}" for judge in ("GPT-4", "Llama3-70B", "Mistral-7B") for m in (30, 50, 100, 200)]
)
def test_label_budget(key, data, known):
    judge, m = key.split("|m=")
    expected = known["label_budget"][key]
    drawn = list(splits(data, judge, int(m), REPEATS, seed=key))
    for name, method in (
        ("human_wilson", "human_only_wilson"),
        ("ppi++", "PPI++"),
        ("rg_lee", "RG_Lee_same_model_cal"),
    ):
        check_drawn(
            [(truth, METHODS[method](*parts)) for truth, *parts in drawn],
            expected[name],
            "cov",
        )


REPRODUCED = {
    function.__name__: function
    for function in (
        llmbar_statistics_reproduced, llmbar, llmbar_strategy_paired, llmbar_position_bias, pandalm,
        kappa_ci_pandalm12, verbosity_pandalm, prometheus_gpt4x3, tau_airline, tau_trajectory_evaluators,
        triviaqa_agreement, triviaqa_correction_example, triviaqa_paired_mcnemar, sequential_triviaqa,
        prpl_eb_gpt4t_regularised_mean, panel_triviaqa_v1, arena_judge, livebench_paired, lee_readme_example,
        tiny_corr_case, unit_reference,
    )
}  # fmt: skip

DRAWN_KEYS = {"triviaqa_correction_coverage", "label_budget"}


@pytest.mark.parametrize("key", REPRODUCED)
def test_a_known_key_is_reproduced(key, data, known):
    expected = known[key]
    if key == "sequential_triviaqa":
        expected = without_underflow(expected)
    matches(REPRODUCED[key](data, expected), expected)


def test_every_known_key_has_a_test(known):
    assert set(known) == {*REPRODUCED, *DRAWN_KEYS}


def test_labels_coded_differently_are_refused_where_the_published_kappa_compared_them(data, known):
    rows = data.verdicts["LLMBar/Natural", "GPT-4", "Vanilla"]
    gold = [int(label) - 1 for label, _, _ in rows]
    judged = [int(winner) for _, winner, _ in rows]
    with pytest.raises(InvalidArgument, match=r"\[0, 1\] against \[1, 2\]"):
        js.agreement(gold, judged)
    right = js.cohen_kappa([label + 1 for label in gold], judged)
    assert right.estimate == pytest.approx(0.897709, abs=EXACT)
    assert known["llmbar"]["LLMBar/Natural|GPT-4|Vanilla"]["kappa_published_order1"] == pytest.approx(
        0.267757
    )
