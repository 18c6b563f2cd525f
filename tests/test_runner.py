"""Plans: what they refuse, what they are called, and that they are frozen."""

import dataclasses
import http.client
import json
import logging
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from judgekit.errors import InvalidArgument, InvalidPlan
from judgekit.evaluation import EvalCase, EvalResult, Outcome, eval_label
from judgekit.evaluators import ToolArgument, reply_should_contain, should_call_tool
from judgekit.gate import Gate
from judgekit.interaction import Interaction, ToolCall
from judgekit.judging import Judge
from judgekit.replay import ToolBindings
from judgekit.runner import ExperimentRunner
from judgekit.runner.fingerprint import checks_of, described, fingerprint_of

calls: list[object] = []


def agent(command):
    calls.append(command)
    return "ok"


def plan(*cases: EvalCase, name: str | None = "plan") -> ExperimentRunner:
    return ExperimentRunner(name).cases(cases or [EvalCase("a", "x")]).without_report_file()


def problems_of(runner: ExperimentRunner) -> tuple[str, ...]:
    calls.clear()
    with pytest.raises(InvalidPlan) as caught:
        runner.run()
    assert calls == []
    return caught.value.problems


# refused where it is written


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (lambda: ExperimentRunner().cases(), "got no case"),
        (lambda: ExperimentRunner().cases([]), "got no case"),  # GT01
        (lambda: ExperimentRunner().cases(["a"]), "must hold EvalCase objects"),
        (lambda: ExperimentRunner().cases("ab"), "must hold EvalCase objects"),
        (lambda: ExperimentRunner().cases(5), "must hold EvalCase objects"),
        (lambda: ExperimentRunner().evaluator(lambda case, interaction: None), "a bare lambda has no label"),
        (lambda: ExperimentRunner().agent("x"), "must be callable"),
        (lambda: ExperimentRunner().agent(agent).agent(agent), "the plan has an agent, 'agent'"),
        (lambda: ExperimentRunner().gate(0.9), "must be a Gate"),
        (
            lambda: plan().gate(Gate.target_should_not_fail()).gate(Gate.target_should_not_fail()),
            "join both with `&`",
        ),
        (lambda: ExperimentRunner().bindings({}), "must be ToolBindings"),
        (lambda: plan().bindings(ToolBindings()).bindings(ToolBindings()), "bind all tools in one"),
        (lambda: ExperimentRunner().repeat(0), "`repeat` must be a whole number >= 1, got 0"),
        (lambda: ExperimentRunner().repeat(True), "got True"),
        (lambda: ExperimentRunner().repeat(1.5), "got 1.5"),
        (lambda: ExperimentRunner().concurrency(0), "`concurrency` must be a whole number >= 1"),
        (lambda: ExperimentRunner().timeout(0), "`timeout` must be a finite number of seconds > 0"),
        (lambda: ExperimentRunner().timeout(float("nan")), "got nan"),
        (lambda: ExperimentRunner().timeout(float("inf")), "got inf"),
        (lambda: ExperimentRunner(" "), "`name` must be text that is not blank"),
        (lambda: ExperimentRunner("a/b"), "holds '/'; write 'a-b'"),
        (lambda: ExperimentRunner("../../evil"), "holds '/'; write '-..-evil'"),
        (lambda: ExperimentRunner("a\nb"), r"holds '\\n'"),
        (lambda: ExperimentRunner("CON"), "is a device on Windows; write 'CON-'"),
        (lambda: ExperimentRunner("lpt1.txt"), "is a device on Windows"),
        (lambda: ExperimentRunner("end."), "begins or ends with a space or a dot; write 'end'"),
        (lambda: ExperimentRunner("é" * 101), "longer than 100"),
    ],
)
def test_what_cannot_work_is_refused_on_the_line_that_wrote_it(build, text):
    with pytest.raises(InvalidArgument, match=text):
        build()


# refused before the first call


def test_a_plan_without_cases_is_refused():
    assert problems_of(ExperimentRunner("x").agent(agent)) == (
        "there are no cases; write `.cases([EvalCase(...), ...])`",
    )


