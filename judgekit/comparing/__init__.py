"""Two runs of the same cases held against each other: what changed, and whether it is more than chance."""

from judgekit.comparing.comparing import Cluster, compare_runs, judge_agreement
from judgekit.comparing.comparison import (
    AmountComparison,
    Axis,
    EvaluatorComparison,
    Flip,
    RunComparison,
    RunSide,
)
from judgekit.comparing.instruments import InstrumentChange
from judgekit.comparing.reading import ComparedRun, RunReading

__all__ = [
    "AmountComparison",
    "Axis",
    "Cluster",
    "ComparedRun",
    "EvaluatorComparison",
    "Flip",
    "InstrumentChange",
    "RunComparison",
    "RunReading",
    "RunSide",
    "compare_runs",
    "judge_agreement",
]
