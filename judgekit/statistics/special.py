"""The special functions behind the intervals and tests, on plain floats."""

from __future__ import annotations

import math

__all__ = [
    "beta_below",
    "beta_quantile",
    "binomial_below",
    "binomial_two_sided",
    "f_quantile",
    "log_beta",
    "log_beta_above",
    "normal_below",
    "normal_quantile",
    "t_below",
    "t_quantile",
]

# Where a tail is taken from its series: far above the smallest float, so that nothing is lost before.
_TINY = 1e-200


def normal_quantile(share: float) -> float:
    """The standard normal quantile of `share`, above 0 and below 1."""
    from statistics import NormalDist  # loads fractions and random, which most runs need not

    return NormalDist().inv_cdf(share)


def normal_below(z: float) -> float:
    """P(Z <= z), without losing the far tail."""
    return math.erfc(-z / math.sqrt(2)) / 2


def beta_below(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b)."""
    from scipy.special import betainc

    return float(betainc(a, b, x))


def beta_quantile(share: float, a: float, b: float) -> float:
    """The x with I_x(a, b) = share."""
    from scipy.special import betaincinv

    return float(betaincinv(a, b, share))


def t_quantile(share: float, degrees: float) -> float:
    """The quantile of Student's t with `degrees` of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, share))


def t_below(t: float, degrees: float) -> float:
    """P(T <= t) of Student's t with `degrees` of freedom."""
    from scipy.special import stdtr

    return float(stdtr(degrees, t))


def f_quantile(share: float, above: float, below: float) -> float:
    """The quantile of Fisher's F with `above` and `below` degrees of freedom."""
    from scipy.special import fdtri

    return float(fdtri(above, below, share))


def log_beta(a: float, b: float) -> float:
    """The logarithm of the beta function."""
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def log_beta_above(x: float, a: float, b: float) -> float:
    """log(1 - I_x(a, b)) for x above 0 and below 1, also where 1 - I_x(a, b) is below every float.

    There the hypergeometric series of the upper tail takes over (Abramowitz and Stegun, 26.5.4).
    """
    from scipy.special import betaincc

    share = float(betaincc(a, b, x))
    if share > _TINY:
        return math.log(share)
    term = total = 1.0
    steps = 0
    while term > total * 1e-17:
        term *= (1 - x) * (a + b + steps) / (b + 1 + steps)
        total += term
        steps += 1
    return a * math.log(x) + b * math.log1p(-x) - math.log(b) - log_beta(a, b) + math.log(total)


def binomial_below(successes: int, total: int, rate: float) -> float:
    """P(X <= successes) of a binomial with `total` draws."""
    if successes < 0:
        return 0.0
    if successes >= total:
        return 1.0
    return beta_below(1 - rate, total - successes, successes + 1)


def binomial_two_sided(successes: int, total: int, rate: float) -> float:
    """The exact two-sided p value: every outcome that is no more likely than the one seen.

    Clopper and Pearson's binomial test in the form of R and scipy; with a rate of one half it doubles the
    smaller tail.
    """
    if not 0 < rate < 1:
        return 1.0 if successes == total * rate else 0.0

    def log_mass(k: int) -> float:
        choose = math.lgamma(total + 1) - math.lgamma(k + 1) - math.lgamma(total - k + 1)
        return choose + k * math.log(rate) + (total - k) * math.log1p(-rate)

    seen = log_mass(successes) + 1e-9
    if successes == total * rate:
        return 1.0
    # The masses fall away from the middle on both sides, so the far side is found by halving.
    low, high = (math.ceil(total * rate), total + 1) if successes < total * rate else (-1, int(total * rate))
    if successes < total * rate:
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if log_mass(middle) <= seen else (middle + 1, high)
        other = binomial_below(total - low, total, 1 - rate) if low <= total else 0.0
        return min(1.0, binomial_below(successes, total, rate) + other)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if log_mass(middle) <= seen else (low, middle - 1)
    return min(1.0, binomial_below(total - successes, total, 1 - rate) + binomial_below(low, total, rate))
