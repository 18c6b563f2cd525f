"""Cases, labels and results."""

import math
from dataclasses import FrozenInstanceError, dataclass
from enum import Enum

import pydantic
import pytest

from judgekit.checking import is_finite_number
from judgekit.errors import InvalidArgument
from judgekit.evaluation import (
    EvalCase,
    EvalResult,
    Evaluator,
    Kind,
    Measurement,
    Outcome,
    eval_label,
    evaluate_function,
    label_of,
    label_owner,
)
from judgekit.evaluators import ReplyContains, reply_should_contain, should_call_tool
from judgekit.interaction import Interaction, ToolCall


@eval_label("fine")
def fine(case, interaction):
    return EvalResult.passed()


@eval_label("polite")
class Polite:
    def evaluate(self, case, interaction):
        return EvalResult.passed()


class VeryPolite(Polite):
    pass


@eval_label("polite")
class OtherPolite:
    def evaluate(self, case, interaction):
        return EvalResult.passed()


def test_a_case_holds_its_evaluators_in_order_one_by_one_or_as_a_list():
    first, second = should_call_tool("a"), reply_should_contain("b")
    assert EvalCase("c", "go", first, second).evaluators == (first, second)
    assert EvalCase("c", "go", [first, second]).evaluators == (first, second)
    assert EvalCase("c", "go", [first], fine, (second,)).evaluators == (first, fine, second)
    assert EvalCase("c", "go").evaluators == ()


class Kindness(Enum):
    WARM = "warm"


@dataclass
class Refund:
    order: str
    cents: int


class Order(pydantic.BaseModel):
    id: str


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("where is 漢?", "where is 漢?"),
        ({"id": "漢"}, '{"id": "漢"}'),
        (["a", 1, None], '["a", 1, null]'),
        (Refund("o_1", 5), '{"order": "o_1", "cents": 5}'),
        (Order(id="o_1"), '{"id": "o_1"}'),
        (0, "0"),
        ({}, "{}"),
        (Kindness.WARM, '"warm"'),
    ],
)
def test_a_command_is_text_as_it_is_or_its_json(command, text):
    case = EvalCase("c", command)
    assert case.command is command
    assert case.command_text() == text


@pytest.mark.parametrize("id", ["", "  ", None, 3])
def test_a_blank_id_is_refused(id):
    with pytest.raises(InvalidArgument, match="`id` must be text that is not blank"):
        EvalCase(id, "go")


@pytest.mark.parametrize("command", [None, "", " \n"])
def test_a_blank_command_is_refused(command):
    with pytest.raises(InvalidArgument, match="case 'c': `command` must not be blank"):
        EvalCase("c", command)


def unlabelled(case, interaction):
    return EvalResult.passed()


class Unlabelled:
    def evaluate(self, case, interaction):
        return EvalResult.passed()


@pytest.mark.parametrize(
    ("evaluator", "message"),
    [
        (lambda case, interaction: None, 'a bare lambda has no label; name it with `eval_label("my-check")'),
        (unlabelled, 'the evaluator unlabelled has no label; write `@eval_label("...")`'),
        (Unlabelled(), "the evaluator Unlabelled has no label"),
        (Polite, "Polite is a class, not an evaluator; write Polite"),
        ("tools", "'tools' is not an evaluator; it needs `evaluate"),
        (None, "None is not an evaluator"),
        (Interaction(), "is not an evaluator"),
    ],
    ids=["lambda", "function", "object", "class", "text", "none", "interaction"],
)
def test_what_is_no_labelled_evaluator_is_refused_with_the_case_named(evaluator, message):
    with pytest.raises(InvalidArgument) as refused:
        EvalCase("c", "go", evaluator)
    assert str(refused.value).startswith("case 'c': ")
    assert message in str(refused.value)


def test_what_cannot_carry_a_label_is_refused_with_what_to_do():
    with pytest.raises(InvalidArgument, match="cannot carry a label; label its class"):
        eval_label("x")(Polite().evaluate)


