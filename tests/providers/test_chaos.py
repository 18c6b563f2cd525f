"""300 verdicts from a provider of whose requests 30 % go wrong in 20 ways."""

import importlib.util
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[1] / "bench" / "bench_chaos.py"


@pytest.fixture
def bench(monkeypatch):
    import sys

    spec = importlib.util.spec_from_file_location("bench_chaos", BENCH)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "bench_chaos", module)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_every_verdict_ends_as_it_must_whatever_goes_wrong(bench, capfd):
    assert len(bench.KINDS) - 1 >= 15
    found, provider = bench.chaos(300, seed=20_31)
    assert found == []
    assert 8 < provider.max_in_flight <= bench.CAP
    assert capfd.readouterr().out == ""
