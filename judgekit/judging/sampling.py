"""Several answers to one question: all of them are needed, and their mean is the score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from judgekit.errors import Abstained
from judgekit.judging.measured import Measured, NoVerdict, failed_measure
from judgekit.judging.verdict import Verdict
from judgekit.text import counted

if TYPE_CHECKING:
    from judgekit.judging.asking import Asked
    from judgekit.judging.schemas import Reading

__all__ = ["combined", "error_of", "spread_remark"]

_TOLERANCE = 1e-9


def error_of(asked: Asked[Reading]) -> Exception | None:
    """Why this answer is no score; an abstention is one of the reasons."""
    if asked.error is not None:
        return asked.error
    reading = asked.reading
    if reading is None or reading.score is None:
        return Abstained(reading.reason if reading is not None else "")
    return None


def combined(asked: Sequence[Asked[Reading]], needed: float, cuts: str) -> Measured:
    """What the answers come to.

    Args:
        asked: One entry a sample.
        needed: The score needed, for how many samples fall on either side of it.
        cuts: What was left out of the material; "" where nothing was.
    """
    measurements = [one.measurement for one in asked]
    errors = [error for one in asked if (error := error_of(one)) is not None]
    if errors:
        return failed_measure(_overall(errors, len(asked)), measurements=measurements, remark=cuts)
    readings = [one.reading for one in asked if one.reading is not None]
    scores = [reading.score for reading in readings if reading.score is not None]
    mean = min(1.0, max(0.0, sum(scores) / len(scores)))
    # The reason shown is one that was given for a score near the one shown.
    nearest = min(readings, key=lambda reading: abs((reading.score or 0.0) - mean))
    remarks = [remark for remark in (spread_remark(scores, needed), cuts) if remark]
    return Measured(
        verdict=Verdict(mean, nearest.reason),
        remark="; ".join(remarks),
        measurements=measurements,
        flips=_flips(scores, needed),
    )


def _overall(errors: Sequence[Exception], count: int) -> Exception:
    first = failed_measure(errors[0])
    same = len(errors) == count and len({failed_measure(error).cause for error in errors}) == 1
    if count == 1 or same:
        return errors[0]
    return NoVerdict(
        f"{count - len(errors)} of {count} samples gave a verdict; {first.cause}: {first.why}",
        cause="no quorum",
    )


def spread_remark(scores: Sequence[float], needed: float) -> str:
    """`3 samples, 0.20 to 0.90, 1 flip`; "" for one score."""
    if len(scores) == 1:
        return ""
    flips = _flips(scores, needed)
    return f"{len(scores)} samples, {min(scores):.2f} to {max(scores):.2f}, {counted(flips, 'flip')}"


def _flips(scores: Sequence[float], needed: float) -> int:
    passing = sum(score >= needed - _TOLERANCE for score in scores)
    return min(passing, len(scores) - passing)
