"""Ready-made criteria and their labelled replies."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from judgekit.errors import InvalidArgument
from judgekit.evaluation import Outcome
from judgekit.judging import Judge, criteria
from judgekit.judging.criteria import READY_MADE, ready_made
from judgekit.judging.prompts import prompt_names

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "criteria"
ROWS = [json.loads(line) for line in (EXAMPLE / "labelled.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", sorted(READY_MADE))
def test_a_ready_made_criterion_is_a_function_with_described_levels(name, scripted, evaluate):
    ready = ready_made(name)
    criterion = getattr(criteria, name)(Judge(scripted({"reason": "r", "level": ready.threshold})))
    assert (criterion.name, criterion.threshold, criterion.scale) == (name, ready.threshold, ready.scale)
    assert evaluate(criterion).outcome is Outcome.PASS
    assert len(ready.text) > 80
    assert all(len(text) > 30 for _, text in ready.scale.levels)
    assert all(level in getattr(criteria, name).__doc__ for level in ready.scale.names)
    assert f"{ready.threshold} (needed)" in getattr(criteria, name).__doc__


def test_every_file_of_a_criterion_has_its_function():
    of_criteria = [n for n in prompt_names() if not n.startswith(("judge/", "user/", "adversarial/"))]
    assert sorted(of_criteria) == sorted(READY_MADE.values())
    assert set(READY_MADE) < set(criteria.__all__)


def test_another_level_or_number_may_be_asked_for():
    judge = Judge("openai/x")
    assert criteria.warmth(judge, at_least="warm").needed == 1
    assert criteria.warmth(judge, at_least=0.2, name="w").needed == 0.2
    with pytest.raises(InvalidArgument, match="the levels are cold, neutral, friendly, warm"):
        criteria.warmth(judge, at_least="hot")


def test_a_file_in_the_judges_own_folder_stands_in_place_of_ours(tmp_path):
    (tmp_path / "tone").mkdir()
    text = "---\nversion: 1\nschema: levels\nthreshold: b\nlevels: {a: x, b: y, c: z}\n---\nHow warm?\n"
    (tmp_path / "tone" / "warmth.md").write_text(text, encoding="utf-8")
    criterion = criteria.warmth(Judge("openai/x", prompts=tmp_path))
    assert (criterion.criterion, criterion.threshold) == ("How warm?", "b")
    (tmp_path / "mine.md").write_text(text, encoding="utf-8")
    assert ready_made("mine", folder=tmp_path).name == "mine"


@pytest.mark.parametrize(
    "text",
    [
        "---\nversion: 1\nschema: score\nthreshold: b\nlevels: {a: x, b: y, c: z}\n---\nHow warm?\n",
        "---\nversion: 1\nschema: levels\nthreshold: d\nlevels: {a: x, b: y, c: z}\n---\nHow warm?\n",
        "---\nversion: 1\nschema: levels\nlevels: {a: x, b: y, c: z}\n---\nHow warm?\n",
        "---\nversion: 1\nschema: levels\nthreshold: b\nlevels: {a: x, b: y}\n---\nHow warm?\n",
        "---\nversion: 1\nschema: levels\nthreshold: b\nlevels: {a: x, b: y, c: z}\n---\n",
        "---\nversion: 1\nschema: levels\nthreshhold: b\nlevels: {a: x, b: y, c: z}\n---\nHow warm?\n",
        "---\nversion: 1\nschema: levels\nthreshold: b\nlevels: [a, b, c]\n---\nHow warm?\n",
    ],
)
def test_a_file_that_is_no_criterion_is_refused(tmp_path, text):
    (tmp_path / "mine.md").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidArgument):
        ready_made("mine", folder=tmp_path)


def test_an_unknown_criterion_names_the_known_ones():
    with pytest.raises(InvalidArgument, match="known are warmth, plainness"):
        ready_made("humour")


def test_the_labelled_set_covers_every_level_of_every_criterion():
    for name in READY_MADE:
        levels = {row["level"] for row in ROWS if row["criterion"] == name}
        assert levels == set(ready_made(name).scale.names)
    assert len({(row["criterion"], row["reply"]) for row in ROWS}) == len(ROWS)


def test_the_example_over_the_labelled_set_runs_without_a_key():
    done = subprocess.run(
        [sys.executable, str(EXAMPLE / "check_judge.py")],
        capture_output=True,
        text=True,
        check=True,
        cwd=EXAMPLE.parents[1],
        env={"PYTHONPATH": str(EXAMPLE.parents[1]), "PATH": ""},
    )
    assert done.stdout.splitlines()[0] == "no --model: a scripted judge answers, which knows the labels"
    assert done.stdout.splitlines()[-1] == f"in all: {len(ROWS)} of {len(ROWS)} agree"
    assert done.stderr == ""


def test_the_example_shows_where_a_judge_disagrees(scores, scripted, capsys):
    import asyncio

    spec = importlib.util.spec_from_file_location("check_judge", EXAMPLE / "check_judge.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    asyncio.run(module.check(Judge(scripted({"reason": "r", "level": "warm"}), attempts=1)))
    out = capsys.readouterr().out
    assert "warmth: labelled 'cold', warmth: scored 1.00, needed 0.67 — r" in out
    assert "warmth: 1 of 4" in out
