"""Expected arguments: plain values, several accepted ones, and arguments that may be left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judgekit.errors import InvalidArgument
from judgekit.evaluators.wording import shown
from judgekit.jsonable import json_equal

__all__ = [
    "AcceptedValues",
    "accepted",
    "check_expected",
    "object_fits",
    "optional",
    "shown_expected",
    "value_fits",
]


@dataclass(frozen=True, slots=True)
class AcceptedValues:
    """Any of `values`; build it with `accepted(...)` or `optional(...)`."""

    values: tuple[Any, ...]
    may_be_absent: bool = False

    def __post_init__(self) -> None:
        if not self.values:
            word = self._word
            raise InvalidArgument(f"{word}: no value was given; write the accepted ones, as in {word}(2, 3)")
        for value in self.values:
            check_expected("accepted", value)

    def __repr__(self) -> str:
        return f"{self._word}({', '.join(map(repr, self.values))})"

    def shown(self) -> str:
        """As details show it, each value cut to a short line: `accepted(2, "3")`."""
        return f"{self._word}({', '.join(shown(_spelled(value), quoted=True) for value in self.values)})"

    @property
    def _word(self) -> str:
        return "optional" if self.may_be_absent else "accepted"


def accepted(*values: Any) -> AcceptedValues:
    """An expected argument that may have any of these values.

    Raises:
        InvalidArgument: No value was given.
    """
    return AcceptedValues(values)


def optional(*values: Any) -> AcceptedValues:
    """An expected argument that may be left out; where it is there it has one of these values.

    Raises:
        InvalidArgument: No value was given.
    """
    return AcceptedValues(values, may_be_absent=True)


def value_fits(expected: Any, actual: Any) -> bool:
    """JSON equality all the way down, with accepted and optional values wherever they stand."""
    if isinstance(expected, AcceptedValues):
        return any(value_fits(value, actual) for value in expected.values)
    if isinstance(expected, Mapping):
        return isinstance(actual, Mapping) and object_fits(expected, actual)
    if isinstance(expected, list | tuple):
        return (
            isinstance(actual, list | tuple)
            and len(expected) == len(actual)
            and all(value_fits(e, a) for e, a in zip(expected, actual, strict=True))
        )
    return json_equal(expected, actual)


def object_fits(expected: Mapping[str, Any], actual: Mapping[str, Any], *, subset: bool = False) -> bool:
    """Whether every expected member is there with its value, and with `subset` False nothing else."""
    found = 0
    for key, value in expected.items():
        if key in actual:
            if not value_fits(value, actual[key]):
                return False
            found += 1
        elif not (isinstance(value, AcceptedValues) and value.may_be_absent):
            return False
    return subset or found == len(actual)


def shown_expected(value: Any) -> str:
    """An expected value on one short line, `accepted(...)` as it was written, however deep."""
    return shown(_spelled(value))


def _spelled(value: Any) -> Any:
    if isinstance(value, AcceptedValues):
        return value.shown()
    if isinstance(value, Mapping):
        return {key: _spelled(member) for key, member in value.items()}
    return [_spelled(item) for item in value] if isinstance(value, list | tuple) else value


def check_expected(label: str, value: Any) -> None:
    """Refuse `optional(...)` where nothing can be absent: in a list, or as one of several values.

    Raises:
        InvalidArgument: It stands anywhere but as the value of an argument or of an object's member.
    """
    if isinstance(value, Mapping):
        for member in value.values():
            if isinstance(member, AcceptedValues):
                continue
            check_expected(label, member)
    elif isinstance(value, list | tuple):
        for item in value:
            check_expected(label, item)
    elif isinstance(value, AcceptedValues) and value.may_be_absent:
        raise InvalidArgument(
            f"{label}: {value!r} stands where nothing can be left out; write it as an argument's value"
        )
