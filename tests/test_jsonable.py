"""JSON of whatever tools hand over, and JSON equality."""

import json
import math
import pickle
from collections import OrderedDict
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum

import dirty_equals
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.jsonable import (
    DuplicateKey,
    is_json_value,
    json_equal,
    json_line,
    json_text,
    jsonable,
    parse_json,
)

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4)
)


class Colour(str, Enum):  # noqa: UP042 - the older spelling, whose str() is not its value
    RED = "red"


class Size(StrEnum):
    BIG = "big"


class Level(IntEnum):
    HIGH = 3


class Plain(Enum):
    ONE = 1


@dataclass
class Point:
    x: int
    y: list


class Order(pydantic.BaseModel):
    id: str
    day: date


class Unprintable:
    def __str__(self):
        raise RuntimeError("no text")


@given(JSON)
def test_json_data_comes_back_equal_from_text_and_from_a_line(value):
    for written in (json_text(value), json_line(value)):
        assert json_equal(value, parse_json(written))
    assert "\n" not in json_line(value)
    json_line(value).encode()


@given(JSON)
def test_json_data_is_left_as_it_is(value):
    assert jsonable(value) == value


@given(JSON)
def test_equality_is_reflexive_on_json(value):
    assert json_equal(value, value)


@given(JSON, JSON)
def test_equality_is_symmetric_and_agrees_with_the_written_form(left, right):
    assert json_equal(left, right) == json_equal(right, left)
    if json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True):
        assert json_equal(left, right)


@given(st.sampled_from([0, 1, 0.0, 1.0, Decimal(1)]), st.booleans(), st.lists(st.just("x"), max_size=2))
def test_a_truth_value_is_never_a_number_however_deep(number, truth, path):
    for key in path:
        number, truth = {key: [number]}, {key: [truth]}
    assert not json_equal(number, truth)
    assert not json_equal(truth, number)


@pytest.mark.parametrize(
    ("expected", "actual", "equal"),
    [
        (2, 2.0, True),
        (2, Decimal("2.0"), True),
        (2**70, float(2**70), True),
        ("2", 2, False),
        (None, 0, False),
        (None, "", False),
        (0, None, False),
        ("", None, False),
        (False, None, False),
        ([], {}, False),
        ([], None, False),
        ({}, None, False),
        ([1, 2], (1, 2), True),
        ([1, 2], [2, 1], False),
        ({"a": None}, {}, False),
        ({}, {"a": None}, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, OrderedDict(a=1), True),
        (Colour.RED, "red", True),
        ("red", Colour.RED, True),
        (Size.BIG, "big", True),
        (Level.HIGH, 3, True),
        (float("nan"), float("nan"), False),
        ("é", "e\u0301", False),
        (date(2024, 1, 2), date(2024, 1, 2), True),
        (date(2024, 1, 2), "2024-01-02", False),
        (dirty_equals.IsPositive(), 3, True),
        (dirty_equals.IsPositive(), -3, False),
        ({"a": dirty_equals.IsStr()}, {"a": "x"}, True),
        ([dirty_equals.IsInt()], ["x"], False),
        (dirty_equals.IsInstance(bool), True, True),
        ("abc", b"abc", False),
    ],
)
def test_values_are_equal_where_their_json_is(expected, actual, equal):
    assert json_equal(expected, actual) is equal


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (date(2024, 1, 2), "2024-01-02"),
        (datetime(2024, 1, 2, 3, 4, tzinfo=UTC), "2024-01-02T03:04:00+00:00"),
        (Decimal("9.90"), "9.90"),
        ({"b"}, "{'b'}"),
        (frozenset({2, 1}), "{1, 2}"),
        (b"x", "x"),
        (bytearray(b"\xff"), "\\xff"),
        (Colour.RED, "red"),
        (Size.BIG, "big"),
        (Level.HIGH, 3),
        (Plain.ONE, 1),
        (Point(1, [Decimal(2)]), {"x": 1, "y": ["2"]}),
        (Order(id="o", day=date(2024, 1, 2)), {"id": "o", "day": "2024-01-02"}),
        ((1, [2]), [1, [2]]),
        (range(2), [0, 1]),
        ({1: "a", None: "b", "d": 1}, {"1": "a", "null": "b", "d": 1}),
        ({True: "c"}, {"true": "c"}),
        ({(1, 2): 3}, {"[1, 2]": 3}),
        (math.inf, "inf"),
        (float("nan"), "nan"),
        ("\ud800", "\ufffd"),
        (Unprintable(), "<Unprintable>"),
    ],
)
def test_what_json_has_no_type_for_becomes_text(value, plain):
    # RN10
    assert jsonable(value) == plain
    assert parse_json(json_text({"value": value})) == {"value": plain}
    assert parse_json(json_line({"value": value})) == {"value": plain}


def test_a_value_that_holds_itself_is_written_and_does_not_hang():
    loop = []
    loop.append(loop)
    assert parse_json(json_line(loop))
    assert "…" in json_text(loop)


def test_text_that_is_not_latin_stays_readable():
    assert json_text({"名": "漢"}) == '{"名": "漢"}'


@pytest.mark.parametrize(
    "text", ["", "NaN", "[Infinity]", "{'a': 1}", "[" * 100_000, "9" * 5_000, "\ufeff{}", "{} {}", "tru"]
)
def test_everything_that_is_not_json_raises_value_error(text):
    with pytest.raises(ValueError):
        parse_json(text)


def test_a_repeated_key_is_refused_only_where_keys_must_be_unique():
    text = '{"a": {"b": 1, "c": 2, "b": 3}}'
    assert parse_json(text) == {"a": {"b": 3, "c": 2}}
    with pytest.raises(DuplicateKey, match="the key 'b' appears twice") as refused:
        parse_json(text, unique_keys=True)
    assert refused.value.key == "b"
    again = pickle.loads(pickle.dumps(refused.value))
    assert (again.key, str(again)) == ("b", "the key 'b' appears twice")


@given(JSON)
def test_json_data_is_known_as_such(value):
    assert is_json_value(value)


@pytest.mark.parametrize("value", [{1}, b"x", date(2024, 1, 2), object()])
def test_other_objects_are_no_json(value):
    assert not is_json_value(value)


def test_a_mapping_that_raises_is_written_as_its_text():
    class Stubborn(dict):
        def items(self):
            raise RuntimeError("no")

    assert parse_json(json_line({"value": Stubborn(a=1)})) == {"value": "{'a': 1}"}


@pytest.mark.parametrize("depth", [201, 700, 970, 5_000])
def test_what_nests_deeper_than_others_can_read_is_cut(depth):
    value = "end"
    for _ in range(depth):
        value = [value]
    line = json_line({"value": value})
    assert line.count("[") == 200
    assert "…" in line


def test_nesting_that_can_be_read_is_kept_and_so_are_brackets_in_text():
    value = {"text": "[" * 1_000, "many": [[1]] * 300}
    for _ in range(150):
        value = [value]
    assert parse_json(json_line(value)) == value
