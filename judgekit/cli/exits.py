"""The exit codes."""

from __future__ import annotations

from judgekit.outcomes import Outcome

__all__ = ["BROKEN", "EXIT_CODES", "INTERRUPTED", "WRONG_USE"]

EXIT_CODES = {Outcome.PASS: 0, Outcome.FAIL: 1, Outcome.INCONCLUSIVE: 3}
WRONG_USE = 2
INTERRUPTED = 130
BROKEN = 3
"""judgekit itself failed, with a traceback: nothing could be judged, and no gate has failed."""
