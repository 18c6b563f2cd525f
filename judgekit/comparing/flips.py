"""The cases that went from failing to passing, or back, and what they failed on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from judgekit.comparing.comparison import Flip
from judgekit.comparing.pairing import RunPairing
from judgekit.comparing.reading import unit_name
from judgekit.statistics import Comparison

__all__ = ["flips_of"]


def flips_of(overall: Comparison, pairing: RunPairing) -> tuple[tuple[Flip, ...], tuple[Flip, ...]]:
    """The improved and the worsened cases of a comparison of attempts."""
    improved = _flips(overall.improved, pairing, failing_is_new=False)
    return improved, _flips(overall.worsened, pairing, failing_is_new=True)


def _flips(cases: Iterable[str], pairing: RunPairing, *, failing_is_new: bool) -> tuple[Flip, ...]:
    return tuple(_flip(case, pairing, failing_is_new=failing_is_new) for case in cases)


def _flip(case: str, pairing: RunPairing, *, failing_is_new: bool) -> Flip:
    failed: Counter[str] = Counter()
    passed = [0, 0]
    runs = 0
    for pair in pairing.by_case[case]:
        new, old = pair.outcome(new=True), pair.outcome(new=False)
        if new is None or old is None:
            continue
        runs += 1
        passed[0] += new
        passed[1] += old
        if not (new if failing_is_new else old):
            failed.update(dict.fromkeys(map(unit_name, pair.failed_on(new=failing_is_new)), 1))
    return Flip(case, passed[0], passed[1], runs, tuple(name for name, _ in failed.most_common()))
