"""Answers that are kept and replayed."""

import asyncio
import dataclasses
import random
import shutil
import sqlite3
import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import (
    ContentRefused,
    FileUnreadable,
    InvalidArgument,
    ProviderUnavailable,
    ReplayMissing,
)
from judgekit.jsonable import json_line
from judgekit.providers import Price, Request, Unusable, ask
from judgekit.providers.cache import Cache, request_key
from judgekit.testing import FakeProvider, Fault, says

GOOD = {"reason": "polite", "score": 0.75}
SECRET = "sk-qa-SECRET-123"


def scores(*values):
    return [{"reason": "r", "score": value} for value in values]


@pytest.fixture
def cached(answered, tmp_path):
    """Asks with the cache on, in one file of the test."""

    def go(provider, mode="read-write", **changes):
        return answered(provider, cache=mode, cache_file=str(tmp_path / "cache.sqlite"), **changes)

    return go


@pytest.fixture
def cached_run(question_to, in_one_run, tmp_path):
    """Asks one question a text, each as a case of one run, with the cache on."""

    def go(provider, texts, mode="read-write", *, run=1, prepare=lambda scope: None, **changes):
        file = str(tmp_path / "cache.sqlite")
        requests = [question_to(provider, text, cache=mode, cache_file=file, **changes) for text in texts]
        return in_one_run(requests, run=run, prepare=prepare)

    return go


def test_a_kept_answer_costs_no_request(cached):
    with FakeProvider(says(json_line(GOOD), usage=(40, 9))) as provider:
        first = cached(provider, price=Price(1.0, 1.0))
        again = cached(provider, price=Price(1.0, 1.0))
        replayed = cached(provider, "replay")
    assert provider.count == 1
    assert (first.cached, again.cached, replayed.cached) == (False, True, True)
    for answer in (again, replayed):
        assert answer == dataclasses.replace(first, cached=True)


def test_without_a_cache_everything_is_asked(cached, tmp_path):
    with FakeProvider(GOOD) as provider:
        cached(provider, "off")
        cached(provider, "off")
    assert provider.count == 2
    assert list(tmp_path.iterdir()) == []


def test_whatever_shapes_the_question_is_part_of_the_key(cached):  # RC01
    different = [
        {"text": "Is it warm?"},
        {"temperature": 1},
        {"temperature": None},
        {"model": "openai/judge-2"},
        {"max_tokens": 99},
        {"sample": 1},
        {"params": {"seed": 7}},
        {"rung": "prompt"},
        {"format": None},
    ]
    with FakeProvider(GOOD) as provider:
        cached(provider)
        for changes in different:
            answer = cached(provider, "replay", **changes)
            assert isinstance(answer.error, ReplayMissing), changes
        with FakeProvider(GOOD) as another:
            assert isinstance(cached(another, "replay").error, ReplayMissing)
    assert provider.count == 1


def test_what_does_not_shape_the_question_is_not_part_of_the_key(cached):
    with FakeProvider(GOOD) as provider:
        cached(provider)
        answer = cached(
            provider, "replay", api_key="another-key", timeout=3, attempts=1, deadline=9, price=Price(1, 1)
        )
    assert (answer.value, provider.count) == (0.75, 1)


def test_replay_never_asks_and_names_the_case(cached_run, cached, tmp_path):  # RC02
    with FakeProvider(GOOD) as provider:
        answers = cached_run(provider, ["one", "two"], "replay", run=3)
        alone = cached(provider, "replay")
    assert provider.count == 0
    assert [type(answer.error) for answer in (*answers, alone)] == [ReplayMissing] * 3
    assert "case 'case-1' run 3" in str(answers[1].error)
    assert answers[1].cause == "no record"
    assert answers[1].usage.requests == 0
    assert list(tmp_path.iterdir()) == []


def test_a_malformed_reply_is_never_reused(cached):  # RC04
    with FakeProvider([says("oops"), GOOD]) as provider:
        first = cached(provider)
        again = cached(provider)
    assert (first.value, again.value, provider.count) == (0.75, 0.75, 2)


def test_an_unusable_ending_is_asked_again_but_replays_as_it_was(cached):  # RC04, RC10
    with FakeProvider([says("oops"), says("oops again"), GOOD]) as provider:
        first = cached(provider, attempts=2)
        replayed = cached(provider, "replay", attempts=2)
        again = cached(provider, attempts=2)
        at_last = cached(provider, "replay", attempts=2)
    assert (first.cause, replayed.cause, provider.count) == ("malformed", "malformed", 3)
    assert str(replayed.error) == str(first.error)
    assert replayed.usage == first.usage
    assert (again.value, again.cached, at_last.value) == (0.75, False, 0.75)


