"""What holds for every evaluator in `judgekit.evaluators`, the next one too."""

import ast
import inspect
import pickle
import re
from copy import deepcopy
from dataclasses import FrozenInstanceError, fields, is_dataclass
from pathlib import Path

import pytest

from judgekit import evaluators
from judgekit.evaluation import EvalCase, EvalResult, Kind, Outcome, label_of
from judgekit.evaluators.evidence import PASSED
from judgekit.interaction import GuardrailResult, Interaction, ModelCall, ToolCall

DOCS = Path(__file__).resolve().parents[2] / "docs" / "evaluators.md"
HELPERS = ("expected_calls", "accepted", "optional", "pattern")
FACTORIES = [name for name in evaluators.__all__ if "should" in name]
CLASSES = [name for name in evaluators.__all__ if name[0].isupper()]
CASE = EvalCase("c", "go")

GOOD = Interaction(
    reply='{"ok": true}',
    tool_calls=[ToolCall("a", {"x": 1}, result="done"), ToolCall("b", {})],
    model_calls=[ModelCall(input_tokens=5, output_tokens=5, cost=0.01)],
    latency=0.5,
    guardrails=[GuardrailResult("pii")],
)
BAD = Interaction(
    reply="no JSON, but 4111 1111 1111 1111",
    tool_calls=[ToolCall("c", {"x": 2}, result="lost"), *[ToolCall("a", {"x": 2}, result="lost")] * 3],
    model_calls=[ModelCall(input_tokens=500, output_tokens=500, cost=9.0)] * 3,
    latency=90.0,
    guardrails=[GuardrailResult("pii", passed=False)],
)
# For each factory: its arguments, evidence that passes and evidence that fails.
EXAMPLES = {
    "should_call_tool": (("b",), GOOD, BAD),
    "should_call_tools": (("a", "b"), GOOD, BAD),
    "should_call_tools_in_order": (("a", "c"), Interaction(tool_calls=[ToolCall("a"), ToolCall("c")]), BAD),
    "should_call_tool_times": (("a", 1), GOOD, BAD),
    "should_not_call_tool": (("c",), GOOD, BAD),
    "should_not_call_tools": (("c", "d"), GOOD, BAD),
    "should_call_tool_with": (("a", "x", 1), GOOD, BAD),
    "should_call_tool_with_arguments": (("a", {"x": 1}), GOOD, BAD),
    "should_make_calls": (([("a", {"x": 1}), ("b", {})],), GOOD, BAD),
    "tool_result_should_contain": (("a", "done"), GOOD, BAD),
    "reply_should_be_json": ((), GOOD, BAD),
    "reply_should_contain": (("ok",), GOOD, BAD),
    "reply_should_equal": (('{"ok": true}',), GOOD, BAD),
    "reply_should_have_length": ({"max": 20}, GOOD, BAD),
    "reply_should_match": (("ok",), GOOD, BAD),
    "reply_should_not_contain": (("but",), GOOD, BAD),
    "reply_should_not_contain_luhn_number": ((16, 16), GOOD, BAD),
    "reply_should_not_contain_payment_card": ((), GOOD, BAD),
    "reply_should_not_match": (("but",), GOOD, BAD),
    "should_cost_at_most": ((1,), GOOD, BAD),
    "should_make_at_most_model_calls": ((1,), GOOD, BAD),
    "should_make_at_most_tool_calls": ((2,), GOOD, BAD),
    "should_reply_within": ({"seconds": 1}, GOOD, BAD),
    "should_use_at_most_tokens": ((10,), GOOD, BAD),
    "should_be_blocked": ((), BAD, GOOD),
    "should_not_be_blocked": ((), GOOD, BAD),
}


def built(name):
    arguments = EXAMPLES[name][0]
    factory = getattr(evaluators, name)
    return factory(**arguments) if isinstance(arguments, dict) else factory(*arguments)


def test_every_exported_name_is_a_factory_a_class_or_a_known_helper():
    assert set(evaluators.__all__) == {*FACTORIES, *CLASSES, *HELPERS}
    assert set(EXAMPLES) == set(FACTORIES), "an evaluator without an example in this module"


def test_every_class_is_what_some_factory_builds():
    assert {type(built(name)).__name__ for name in FACTORIES} == set(CLASSES)


