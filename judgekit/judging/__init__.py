"""Model judges: criteria in words, verdicts as numbers, and an honest "could not be measured"."""

from judgekit.judging.base import JudgeBase
from judgekit.judging.criterion import Criterion, Decider, JudgedEvaluator
from judgekit.judging.judge import Judge
from judgekit.judging.measured import NoVerdict
from judgekit.judging.scales import Binary, Levels, Scale, Score
from judgekit.judging.verdict import Verdict

__all__ = [
    "Binary",
    "Criterion",
    "Decider",
    "Judge",
    "JudgeBase",
    "JudgedEvaluator",
    "Levels",
    "NoVerdict",
    "Scale",
    "Score",
    "Verdict",
]