def test_a_cut_off_reply_replays_with_its_error_and_tokens(cached):  # RC10
    cut = says('{"reason": "the answer co', usage=(100, 50), finish_reason="length")
    with FakeProvider(cut) as provider:
        first = cached(provider, price=Price(1.0, 1.0))
        replayed = cached(provider, "replay", price=Price(1.0, 1.0))
    assert provider.count == 2
    assert isinstance(replayed.error, Unusable)
    assert (replayed.cause, replayed.usage.input_tokens, replayed.usage.output_tokens) == (
        "truncated",
        200,
        100,
    )
    assert (str(replayed.error), replayed.usage) == (str(first.error), first.usage)
    assert replayed.reply.finish_reason == "length"


def test_a_refusal_replays_as_a_refusal(cached):  # RC10
    with FakeProvider(GOOD, faults=[Fault.refusal()]) as provider:
        first = cached(provider)
        replayed = cached(provider, "replay")
    assert isinstance(replayed.error, ContentRefused)
    assert str(replayed.error) == str(first.error)


def test_a_failing_provider_is_never_kept(cached):
    with FakeProvider(GOOD, faults=[Fault.status(500)]) as provider:
        cached(provider, attempts=1)
        assert isinstance(cached(provider, "replay").error, ReplayMissing)
        assert cached(provider).value == 0.75


def test_repeats_are_samples(cached_run):  # RC06
    with FakeProvider(scores(0.2, 0.9, 0.5)) as provider:
        first = [cached_run(provider, ["same"], run=run)[0].value for run in (1, 2, 3)]
        again = [cached_run(provider, ["same"], "replay", run=run)[0].value for run in (1, 2, 3)]
    assert (first, again, provider.count) == ([0.2, 0.9, 0.5], [0.2, 0.9, 0.5], 3)


def test_equal_questions_of_two_cases_keep_their_own_answers(question_to, in_one_run, tmp_path):
    file = str(tmp_path / "cache.sqlite")
    with FakeProvider(scores(0.1, 0.2, 0.3, 0.4)) as provider:
        request = question_to(provider, "same", cache="read-write", cache_file=file)
        # One after the other: equal requests in flight together are sent once.
        asked = asyncio.run(one_by_one([request] * 4))
        order = [2, 0, 3, 1]
        replay = dataclasses.replace(request, cache="replay")
        found = asyncio.run(one_by_one([replay] * 4, order=order))
        assert provider.count == 4
    assert [answer.value for answer in asked] == [0.1, 0.2, 0.3, 0.4]
    assert [found[index].value for index in range(4)] == [0.1, 0.2, 0.3, 0.4]


async def one_by_one(requests, order=None, plan=None, case_ids=None):
    from judgekit.context import AttemptContext, RunScope, attempt_context

    scope, answers = RunScope(), {}
    if plan is not None:
        scope.case_ids = frozenset(plan)
    for index in order or range(len(requests)):
        case_id = case_ids[index] if case_ids else f"case-{index}"
        attempt_context.set(
            AttemptContext(case_id=case_id, case_index=index, run=1, session_id=case_id, scope=scope)
        )
        answers[index] = await ask(requests[index], read)
    await scope.close()
    return [answers[index] for index in range(len(requests))]


def read(reply):
    from judgekit.jsonable import parse_json

    return parse_json(reply.text)["score"]


def test_the_nth_equal_question_of_an_attempt_gets_the_nth_record(question_to, tmp_path):
    file = str(tmp_path / "cache.sqlite")

    async def thrice(request):
        from judgekit.context import AttemptContext, RunScope, attempt_context

        scope = RunScope()
        attempt_context.set(AttemptContext(case_id="c", case_index=0, run=1, session_id="s", scope=scope))
        found = [(await ask(request, read)).value for _ in range(3)]
        await scope.close()
        return found

    with FakeProvider(scores(0.1, 0.2, 0.3)) as provider:
        request = question_to(provider, cache="read-write", cache_file=file)
        assert asyncio.run(thrice(request)) == [0.1, 0.2, 0.3]
        assert asyncio.run(thrice(dataclasses.replace(request, cache="replay"))) == [0.1, 0.2, 0.3]
        assert provider.count == 3


def test_a_renamed_case_keeps_its_record_and_a_new_one_takes_none(question_to, tmp_path):
    file = str(tmp_path / "cache.sqlite")
    with FakeProvider(scores(0.1, 0.2, 0.9)) as provider:
        request = question_to(provider, "same", cache="read-write", cache_file=file)
        asyncio.run(one_by_one([request] * 2, case_ids=["a", "b"], plan=["a", "b"]))
        renamed = asyncio.run(one_by_one([request] * 2, case_ids=["a", "c"], plan=["a", "c"]))
        assert ([answer.value for answer in renamed], provider.count) == ([0.1, 0.2], 2)
        added = asyncio.run(one_by_one([request] * 3, case_ids=["new", "a", "b"], plan=["new", "a", "b"]))
        assert ([answer.value for answer in added], provider.count) == ([0.9, 0.1, 0.2], 3)


