"""`judgekit calibrate` and `judgekit reliability`: a judge over HTTP, or verdicts that are there already."""

import csv
import json
import os
import signal
import subprocess
import time

import pytest

from judgekit.testing import ScriptedModel, otherwise, verdict, when

JUDGE = ["--criterion", "warm and plain", "--judge-model", "openai/m"]
COLUMNS = ["--asked", "question", "--reply", "answer"]
STORE = ".judgekit/calibrations"


def labelled(judgekit, count=60, name="labels.jsonl", **more):
    rows = [
        {
            "id": f"r{n}",
            "question": f"What about {n}?",
            "answer": f"Gladly, {n}." if n % 2 else f"No {n}.",
            "human": ("pass" if n % 2 else "fail") if n > 3 else ("fail" if n % 2 else "pass"),
            **more,
        }
        for n in range(count)
    ]
    judgekit.write(name, "\n".join(map(json.dumps, rows)) + "\n")
    return rows


@pytest.fixture
def provider(fake_provider):
    return fake_provider(ScriptedModel(when("Gladly", verdict(0.9, "warm")), otherwise(verdict(0.2, "curt"))))


def asked(judgekit, provider, *arguments, file="labels.jsonl", command="calibrate", **environment):
    return judgekit(
        command, file, *COLUMNS, *JUDGE, "--api-base", provider.url, *arguments,
        OPENAI_API_KEY="k", **environment,
    )  # fmt: skip


