"""A suite that is looked at after every case, each worth a share and not only a pass or a failure."""

from __future__ import annotations

import math

from judgekit.errors import InvalidArgument
from judgekit.statistics.estimate import checked_level, checked_share, checked_whole
from judgekit.statistics.special import log_beta
from judgekit.statistics.stopping import StopState

__all__ = ["ShareLooks"]

_PRIOR = 0.5
_SLACK = 1e-9


class ShareLooks:
    """Whether a suite's mean share is on one side of a bar; cases are added in seeded random order.

    The test of `early_decision`, and with passes and failures alone the same decisions. A share between 0
    and 1, such as that of a case's repeats which passed, enters the beta-binomial mixture as that share of a
    pass: `x -> (q / p)^x ((1 - q) / (1 - p))^(1 - x)` is convex, so its mean is at most 1 where that of x is
    p, and Ville's inequality (1939) holds as before. For the suite's own mean, p is what the mean leaves for
    the cases to come (Waudby-Smith and Ramdas 2020, arXiv:2006.04347).

    Attributes:
        state: PASS or FAIL once decided, whatever is added after; else CONTINUE.
    """

    def __init__(
        self,
        *,
        at_least: float,
        population: int,
        alpha: float = 0.05,
        of_suite: bool = True,
        step: float | None = None,
    ) -> None:
        """Begin before the first case.

        Args:
            at_least: The bar, from 0 to 1.
            population: Cases of the whole suite.
            alpha: Chance of a wrong decision, at whatever time.
            of_suite: Whether the bar is for the mean of this suite; else for the mean in the long run.
            step: What every case's share is surely a multiple of, such as 1 for a pass or a failure; None
                where it may be anything.

        Raises:
            InvalidArgument: Bar, population or alpha is out of range.
        """
        checked_share(at_least, name="at_least")
        checked_whole(population, name="population", least=1)
        limit = -math.log(checked_level(alpha, name="alpha"))
        below = least = at_least
        if of_suite and step is not None:
            # The means next to the bar that this suite can have: one that fails, one that passes.
            steps = math.ceil(at_least * population / step - _SLACK)
            below, least = (steps - 1) * step / population, steps * step / population
        size = population if of_suite else None
        self._against_failing = _Mean(below, size, limit)
        self._against_passing = _Mean(least, size, limit)
        self.state = StopState.PASS if below < 0 or at_least == 0 else StopState.CONTINUE

    def add(self, low: float, high: float | None = None) -> StopState:
        """Look after one more case.

        Args:
            low: The case's share, 0 to 1, with what is missing of it as failures.
            high: With what is missing as passes; None: nothing is missing.

        Raises:
            InvalidArgument: A share is out of range, or there are more cases than the suite has.
        """
        checked_share(low, name="low")
        self._against_failing.add(low)
        self._against_passing.add(low if high is None else checked_share(high, name="high"))
        if self.state is StopState.CONTINUE:
            if self._against_failing.is_too_low:
                self.state = StopState.PASS
            elif self._against_passing.is_too_high:
                self.state = StopState.FAIL
        return self.state


class _Mean:
    """The evidence against one mean; `population` None is the mean in the long run."""

    def __init__(self, mean: float, population: int | None, limit: float) -> None:
        self._mean = mean
        self._population = population
        self._limit = limit
        self._n = 0
        self._sum = 0.0
        self._log_likelihood = 0.0
        # Of the log likelihood in the mean: it is concave, so its sign tells where likelier means lie.
        self._slope = 0.0
        self._impossible = 0

    def add(self, share: float) -> None:
        if self._population is not None and self._n >= self._population:
            raise InvalidArgument(f"the suite has {self._population} cases, got one more")
        rest = 1 if self._population is None else self._population - self._n
        expected = self._mean if self._population is None else self._left() / rest
        self._n += 1
        self._sum += share
        if 0 < expected < 1:
            self._log_likelihood += share * math.log(expected) + (1 - share) * math.log1p(-expected)
            self._slope += (share - expected) / (expected * (1 - expected)) / rest
        self._rule_out(share, expected)

    def _left(self) -> float:
        return (self._population or 0) * self._mean - self._sum

    def _rule_out(self, share: float, expected: float) -> None:
        if self._impossible:
            return
        if self._population is None:
            self._impossible = (expected <= 0 < share) - (share < 1 <= expected)
            return
        slack = _SLACK * self._population
        self._impossible = (self._left() < -slack) - (self._left() > self._population - self._n + slack)

    def _is_rejected(self) -> bool:
        a, b = _PRIOR + self._sum, _PRIOR + self._n - self._sum
        return log_beta(a, b) - log_beta(_PRIOR, _PRIOR) - self._log_likelihood >= self._limit

    @property
    def is_too_low(self) -> bool:
        """Whether this mean and all below it are ruled out."""
        return self._impossible > 0 or (not self._impossible and self._slope > 0 and self._is_rejected())

    @property
    def is_too_high(self) -> bool:
        """Whether this mean and all above it are ruled out."""
        return self._impossible < 0 or (not self._impossible and self._slope < 0 and self._is_rejected())
