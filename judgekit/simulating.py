"""Users played by a model, who talk to an agent until their goal is reached."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from judgekit.checking import is_finite_number
from judgekit.conversation import Said
from judgekit.errors import InvalidArgument
from judgekit.interaction import Interaction, ModelCall

if TYPE_CHECKING:
    from judgekit.providers.base import Answer, AnswerFormat, Price, Reply, Request

__all__ = ["SimulatedUser"]

_PROMPT = "user/next"
_KEYS = ("message", "finished")


@dataclass(frozen=True, slots=True)
class SimulatedUser:
    """A user with a persona and a goal, played by a model, in `EvalCase.conversation(...)`.

    It speaks, reads the agent's reply and speaks again, until its goal is reached or given up, or
    `max_turns` messages were said. What it asks its model is counted apart from the agent and the judges.

    Attributes:
        model: Any litellm model string, or a `ScriptedModel`.
        persona: Who the user is, in words.
        goal: What the user wants, in words.
        max_turns: How often the user may speak.
        temperature: 0 to 2; None leaves it to the provider.
        timeout: Seconds that one HTTP request may take.
        attempts: HTTP requests for one message, at most.
        deadline: Seconds for one message in all, waiting included.
        api_base: Address of the provider's API, where it is not litellm's own.
        api_key: Never shown, stored or logged; None leaves it to the environment.
        max_tokens: Of one answer.
        cache: `off`, `read-write` or `replay`; None takes `JUDGEKIT_CACHE`, else `off`.
        params: Further litellm parameters.
        price: Dollars for a million tokens in and out, where litellm knows none.

    Raises:
        InvalidArgument: A setting that cannot work; nothing has been called.
    """

    model: str
    persona: str
    goal: str
    max_turns: int = 6
    _: KW_ONLY
    temperature: float | None = 0
    timeout: float = 60
    attempts: int = 4
    deadline: float = 300
    api_base: str | None = None
    api_key: str | None = field(default=None, repr=False)
    max_tokens: int | None = 1024
    cache: Literal["off", "read-write", "replay"] | None = None
    params: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)
    price: Price | None = None

    def __post_init__(self) -> None:
        for name in ("model", "persona", "goal"):
            value = getattr(self, name)
            if not isinstance(value, str) or not value.strip():
                raise InvalidArgument(
                    f"SimulatedUser: `{name}` must be text that is not blank, got {value!r}"
                )
        for name in ("max_turns", "attempts"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InvalidArgument(f"SimulatedUser: `{name}` must be a whole number >= 1, got {value!r}")
        for name in ("timeout", "deadline"):
            value = getattr(self, name)
            if not is_finite_number(value) or value <= 0:
                raise InvalidArgument(f"SimulatedUser: `{name}` must be seconds, more than 0, got {value!r}")

    async def next_message(self, turns: Sequence[Interaction], /, *, spoken: int) -> Said:
        """What the user says after these turns.

        Args:
            turns: The conversation so far.
            spoken: How often this user has spoken in it; past `max_turns` it says nothing any more.
        """
        from judgekit.providers import ask

        if spoken >= self.max_turns:
            return Said()
        request = self.request(turns)
        answer = await ask(request, _reader(may_finish=bool(turns)))
        calls = _calls(answer, request.model_name)
        if answer.error is not None:
            return Said(failed=(answer.error.cause, str(answer.error)), calls=calls)
        return Said(text=answer.value, calls=calls)

    def request(self, turns: Sequence[Interaction]) -> Request:
        """What the model is asked for the next message after these turns."""
        from judgekit.conversation import whole_of
        from judgekit.judging.fencing import fence
        from judgekit.judging.material import one_a_line
        from judgekit.judging.prompts import load_prompt
        from judgekit.providers.base import Request

        prompt, form = load_prompt(_PROMPT), _format()
        said = [
            {"role": message["role"], "text": message["content"]}
            for message in whole_of(turns).messages
            if message["content"]
        ]
        parts = {"persona": self.persona, "goal": self.goal, "conversation": one_a_line(said)}
        fenced = fence({name: text for name, text in parts.items() if text})
        values = {"conversation": "", **fenced.parts, "marker": fenced.marker}
        return Request(
            model=self.model,
            messages=(
                {"role": "system", "content": prompt.system},
                {"role": "user", "content": prompt.render_user(values)},
            ),
            format=form,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            timeout=self.timeout,
            attempts=self.attempts,
            deadline=self.deadline,
            api_base=self.api_base,
            api_key=self.api_key,
            params=self.params,
            cache=self.cache,
            price=self.price,
        )


@lru_cache(maxsize=1)
def _format() -> AnswerFormat:
    from judgekit.providers.base import AnswerFormat

    return AnswerFormat(
        "user",
        {
            "type": "object",
            "properties": {
                "message": {"type": "string", "description": 'what the user says next, "" where finished'},
                "finished": {"type": "boolean", "description": "whether the user says nothing more"},
            },
            "required": list(_KEYS),
            "additionalProperties": False,
        },
    )


def _reader(*, may_finish: bool) -> Callable[[Reply], str | None]:
    """Reads what is said next; None where the user has finished."""
    from judgekit.judging.reading import Malformed, verdict_object
    from judgekit.providers.base import Unusable

    def read(reply: Reply) -> str | None:
        text = reply.text or ""
        try:
            found = verdict_object(text, frozenset(_KEYS), ended=reply.finish_reason is not None)
        except Malformed as error:
            raise Unusable("malformed", str(error), text) from None
        message, finished = found.get("message"), found.get("finished")
        if set(found) != set(_KEYS) or not isinstance(message, str) or not isinstance(finished, bool):
            raise Unusable("malformed", 'it must be {"message": text, "finished": true or false}', text)
        if finished and may_finish:
            return None
        # Who has said nothing yet has not finished: a message of theirs is said all the same.
        if not message.strip():
            raise Unusable("malformed", "`message` is blank, and the user has to say something", text)
        return message

    return read


def _calls(answer: Answer[Any], model: str) -> tuple[ModelCall, ...]:
    if answer.cached or not answer.usage.requests:
        return ()
    usage = answer.usage
    call = ModelCall(
        model=model, input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, cost=usage.cost
    )
    return (call,)
