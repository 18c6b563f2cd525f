"""What a run tells about itself while it runs."""

from __future__ import annotations

from judgekit.reporting import EvalReport
from judgekit.results import AttemptOutcome

__all__ = ["Observer"]


class Observer:
    """Override what you want to hear; calls come from the thread that the run runs in."""

    def planned(self, attempts: int) -> None:
        """So many attempts will be reported to `finished`, those of a resumed journal among them."""

    def finished(self, outcome: AttemptOutcome) -> None:
        """An attempt came to its end."""

    def ended(self, report: EvalReport) -> None:
        """The run is over, or was interrupted; the report is what `run` returns or would have returned."""
