"""Fixtures that several test modules share."""

import json
import os
import signal
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from judgekit.evaluation import EvalResult, Kind, Measurement, Outcome
from judgekit.gate import Gate
from judgekit.interaction import GuardrailResult, Interaction, ModelCall, ToolCall
from judgekit.reporting import EvalReport
from judgekit.results import CaseResult, Results

# A busy machine is no failure of the code; a failure on the build machine must come back here.
settings.register_profile(
    "judgekit",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("judgekit")

# A build that runs in the background is started with Ctrl-C ignored, and hands that on to every program that
# the tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

REPOSITORY = Path(__file__).resolve().parents[1]


def pytest_configure(config: pytest.Config) -> None:
    """Let litellm's use of pydantic warn: nothing here can change it."""
    config.addinivalue_line("filterwarnings", "ignore:Items? .* on TypedDict class:UserWarning")
    config.addinivalue_line("filterwarnings", "ignore:Accessing the 'model_:DeprecationWarning")


@pytest.fixture(scope="session")
def litellm() -> Iterator[Any]:
    """The real litellm, imported without a network call, a `.env` or output."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        patch.setenv("LITELLM_MODE", "PRODUCTION")
        module = pytest.importorskip("litellm")
        patch.setattr(module, "suppress_debug_info", True)
        yield module


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of large real data sets, which is not part of the repository."""
    folder = Path(os.environ.get("JUDGEKIT_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the real data sets are not here; JUDGEKIT_DATA names their folder")
    return folder


STARTED = datetime(2025, 3, 1, 12, 0, 0, tzinfo=UTC)
FINISHED = datetime(2025, 3, 1, 12, 0, 7, 250_000, tzinfo=UTC)


def report_of(attempts, *, gate=None, runs=1, name="orders"):
    """A report over CaseResults; cases stand in the order in which they first appear."""
    gate = Gate.all_cases_should_pass() if gate is None else gate
    case_ids = list(dict.fromkeys(attempt.case_id for attempt in attempts))
    results = Results(case_ids)
    for attempt in attempts:
        index = case_ids.index(attempt.case_id)
        results.add(index, attempt.run, attempt.interaction, attempt.results)
    ordered = sorted(attempts, key=lambda attempt: (case_ids.index(attempt.case_id), attempt.run))
    return EvalReport(
        name=name,
        started_at=STARTED,
        finished_at=FINISHED,
        runs=runs,
        counts=results,
        results=ordered,
        decision=gate.decide(results),
        gate=gate,
    )


@pytest.fixture(scope="session")
def make_report():
    """Makes a report over a list of attempts."""
    return report_of


@pytest.fixture(scope="session")
def hostile_texts():
    """Forty texts that break out of what does not expect them; the n-th holds the word `mark-n`."""
    texts = json.loads(Path(__file__).with_name("hostile_texts.json").read_text(encoding="utf-8"))
    # A formula is one only where a cell begins with it.
    return [
        *(f"{text} mark-{number}" for number, text in enumerate(texts)),
        "mark-39 " + "<b>x</b>" * 131_072,
    ]


@pytest.fixture(scope="session")
def hostile_report(hostile_texts):
    """A report of two attempts a hostile text, failed and inconclusive, with that text in every field."""
    attempts = [_hostile(text, run) for text in hostile_texts for run in (1, 2)]
    return report_of(attempts, runs=2, name="run " + hostile_texts[1])


def _hostile(text, run):
    call = ModelCall(
        model=text,
        provider=text,
        input_tokens=1,
        output_tokens=1,
        latency=0.5,
        cost=0.01,
        finish_reasons=(text,),
        messages=({"role": text, "content": text},),
    )
    interaction = Interaction(
        command_text=text,
        user_message=text,
        reply=text,
        model_text=f"model {text}",
        tool_calls=(ToolCall(text, {text: [text]}, {text: text}, id=text), ToolCall(text, text, error=text)),
        model_calls=(call,),
        guardrails=(GuardrailResult(text, text, False, text),),
        latency=0.5,
        error=text,
        messages=(
            {"role": "user", "content": text},
            {"role": text, "content": [{"type": text, "text": text}]},
        ),
    )
    measured = Measurement(
        model=text,
        model_served=text,
        criterion=text,
        prompt=text,
        schema=text,
        rung=text,
        parameters={text: text},
        notes=(text,),
        requests=1,
        fingerprint=text,
    )
    judged = EvalResult(Outcome.PASS, text, None, text, text, 0.5, 0.25, measurements=(measured,))
    missing = EvalResult(Outcome.INCONCLUSIVE, text, Kind.JUDGE_FAILED, text, f"b {text}", cause=text)
    flaky = EvalResult(Outcome.FAIL if run == 1 else Outcome.PASS, text, label=f"c {text}")
    return CaseResult(text, run, interaction, (judged, missing, flaky))
