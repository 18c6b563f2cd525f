"""Everything that can be found wrong with a plan before the first call, all of it at once."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from judgekit.evaluation import EvalCase, EvaluatorLike, label_of, label_owner
from judgekit.gate import Gate
from judgekit.judging.criterion import JudgedEvaluator
from judgekit.runner.prices import unpriced
from judgekit.schedule import JUDGE, Plan
from judgekit.text import bracketed, counted

__all__ = ["Checked", "checked", "tags_of"]

_NAMED = 5


@dataclass(slots=True)
class Checked:
    """What a walk over a plan found.

    Attributes:
        problems: One sentence each; a plan with any may not start.
        labels: Of all evaluators, each with what it belongs to.
        criteria: The texts of the judged criteria by name.
        judges: Names of the judges, each once.
        secrets: Values that must not reach a file.
        asked: The judges themselves, and whatever else asks a model for the plan.
    """

    problems: list[str] = field(default_factory=list)
    labels: dict[str, object] = field(default_factory=dict)
    criteria: dict[str, str] = field(default_factory=dict)
    judges: dict[str, None] = field(default_factory=dict)
    secrets: dict[str, None] = field(default_factory=dict)
    asked: list[object] = field(default_factory=list)


def checked(plan: Plan, gate: Gate, *, shown: Callable[[str], str]) -> Checked:
    """Walk over the whole plan.

    Args:
        plan: All cases, before any filter.
        gate: Every `of=` must name an evaluator or a criterion of some case, every tag one of some case, and
            no rule may ask for more runs than a case has.
        shown: How a report shows a name; two cases, or two criteria, must not look the same there.
    """
    found = Checked()
    found.problems += _ids(plan.cases, shown)
    _walk(plan, found)
    found.problems += _names(found.criteria, shown)
    found.problems += [*_evidence(plan), *_bindings(plan), *_sessions(plan)]
    found.problems += gate.problems(
        labels=found.labels,
        criteria=found.criteria,
        tags=tags_of(plan.cases),
        case_runs=[plan.runs_of(case) for case in plan.cases],
    )
    if plan.max_cost is not None:
        found.problems += unpriced(found.asked)
    return found


def tags_of(cases: Sequence[EvalCase]) -> dict[str, list[int]]:
    """The positions of the cases that bear each tag."""
    found: dict[str, list[int]] = {}
    for index, case in enumerate(cases):
        if case.tags:
            for tag in dict.fromkeys(case.tags):
                found.setdefault(tag, []).append(index)
    return found


def _ids(cases: Sequence[EvalCase], shown: Callable[[str], str]) -> Iterator[str]:
    seen: dict[str, int] = {}
    for position, case in enumerate(cases, start=1):
        name = shown(case.id)
        first = seen.setdefault(name, position)
        if first == position:
            continue
        other = cases[first - 1].id
        if other == case.id:
            yield f"the case id {case.id!r} is used twice, by cases {first} and {position}; ids are unique"
        else:
            yield (
                f"the ids of cases {first} and {position} both read {name!r} in a report, "
                "where secrets are masked; give one another id"
            )


def _names(criteria: Iterable[str], shown: Callable[[str], str]) -> Iterator[str]:
    seen: dict[str, str] = {}
    for name in criteria:
        first = seen.setdefault(shown(name), name)
        if first != name:
            yield (
                f"two criterion names both read {shown(name)!r} in a report, where secrets are masked; "
                "give one another name"
            )


def _walk(plan: Plan, found: Checked) -> None:
    known: set[int] = set()
    for evaluator in plan.evaluators:
        _evaluator(evaluator, found)
    for case in plan.cases:
        if case.dialogue is not None and case.dialogue.user is not None:
            _asked(case.dialogue.user, found)
        for evaluator in case.evaluators:
            # Most suites share their evaluators, or at least their classes.
            if id(evaluator) not in known:
                known.add(id(evaluator))
                _evaluator(evaluator, found)


def _evaluator(evaluator: EvaluatorLike, found: Checked) -> None:
    label, owner = label_of(evaluator), label_owner(evaluator)
    first = found.labels.setdefault(label, owner)
    if first is not owner:
        problem = (
            f"the label {label!r} belongs to two evaluators, {_owner_name(first)} and {_owner_name(owner)}; "
            "give one another label"
        )
        if problem not in found.problems:
            found.problems.append(problem)
    if label == JUDGE:
        _judged(evaluator, found)


def _owner_name(owner: object) -> str:
    module = getattr(owner, "__module__", None) or getattr(owner, "co_filename", "")
    name = getattr(owner, "__qualname__", None) or getattr(owner, "co_qualname", "")
    return f"{module}.{name}" if module else str(name)


def _judged(evaluator: EvaluatorLike, found: Checked) -> None:
    """Read what judged evaluators tell about themselves; a custom one needs to tell none of it."""
    name, text = getattr(evaluator, "name", None), getattr(evaluator, "criterion", None)
    if isinstance(name, str):
        first = found.criteria.setdefault(name, str(text))
        if first != str(text):
            found.problems.append(
                f"the criterion name {name!r} stands for two texts, {first!r} and {text!r}; "
                "give one another name"
            )
    for judge in _judges_of(evaluator):
        found.judges[str(getattr(judge, "model", None) or type(judge).__name__)] = None
        _asked(judge, found)


def _asked(one: object, found: Checked) -> None:
    found.asked.append(one)
    if isinstance(key := getattr(one, "api_key", None), str):
        found.secrets[key] = None
    if isinstance(params := getattr(one, "params", None), Mapping) and params:
        from judgekit.providers.ladder import secrets_in

        found.secrets.update(dict.fromkeys(secrets_in(params)))
    if isinstance(getattr(one, "model", None), str):
        from judgekit.providers.litellm_wire import environment_secrets

        found.secrets.update(dict.fromkeys(environment_secrets()))


def _judges_of(evaluator: EvaluatorLike) -> list[object]:
    """The judges that an evaluator asks: one, or the members of a panel."""
    judges: list[object] = []

    def noted(judge: object) -> object:
        judges.append(judge)
        return judge

    if isinstance(evaluator, JudgedEvaluator):
        # A judged evaluator of the user's own need not say whom it asks.
        with contextlib.suppress(NotImplementedError):
            evaluator.map_judges(noted)
    return judges


def _evidence(plan: Plan) -> Iterator[str]:
    empty = [case.id for case in plan.cases if plan.agent_of(case) is None and not case.interactions]
    if empty:
        yield (
            f"there is no agent, and {counted(len(empty), 'case')} without recorded interactions: "
            f"{_some(empty)}; write `.agent(...)`, or give each case its `interactions`"
        )
    if plan.runs > 1 and not plan.calls_agents:
        yield (
            f"repeat({plan.runs}) needs an agent: without one each recorded interaction is scored once, "
            "the i-th as run i"
        )


def _bindings(plan: Plan) -> Iterator[str]:
    bound = plan.bindings.bound() if plan.bindings is not None else ()
    unbound: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for case in plan.cases:
        for call in case.recorded_calls if plan.agent_of(case) is not None else ():
            if call.name not in bound:
                unbound[call.name][case.id] = None
    for tool, cases in unbound.items():
        yield f"no binding for recorded tool {tool} (cases {', '.join(cases)}); bound: {bracketed(bound)}"


def _sessions(plan: Plan) -> Iterator[str]:
    talks = [
        case.id
        for case in plan.cases
        if case.dialogue is not None
        and (agent := plan.agent_of(case)) is not None
        and not agent.takes_session
    ]
    if talks:
        yield (
            f"{_some(talks)} {'is a conversation' if len(talks) == 1 else 'are conversations'}, so the agent "
            "must know which one a command belongs to; write it as agent(command, session), by `session.id`"
        )


def _some(names: Iterable[str]) -> str:
    known = list(names)
    more = f" and {len(known) - _NAMED} more" if len(known) > _NAMED else ""
    return ", ".join(map(repr, known[:_NAMED])) + more
