"""Reports: what a run came to, as an object, as text and as files."""

from judgekit.reporting.cases import CaseOutcome, CaseSummary, RequirementSummary
from judgekit.reporting.report import EvalReport

__all__ = ["CaseOutcome", "CaseSummary", "EvalReport", "RequirementSummary"]
