"""2,000 verdicts from a provider of whose requests 30 % go wrong: python tests/bench/bench_chaos.py [COUNT]

Every request of every case has its fate drawn beforehand, so what each verdict must come to is known, and
so is what the server delivered. Prints the time, the memory, and whatever was not as it must be.
"""

from __future__ import annotations

import asyncio
import dataclasses
import random
import resource
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from judgekit.context import AttemptContext, RunScope, attempt_context
from judgekit.jsonable import json_line, parse_json
from judgekit.providers import Answer, AnswerFormat, Limits, Price, Request, Unusable, ask
from judgekit.testing import Answer as Said
from judgekit.testing import FakeProvider, Fault

CAP = 32
ATTEMPTS = 4
SHARE = 0.3
RETRY_AFTER = 0.3
TIMEOUT = 4.0
LATENCY = 0.1
PRICE = Price(1.0, 5.0)

FORMAT = AnswerFormat(
    "score",
    {
        "type": "object",
        "properties": {"reason": {"type": "string"}, "score": {"type": "number", "minimum": 0, "maximum": 1}},
        "required": ["reason", "score"],
        "additionalProperties": False,
    },
)


def _with_text(text: str | None) -> Fault:
    def edit(completion: dict[str, Any]) -> dict[str, Any]:
        choice = completion["choices"][0]
        return {**completion, "choices": [{**choice, "message": {**choice["message"], "content": text}}]}

    return Fault(edit=edit)


TWO_VERDICTS = '{"reason": "a", "score": 0.1}\n{"reason": "b", "score": 0.9}'

# Each kind: the fault, what the verdict is if it ends with it, and whether its token counts arrive.
VALUE = "value"
KINDS: dict[str, tuple[Fault | None, str, bool]] = {
    "good": (None, VALUE, True),
    "429 with retry-after": (Fault.status(429, retry_after=RETRY_AFTER), "rate limited", False),
    "429": (Fault.status(429), "rate limited", False),
    "500": (Fault.status(500), "unavailable", False),
    "503": (Fault.status(503), "unavailable", False),
    "reset": (Fault.reset(), "unavailable", False),
    "hang": (Fault.hang(), "timeout", False),
    "slow body": (Fault.slow(0.2), VALUE, True),
    "cut body": (Fault.cut(), "unavailable", False),
    "not json": (Fault.invalid_json(), "unavailable", False),
    "html": (Fault.html(), "unavailable", False),
    "wrong schema": (Fault.wrong_schema(), "unavailable", False),
    "content parts": (Fault.content_parts(), "unavailable", False),
    "empty choices": (Fault.empty_choices(), "unavailable", True),
    "two verdicts": (_with_text(TWO_VERDICTS), "malformed", True),
    "prose": (_with_text("It looks right to me: 9 out of 10."), "malformed", True),
    "no content": (Fault.no_content(), "malformed", True),
    "length": (Fault.finish("length"), "truncated", True),
    "content filter": (Fault.finish("content_filter"), "refused", True),
    "refusal": (Fault.refusal(), "refused", True),
    "missing usage": (Fault.no_usage(), VALUE, False),
}
FREE = frozenset({"429 with retry-after", "429", "500", "503"})


@dataclass
class Script:
    """The fate of every request of every case, and what the server saw of it."""

    fates: list[list[str]]
    seen: Counter[int] = field(default_factory=Counter)
    last: dict[int, tuple[str, float]] = field(default_factory=dict)
    tokens: list[int] = field(default_factory=lambda: [0, 0])
    early: list[str] = field(default_factory=list)

    @classmethod
    def drawn(cls, count: int, seed: int) -> Script:
        """Fates for `count` cases; every kind of fault occurs among the first requests."""
        dice = random.Random(seed)
        faults = [kind for kind in KINDS if kind != "good"]

        def fate() -> str:
            return dice.choice(faults) if dice.random() < SHARE else "good"

        fates = [[fate() for _ in range(ATTEMPTS)] for _ in range(count)]
        for case, kind in zip(dice.sample(range(count), len(faults)), faults, strict=True):
            fates[case][0] = kind
        return cls(fates)

    def fault(self, request: Any) -> Fault | None:
        """What happens to a request; called by the server."""
        case = int(request.messages[1]["content"].split()[1])
        number = self.seen[case]
        self.seen[case] += 1
        kind = self.fates[case][number] if number < ATTEMPTS else "good"
        previous, when = self.last.get(case, ("", 0.0))
        if previous == "429 with retry-after" and request.received - when < RETRY_AFTER:
            self.early.append(f"case {case}: {request.received - when:.3f} s after a 429")
        self.last[case] = (kind, request.received)
        fault, _, counted = KINDS[kind]
        if counted:
            self.tokens[0] += 100 + case
            self.tokens[1] += 10
        return fault

    def expected(self, case: int) -> tuple[str, int, bool]:
        """How a case ends, after how many requests, and whether all its tokens are known."""
        doubled, known, requests, end = False, True, 0, VALUE
        for kind in self.fates[case]:
            _, end, counted = KINDS[kind]
            requests += 1
            known = known and (counted or kind in FREE)
            if end in (VALUE, "refused") or (kind == "length" and doubled):
                break
            doubled = doubled or kind == "length"
        return end, requests, known


