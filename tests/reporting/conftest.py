"""Reports made from attempts, without a run."""

from datetime import UTC, datetime

import pytest

from judgekit.gate import Gate
from judgekit.reporting import EvalReport
from judgekit.results import Results

STARTED = datetime(2025, 3, 1, 12, 0, 0, tzinfo=UTC)
FINISHED = datetime(2025, 3, 1, 12, 0, 7, 250_000, tzinfo=UTC)


def report_of(attempts, *, gate=None, runs=1, name="orders"):
    """A report over CaseResults; cases stand in the order in which they first appear."""
    gate = Gate.all_cases_should_pass() if gate is None else gate
    case_ids = list(dict.fromkeys(attempt.case_id for attempt in attempts))
    results = Results(case_ids)
    for attempt in attempts:
        index = case_ids.index(attempt.case_id)
        results.add(index, attempt.run, attempt.interaction, attempt.results)
    ordered = sorted(attempts, key=lambda attempt: (case_ids.index(attempt.case_id), attempt.run))
    return EvalReport(
        name=name,
        started_at=STARTED,
        finished_at=FINISHED,
        runs=runs,
        counts=results,
        results=ordered,
        decision=gate.decide(results),
        gate=gate,
    )


@pytest.fixture(scope="session")
def make_report():
    """Makes a report over a list of attempts."""
    return report_of
