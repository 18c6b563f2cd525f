"""What `judgekit rejudge` does: find the criteria, judge the evidence again, and report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from judgekit.cli.delivering import check_outputs, deliver
from judgekit.cli.mistakes import Mistake
from judgekit.cli.running import plan_of, run_plan, watched, with_settings
from judgekit.cli.runs import RUNS, place_of, stored_run
from judgekit.cli.streams import only_json_on_stdout
from judgekit.context import RunScope
from judgekit.judging import Judge
from judgekit.loop import run_sync
from judgekit.reporting import EvalReport
from judgekit.runner.prices import unpriced
from judgekit.runner.rebuilding import from_journal
from judgekit.runner.rejudging import rejudge
from judgekit.swapping import ProviderSwap, SwapReport

__all__ = ["rejudge_run"]

_SWAP = (
    "a provider swap has judges of its own; add one to its plan, with its run in the place of each agent, "
    'such as .agents({"small": ".judgekit/runs/..."}), and run that'
)


def rejudge_run(
    run: Path | None,
    *,
    judge_model: str,
    api_base: str | None,
    suite: str | None,
    outputs: Sequence[Path],
    as_json: bool,
    **settings: Any,
) -> int:
    """Judge a run's evidence again and print the report; the exit code.

    Raises:
        Mistake: The user can mend it.
        Interrupted: Ctrl-C ended the run.
    """
    check_outputs(outputs)
    with only_json_on_stdout(as_json):
        if suite is None:
            report: EvalReport | SwapReport = _from_journal(
                run, Judge(judge_model, api_base=api_base), **settings
            )
        elif api_base is None:
            plan = plan_of(suite, None, judge_model)
            if isinstance(plan, ProviderSwap):
                raise Mistake(_SWAP)
            report = run_plan(with_settings(plan.rescore(place_of(run)), **settings))
        else:
            raise Mistake("--api-base: the judges of a suite have their own; leave out --api-base or --suite")
    return deliver(report, outputs=outputs, as_json=as_json)


def _from_journal(
    run: Path | None,
    judge: Judge,
    *,
    concurrency: int | None,
    max_cost: float | None,
    resume: str | None,
) -> EvalReport:
    stored = stored_run(run)
    if stored.head.axes is not None:
        raise Mistake(_SWAP)
    again = from_journal(stored, judge)
    if max_cost is not None and (problems := tuple(unpriced([judge]))):
        raise Mistake(*problems)
    return watched(
        lambda watch: run_sync(
            lambda: rejudge(
                stored,
                again,
                judges=[judge.model],
                scope=RunScope(),
                directory=RUNS,
                resume=None if resume is None else Path(resume),
                concurrency=concurrency or 8,
                max_cost=max_cost,
                observer=watch,
            )
        )
    )
