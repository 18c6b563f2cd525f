"""How often does a judge agree with the labelled replies beside this file?

    python examples/criteria/check_judge.py --model openai/gpt-5-mini

Without `--model` a scripted judge answers, which knows the labels: it shows the output, and nothing else.
"""

import argparse
import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from judgekit import EvalCase, Interaction, Judge, ToolCall
from judgekit.judging.criteria import ready_made
from judgekit.testing import ScriptedModel

LABELLED = Path(__file__).with_name("labelled.jsonl")


def rows() -> list[dict[str, Any]]:
    """The labelled replies: criterion, level, what was asked, the reply, tool calls where some were made."""
    return [json.loads(line) for line in LABELLED.read_text(encoding="utf-8").splitlines()]


def interaction_of(row: Mapping[str, Any]) -> Interaction:
    """A row as evidence."""
    calls = tuple(ToolCall(**call) for call in row.get("tool_calls", ()))
    return Interaction(command_text=row["asked"], reply=row["reply"], tool_calls=calls)


def knowing_judge() -> Judge:
    """A scripted judge that gives the label of each row in turn."""
    answers = iter([{"reason": "as labelled", "level": row["level"]} for row in rows()])
    return Judge(ScriptedModel(lambda turn: next(answers)))


async def check(judge: Judge) -> None:
    """Judge every row, one after the other, and print how often the judge agrees."""
    agreed: dict[str, list[bool]] = {}
    for row in rows():
        ready = ready_made(row["criterion"])
        case = EvalCase(row["criterion"], row["asked"])
        result = await ready.judged_by(judge).evaluate(case, interaction_of(row))
        same = result.score == ready.scale.score_of(row["level"])
        agreed.setdefault(row["criterion"], []).append(same)
        if not same:
            print(f"{row['criterion']}: labelled {row['level']!r}, {result.detail}")
    for name, marks in agreed.items():
        print(f"{name}: {sum(marks)} of {len(marks)}")
    total = [mark for marks in agreed.values() for mark in marks]
    print(f"in all: {sum(total)} of {len(total)} agree")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", help="a litellm model string")
    parser.add_argument("--api-base", help="the address of the provider's API")
    given = parser.parse_args()
    scripted = knowing_judge()
    if given.model is None:
        print("no --model: a scripted judge answers, which knows the labels")
    asyncio.run(check(Judge(given.model, api_base=given.api_base) if given.model else scripted))
