"""ExperimentRunner: cases, an agent and a gate, put together step by step and run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judgekit.checking import is_finite_number
from judgekit.context import RunScope
from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalCase, EvaluatorLike, checked_evaluators
from judgekit.gate import Gate
from judgekit.loop import run_sync
from judgekit.replay import ToolBindings
from judgekit.reporting import EvalReport
from judgekit.runner.arguments import checked_alpha, checked_group, checked_whole
from judgekit.runner.carrying import carried_out
from judgekit.runner.judges import with_judges
from judgekit.runner.naming import calling_module, checked_name, checked_path
from judgekit.runner.outline import Outline, outline_of
from judgekit.runner.prices import checked_prices
from judgekit.runner.rescoring import rescored
from judgekit.runner.settings import Selection, Settings, prepared
from judgekit.schedule import Agent, CostLimit, Observer

if TYPE_CHECKING:
    from judgekit.providers.base import Price

__all__ = ["ExperimentRunner", "settings_of"]


@dataclass(frozen=True, init=False, repr=False)
class ExperimentRunner:
    """A plan to run cases. Frozen: every method returns another plan, and nothing runs before `run`."""

    _settings: Settings

    def __init__(self, name: str | None = None) -> None:
        """Begin a plan.

        Args:
            name: Also the name of the run's directory. Default: the running test's id under pytest, else
                the calling module's name.

        Raises:
            InvalidArgument: The name is blank or could not be a file's name on every system.
        """
        checked = None if name is None else checked_name(name)
        object.__setattr__(self, "_settings", Settings(name=checked, module=calling_module(1)))

    @classmethod
    def _of(cls, settings: Settings) -> ExperimentRunner:
        plan = object.__new__(cls)
        object.__setattr__(plan, "_settings", settings)
        return plan

    def _with(self, **changes: Any) -> ExperimentRunner:
        return self._of(replace(self._settings, **changes))

    def cases(self, *cases: EvalCase | Iterable[EvalCase]) -> ExperimentRunner:
        """Add cases, one by one or in lists.

        Raises:
            InvalidArgument: There is none, or something is no EvalCase.
        """
        added = tuple(case for group in cases for case in checked_group(group))
        if not added:
            raise InvalidArgument("`cases` got no case; an experiment needs one at least")
        return self._with(cases=self._settings.cases + added)

    def filter(self, keep: Callable[[EvalCase], bool]) -> ExperimentRunner:
        """Run only the cases that `keep` accepts. Where none is left the gate is INCONCLUSIVE."""
        return self._selecting(lambda cases: tuple(case for case in cases if keep(case)))

    def first(self, number: int) -> ExperimentRunner:
        """Run only the first so many of the cases that are left.

        Raises:
            InvalidArgument: `number` is no whole number of at least 1.
        """
        end = checked_whole("number", number)
        return self._selecting(lambda cases: cases[:end])

    def _selecting(self, select: Selection) -> ExperimentRunner:
        return self._with(selections=(*self._settings.selections, select))

    def evaluator(self, *evaluators: EvaluatorLike | Iterable[EvaluatorLike]) -> ExperimentRunner:
        """Add evaluators that every case must pass, after its own.

        Raises:
            InvalidArgument: Something is no labelled evaluator.
        """
        added = checked_evaluators("ExperimentRunner", evaluators)
        return self._with(evaluators=self._settings.evaluators + added)

    def map_judges(self, change: Callable[[Any], Any]) -> ExperimentRunner:
        """Put other judges in the place of those that the plan's evaluators ask.

        Args:
            change: Makes the new judge from the old one, such as `lambda judge: judge.with_model("...")`.
        """
        return self._of(with_judges(self._settings, change))

    def bindings(self, bindings: ToolBindings) -> ExperimentRunner:
        """Load each case's recorded calls into stubs before the agent is called.

        Raises:
            InvalidArgument: These are no ToolBindings, or the plan has some.
        """
        if not isinstance(bindings, ToolBindings):
            raise InvalidArgument(f"`bindings` must be ToolBindings, got {bindings!r}")
        if self._settings.bindings is not None:
            raise InvalidArgument("the plan has bindings; bind all tools in one ToolBindings")
        return self._with(bindings=bindings)

    def agent(
        self,
        agent: Callable[..., Any],
        *,
        name: str | None = None,
        tools: Iterable[Callable[..., Any]] | None = None,
    ) -> ExperimentRunner:
        """Say who answers: `agent(command)` or `agent(command, session)`, sync or async.

        It returns text, an Interaction, a list of chat messages, or a framework's result. A sync agent
        runs in a worker thread. Without an agent, recorded interactions are scored.

        Raises:
            InvalidArgument: It cannot be called so, or the plan has an agent.
        """
        if self._settings.agent is not None:
            raise InvalidArgument(
                f"the plan has an agent, {self._settings.agent.name!r}; ProviderSwap takes several"
            )
        return self._with(agent=Agent.of(agent, name=name, tools=tools))

    def gate(self, gate: Gate) -> ExperimentRunner:
        """Say what the run must reach. Default: `Gate.all_cases_should_pass()`.

        Raises:
            InvalidArgument: This is no gate, or the plan has one.
        """
        if not isinstance(gate, Gate):
            raise InvalidArgument(f"`gate` must be a Gate, got {gate!r}; write Gate.all_cases_should_pass()")
        if self._settings.gate is not None:
            raise InvalidArgument("the plan has a gate; join both with `&` and give them as one")
        return self._with(gate=gate)

    def repeat(self, runs: int) -> ExperimentRunner:
        """Run every case so many times; all cases once, then again.

        Raises:
            InvalidArgument: Not a whole number >= 1.
        """
        return self._with(runs=checked_whole("repeat", runs))

    def concurrency(self, attempts: int) -> ExperimentRunner:
        """Let so many attempts be under way at one time, 8 by default; 1 gives strict order.

        Raises:
            InvalidArgument: Not a whole number >= 1.
        """
        return self._with(concurrency=checked_whole("concurrency", attempts))

    def stop_early(self, *, alpha: float = 0.05, seed: int | None = None) -> ExperimentRunner:
        """Run cases in seeded random order, and stop as soon as the gate is decided.

        The gate is looked at after every case, over all its runs. Looking so often is allowed: the chance
        that the whole suite would have come to another decision is at most `alpha` (a beta-binomial
        confidence sequence, `judgekit.statistics.early_decision`). A rate with a confidence keeps its own
        error: half of it goes to the looks, and what the whole suite decides has the rest. Rules that one
        attempt can break stop the run there, and pass only with the last case.

        Args:
            alpha: Above 0 and below 1.
            seed: Of the order of cases; None: one drawn anew. A resumed run keeps its own.

        Raises:
            InvalidArgument: The alpha is out of range, or the seed no whole number >= 0.
        """
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
            raise InvalidArgument(f"`stop_early`: `seed` must be a whole number >= 0, got {seed!r}")
        return self._with(early=(checked_alpha(alpha), seed))

    def timeout(self, seconds: float) -> ExperimentRunner:
        """Give each agent call so many seconds, 300 by default, and each loader of recorded calls as many.

        Judges have deadlines of their own.

        Raises:
            InvalidArgument: Not a finite number > 0.
        """
        if not is_finite_number(seconds) or seconds <= 0:
            raise InvalidArgument(f"`timeout` must be a finite number of seconds > 0, got {seconds!r}")
        return self._with(timeout=float(seconds))

    def rescore(self, run: str | PathLike[str]) -> ExperimentRunner:
        """Score what an earlier run's agent did, in place of calling an agent.

        Every case gets the interactions that the run has under its id; the evaluators, the judges and the
        gate are this plan's. What the run never came to, since it was interrupted or out of money, is not
        there to be scored. Secrets in the evidence are masked, as in the run's files.

        Args:
            run: Its folder, `journal.jsonl` or `report.json`.

        Raises:
            FileUnreadable: It is no run.
            InvalidArgument: The plan has no cases, or the run holds no attempt at one of them.
        """
        return self._of(rescored(self._settings, Path(run)))

    def max_cost(self, dollars: float, *, prices: Mapping[str, Price] | None = None) -> ExperimentRunner:
        """Let judges and agents together spend so many US dollars.

        What a call to a model may cost is reserved before it is made, by judges and by agents that call
        their models through litellm. Past the limit no agent is called and no judge asked any more: what
        is left is inconclusive, `budget_spent`. Other agents are charged afterwards, with the `cost` of
        the Interaction that they return.

        Args:
            dollars: 0 or more; with 0 only what is free can be asked.
            prices: Of agents' models that litellm knows no price of, by model string. A call to a model
                without a price is not made. Judges have a `price` of their own.

        Raises:
            InvalidArgument: No finite number, a negative one, or something that is no `Price`.
        """
        if not is_finite_number(dollars) or dollars < 0:
            raise InvalidArgument(f"`max_cost` must be a finite number of dollars >= 0, got {dollars!r}")
        return self._with(max_cost=CostLimit(float(dollars), checked_prices(prices or {})))

    def resume(self, path: str | PathLike[str]) -> ExperimentRunner:
        """Go on with the run in this directory, or with this journal; finished attempts are not repeated.

        `run` refuses the journal of another plan.
        """
        return self._with(journal=checked_path("resume", path))

    def report_directory(self, path: str | PathLike[str]) -> ExperimentRunner:
        """Put the run's own directory under this one instead of `.judgekit/runs`."""
        return self._with(directory=checked_path("report_directory", path))

    def without_report_file(self) -> ExperimentRunner:
        """Write neither a journal nor a report; attempts are kept in memory."""
        return self._with(directory=None)

    def outline(self, *, priced: bool = False) -> Outline:
        """Check the plan as `run` does, and say what it would do. Nothing is called or written.

        Args:
            priced: Also estimate what the judges would cost, for which litellm is imported.

        Raises:
            InvalidPlan: The plan cannot work. All problems are named.
            FileUnreadable: The journal to resume is none.
        """
        return outline_of(prepared(self._settings, RunScope().masker, datetime.now(UTC)), priced=priced)

    def run(self, *, observer: Observer | None = None) -> EvalReport:
        """Run the plan and wait for its end; works inside a running loop too, as in notebooks.

        Ctrl-C keeps what is finished in journal and report, and raises KeyboardInterrupt.

        Raises:
            InvalidPlan: The plan cannot work; nothing was called. All problems are named.
            FileUnreadable: The journal to resume is none.
        """
        return run_sync(lambda: self.run_async(observer=observer))

    async def run_async(self, *, observer: Observer | None = None) -> EvalReport:
        """Run the plan in the running loop, as `run` does.

        Cancelling it keeps what is finished in journal and report.
        """
        scope = RunScope()
        plan = prepared(self._settings, scope.masker, datetime.now(UTC))
        store = plan.open_store(scope.masker)
        try:
            return await carried_out(plan, store, scope, observer or Observer())
        finally:
            store.close()

    def __repr__(self) -> str:
        name = self._settings.name or "unnamed"
        return f"<ExperimentRunner {name!r}: {len(self._settings.cases)} cases>"


def settings_of(plan: ExperimentRunner) -> Settings:
    """What the plan's methods have set, for plans that are made of it."""
    return plan._settings
