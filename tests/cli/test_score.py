"""`judgekit score FILE`: a file's replies judged in one line, resumed, and never paid for twice."""

import json
import signal
import subprocess
import time

import pytest

from judgekit.testing import ScriptedModel, otherwise, verdict, when

JUDGE = ["--criterion", "warm and plain", "--judge-model", "openai/m"]


def rows(judgekit, count=4, name="replies.jsonl"):
    lines = [
        json.dumps({"question": f"What about {n}?", "answer": f"Gladly, {n}." if n % 2 else f"No {n}."})
        for n in range(count)
    ]
    return judgekit.write(name, "\n".join(lines) + "\n")


@pytest.fixture
def provider(fake_provider):
    return fake_provider(ScriptedModel(when("Gladly", verdict(0.9, "warm")), otherwise(verdict(0.2, "curt"))))


def score(judgekit, provider, *arguments, file="replies.jsonl", **environment):
    columns = ["--asked", "question", "--reply", "answer"]
    return judgekit(
        "score", file, *columns, *JUDGE, "--api-base", provider.url, *arguments,
        OPENAI_API_KEY="k", **environment,
    )  # fmt: skip


def test_every_row_is_judged_and_the_report_written(judgekit, provider):
    rows(judgekit)
    done = score(judgekit, provider, "-o", "tone.json")
    assert done.returncode == 1, done.err
    assert done.out.splitlines()[0] == "4 cases, 1 run: 2/4 attempts passed (50%)"
    assert "    warm and plain 2/4" in done.out
    assert done.err == ""
    document = json.loads((judgekit.folder / "tone.json").read_text(encoding="utf-8"))
    assert [attempt["outcome"] for attempt in document["attempts"]] == ["fail", "pass"] * 2
    assert provider.count == 4


def test_rows_that_were_judged_before_cost_nothing(judgekit, provider):
    rows(judgekit)
    score(judgekit, provider)
    done = score(judgekit, provider)
    assert provider.count == 4
    assert "4 verdicts, 0 asked, 4 from cache" in done.out
    rows(judgekit, 6)
    assert score(judgekit, provider).out.startswith("6 cases, 1 run: 3/6")
    assert provider.count == 6


def test_a_criterion_that_is_written_twice_is_asked_once(judgekit, provider):
    rows(judgekit)
    done = score(judgekit, provider, "--criterion", "warm and plain", JUDGEKIT_CACHE="off")
    assert "4 verdicts, 4 asked" in done.out
    assert provider.count == 4


def test_the_cache_can_be_turned_off(judgekit, provider):
    rows(judgekit, 1)
    for _ in range(2):
        score(judgekit, provider, JUDGEKIT_CACHE="off")
    assert provider.count == 2
    assert not (judgekit.folder / ".judgekit" / "cache.sqlite").exists()


def test_a_pass_rate_and_a_threshold_decide(judgekit, provider):
    rows(judgekit)
    assert score(judgekit, provider, "--pass-rate", "0.5").returncode == 0
    assert score(judgekit, provider, "--threshold", "0.2").returncode == 0
    assert score(judgekit, provider, "--threshold", "0.95", "--pass-rate", "0.1").returncode == 1


def test_several_criteria_and_ready_made_ones_are_judged(judgekit, fake_provider):
    rows(judgekit, 1)
    provider = fake_provider(
        lambda turn: '{"reason": "r", "level": "warm"}' if "level" in turn.text else verdict(0.9, "r")
    )
    done = score(judgekit, provider, "--criterion", "short", "--ready-made", "warmth", "--json")
    results = json.loads(done.out)["attempts"][0]["results"]
    assert [result["name"] for result in results] == ["warm and plain", "short", "warmth"]


def test_a_long_list_of_failures_is_cut(judgekit, fake_provider):
    rows(judgekit, 6)
    done = score(judgekit, fake_provider(verdict(0.1, "curt")), "--most", "2")
    assert done.out.count("\ncase ") == 2
    assert done.out.splitlines()[-1] == "and 4 more of 6 attempts"


def test_ids_limits_and_filters_choose_the_rows(judgekit, provider):
    judgekit.write("r.csv", "ticket,question,answer\nA-1,why,Gladly\nB-2,how,Gladly\nA-3,who,Gladly\n")
    done = score(judgekit, provider, "--id", "ticket", "-k", "a-", "--json", file="r.csv")
    assert [attempt["id"] for attempt in json.loads(done.out)["attempts"]] == ["A-1", "A-3"]
    done = score(judgekit, provider, "-n", "1", "--json", file="r.csv")
    assert [attempt["id"] for attempt in json.loads(done.out)["attempts"]] == ["row-1"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--reply", "no-such", *JUDGE], "'no-such'"),
        (["--judge-model", "openai/m"], "--criterion"),
        (["--criterion", "warm"], "--judge-model"),
        (["--ready-made", "warmish", "--judge-model", "openai/m"], "warmish"),
        ([*JUDGE, "-o", "x.docx"], ".docx"),
    ],
)
def test_wrong_use_is_told_before_any_call(judgekit, arguments, said):
    rows(judgekit)
    done = judgekit("score", "replies.jsonl", "--asked", "question", *arguments)
    assert done.returncode == 2
    assert done.out == ""
    assert said in done.err
    assert "Traceback" not in done.err


def test_a_file_that_is_not_there_is_one_line(judgekit):
    done = judgekit("score", "nothing.jsonl", *JUDGE)
    assert (done.returncode, done.err) == (2, "judgekit: nothing.jsonl: there is no such file\n")


def started(judgekit, provider, *arguments):
    command = judgekit.command(
        "score", "replies.jsonl", "--asked", "question", "--reply", "answer", *JUDGE,
        "--api-base", provider.url, "-j", "2", *arguments,
    )  # fmt: skip
    return subprocess.Popen(
        command,
        cwd=judgekit.folder,
        env=judgekit.environment(OPENAI_API_KEY="k"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def interrupted(judgekit, provider):
    """Start scoring, wait for six requests and press Ctrl-C; what stderr says."""
    process = started(judgekit, provider)
    for _ in range(1200):
        if provider.count >= 6:
            break
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    return err


def judged_rows(provider):
    return [request.body["messages"][-1]["content"] for request in provider.requests]


def test_ctrl_c_keeps_what_is_judged_and_the_same_command_goes_on(judgekit, fake_provider):
    rows(judgekit, 12)
    provider = fake_provider(verdict(0.9, "warm"), latency=0.2)
    err = interrupted(judgekit, provider)
    path = err.splitlines()[-1].partition("--resume ")[2]
    first = provider.count
    assert first < 12
    done = score(judgekit, provider, "--resume", path)
    assert done.returncode == 0, done.err
    assert done.out.startswith("12 cases, 1 run: 12/12 attempts passed (100%)")
    # Only requests that Ctrl-C cut off are made a second time, one a worker.
    assert len(set(judged_rows(provider))) == 12
    assert provider.count - 12 <= 2

    before = provider.count
    again = score(judgekit, provider)
    assert again.out.startswith("12 cases, 1 run: 12/12 attempts passed (100%)")
    assert provider.count == before
