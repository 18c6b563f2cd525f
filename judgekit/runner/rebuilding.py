"""The criteria of an earlier run, rebuilt from what its journal says of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalCase, EvalResult, Measurement
from judgekit.judging.asking import fingerprint_of
from judgekit.judging.criterion import Criterion
from judgekit.judging.judge import Judge
from judgekit.judging.scales import SCORE, Binary, Scale
from judgekit.judging.schemas import schema_of
from judgekit.results import RUNNER_LABELS, Requirements
from judgekit.runner.rejudging import Again
from judgekit.schedule import JUDGE
from judgekit.store import RunHead, StoredRun
from judgekit.text import one_line

__all__ = ["from_journal"]

_SCALES: Mapping[str, Scale] = {"score": SCORE, "binary": Binary()}


def _required(head: RunHead, index: int) -> Requirements:
    return head.requirement_sets[head.requirement_of[index]]


def from_journal(stored: StoredRun, judge: Judge) -> list[Again]:
    """What to judge with, rebuilt from what the journal says of each criterion.

    Only what the journal holds completely is rebuilt: criteria on `Score()` or `Binary()` without a
    reference, judged by one model with a prompt of judgekit's own. The fingerprint of each verdict proves it.

    Raises:
        InvalidArgument: A criterion holds more than that, or there is none.
    """
    known: dict[str, Criterion] = {}
    found: list[dict[int, Criterion]] = [{} for _ in stored.head.case_ids]
    for attempt in stored.attempts:
        if attempt.results and attempt.results[0].label in RUNNER_LABELS:
            continue
        rebuilt = found[stored.head.case_at[attempt.case_id]]
        for position, result in enumerate(attempt.results):
            if result.label == JUDGE and result.measurements and position not in rebuilt:
                criterion = _rebuilt(result, judge)
                rebuilt[position] = known.setdefault(result.name or "", criterion)
    if not known:
        raise InvalidArgument("no judge was asked in this run, so there is nothing to judge again")
    return [_again(stored.head, index, found[index], known) for index in range(len(found))]


def _again(
    head: RunHead, index: int, rebuilt: Mapping[int, Criterion], known: Mapping[str, Criterion]
) -> Again:
    case_id = head.case_ids[index]
    evaluators = tuple(
        # Where this case's own reply was blank, the criterion of its name was asked elsewhere.
        rebuilt.get(position, known.get(name or "")) if label == JUDGE else None
        for position, (label, name) in enumerate(_required(head, index))
    )
    return Again(EvalCase(case_id, case_id), evaluators)


def _rebuilt(result: EvalResult, judge: Judge) -> Criterion:
    first = result.measurements[0]
    scale = _SCALES.get(first.schema)
    if scale is not None and judge.prompt_for(first.schema).identity == first.prompt:
        for threshold in _thresholds(result.threshold):
            if _is_the_same(result.measurements, threshold, scale):
                return judge.should_score_at_least(first.criterion, threshold, name=result.name, scale=scale)
    raise InvalidArgument(
        f"the criterion {one_line(result.name or first.criterion, 60)!r} was judged with more than the "
        "journal holds, such as a reference, levels, a panel or its own prompt; name the suite with --suite"
    )


def _thresholds(needed: float | None) -> Iterator[float]:
    if needed is not None:
        yield needed
        if needed == int(needed):
            yield int(needed)


def _is_the_same(measurements: Sequence[Measurement], threshold: float, scale: Scale) -> bool:
    """Whether a criterion without anything else, judged so often by one model, has these fingerprints."""
    schema = schema_of(scale)
    for samples, score_from in product({1, len(measurements)}, ("verdict", "logprobs")):
        shaped: dict[str, Any] = {
            "threshold": threshold,
            "scale": repr(scale),
            "reference": None,
            "samples": samples,
            "score_from": score_from,
        }
        if all(fingerprint_of(one, schema, shaped) == one.fingerprint for one in measurements):
            return True
    return False
