"""One question to one model: build the messages, ask, read the answer, record how it was measured."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from judgekit.evaluation import Measurement
from judgekit.jsonable import json_line
from judgekit.judging.fencing import fence
from judgekit.judging.material import NOT_RECORDED
from judgekit.judging.prompts import Prompt
from judgekit.judging.reading import Malformed, stands_in, verdict_object
from judgekit.judging.schemas import VerdictSchema
from judgekit.providers.base import Answer, Message, Reply, Request, Unusable

if TYPE_CHECKING:
    from judgekit.judging.judge import Judge

__all__ = ["Asked", "Question", "ask_model", "fingerprint_of", "reader"]

T = TypeVar("T")
N = TypeVar("N", int, float)

# How the parts are called between the fences, which is what a judge reads.
_SHOWN_AS = {"tool_calls": "tool calls"}
# What the evaluator's author wrote; a verdict may repeat it.
_OWN_PARTS = frozenset({"criterion", "criteria", "levels", "reference"})


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """The messages of one question and what an answer to it must look like.

    Attributes:
        messages: A system message without tested text, and a user message with it between fences.
        schema: What the answer must look like.
        tested: The tested texts; a verdict that is a copy of an object in one of them is none.
        notes: What was cut or changed in them.
        prompt: Name, version and hash of the prompt, a custom system message included.
    """

    messages: tuple[Message, ...]
    schema: VerdictSchema[T]
    tested: Sequence[str]
    notes: tuple[str, ...]
    prompt: str

    @classmethod
    def build(
        cls,
        prompt: Prompt,
        schema: VerdictSchema[T],
        parts: Mapping[str, str],
        *,
        system_message: str | None = None,
    ) -> Question[T]:
        """Fence the parts and render the prompt once.

        Args:
            prompt: The prompt file.
            schema: What the answer must look like; its form ends the system message.
            parts: Text by variable name; "" where there is no such part.
            system_message: Stands in place of the prompt's own, as it is.
        """
        material = {name: text for name, text in parts.items() if text and text != NOT_RECORDED}
        fenced = fence({_SHOWN_AS.get(name, name): text for name, text in material.items()})
        values: dict[str, Any] = dict.fromkeys(prompt.variables, "")
        values.update(parts)
        values.update({name: fenced.parts[_SHOWN_AS.get(name, name)] for name in material})
        values["marker"] = fenced.marker
        system = f"{prompt.system if system_message is None else system_message}\n\n{schema.instructions}"
        return cls(
            (
                {"role": "system", "content": system},
                {"role": "user", "content": prompt.render_user(values)},
            ),
            schema,
            [text for name, text in material.items() if name not in _OWN_PARTS],
            fenced.notes,
            _identity(prompt, system_message),
        )

    @property
    def cuts(self) -> str:
        """What was left out of the material, for the result; "" where nothing was."""
        return "; ".join(note for note in self.notes if "left out" in note)


def _identity(prompt: Prompt, system_message: str | None) -> str:
    if system_message is None:
        return prompt.identity
    own = hashlib.sha256(f"{prompt.hash}\n{system_message}".encode("utf-8", "replace")).hexdigest()[:12]
    return f"{prompt.name} {prompt.version} {own}"


@dataclass(frozen=True, slots=True)
class Asked(Generic[T]):
    """What one question to one model came to: a reading, or the error that says why there is none."""

    reading: T | None
    error: Exception | None
    measurement: Measurement


async def ask_model(
    judge: Judge,
    question: Question[T],
    criterion: str,
    shaped_by: Mapping[str, Any],
    *,
    sample: int = 0,
) -> Asked[T]:
    """Ask the judge's model; never raises for a call that failed."""
    from judgekit.providers.calling import ask

    read = reader(question) if judge.score_from == "verdict" else _expected(question)
    answer = await ask(_request(judge, question, sample), read)
    measurement = _measurement(question, answer, judge.model, criterion, shaped_by)
    return Asked(answer.value if answer.error is None else None, answer.error, measurement)


