"""What a reader of a comparison must know before the figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from judgekit.comparing.comparison import Axis
from judgekit.comparing.instruments import InstrumentChange
from judgekit.comparing.pairing import RunPairing
from judgekit.comparing.reading import Unit, unit_name
from judgekit.statistics import Comparison
from judgekit.statistics.comparing import too_few
from judgekit.text import counted, one_line

__all__ = ["warnings_of"]

_NAMED = 5


def warnings_of(
    pairing: RunPairing,
    changes: Mapping[Unit, InstrumentChange],
    axis: Axis | None,
    overall: Comparison,
) -> Iterator[str]:
    """One sentence each."""
    yield from _of_runs(pairing)
    yield from _of_pairs(pairing)
    yield from _of_instruments(changes)
    yield from _of_checks(pairing.changed_checks)
    if axis is Axis.NEITHER and not pairing.changed_checks:
        yield "same transcripts, same judges: a repeat, which shows how far measuring alone moves the figures"
    yield from too_few(overall.n_clusters)


def _of_runs(pairing: RunPairing) -> Iterator[str]:
    new, old = pairing.new, pairing.old
    if new.name != old.name:
        yield f"different experiments: {_quoted(old.name)} and {_quoted(new.name)}"
    elif new.started_at == old.started_at:
        yield "both are the same run: name and start are equal"
    if old.started_at > new.started_at:
        yield "the baseline began after the new run; it comes first: `judgekit compare BASELINE NEW`"
    for what, run in (("the new run", new), ("the baseline", old)):
        if not run.is_finished:
            yield f"{what} did not come to its end; attempts that never ran are missing measurements"


def _of_pairs(pairing: RunPairing) -> Iterator[str]:
    for what, cases in (("new run", pairing.cases_only_new), ("baseline", pairing.cases_only_old)):
        if cases:
            yield f"{counted(len(cases), 'case')} only in the {what}: {_listed(cases)}"
    if pairing.unpaired_runs:
        yield f"{counted(pairing.unpaired_runs, 'repeat')} of shared cases on one side only, not compared"
    for what, units in (("new run", pairing.only_new), ("baseline", pairing.only_old)):
        if units:
            names = [unit_name(unit) for unit in units]
            yield f"evaluators only in the {what}, left out: {_listed(names)}"
    if pairing.asked_otherwise:
        asked = counted(pairing.asked_otherwise, "case")
        yield f"{asked} asked something else: the difference is also one of the questions"


def _of_checks(labels: Sequence[str]) -> Iterator[str]:
    if labels:
        noun = "the check" if len(labels) == 1 else "the checks"
        yield (
            f"{noun} {_listed(labels)} changed: other parameters or other code; the difference is also one "
            "of the checks"
        )


def _of_instruments(changes: Mapping[Unit, InstrumentChange]) -> Iterator[str]:
    for unit, change in changes.items():
        if change.criterion:
            name, parts = _quoted(unit_name(unit)), ", ".join(change.criterion)
            yield f"the criterion {name} changed: {parts}; a changed criterion is another instrument"
    drifted: Counter[str] = Counter(part for change in changes.values() for part in change.drift)
    for part, number in drifted.items():
        yield f"the {part} of {counted(number, 'criterion', 'criteria')} changed under the same name"


def _quoted(text: str) -> str:
    return repr(one_line(text, 60))


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(map(_quoted, names[:_NAMED])) + more
