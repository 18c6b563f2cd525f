"""Intervals, tests and corrections on plain numbers; each name is loaded when it is first used.

Every result says its estimate, interval, level and method, what it stands on and what was missing. Nothing is
NaN: what is not defined is None, with a reason.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judgekit.statistics.accuracy import Confusion, MacroScores, confusion, macro_scores, share_of
    from judgekit.statistics.alternative import AlternativeTest, AnnotatorComparison, alt_test
    from judgekit.statistics.bias import (
        FamilyPreference,
        LengthBias,
        LengthChoice,
        PositionBias,
        exact_sign_test,
        family_preference,
        length_bias,
        position_bias,
    )
    from judgekit.statistics.clustered import ClusterMean, cluster_mean
    from judgekit.statistics.comparing import (
        Comparison,
        ComparisonVerdict,
        adjusted,
        compare_pass_fail,
        compare_scores,
    )
    from judgekit.statistics.correction import CorrectedRate, corrected_pass_rate
    from judgekit.statistics.counts import CaseCounts, counts_by_cluster
    from judgekit.statistics.estimate import LEVEL, Estimate
    from judgekit.statistics.gladen import RoganGladen, label_allocation, rogan_gladen
    from judgekit.statistics.intervals import (
        Interval,
        agresti_coull_interval,
        clean_runs_needed,
        clopper_pearson_interval,
        clopper_pearson_lower,
        clopper_pearson_upper,
        jeffreys_interval,
        newcombe_difference,
        newcombe_paired_difference,
        rate_interval,
        wilson_interval,
    )
    from judgekit.statistics.jackknife import cluster_jackknife
    from judgekit.statistics.kappa import Agreement, agreement, cohen_kappa, scott_pi, table_kappa
    from judgekit.statistics.krippendorff import krippendorff_alpha
    from judgekit.statistics.looks import ShareLooks
    from judgekit.statistics.multiplicity import benjamini_hochberg, benjamini_yekutieli, bonferroni, holm
    from judgekit.statistics.paired import PairedDifference, mcnemar_exact, mcnemar_mid_p, paired_difference
    from judgekit.statistics.panels import PanelReading, panel_reading
    from judgekit.statistics.planning import cases_for_drop, cases_for_gate, more_cases_needed
    from judgekit.statistics.prediction import PredictionPowered, prediction_powered
    from judgekit.statistics.ranks import RankAgreement, ScoredItem, rank_agreement, rank_correlation
    from judgekit.statistics.raters import conger_kappa, fleiss_kappa, gwet_coefficient
    from judgekit.statistics.rates import Rate, pass_rate, pass_rate_bounds
    from judgekit.statistics.reliability import Repeatability, intraclass_correlation, repeatability
    from judgekit.statistics.repeats import pass_at_k, pass_hat_k
    from judgekit.statistics.resampling import bootstrap_interval, cluster_bootstrap, sign_flip_p
    from judgekit.statistics.sequential import (
        SprtResult,
        confidence_sequence,
        empirical_bernstein_sequence,
        log_e_at_most,
        log_e_even,
        rejected_at,
        sprt,
        sprt_bounds,
    )
    from judgekit.statistics.sizes import (
        CasesNeeded,
        cases_for_comparison,
        labels_needed,
        miller_cases,
        smallest_drop,
    )
    from judgekit.statistics.stopping import EarlyDecision, StopState, early_decision

__all__ = [
    "Agreement",
    "agreement",
    "cohen_kappa",
    "scott_pi",
    "table_kappa",
    "AlternativeTest",
    "AnnotatorComparison",
    "alt_test",
    "FamilyPreference",
    "LengthBias",
    "LengthChoice",
    "PositionBias",
    "exact_sign_test",
    "family_preference",
    "length_bias",
    "position_bias",
    "ClusterMean",
    "cluster_mean",
    "Comparison",
    "ComparisonVerdict",
    "adjusted",
    "compare_pass_fail",
    "compare_scores",
    "Confusion",
    "MacroScores",
    "confusion",
    "macro_scores",
    "share_of",
    "CorrectedRate",
    "RoganGladen",
    "corrected_pass_rate",
    "label_allocation",
    "rogan_gladen",
    "CaseCounts",
    "counts_by_cluster",
    "LEVEL",
    "Estimate",
    "Interval",
    "agresti_coull_interval",
    "clean_runs_needed",
    "clopper_pearson_interval",
    "clopper_pearson_lower",
    "clopper_pearson_upper",
    "jeffreys_interval",
    "newcombe_difference",
    "newcombe_paired_difference",
    "rate_interval",
    "wilson_interval",
    "cluster_jackknife",
    "krippendorff_alpha",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "bonferroni",
    "holm",
    "PairedDifference",
    "mcnemar_exact",
    "mcnemar_mid_p",
    "paired_difference",
    "PanelReading",
    "panel_reading",
    "cases_for_drop",
    "cases_for_gate",
    "more_cases_needed",
    "PredictionPowered",
    "prediction_powered",
    "RankAgreement",
    "ScoredItem",
    "rank_agreement",
    "rank_correlation",
    "conger_kappa",
    "fleiss_kappa",
    "gwet_coefficient",
    "Rate",
    "pass_rate",
    "pass_rate_bounds",
    "Repeatability",
    "intraclass_correlation",
    "repeatability",
    "pass_at_k",
    "pass_hat_k",
    "bootstrap_interval",
    "cluster_bootstrap",
    "sign_flip_p",
    "SprtResult",
    "confidence_sequence",
    "empirical_bernstein_sequence",
    "log_e_at_most",
    "log_e_even",
    "rejected_at",
    "sprt",
    "sprt_bounds",
    "CasesNeeded",
    "cases_for_comparison",
    "labels_needed",
    "miller_cases",
    "smallest_drop",
    "ShareLooks",
    "EarlyDecision",
    "StopState",
    "early_decision",
]

# A name is looked for in this order, so what every gate and report needs comes first.
_HOMES = (
    "intervals", "estimate", "counts", "rates", "repeats", "stopping", "looks", "sizes", "planning",
    "clustered", "paired", "comparing", "multiplicity", "kappa", "raters", "krippendorff", "accuracy",
    "alternative", "ranks", "prediction", "correction", "gladen", "reliability", "bias", "panels",
    "jackknife", "sequential", "resampling",
)  # fmt: skip


if not TYPE_CHECKING:  # a type checker must refuse names that are not listed

    def __getattr__(name: str) -> Any:
        if name in __all__:
            for home in _HOMES:
                module = import_module(f"{__name__}.{home}")
                if name in module.__all__:
                    globals()[name] = getattr(module, name)
                    return globals()[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
