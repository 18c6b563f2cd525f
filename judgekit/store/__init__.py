"""Runs on disk: one directory a run, with a journal that grows as attempts finish."""

from judgekit.store.attempts import Attempts
from judgekit.store.axes import Axes
from judgekit.store.head import RunHead
from judgekit.store.lines import JournalWarning
from judgekit.store.runs import JournalStore, MemoryStore, RunStore, StoredRun, read_run

__all__ = [
    "Attempts",
    "Axes",
    "JournalStore",
    "JournalWarning",
    "MemoryStore",
    "RunHead",
    "RunStore",
    "StoredRun",
    "read_run",
]
