"""Rows and files to cases."""

from judgekit.datasets.interactions import load_interactions
from judgekit.datasets.rows import cases_from

__all__ = ["cases_from", "load_interactions"]
