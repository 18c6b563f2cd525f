"""Recordings: one turn a line of JSON, which becomes a case with derived evaluators."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from judgekit.checking import is_finite_number
from judgekit.errors import FileUnreadable, InvalidArgument
from judgekit.evaluation import EvalCase, EvaluatorLike
from judgekit.interaction import ToolCall
from judgekit.jsonable import json_text, parse_json
from judgekit.replay.derived import budgets, tool_evaluators
from judgekit.text import one_line

if TYPE_CHECKING:
    from judgekit.judging.base import JudgeBase

__all__ = ["load_recordings"]

_SAME = "The reply tells the user the same as the reference answer. The wording may differ."
_SAME_NAME = "same as recorded"
_MISSING = object()


class _Bad(ValueError):
    """What is wrong with a line."""


@dataclass(frozen=True, slots=True)
class _Settings:
    tolerance: float
    command_type: Any
    forbid_others: bool
    expect_output: Literal["contains", "judge"] | None
    judge: JudgeBase | None

    def __post_init__(self) -> None:
        if not is_finite_number(self.tolerance) or self.tolerance < 1:
            raise InvalidArgument(f"`tolerance` must be a finite number >= 1, got {self.tolerance!r}")
        if self.expect_output not in (None, "contains", "judge"):
            raise InvalidArgument(
                f'`expect_output` must be None, "contains" or "judge", got {self.expect_output!r}'
            )
        if (self.expect_output == "judge") != (self.judge is not None):
            raise InvalidArgument('`expect_output="judge"` and `judge=` go together; give both or neither')


def load_recordings(
    path: str | PathLike[str],
    *,
    tolerance: float = 1.5,
    command_type: Any = None,
    forbid_others: bool = False,
    expect_output: Literal["contains", "judge"] | None = None,
    judge: JudgeBase | None = None,
) -> list[EvalCase]:
    """Cases from a file of recorded turns, with their recorded calls and the evaluators these imply.

    A line is a JSON object with `input` and, where recorded, `id`, `toolCalls`, `output`, `modelCalls`,
    `tokens` and `latencyMs`; snake_case names are read too, unknown fields ignored. In this order the
    case must: call every recorded tool, in the recorded order, with each recorded argument; and keep
    within the recorded model calls, tokens and latency, the last two times `tolerance`.

    Args:
        path: JSON Lines in UTF-8; a byte order mark and blank lines are skipped.
        tolerance: How much more than recorded a replay may take, >= 1.
        command_type: What `input` is decoded into, such as a dataclass or a pydantic model. Default: text.
        forbid_others: Also forbid every tool that was not recorded for the turn.
        expect_output: `"contains"`: the reply must carry the recorded output. `"judge"`: `judge` must
            find that it says the same.
        judge: For `expect_output="judge"`.

    Raises:
        InvalidArgument: A setting that cannot work.
        FileUnreadable: A line is not replayable; all such lines are named.
        OSError: The file cannot be read.
    """
    settings = _Settings(tolerance, command_type, forbid_others, expect_output, judge)
    file = Path(path)
    cases: list[EvalCase] = []
    problems: list[str] = []
    lines_of_ids: dict[str, int] = {}
    for number, line in _lines(file.read_bytes()):
        try:
            case = _case(number, line, settings)
            first = lines_of_ids.setdefault(case.id, number)
            if first != number:
                raise _Bad(f"the id {case.id!r} is that of line {first} too")
            cases.append(case)
        except (_Bad, InvalidArgument) as error:
            problems.append(f"line {number}: {one_line(str(error), 500)}")
    if problems:
        raise FileUnreadable("\n".join([f"{file.name} is not replayable:", *problems]))
    return cases


def _lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    # At line feeds only: JSON text may hold other line separators.
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if line.strip():
            yield number, line


def _case(number: int, line: bytes, settings: _Settings) -> EvalCase:
    record = _record(line)
    calls = _tool_calls(_field(record, "toolCalls", "tool_calls"))
    output = _field(record, "output")
    evaluators: list[EvaluatorLike] = []
    if calls is not None:
        evaluators += tool_evaluators(calls, forbid_others=settings.forbid_others)
    evaluators += _output_evaluators(output, settings)
    evaluators += budgets(
        model_calls=_count(_field(record, "modelCalls", "model_calls"), "modelCalls"),
        tokens=_tokens(_field(record, "tokens")),
        latency_ms=_count(_field(record, "latencyMs", "latency_ms"), "latencyMs"),
        tolerance=settings.tolerance,
    )
    kept = {name: record[name] for name in ("output", "turns") if record.get(name) is not None}
    return EvalCase(
        _id(record.get("id"), number),
        _command(record.get("input", _MISSING), settings.command_type),
        *evaluators,
        recorded_calls=calls or (),
        metadata={"line": number, **kept},
    )


def _record(line: bytes) -> Mapping[str, Any]:
    try:
        record = parse_json(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise _Bad("it is not UTF-8") from None
    except ValueError as error:
        raise _Bad(f"it is no JSON: {error}") from None
    if not isinstance(record, dict):
        raise _Bad(f"it must be an object, got {_shown(record)}")
    return record


def _shown(value: Any) -> str:
    return one_line(json_text(value), 80)


def _field(record: Mapping[str, Any], *names: str) -> Any:
    return next((record[name] for name in names if record.get(name) is not None), None)


def _id(value: Any, number: int) -> str:
    if value is None:
        return f"replay-{number}"
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise _Bad(f"id must be text that is not blank, got {_shown(value)}")


def _command(value: Any, command_type: Any) -> Any:
    if value is _MISSING or value is None or (isinstance(value, str) and not value.strip()):
        raise _Bad("no input")
    if command_type is not None:
        return _decoded(value, command_type)
    if isinstance(value, dict | list):
        raise _Bad(f"input is no text, got {_shown(value)}; name its type with command_type=")
    return value if isinstance(value, str) else json_text(value)


def _decoded(value: Any, command_type: Any) -> Any:
    from pydantic import TypeAdapter, ValidationError

    adapter = TypeAdapter(command_type)
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        # A recorder knows a command only as its text, which is JSON where the command was data.
        if isinstance(value, str):
            try:
                return adapter.validate_json(value)
            except ValidationError:
                pass
        name = getattr(command_type, "__name__", str(command_type))
        raise _Bad(f"input is not a {name}: {_first_problem(error)}") from error


def _first_problem(error: Any) -> str:
    problem = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(map(str, problem["loc"]))
    return f"{place}: {problem['msg']}" if place else str(problem["msg"])


def _tool_calls(value: Any) -> tuple[ToolCall, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        raise _Bad(f"toolCalls must be a list, got {_shown(value)}")
    return tuple(_tool_call(position, call) for position, call in enumerate(value))


def _tool_call(position: int, call: Any) -> ToolCall:
    if not isinstance(call, dict):
        raise _Bad(f"toolCalls[{position}] must be an object, got {_shown(call)}")
    name, arguments, error = call.get("name"), call.get("arguments"), call.get("error")
    if not isinstance(name, str) or not name.strip():
        raise _Bad(f"toolCalls[{position}] has no name")
    if arguments is not None and not isinstance(arguments, dict | str):
        raise _Bad(f"toolCalls[{position}].arguments must be an object, got {_shown(arguments)}")
    if error is not None and not isinstance(error, str):
        error = json_text(error)
    return ToolCall(name, arguments or {}, call.get("result"), error)


def _output_evaluators(output: Any, settings: _Settings) -> Iterator[EvaluatorLike]:
    if settings.expect_output is None or output is None:
        return
    text = output if isinstance(output, str) else json_text(output)
    if not text.strip():
        return
    if settings.judge is not None:
        yield settings.judge.should_satisfy(_SAME, name=_SAME_NAME, reference=text)
    else:
        from judgekit.evaluators import reply_should_contain

        yield reply_should_contain(text)


def _count(value: Any, name: str, *, least: int = 1) -> int | None:
    if value is None:
        return None
    whole = int(value) if isinstance(value, float) and math.isfinite(value) and value.is_integer() else value
    if isinstance(whole, bool) or not isinstance(whole, int) or whole < least:
        raise _Bad(f"{name} must be a whole number >= {least}, got {_shown(value)}")
    return whole


def _tokens(value: Any) -> int | None:
    if not isinstance(value, dict):
        return _count(value, "tokens")
    parts = [_count(value.get(name), f"tokens.{name}", least=0) for name in ("input", "output")]
    known = [part for part in parts if part is not None]
    if len(known) != len(parts):
        # A part that nobody recorded leaves nothing to bound.
        raise _Bad(f"tokens must be a number or have input and output, got {_shown(value)}")
    return _count(sum(known), "tokens")
