"""The runs of a folder as they followed each other: rates, new failures, and what they were measured with."""

from judgekit.history.model import Change, ExperimentHistory, HistoryRate, HistoryRun, RunHistory, Unread
from judgekit.history.reading import read_history

__all__ = [
    "Change",
    "ExperimentHistory",
    "HistoryRate",
    "HistoryRun",
    "RunHistory",
    "Unread",
    "read_history",
]
