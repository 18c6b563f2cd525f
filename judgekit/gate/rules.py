"""The rules that gates are made of. A new one is a class, a line in RULES and a method of Gate."""

from __future__ import annotations

from collections.abc import Mapping

from judgekit.gate.calibrated import JudgeCalibrated
from judgekit.gate.cases import AllCasesPass, CasesPass, EveryAttemptConclusive, TargetHolds
from judgekit.gate.rates import InconclusiveShare, MeanScore, PassRate
from judgekit.gate.rule import Rule
from judgekit.gate.tries import PassAtK, PassHatK

__all__ = ["RULES", "Rule"]

RULES: Mapping[str, type[Rule]] = {
    rule.factory: rule
    for rule in (
        AllCasesPass,
        CasesPass,
        PassRate,
        PassAtK,
        PassHatK,
        MeanScore,
        TargetHolds,
        EveryAttemptConclusive,
        InconclusiveShare,
        JudgeCalibrated,
    )
}