def test_concurrent_runs_replay_to_the_same_answers(cached_run):
    texts = [f"text {number % 40}" for number in range(60)]

    def reply(turn):
        return {"reason": "r", "score": random.Random(turn.text).random()}

    with FakeProvider(reply) as provider:
        asked = cached_run(provider, texts)
        count = provider.count
        replayed = cached_run(provider, texts, "replay")
        assert provider.count == count
    assert count == 40  # equal questions in flight together were sent once
    assert [answer.value for answer in replayed] == [answer.value for answer in asked]
    assert sum(answer.usage.requests for answer in replayed) == count


def test_no_key_is_ever_in_the_file(cached, tmp_path):  # RC09
    echo = says(json_line({"reason": f"the key is {SECRET}", "score": 0.5}))
    with FakeProvider(echo) as provider:
        cached(provider, params={"extra_headers": {"X-Token": "header-SECRET-456"}})
        replayed = cached(provider, "replay", params={"extra_headers": {"X-Token": "header-SECRET-456"}})
    assert replayed.value == 0.5
    for path in tmp_path.iterdir():
        assert b"SECRET" not in path.read_bytes()


def test_a_closed_cache_is_one_file_that_can_be_committed(cached, tmp_path):
    with FakeProvider(GOOD) as provider:
        cached(provider)
        assert [path.name for path in tmp_path.iterdir()] == ["cache.sqlite"]
        (tmp_path / "cache.sqlite").chmod(0o444)
        assert cached(provider, "replay").value == 0.75
        assert [path.name for path in tmp_path.iterdir()] == ["cache.sqlite"]


def test_a_copy_of_a_cache_that_is_still_open_can_be_replayed(cached, tmp_path):
    with FakeProvider(GOOD) as provider:
        cached(provider)
        other = sqlite3.connect(tmp_path / "cache.sqlite")
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("SELECT count(*) FROM record").fetchone()
        cached(provider, sample=1)
        assert cached(provider, "replay", sample=1).value == 0.75
        other.close()
        shutil.copy(tmp_path / "cache.sqlite", tmp_path / "copy.sqlite")
        assert cached(provider, "replay").value == 0.75


def test_two_processes_write_one_cache(tmp_path):
    script = """
import asyncio, sys
from judgekit.providers import AnswerFormat, Request, ask
from judgekit.testing import ScriptedModel, otherwise
model = ScriptedModel(otherwise("fine"), name="m")
async def main():
    for number in range(60):
        message = {"role": "user", "content": f"{sys.argv[1]} {number}"}
        request = Request(model=model, messages=[message], cache="read-write", cache_file=sys.argv[2])
        answer = await ask(request, lambda reply: reply.text)
        assert answer.value == "fine", answer
asyncio.run(main())
"""
    file = tmp_path / "cache.sqlite"
    children = [
        subprocess.Popen([sys.executable, "-c", script, name, str(file)], stderr=subprocess.PIPE)
        for name in ("a", "b")
    ]
    for child in children:
        assert child.communicate()[1] == b""
        assert child.returncode == 0
    connection = sqlite3.connect(file)
    assert connection.execute("SELECT count(*) FROM record").fetchone() == (120,)
    connection.close()