def test_every_label_belongs_to_one_class():
    labels = [label_of(getattr(evaluators, name)) for name in CLASSES]
    assert len(set(labels)) == len(labels)
    assert not any(label.startswith("custom-eval:") for label in labels)


@pytest.mark.parametrize("name", FACTORIES)
def test_it_passes_with_the_shared_result_and_fails_with_a_reason(name):
    _, good, bad = EXAMPLES[name]
    assert built(name).evaluate(CASE, good) is PASSED
    failed = built(name).evaluate(CASE, bad)
    assert failed.outcome is Outcome.FAIL
    assert failed.detail
    assert "\n" not in failed.detail


@pytest.mark.parametrize("name", FACTORIES)
def test_it_is_inconclusive_without_its_evidence(name):
    result = built(name).evaluate(CASE, Interaction(command_text="x"))
    assert (result.outcome, result.kind) == (Outcome.INCONCLUSIVE, Kind.NO_EVIDENCE)
    assert result.detail


@pytest.mark.parametrize("name", FACTORIES)
def test_it_is_pure(name):
    """The same evidence gives the same result, from one object or two, and nothing is changed by it."""
    evaluator = built(name)
    for interaction in EXAMPLES[name][1:]:
        untouched = deepcopy(interaction)
        first = evaluator.evaluate(CASE, interaction)
        assert isinstance(first, EvalResult)
        assert evaluator.evaluate(CASE, interaction) == first == built(name).evaluate(CASE, interaction)
        assert interaction == untouched


@pytest.mark.parametrize("name", FACTORIES)
def test_it_is_a_frozen_slotted_value(name):
    """Equal arguments make equal evaluators, and the repr that a plan's fingerprint reads is stable."""
    evaluator, twin = built(name), built(name)
    assert is_dataclass(evaluator)
    assert not hasattr(evaluator, "__dict__")
    assert evaluator == twin
    assert repr(evaluator) == repr(twin)
    assert " object at 0x" not in repr(evaluator)
    for field in fields(evaluator):
        with pytest.raises(FrozenInstanceError):
            setattr(evaluator, field.name, None)


SCHEMA = evaluators.reply_should_be_json({"type": "object", "required": ["ok"]})


@pytest.mark.parametrize("evaluator", [*map(built, FACTORIES), SCHEMA], ids=[*FACTORIES, "schema"])
def test_it_goes_to_another_process(evaluator):
    again = pickle.loads(pickle.dumps(evaluator))
    assert again == evaluator
    for interaction in (GOOD, BAD):
        assert again.evaluate(CASE, interaction) == evaluator.evaluate(CASE, interaction)


@pytest.mark.parametrize("name", [*FACTORIES, *HELPERS])
def test_it_is_documented_where_it_stands(name):
    function = getattr(evaluators, name)
    assert function.__doc__
    first, *_ = function.__doc__.splitlines()
    assert first.endswith(".")
    signature = inspect.signature(function)
    for parameter in signature.parameters.values():
        assert parameter.annotation is not inspect.Parameter.empty
        if parameter.default is not inspect.Parameter.empty and parameter.name != "limit":
            keyword = parameter.kind is inspect.Parameter.KEYWORD_ONLY
            assert keyword or name == "reply_should_be_json", f"{name}({parameter.name}) needs a keyword"


@pytest.mark.parametrize("name", CLASSES)
def test_its_label_and_class_have_a_row_in_the_docs(name):
    label = label_of(getattr(evaluators, name))
    factories = [factory for factory in FACTORIES if type(built(factory)).__name__ == name]
    rows = [row for row in DOCS.read_text(encoding="utf-8").splitlines() if row.startswith(f"| `{label}` |")]
    assert len(rows) == 1, f"one row for {label} in docs/evaluators.md"
    assert f"`{name}`" in rows[0]
    for factory in factories:
        assert f"`{factory}(" in rows[0]


@pytest.mark.parametrize("name", [*FACTORIES, *HELPERS])
def test_a_runnable_example_of_the_docs_calls_it(name):
    text = DOCS.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    called = {
        node.func.id
        for block in blocks
        for node in ast.walk(ast.parse(block))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert name in called
