"""Figures as lines for people: a name, the number, its interval, and what it stands on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from judgekit.spending import JudgeSpend
from judgekit.statistics import Estimate
from judgekit.text import counted, one_line

if TYPE_CHECKING:
    from judgekit.calibrating.calibration import Calibration

__all__ = ["calibration_text", "figure", "missing_line", "spend_line"]

_NAME_WIDTH = 22


def figure(name: str, found: Estimate, note: str = "") -> str:
    """`  kappa   0.72  [0.58, 0.86]  note`; where it is not defined, why."""
    head = f"  {name:<{_NAME_WIDTH}}"
    if found.estimate is None:
        return f"{head}not known: {found.reason or 'nothing was measured'}"
    interval = found.interval
    ends = f"[{interval[0]:.2f}, {interval[1]:.2f}]" if interval else "no interval"
    return f"{head}{found.estimate:>5.2f}  {ends}{'  ' + note if note else ''}"


def missing_line(causes: Mapping[str, int], what: str) -> Iterator[str]:
    """`3 verdicts missing: judge failed: malformed 3`, where there are some."""
    if causes:
        listed = ", ".join(f"{one_line(cause)} {number}" for cause, number in sorted(causes.items()))
        yield f"{counted(sum(causes.values()), what)} missing: {listed}"


def spend_line(spend: JudgeSpend) -> Iterator[str]:
    """What asking took; nothing where nobody was asked."""
    if not spend.asked and not spend.cached:
        return
    about = "" if spend.cost_complete else "at least "
    cost = f", {about}${spend.cost:.4f}" if spend.cost or spend.cost_complete else ", cost unknown"
    yield f"judge: {spend.asked} asked, {spend.cached} from cache{cost}"


def calibration_text(found: Calibration) -> str:
    """The whole calibration."""
    return "\n".join(_lines(found))


def _lines(found: Calibration) -> Iterator[str]:
    yield f"calibration of {one_line(found.name, 80)}, population {one_line(found.population, 60)}"
    for instrument, count in found.instruments[:3]:
        served = instrument.model_served
        model = instrument.model if served in (None, instrument.model) else f"{instrument.model} ({served})"
        yield f"  {one_line(model)}, fingerprint {instrument.fingerprint}, {counted(count, 'verdict')}"
    raters = counted(len(found.raters), "rater")
    alone = f", {found.unlabelled} without a label" if found.unlabelled else ""
    yield f"{counted(found.labels, 'labelled reply', 'labelled replies')} by {raters}{alone}"
    if found.undecided:
        yield f"{counted(found.undecided, 'reply', 'replies')} left out: the raters are split in halves"
    yield from missing_line(found.causes, "verdict")
    yield ""
    yield from _table(found)
    yield ""
    yield from _agreement(found)
    yield ""
    yield from _rates(found)
    yield from _notes(found)
    yield from spend_line(found.spend)


def _table(found: Calibration) -> Iterator[str]:
    table = found.confusion
    yield f"{'':<16}{'human pass':>12}{'human fail':>12}"
    yield f"  {'judge pass':<14}{table.true_pass:>12}{table.false_pass:>12}"
    yield f"  {'judge fail':<14}{table.false_fail:>12}{table.true_fail:>12}"


def _agreement(found: Calibration) -> Iterator[str]:
    table = found.confusion
    yield figure("agreement", table)
    yield figure("kappa", table.agreement.kappa)
    yield figure("AC1", table.agreement.ac1)
    passes, fails = table.true_pass + table.false_fail, table.false_pass + table.true_fail
    yield figure("sensitivity", table.sensitivity, f"of {passes} that humans passed")
    yield figure("specificity", table.specificity, f"of {fails} that humans failed")
    for one in found.rank_agreement:
        yield figure(f"rank, {one.protocol}", one, one.coefficient)
    if found.human_agreement is not None:
        yield figure("alpha of the humans", found.human_agreement, "among themselves")
    if found.alternative is not None:
        may = {True: "may", False: "may not", None: "not known whether it may"}[found.alternative.passed]
        note = f"of the raters beside whom the judge holds its own; it {may} stand in for one of them"
        yield figure("alternative test", found.alternative, note)


def _rates(found: Calibration) -> Iterator[str]:
    rate = found.rate
    saving = rate.label_saving
    saved = f", saves {saving:.0%} of the labels" if saving else ""
    yield "pass rate"
    yield figure("judge rate", rate.judge, "the judge's own: says nothing about the true rate")
    if found.unlabelled:
        yield figure("corrected rate", rate.corrected, f"{rate.corrected.method}{saved}")
    else:
        why = "not known: every reply has a label, so nothing is left to correct"
        yield f"  {'corrected rate':<{_NAME_WIDTH}}{why}"
    yield figure("human-only rate", rate.human)


def _notes(found: Calibration) -> Iterator[str]:
    notes = dict.fromkeys(
        [
            *found.warnings,
            *found.confusion.warnings,
            *found.rate.corrected.warnings,
            *(f"kappa: {warning}" for warning in found.kappa.warnings),
            *(found.alternative.warnings if found.alternative else ()),
            *(warning for one in found.rank_agreement for warning in one.warnings),
        ]
    )
    if notes:
        yield ""
    for note in notes:
        yield f"note: {one_line(note)}"
