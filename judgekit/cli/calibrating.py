"""What `judgekit calibrate` does: labels, a judge or a run, the figures, and where they are kept."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from judgekit.calibrating import Calibration, Labels, calibrate, load_labels
from judgekit.cli.delivering import check_writable, print_json
from judgekit.cli.exits import EXIT_CODES
from judgekit.cli.labelling import criterion_of
from judgekit.cli.mistakes import Interrupted, Mistake
from judgekit.cli.progress import counting
from judgekit.cli.runs import stored_run
from judgekit.cli.streams import write_out
from judgekit.evaluation import Outcome
from judgekit.jsonable import parse_json
from judgekit.judging import Criterion
from judgekit.masking import Masker
from judgekit.results import CaseResult
from judgekit.statistics.correction import Design

__all__ = ["KEPT", "calibrate_file", "checked_output", "masked", "write_output"]

KEPT = "; what is judged is kept, and the same command goes on from there"


def calibrate_file(
    file: str,
    *,
    label: Sequence[str],
    criterion: str | None,
    ready: str | None,
    judge_model: str | None,
    api_base: str | None,
    threshold: float | None,
    concurrency: int,
    max_cost: float | None,
    run: Path | None,
    random_subset: bool,
    separate: bool,
    population: str,
    epsilon: float,
    floor: float | None,
    store: Path,
    no_store: bool,
    as_json: bool,
    output: Path | None,
    **columns: Any,
) -> int:
    """Calibrate a judge and print what came of it; the exit code.

    Raises:
        Mistake: The user can mend it.
        Interrupted: Ctrl-C ended it.
    """
    if random_subset and separate:
        raise Mistake("--random-subset and --separate exclude each other")
    checked_output(output)
    asked = criterion_of(
        criterion=criterion, ready=ready, judge_model=judge_model, api_base=api_base,
        threshold=threshold, max_cost=max_cost,
    )  # fmt: skip
    scale = None if asked is None else asked.scale
    labels = load_labels(file, label=label or None, scale=scale, **columns)
    if not no_store and not labels.has_verdicts:
        _check_store(store)
    attempts = _attempts(asked, labels, run)
    design: Design | None = "random_subset" if random_subset else "separate_calibration" if separate else None
    found = _calibrated(
        criterion if asked is None else asked, labels, judged=attempts, design=design, population=population,
        threshold=None if asked is not None else threshold, epsilon=epsilon, concurrency=concurrency,
        max_cost=max_cost,
    )  # fmt: skip
    return _delivered(found, None if no_store else store, floor, as_json=as_json, output=output)


def _check_store(store: Path) -> None:
    there = next(path for path in (store, *store.parents) if path.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise Mistake(
            f"--store {store}: nothing can be written in {there}; name another folder, or write --no-store"
        )


def _calibrated(criterion: Criterion | str | None, labels: Labels, **options: Any) -> Calibration:
    with counting("replies") as told:
        try:
            return calibrate(criterion, labels, told=told, **options)
        except KeyboardInterrupt:
            raise Interrupted(KEPT) from None


def _attempts(asked: Criterion | None, labels: Labels, run: Path | None) -> Sequence[CaseResult] | None:
    if run is not None:
        return stored_run(run).attempts
    if asked is None and not labels.has_verdicts:
        raise Mistake(
            "nobody is asked and nothing was judged; name the judge with --judge-model, a run with --run, "
            "or the column of its verdicts with --verdict"
        )
    return None


def _delivered(
    found: Calibration, store: Path | None, floor: float | None, *, as_json: bool, output: Path | None
) -> int:
    outcome, sentence = found.decide(0.4 if floor is None else floor)
    document = masked(found.to_json())
    if floor is not None:
        document["decision"] = {"outcome": outcome.value, "detail": sentence}
    text = found.render()
    if floor is not None:
        text += f"\n{outcome.value}: {sentence}"
    write_output(output, document, text)
    if as_json:
        print_json(document)
    else:
        write_out(text)
    if store is not None and found.fingerprint is not None and found.is_measured:
        kept = found.save(store)
        if not as_json:
            write_out(f"kept in {kept}")
    if not found.is_measured:
        return EXIT_CODES[Outcome.INCONCLUSIVE]
    return 0 if floor is None else EXIT_CODES[outcome]


def masked(document: Any) -> Any:
    """The document without what looks like a key, and without text that no file can hold."""
    return parse_json(Masker().masked_json(document))


def checked_output(output: Path | None) -> None:
    """Refuse before anybody is asked what could not be written afterwards.

    Raises:
        Mistake: No form has the file's suffix, or it cannot be written.
    """
    if output is None:
        return
    if output.suffix.lower() not in (".json", ".txt", ".md"):
        raise Mistake(f"-o {output}: write .json, or .txt or .md for text, got {output.suffix!r}")
    check_writable(output)


def write_output(output: Path | None, document: Any, text: str) -> None:
    """Write a document as JSON, or the text, by the suffix; nothing without a file."""
    if output is None:
        return
    suffix = output.suffix.lower()
    if suffix == ".json":
        text = json.dumps(document, ensure_ascii=False, indent=2)
    elif suffix == ".md":
        text = f"```text\n{text}\n```"
    output.write_text(text + "\n", encoding="utf-8")
