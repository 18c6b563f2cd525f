"""What `judgekit score` does: rows to cases, criteria to evaluators, and a run without an agent."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from judgekit.cli.choosing import Chosen
from judgekit.cli.delivering import check_outputs, deliver
from judgekit.cli.mistakes import Mistake
from judgekit.cli.running import run_plan, with_settings
from judgekit.datasets import load_interactions
from judgekit.gate import Gate
from judgekit.judging import Criterion, Judge
from judgekit.judging.criteria import ready_made
from judgekit.runner import ExperimentRunner

__all__ = ["score_file"]

_UNPORTABLE = re.compile(r"[^\w.-]+")


def score_file(
    file: str,
    *,
    criteria: Sequence[str],
    ready: Sequence[str],
    judge_model: str,
    api_base: str | None,
    threshold: float,
    pass_rate: float | None,
    texts: Sequence[str],
    limit: int | None,
    outputs: Sequence[Path],
    as_json: bool,
    most: int,
    asked: str | None,
    reply: str | None,
    messages: str | None,
    id: str | None,
    **settings: Any,
) -> int:
    """Judge every row of a file and print the report; the exit code.

    Raises:
        Mistake: The user can mend it.
        Interrupted: Ctrl-C ended the run.
    """
    check_outputs(outputs)
    judge = Judge(
        judge_model, api_base=api_base, cache=None if os.environ.get("JUDGEKIT_CACHE") else "read-write"
    )
    evaluators = [
        *_criteria(judge, criteria, threshold),
        *(ready_made(name).judged_by(judge) for name in dict.fromkeys(ready)),
    ]
    if not evaluators:
        raise Mistake(
            'there is nothing to judge by; write --criterion "warm and plain", or --ready-made warmth'
        )
    cases = load_interactions(file, asked=asked, reply=reply, messages=messages, id=id)
    plan = ExperimentRunner(_name(file)).cases(cases).evaluator(evaluators)
    if pass_rate is not None:
        plan = plan.gate(Gate.pass_rate_should_be_at_least(pass_rate))
    chosen = Chosen(texts, limit)
    report = run_plan(chosen.of(with_settings(plan, **settings)))
    chosen.tell()
    return deliver(report, outputs=outputs, as_json=as_json, most=most)


def _criteria(judge: Judge, texts: Sequence[str], threshold: float) -> Iterator[Criterion]:
    for text in dict.fromkeys(texts):
        yield judge.should_score_at_least(text, threshold)


def _name(file: str) -> str:
    stem = Path(file).resolve().name.partition(".")[0]
    return "score-" + (_UNPORTABLE.sub("-", stem).strip("-.")[:80] or "file")