def _request(judge: Judge, question: Question[Any], sample: int) -> Request:
    return Request(
        model=judge.model,
        messages=question.messages,
        format=question.schema.format,
        temperature=judge.temperature,
        max_tokens=judge.max_tokens,
        timeout=judge.timeout,
        attempts=judge.attempts,
        deadline=judge.deadline,
        api_base=judge.api_base,
        api_key=judge.api_key,
        params=_params(judge),
        rung=judge.rung,
        cache=judge.cache,
        sample=sample,
        limits=judge.limits,
        price=judge.price,
    )


def _params(judge: Judge) -> Mapping[str, Any]:
    params = judge.params or {}
    if judge.score_from == "verdict":
        return params
    from judgekit.judging.logprobs import PARAMETERS

    return {**params, **PARAMETERS}


def _expected(question: Question[Any]) -> Callable[[Reply], Any]:
    """The reader of a reply whose score is the expected one over the tokens considered."""
    from judgekit.judging.logprobs import expected_score

    schema, read = question.schema, reader(question)

    def read_expected(reply: Reply) -> Any:
        reading = read(reply)
        if reading.score is None:
            return reading
        score = expected_score(reply, schema.value_key, schema.worth, reading.score)
        return replace(reading, score=score)

    return read_expected


def reader(question: Question[T]) -> Callable[[Reply], T]:
    """What reads a reply to the question: the reading, or `Unusable` with the exact complaint."""

    def read(reply: Reply) -> T:
        schema = question.schema
        if reply.text is None or not reply.text.strip():
            raise Unusable("malformed", f"the answer is empty (finish_reason {reply.finish_reason})")
        try:
            found = verdict_object(reply.text, schema.keys, ended=reply.finish_reason is not None)
            reading = schema.check(found)
            if stands_in(found, question.tested, [v for v in found.values() if isinstance(v, str)]):
                raise Malformed(
                    "the verdict is a copy of text that you were given to judge; judge it yourself"
                )
        except Malformed as error:
            raise Unusable("malformed", str(error), reply.text) from None
        return reading

    return read


def _measurement(
    question: Question[Any],
    answer: Answer[Any],
    model: str,
    criterion: str,
    shaped_by: Mapping[str, Any],
) -> Measurement:
    usage = answer.usage
    fresh = not answer.cached and not answer.shared
    measured = Measurement(
        model=str(model),
        model_served=answer.model_served,
        criterion=criterion,
        prompt=question.prompt,
        schema=question.schema.name,
        rung=answer.rung or "",
        parameters=dict(answer.parameters),
        notes=(*answer.notes, *question.notes),
        requests=usage.requests if fresh else 0,
        asked=fresh and usage.requests > 0,
        cached=answer.cached,
        input_tokens=_known(usage.known_input_tokens, usage.tokens_complete),
        output_tokens=_known(usage.known_output_tokens, usage.tokens_complete),
        cost=_known(usage.known_cost, usage.cost_complete),
        tokens_complete=usage.tokens_complete,
        cost_complete=usage.cost_complete,
    )
    return replace(measured, fingerprint=fingerprint_of(measured, question.schema, shaped_by))


def fingerprint_of(measured: Measurement, schema: VerdictSchema[Any], shaped_by: Mapping[str, Any]) -> str:
    """A hash over all that shapes a verdict: what was measured with, the whole schema, the criterion.

    Two measurements with one fingerprint were made with the same instrument.
    """
    identity = [
        measured.prompt,
        [measured.schema, schema.format.text],
        measured.criterion,
        [measured.model, measured.model_served],
        measured.rung,
        dict(measured.parameters),
        dict(shaped_by),
    ]
    return hashlib.sha256(json_line(identity).encode()).hexdigest()[:16]


def _known(amount: N, complete: bool) -> N | None:
    """The amount; None where it is 0 because nothing was reported."""
    return amount if amount or complete else None
