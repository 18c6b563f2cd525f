"""What `judgekit run` does: load, change and run an experiment, and write its report."""

from __future__ import annotations

import itertools
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from judgekit.cli.exits import EXIT_CODES
from judgekit.cli.mistakes import Interrupted, Mistake
from judgekit.cli.progress import Watch, watching
from judgekit.cli.streams import only_json_on_stdout, quiet_stdout, write_out
from judgekit.cli.suite import load_experiment
from judgekit.reporting import EvalReport
from judgekit.reporting.formats import format_for
from judgekit.runner import ExperimentRunner

__all__ = ["run_suite"]


def run_suite(
    suite: str,
    *,
    model: str | None,
    judge_model: str | None,
    texts: Sequence[str],
    limit: int | None,
    outputs: Sequence[Path],
    as_json: bool,
    **settings: Any,
) -> int:
    """Run a suite and print its report; the exit code.

    Raises:
        Mistake: The user can mend it.
        Interrupted: Ctrl-C ended the run.
    """
    _check_outputs(outputs)
    with only_json_on_stdout(as_json):
        plan = _set(_plan(suite, model, judge_model), **settings)
        report = _run(_selected(plan, texts, limit))
    for path in outputs:
        report.write(path)
    if as_json:
        _write_json(report)
    else:
        write_out(report.render())
    return EXIT_CODES[report.decision.outcome]


def _plan(suite: str, model: str | None, judge_model: str | None) -> ExperimentRunner:
    plan, taken = load_experiment(suite, {"model": model, "judge_model": judge_model})
    if model is not None and "model" not in taken:
        raise Mistake(
            f"--model: {suite} takes no model; its agent is fixed in the file. "
            "Write `def experiment(model=None): return ExperimentRunner(...)`"
        )
    if judge_model is None or "judge_model" in taken:
        return plan
    return _judged_by(plan, suite, judge_model)


def _judged_by(plan: ExperimentRunner, suite: str, model: str) -> ExperimentRunner:
    replaced = []

    def change(judge: Any) -> Any:
        with_model = getattr(judge, "with_model", None)
        if with_model is None:
            return judge
        replaced.append(judge)
        return with_model(model)

    changed = plan.map_judges(change)
    if not replaced:
        raise Mistake(f"--judge-model: no evaluator of {suite} asks a judge whose model could be changed")
    return changed


def _set(
    plan: ExperimentRunner,
    *,
    repeat: int | None,
    concurrency: int | None,
    max_cost: float | None,
    resume: str | None,
) -> ExperimentRunner:
    if repeat is not None:
        plan = plan.repeat(repeat)
    if concurrency is not None:
        plan = plan.concurrency(concurrency)
    if max_cost is not None:
        plan = plan.max_cost(max_cost)
    return plan if resume is None else plan.resume(resume)


def _selected(plan: ExperimentRunner, texts: Sequence[str], limit: int | None) -> ExperimentRunner:
    if texts:
        wanted = [text.casefold() for text in texts]
        plan = plan.filter(lambda case: any(text in case.id.casefold() for text in wanted))
    if limit is not None:
        places = itertools.count()
        plan = plan.filter(lambda _: next(places) < limit)
    return plan


def _run(plan: ExperimentRunner) -> EvalReport:
    with watching() as watch:
        try:
            return plan.run(observer=watch)
        except KeyboardInterrupt:
            raise Interrupted(_way_on(watch)) from None
        except OSError as error:
            if error.filename is None:
                raise
            raise Mistake(f"{error.filename}: {error.strerror}") from error


def _way_on(watch: Watch) -> str:
    file = watch.report.file if watch.report is not None else None
    return "" if file is None else f"; go on with --resume {shlex.quote(str(file.parent))}"


def _check_outputs(outputs: Sequence[Path]) -> None:
    """Refuse before the run what would lose its report after it."""
    for path in outputs:
        format_for(path)
        if path.is_dir():
            raise Mistake(f"-o {path} is a folder; name a file in it")
        folder = path.parent
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Mistake(f"-o {path}: the folder {folder} cannot be made: {error.strerror}") from error
        if not os.access(folder, os.W_OK):
            raise Mistake(f"-o {path}: the folder {folder} may not be written")


def _write_json(report: EvalReport) -> None:
    from judgekit.reporting.json_file import write

    with quiet_stdout(encoding="utf-8") as stream:
        write(report, stream)
