"""The fixture `judged`: what a test hands over to be judged, and what is kept of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalCase, Outcome
from judgekit.in_pytest.cases import CaseGroup
from judgekit.records import attempt_to_json
from judgekit.reporting import EvalReport
from judgekit.reporting.report import AttemptLines
from judgekit.results import CaseResult
from judgekit.runner import ExperimentRunner
from judgekit.text import one_line

__all__ = ["Judged"]


class Judged:
    """Asserts what was judged and keeps it for the end of the session; the fixture `judged`.

    Args:
        name: The test function's id, without its parameters.
        group: The cases of `@judgekit.cases`, where the test has some.
        index: Which of its tests this one is; None where it got none of its cases.
        model: Judges are asked with this model instead of their own.
        keep: Takes a record as JSON data.
    """

    def __init__(
        self,
        name: str,
        group: CaseGroup | None,
        index: int | None,
        *,
        model: str | None,
        keep: Callable[[dict[str, Any]], None],
    ) -> None:
        self._name = name
        self._group = group
        self._index = index
        self._model = model
        self._keep = keep
        self._done = False

    def __call__(self, report: EvalReport) -> EvalReport:
        """Assert the gate of a report, and count it in the session's summary.

        Raises:
            InvalidArgument: This is no report.
        """
        import pytest

        if not isinstance(report, EvalReport):
            raise InvalidArgument(f"judged(...) takes the report of a run, got {report!r:.200}")
        self._keep(
            {
                "name": self._name,
                "report": report.name,
                "decision": [report.decision.outcome.value, report.decision.detail],
                "attempts": _lines_of(report),
            }
        )
        if not report.passed:
            pytest.fail(report.render(most=20), pytrace=False)
        return report

    def ask(self, agent: Callable[..., Any], *, timeout: float = 300.0) -> CaseResult:
        """Ask an agent the command of this test's case, and judge what it did.

        Args:
            agent: As in `ExperimentRunner.agent`.
            timeout: Seconds that the agent may take.
        """
        case, run = self._case()
        return self._judged(case, run, self._plan(case).agent(agent).timeout(timeout))

    def answer(self, answer: Any) -> CaseResult:
        """Judge what the test got from its agent: text, Interaction, chat messages, a framework's result."""
        from judgekit.adapters import interaction_from

        case, run = self._case()
        interaction = interaction_from(answer, command_text=case.command_text())
        return self._judged(case, run, self._plan(case.replaced(interactions=[interaction])))

    def recorded(self) -> CaseResult:
        """Judge the interaction that was recorded with this test's case."""
        case, run = self._case()
        if len(case.interactions) < run:
            raise InvalidArgument(
                f"case {case.id!r} has no recorded interaction for run {run}; write judged.ask(agent)"
            )
        return self._judged(case, run, self._plan(case.replaced(interactions=[case.interactions[run - 1]])))

    @property
    def _cases(self) -> CaseGroup:
        if self._group is None or self._index is None:
            raise InvalidArgument(
                "this test has no case; write @judgekit.cases([...]) above it, or judged(report)"
            )
        return self._group

    def _case(self) -> tuple[EvalCase, int]:
        group = self._cases
        if self._done:
            raise InvalidArgument(
                "this test has judged its case already; for several answers write repeat=2 in @judgekit.cases"
            )
        position, run = group.place(self._index or 0)
        return group.cases[position], run

    def _plan(self, case: EvalCase) -> ExperimentRunner:
        plan, model = self._cases.plan(case), self._model
        if model is None:
            return plan
        return plan.map_judges(
            lambda judge: judge.with_model(model) if hasattr(judge, "with_model") else judge
        )

    def _judged(self, case: EvalCase, run: int, plan: ExperimentRunner) -> CaseResult:
        group, report = self._cases, plan.run()
        self._done = True
        self._keep(
            {
                "name": self._name,
                "gate": None if group.gate is None else group.gate.to_json(),
                "identity": group.identity,
                "of": len(group.cases) * group.repeat,
                "index": group.place(self._index or 0)[0],
                "run": run,
                "tags": list(case.tags),
                "attempts": [{**attempt, "run": run} for attempt in _lines_of(report)],
            }
        )
        _assert_passed(report.results[0], with_gate=group.gate is not None)
        return report.results[0]


def _lines_of(report: EvalReport) -> list[dict[str, Any]]:
    if isinstance(report.results, AttemptLines):
        return [json.loads(line) for line in report.results.lines()]
    return [attempt_to_json(attempt) for attempt in report.results]


def _assert_passed(result: CaseResult, *, with_gate: bool) -> None:
    """Fail the test where its attempt did not pass; under a gate that is no failure of its own."""
    import pytest

    if result.outcome is Outcome.PASS:
        return
    if not with_gate:
        pytest.fail(result.describe(), pytrace=False)
    failed = result.outcome is Outcome.FAIL
    decisive = [one for one in result.results if (one.outcome is Outcome.FAIL if failed else one.is_missing)]
    reason = f"{decisive[0].label}: {decisive[0].detail}"
    pytest.xfail(one_line(f"{result.outcome.value}, the gate decides: {reason}"))