def test_a_labelled_lambda_is_an_evaluator():
    named = eval_label("my-check")(lambda case, interaction: EvalResult.passed())
    assert label_of(EvalCase("c", "go", named).evaluators[0]) == "custom-eval:my-check"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tags": "slow"}, r"`tags` must be a list of words, got 'slow'; write \['slow'\]"),
        ({"interactions": Interaction()}, r"`interactions` must be a list; write \[Interaction"),
        ({"interactions": ["hi"]}, "`interactions` must hold Interaction objects, got str"),
        ({"recorded_calls": [{"name": "a"}]}, "`recorded_calls` must hold ToolCall objects, got dict"),
        ({"recorded_calls": ToolCall("a")}, "`recorded_calls` must be a list"),
        ({"interactions": None}, "`interactions` must be a list of Interaction objects, got None"),
        ({"tags": None}, "`tags` must be a list of texts, got None"),
        ({"tags": [1]}, "`tags` must hold texts, got int"),
        ({"metadata": "x"}, "`metadata` must be a mapping, got 'x'"),
    ],
)
def test_the_other_parts_of_a_case_are_checked_too(options, message):
    with pytest.raises(InvalidArgument, match=message):
        EvalCase("c", "go", **options)


def test_a_case_is_frozen_and_keeps_its_own_copy_of_what_it_was_given():
    metadata, tags = {"owner": "me"}, ["slow"]
    case = EvalCase("c", "go", metadata=metadata, tags=tags, interactions=[Interaction(reply="hi")])
    metadata["owner"], tags[0] = "you", "fast"
    assert (case.metadata, case.tags, case.interactions[0].reply) == ({"owner": "me"}, ("slow",), "hi")
    with pytest.raises(FrozenInstanceError):
        case.id = "d"


def test_built_ins_report_under_their_label_and_others_with_a_prefix():
    assert label_of(should_call_tool("a")) == label_of(type(should_call_tool("a"))) == "tools"
    assert label_of(fine) == "custom-eval:fine"
    assert label_of(Polite()) == label_of(Polite) == "custom-eval:polite"


@pytest.mark.parametrize("label", ["", "  ", None, 3])
def test_a_blank_label_is_refused(label):
    with pytest.raises(InvalidArgument, match="label must be text that is not blank"):
        eval_label(label)


def test_a_label_with_the_reserved_prefix_is_refused_with_what_to_write():
    with pytest.raises(InvalidArgument, match=r"must not start with 'custom-eval:'.*write 'mine'"):
        eval_label("custom-eval:mine")


@pytest.mark.parametrize("label", ["a\nb", "a\x1b[31m", "a\u202eb"])
def test_a_label_that_could_break_a_line_of_the_report_is_refused(label):
    with pytest.raises(InvalidArgument, match="printable text on one line"):
        eval_label(label)


def test_a_label_is_owned_by_the_class_that_set_it():
    assert label_owner(Polite()) is label_owner(VeryPolite()) is Polite
    assert label_owner(OtherPolite()) is OtherPolite
    assert label_owner(reply_should_contain("a")) is label_owner(ReplyContains) is ReplyContains


def test_closures_made_by_one_factory_are_one_owner():
    def longer_than(length):
        @eval_label("longer-than")
        def check(case, interaction):
            return EvalResult.passed() if len(interaction.reply) > length else EvalResult.failed("short")

        return check

    assert label_owner(longer_than(3)) is label_owner(longer_than(5))
    assert label_owner(longer_than(3)) is not label_owner(fine)


def test_an_object_and_a_function_evaluate_alike():
    case, interaction = EvalCase("c", "go"), Interaction(reply="hi")
    for evaluator in (fine, Polite(), should_call_tool("a")):
        assert isinstance(evaluate_function(evaluator)(case, interaction), EvalResult)
    assert isinstance(Polite(), Evaluator)


