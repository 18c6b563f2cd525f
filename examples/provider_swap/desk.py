"""A help desk that answers one message with one call of a model. Nothing here knows of judgekit."""

import os
from collections.abc import Awaitable, Callable

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # its own prices, without a download
os.environ.setdefault("LITELLM_MODE", "PRODUCTION")  # no `.env` of some folder above

import litellm

litellm.suppress_debug_info = True

INSTRUCTIONS = """\
You answer the customers of a web shop by mail. Name the order that the customer names.
Be warm, say what happens next, and stay under 60 words."""


def desk(model: str) -> Callable[[str], Awaitable[str]]:
    """The desk on any litellm model string."""

    async def answer(message: str) -> str:
        response = await litellm.acompletion(
            model=model,
            messages=[{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": message}],
        )
        return response.choices[0].message.content or ""

    return answer