def test_the_judge_is_asked_and_the_table_printed(judgekit, provider):
    labelled(judgekit)
    done = asked(judgekit, provider, "--label", "human", "--threshold", "0.7")
    assert (done.returncode, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "calibration of warm and plain, population default"
    assert lines[2] == "60 labelled replies by 1 rater"
    assert "  judge pass              28           2" in lines
    assert "  judge fail               2          28" in lines
    assert "  kappa                  0.87  [0.74, 0.99]" in lines
    for rate in ("judge rate", "corrected rate", "human-only rate"):
        assert any(line.startswith(f"  {rate}") for line in lines)
    assert lines[-1].startswith(f"kept in {STORE}/")
    assert provider.count == 60


def test_a_store_that_cannot_be_written_is_refused_before_anybody_is_asked(judgekit, provider):
    labelled(judgekit, 4)
    judgekit.write("taken", "")
    done = asked(judgekit, provider, "--store", "taken/here")
    assert (done.returncode, provider.count) == (2, 0)
    assert "--store taken/here: nothing can be written in taken" in done.err
    assert "--no-store" in done.err
    assert asked(judgekit, provider, "--store", "taken/here", "--no-store").returncode == 0


def test_a_column_that_no_row_has_is_not_told_for_thousands_of_rows(judgekit):
    labelled(judgekit, 1000)
    done = judgekit("calibrate", "labels.jsonl", "--verdict", "nope")
    lines = done.err.splitlines()
    assert (done.returncode, len(lines)) == (2, 101)
    assert "line 1: no 'nope'; it has ['answer'" in lines[1]
    assert lines[-1].endswith("and 901 more")


def test_a_second_time_costs_nothing_and_serves_score_too(judgekit, provider):
    labelled(judgekit, 10)
    first = json.loads(asked(judgekit, provider, "--json").out)
    again = json.loads(asked(judgekit, provider, "--json").out)
    assert {**first, "made_at": ""} == {**again, "made_at": ""}
    assert judgekit(
        "score",
        "labels.jsonl",
        *COLUMNS,
        "--id",
        "id",
        *JUDGE,
        "--api-base",
        provider.url,
        OPENAI_API_KEY="k",
    ).out.startswith("10 cases")
    assert provider.count == 10


def test_a_kappa_that_is_asked_for_decides_the_exit_code(judgekit, provider):
    labelled(judgekit)
    reached = asked(judgekit, provider, "--kappa", "0.4")
    assert reached.returncode == 0
    assert "pass: kappa 0.87, at least 0.74, required 0.40" in reached.out
    assert asked(judgekit, provider, "--kappa", "0.9").returncode == 1
    unsure = asked(judgekit, provider, "--kappa", "0.8")
    assert unsure.returncode == 3
    assert "inconclusive: kappa 0.87, at least 0.74, required 0.80; label more replies" in unsure.out


def test_a_judge_that_cannot_be_asked_is_inconclusive_and_nothing_is_kept(judgekit):
    labelled(judgekit, 3)
    done = judgekit("calibrate", "labels.jsonl", *COLUMNS, *JUDGE, OPENAI_API_KEY=None)
    assert done.returncode == 3
    assert "3 verdicts missing: judge failed: authentication 3" in done.out
    assert "kappa                 not known: no item has both labels" in done.out
    assert not (judgekit.folder / STORE).exists()


def test_the_calibration_is_written_where_it_is_wanted(judgekit, provider):
    labelled(judgekit, 8)
    done = asked(judgekit, provider, "-o", "out/c.json", "--store", "kept", "--population", "Chat & mail")
    assert done.returncode == 0
    written = json.loads((judgekit.folder / "out" / "c.json").read_text(encoding="utf-8"))
    (kept,) = (judgekit.folder / "kept").iterdir()
    assert (
        json.loads(kept.read_text(encoding="utf-8"))["population"] == written["population"] == "Chat & mail"
    )
    asked(judgekit, provider, "-o", "c.md", "--no-store")
    assert (judgekit.folder / "c.md").read_text(encoding="utf-8").startswith("```text\ncalibration of warm")
    assert not (judgekit.folder / STORE).exists()


def test_a_run_is_gated_by_a_calibration_made_from_it(judgekit, provider):
    rows = labelled(judgekit)
    run = ["score", "labels.jsonl", *COLUMNS, "--id", "id", *JUDGE, "--pass-rate", "0.1"]
    judgekit(*run, "--api-base", provider.url, OPENAI_API_KEY="k")
    (folder,) = (judgekit.folder / ".judgekit" / "runs").iterdir()
    before = judgekit("gate", folder, "--judge-kappa", "0.4")
    assert before.returncode == 3
    assert "it has no calibration" in before.out
    lines = [json.dumps({"id": row["id"], "human": row["human"]}) for row in rows[:50]]
    judgekit.write("human.jsonl", "\n".join(lines) + "\n")
    refused = judgekit("calibrate", "human.jsonl", "--run", folder)
    assert refused.returncode == 2
    assert "10 replies have no label; say how the others were chosen" in refused.err
    done = judgekit("calibrate", "human.jsonl", "--run", folder, "--random-subset")
    assert done.returncode == 0, done.err
    assert "PPI++, tuned, saves" in done.out
    assert provider.count == 60
    after = judgekit("gate", folder, "--judge-kappa", "warm and plain=0.4", "--json")
    assert after.returncode == 0
    assert json.loads(after.out)["gate"][0]["rule"] == "judge_should_be_calibrated"
    assert judgekit("gate", folder, "--judge-kappa", "0.95").returncode == 1


def test_a_suite_in_yaml_asks_for_calibrated_judges(judgekit):
    judgekit.write(
        "suite.yaml",
        """
        judge: openai/m
        cases:
          - id: a
            command: hello
            reply: hello
        evaluators:
          - reply_should_contain: hello
        gate:
          - judge_should_be_calibrated: {kappa: 0.5, population: chat}
          - judge_should_be_calibrated
        """,
    )
    done = judgekit("run", "suite.yaml")
    assert done.returncode == 0, done.err
    assert "gate: passed — no judge was asked, so none needs a calibration" in done.out
    judgekit.write(
        "wrong.yaml", (judgekit.folder / "suite.yaml").read_text(encoding="utf-8").replace("0.5", "1.5")
    )
    wrong = judgekit("validate", "wrong.yaml")
    assert wrong.returncode == 2
    assert "wrong.yaml:" in wrong.err
    assert "`kappa` must be a number from -1, below 1, got 1.5" in wrong.err


def test_the_known_kappa_of_a_real_judge_over_http(judgekit, fake_provider, data_folder):
    """A judge that answers as Llama 3 70B did about real replies, asked through the whole command line."""
    with (data_folder / "triviaqa_judges" / "v1.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["model"] == "mistral-7B"]
    recorded = {f"row {row['row']}.": row["Llama3-70B"] for row in rows}

    def answer(turn):
        (key,) = (key for key in recorded if key in turn.text)
        return verdict(float(recorded[key]), "as recorded")

    lines = [
        {"asked": row["question"], "reply": f"row {row['row']}.", "human": row["human"] if n < 100 else None}
        for n, row in enumerate(rows)
    ]
    judgekit.write("real.jsonl", "\n".join(map(json.dumps, lines)) + "\n")
    done = judgekit(
        "calibrate", "real.jsonl", *JUDGE, "--api-base", fake_provider(answer).url, "--random-subset",
        "--json", "-j", "32", OPENAI_API_KEY="k",
    )  # fmt: skip
    assert done.returncode == 0, done.err
    found = json.loads(done.out)
    known = json.loads((data_folder / "acceptance.json").read_text(encoding="utf-8"))
    example = known["triviaqa_correction_example"]
    corrected = found["rate"]["corrected"]
    assert [corrected[name] for name in ("estimate", "low", "high")] == pytest.approx(
        [example["ppi_tuned"]["est"], *example["ppi_tuned"]["ci95"]], abs=1e-6
    )
    table = found["confusion"]
    assert table["sensitivity"]["estimate"] == pytest.approx(example["q1"], abs=1e-6)
    assert table["specificity"]["estimate"] == pytest.approx(example["q0"], abs=1e-6)


def test_ctrl_c_keeps_what_is_paid_for(judgekit, fake_provider):
    provider = fake_provider(verdict(0.9, "warm"), latency=0.05)
    labelled(judgekit, 200)
    arguments = ["calibrate", "labels.jsonl", *COLUMNS, *JUDGE, "--api-base", provider.url, "-j", "4"]
    child = subprocess.Popen(
        judgekit.command(*arguments), cwd=judgekit.folder, env=judgekit.environment(OPENAI_API_KEY="k"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    while provider.count < 20:
        time.sleep(0.05)
        assert child.poll() is None
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert err.decode() == (
        "judgekit: interrupted; what is judged is kept, and the same command goes on from there\n"
    )
    assert out == b""
    before = provider.count
    assert asked(judgekit, provider, "-j", "32").returncode == 0
    # What was under way when the signal came may be asked about once more.
    assert provider.count <= 200 + 4
    assert provider.count - before < 190


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "nobody is asked"),
        (["--judge-model", "openai/m"], "--criterion"),
        ([*JUDGE, "--ready-made", "warmth"], "one of them"),
        (["--ready-made", "warmth"], "--judge-model"),
        ([*JUDGE, "--random-subset", "--separate"], "exclude each other"),
        ([*JUDGE, "--label", "nothing"], "no 'nothing'"),
        ([*JUDGE, "-o", "c.docx"], ".docx"),
        ([*JUDGE, "--verdict", "human"], "verdicts of their own"),
        ([*JUDGE, "--max-cost", "1"], "no price is known for openai/m"),
        (["--run", "nowhere"], "there is no run nowhere"),
        ([*JUDGE, "--population", " "], "`population`"),
        ([*JUDGE, "--kappa", "7"], "--kappa"),
    ],
)
def test_wrong_use_is_told_before_any_call(judgekit, arguments, said):
    labelled(judgekit, 2)
    done = judgekit("calibrate", "labels.jsonl", *COLUMNS, *arguments)
    assert (done.returncode, done.out) == (2, "")
    assert said in done.err
    assert "Traceback" not in done.err
    assert not (judgekit.folder / ".judgekit").exists()


def test_every_bad_row_is_a_line_before_any_call(judgekit, provider):
    judgekit.write("labels.jsonl", '{"question": "q", "answer": "a", "human": "maybe"}\n{]\n{"human": 3}\n')
    done = asked(judgekit, provider)
    assert (done.returncode, done.out, provider.count) == (2, "", 0)
    lines = done.err.splitlines()
    assert lines[0] == "judgekit: labels.jsonl cannot be read as labelled replies:"
    assert ["line 1" in lines[1], "line 2" in lines[2]] == [True, True]


def test_hostile_labels_and_names_move_no_terminal(judgekit, fake_provider):
    nasty = "\x1b[2J\u202e<script>\ud800"
    rows = [{"asked": "q", "reply": f"r{n}", "label": {nasty: n % 2, "b": 1, "c": 0}} for n in range(40)]
    judgekit.write("labels.jsonl", "\n".join(map(json.dumps, rows)) + "\n")
    provider = fake_provider(verdict(0.9, "fine"))
    arguments = ["--criterion", "a\x1b[2Jb", "--judge-model", "openai/m", "--population", "p\x1b"]
    for more in ([], ["--json"]):
        done = judgekit(
            "calibrate", "labels.jsonl", *arguments, "--api-base", provider.url, *more, OPENAI_API_KEY="k"
        )
        assert done.returncode == 0, done.err
        assert "\x1b" not in done.out + done.err
    json.loads(done.out)


def test_it_behaves_in_a_narrow_terminal_without_colour_or_locale(judgekit, provider):
    labelled(judgekit, 4)
    done = asked(judgekit, provider, COLUMNS="60", NO_COLOR="1", LC_ALL="C")
    assert (done.returncode, done.err) == (0, "")


def test_repeats_are_counted_and_cost_nothing_twice(judgekit, provider):
    labelled(judgekit, 5)
    done = asked(judgekit, provider, "--samples", "3", command="reliability")
    assert (done.returncode, done.err) == (0, "")
    assert "5 replies, each judged 3 times" in done.out
    assert "  flip rate              0.00  [0.00, 0.43]  of the replies have both pass and fail" in done.out
    assert provider.count == 15
    document = json.loads(asked(judgekit, provider, "--samples", "3", "--json", command="reliability").out)
    assert document["passes"]["estimate"] == 0
    assert provider.count == 15
    assert (
        asked(judgekit, provider, "--temperature", "1", "--samples", "2", command="reliability").returncode
        == 0
    )
    assert provider.count == 25


def test_pairs_are_judged_in_both_orders(judgekit, fake_provider):
    writers = {"w1": "openai/g", "w2": "x/y"}
    rows = [
        {"q": "why", "one": f"Gladly {n}", "two": f"No {n}", "human": "ab"[n % 2], **writers}
        for n in range(10)
    ]
    judgekit.write("pairs.jsonl", "\n".join(map(json.dumps, rows)) + "\n")

    def first(turn):
        text = turn.text
        preferred = "first" if text.index("Gladly") < text.index("No ") else "second"
        return json.dumps({"reason": "glad", "preferred": preferred})

    provider = fake_provider(first)
    done = judgekit(
        "reliability", "pairs.jsonl", "--asked", "q", "--reply", "one", "--other", "two", "--writer", "w1",
        "--other-writer", "w2", "--samples", "2", *JUDGE, "--api-base", provider.url, OPENAI_API_KEY="k",
    )  # fmt: skip
    assert (done.returncode, done.err) == (0, "")
    assert "  position consistency   1.00  [0.72, 1.00]  10 of 10 pairs" in done.out
    assert "  agrees with humans     0.50  [0.24, 0.76]" in done.out
    assert "  own family             1.00" in done.out
    assert provider.count == 40


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--label", "human"], "--label is for pairs"),
        (["--samples", "1"], "--samples"),
        (["--other", "answer", "--threshold", "0.7"], "single replies"),
        (["--other", "nothing"], "no 'nothing'"),
    ],
)
def test_wrong_use_of_repeats_is_told_before_any_call(judgekit, provider, arguments, said):
    labelled(judgekit, 2)
    done = asked(judgekit, provider, *arguments, command="reliability")
    assert (done.returncode, done.out, provider.count) == (2, "", 0)
    assert said in done.err


def test_nothing_measured_is_inconclusive(judgekit):
    labelled(judgekit, 2)
    done = judgekit("reliability", "labels.jsonl", *COLUMNS, *JUDGE, "--samples", "2", OPENAI_API_KEY=None)
    assert done.returncode == 3
    assert "flip rate             not known: no item has two verdicts" in done.out


def test_an_output_that_cannot_be_written_is_one_line(judgekit, provider):
    labelled(judgekit, 2)
    judgekit.write("taken", "a file")
    done = asked(judgekit, provider, "-o", "taken/c.json")
    assert (done.returncode, provider.count) == (2, 0)
    assert len(done.err.splitlines()) == 1
    if os.geteuid():
        (judgekit.folder / "shut").mkdir(mode=0o500)
        assert asked(judgekit, provider, "--store", "shut/x").returncode == 2