def test_two_cases_with_one_id_are_refused_and_both_positions_named():
    # RN08
    runner = plan(EvalCase("a", "x"), EvalCase("b", "x"), EvalCase("a", "y")).agent(agent)
    assert problems_of(runner) == ("the case id 'a' is used twice, by cases 1 and 3; ids are unique",)


def test_two_ids_that_look_the_same_in_a_report_are_refused():
    (problem,) = problems_of(
        plan(EvalCase("sk-aaaaaaaaaaaa", "x"), EvalCase("sk-bbbbbbbbbbbb", "x")).agent(agent)
    )
    assert problem.startswith("the ids of cases 1 and 2 both read '[masked]'")


def labelled(label):
    @eval_label(label)
    class Mine:
        def evaluate(self, case, interaction):
            return EvalResult.passed()

    return Mine()


def test_two_owners_of_one_label_are_refused():
    (problem,) = problems_of(
        plan(EvalCase("a", "x", labelled("m")), EvalCase("b", "x", labelled("m"))).agent(agent)
    )
    assert problem.startswith("the label 'custom-eval:m' belongs to two evaluators, ")
    (problem,) = problems_of(plan(EvalCase("a", "x", labelled("m"))).evaluator(labelled("m")).agent(agent))
    assert "two evaluators" in problem


def made(text):
    @eval_label("made")
    def check(case, interaction):
        return EvalResult.passed(text)

    return check


def test_instances_subclasses_and_closures_of_one_owner_share_its_label():
    @eval_label("base")
    class Base:
        def evaluate(self, case, interaction):
            return EvalResult.passed()

    class Derived(Base):
        pass

    report = plan(EvalCase("a", "x", Base(), Base(), Derived(), made("1"), made("2"))).agent(agent).run()
    assert {label: unit.passed for label, unit in report.counts.units.items()} == {
        "custom-eval:base": 3,
        "custom-eval:made": 2,
    }


def test_every_recorded_tool_without_a_binding_is_named_with_its_cases():
    cases = [
        EvalCase("lookup", "x", recorded_calls=[ToolCall("getCustomer"), ToolCall("getOrder")]),
        EvalCase("tickets", "x", recorded_calls=[ToolCall("getCustomer"), ToolCall("getCustomer")]),
    ]
    bound = ToolBindings().bind("getOrder", lambda call: None)
    assert problems_of(plan(*cases).agent(agent).bindings(bound)) == (
        "no binding for recorded tool getCustomer (cases lookup, tickets); bound: [getOrder]",
    )
    assert problems_of(plan(cases[1]).agent(agent)) == (
        "no binding for recorded tool getCustomer (cases tickets); bound: []",
    )


def test_a_gate_on_an_unknown_name_is_refused_with_the_known_ones():
    # GT10
    judge = Judge("openai/none")
    case = EvalCase(
        "a", "x", judge.should_satisfy("warm", name="tone"), judge.should_satisfy("true", name="facts")
    )
    misspelt = Gate.pass_rate_should_be_at_least(0.8, of="tonee")
    unused = Gate.pass_rate_should_be_at_least(1, of=ToolArgument)
    (first, second) = problems_of(plan(case).agent(agent).gate(misspelt & unused))
    assert "tonee" in first
    assert "tone" in first
    assert "facts" in first
    assert "tool-arguments" in second


def test_one_criterion_name_with_two_texts_is_refused():
    judge = Judge("openai/none")
    cases = [
        EvalCase("a", "x", judge.should_satisfy("warm", name="tone")),
        EvalCase("b", "x", judge.should_satisfy("cold", name="tone")),
    ]
    (problem,) = problems_of(plan(*cases).agent(agent))
    assert (
        problem == "the criterion name 'tone' stands for two texts, 'warm' and 'cold'; give one another name"
    )