def test_a_cache_that_others_open_and_close_meanwhile_can_be_opened(tmp_path):
    failed = []

    def come_and_go(path):
        try:
            for _ in range(10):
                Cache(path, replay=False).close()
        except FileUnreadable as error:
            failed.append(error)

    for number in range(40):
        path = tmp_path / f"{number}.sqlite"
        threads = [threading.Thread(target=come_and_go, args=(path,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failed == []


def test_a_reader_that_became_stricter_asks_again(question_to, tmp_path):
    def strict(reply):
        raise Unusable("malformed", "stricter now", reply.text)

    with FakeProvider(GOOD) as provider:
        file = str(tmp_path / "cache.sqlite")
        request = question_to(provider, cache="read-write", cache_file=file, attempts=1)
        assert asyncio.run(ask(request, read)).value == 0.75
        assert asyncio.run(ask(request, strict)).cause == "malformed"
        assert provider.count == 2
        replayed = asyncio.run(ask(dataclasses.replace(request, cache="replay"), strict))
        assert (replayed.cause, provider.count) == ("malformed", 2)


def test_the_environment_sets_the_default(answered, tmp_path, monkeypatch):
    monkeypatch.setenv("JUDGEKIT_CACHE", "read-write")
    monkeypatch.setenv("JUDGEKIT_CACHE_FILE", str(tmp_path / "deep" / "c.sqlite"))
    with FakeProvider(GOOD) as provider:
        answered(provider)
        assert answered(provider).cached
        assert not answered(provider, cache="off").cached
        monkeypatch.setenv("JUDGEKIT_CACHE", "yes")
        with pytest.raises(InvalidArgument, match=r"JUDGEKIT_CACHE.*off, read-write, replay.*'yes'"):
            answered(provider)


def test_the_default_file_is_in_the_projects_folder(answered, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("JUDGEKIT_CACHE_FILE", raising=False)
    with FakeProvider(GOOD) as provider:
        answered(provider, cache="read-write")
    assert (tmp_path / ".judgekit" / "cache.sqlite").is_file()


def test_an_empty_file_is_replayed_as_having_no_records(cached, tmp_path):  # RC02
    (tmp_path / "cache.sqlite").touch()
    with FakeProvider(GOOD) as provider:
        assert isinstance(cached(provider, "replay").error, ReplayMissing)
    assert provider.count == 0


def test_a_file_that_is_no_cache_is_named_and_nothing_is_asked(cached, tmp_path):
    (tmp_path / "cache.sqlite").write_text("this is no database, not even a short one " * 40)
    with FakeProvider(GOOD) as provider:
        for mode in ("read-write", "replay"):
            answer = cached(provider, mode)
            assert isinstance(answer.error, ProviderUnavailable)
            assert "cache.sqlite cannot be used: file is not a database" in str(answer.error)
    assert provider.count == 0


def test_a_cache_of_a_later_version_is_refused(cached, tmp_path):
    connection = sqlite3.connect(tmp_path / "cache.sqlite")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with FakeProvider(GOOD) as provider:
        for mode in ("read-write", "replay"):
            assert "has version 99; this judgekit reads version 1" in str(cached(provider, mode).error)


def test_a_damaged_record_is_an_error_and_not_a_crash(cached, tmp_path):
    with FakeProvider(GOOD) as provider:
        cached(provider)
        connection = sqlite3.connect(tmp_path / "cache.sqlite")
        connection.execute("UPDATE record SET body = substr(body, 1, 40)")
        connection.commit()
        connection.close()
        answer = cached(provider)
    assert isinstance(answer.error, ProviderUnavailable)
    assert "cannot be read" in str(answer.error)


def test_an_answer_that_cannot_be_kept_is_still_an_answer(question_to, tmp_path):
    file = tmp_path / "cache.sqlite"

    def read_and_drop(reply):
        other.execute("DROP TABLE record")
        return 0.5

    with FakeProvider(GOOD) as provider:
        request = question_to(provider, cache="read-write", cache_file=str(file))
        asyncio.run(ask(request, read))
        other = sqlite3.connect(file, isolation_level=None)
        answer = asyncio.run(ask(dataclasses.replace(request, sample=1), read_and_drop))
        other.close()
    assert (answer.value, answer.error) == (0.5, None)
    assert "not kept: the cache" in answer.notes[-1]


def test_a_cached_run_never_imports_litellm(tmp_path):
    script = """
import asyncio, sys
from judgekit.providers import Request, ask
from judgekit.testing import FakeProvider
request = lambda mode: Request(
    model="openai/m", messages=[{"role": "user", "content": "hi"}], api_base="http://127.0.0.1:9/v1",
    api_key="x", cache=mode, cache_file=sys.argv[1], attempts=1,
)
import sqlite3
from pathlib import Path
from judgekit.masking import Masker
from judgekit.providers.base import Reply, Usage
from judgekit.providers.cache import Cache, Record, request_key
cache = Cache(Path(sys.argv[1]), replay=False)
record = Record(reply=Reply(text="kept"), usage=Usage(requests=1), parameters={}, notes=())
cache.keep(request_key(request("replay"), 1), "", 0, position=0, record=record, body=record.to_json(Masker()))
cache.close()
answer = asyncio.run(ask(request("replay"), lambda reply: reply.text))
assert answer.value == "kept", answer
assert not {"litellm", "openai", "tenacity", "httpx"} & sys.modules.keys()
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "c.sqlite")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


texts = st.text(max_size=20)


@given(texts, texts, st.integers(0, 3), st.integers(1, 3))
def test_the_key_depends_on_the_request_and_on_nothing_else(system, user, sample, run):
    def request(**changes):
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        return Request(model="openai/m", messages=messages, sample=sample, **changes)

    key = request_key(request(), run)
    assert key == request_key(request(api_key="k", timeout=1, attempts=2), run)
    assert key != request_key(request(), run + 1)
    assert key != request_key(request(temperature=0.5), run)
    swapped = Request(
        model="openai/m",
        messages=[{"role": "system", "content": system + user}, {"role": "user", "content": ""}],
        sample=sample,
    )
    assert not user or key != request_key(swapped, run)
