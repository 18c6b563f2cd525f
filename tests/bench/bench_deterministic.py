"""How fast recorded interactions are scored: cases a second, CPU a case, peak memory, against a plain loop.

    python tests/bench/bench_deterministic.py [--cases 10000 100000] [--repeat 1]

Each measurement runs in a process of its own. The floor is the same five checks as plain Python over the
same evidence, its outcomes kept in dicts. pydantic-evals is measured beside it where it is installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

WAYS = ("floor", "memory", "journal", "pydantic-evals")
PATTERN = r"left the depot on day \d+"


def rows(count: int) -> Iterator[dict[str, Any]]:
    """Recorded turns: two tool calls, a reply of 90 characters; one in seven fails a check."""
    for number in range(count):
        status = "shipped" if number % 7 else "lost"
        yield {
            "id": f"order-{number}",
            "command": f"Where is order {number}?",
            "reply": f"Order {number} is {status}: it left the depot on day {number % 30} and comes by van.",
            "calls": [("getOrder", {"orderId": number}), ("sendReply", {"text": "done"})],
        }


def plain(row: dict[str, Any], number: int) -> dict[str, bool]:
    """The five checks, as one would write them without a library."""
    names = [name for name, _ in row["calls"]]
    reply = row["reply"].casefold()
    return {
        "tools": {"getOrder", "sendReply"} <= set(names),
        "argument": any(n == "getOrder" and a.get("orderId") == number for n, a in row["calls"]),
        "contains": "shipped" in reply,
        "matches": FOUND.search(row["reply"]) is not None,
        "lacks": "sorry" not in reply,
    }


FOUND = re.compile(PATTERN, re.DOTALL)


def floor(count: int, clock: Clock) -> int:
    """A loop over the same rows."""
    kept = list(rows(count))
    clock.start()
    results = [{"id": row["id"], **plain(row, number)} for number, row in enumerate(kept)]
    clock.stop()
    return sum(all(result.values()) for result in results)


def ours(count: int, clock: Clock, *, directory: str | None) -> int:
    """The same through an experiment, from the plan to the report with its file."""
    from judgekit.evaluation import EvalCase
    from judgekit.evaluators import (
        reply_should_contain,
        reply_should_match,
        reply_should_not_contain,
        should_call_tool_with,
        should_call_tools,
    )
    from judgekit.interaction import Interaction, ToolCall
    from judgekit.runner import ExperimentRunner

    shared = (
        should_call_tools("getOrder", "sendReply"),
        reply_should_contain("shipped"),
        reply_should_match(PATTERN),
        reply_should_not_contain("sorry"),
    )
    cases = [
        EvalCase(
            row["id"],
            row["command"],
            *shared,
            should_call_tool_with("getOrder", "orderId", number),
            interactions=[
                Interaction(
                    command_text=row["command"],
                    reply=row["reply"],
                    tool_calls=[ToolCall(name, arguments) for name, arguments in row["calls"]],
                )
            ],
        )
        for number, row in enumerate(rows(count))
    ]
    plan = ExperimentRunner("bench").cases(cases)
    plan = plan.without_report_file() if directory is None else plan.report_directory(directory)
    clock.start()
    report = plan.run()
    clock.stop()
    return sum(case.passed for case in report.results)


def peer(count: int, clock: Clock) -> int:
    """The same through pydantic-evals."""
    import asyncio

    from pydantic_evals import Case, Dataset  # type: ignore[import-not-found]
    from pydantic_evals.evaluators import Evaluator, EvaluatorContext  # type: ignore[import-not-found]

    def check(name: str) -> type:
        def evaluate(self: Any, context: EvaluatorContext) -> bool:
            return plain(context.output, context.metadata)[name]

        return type(name.title(), (Evaluator,), {"evaluate": evaluate})

    kept = {row["command"]: row for row in rows(count)}
    names = ("tools", "argument", "contains", "matches", "lacks")
    dataset = Dataset(
        name="bench",
        cases=[
            Case(name=row["id"], inputs=row["command"], metadata=number)
            for number, row in enumerate(kept.values())
        ],
        evaluators=[check(name)() for name in names],
    )

    async def task(command: str) -> dict[str, Any]:
        return kept[command]

    clock.start()
    report = asyncio.run(dataset.evaluate(task, max_concurrency=8, progress=False))
    clock.stop()
    return sum(all(found.value for found in case.assertions.values()) for case in report.cases)


class Clock:
    """Wall and CPU time, and memory, of the work alone."""

    def start(self) -> None:
        """The work begins."""
        self.memory_before = _peak_memory()
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def stop(self) -> None:
        """The work ends."""
        self.wall, self.cpu = time.perf_counter() - self.wall, time.process_time() - self.cpu
        self.memory = _peak_memory()


def _peak_memory() -> float:
    """In MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


def measure(way: str, count: int) -> dict[str, Any]:
    """One measurement in this process."""
    clock = Clock()
    with tempfile.TemporaryDirectory() as directory:
        work: dict[str, Callable[[], int]] = {
            "floor": lambda: floor(count, clock),
            "memory": lambda: ours(count, clock, directory=None),
            "journal": lambda: ours(count, clock, directory=directory),
            "pydantic-evals": lambda: peer(count, clock),
        }
        passed = work[way]()
    expected = count - len(range(0, count, 7))
    if passed != expected:
        raise SystemExit(f"{way}: {passed} of {count} passed, expected {expected}")
    return {
        "way": way,
        "cases": count,
        "wall": clock.wall,
        "cpu": clock.cpu,
        "memory": clock.memory,
        "added": clock.memory - clock.memory_before,
    }


def in_child(way: str, count: int, repeat: int) -> dict[str, Any]:
    """The fastest of some measurements, each in a fresh process."""
    command = [sys.executable, __file__, "--child", way, "--cases", str(count)]
    found = [
        json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout) for _ in range(repeat)
    ]
    return min(found, key=lambda result: result["cpu"])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--child", choices=WAYS)
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(measure(arguments.child, arguments.cases[0])))
        return
    print(
        f"{'':16}{'cases':>9}{'cases/s':>10}{'CPU µs/case':>13}{'x floor':>9}{'peak MB':>9}{'added MB':>10}"
    )
    for count in arguments.cases:
        base = None
        for way in WAYS:
            if way == "pydantic-evals" and importlib.util.find_spec("pydantic_evals") is None:
                continue
            found = in_child(way, count, arguments.repeat)
            base = base or found
            print(
                f"{way:16}{count:>9}{count / found['wall']:>10.0f}{found['cpu'] / count * 1e6:>13.1f}"
                f"{found['cpu'] / base['cpu']:>9.1f}{found['memory']:>9.0f}{found['added']:>10.0f}"
            )


if __name__ == "__main__":
    main()
