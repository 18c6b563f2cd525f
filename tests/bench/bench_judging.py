"""What a judged experiment costs beside the bare litellm calls that it makes.

    python tests/bench/bench_judging.py [--cases 500] [--latency 0.1] [--rounds 5]

The same messages, under the same cap, against one server in a process of its own: once as gathered
`litellm.acompletion` calls, once as an experiment of judged cases, from the plan to the decision, in turn
and in changing order. The machine's speed drifts, so each round compares its own two halves, and the
median of the rounds is printed: wall and processor time of both, their ratios, and the difference a verdict.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

from judgekit import Criterion, EvalCase, ExperimentRunner, Gate, Interaction, Judge, ToolCall
from judgekit.loop import run_sync
from judgekit.providers import Limits

CAP = 50
MODEL = "openai/judge"
SERVER = """
import sys
from judgekit.testing import FakeProvider
with FakeProvider({"reason": "It answers, politely.", "score": 0.8}, latency=float(sys.argv[1])) as provider:
    print(provider.url, flush=True)
    sys.stdin.read()
"""


@dataclass(frozen=True)
class Half:
    """Seconds of wall and processor time."""

    wall: float
    cpu: float


@contextmanager
def server(latency: float) -> Iterator[str]:
    """The address of a fake provider in a process of its own."""
    command = [sys.executable, "-c", SERVER, str(latency)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.communicate("")


def recorded_turn(number: int) -> Interaction:
    """One recorded turn, different for every number."""
    call = ToolCall("getOrder", {"orderId": f"o_{number}"}, result={"status": "shipped", "day": number % 30})
    return Interaction(
        command_text=f"Where is my order o_{number}, and when will it be here?",
        reply=f"Order o_{number} was shipped on day {number % 30} and is on its way. Thank you for asking! "
        * 3,
        tool_calls=(call,),
    )


def criterion_at(url: str) -> Criterion:
    """The criterion that both halves judge by."""
    judge = Judge(MODEL, api_base=url, api_key="any", limits=Limits(max_in_flight=CAP))
    return judge.should_satisfy("The reply is polite and answers what was asked.", name="polite")


Work = Callable[[], None]


def experiment(url: str, turns: list[Interaction]) -> Work:
    """The experiment, from the plan to the decision."""
    by_command = {turn.command_text or "": turn for turn in turns}
    criterion = criterion_at(url)

    async def recorded(command: str) -> Interaction:
        return by_command[command]

    def work() -> None:
        report = (
            ExperimentRunner("judged")
            .cases(
                EvalCase(f"case-{number}", command, criterion) for number, command in enumerate(by_command)
            )
            .agent(recorded)
            .concurrency(CAP)
            .gate(Gate.pass_rate_should_be_at_least(1.0))
            .without_report_file()
            .run()
        )
        assert report.passed, report.decision.detail
        assert report.judges.asked == len(turns)

    return work


def bare(url: str, turns: list[Interaction]) -> Work:
    """The same requests as gathered calls; the messages are made beforehand."""
    criterion = criterion_at(url)
    judge, schema = criterion.judge, criterion.verdict_schema()
    questions = [list(judge.question(schema, criterion.parts(turn)).messages) for turn in turns]
    form = json.loads(schema.format.native_json)
    return lambda: run_sync(lambda: _gathered(judge, form, questions))


async def _gathered(judge: Judge, form: dict[str, Any], questions: list[list[Any]]) -> None:
    import litellm

    free = asyncio.Semaphore(CAP)

    async def one(messages: list[Any]) -> None:
        async with free:
            response = await litellm.acompletion(
                model=judge.model,
                api_base=judge.api_base,
                api_key=judge.api_key,
                messages=messages,
                response_format=form,
                temperature=judge.temperature,
                max_tokens=judge.max_tokens,
                num_retries=0,
                max_retries=0,
                timeout=600,
            )
            assert json.loads(response.choices[0].message.content)["score"] == 0.8

    await asyncio.gather(*map(one, questions))


def measured(way: Callable[[str, list[Interaction]], Work], url: str, numbers: range) -> Half:
    """One half of a round, on turns that no other half has."""
    work = way(url, [recorded_turn(number) for number in numbers])
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Half(time.perf_counter() - wall, time.process_time() - cpu)


def rounds_of(latency: float, count: int, rounds: int) -> list[tuple[Half, Half]]:
    """Bare and ours, round by round."""
    found = []
    with server(latency) as url:
        for work in (experiment, bare):
            measured(work, url, range(-2 * CAP, 0))
        for number in range(rounds):
            start = 2 * number * count
            numbers = (range(start, start + count), range(start + count, start + 2 * count))
            halves = {}
            for work, those in zip((bare, experiment)[:: 1 if number % 2 else -1], numbers, strict=True):
                halves[work] = measured(work, url, those)
            found.append((halves[bare], halves[experiment]))
    return found


def report_on(latency: float, count: int, rounds: int) -> None:
    """Measure and print."""
    found = rounds_of(latency, count, rounds)
    print(f"{count} judged cases, {CAP} at once, answers after {latency * 1000:g} ms, {rounds} rounds")
    for name, halves in zip(("bare litellm", "judgekit"), zip(*found, strict=True), strict=True):
        wall, cpu = (median(getattr(half, of) for half in halves) for of in ("wall", "cpu"))
        print(f"  {name:<12} {wall:.2f} s, {cpu / count * 1e3:.2f} ms CPU a verdict")
    ratios = [(ours.wall / bare.wall, ours.cpu / bare.cpu, ours.cpu - bare.cpu) for bare, ours in found]
    wall, cpu, own = (median(of) for of in zip(*ratios, strict=True))
    print(f"  wall ratio {wall:.3f}, CPU ratio {cpu:.3f}, our own CPU {own / count * 1e3:.2f} ms a verdict")


def main() -> None:
    """Measure what the arguments say; without a latency, at 100 ms and at none."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--latency", type=float, nargs="*", default=[0.1, 0.0])
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    for latency in given.latency:
        report_on(latency, given.cases, given.rounds)


if __name__ == "__main__":
    main()
