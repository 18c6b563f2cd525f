"""ProviderSwap: cases, agents, judges and criteria, put together step by step and run as one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judgekit.context import RunScope
from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalCase, EvaluatorLike
from judgekit.gate import Gate
from judgekit.judging.criterion import Criterion
from judgekit.loop import run_sync
from judgekit.replay import ToolBindings
from judgekit.runner import ExperimentRunner, Observer
from judgekit.runner.carrying import carried_out
from judgekit.runner.experiment import settings_of
from judgekit.runner.naming import calling_module, default_name
from judgekit.runner.outline import Outline, outline_of
from judgekit.schedule import Agent
from judgekit.swapping.grid import Answering, Grid, Maker, prepared_grid
from judgekit.swapping.recorded import transcripts_of
from judgekit.swapping.report import SwapReport

if TYPE_CHECKING:
    from judgekit.providers.base import Price

__all__ = ["ProviderSwap"]


@dataclass(frozen=True, init=False, repr=False)
class ProviderSwap:
    """A plan to run the same cases through several agents, and what they say before several judges.

    Every agent is called once a case and repeat. What it said is then put to every judge: all of them see
    the same transcript, and no judge causes a call of an agent. Frozen: every method returns another plan,
    and nothing runs before `run`.
    """

    _plan: ExperimentRunner
    _agents: Mapping[str, Answering]
    _judges: Mapping[str, Any]
    _makers: tuple[Maker, ...]

    def __init__(self, name: str | None = None) -> None:
        """Begin a plan.

        Args:
            name: Also the name of the run's directory. Default: as for `ExperimentRunner`.

        Raises:
            InvalidArgument: The name is blank or could not be a file's name on every system.
        """
        put = object.__setattr__
        put(self, "_plan", ExperimentRunner(default_name(calling_module(1)) if name is None else name))
        put(self, "_agents", {})
        put(self, "_judges", {})
        put(self, "_makers", ())

    def _with(self, **changes: Any) -> ProviderSwap:
        swap = object.__new__(ProviderSwap)
        for name in ("_plan", "_agents", "_judges", "_makers"):
            object.__setattr__(swap, name, changes.get(name, getattr(self, name)))
        return swap

    def cases(self, *cases: EvalCase | Iterable[EvalCase]) -> ProviderSwap:
        """Add cases, one by one or in lists; their evaluators are run on what every agent says.

        Raises:
            InvalidArgument: There is none, or something is no EvalCase.
        """
        return self._with(_plan=self._plan.cases(*cases))

    def filter(self, keep: Callable[[EvalCase], bool]) -> ProviderSwap:
        """Run only the cases that `keep` accepts, with every agent."""
        return self._with(_plan=self._plan.filter(keep))

    def first(self, number: int) -> ProviderSwap:
        """Run only the first so many of the cases that are left, with every agent.

        Raises:
            InvalidArgument: `number` is no whole number of at least 1.
        """
        return self._with(_plan=self._plan.first(number))

    def agents(self, agents: Mapping[str, Callable[..., Any] | str | PathLike[str]]) -> ProviderSwap:
        """Add agents by name: callables, or what an agent said before.

        A callable is called as `ExperimentRunner.agent` says. A path names an earlier run, or any file that
        `load_interactions` reads: what it holds is judged, and nobody is called. Of an earlier swap the agent
        of the same name is taken.

        Raises:
            InvalidArgument: A name is blank or there already, or something is neither callable nor a path.
            FileUnreadable: A file cannot be read.
        """
        named = _named("agents", agents, self._agents)
        return self._with(_agents={**self._agents, **{name: _answering(name, one) for name, one in named}})

    def judges(self, judges: Mapping[str, Any]) -> ProviderSwap:
        """Add judges by name: a `Judge`, a `Panel`, or anything else with `async decide(...)`.

        Raises:
            InvalidArgument: A name is blank or there already, or something decides nothing.
        """
        named = dict(_named("judges", judges, self._judges))
        for name, judge in named.items():
            if isinstance(judge, type) or not callable(getattr(judge, "decide", None)):
                raise InvalidArgument(
                    f"`judges`: {name!r} must be a judge such as Judge(model), got {judge!r}"
                )
        return self._with(_judges={**self._judges, **named})

    def criteria(self, *makers: Maker) -> ProviderSwap:
        """Add criteria, as functions that make them for a judge; every judge gets the same ones.

        In reports and gates the criterion `tone` before the judge `strict` is `tone [strict]`.

        Args:
            makers: Such as `lambda judge: judge.should_satisfy("...", name="tone")`, or a ready-made one
                such as `judgekit.judging.criteria.warmth`. They return one criterion or a list.

        Raises:
            InvalidArgument: Something is no function, or none is given.
        """
        if not makers:
            raise InvalidArgument("`criteria` got nothing; write lambda judge: judge.should_satisfy(...)")
        for maker in makers:
            if isinstance(maker, Criterion):
                raise InvalidArgument(
                    f"`criteria`: {maker.name!r} has a judge already; write a function of the judge, "
                    "lambda judge: judge.should_satisfy(...)"
                )
            if not callable(maker):
                raise InvalidArgument(f"`criteria` must be functions of a judge, got {maker!r}")
        return self._with(_makers=(*self._makers, *makers))

    def evaluator(self, *evaluators: EvaluatorLike | Iterable[EvaluatorLike]) -> ProviderSwap:
        """Add evaluators that every agent must pass at every case, after the case's own.

        Raises:
            InvalidArgument: Something is no labelled evaluator.
        """
        return self._with(_plan=self._plan.evaluator(*evaluators))

    def bindings(self, bindings: ToolBindings) -> ProviderSwap:
        """Load each case's recorded calls into stubs before an agent is called.

        Raises:
            InvalidArgument: These are no ToolBindings, or the plan has some.
        """
        return self._with(_plan=self._plan.bindings(bindings))

    def gate(self, gate: Gate) -> ProviderSwap:
        """Say what the run must reach, over all agents together; `of=` takes `tone [strict]` too.

        Default: `Gate.all_cases_should_pass()`.

        Raises:
            InvalidArgument: This is no gate, or the plan has one.
        """
        return self._with(_plan=self._plan.gate(gate))

    def repeat(self, runs: int) -> ProviderSwap:
        """Have every agent answer every case so many times. Recorded ones were repeated when they were made.

        Raises:
            InvalidArgument: Not a whole number >= 1.
        """
        return self._with(_plan=self._plan.repeat(runs))

    def concurrency(self, attempts: int) -> ProviderSwap:
        """Let so many attempts be under way at one time, 8 by default.

        Raises:
            InvalidArgument: Not a whole number >= 1.
        """
        return self._with(_plan=self._plan.concurrency(attempts))

    def timeout(self, seconds: float) -> ProviderSwap:
        """Give each agent call so many seconds, 300 by default.

        Raises:
            InvalidArgument: Not a finite number > 0.
        """
        return self._with(_plan=self._plan.timeout(seconds))

    def max_cost(self, dollars: float, *, prices: Mapping[str, Price] | None = None) -> ProviderSwap:
        """Let all agents and judges together spend so many US dollars, as `ExperimentRunner.max_cost` says.

        Raises:
            InvalidArgument: No finite number, a negative one, or something that is no `Price`.
        """
        return self._with(_plan=self._plan.max_cost(dollars, prices=prices))

    def resume(self, path: str | PathLike[str]) -> ProviderSwap:
        """Go on with the run in this directory, or with this journal; finished attempts are not repeated.

        `run` refuses the journal of another plan.
        """
        return self._with(_plan=self._plan.resume(path))

    def report_directory(self, path: str | PathLike[str]) -> ProviderSwap:
        """Put the run's own directory under this one instead of `.judgekit/runs`."""
        return self._with(_plan=self._plan.report_directory(path))

    def without_report_file(self) -> ProviderSwap:
        """Write neither a journal nor a report; attempts are kept in memory."""
        return self._with(_plan=self._plan.without_report_file())

    def outline(self, *, priced: bool = False) -> Outline:
        """Check the plan as `run` does, and say what it would do. Nothing is called or written.

        Args:
            priced: Also estimate what the judges would cost, for which litellm is imported.

        Raises:
            InvalidPlan: The plan cannot work. All problems are named.
            FileUnreadable: The journal to resume is none.
        """
        return outline_of(prepared_grid(self._grid(), RunScope().masker, datetime.now(UTC)), priced=priced)

    def run(self, *, observer: Observer | None = None) -> SwapReport:
        """Run the plan and wait for its end; works inside a running loop too, as in notebooks.

        Ctrl-C keeps what is finished in the journal, and raises KeyboardInterrupt.

        Raises:
            InvalidPlan: The plan cannot work; nothing was called. All problems are named.
            FileUnreadable: The journal to resume is none.
        """
        return run_sync(lambda: self.run_async(observer=observer))

    async def run_async(self, *, observer: Observer | None = None) -> SwapReport:
        """Run the plan in the running loop, as `run` does.

        Cancelling it keeps what is finished in the journal.
        """
        scope = RunScope()
        plan = prepared_grid(self._grid(), scope.masker, datetime.now(UTC))
        store = plan.open_store(scope.masker)
        try:
            report = await carried_out(plan, store, scope, observer or Observer())
        finally:
            store.close()
        assert plan.head.axes is not None  # noqa: S101 - a grid always has them
        return SwapReport.of(report, plan.head.axes)

    def _grid(self) -> Grid:
        return Grid(settings_of(self._plan), self._agents, self._judges, self._makers)

    def __repr__(self) -> str:
        settings = settings_of(self._plan)
        return (
            f"<ProviderSwap {settings.name!r}: {len(self._agents)} agents, {len(self._judges)} judges, "
            f"{len(settings.cases)} cases>"
        )


def _named(parameter: str, given: object, known: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    if not isinstance(given, Mapping) or not given:
        raise InvalidArgument(f'`{parameter}` must be a mapping by name, {{"name": ...}}, got {given!r}')
    for name in given:
        if not isinstance(name, str) or not name.strip():
            raise InvalidArgument(f"`{parameter}`: a name must be text that is not blank, got {name!r}")
        if name in known:
            raise InvalidArgument(f"`{parameter}`: {name!r} is there already; give each its own name")
    return given.items()


def _answering(name: str, agent: object) -> Answering:
    if callable(agent):
        try:
            return Agent.of(agent, name=name)
        except InvalidArgument as error:
            raise InvalidArgument(f"`agents`: {name!r}: {error}") from None
    if not isinstance(agent, str | PathLike):
        raise InvalidArgument(f"`agents`: {name!r} must be callable or the path of a run, got {agent!r}")
    path = Path(agent)
    if not path.exists():
        raise InvalidArgument(
            f"`agents`: {name!r} is {str(agent)!r}, and there is no such run or file; "
            "for a model, write a function that asks it"
        )
    return transcripts_of(name, path)
