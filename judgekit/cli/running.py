"""What `judgekit run` does: load, change and run an experiment, and write its report."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from judgekit.cli.choosing import Chosen
from judgekit.cli.delivering import check_outputs, deliver
from judgekit.cli.mistakes import Interrupted, Mistake
from judgekit.cli.progress import Watch, watching
from judgekit.cli.streams import only_json_on_stdout
from judgekit.cli.suite import Experiment, load_experiment
from judgekit.reporting import EvalReport
from judgekit.runner import ExperimentRunner
from judgekit.runner.experiment import settings_of
from judgekit.swapping import ProviderSwap, SwapReport

__all__ = ["outlined_only", "plan_of", "run_plan", "run_suite", "watched", "with_settings"]


R = TypeVar("R")


def run_suite(
    suite: str,
    *,
    model: str | None,
    judge_model: str | None,
    texts: Sequence[str],
    limit: int | None,
    outputs: Sequence[Path],
    as_json: bool,
    dry_run: bool = False,
    **settings: Any,
) -> int:
    """Run a suite and print its report; the exit code.

    Raises:
        Mistake: The user can mend it.
        Interrupted: Ctrl-C ended the run.
    """
    check_outputs(outputs)
    with only_json_on_stdout(as_json):
        chosen = Chosen(texts, limit)
        plan = chosen.of(with_settings(plan_of(suite, model, judge_model), **settings))
        if not dry_run:
            report = run_plan(plan)
    done = (
        outlined_only(plan, as_json=as_json) if dry_run else deliver(report, outputs=outputs, as_json=as_json)
    )
    chosen.tell()
    return done


def outlined_only(plan: Experiment, *, as_json: bool) -> int:
    """Print what a plan would do, with what it may cost; 0."""
    from judgekit.cli.outlining import print_outline

    print_outline(plan.outline(priced=True), as_json=as_json)
    return 0


def plan_of(suite: str, model: str | None, judge_model: str | None) -> Experiment:
    """The experiment of a suite, with the models that the user named.

    Raises:
        Mistake: There is none, or a model was named that nothing in it takes.
    """
    plan, taken = load_experiment(suite, {"model": model, "judge_model": judge_model})
    if model is not None and "model" not in taken:
        raise Mistake(
            f"--model: {suite} takes no model; its agent is fixed in the file. "
            f"{'In a Python suite write' if suite.endswith(('.yaml', '.yml')) else 'Write'} "
            "`def experiment(model=None): return ExperimentRunner(...)`"
        )
    if judge_model is None or "judge_model" in taken:
        return plan
    if isinstance(plan, ProviderSwap):
        raise Mistake(f"--judge-model: {suite} is a provider swap, which names its judges itself")
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


def with_settings(
    plan: Experiment,
    *,
    repeat: int | None = None,
    stop_early: bool = False,
    concurrency: int | None,
    max_cost: float | None,
    resume: str | None,
) -> Experiment:
    """The plan with what was set on the command line."""
    if repeat is not None:
        plan = plan.repeat(repeat)
    if stop_early:
        plan = _stopping(plan)
    if concurrency is not None:
        plan = plan.concurrency(concurrency)
    if max_cost is not None:
        plan = plan.max_cost(max_cost)
    return plan if resume is None else plan.resume(resume)


def _stopping(plan: Experiment) -> ExperimentRunner:
    if isinstance(plan, ProviderSwap):
        raise Mistake(
            "--stop-early: a provider swap holds agents against each other on the same cases; leave it out"
        )
    return plan if settings_of(plan).early is not None else plan.stop_early()


def run_plan(plan: Experiment) -> EvalReport | SwapReport:
    """Run a plan with its progress on stderr.

    Raises:
        Mistake: A file could not be written.
        Interrupted: Ctrl-C ended the run.
    """
    if isinstance(plan, ProviderSwap):
        return watched(lambda watch: plan.run(observer=watch))
    return watched(lambda watch: plan.run(observer=watch))


def watched(run: Callable[[Watch], R]) -> R:
    """What `run` reports, with its progress on stderr.

    Raises:
        Mistake: A file could not be written.
        Interrupted: Ctrl-C ended it.
    """
    with watching() as watch:
        try:
            return run(watch)
        except KeyboardInterrupt:
            raise Interrupted(_way_on(watch)) from None
        except OSError as error:
            if error.filename is None:
                raise
            raise Mistake(f"{error.filename}: {error.strerror}") from error


def _way_on(watch: Watch) -> str:
    file = watch.report.file if watch.report is not None else None
    return "" if file is None else f"; go on with --resume {shlex.quote(str(file.parent))}"