def test_without_an_agent_every_case_needs_recorded_interactions():
    cases = [EvalCase(f"c{i}", "x") for i in range(7)]
    (problem, repeated) = problems_of(
        plan(EvalCase("a", "x", interactions=[Interaction(reply="r")]), *cases).repeat(2)
    )
    assert problem.startswith(
        "there is no agent, and 7 cases without recorded interactions: "
        "'c0', 'c1', 'c2', 'c3', 'c4' and 2 more"
    )
    assert repeated.startswith("repeat(2) needs an agent")


def test_stubs_that_attempts_share_refuse_concurrency():
    shared = ToolBindings(reset=lambda: None)
    (problem,) = problems_of(plan().agent(agent).bindings(shared).concurrency(2))
    assert problem.startswith("concurrency(2) needs loaders and a reset that take the session")
    assert plan().agent(agent).bindings(shared).concurrency(1).run().passed
    assert plan().agent(agent).bindings(ToolBindings(reset=lambda session: None)).concurrency(2).run().passed


def test_all_problems_come_in_one_error():
    runner = plan(
        EvalCase("a", "x", labelled("m"), recorded_calls=[ToolCall("t")]), EvalCase("a", "x", labelled("m"))
    )
    problems = problems_of(runner.agent(agent).gate(Gate.pass_rate_should_be_at_least(1, of="nobody")))
    assert len(problems) == 4


def test_a_report_directory_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("in the way")
    runner = ExperimentRunner("x").cases(EvalCase("a", "x")).agent(agent).report_directory(tmp_path / "file")
    (problem,) = problems_of(runner)
    assert problem.startswith(f"the run cannot be written to {tmp_path / 'file'}")


# what a plan is


def test_a_plan_is_frozen_and_every_method_returns_another():
    base = ExperimentRunner("base")
    first = base.cases(EvalCase("a", "x")).agent(agent).without_report_file()
    second = first.cases([EvalCase("b", "x")]).evaluator(reply_should_contain("ok"))
    assert len(first.run().results) == 1
    assert len(second.run().results) == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        base.name = "other"
    assert repr(second) == "<ExperimentRunner 'base': 2 cases>"


def test_cases_are_taken_one_by_one_in_lists_and_from_generators():
    runner = ExperimentRunner("x").cases(
        EvalCase("a", "x"), [EvalCase("b", "x")], (EvalCase(i, "x") for i in "cd")
    )
    assert [r.case_id for r in runner.agent(agent).without_report_file().run().results] == [
        "a",
        "b",
        "c",
        "d",
    ]


def test_evaluators_of_the_experiment_come_after_those_of_the_case():
    runner = (
        plan(EvalCase("a", "x", should_call_tool("t"))).evaluator(reply_should_contain("ok")).agent(agent)
    )
    assert [result.label for result in runner.run().results[0].results] == ["tools", "reply-contains"]


def test_a_filter_that_leaves_no_case_is_inconclusive():
    # GT01
    report = plan(EvalCase("a", "x")).agent(agent).filter(lambda case: False).run()
    assert report.decision.outcome is Outcome.INCONCLUSIVE
    assert report.decision.detail == "no cases ran"
    assert report.pass_rate is None
    assert len(report.results) == 0


def test_a_filter_keeps_what_it_accepts_and_the_gate_may_name_what_it_left_out():
    cases = [EvalCase("a", "x", reply_should_contain("ok")), EvalCase("b", "x", should_call_tool("t"))]
    gate = Gate.pass_rate_should_be_at_least(1) & Gate.inconclusive_should_be_at_most(1, of="tools")
    report = plan(*cases).agent(agent).gate(gate).filter(lambda case: case.id == "a").run()
    assert [result.case_id for result in report.results] == ["a"]


def test_the_first_cases_are_the_same_however_often_the_plan_is_prepared():
    cases = [EvalCase(name, "x", reply_should_contain("ok")) for name in ("a1", "b", "a2", "a3")]
    selected = plan(*cases).agent(agent).filter(lambda case: "a" in case.id).first(2)
    selected.outline()
    for _ in range(2):
        assert [result.case_id for result in selected.run().results] == ["a1", "a2"]


