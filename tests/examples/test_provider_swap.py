"""The provider swap of the examples: without a key, and with models named."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from judgekit.testing import FakeProvider, verdict

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SUITE = EXAMPLES / "provider_swap" / "suite.py"

pytestmark = pytest.mark.slow


def run_suite(folder, *options, **environment):
    keep = {name: os.environ[name] for name in ("PATH", "HOME", "SYSTEMROOT") if name in os.environ}
    return subprocess.run(
        [sys.executable, "-m", "judgekit", "run", str(SUITE), *options],
        cwd=folder,
        env=keep | {"PYTHONPATH": str(EXAMPLES.parent), "PYTHONDONTWRITEBYTECODE": "1"} | environment,
        capture_output=True,
        text=True,
        timeout=180,
    )


def test_without_a_key_two_providers_differ_and_the_judges_disagree(tmp_path):
    done = run_suite(tmp_path, "-o", "swap.html", "-o", "swap.json")
    assert done.returncode == 0, done.stderr
    assert done.stderr == "provider swap: scripted desks and judges stand in for real models\n"
    report = json.loads((tmp_path / "swap.json").read_text(encoding="utf-8"))
    rates = {
        (cell["name"], cell["judge"], cell["agent"]): cell["rate"]["estimate"] for cell in report["cells"]
    }
    assert rates["reply-contains", None, "thrifty"] < rates["reply-contains", None, "generous"]
    assert rates["care", "strict", "thrifty"] < rates["care", "strict", "generous"]
    assert rates["brief", "strict", "thrifty"] > rates["brief", "strict", "generous"]
    cheap, dear = (agent["mean_cost"] for agent in report["agents"])
    assert 0 < 10 * cheap < dear
    depends = {ranking["criterion"]: ranking["depends_on_judge"] for ranking in report["rankings"]}
    assert depends == {"care": False, "brief": True}
    assert [one["flips"] for one in report["agreements"] if one["criterion"] == "care"] == [[]]
    assert "Quality against cost" in (tmp_path / "swap.html").read_text(encoding="utf-8")


def test_with_models_named_each_is_asked_by_its_own_name(tmp_path):
    def answered(turn):
        judge = "You judge one reply" in turn.messages[0]["content"]
        return verdict(0.9) if judge else f"I am sorry, and write to you in {turn.number} days."

    with FakeProvider(answered) as provider:
        done = run_suite(
            tmp_path,
            "--model",
            "openai/gpt-4o-mini,openai/gpt-4.1-nano",
            "--judge-model",
            "openai/gpt-4o, openai/gpt-4.1",
            "-k",
            "late",
            "--json",
            OPENAI_API_KEY="k",
            OPENAI_BASE_URL=provider.url,
        )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    report = json.loads(done.stdout)
    assert [agent["name"] for agent in report["agents"]] == ["openai/gpt-4o-mini", "openai/gpt-4.1-nano"]
    asked = [request.body["model"] for request in provider.requests]
    assert {name: asked.count(name) for name in asked} == {
        "gpt-4o-mini": 2,
        "gpt-4.1-nano": 2,
        "gpt-4o": 8,
        "gpt-4.1": 8,
    }
    assert all(agent["mean_cost"] > 0 for agent in report["agents"])
    assert [found["family"] for found in report["families"]] == ["openai"] * 4
