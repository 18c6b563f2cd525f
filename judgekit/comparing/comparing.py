"""Compares two runs: what differs between them, and what that did."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from judgekit.comparing.amounts import amounts_of
from judgekit.comparing.comparison import Axis, EvaluatorComparison, RunComparison, RunSide
from judgekit.comparing.flips import flips_of
from judgekit.comparing.instruments import InstrumentChange, change_between
from judgekit.comparing.pairing import RunPairing, UnitPairs, paired_runs
from judgekit.comparing.reading import RunReading, Unit, unit_name
from judgekit.comparing.warned import warnings_of
from judgekit.statistics import (
    LEVEL,
    Agreement,
    Comparison,
    ComparisonVerdict,
    adjusted,
    agreement,
    compare_pass_fail,
    compare_scores,
)
from judgekit.statistics.resampling import RESAMPLES
from judgekit.text import one_line

__all__ = ["Cluster", "compare_runs", "judge_agreement"]

Cluster: TypeAlias = "Mapping[str, Hashable] | Callable[[str], Hashable]"
"""The group of each case id: a mapping, or a function that returns None for a case of its own."""

BOTH_CHANGED = (
    "agent and judge both changed: re-judge one run with the other's judge: "
    "`judgekit rejudge RUN --judge-model M`"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _How:
    max_drop: float | None
    clusters: Mapping[str, Hashable] | None
    level: float
    resamples: int
    seed: int

    def of_passes(
        self, new: Mapping[str, list[bool | None]], old: Mapping[str, list[bool | None]]
    ) -> Comparison:
        return compare_pass_fail(
            new,
            old,
            max_drop=self.max_drop,
            clusters=self.clusters,
            level=self.level,
            resamples=self.resamples,
            seed=self.seed,
        )

    def of_scores(self, pairs: UnitPairs) -> Comparison:
        return compare_scores(
            pairs.new_scores,
            pairs.old_scores,
            max_drop=self.max_drop,
            clusters=self.clusters,
            level=self.level,
            resamples=self.resamples,
            seed=self.seed,
        )


def compare_runs(
    new: RunReading,
    old: RunReading,
    *,
    max_drop: float | None = None,
    cluster: Cluster | None = None,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> RunComparison:
    """Hold a run against a baseline, paired by case id and run.

    Args:
        new: The run that is judged.
        old: The baseline.
        max_drop: How far a rate or mean score may fall, above 0 and below 1; None: EQUIVALENT cannot be
            shown.
        cluster: A coarser group of every shared case id, such as its document; None: each case is its own.
        level: Confidence of the intervals; verdicts hold at 1 - level, two-sided.
        resamples: Of the permutation tests.
        seed: Of the permutation tests.

    Raises:
        InvalidArgument: `max_drop` or `level` is out of range, or a shared case has no group.
    """
    pairing = paired_runs(new, old)
    how = _How(
        max_drop=max_drop,
        clusters=_clusters(cluster, pairing),
        level=level,
        resamples=resamples,
        seed=seed,
    )
    return _compared(pairing, how)


def _compared(pairing: RunPairing, how: _How) -> RunComparison:
    changes = {unit: change_between(pairs.changes) for unit, pairs in pairing.units.items()}
    axis = _axis(pairing, changes)
    withheld = _withheld(pairing, changes)
    overall = _overall(pairing, how, withheld)
    evaluators = tuple(_evaluators(pairing, changes, withheld, how))
    verdict, reason = _decided(overall, evaluators, withheld, axis)
    improved, worsened = flips_of(overall, pairing)
    return RunComparison(
        verdict=verdict,
        reason=reason,
        axis=axis,
        new=_side(pairing.new, changes, new=True),
        old=_side(pairing.old, changes, new=False),
        overall=overall,
        evaluators=evaluators,
        improved=improved,
        worsened=worsened,
        amounts=tuple(amounts_of(pairing, how.clusters, level=how.level)),
        attempts=len(pairing.pairs),
        same_transcripts=pairing.transcripts[0],
        other_transcripts=pairing.transcripts[1],
        only_new=tuple(map(unit_name, pairing.only_new)),
        only_old=tuple(map(unit_name, pairing.only_old)),
        changed_checks=pairing.changed_checks,
        unpaired_cases=len(pairing.cases_only_new) + len(pairing.cases_only_old),
        unpaired_runs=pairing.unpaired_runs,
        max_drop=how.max_drop,
        level=how.level,
        clustered_by="case" if how.clusters is None else "given groups of cases",
        warnings=tuple(warnings_of(pairing, changes, axis, overall)),
    )


def _clusters(cluster: Cluster | None, pairing: RunPairing) -> Mapping[str, Hashable] | None:
    if cluster is None or isinstance(cluster, Mapping):
        return cluster
    found = {case: cluster(case) for case in pairing.by_case}
    return {case: ("case", case) if key is None else ("group", key) for case, key in found.items()}


def _axis(pairing: RunPairing, changes: Mapping[Unit, InstrumentChange]) -> Axis | None:
    same, other = pairing.transcripts
    if not same and not other:
        return None
    if any(change.changed for change in changes.values()):
        return Axis.BOTH if other else Axis.JUDGE
    return Axis.AGENT if other else Axis.NEITHER


def _withheld(pairing: RunPairing, changes: Mapping[Unit, InstrumentChange]) -> dict[Unit, str]:
    """The evaluators whose difference can be attributed to nothing, and why."""
    if not pairing.transcripts[1]:
        return {}
    return {unit: _refused(unit, change) for unit, change in changes.items() if change.changed}


def _refused(unit: Unit, change: InstrumentChange) -> str:
    if change.judge:
        return f"{BOTH_CHANGED} (changed of the judge: {', '.join(change.judge)})"
    changed = ", ".join(change.criterion)
    return (
        f"the agent changed and so did the criterion {one_line(unit_name(unit), 60)!r} ({changed}): "
        "score both runs with the same criterion"
    )


def _overall(pairing: RunPairing, how: _How, withheld: Mapping[Unit, str]) -> Comparison:
    overall = how.of_passes(*pairing.outcomes())
    overall = replace(
        overall,
        only_new=pairing.cases_only_new,
        only_old=pairing.cases_only_old,
        unpaired_runs=pairing.unpaired_runs,
    )
    return _without_verdict(overall, next(iter(withheld.values()))) if withheld else overall


def _without_verdict(comparison: Comparison, reason: str) -> Comparison:
    return replace(
        comparison,
        verdict=ComparisonVerdict.UNDERPOWERED,
        warnings=(*comparison.warnings, f"no verdict: {reason}"),
    )


def _evaluators(
    pairing: RunPairing,
    changes: Mapping[Unit, InstrumentChange],
    withheld: Mapping[Unit, str],
    how: _How,
) -> Iterator[EvaluatorComparison]:
    units = pairing.units
    passes = {unit: how.of_passes(pairs.new, pairs.old) for unit, pairs in units.items()}
    scores = {unit: how.of_scores(pairs) for unit, pairs in units.items() if pairs.has_scores}
    passes, scores = _as_one_family(passes, scores, withheld)
    for unit, pairs in units.items():
        change, is_open = changes[unit], unit not in withheld
        yield EvaluatorComparison(
            label=unit[0],
            name=unit[1],
            pass_fail=passes[unit],
            scores=scores.get(unit),
            verdict=passes[unit].verdict if is_open else None,
            score_verdict=scores[unit].verdict if is_open and unit in scores else None,
            reason=withheld.get(unit, ""),
            change=change,
            agreement=_agreement(pairs, how.level) if change.changed and change.is_judged else None,
            alone=pairs.alone,
        )


def _as_one_family(
    passes: Mapping[Unit, Comparison], scores: Mapping[Unit, Comparison], withheld: Mapping[Unit, str]
) -> tuple[dict[Unit, Comparison], dict[Unit, Comparison]]:
    """Holm over all of them; what is withheld claims nothing, and takes nothing from the others."""
    kinds = dict(passes), dict(scores)
    claims = [(kind, unit) for kind in kinds for unit in kind if unit not in withheld]
    held = adjusted({str(n): kind[unit] for n, (kind, unit) in enumerate(claims)})
    for n, (kind, unit) in enumerate(claims):
        kind[unit] = held[str(n)]
    for kind in kinds:
        kind.update((unit, _without_verdict(kind[unit], withheld[unit])) for unit in withheld.keys() & kind)
    return kinds


def _agreement(pairs: UnitPairs, level: float) -> Agreement | None:
    """Of the verdicts on equal evidence: the old side first."""
    if not pairs.same:
        return None
    old = [pairs.old[case][place] for case, place in pairs.same]
    new = [pairs.new[case][place] for case, place in pairs.same]
    return agreement(old, new, categories=(False, True), level=level)


def judge_agreement(new: RunReading, old: RunReading, *, level: float = LEVEL) -> dict[str, Agreement]:
    """How far the judges of two runs agree, by criterion, on the attempts that have the same evidence.

    In each table the old run is in rows and the new one in columns, `False` before `True`. Criteria that no
    judge measured, and those without an attempt of equal evidence, are left out.

    Args:
        new: One run.
        old: The other, such as the one that `new` re-judged.
        level: Confidence of the intervals.
    """
    found = {}
    for unit, pairs in paired_runs(new, old).units.items():
        measured = _agreement(pairs, level) if change_between(pairs.changes).is_judged else None
        if measured is not None:
            found[unit_name(unit)] = measured
    return found


def _decided(
    overall: Comparison,
    evaluators: Sequence[EvaluatorComparison],
    withheld: Mapping[Unit, str],
    axis: Axis | None,
) -> tuple[ComparisonVerdict | None, str]:
    if withheld:
        return None, min(withheld.values(), key=lambda reason: not reason.startswith(BOTH_CHANGED))
    if axis is None and not overall.n_items:
        return ComparisonVerdict.UNDERPOWERED, "the runs share no attempt"
    whose = "; this is about the judging, not the agent" if axis is Axis.JUDGE else ""
    regressed = [one for one in evaluators if one.is_regressed]
    if regressed and overall.verdict is not ComparisonVerdict.REGRESSED:
        names = ", ".join(one_line(one.shown, 60) for one in regressed)
        return ComparisonVerdict.REGRESSED, f"of the evaluators, {names} regressed{whose}"
    return overall.verdict, f"the pass rate of attempts decides{whose}"


def _side(run: RunReading, changes: Mapping[Unit, InstrumentChange], *, new: bool) -> RunSide:
    judges = dict.fromkeys(
        model for change in changes.values() for model in (change.new_models if new else change.old_models)
    )
    return RunSide(
        name=run.name,
        started_at=run.started_at,
        is_finished=run.is_finished,
        cases=len(run.cases),
        attempts=run.attempts,
        models=tuple(run.models),
        judges=tuple(judges),
    )
