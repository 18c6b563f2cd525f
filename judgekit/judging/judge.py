"""`Judge`: a model with the settings it is asked with."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from judgekit.errors import InvalidArgument
from judgekit.interaction import Interaction
from judgekit.judging.base import ModelJudging
from judgekit.judging.criterion import Criterion
from judgekit.judging.measured import Measured
from judgekit.judging.scales import SCORE
from judgekit.judging.settings import checked_settings, default_cache

if TYPE_CHECKING:
    from judgekit.judging.asking import Asked, Question
    from judgekit.judging.prompts import Prompt
    from judgekit.judging.rubric import Rubric
    from judgekit.judging.schemas import Reading, VerdictSchema
    from judgekit.providers.base import Limits, Price

__all__ = ["Judge"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Judge(ModelJudging):
    """A model that judges replies. Immutable, holds no criterion, and serves any number of them.

    Attributes:
        model: Any litellm model string, such as `openai/gpt-5-mini`, or a `ScriptedModel`.
        system_message: Says how to judge, in place of the prompt's own; the answer's form is added to it.
        prompt: The name of a prompt such as `judge/score`, or the path of a Markdown file.
        prompts: A folder of prompt files laid over judgekit's own.
        schema: A verdict schema of your own: a pydantic class or a JSON Schema with a `score` from 0 to 1.
        temperature: 0 to 2; None leaves it to the provider.
        samples: How often each question is asked; the mean is the score.
        score_from: `verdict`, or `logprobs`: the expected score over the tokens the model considered.
        timeout: Seconds that one HTTP request may take.
        attempts: HTTP requests for one verdict, at most.
        deadline: Seconds for one verdict in all, waiting included.
        api_base: Address of the provider's API, where it is not litellm's own.
        api_key: Never shown, stored or logged; None leaves it to the environment.
        max_tokens: Of one answer; doubled once when an answer is cut off. None leaves it to the provider.
        cache: `off`, `read-write` or `replay`; None takes `JUDGEKIT_CACHE`, else `off`.
        params: Further litellm parameters, such as `{"seed": 1}` or `{"reasoning_effort": "low"}`.
        rung: Where on the ladder of formats to start: the provider's JSON Schema, a forced tool call, JSON
            mode, or the schema in the prompt. `auto` starts with the strictest.
        price: Dollars for a million tokens in and out, where litellm knows none.
        limits: How hard the model may be pressed, over all calls of a run.

    Raises:
        InvalidArgument: A setting that cannot work; nothing has been called.
    """

    model: str
    _: KW_ONLY
    system_message: str | None = None
    prompt: str | None = None
    prompts: str | Path | None = None
    schema: Any = field(default=None, hash=False)
    temperature: float | None = 0
    samples: int = 1
    score_from: Literal["verdict", "logprobs"] = "verdict"
    timeout: float = 60
    attempts: int = 4
    deadline: float = 300
    api_base: str | None = None
    api_key: str | None = field(default=None, repr=False)
    max_tokens: int | None = 1024
    cache: Literal["off", "read-write", "replay"] | None = None
    params: Mapping[str, Any] | None = field(default=None, repr=False, hash=False)
    rung: Literal["auto", "json_schema", "tool_call", "json_object", "prompt"] = "auto"
    price: Price | None = None
    limits: Limits | None = None
    _loaded: dict[str, Prompt] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "params", {} if self.params is None else self.params)
        put(self, "cache", default_cache() if self.cache is None else self.cache)
        checked_settings(self)
        put(self, "params", dict(self.params or {}))
        if self.schema is not None:
            from judgekit.judging.own import own_schema

            own_schema(self.schema)

    def with_model(self, model: str) -> Judge:
        """The same judge on another model, without the price, which was that of this one.

        Key, address and headers stay only with a model of the same provider: no other is sent them.
        """
        if _provider(model) == _provider(self.model):
            return replace(self, model=model, price=None)
        params = {name: value for name, value in (self.params or {}).items() if "header" not in name}
        return replace(self, model=model, price=None, api_key=None, api_base=None, params=params)

    def check(self, criterion: Criterion) -> None:
        """Refuse a criterion that this judge has no prompt for; called when the criterion is built."""
        schema = self.schema_for(criterion)
        self.prompt_for(schema.name)
        if self.score_from == "logprobs" and not schema.value_key:
            raise InvalidArgument(
                "`score_from='logprobs'` needs one value to read from; it works for a single criterion on "
                f"Score(), Binary() or Levels(...), and not for {schema.name}"
            )

    def schema_for(self, criterion: Criterion) -> VerdictSchema[Reading]:
        """The verdict schema that answers the criterion: the judge's own, or that of the scale."""
        if self.schema is None or criterion.brings_schema:
            return criterion.verdict_schema()
        from judgekit.judging.own import own_schema

        if criterion.scale != SCORE:
            raise InvalidArgument("`scale` has no use beside the judge's own `schema`; leave one of them out")
        return own_schema(self.schema)

    def prompt_for(self, schema: str) -> Prompt:
        """The prompt that asks for a verdict schema; read once a judge.

        Raises:
            InvalidArgument: There is none, or it asks for another schema.
        """
        from judgekit.judging.prompts import load_prompt

        name = self.prompt or f"judge/{schema}"
        if name not in self._loaded:
            self._loaded[name] = load_prompt(name, folder=self.prompts)
        prompt = self._loaded[name]
        if prompt.schema != schema:
            raise InvalidArgument(
                f"the prompt {prompt.name!r} asks for the schema {prompt.schema!r}, and the criterion needs "
                f"{schema!r}; leave `prompt` out or name one for {schema!r}"
            )
        return prompt

    async def measure(self, criterion: Criterion, interaction: Interaction) -> Measured:
        """Ask as often as `samples` says; what came of it, failures included."""
        return await criterion.put_to(self, interaction)

    async def measure_all(self, rubric: Rubric, interaction: Interaction) -> dict[str, Measured]:
        """Ask about every criterion of a rubric in one request."""
        from judgekit.judging.rubric import ask_rubric

        return await ask_rubric(self, rubric, interaction)

    def question(self, schema: VerdictSchema[T], parts: Mapping[str, str]) -> Question[T]:
        """The messages that ask for a verdict of this schema about these parts."""
        from judgekit.judging.asking import Question

        prompt = self.prompt_for(schema.name)
        return Question.build(prompt, schema, parts, system_message=self.system_message)

    async def ask(
        self, question: Question[T], criterion: str, shaped_by: Mapping[str, Any]
    ) -> tuple[Asked[T], ...]:
        """Put one question to the model, once a sample.

        Args:
            question: The messages and the schema.
            criterion: The whole text of what is judged, for the record.
            shaped_by: Whatever else shapes the verdict and belongs in the fingerprint.
        """
        from judgekit.judging.asking import ask_model

        shaped = {**shaped_by, "samples": self.samples, "score_from": self.score_from}
        if self.samples == 1:
            return (await ask_model(self, question, criterion, shaped),)
        return tuple(
            await asyncio.gather(
                *(ask_model(self, question, criterion, shaped, sample=index) for index in range(self.samples))
            )
        )


def _provider(model: Any) -> str:
    """What stands before the first slash: `openai` of `openai/gpt-5-mini`."""
    return str(model).partition("/")[0]
