"""Whether the reply is JSON, and fits a JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from judgekit.evaluation import EvalCase, EvalResult, Kind, built_in_label
from judgekit.evaluators.evidence import NO_REPLY, PASSED
from judgekit.interaction import Interaction
from judgekit.jsonable import parse_json
from judgekit.text import counted, one_line

__all__ = ["ReplyJson", "reply_should_be_json"]

_FENCE = "```"


@built_in_label("reply-json")
@dataclass(frozen=True, slots=True)
class ReplyJson:
    """The reply is JSON, and fits the schema. See `reply_should_be_json`."""

    schema: Mapping[str, Any] | None = None
    _validator: Any = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        if self.schema is None:
            return
        # jsonschema costs more to import than everything else here; most suites never need it.
        from judgekit.evaluators.schemas import checked_schema

        validator = checked_schema("reply-json", self.schema)
        object.__setattr__(self, "schema", deepcopy(dict(self.schema)))
        object.__setattr__(self, "_validator", validator)

    def __reduce__(self) -> tuple[type[ReplyJson], tuple[Mapping[str, Any] | None]]:
        # A validator has a class of its own, which no other process could find.
        return type(self), (self.schema,)

    def evaluate(self, case: EvalCase, interaction: Interaction) -> EvalResult:
        """PASS when it is and fits; INCONCLUSIVE without a reply, or past a pattern's time limit."""
        if interaction.reply is None:
            return NO_REPLY
        try:
            value = parse_json(interaction.reply, unique_keys=True)
        except ValueError as error:
            return EvalResult.failed(f"reply is not JSON: {one_line(str(error))}{_hint(interaction.reply)}")
        if self._validator is None:
            return PASSED
        try:
            errors = list(self._validator.iter_errors(value))
        except TimeoutError:
            return EvalResult.inconclusive(
                "a pattern of the schema took longer than its time limit", kind=Kind.TIME_LIMIT
            )
        except (RecursionError, ArithmeticError) as error:
            return EvalResult.failed(f"reply cannot be held against the schema: {one_line(str(error))}")
        return _misfit(errors) if errors else PASSED


def _hint(reply: str) -> str:
    return "; it stands in a Markdown fence" if reply.strip().startswith(_FENCE) else ""


def _misfit(errors: list[Any]) -> EvalResult:
    from jsonschema.exceptions import best_match

    # Members come in no order of their own; sorted, the same reply always gets the same detail.
    worst = best_match(sorted(errors, key=lambda error: (error.json_path, error.message)))
    more = f"; and {counted(len(errors) - 1, 'more error')}" if len(errors) > 1 else ""
    return EvalResult.failed(
        f"reply does not fit the schema at {one_line(worst.json_path)}: {one_line(worst.message)}{more}"
    )


def reply_should_be_json(schema: Mapping[str, Any] | None = None) -> ReplyJson:
    """The whole reply is JSON (RFC 8259: no NaN, no key twice), and fits the schema.

    Args:
        schema: A JSON Schema, 2020-12 unless its `$schema` names another draft. `format` is checked where
            the standard library can, and patterns run under a time limit.

    Raises:
        InvalidArgument: The schema is wrong, allows everything, refers to something outside itself or to
            nothing, or holds a misspelt keyword.
    """
    return ReplyJson(schema)
