"""Evaluate LLM agents: deterministic checks and model judges in one gated report.

The evaluators are in `judgekit.evaluators`, scripted models for tests in `judgekit.testing`, every error in
`judgekit.errors`. A name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judgekit import errors as errors
    from judgekit import evaluators as evaluators
    from judgekit import testing as testing
    from judgekit.adapters import load_traces, tool
    from judgekit.calibrating import (
        Calibration,
        PairReliability,
        Reliability,
        calibrate,
        load_labels,
        load_pairs,
        pair_reliability,
        reliability,
    )
    from judgekit.comparing import RunComparison
    from judgekit.conversation import Turn
    from judgekit.datasets import load_interactions
    from judgekit.errors import (
        Abstained,
        Blocked,
        ExtraMissing,
        FileUnreadable,
        GateFailed,
        InvalidArgument,
        InvalidPlan,
        JudgekitError,
        ProviderError,
    )
    from judgekit.evaluation import EvalCase, EvalResult, Evaluator, Kind, Outcome, eval_label
    from judgekit.gate import Decision, Gate
    from judgekit.in_pytest import cases
    from judgekit.interaction import GuardrailResult, Interaction, ModelCall, ToolCall
    from judgekit.judging import (
        Binary,
        Criterion,
        Escalation,
        Judge,
        Levels,
        Limits,
        Panel,
        Price,
        Score,
        Verdict,
    )
    from judgekit.replay import RecordedCall, Recorder, ToolBindings, load_recordings
    from judgekit.reporting import EvalReport
    from judgekit.results import CaseResult
    from judgekit.runner import ExperimentRunner, Observer
    from judgekit.simulating import SimulatedUser
    from judgekit.swapping import ProviderSwap, SwapReport

    __version__: str

__all__ = [
    # cases and evidence
    "EvalCase",
    "Turn",
    "SimulatedUser",
    "Interaction",
    "ToolCall",
    "tool",
    "ModelCall",
    "GuardrailResult",
    # evaluators of one's own
    "eval_label",
    "Evaluator",
    "EvalResult",
    "Outcome",
    "Kind",
    # judges
    "Judge",
    "Criterion",
    "Verdict",
    "Score",
    "Binary",
    "Levels",
    "Panel",
    "Escalation",
    "Limits",
    "Price",
    # how good a judge is
    "load_labels",
    "calibrate",
    "Calibration",
    "reliability",
    "Reliability",
    "load_pairs",
    "pair_reliability",
    "PairReliability",
    # running
    "ExperimentRunner",
    "ProviderSwap",
    "Observer",
    "ToolBindings",
    "RecordedCall",
    "load_interactions",
    "cases",
    "load_recordings",
    "load_traces",
    "Recorder",
    # what came of it
    "Gate",
    "Decision",
    "EvalReport",
    "SwapReport",
    "RunComparison",
    "CaseResult",
    # errors
    "JudgekitError",
    "InvalidArgument",
    "InvalidPlan",
    "FileUnreadable",
    "ExtraMissing",
    "GateFailed",
    "ProviderError",
    "Abstained",
    "Blocked",
]

# In the order of what they cost to import.
_HOMES = (
    "errors", "interaction", "evaluation", "conversation", "results", "gate", "reporting", "judging",
    "replay", "simulating", "runner", "adapters", "datasets", "in_pytest", "comparing", "swapping",
    "calibrating",
)  # fmt: skip
_PACKAGES = ("errors", "evaluators", "testing")


if not TYPE_CHECKING:  # a type checker must refuse names that are not listed

    def __getattr__(name: str) -> Any:
        if name == "__version__":
            from importlib.metadata import version

            return version("judgekit-evals")
        if name in _PACKAGES:
            return import_module(f"judgekit.{name}")
        if name in __all__:
            for home in _HOMES:
                module = import_module(f"judgekit.{home}")
                if name in module.__all__:
                    globals()[name] = getattr(module, name)
                    return globals()[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted((*__all__, *_PACKAGES, "__version__"))
