"""Results that many evaluators share: the one PASS, and what they say where evidence is absent."""

from __future__ import annotations

from judgekit.evaluation import EvalResult

__all__ = [
    "NO_COST",
    "NO_MODEL_CALLS",
    "NO_REPLY",
    "NO_TIMING",
    "NO_TOKENS",
    "NO_TRACE",
    "PASSED",
    "REPLAYED",
]

PASSED = EvalResult.passed()
NO_TRACE = EvalResult.inconclusive("no tool trace in the evidence")
NO_REPLY = EvalResult.inconclusive("no reply in the evidence")
NO_MODEL_CALLS = EvalResult.inconclusive("no model calls in the evidence")
NO_TOKENS = EvalResult.inconclusive("no token counts in the evidence")
NO_TIMING = EvalResult.inconclusive("no timing in the evidence")
REPLAYED = EvalResult.inconclusive("no timing in the evidence: the reply was replayed")
NO_COST = EvalResult.inconclusive("no cost in the evidence")