def read(reply: Any) -> float:
    """A score, or `Unusable`."""
    try:
        return float(parse_json(reply.text)["score"])
    except (ValueError, KeyError, TypeError) as error:
        raise Unusable("malformed", "no single score in it", reply.text) from error


def _said(turn: Any) -> Said:
    case = int(turn.messages[1]["content"].split()[1])
    return Said(text=json_line({"reason": "scripted", "score": (case % 101) / 100}), usage=(100 + case, 10))


async def judged(provider: FakeProvider, count: int, workers: int = 2 * CAP) -> list[Answer[float]]:
    """All verdicts of one run, asked by more workers than may be in flight."""
    scope, answers = RunScope(), [Answer[float]()] * count
    waiting = iter(range(count))

    async def worker() -> None:
        for case in waiting:
            context = AttemptContext(
                case_id=f"case-{case}", case_index=case, run=1, session_id=str(case), scope=scope
            )
            attempt_context.set(context)
            request = Request(
                model="openai/chaos",
                messages=[
                    {"role": "system", "content": "You judge."},
                    {"role": "user", "content": f"case {case} of the chaos"},
                ],
                format=FORMAT,
                api_base=provider.url,
                api_key="sk-chaos-000000",
                attempts=ATTEMPTS,
                timeout=TIMEOUT,
                deadline=600,
                limits=Limits(max_in_flight=CAP),
                price=PRICE,
            )
            # The reply is only looked at here, not kept: memory is measured too.
            answers[case] = dataclasses.replace(await ask(request, read), reply=None)

    await asyncio.gather(*(asyncio.create_task(worker()) for _ in range(workers)))
    await scope.close()
    return answers


def problems(script: Script, answers: list[Answer[float]], provider: FakeProvider) -> list[str]:
    """Everything that is not as the script says it must be."""
    found = list(script.early)
    for case, answer in enumerate(answers):
        end, requests, known = script.expected(case)
        got = (answer.cause or VALUE, answer.usage.requests, answer.usage.tokens_complete)
        if got != (end, requests, known):
            found.append(f"case {case} {script.fates[case]}: expected {(end, requests, known)}, got {got}")
        if end == VALUE and answer.value != (case % 101) / 100:
            found.append(f"case {case}: value {answer.value}")
        if script.seen[case] != requests:
            found.append(f"case {case}: the server saw {script.seen[case]} requests, not {requests}")
    sent = sum(answer.usage.requests for answer in answers)
    if sent != provider.count:
        found.append(f"{sent} requests counted here, {provider.count} by the server")
    tokens = [
        sum(answer.usage.known_input_tokens for answer in answers),
        sum(answer.usage.known_output_tokens for answer in answers),
    ]
    if tokens != script.tokens:
        found.append(f"tokens {tokens} counted here, {script.tokens} delivered by the server")
    cost = sum(answer.usage.known_cost for answer in answers)
    if abs(cost - PRICE.of(*script.tokens)) > 1e-9:
        found.append(f"cost {cost} counted here, {PRICE.of(*script.tokens)} by the server")
    if provider.max_in_flight > CAP:
        found.append(f"{provider.max_in_flight} requests in flight, allowed {CAP}")
    return found


def chaos(count: int, seed: int) -> tuple[list[str], FakeProvider]:
    """Run it; what was wrong, and the provider with its counts."""
    script = Script.drawn(count, seed)
    with FakeProvider(_said, faults=script.fault, latency=LATENCY) as provider:
        answers = asyncio.run(judged(provider, count))
    return problems(script, answers, provider), provider


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> int:
    """Run the benchmark and print what came of it."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    chaos(200, seed=1)  # litellm is loaded and warm
    warm, started, cpu = _megabytes(), time.perf_counter(), time.process_time()
    found, provider = chaos(count, seed=2)
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    print(f"{count} verdicts in {seconds:.1f} s ({cpu / count * 1000:.1f} ms CPU each, server included)")
    print(f"{provider.count} requests, at most {provider.max_in_flight} in flight")
    print(f"memory {warm:.0f} MB warm, {_megabytes():.0f} MB at the most")
    print("\n".join(found) or "every verdict, count and total as scripted")
    return bool(found)


if __name__ == "__main__":
    raise SystemExit(main())
