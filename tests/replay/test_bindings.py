"""Loaders that prime stubs with recorded calls."""

import dataclasses
import datetime

import pytest
from pydantic import BaseModel

from judgekit.context import Session
from judgekit.errors import InvalidArgument
from judgekit.interaction import ToolCall
from judgekit.replay import RecordedCall, ToolBindings

CALL = ToolCall("getOrder", {"orderId": "o_42"}, result={"total": 5})


def one(call):
    """Takes the call."""


def two(call, session):
    """Takes the session too."""


def loaded(bindings: ToolBindings, *calls: ToolCall) -> None:
    for step in bindings.steps(calls, Session("s1")):
        step()


def test_a_loader_gets_the_recorded_call():
    seen = []
    loaded(ToolBindings().bind("getOrder", seen.append), CALL)
    (call,) = seen
    assert (call.tool, call.argument("orderId"), call.result, call.error) == (
        "getOrder",
        "o_42",
        {"total": 5},
        None,
    )


def test_loaders_run_in_recorded_order_after_the_reset_and_take_the_session_where_they_ask_for_it():
    seen = []
    bindings = (
        ToolBindings(reset=lambda: seen.append("reset"))
        .bind("a", lambda call: seen.append(call.tool))
        .bind("b", lambda call, session: seen.append((call.tool, session.id)))
    )
    loaded(bindings, ToolCall("b"), ToolCall("a"), ToolCall("b"))
    assert seen == ["reset", ("b", "s1"), "a", ("b", "s1")]


def test_bind_returns_other_bindings():
    first = ToolBindings()
    assert (first.bind("a", one).bound(), first.bound()) == (("a",), ())


@pytest.mark.parametrize(
    ("bindings", "shared"),
    [
        (ToolBindings(), False),
        (ToolBindings().bind("a", two), False),
        (ToolBindings(reset=lambda session: None).bind("a", two), False),
        (ToolBindings(reset=lambda: None).bind("a", two), True),
        (ToolBindings().bind("a", two).bind("b", one), True),
    ],
)
def test_stubs_are_shared_unless_loaders_and_reset_take_the_session(bindings, shared):
    assert bindings.shared is shared


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (lambda: ToolBindings().bind("a", one).bind("a", two), "the tool a is bound twice"),
        (lambda: ToolBindings().bind(" ", one), "must be a tool's name"),
        (lambda: ToolBindings().bind("a", "loader"), "must be callable"),
        (lambda: ToolBindings().bind("a", lambda: None), r"must take \(value\) or \(value, session\)"),
        (lambda: ToolBindings(reset="x"), "`reset` must be callable"),
        (lambda: ToolBindings(reset=lambda a, b: None), r"must take \(\) or \(session\)"),
    ],
)
def test_what_cannot_work_is_refused_when_built(build, text):
    with pytest.raises(InvalidArgument, match=text):
        build()


class Order(BaseModel):
    total: int


@dataclasses.dataclass
class Plain:
    total: int


@pytest.mark.parametrize(
    ("result", "type", "value"),
    [
        ({"total": 5}, Order, Order(total=5)),
        ('{"total": 5}', Order, Order(total=5)),
        ({"total": 5}, Plain, Plain(5)),
        ([{"total": 5}], list[Order], [Order(total=5)]),
        ("text", str, "text"),
        ("2024-01-02", datetime.date, datetime.date(2024, 1, 2)),
        (5, int, 5),
    ],
)
def test_a_result_is_read_as_the_type_that_the_stub_returns(result, type, value):
    assert RecordedCall("getOrder", {}, result).result_as(type) == value


def test_what_the_record_does_not_hold_is_named():
    call = RecordedCall("getOrder", {"orderId": "o_42"}, {"total": "many"})
    with pytest.raises(InvalidArgument, match=r"no argument 'id', it has \[orderId\]"):
        call.argument("id")
    with pytest.raises(InvalidArgument, match="the recorded result of getOrder is no Order"):
        call.result_as(Order)
    with pytest.raises(InvalidArgument, match="are no object"):
        RecordedCall("getOrder", "o_42").argument("id")
