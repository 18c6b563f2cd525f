"""When a run that looks after every case may stop."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from judgekit.statistics.estimate import checked_share
from judgekit.statistics.intervals import Interval
from judgekit.statistics.sequential import confidence_sequence

__all__ = ["EarlyDecision", "StopState", "early_decision"]


class StopState(Enum):
    """PASS and FAIL: the rate is on one side of the bar, and no later case can undo it. CONTINUE: neither."""

    PASS = "PASS"  # noqa: S105 - an outcome
    FAIL = "FAIL"
    CONTINUE = "CONTINUE"


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlyDecision:
    """What is decided after some of the cases.

    Attributes:
        state: PASS, FAIL or CONTINUE.
        interval: The rates that are still possible.
        at_least: The bar.
        saved: Cases that need not run; 0 while undecided.
    """

    state: StopState
    interval: Interval
    at_least: float
    saved: int


def early_decision(
    passed: int,
    total: int,
    *,
    at_least: float,
    population: int,
    alpha: float = 0.05,
    of_suite: bool = True,
    missing: int = 0,
) -> EarlyDecision:
    """Whether a suite's pass rate is on one side of a bar, after some of its cases in seeded random order.

    Looking after every case is allowed: the chance of a wrong decision at any time is at most `alpha`
    (`confidence_sequence`). One outcome a case; of repeats, whether the case as a whole passed.

    Args:
        passed: Cases that passed.
        total: Cases that ran, missing ones included.
        at_least: The bar, from 0 to 1.
        population: Cases of the whole suite.
        alpha: Chance of a wrong decision.
        of_suite: Whether the bar is for the rate of this suite, as in a gate without confidence, where the
            order alone is random and all cases run decide for certain; else it is for the rate in the long
            run.
        missing: Cases that could not be measured: failures for PASS, passes for FAIL.

    Raises:
        InvalidArgument: Counts, bar or alpha out of range.
    """
    checked_share(at_least, name="at_least")
    size = population if of_suite else None
    worst = confidence_sequence(passed, total, alpha=alpha, population=size)
    best = confidence_sequence(passed + missing, total, alpha=alpha, population=size) if missing else worst
    # A share of whole cases equals the bar although both are rounded.
    slack = 1e-12
    state = StopState.CONTINUE
    if worst.low >= at_least - slack:
        state = StopState.PASS
    elif best.high < at_least - slack:
        state = StopState.FAIL
    return EarlyDecision(
        state=state,
        interval=Interval(worst.low, best.high, worst.level, worst.method, total),
        at_least=at_least,
        saved=0 if state is StopState.CONTINUE else population - total,
    )
