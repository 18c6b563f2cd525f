"""What our call layer costs beside bare litellm: python tests/bench/bench_calls.py [LATENCY [COUNT [ROUNDS]]]

The same messages, under the same cap, against one server in a process of its own: once as gathered
`litellm.acompletion` calls, once through `ask`, in turn. Prints wall and CPU time of both and their ratios.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Coroutine
from typing import Any

from judgekit.context import AttemptContext, RunScope, attempt_context
from judgekit.jsonable import parse_json
from judgekit.providers import AnswerFormat, Limits, Reply, Request, ask

CAP = 50
SERVER = """
import sys
from judgekit.testing import FakeProvider
with FakeProvider({"reason": "plain and polite", "score": 0.5}, latency=float(sys.argv[1])) as provider:
    print(provider.url, flush=True)
    sys.stdin.read()
"""
FORMAT = AnswerFormat(
    "score",
    {
        "type": "object",
        "properties": {"reason": {"type": "string"}, "score": {"type": "number", "minimum": 0, "maximum": 1}},
        "required": ["reason", "score"],
        "additionalProperties": False,
    },
)


def messages(number: int) -> list[dict[str, str]]:
    """About 200 tokens, different for every number."""
    return [
        {"role": "system", "content": "You judge the reply of an agent by one criterion. " * 8},
        {"role": "user", "content": f"case {number}: " + "the agent wrote this reply. " * 16},
    ]


def score(reply: Reply) -> float:
    """The least a reader does."""
    return float(parse_json(reply.text or "")["score"])


async def bare(url: str, numbers: range) -> None:
    """Gathered calls of litellm under a semaphore."""
    import litellm

    free, form = asyncio.Semaphore(CAP), json.loads(FORMAT.native_json)

    async def one(number: int) -> None:
        async with free:
            response = await litellm.acompletion(
                model="openai/judge",
                api_base=url,
                api_key="x",
                messages=messages(number),
                response_format=form,
                temperature=0,
                max_tokens=1024,
                num_retries=0,
                max_retries=0,
                timeout=600,
            )
            json.loads(response.choices[0].message.content)

    await asyncio.gather(*(one(number) for number in numbers))


async def ours(url: str, numbers: range) -> None:
    """The same through `ask`, in one run."""
    scope, waiting = RunScope(), iter(numbers)

    async def worker() -> None:
        for number in waiting:
            case = AttemptContext(
                case_id=str(number), case_index=number, run=1, session_id=str(number), scope=scope
            )
            attempt_context.set(case)
            request = Request(
                model="openai/judge",
                api_base=url,
                api_key="x",
                messages=messages(number),
                format=FORMAT,
                limits=Limits(max_in_flight=CAP),
            )
            answer = await ask(request, score)
            if answer.error is not None:
                raise answer.error

    await asyncio.gather(*(asyncio.create_task(worker()) for _ in range(CAP)))
    await scope.close()


def measured(work: Coroutine[Any, Any, None]) -> tuple[float, float]:
    """Wall and CPU seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    asyncio.run(work)
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    """Run both in turn and print the medians."""
    given = sys.argv[1:]
    latency = float(given[0]) if given else 0.1
    count = int(given[1]) if len(given) > 1 else 500
    rounds = int(given[2]) if len(given) > 2 else 5
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(latency)], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    url = server.stdout.readline().strip()
    try:
        asyncio.run(ours(url, range(2 * CAP)))
        pairs = []
        for turn in range(rounds):
            start = (turn + 1) * 1_000_000
            theirs = measured(bare(url, range(start, start + count)))
            mine = measured(ours(url, range(start + count, start + 2 * count)))
            pairs.append((theirs, mine))
    finally:
        server.communicate("")
    walls = [mine[0] / theirs[0] for theirs, mine in pairs]
    cpus = [mine[1] / theirs[1] for theirs, mine in pairs]
    own = [(mine[1] - theirs[1]) / count * 1000 for theirs, mine in pairs]
    bare_cpu = statistics.median(theirs[1] / count * 1000 for theirs, _ in pairs)
    print(f"{count} calls, {CAP} at once, latency {latency * 1000:g} ms, median of {rounds} rounds")
    print(f"bare litellm {bare_cpu:.2f} ms CPU a call; ours {statistics.median(own):+.2f} ms on top")
    print(f"wall {statistics.median(walls):.3f} times bare, CPU {statistics.median(cpus):.3f} times bare")


if __name__ == "__main__":
    main()