def test_a_result_says_its_outcome_and_only_an_inconclusive_one_a_kind():
    assert EvalResult.passed().outcome is Outcome.PASS
    assert EvalResult.failed("no").detail == "no"
    assert EvalResult.inconclusive("no trace").kind is Kind.NO_EVIDENCE
    assert EvalResult.inconclusive("slow", kind="time_limit").kind is Kind.TIME_LIMIT
    with pytest.raises(InvalidArgument, match="`kind` belongs to INCONCLUSIVE"):
        EvalResult(Outcome.PASS, kind=Kind.NO_EVIDENCE)
    with pytest.raises(InvalidArgument, match="`kind` belongs to INCONCLUSIVE"):
        EvalResult(Outcome.INCONCLUSIVE)


@pytest.mark.parametrize("kind", Kind)
def test_a_missing_measurement_is_told_from_absent_evidence(kind):
    missing = kind not in (Kind.NO_EVIDENCE, Kind.NOT_RUN)
    assert EvalResult(Outcome.INCONCLUSIVE, "why", kind).is_missing is missing


def test_a_pass_and_a_failure_are_no_missing_measurement():
    assert not EvalResult.passed().is_missing
    assert not EvalResult.failed("no").is_missing


@pytest.mark.parametrize("score", [-0.1, 1.1, math.nan, math.inf, True, "0.5", 8])
def test_a_score_outside_zero_to_one_is_refused(score):
    # SC01, SC03, SC05, SC07
    with pytest.raises(InvalidArgument, match="`score` must be a number from 0 to 1"):
        EvalResult(Outcome.PASS, score=score)


@pytest.mark.parametrize("score", [0, 1, 0.5, None])
def test_a_score_from_zero_to_one_is_kept(score):
    assert EvalResult(Outcome.PASS, score=score).score == score


@pytest.mark.parametrize(("outcome", "detail"), [("pass", ""), (True, ""), (Outcome.FAIL, None)])
def test_a_result_of_other_types_is_refused(outcome, detail):
    with pytest.raises(InvalidArgument):
        EvalResult(outcome, detail)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": 7}, "`name` must be text or None, got int"),
        ({"cause": ["x"]}, "`cause` must be text or None, got list"),
        ({"threshold": math.nan}, "`threshold` must be a finite number or None, got nan"),
        ({"threshold": True}, "`threshold` must be a finite number or None, got True"),
        ({"measurements": [3]}, "`measurements` must hold Measurement objects, got int"),
        ({"measurements": 3}, "`measurements` must be a list of Measurement objects, got 3"),
        (
            {"kind": "no_evidence", "outcome": Outcome.INCONCLUSIVE},
            "`kind` must be a Kind, got 'no_evidence'",
        ),
    ],
)
def test_a_result_that_no_report_could_hold_is_refused(fields, message):
    with pytest.raises(InvalidArgument) as refused:
        EvalResult(**({"outcome": Outcome.PASS} | fields))
    assert message in str(refused.value)


def test_measurements_may_come_as_a_list():
    one = Measurement(model="m")
    assert EvalResult(Outcome.PASS, measurements=[one]).measurements == (one,)


@pytest.mark.parametrize("kind", ["nope", "not_run", Kind.NOT_RUN, None])
def test_a_kind_that_is_none_of_an_evaluators_is_refused_with_those_that_are(kind):
    known = "no_evidence, judge_failed, budget_spent, time_limit, interrupted"
    with pytest.raises(InvalidArgument, match=f"`kind` must be one of {known}, got"):
        EvalResult.inconclusive("x", kind=kind)


@pytest.mark.parametrize("count", [0, -1, 1.5, "2", True, None])
def test_a_number_of_results_that_cannot_be_is_refused_when_built(count):
    evaluator = Polite()
    evaluator.result_count = count
    with pytest.raises(
        InvalidArgument, match=r"case 'c': `result_count` of .* must be a whole number >= 1, got"
    ):
        EvalCase("c", "go", evaluator)


@pytest.mark.parametrize("number", [10**400, -(10**400), math.inf, math.nan, True, "1", None])
def test_what_no_float_can_hold_is_no_finite_number(number):
    assert not is_finite_number(number)


def test_a_measurement_that_says_nothing_claims_nothing():
    measurement = Measurement(model="m")
    assert (measurement.input_tokens, measurement.output_tokens, measurement.cost) == (None, None, None)
