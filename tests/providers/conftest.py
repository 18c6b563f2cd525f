"""Asking fake providers over real HTTP, through the real litellm."""

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable

import pytest

from judgekit.context import AttemptContext, RunScope, attempt_context
from judgekit.jsonable import parse_json
from judgekit.providers import Answer, AnswerFormat, Request, Unusable, ask
from judgekit.testing import FakeProvider

KEY = "sk-qa-SECRET-123"
SCORE = AnswerFormat(
    "score",
    {
        "type": "object",
        "properties": {
            "reason": {"type": "string", "maxLength": 2000},
            "score": {"type": "number", "minimum": 0, "maximum": 1},
        },
        "required": ["reason", "score"],
        "additionalProperties": False,
    },
)


def _read(reply):
    try:
        found = parse_json(reply.text)
        score = found["score"]
    except (ValueError, TypeError, KeyError) as error:
        raise Unusable("malformed", f"no score in it: {type(error).__name__}", reply.text) from error
    if isinstance(score, bool) or not 0 <= score <= 1:
        raise Unusable("malformed", f"score {score!r} is outside 0 to 1", reply.text)
    return float(score)


@pytest.fixture
def read_score():
    """The reader: a score of 0 to 1, or `Unusable`."""
    return _read


@pytest.fixture
def question_to() -> Callable[..., Request]:
    """Builds a request to a fake provider; keyword arguments replace its fields."""

    def build(provider: FakeProvider, text: str = "Is it polite?", **changes) -> Request:
        request = Request(
            model="openai/judge-1",
            messages=[{"role": "system", "content": "You judge."}, {"role": "user", "content": text}],
            format=SCORE,
            api_base=provider.url,
            api_key=KEY,
            timeout=20,
            deadline=60,
        )
        return dataclasses.replace(request, **changes)

    return build


@pytest.fixture
def answered(question_to) -> Callable[..., Answer[float]]:
    """Asks a fake provider one question, outside any run."""

    def go(provider: FakeProvider, **changes) -> Answer[float]:
        return asyncio.run(ask(question_to(provider, **changes), _read))

    return go


@pytest.fixture
def in_one_run() -> Callable[..., list[Answer[float]]]:
    """Asks many requests at the same time, each as a case of one run; a list of lists is run by run."""

    def go(
        requests: list[Request], *, prepare: Callable[[RunScope], None] = lambda scope: None, run: int = 1
    ) -> list[Answer[float]]:
        return asyncio.run(_all(requests, prepare, run))

    return go


async def _all(requests, prepare, run):
    scope = RunScope()
    prepare(scope)

    async def one(index: int, request: Request) -> Answer[float]:
        case = AttemptContext(
            case_id=f"case-{index}", case_index=index, run=run, session_id=f"{index}/{run}", scope=scope
        )
        attempt_context.set(case)
        return await ask(request, _read)

    tasks: list[Awaitable[Answer[float]]] = [
        asyncio.create_task(one(index, request)) for index, request in enumerate(requests)
    ]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        await scope.close()
