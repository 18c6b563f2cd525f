"""What `judgekit reliability` does: rows, a judge asked several times, and its figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from judgekit.calibrating import (
    PairReliability,
    Reliability,
    load_labels,
    load_pairs,
    pair_reliability,
    reliability,
)
from judgekit.cli.calibrating import KEPT, checked_output, masked, write_output
from judgekit.cli.delivering import print_json
from judgekit.cli.exits import EXIT_CODES
from judgekit.cli.labelling import criterion_of, judge_of
from judgekit.cli.mistakes import Interrupted, Mistake
from judgekit.cli.progress import counting
from judgekit.cli.streams import write_out
from judgekit.evaluation import Outcome

__all__ = ["repeat_file"]

_OF_PAIRS = ("label", "writer", "other_writer", "family")


def repeat_file(file: str, *, other: str | None, as_json: bool, output: Path | None, **options: Any) -> int:
    """Ask a judge several times and print how far it repeats itself; the exit code.

    Raises:
        Mistake: The user can mend it.
        Interrupted: Ctrl-C ended it.
    """
    checked_output(output)
    try:
        found = _of_pairs(file, other=other, **options) if other else _of_replies(file, **options)
    except KeyboardInterrupt:
        raise Interrupted(KEPT) from None
    document, text = masked(found.to_json()), found.render()
    write_output(output, document, text)
    if as_json:
        print_json(document)
    else:
        write_out(text)
    return 0 if found.is_measured else EXIT_CODES[Outcome.INCONCLUSIVE]


def _of_replies(
    file: str,
    *,
    asked: str | None,
    reply: str | None,
    messages: str | None,
    id: str | None,
    samples: int,
    temperature: float | None,
    concurrency: int,
    max_cost: float | None,
    label: str | None,
    writer: str | None,
    other_writer: str | None,
    family: str | None,
    **named: Any,
) -> Reliability:
    given = dict(zip(_OF_PAIRS, (label, writer, other_writer, family), strict=True))
    wrong = [name for name, value in given.items() if value is not None]
    if wrong:
        option = wrong[0].replace("_", "-")
        raise Mistake(f"--{option} is for pairs; name the other reply's column with --other")
    criterion = criterion_of(max_cost=max_cost, **named)
    if criterion is None:
        raise Mistake("name the judge with --judge-model")
    if temperature is not None:
        criterion = criterion.map_judges(lambda judge: replace(judge, temperature=temperature))
    rows = load_labels(file, asked=asked, reply=reply, messages=messages, id=id, label=())
    with counting("verdicts") as told:
        return reliability(
            criterion, rows, samples=samples, concurrency=concurrency, max_cost=max_cost, told=told
        )


def _of_pairs(
    file: str,
    *,
    other: str,
    reply: str | None,
    messages: str | None,
    criterion: str | None,
    ready: str | None,
    judge_model: str,
    api_base: str | None,
    threshold: float | None,
    samples: int,
    temperature: float | None,
    concurrency: int,
    max_cost: float | None,
    family: str | None,
    **columns: Any,
) -> PairReliability:
    if messages is not None or threshold is not None or ready is not None:
        raise Mistake("--messages, --threshold and --ready-made are for single replies, not with --other")
    if criterion is None:
        raise Mistake('say what makes a reply better: --criterion "more helpful"')
    judge = judge_of(judge_model, api_base, max_cost)
    if temperature is not None:
        judge = replace(judge, temperature=temperature)
    pairs = load_pairs(file, reply=reply or "reply", other=other, **columns)
    with counting("pairs") as told:
        return pair_reliability(
            judge, criterion, pairs, samples=samples, family=family, concurrency=concurrency,
            max_cost=max_cost, told=told,
        )  # fmt: skip
