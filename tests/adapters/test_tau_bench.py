"""200 real tool-calling transcripts, matched against what their tasks expect."""

import gzip
import json

import pytest

from judgekit import EvalCase, ExperimentRunner, Interaction
from judgekit.adapters.messages import tool_calls_in
from judgekit.datasets import load_interactions
from judgekit.evaluation import Outcome
from judgekit.evaluators import pattern, should_make_calls

WRITE_TOOLS = [pattern("book_*"), pattern("cancel_*"), pattern("update_*"), "send_certificate"]

PROTOCOLS = {
    "write_exact": {"match": "exact", "only": WRITE_TOOLS},
    "write_unordered": {"match": "any_order", "only": WRITE_TOOLS},
    "write_superset": {"match": "superset", "only": WRITE_TOOLS, "allow_empty": True},
    "all_superset": {"match": "superset", "allow_empty": True},
    "all_in_order": {"match": "in_order", "allow_empty": True},
    "write_names_unordered": {"match": "any_order", "only": WRITE_TOOLS, "arguments": "ignore"},
}


@pytest.fixture(scope="module")
def file(data_folder):
    return data_folder / "tau_bench_airline" / "trajectories.jsonl.gz"


@pytest.fixture(scope="module")
def rows(file):
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def known(data_folder):
    return json.loads((data_folder / "acceptance.json").read_text())["tau_trajectory_evaluators"]


@pytest.fixture(scope="module")
def interactions(rows):
    return [Interaction.from_messages(row["traj"], command_text=row["instruction"]) for row in rows]


def expected_calls(row):
    return [{"name": action["name"], "arguments": action["kwargs"]} for action in row["expected_actions"]]


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_trajectory_matcher_agrees_with_the_reward_as_often_as_is_known(name, rows, interactions, known):
    counts = {"passed": 0, "tp": 0, "fp": 0, "fn": 0, "tn": 0}
    for row, interaction in zip(rows, interactions, strict=True):
        evaluator = should_make_calls(expected_calls(row), **PROTOCOLS[name])
        outcome = evaluator.evaluate(EvalCase("task", row["instruction"]), interaction).outcome
        assert outcome is not Outcome.INCONCLUSIVE
        passed = outcome is Outcome.PASS
        counts["passed"] += passed
        counts[
            ("tp" if row["reward"] == 1 else "fp") if passed else ("fn" if row["reward"] == 1 else "tn")
        ] += 1
    assert counts == {key: known[name][key] for key in counts}


def test_every_call_is_read_with_its_arguments(interactions, known):
    calls = [call for interaction in interactions for call in interaction.tool_calls]
    assert len(calls) == known["tool_calls"] == 1164
    assert sum(isinstance(call.arguments, str) for call in calls) == known["unparsable_args"] == 0
    names = {name: sum(call.name == name for call in calls) for name in known["tools"]}
    assert names == known["tools"]


def test_every_result_belongs_to_the_call_just_before_it_although_ids_are_reused(rows, interactions):
    reusing = 0
    for row, interaction in zip(rows, interactions, strict=True):
        ids = [call["id"] for message in row["traj"] for call in message.get("tool_calls") or ()]
        reusing += len(ids) != len(set(ids))
        # These agents call one tool at a time, so the truth is the next message.
        truth = [
            following["content"]
            for message, following in zip(row["traj"], [*row["traj"][1:], {}], strict=True)
            if message.get("tool_calls") and following.get("role") == "tool"
        ]
        found = [call.result for call in interaction.tool_calls]
        assert found[: len(truth)] == truth
        assert found[len(truth) :] == [None] * (len(found) - len(truth))
    assert reusing == 49


def test_the_reply_is_the_last_text_of_the_agent_and_the_question_stands_before_it(rows, interactions):
    for row, interaction in zip(rows, interactions, strict=True):
        said = [m["content"] for m in row["traj"] if m["role"] == "assistant" and m["content"]]
        assert interaction.reply == said[-1]
        end = max(i for i, m in enumerate(row["traj"]) if m["role"] == "assistant" and m["content"])
        asked = [m["content"] for m in row["traj"][:end] if m["role"] == "user"]
        assert interaction.user_message == asked[-1]
        assert interaction.messages == tuple(row["traj"])


def test_fifty_tasks_with_four_runs_each_are_loaded_from_the_file(file, rows):
    cases = load_interactions(
        file,
        asked="instruction",
        messages="traj",
        id="task_id",
        evaluators=lambda row: [should_make_calls(expected_calls(row), only=WRITE_TOOLS)],
    )
    assert [case.id for case in cases] == [str(number) for number in range(50)]
    assert {len(case.interactions) for case in cases} == {4}
    assert cases[7].command == next(row["instruction"] for row in rows if row["task_id"] == 7)
    assert [extra["trial"] for extra in cases[7].metadata["rows"]] == [0, 1, 2, 3]
    passed = sum(
        case.evaluators[0].evaluate(case, run).outcome is Outcome.PASS
        for case in cases
        for run in case.interactions
    )
    assert passed == 77


def test_the_report_over_fifty_tasks_names_those_that_differ_from_run_to_run(
    file, rows, interactions, tmp_path
):
    cases = load_interactions(
        file,
        asked="instruction",
        messages="traj",
        id="task_id",
        evaluators=lambda row: [should_make_calls(expected_calls(row), only=WRITE_TOOLS)],
    )
    report = ExperimentRunner("airline").cases(cases).report_directory(tmp_path).run()
    passed_in = {}
    for row, interaction in zip(rows, interactions, strict=True):
        check = should_make_calls(expected_calls(row), only=WRITE_TOOLS)
        outcome = check.evaluate(EvalCase("task", row["instruction"]), interaction).outcome
        passed_in.setdefault(str(row["task_id"]), set()).add(outcome)
    differing = [task for task, outcomes in passed_in.items() if len(outcomes) > 1]
    text = report.render()
    assert text.startswith("50 cases, 4 runs: 77/200 attempts passed (39%)")
    block = text[text.index("inconsistent across runs:") : text.index("case ", text.index("inconsistent"))]
    assert [line.split()[0] for line in block.splitlines()[1:]] == sorted(differing, key=int)
    assert len(differing) > 10


def test_reading_the_calls_alone_gives_the_same(rows, interactions):
    for row, interaction in zip(rows, interactions, strict=True):
        assert tool_calls_in(row["traj"]) == interaction.tool_calls
