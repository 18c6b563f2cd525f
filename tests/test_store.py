"""Journals: written, torn, read back and gone on with."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import FileUnreadable, InvalidArgument
from judgekit.evaluation import EvalResult, Kind, Outcome
from judgekit.gate import Gate
from judgekit.interaction import Interaction, ToolCall
from judgekit.masking import Masker
from judgekit.store import JournalStore, JournalWarning, MemoryStore, RunHead, read_run

GATE = Gate.pass_rate_should_be_at_least(0.5)
STARTED = "2026-01-02T03:04:05.678900+00:00"
ENDED = "2026-01-02T03:05:00+00:00"


def head(*ids: str, runs: int = 1, **changes) -> RunHead:
    fields = {
        "name": "store",
        "started_at": STARTED,
        "runs": runs,
        "agent": "agent",
        "judges": (),
        "fingerprint": "f1",
        "gate": GATE.to_json(),
        "case_ids": ids,
        "case_runs": [runs] * len(ids),
        "requirement_sets": ((("tools", None), ("judge", "polite")),),
        "requirement_of": [0] * len(ids),
    }
    return RunHead(**{**fields, **changes})


def attempt(reply: str, *, passed: bool = True) -> tuple[Interaction, tuple[EvalResult, ...]]:
    outcome = Outcome.PASS if passed else Outcome.FAIL
    results = (
        EvalResult(outcome, label="tools"),
        EvalResult(outcome, label="judge", name="polite", score=1.0),
    )
    return Interaction(reply=reply), results


def written(directory: Path, *replies: str, finish: bool = False) -> Path:
    """The journal of a run over cases c0, c1, ... of which the first have these replies."""
    store = JournalStore.create(directory, head(*(f"c{i}" for i in range(max(4, len(replies))))), Masker())
    for index, reply in enumerate(replies):
        store.add(index, 1, *attempt(reply))
    if finish:
        store.finish(GATE, ENDED)
    store.close()
    return store.journal_path


def quiet_read(path: Path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", JournalWarning)
        return read_run(path)


def replies(run) -> list[str | None]:
    return [result.interaction.reply for result in run.attempts]


def test_a_run_has_a_directory_of_its_own_named_by_experiment_and_start(tmp_path):
    first, second = written(tmp_path), written(tmp_path)
    assert first == tmp_path / "store-2026-01-02T03-04-05Z" / "journal.jsonl"
    assert second.parent.name == "store-2026-01-02T03-04-05Z-2"
    assert sorted(path.name for path in tmp_path.iterdir()) == [first.parent.name, second.parent.name]


def test_a_finished_run_reads_back_with_its_decision(tmp_path):
    path = written(tmp_path, "a", "b", "c", "d", finish=True)
    run = read_run(path)
    assert run.head == head("c0", "c1", "c2", "c3", versions=run.head.versions)
    assert replies(run) == ["a", "b", "c", "d"]
    assert run.decision == GATE.decide(run.results)
    assert run.decision.outcome is Outcome.PASS
    assert run.finished_at == ENDED
    assert run.gate == GATE
    assert read_run(path.parent).attempts[2].interaction.reply == "c"


def test_planned_attempts_that_a_killed_run_did_not_reach_are_interrupted(tmp_path):
    run = read_run(written(tmp_path, "a"))
    assert run.finished_at is None
    assert replies(run) == ["a", None, None, None]
    assert [result.kind for result in run.attempts[3].results] == [Kind.INTERRUPTED] * 3
    assert [result.label for result in run.attempts[3].results] == ["target", "tools", "judge"]
    assert run.attempts[3].results[2].name == "polite"
    assert run.attempts[3].outcome is Outcome.INCONCLUSIVE
    assert run.decision.outcome is Outcome.INCONCLUSIVE
    assert len(run.results) == 4


def test_a_killed_run_makes_a_report(tmp_path):
    report = read_run(written(tmp_path, "a")).report()
    assert report.name == "store"
    assert not report.passed
    assert "4 cases, 1 run: 1/4 attempts passed" in report.render()


def test_half_a_line_at_the_end_is_left_out_and_the_next_line_does_not_join_it(tmp_path):
    # RC07
    path = written(tmp_path, "a")
    with path.open("ab") as file:
        file.write(b'{"id": "c2", "sc')
    with pytest.warns(JournalWarning, match="line 3: it was cut off"):
        assert replies(read_run(path)) == ["a", None, None, None]
    with pytest.warns(JournalWarning, match="line 3: it was cut off"):
        store = JournalStore.resume(path, head("c0", "c1", "c2", "c3"), Masker())
    store.add(2, 1, *attempt("late"))
    store.close()
    assert replies(read_run(path)) == ["a", None, "late", None]


def test_a_bad_line_in_the_middle_costs_only_itself(tmp_path):
    path = written(tmp_path, "a", "b", "c")
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = b'\xff{"id": broken\n'
    path.write_bytes(b"".join(lines))
    with pytest.warns(JournalWarning, match="line 3"):
        assert replies(read_run(path)) == ["a", None, "c", None]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"id": "c1", "run": 1, "interaction": {}}', "no attempt"),
        ('{"id": "c9", "run": 1, "interaction": {}, "results": []}', "not in its plan"),
        ('{"id": "c1", "run": 2, "interaction": {}, "results": []}', "not in its plan"),
        ('{"id": "c0", "run": 1, "interaction": {"reply": "again"}, "results": []}', "there twice"),
        ("[]", "no JSON object"),
        ('{"id": NaN}', "NaN"),
    ],
)
def test_a_line_that_is_no_attempt_of_the_plan_is_left_out(tmp_path, line, reason):
    path = written(tmp_path, "a")
    with path.open("a") as file:
        file.write(line + "\n")
    with pytest.warns(JournalWarning, match=reason):
        assert replies(read_run(path)) == ["a", None, None, None]


@given(st.data())
def test_a_journal_cut_at_any_byte_is_gone_on_with_from_its_whole_lines(tmp_path_factory, data):
    path = written(tmp_path_factory.mktemp("cut"), "a", "b ✅", "c", "d", finish=True)
    content = path.read_bytes()
    first = content.index(b"\n") + 1
    cut = data.draw(st.integers(first - 1, len(content)))
    path.write_bytes(content[:cut])
    ends = [content.index(b"\n", content.index(f'"id":"c{i}"'.encode())) for i in range(4)]
    whole = [reply if end <= cut else None for reply, end in zip(["a", "b ✅", "c", "d"], ends, strict=True)]
    assert replies(quiet_read(path)) == whole
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", JournalWarning)
        store = JournalStore.resume(path, head("c0", "c1", "c2", "c3"), Masker())
    for index in range(4):
        assert store.holds(index, 1) == (whole[index] is not None)
        if not store.holds(index, 1):
            store.add(index, 1, *attempt(f"new {index}"))
    store.finish(GATE, ENDED)
    store.close()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = read_run(path)
    assert replies(run) == [reply or f"new {index}" for index, reply in enumerate(whole)]
    assert path.read_bytes().count(b"decision") == 1


def test_two_writers_cannot_share_a_journal(tmp_path):
    store = JournalStore.create(tmp_path, head("c0"), Masker())
    with pytest.raises(InvalidArgument, match="being written by another run"):
        JournalStore.resume(store.journal_path, head("c0"), Masker())
    store.close()
    JournalStore.resume(store.journal_path, head("c0"), Masker()).close()


def test_a_child_process_that_lives_on_does_not_keep_the_lock(tmp_path):
    store = JournalStore.create(tmp_path, head("c0"), Masker())
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, close_fds=False)
    store.close()
    try:
        JournalStore.resume(store.journal_path, head("c0"), Masker()).close()
    finally:
        child.communicate(b"\n")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"agent": "other"}, "its agent is 'agent', now it is 'other'"),
        ({"judges": ("m",)}, r"its judges are \[\], now they are \['m'\]"),
        ({"runs": 2, "case_runs": [2]}, "it has 1 run, now there are 2"),
        ({"case_ids": ("x",)}, "1 of its cases are gone and 1 are new"),
        ({}, "its cases or evaluators have changed"),
    ],
)
def test_the_journal_of_another_plan_is_refused_and_left_as_it_is(tmp_path, changes, reason):
    store = JournalStore.create(tmp_path, head("c0"), Masker())
    store.finish(GATE, ENDED)
    store.close()
    before = store.journal_path.read_bytes()
    with pytest.raises(InvalidArgument, match=reason):
        JournalStore.resume(store.journal_path, head("c0", fingerprint="f2", **changes), Masker())
    assert store.journal_path.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "no journal that can be read"),
        (b"hello\n", "no journal that can be read"),
        (b'{"format": "other"}\n', "not the head of a run"),
        (
            b'{"format": "judgekit-journal", "format_version": 2}\n',
            "is 2, this judgekit reads 1",
        ),
        (b'{"format": "judgekit-journal", "format_version": 1}\n', "its head is damaged"),
    ],
)
def test_a_file_that_is_no_journal_is_refused(tmp_path, content, reason):
    path = tmp_path / "journal.jsonl"
    path.write_bytes(content)
    with pytest.raises(FileUnreadable, match=reason):
        read_run(tmp_path)
    with pytest.raises(FileUnreadable, match=reason):
        JournalStore.resume(tmp_path, head("c0"), Masker())


@pytest.mark.parametrize("moment", [STARTED, ENDED])
def test_a_date_that_is_none_is_found_when_the_journal_is_read(tmp_path, moment):
    path = written(tmp_path, "a", "b", finish=True)
    path.write_bytes(path.read_bytes().replace(moment.encode(), b"yesterday"))
    with pytest.raises(FileUnreadable, match="no journal that can be read"):
        read_run(path)


def test_a_directory_without_a_journal_is_refused(tmp_path):
    with pytest.raises(FileUnreadable, match="holds no journal"):
        read_run(tmp_path)


def test_a_gate_that_changed_between_a_killed_run_and_its_resumption_is_the_one_that_decides(tmp_path):
    path = written(tmp_path, "a", "b", "c")
    strict = Gate.all_cases_should_pass()
    store = JournalStore.resume(path, head("c0", "c1", "c2", "c3"), Masker())
    store.add(3, 1, *attempt("d", passed=False))
    store.finish(strict, ENDED)
    store.close()
    assert read_run(path).gate == strict
    assert read_run(path).decision.outcome is Outcome.FAIL


def test_secrets_do_not_reach_the_journal(tmp_path):
    masker = Masker(["hunter2-hunter2"])
    store = JournalStore.create(tmp_path, head("c0", name="run"), masker)
    store.add(0, 1, *attempt("the keys are hunter2-hunter2 and sk-abcdefghijklmnop"))
    store.close()
    content = store.journal_path.read_text(encoding="utf-8")
    assert "hunter2" not in content
    assert "sk-abc" not in content
    assert replies(read_run(store.journal_path)) == ["the keys are [masked] and [masked]"]


def test_memory_gives_out_the_same_attempts_as_a_journal(tmp_path):
    interaction = Interaction(
        reply="key sk-abcdefghijklmnop", tool_calls=[ToolCall("pay", {"tags": {"b"}, "raw": b"x", 1: None})]
    )
    results = (EvalResult(Outcome.FAIL, "sk-abcdefghijklmnop", label="tools"),)
    journal = JournalStore.create(tmp_path, head("c0", "c1"), Masker())
    stores = [
        journal,
        *(MemoryStore(head("c0", "c1"), Masker(), at_once=at_once) for at_once in (True, False)),
    ]
    for store in stores:
        store.add(0, 1, interaction, results)
    runs = [store.finish(GATE, ENDED) for store in stores]
    journal.close()
    assert runs[0].attempts[0].interaction.tool_calls[0].arguments == {"tags": "{'b'}", "raw": "x", "1": None}
    for run in runs[1:]:
        assert list(run.attempts) == list(runs[0].attempts)
        assert list(run.attempts.lines()) == list(runs[0].attempts.lines())


def test_evidence_that_an_agent_still_holds_is_kept_as_it_was(tmp_path):
    arguments = {"ids": ["1"]}
    store = MemoryStore(head("c0"), Masker(), at_once=True)
    store.add(0, 1, Interaction(tool_calls=[ToolCall("t", arguments)]), ())
    arguments["ids"].append("2")
    assert store.attempts[0].interaction.tool_calls[0].arguments == {"ids": ["1"]}


def test_attempts_are_a_sequence_by_case_and_run(tmp_path):
    store = JournalStore.create(tmp_path, head("a", "b", runs=2), Masker())
    for index, run in [(1, 2), (0, 1), (1, 1), (0, 2)]:
        store.add(index, run, *attempt(f"{index}.{run}"))
    store.close()
    attempts = store.attempts
    assert [(found.case_id, found.run) for found in attempts] == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
    assert len(attempts) == 4
    assert attempts[-1].interaction.reply == "1.2"
    assert [found.interaction.reply for found in attempts[1:3]] == ["0.2", "1.1"]
    with pytest.raises(IndexError):
        attempts[4]


def test_the_lines_are_those_of_the_journal(tmp_path):
    path = written(tmp_path, "a", "b", "c", "d", finish=True)
    assert list(read_run(path).attempts.lines()) == path.read_bytes().splitlines()[1:-1]


def test_a_journal_that_was_changed_after_it_was_read_says_so(tmp_path):
    path = written(tmp_path, "a", "b")
    run = read_run(path)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(FileUnreadable, match="was changed"):
        run.attempts[1]


def test_a_directory_that_cannot_be_made_is_an_error_before_the_run(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OSError):
        JournalStore.create(tmp_path / "file" / "runs", head("c0"), Masker())


def test_a_name_that_the_file_system_cannot_spell_is_spelled_in_ascii(tmp_path):
    code = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[2])\n"
        "from judgekit.store import JournalStore, RunHead; from judgekit.masking import Masker\n"
        "head = RunHead(name='caf\\u00e9', started_at='2026-01-02T03:04:05+00:00', runs=1, agent=None,\n"
        "    judges=(), fingerprint='', gate=[], case_ids=(), case_runs=[], requirement_sets=(),\n"
        "    requirement_of=[])\n"
        "JournalStore.create(Path(sys.argv[1]), head, Masker()).close()\n"
    )
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    repository = str(Path(__file__).parents[1])
    subprocess.run([sys.executable, "-c", code, str(tmp_path), repository], check=True, env=environment)
    assert [path.name for path in tmp_path.iterdir()] == ["caf%C3%A9-2026-01-02T03-04-05Z"]
    line = next(tmp_path.rglob("journal.jsonl")).read_bytes()
    assert json.loads(line)["name"] == "café"
