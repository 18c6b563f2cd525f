"""One attempt as a block of text: what was said, called and spent, and what each evaluator found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from judgekit.evaluation import EvalResult, Kind, Outcome
from judgekit.interaction import GuardrailResult, Interaction, ToolCall
from judgekit.jsonable import json_text
from judgekit.text import LINE_LIMIT, counted, milliseconds, one_line

__all__ = ["describe_attempt", "describe_result", "tokens_text"]

CALLS_SHOWN = 50

_STATES = {Outcome.PASS: "PASSED", Outcome.FAIL: "FAILED", Outcome.INCONCLUSIVE: "INCONCLUSIVE"}
_VERDICTS = {Outcome.PASS: "PASS", Outcome.FAIL: "FAIL", Outcome.INCONCLUSIVE: "INCONCLUSIVE"}


def describe_attempt(
    case_id: str, run: int, outcome: Outcome, interaction: Interaction, results: Sequence[EvalResult]
) -> str:
    """The attempt as the text report shows it: a head line, then indented lines, no line feed at the end.

    Every piece of tested text is one line of at most 200 characters with nothing that moves a terminal.
    Results of evaluators that the attempt never reached are left out.
    """
    lines = [f"case {one_line(case_id)} run {run} {_STATES[outcome]}"]
    lines += (f"  {line}" for line in _evidence(interaction))
    lines += (f"  {describe_result(result)}" for result in results if result.kind is not Kind.NOT_RUN)
    if not results:
        lines.append("  results: none declared")
    return "\n".join(lines)


def describe_result(result: EvalResult, *, limit: int = LINE_LIMIT) -> str:
    """`FAIL tools: never called [x]; called [y]`, on one line; `limit` is of label and detail each."""
    head = f"{_VERDICTS[result.outcome]} {one_line(result.label, limit)}"
    return f"{head}: {one_line(result.detail, limit)}" if result.detail.strip() else head


def tokens_text(input_tokens: int, output_tokens: int, *, input_known: bool, output_known: bool) -> str:
    """`123 tokens in, 321 out`; `at least` stands before a number that is only a lower bound."""
    if not (input_known or output_known or input_tokens or output_tokens):
        return "tokens not reported"
    left = "" if input_known else "at least "
    right = "" if output_known else "at least "
    return f"{left}{counted(input_tokens, 'token')} in, {right}{output_tokens} out"


def _evidence(interaction: Interaction) -> Iterator[str]:
    if interaction.turns:
        for number, turn in enumerate(interaction.turns, start=1):
            yield f"turn {number}: {one_line(turn.command_text)}"
            yield f"  reply: {_reply(turn.reply)}"
    else:
        yield f"reply: {_reply(interaction.reply)}"
    model_text = interaction.model_text
    if model_text is not None and model_text != interaction.reply:
        yield f"model text: {one_line(model_text)}"
    yield f"tools: {_tools(interaction.tool_calls)}"
    model = _model(interaction)
    if model:
        yield f"model: {model}"
    if interaction.guardrails:
        yield "guardrails: " + ", ".join(map(_guardrail, interaction.guardrails))


def _reply(reply: str | None) -> str:
    if reply is None:
        return "(none)"
    return one_line(reply) or "(empty)"


def _tools(calls: Sequence[ToolCall] | None) -> str:
    if calls is None:
        return "not recorded"
    if not calls:
        return "none called"
    shown = [_call(call) for call in calls[:CALLS_SHOWN]]
    if len(calls) > CALLS_SHOWN:
        shown.append(f"… {counted(len(calls) - CALLS_SHOWN, 'more call')}")
    return " → ".join(shown)


def _call(call: ToolCall) -> str:
    if isinstance(call.arguments, Mapping):
        inside = ", ".join(f"{name}={_value(value)}" for name, value in call.arguments.items())
    else:
        inside = f"no JSON object: {call.arguments}"
    text = one_line(f"{call.name}{{{inside}}}")
    return f"{text} (failed: {one_line(call.error)})" if call.error is not None else text


def _value(value: object) -> str:
    return value if isinstance(value, str) else json_text(value)


def _model(interaction: Interaction) -> str:
    calls = interaction.model_calls
    parts = [counted(len(calls), "call")] if calls else []
    tokens_in, tokens_out = interaction.known_tokens()
    known_in, known_out = interaction.input_tokens is not None, interaction.output_tokens is not None
    if calls or known_in or known_out:
        parts.append(tokens_text(tokens_in, tokens_out, input_known=known_in, output_known=known_out))
    if parts and interaction.latency is not None:
        replayed = " (replayed)" if interaction.replayed else ""
        parts.append(milliseconds(interaction.latency) + replayed)
    return ", ".join(parts)


def _guardrail(guardrail: GuardrailResult) -> str:
    name = one_line(guardrail.name)
    if guardrail.passed:
        return f"{name} passed"
    if guardrail.explanation and guardrail.explanation.strip():
        return f"{name} blocked: {one_line(guardrail.explanation)}"
    return f"{name} blocked"
