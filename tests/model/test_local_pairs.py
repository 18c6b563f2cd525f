"""Pairs with a known better answer before a real model: near chance is fine, as long as it is said."""

import asyncio
import gzip
import json
import time
from collections import Counter

import pytest

from judgekit import Judge, Limits
from judgekit.judging import PairSummary

pytestmark = pytest.mark.model

CRITERION = "It follows the instruction that was given: it does what was asked, and correctly."


def llmbar(data_folder, how_many: int) -> list[dict]:
    """The first pairs of the benchmark's own subsets, short enough for a small model's window."""
    with gzip.open(data_folder / "llmbar" / "instances.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    short = [
        row
        for row in rows
        if row["subset"].startswith("LLMBar/")
        and len(row["input"] + row["output_1"] + row["output_2"]) < 2500
    ]
    return short[:: len(short) // how_many][:how_many]


async def preferences(judge: Judge, rows: list[dict]) -> list:
    return [
        await judge.pairwise(row["output_1"], row["output_2"], CRITERION, asked=row["input"]) for row in rows
    ]


@pytest.mark.parametrize(("rung", "how_many"), [("json_schema", 60), ("prompt", 30)])
def test_pairs_in_both_orders_say_how_well_and_how_steadily_they_were_judged(
    rung, how_many, model_url, data_folder, capsys
):
    judge = Judge(
        "openai/smollm2",
        api_base=model_url,
        api_key="none-needed",
        timeout=300,
        deadline=1200,
        attempts=2,
        max_tokens=200,
        rung=rung,
        limits=Limits(max_in_flight=1),
    )
    rows = llmbar(data_folder, how_many)
    assert len(rows) == how_many
    started = time.monotonic()
    found = asyncio.run(preferences(judge, rows))
    seconds = time.monotonic() - started
    summary = PairSummary.of(found)
    better = [1.0 if row["label"] == 1 else 0.0 for row in rows]
    answers = [
        order == truth
        for one, truth in zip(found, better, strict=True)
        if one.orders is not None
        for order in one.orders
    ]
    with capsys.disabled():
        print(
            f"\n{rung}: {how_many} pairs, {summary.measured} measured, "
            f"right {sum(answers)} of {len(answers)} answers, "
            f"consistency {summary.consistency}, first slot {summary.first_slot_share}, "
            f"causes {dict(summary.causes)}, {seconds:.0f} s, {seconds / how_many:.1f} s a pair"
        )
    assert summary.measured + sum(summary.causes.values()) == how_many
    assert not Counter(one.cause for one in found if one.score is None) - Counter(summary.causes)
    for one in found:
        assert one.score in (None, 0.0, 0.5, 1.0)
        assert (one.score is None) == bool(one.cause)
