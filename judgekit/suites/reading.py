"""A YAML suite to an experiment, with every problem on a line that names file and line."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from judgekit.datasets.plain_yaml import located_yaml
from judgekit.datasets.rows import Columns, cases_of
from judgekit.errors import FileUnreadable, InvalidArgument, InvalidPlan
from judgekit.evaluation import EvalCase, EvaluatorLike
from judgekit.gate import Gate
from judgekit.gate.rules import Rule
from judgekit.interaction import Interaction
from judgekit.judging import Judge
from judgekit.runner import ExperimentRunner
from judgekit.suites.calling import called, checks, criteria, named_entry, rules
from judgekit.suites.guessing import meant
from judgekit.suites.schema import CASE_KEYS, FILE_KEYS, JUDGE_KEYS, SUITE_KEYS
from judgekit.text import first_line

__all__ = ["load_suite"]

_UNREADABLE = " cannot be read as cases:"

T = TypeVar("T")
Place = tuple[str | int, ...]


def load_suite(path: str | Path) -> ExperimentRunner:
    """The experiment of a YAML suite.

    Raises:
        InvalidPlan: The suite cannot work; each problem names its file and line.
        FileUnreadable: It is no YAML, or there is no such file.
    """
    file = Path(path)
    try:
        data, lines = located_yaml(file.read_text(encoding="utf-8-sig"))
    except FileUnreadable as error:
        place, _, text = str(error).partition(": ")
        line = place.removeprefix("line ")
        raise FileUnreadable(f"{path}:{line}: {text}" if line.isdigit() else f"{path}: {error}") from None
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise FileUnreadable(f"{path}: {why}") from error
    reader = _Reader(file, str(path), lines)
    plan = reader.plan(data)
    if reader.problems or plan is None:
        raise InvalidPlan(list(dict.fromkeys(reader.problems)))
    return plan


class _Reader:
    def __init__(self, file: Path, shown: str, lines: Mapping[Place, int]) -> None:
        self._file = file
        self._shown = shown
        self._lines = lines
        self.problems: list[str] = []
        self._checks = checks()
        self._criteria = criteria()
        self._rules = rules()
        self._judge: Judge | None = None

    def plan(self, data: Any) -> ExperimentRunner | None:
        """The plan as far as it can be read; problems are kept."""
        if not isinstance(data, Mapping):
            got = f"a suite is a mapping with `cases`, got {type(data).__name__}"
            self._problem((), got if data is not None else "the file is empty; write `cases:`")
            return None
        self._known(data, (), SUITE_KEYS, "a suite")
        self._judge = self._try(("judge",), lambda: self._judge_of(data.get("judge")))
        cases = self._cases(data)
        evaluators = self._evaluators(data.get("evaluators"), ("evaluators",))
        gate = self._gate(data["gate"]) if "gate" in data else None
        plan = self._try(("name",), lambda: ExperimentRunner(_name(data, self._file)))
        for name in ("repeat", "concurrency", "timeout", "max_cost"):
            if plan is not None and name in data:
                plan = self._set(plan, name, data[name])
        if plan is not None and "stop_early" in data:
            plan = self._try(("stop_early",), partial(_stopping, plan, data["stop_early"])) or plan
        if plan is None or not cases:
            return plan
        plan = plan.cases(cases)
        plan = plan.evaluator(evaluators) if evaluators else plan
        plan = plan if gate is None else plan.gate(gate)
        if gate is not None:
            self._fits(plan)
        if "agent" not in data:
            self._answered(cases)
            return plan
        agent = self._try(("agent",), lambda: self._agent_of(data["agent"]))
        return plan if agent is None else self._try(("agent",), lambda: plan.agent(agent))

    def _set(self, plan: ExperimentRunner, name: str, value: Any) -> ExperimentRunner:
        return self._try((name,), lambda: getattr(plan, name)(value)) or plan

    def _problem(self, path: Place, text: str) -> None:
        while path not in self._lines and path:
            path = path[:-1]
        self.problems.append(f"{self._shown}:{self._lines.get(path, 1)}: {text}")

    def _try(self, path: Place, action: Callable[[], T]) -> T | None:
        try:
            return action()
        except (InvalidArgument, FileUnreadable) as error:
            first, *more = str(error).splitlines() or [""]
            # A file of rows names itself once, and then each bad line of it.
            name = first.removesuffix(_UNREADABLE)
            for text in more or [first]:
                self._problem(path, f"{name}, {text.strip()}" if more and name != first else text.strip())
            return None

    def _known(self, data: Mapping[Any, Any], path: Place, keys: tuple[str, ...], what: str) -> None:
        for key in data:
            if key not in keys:
                self._problem((*path, str(key)), f"{what} has no {key!r}; it has {', '.join(keys)}")

    def _judge_of(self, value: Any) -> Judge | None:
        if value is None:
            return None
        if isinstance(value, str):
            return Judge(value)
        if not isinstance(value, Mapping) or "model" not in value:
            raise InvalidArgument("`judge` is a model such as openai/gpt-5-mini, or settings with `model`")
        if "api_key" in value:
            raise InvalidArgument("`judge` holds no api_key: a key stands in the environment, not in a file")
        self._known(value, ("judge",), JUDGE_KEYS, "`judge`")
        settings = {key: item for key, item in value.items() if key in JUDGE_KEYS}
        if isinstance(settings.get("prompts"), str):
            settings["prompts"] = self._file.parent / settings["prompts"]
        return Judge(**settings)

    def _agent_of(self, value: Any) -> Callable[..., Any]:
        module, colon, name = str(value).partition(":")
        if not isinstance(value, str) or not colon or not name.isidentifier() or not module:
            raise InvalidArgument(f"`agent` is module:function, such as desk:answer; got {value!r}")
        folder = str(self._file.resolve().parent)
        if folder not in sys.path:
            sys.path.insert(0, folder)
        try:
            held = getattr(importlib.import_module(module), name)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a module that calls sys.exit() too
            hint = meant(error)
            if isinstance(error, ModuleNotFoundError) and error.name == module:
                hint = f"; {module}.py is looked for beside the suite"
            raise InvalidArgument(
                f"the agent {value} cannot be imported: {first_line(error)}{hint}"
            ) from error
        if not callable(held):
            raise InvalidArgument(f"the agent {value} is no function, got a {type(held).__name__}")
        return held  # type: ignore[no-any-return]

    def _cases(self, data: Mapping[str, Any]) -> list[EvalCase]:
        value = data.get("cases")
        if isinstance(value, Mapping):
            return self._try(("cases",), lambda: self._cases_of_file(value)) or []
        if not isinstance(value, list) or not value:
            self._problem(("cases",), "`cases` is a list with at least one case, or a `file` of rows")
            return []
        found = [self._case(entry, ("cases", index)) for index, entry in enumerate(value)]
        seen: dict[str, int] = {}
        for index, case in enumerate(found):
            if case is not None and seen.setdefault(case.id, index) != index:
                first = self._lines.get(("cases", seen[case.id]), 1)
                text = f"the case id {case.id!r} is used twice, first on line {first}"
                self._problem(("cases", index), text)
        return [case for case in found if case is not None]

    def _cases_of_file(self, value: Mapping[str, Any]) -> list[EvalCase]:
        from judgekit.datasets.files import rows_of

        self._known(value, ("cases",), FILE_KEYS, "`cases`")
        name = value.get("file")
        if not isinstance(name, str):
            raise InvalidArgument(f"`cases` needs the `file` of its rows, got {name!r}")
        names = {key: value[key] for key in FILE_KEYS if key != "file" and key in value}
        rows = rows_of(self._file.parent / name)
        return cases_of(rows, Columns(**names), source=name, needs_interaction=False)

    def _case(self, entry: Any, path: Place) -> EvalCase | None:
        if not isinstance(entry, Mapping):
            self._problem(path, f"a case is a mapping with `id` and `command`, got {entry!r}")
            return None
        self._known(entry, path, CASE_KEYS, "a case")
        evaluators = self._evaluators(entry.get("evaluators"), (*path, "evaluators"))
        absent = [key for key in ("id", "command") if key not in entry]
        if absent:
            self._problem(path, f"a case needs `{absent[0]}`")
            return None
        return self._try(path, lambda: _built(entry, evaluators))

    def _evaluators(self, value: Any, path: Place) -> list[EvaluatorLike]:
        if value is None:
            return []
        if not isinstance(value, list):
            self._problem(path, f"`evaluators` is a list, got {value!r}; begin each with a dash")
            return []
        found: list[EvaluatorLike] = []
        for index, entry in enumerate(value):
            made = self._try((*path, index), partial(self._evaluator, entry))
            found += made if isinstance(made, tuple) else [made] if made is not None else []
        return found

    def _evaluator(self, entry: Any) -> Any:
        name, arguments = named_entry(entry, self._checks | self._criteria, "evaluator")
        if name in self._checks:
            return called(name, self._checks[name], arguments)
        if self._judge is None:
            raise InvalidArgument(f"{name} asks a judge; write `judge: openai/gpt-5-mini` at the top")
        return called(name, self._criteria[name], arguments, first=(self._judge,))

    def _gate(self, value: Any) -> Gate | None:
        if value is None or value == []:
            self._problem(("gate",), "`gate` is empty, so it decides nothing; write a rule, or leave it out")
            return None
        listed = isinstance(value, list)
        rules: list[Rule] = []
        for index, entry in enumerate(value if listed else [value]):
            gate = self._try(("gate", index) if listed else ("gate",), partial(self._rule, entry))
            rules += gate.rules if gate is not None else ()
        return Gate(tuple(rules)) if rules else None

    def _answered(self, cases: list[EvalCase]) -> None:
        """Whether every case has a reply, where no agent gives one."""
        silent = next((n for n, case in enumerate(cases) if not case.interactions), None)
        # Where something else is wrong, a reply may only be misspelt.
        if silent is not None and not self.problems:
            self._problem(
                ("cases", silent),
                f"there is no `agent`, and case {cases[silent].id!r} has no `reply` and no `messages`; write "
                "`agent: module:function` at the top, or give each case a reply",
            )

    def _fits(self, plan: ExperimentRunner) -> None:
        """Whether the gate speaks of what the cases have; its run tells every other problem."""
        try:
            plan.outline()
        except InvalidPlan as error:
            for problem in error.problems:
                if problem.startswith("the gate"):
                    self._problem(("gate",), problem)

    def _rule(self, entry: Any) -> Gate:
        name, arguments = named_entry(entry, self._rules, "gate")
        gate: Gate = called(name, self._rules[name], arguments)
        return gate


def _name(data: Mapping[str, Any], file: Path) -> Any:
    if "name" in data and data["name"] is None:
        raise InvalidArgument("`name` is empty; write one, or leave it out for that of the file")
    return data.get("name", file.stem)


def _stopping(plan: ExperimentRunner, value: Any) -> ExperimentRunner:
    if isinstance(value, bool):
        return plan.stop_early() if value else plan
    if not isinstance(value, Mapping) or not set(value) <= {"alpha", "seed"}:
        raise InvalidArgument(f"`stop_early` is true, false, or {{alpha: 0.05, seed: 7}}; got {value!r}")
    return plan.stop_early(**value)


def _built(entry: Mapping[str, Any], evaluators: list[EvaluatorLike]) -> EvalCase:
    recorded: list[Interaction] = []
    if "messages" in entry:
        recorded.append(Interaction.from_messages(entry["messages"]))
    elif "reply" in entry:
        recorded.append(Interaction(reply=entry["reply"]))
    metadata = entry.get("metadata", {})
    if not isinstance(metadata, Mapping):
        raise InvalidArgument(f"`metadata` is a mapping, got {metadata!r}")
    tags = entry.get("tags", [])
    return EvalCase(
        entry["id"], entry["command"], *evaluators, interactions=recorded, tags=tags, metadata=metadata
    )
