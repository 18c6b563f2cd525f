"""What `judgekit rejudge` does: find the criteria, judge the evidence again, and report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from judgekit.cli.delivering import check_outputs, deliver
from judgekit.cli.mistakes import Mistake
from judgekit.cli.running import plan_of, watched
from judgekit.cli.runs import RUNS, stored_run
from judgekit.cli.streams import only_json_on_stdout
from judgekit.context import RunScope
from judgekit.judging import Judge
from judgekit.loop import run_sync
from judgekit.runner.prices import unpriced
from judgekit.runner.rebuilding import from_journal, from_plan
from judgekit.runner.rejudging import Again, rejudge
from judgekit.store import StoredRun

__all__ = ["rejudge_run"]


def rejudge_run(
    run: Path | None,
    *,
    judge_model: str,
    api_base: str | None,
    suite: str | None,
    outputs: Sequence[Path],
    as_json: bool,
    concurrency: int | None,
    max_cost: float | None,
    resume: str | None,
) -> int:
    """Judge a run's evidence again and print the report; the exit code.

    Raises:
        Mistake: The user can mend it.
        Interrupted: Ctrl-C ended the run.
    """
    check_outputs(outputs)
    stored, scope = stored_run(run), RunScope()
    judge = Judge(judge_model, api_base=api_base)
    with only_json_on_stdout(as_json):
        again, judges = _judging(stored, judge, suite, scope)
        if max_cost is not None and (problems := tuple(unpriced([judge]))):
            raise Mistake(*problems)
        settings: dict[str, Any] = {"concurrency": concurrency or 8, "max_cost": max_cost}
        journal = None if resume is None else Path(resume)
        report = watched(
            lambda watch: run_sync(
                lambda: rejudge(
                    stored, again, judges=judges, scope=scope, directory=RUNS, resume=journal,
                    observer=watch, **settings,
                )
            )
        )  # fmt: skip
    return deliver(report, outputs=outputs, as_json=as_json)


def _judging(
    stored: StoredRun, judge: Judge, suite: str | None, scope: RunScope
) -> tuple[list[Again], list[str]]:
    if suite is None:
        return from_journal(stored, judge), [judge.model]
    if judge.api_base is not None:
        raise Mistake("--api-base: the judges of a suite have their own; leave out --api-base or --suite")
    return from_plan(stored, plan_of(suite, None, judge.model), scope)
