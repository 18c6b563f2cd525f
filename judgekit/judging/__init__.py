"""Model judges: criteria in words, verdicts as numbers, and an honest "could not be measured"."""

from judgekit.judging.base import JudgeBase
from judgekit.judging.criterion import Criterion, Decider, JudgedEvaluator
from judgekit.judging.escalation import Escalation
from judgekit.judging.judge import Judge
from judgekit.judging.measured import NoVerdict
from judgekit.judging.pairs import PairSummary, Preference
from judgekit.judging.panel import Agreement, Panel, agreement
from judgekit.judging.scales import Binary, Levels, Scale, Score
from judgekit.judging.verdict import Verdict
from judgekit.providers.base import Limits, Price

__all__ = [
    "Agreement",
    "Binary",
    "Criterion",
    "Decider",
    "Escalation",
    "Judge",
    "JudgeBase",
    "JudgedEvaluator",
    "Levels",
    "Limits",
    "NoVerdict",
    "PairSummary",
    "Panel",
    "Preference",
    "Price",
    "Scale",
    "Score",
    "Verdict",
    "agreement",
]
