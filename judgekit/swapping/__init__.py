"""Several agents before several judges in one plan: who does what how well, and how far the judges agree."""

from judgekit.swapping.plan import ProviderSwap
from judgekit.swapping.report import SwapReport

__all__ = ["ProviderSwap", "SwapReport"]