@pytest.mark.parametrize("number", [0, -1, True, 1.5])
def test_no_number_of_cases_is_refused_where_it_is_written(number):
    with pytest.raises(InvalidArgument, match="`number` must be a whole number >= 1"):
        plan(EvalCase("a", "x")).first(number)


@pytest.mark.parametrize("path", [None, "", "a\0b", 3])
def test_what_is_no_path_is_refused_where_it_is_written(path):
    with pytest.raises(InvalidArgument, match="`resume` must be a path"):
        plan(EvalCase("a", "x")).resume(path)
    with pytest.raises(InvalidArgument, match="`report_directory` must be a path"):
        plan(EvalCase("a", "x")).report_directory(path)


# names


def test_the_default_name_is_the_tests_id(tmp_path):
    report = plan(name=None).agent(agent).run()
    assert report.name == "test_runner.test_the_default_name_is_the_tests_id"


@pytest.mark.parametrize("text", ["a/b", "x::y (z)"])
def test_the_default_name_can_always_be_a_directory(tmp_path, text):
    report = plan(name=None).agent(agent).report_directory(tmp_path).run()
    assert report.file.parent.parent == tmp_path
    assert report.name.startswith("test_runner.test_the_default_name_can_always_be_a_directory[")


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["suite_of_mine.py"], "suite_of_mine"),
        (["-m", "suite_of_mine"], "suite_of_mine"),
        (["-"], "experiment"),
    ],
)
def test_outside_pytest_the_default_name_is_the_calling_module(tmp_path, command, name):
    code = (
        "from judgekit.runner import ExperimentRunner\nfrom judgekit.evaluation import EvalCase\n"
        "def build():\n    return ExperimentRunner()\n"
        "plan = build().cases(EvalCase('a', 'x')).agent(lambda c: c).without_report_file()\n"
        "print(plan.run().name)\n"
    )
    (tmp_path / "suite_of_mine.py").write_text(code)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, *command], input=code, cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == (f"{name}\n", "")


# fingerprints


class Odd:
    def __init__(self, **fields):
        self.__dict__.update(fields)


@dataclasses.dataclass(frozen=True)
class Holder:
    held: object


def limit(number):
    return lambda case, interaction: number


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (reply_should_contain("a"), reply_should_contain("b")),
        (Odd(x=1), Odd(x=2)),
        (Holder(Odd(x=1)), Holder(Odd(x=2))),
        (Holder(frozenset("ab")), Holder(frozenset("ac"))),
        (limit(1), limit(2)),
        (lambda case, interaction: 1, lambda case, interaction: 2),
        (Holder({"a": 1}), Holder({"a": 2})),
    ],
)
def test_what_shapes_an_evaluator_shapes_its_description(left, right):
    assert described(left) != described(right)
    assert described(left) == described(left)


def test_a_description_holds_no_address():
    for value in (Odd(x=Odd()), limit(Odd()), Holder(Odd(f=limit(1))), Holder([object()])):
        assert " at 0x" not in described(value)


class Slotted:
    __slots__ = ("limit", "unset")

    def __init__(self, limit):
        self.limit = limit


def test_what_an_object_keeps_in_slots_shapes_its_description():
    assert described(Slotted(1)) != described(Slotted(2))
    assert described(Holder(Slotted(1))) != described(Holder(Slotted(2)))


def test_an_evaluator_that_holds_half_of_the_process_has_a_short_description_all_the_same():
    web = [Odd() for _ in range(100)]
    for one in web:
        one.others, one._state = web, os.urandom(8)
    for held in (
        web,
        os,
        logging.getLogger("x"),
        threading.local(),
        threading.Lock(),
        http.client.HTTPConnection("localhost"),
    ):
        assert described(Odd(x=held)) == described(Odd(x=held))
        assert len(described(Odd(x=held))) < 200_000


def test_the_state_of_what_an_evaluator_holds_is_no_part_of_its_description():
    assert described(Odd(client=Odd(url="u", _opened=1))) == described(Odd(client=Odd(url="u", _opened=2)))
    assert described(Odd(client=Odd(url="u"))) != described(Odd(client=Odd(url="v")))
    assert described(Odd(_limit=1)) != described(Odd(_limit=2))


