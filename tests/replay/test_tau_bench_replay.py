"""200 real transcripts: recorded, redacted, loaded, replayed."""

import gzip
import json
import re

import pytest

from judgekit import EvalCase, ExperimentRunner, Interaction, Outcome, ToolBindings, ToolCall
from judgekit.replay import Recorder, load_recordings


@pytest.fixture(scope="module")
def transcripts(data_folder):
    path = data_folder / "tau_bench_airline" / "trajectories.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def recorded(transcripts, tmp_path_factory):
    """The file that a recorder writes of them."""
    recorder = Recorder()
    for row in transcripts:
        interaction = Interaction.from_messages(row["traj"])
        recorder.add(interaction, id=f"task-{row['task_id']}-{row['trial']}")
    path = recorder.write(tmp_path_factory.mktemp("tau") / "airline.jsonl")
    return recorder, path


class Stub:
    """An agent that repeats the calls that were loaded for its session."""

    def __init__(self):
        self.calls = {}

    def load(self, call, session):
        made = ToolCall(call.tool, call.arguments, call.result, call.error)
        self.calls.setdefault(session.id, []).append(made)

    def agent(self, command, session):
        calls = self.calls.pop(session.id, [])
        if command.startswith("changed: "):
            calls = with_one_argument_changed(calls)
        return Interaction(command_text=command, reply="ok", tool_calls=calls)


def with_one_argument_changed(calls):
    """The first argument of the first call that has one, wherever a call to the tool carries that value."""
    first = next(call for call in calls if call.arguments)
    name, value = next(iter(first.arguments.items()))
    return [
        ToolCall(call.name, {**call.arguments, name: "something else"}, call.result)
        if call.name == first.name and call.arguments.get(name) == value
        else call
        for call in calls
    ]


def replay(cases, stub):
    tools = dict.fromkeys(call.name for case in cases for call in case.recorded_calls)
    bindings = ToolBindings()
    for tool in tools:
        bindings = bindings.bind(tool, stub.load)
    runner = ExperimentRunner("replay").cases(cases).bindings(bindings).agent(stub.agent)
    return runner.without_report_file().run()


def test_no_address_of_the_transcripts_is_in_the_file_and_nothing_else_is_lost(transcripts, recorded):
    recorder, path = recorded
    text = path.read_text(encoding="utf-8")
    raw = json.dumps([row["traj"] for row in transcripts])
    addresses = set(re.findall(r"[\w.+-]+@[\w-]+\.[a-z]+", raw))
    assert len(addresses) > 30
    assert not [address for address in addresses if address in text]
    assert set(recorder.masked) == {"email"}
    assert len(text.splitlines()) == 200
    calls = sum(len(json.loads(line)["toolCalls"]) for line in text.splitlines())
    assert calls == 1164


def test_a_stub_agent_that_repeats_the_calls_passes_every_derived_evaluator(recorded):
    cases = load_recordings(recorded[1], forbid_others=True)
    assert len(cases) == 200
    report = replay(cases, Stub())
    assert report.passed, report.render()
    results = [result for attempt in report.results for result in attempt.results]
    assert {result.outcome for result in results} == {Outcome.PASS}
    assert sum(result.label == "tool-arguments" for result in results) > 2000


def told_to_change(case):
    return EvalCase(case.id, f"changed: {case.command}", *case.evaluators, recorded_calls=case.recorded_calls)


def test_with_one_argument_changed_in_20_exactly_those_fail_on_tool_arguments(recorded):
    cases = load_recordings(recorded[1])
    changed = {case.id for case in cases if any(call.arguments for call in case.recorded_calls)}
    changed = set(sorted(changed)[::9][:20])
    assert len(changed) == 20
    report = replay([told_to_change(case) if case.id in changed else case for case in cases], Stub())
    failed = {attempt.case_id: attempt for attempt in report.results if not attempt.passed}
    assert set(failed) == changed
    for attempt in failed.values():
        labels = {result.label for result in attempt.results if result.outcome is Outcome.FAIL}
        assert labels == {"tool-arguments"}
