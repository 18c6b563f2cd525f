"""A real model held against human labels: a poor judge, and the figures say so."""

import asyncio
import gzip
import json

import pytest

from judgekit import Judge, Limits, calibrate
from judgekit.calibrating import read_store
from judgekit.evaluation import Outcome
from judgekit.judging.probe import probe

pytestmark = pytest.mark.model

CRITERION = "The reply does what was asked, and correctly."


def judge_at(url: str) -> Judge:
    return Judge(
        "openai/smollm2", api_base=url, api_key="none-needed", timeout=300, deadline=1200, attempts=2,
        max_tokens=120, cache="read-write", limits=Limits(max_in_flight=1),
    )  # fmt: skip


def labelled(data_folder, how_many: int) -> list[dict]:
    """Both replies of short pairs; the one that people call the better passes."""
    with gzip.open(data_folder / "llmbar" / "instances.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    short = [row for row in rows if len(row["input"] + row["output_1"] + row["output_2"]) < 300][:how_many]
    return [
        {"asked": row["input"], "reply": row[f"output_{side}"], "label": row["label"] == side}
        for n, row in enumerate(short)
        for side in (1, 2)
    ]


def test_a_small_model_is_calibrated_and_probed_and_what_it_is_worth_is_said(
    model_url, data_folder, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    criterion = judge_at(model_url).should_satisfy(CRITERION, name="followed")
    rows = labelled(data_folder, 4)
    found = calibrate(criterion, rows, concurrency=1)
    assert (found.labels, found.spend.cached) == (8, 0)
    assert found.confusion.n_clusters + sum(found.causes.values()) == 8
    again = calibrate(criterion, rows, concurrency=1)
    assert again.spend.cached >= found.confusion.n_clusters
    report = asyncio.run(probe(criterion, kinds=["truncated"], concurrency=1))
    with capsys.disabled():
        print(f"\n{found}\n{report}")
    assert (report.rate.n_items, report.rate.n_runs + report.rate.n_missing) == (3, 3)
    outcome, sentence = found.decide(0.4)
    assert outcome is not Outcome.PASS, sentence
    if found.is_measured:
        found.save()
        (stored,) = read_store()
        assert (stored.labels, stored.kappa) == (8, found.kappa.estimate)