def test_the_fingerprint_is_the_same_in_every_process(tmp_path):
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from tests_fingerprint import plan\n"
        "from judgekit.runner.fingerprint import checks_of, fingerprint_of\n"
        "print(fingerprint_of(plan, ['m']), checks_of(plan))\n"
    )
    (tmp_path / "tests_fingerprint.py").write_text(
        "from judgekit.evaluation import EvalCase, EvalResult, eval_label\n"
        "from judgekit.evaluators import reply_should_contain, should_call_tools\n"
        "from judgekit.runner.settings import Settings\n"
        "import dataclasses\n"
        "@eval_label('a')\n@dataclasses.dataclass(frozen=True)\nclass A:\n"
        "    words: frozenset\n    check: object\n"
        "    def evaluate(self, case, interaction): return EvalResult.passed()\n"
        "case = EvalCase('x', {'y': 1}, A(frozenset('abcdef'), lambda v: v in {'k', 'l', 'm'}),\n"
        "                reply_should_contain('a', 'b'), should_call_tools('t', 'u'))\n"
        "plan = Settings(cases=(case,)).plan()\n"
    )
    found = set()
    for seed in ("0", "1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[1])}
        command = [sys.executable, "-c", code, str(tmp_path)]
        found.add(subprocess.run(command, check=True, env=environment, capture_output=True).stdout)
    assert len(found) == 1


def test_the_checks_of_a_label_are_told_apart_by_their_parameters_and_judges_are_no_part_of_it():
    def checks(*evaluators):
        return checks_of(plan(EvalCase("a", "x", *evaluators))._settings.plan())

    one, other = checks(reply_should_contain("a")), checks(reply_should_contain("b"))
    assert list(one) == list(other) == ["reply-contains"]
    assert one != other
    assert one == checks(reply_should_contain("a"))
    assert checks(reply_should_contain("a"), Judge("m").should_satisfy("It is warm")) == one


def test_the_fingerprint_covers_what_is_measured():
    def fingerprint(runner, judges=()):
        return fingerprint_of(runner._settings.plan(), judges)

    recorded = EvalCase("a", "x", interactions=[Interaction(reply="1")])
    variants = [
        plan(EvalCase("a", "x")),
        plan(EvalCase("b", "x")),
        plan(EvalCase("a", "y")),
        plan(EvalCase("a", "x", reply_should_contain("1"))),
        plan(EvalCase("a", "x")).evaluator(reply_should_contain("1")),
        plan(EvalCase("a", "x")).agent(agent),
        plan(EvalCase("a", "x")).agent(agent, name="other"),
        plan(EvalCase("a", "x")).repeat(2),
        plan(recorded),
        plan(EvalCase("a", "x", interactions=[Interaction(reply="2")])),
        plan(EvalCase("a", "x", recorded_calls=[ToolCall("t", {"a": 1})])),
        plan(EvalCase("a", "x", recorded_calls=[ToolCall("t", {"a": 2})])),
    ]
    assert len({fingerprint(variant) for variant in variants}) == len(variants)
    assert fingerprint(variants[0], ["m"]) != fingerprint(variants[0])
    assert fingerprint(plan(recorded).concurrency(3).timeout(1)) == fingerprint(plan(recorded))


def test_evidence_of_every_kind_reaches_the_report_file(tmp_path):
    # IN07: ids are no file names
    ids = ["../../evil", "a:b", "CON", "x/y"]
    report = (
        ExperimentRunner("ids")
        .cases(EvalCase(i, "x") for i in ids)
        .agent(agent)
        .report_directory(tmp_path)
        .run()
    )
    assert [result.case_id for result in report.results] == ids
    data = json.loads(report.file.read_text(encoding="utf-8"))
    assert [case["id"] for case in data["cases"]] == ids
    written = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert written == [f"{report.file.parent.name}/{name}" for name in ("journal.jsonl", "report.json")]
    for case_id in ids:
        assert case_id in report.render(all=True)
