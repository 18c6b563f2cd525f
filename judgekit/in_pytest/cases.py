"""`@judgekit.cases(...)`: a test function becomes one test a case."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from judgekit.datasets.files import rows_of
from judgekit.datasets.rows import Columns, cases_from, cases_of
from judgekit.errors import FileUnreadable, InvalidArgument
from judgekit.evaluation import EvalCase, EvaluatorLike
from judgekit.gate import Gate
from judgekit.jsonable import json_line
from judgekit.runner import ExperimentRunner

__all__ = ["CaseGroup", "cases"]

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class CaseGroup:
    """The cases of one test function.

    Attributes:
        cases: In order.
        tests: The case of each test, run after run, each an object of its own.
        places: Where in `tests` an object is, by its `id()`. The index that pytest gives a parameter is
            that of the whole test, where there are other parameters.
        evaluators: On every case, after its own.
        repeat: How many tests each case is.
        gate: What all of them together must reach; None: every test must pass by itself.
        identity: A hash over the ids, so that results of other cases are not taken for these.
        models: What the judges ask, model strings and scripted models.
    """

    cases: tuple[EvalCase, ...]
    tests: tuple[EvalCase, ...]
    places: Mapping[int, int]
    evaluators: tuple[EvaluatorLike, ...]
    repeat: int
    gate: Gate | None
    identity: str
    models: tuple[object, ...]

    def place(self, index: int) -> tuple[int, int]:
        """Case position and 1-based run of the test at `index`."""
        run, position = divmod(index, len(self.cases))
        return position, run + 1

    def shown(self, index: int) -> str:
        """The id of the test at `index` among its parameters."""
        position, run = self.place(index)
        return self.cases[position].id if self.repeat == 1 else f"{self.cases[position].id}-run{run}"

    def plan(self, *cases: EvalCase) -> ExperimentRunner:
        """A plan with these cases and all their evaluators, which writes no files."""
        plan = ExperimentRunner("cases").cases(cases).without_report_file()
        return plan.evaluator(self.evaluators) if self.evaluators else plan

    @property
    def asks_models(self) -> bool:
        """Whether a judge asks a real model."""
        return any(not callable(getattr(model, "complete", None)) for model in self.models)


def cases(
    source: str | PathLike[str] | Iterable[EvalCase] | Iterable[Mapping[str, Any]],
    *,
    evaluators: Sequence[EvaluatorLike] = (),
    gate: Gate | None = None,
    repeat: int = 1,
    asked: str | None = None,
    reply: str | None = None,
    messages: str | None = None,
    expected: str | None = None,
    id: str | None = None,
) -> Callable[[F], F]:
    """Make one test a case: the function takes `case` and the fixture `judged`.

        @judgekit.cases("questions.jsonl", evaluators=[polite], gate=Gate.pass_rate_should_be_at_least(0.9))
        def test_help_desk(case, judged):
            judged.ask(agent)

    Without a gate every test passes or fails by itself. With one, a case that does not pass is reported as
    `xfailed`, and the gate decides over all cases at the end of the session.

    Args:
        source: Cases; or rows; or a file of rows, looked for beside the test's own file.
        evaluators: Added to every case.
        gate: What all cases together must reach.
        repeat: How many tests each case is.
        asked: The column that holds what the agent is asked, as in `load_interactions`.
        reply: Likewise a recorded reply.
        messages: Likewise a recorded conversation.
        expected: Likewise what the caller compares with.
        id: Likewise the case's id.

    Raises:
        InvalidArgument: There is no case, or the plan cannot work; every problem is named.
        FileUnreadable: The file or a row of it cannot be read.
    """
    columns = Columns(asked=asked, reply=reply, messages=messages, expected=expected, id=id)
    folder = Path(str(sys._getframe(1).f_globals.get("__file__") or "")).parent
    found = tuple(_found(source, columns, folder))
    group = _group(found, evaluators, gate, repeat)

    def attach(function: F) -> F:
        import pytest

        function.__judgekit_cases__ = group  # type: ignore[attr-defined]
        shown = [pytest.param(case, id=group.shown(index)) for index, case in enumerate(group.tests)]
        return pytest.mark.parametrize("case", shown)(function)  # type: ignore[no-any-return]

    return attach


def _found(source: Any, columns: Columns, folder: Path) -> Iterable[EvalCase]:
    if isinstance(source, str | PathLike):
        return _from_file(Path(source), columns, folder)
    items = tuple(source) if isinstance(source, Iterable) else ()
    if items and all(isinstance(item, Mapping) for item in items):
        names = {name: getattr(columns, name) for name in Columns.__slots__}
        return cases_from(items, **names)
    if not items or not all(isinstance(item, EvalCase) for item in items):
        raise InvalidArgument(
            f"`cases` takes EvalCase objects, rows, or the name of a file, got {source!r:.200}; "
            "write @judgekit.cases([EvalCase(...), ...])"
        )
    return items


def _from_file(path: Path, columns: Columns, folder: Path) -> list[EvalCase]:
    file = path if path.is_absolute() else folder / path
    try:
        found = cases_of(rows_of(file), columns, source=path.name, needs_interaction=False)
    except FileUnreadable as error:
        raise FileUnreadable(str(error) if path.name in str(error) else f"{path.name}: {error}") from error
    if not found:
        raise FileUnreadable(f"{path.name} holds no rows")
    return found


def _group(
    cases: tuple[EvalCase, ...], evaluators: Sequence[EvaluatorLike], gate: Gate | None, repeat: int
) -> CaseGroup:
    identity = hashlib.sha256(json_line([case.id for case in cases]).encode()).hexdigest()[:16]
    group = CaseGroup(cases, (), {}, tuple(evaluators), repeat, gate, identity, ())
    plan = group.plan(*cases).repeat(repeat).agent(_nobody)
    (plan if gate is None else plan.gate(gate)).outline()
    tests = tuple(case.replaced() for _ in range(repeat) for case in cases)
    places = {id(test): index for index, test in enumerate(tests)}
    return replace(group, tests=tests, places=places, models=tuple(_models(plan)))


def _models(plan: ExperimentRunner) -> list[object]:
    models: list[object] = []

    def noted(judge: Any) -> Any:
        if (model := getattr(judge, "model", None)) is not None and model not in models:
            models.append(model)
        return judge

    plan.map_judges(noted)
    return models


def _nobody(command: Any, session: Any) -> str:
    """Stands for the agent while the plan is checked."""
    raise NotImplementedError
