"""`judgekit run`: exit codes, filters, formats, streams, interruption and resuming."""

import json
import os
import pty
import select
import signal
import subprocess
import time
from pathlib import Path

import pytest

from judgekit.reporting import EvalReport


def journal_of(folder):
    (journal,) = folder.glob(".judgekit/runs/*/journal.jsonl")
    return journal


def attempts_in(journal):
    lines = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if "interaction" in line]


def test_a_passed_gate_is_zero_and_the_report_is_on_stdout(plain):
    done = plain("run", "suite.py")
    assert done.returncode == 0
    assert done.out.splitlines()[0] == "3 cases, 1 run: 3/3 attempts passed (100%)"
    assert done.out.splitlines()[1] == "gate: passed — all 3 attempts (3 cases, 1 run) passed"
    assert done.err == ""


def test_a_failed_gate_is_one(plain):  # CL01
    plain.write("suite.py", plain.suite_text.replace('"7")', '"8")'))
    done = plain("run", "suite.py")
    assert done.returncode == 1
    assert "gate: FAILED — failed cases [order (run 1)]" in done.out


def test_an_inconclusive_gate_is_three(judgekit):
    judgekit.write(
        "suite.py",
        """
        from judgekit import EvalCase, ExperimentRunner
        from judgekit.evaluators import should_call_tool

        cases = [EvalCase("a", "hi", should_call_tool("x"))]
        experiment = ExperimentRunner("t").cases(cases).agent(lambda command: command)
        """,
    )
    done = judgekit("run", "suite.py")
    assert done.returncode == 3
    assert "gate: INCONCLUSIVE — nothing was judged" in done.out


def test_a_filter_that_fits_no_case_is_inconclusive_and_says_so(plain):  # CL08, GT01
    done = plain("run", "suite.py", "-k", "nothing like this")
    assert done.returncode == 3
    assert "0 cases" in done.out
    assert "gate: INCONCLUSIVE — no cases ran" in done.out
    assert "-k: no case id holds 'nothing like this'; there are greeting, farewell, order" in done.err


def test_a_filter_that_fits_says_nothing(plain):
    assert "-k" not in plain("run", "suite.py", "-k", "greet").err


def ids(done):
    return [attempt["id"] for attempt in json.loads(done.out)["attempts"]]


def test_a_filter_keeps_the_cases_whose_id_holds_the_text(plain):
    assert ids(plain("run", "suite.py", "--json", "-k", "greet")) == ["greeting"]
    assert ids(plain("run", "suite.py", "--json", "-k", "ORDER", "-k", "fare")) == ["farewell", "order"]


def test_a_limit_keeps_the_first_cases_of_what_the_filter_left(plain):
    assert ids(plain("run", "suite.py", "--json", "-n", "2")) == ["greeting", "farewell"]
    assert ids(plain("run", "suite.py", "--json", "--limit", "1", "-k", "r", "-k", "w")) == ["greeting"]
    assert ids(plain("run", "suite.py", "--json", "-n", "50")) == ["greeting", "farewell", "order"]


def test_repeat_runs_every_case_again(plain):
    done = plain("run", "suite.py", "--repeat", "3", "-j", "2")
    assert done.out.splitlines()[0] == "3 cases, 3 runs: 9/9 attempts passed (100%)"


@pytest.mark.parametrize(
    "arguments", [["--repeat", "0"], ["-j", "0"], ["-n", "-1"], ["--repeat", "x"], ["--no-such-option"], []]
)
def test_a_wrong_option_is_one_line_that_names_the_help(plain, arguments):
    suite = ["suite.py"] if arguments else []
    done = plain("run", *suite, *arguments)
    assert done.returncode == 2
    assert done.out == ""
    (line,) = done.err.splitlines()
    assert line.startswith("judgekit: ")
    assert line.endswith("See `judgekit run --help`.")


def test_an_unknown_command_is_one_line(plain):
    done = plain("runn", "suite.py")
    assert done.returncode == 2
    (line,) = done.err.splitlines()
    assert line.startswith("judgekit: No such command 'runn'.")
    assert line.endswith("See `judgekit --help`.")


def test_json_on_stdout_is_one_document_whatever_the_agent_prints(plain):  # CL03
    plain.write(
        "suite.py",
        plain.suite_text
        + "\nimport subprocess, sys\nprint('imported')\n"
        + "def agent(command):\n    print('asked')\n"
        + "    subprocess.run([sys.executable, '-c', 'print(1234)'])\n    return command\n"
        + "experiment = ExperimentRunner('t').cases(experiment_cases).agent(agent)\n",
    )
    done = plain("run", "suite.py", "--json")
    assert done.returncode == 0, done.err
    document = json.loads(done.out)
    assert document["format"] == "judgekit-report"
    assert [attempt["id"] for attempt in document["attempts"]] == ["greeting", "farewell", "order"]
    assert [done.err.count(printed) for printed in ("imported", "asked", "1234")] == [1, 3, 3]


def test_json_of_a_failed_gate_is_a_document_too(plain):
    plain.write("suite.py", plain.suite_text.replace('"7")', '"8")'))
    done = plain("run", "suite.py", "--json")
    assert done.returncode == 1
    assert json.loads(done.out)["gate"]["outcome"] == "fail"


def test_reports_are_written_in_the_format_of_their_suffix(plain):
    done = plain("run", "suite.py", "-o", "out/report.json", "-o", "report.txt")
    assert done.returncode == 0, done.err
    assert EvalReport.read(plain.folder / "out" / "report.json").passed
    assert (plain.folder / "report.txt").read_text(encoding="utf-8").strip() == done.out.strip()


def test_a_format_that_nobody_knows_is_refused_before_the_run(plain):
    done = plain("run", "suite.py", "-o", "report.docx")
    assert done.returncode == 2
    assert done.err.startswith("judgekit: ")
    assert ".json" in done.err
    assert ".docx" in done.err
    assert len(done.err.splitlines()) == 1
    assert not list(plain.folder.glob(".judgekit/runs/*"))


def test_a_report_that_cannot_be_written_is_refused_before_the_run(plain):
    plain.write("taken", "a file")
    done = plain("run", "suite.py", "-o", "taken/report.json")
    assert done.returncode == 2
    assert len(done.err.splitlines()) == 1
    assert "taken" in done.err
    assert not list(plain.folder.glob(".judgekit/runs/*"))


def test_every_problem_of_a_plan_is_a_line(judgekit):
    judgekit.write(
        "suite.py",
        """
        from judgekit import EvalCase, ExperimentRunner, Gate

        experiment = (
            ExperimentRunner("t")
            .cases([EvalCase("a", "x"), EvalCase("a", "y")])
            .agent(lambda command: command)
            .gate(Gate.pass_rate_should_be_at_least(1, of="polite"))
        )
        """,
    )
    done = judgekit("run", "suite.py")
    assert done.returncode == 2
    assert done.out == ""
    assert "Traceback" not in done.err
    lines = done.err.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("judgekit: ") for line in lines)
    assert any("'a'" in line for line in lines)
    assert any("polite" in line for line in lines)


def test_a_bug_of_judgekit_itself_keeps_its_traceback_and_is_no_failed_gate(plain):
    plain.write(
        "sitecustomize.py",
        "import judgekit.runner as r\n"
        "def broken(*args, **kwargs):\n    raise RuntimeError('a bug')\n"
        "r.ExperimentRunner.run = broken\n",
    )
    done = plain("run", "suite.py", PYTHONPATH=str(plain.folder))
    assert "Traceback" in done.err
    assert "RuntimeError: a bug" in done.err
    assert done.returncode == 3


TEXT = "é ✅ 漢"


def unicode_suite(judgekit):
    judgekit.write(
        "suite.py",
        f"""
        from judgekit import EvalCase, ExperimentRunner
        from judgekit.evaluators import reply_should_contain

        cases = [EvalCase("a", "{TEXT}", reply_should_contain("no"))]
        experiment = ExperimentRunner("t").cases(cases).agent(lambda command: command)
        """,
    )


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "POSIX", "LANG": "", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    ],
)
def test_a_c_locale_loses_no_character_of_stdout_or_files(judgekit, environment):  # RP09
    unicode_suite(judgekit)
    done = judgekit("run", "suite.py", "-o", "report.txt", "-o", "report.json", **environment)
    assert done.returncode == 1, done.err
    assert f"reply: {TEXT}" in done.out
    assert f"reply: {TEXT}" in (judgekit.folder / "report.txt").read_text(encoding="utf-8")
    assert (
        TEXT
        in json.loads((judgekit.folder / "report.json").read_bytes())["attempts"][0]["interaction"]["reply"]
    )
    assert TEXT in journal_of(judgekit.folder).read_text(encoding="utf-8")


def test_an_encoding_that_cannot_show_a_character_shows_an_escape(judgekit):
    unicode_suite(judgekit)
    done = subprocess.run(
        judgekit.command("run", "suite.py"),
        cwd=judgekit.folder,
        env=judgekit.environment(PYTHONIOENCODING="latin-1"),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    assert "reply: é \\u2705 \\u6f22".encode("latin-1") in done.stdout


def test_json_is_utf_8_in_any_locale(judgekit):
    unicode_suite(judgekit)
    done = judgekit("run", "suite.py", "--json", PYTHONIOENCODING="latin-1")
    assert json.loads(done.stdout.decode("utf-8"))["attempts"][0]["interaction"]["reply"] == TEXT


@pytest.mark.parametrize("arguments", [[], ["--json"]])
def test_a_reader_that_went_away_is_no_error(plain, arguments):
    read, write = os.pipe()
    os.close(read)
    command = plain.command("run", "suite.py", *arguments)
    done = subprocess.run(
        command, cwd=plain.folder, env=plain.environment(), stdout=write, stderr=subprocess.PIPE, check=False
    )
    os.close(write)
    assert done.stderr == b""
    assert done.returncode == 0


@pytest.mark.parametrize("arguments", ["", "--json"])
def test_closed_streams_are_no_error(plain, arguments):
    command = " ".join(plain.command("run", "suite.py", arguments))
    for closed in (">&-", "2>&-", ">&- 2>&- <&-"):
        done = subprocess.run(
            ["sh", "-c", f"exec {command} {closed}"],
            cwd=plain.folder,
            env=plain.environment(),
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, (closed, done.stderr)
        assert done.stderr == b""


def on_a_terminal(judgekit, *arguments, **environment):
    """What the command writes on a stderr that is a terminal, and on a stdout that is none."""
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        judgekit.command(*arguments),
        cwd=judgekit.folder,
        env=judgekit.environment(TERM="xterm", **environment),
        stdout=subprocess.PIPE,
        stderr=terminal,
    )
    os.close(terminal)
    seen = b""
    while True:
        try:
            ready, _, _ = select.select([controller], [], [], 60)
            data = os.read(controller, 65536) if ready else b""
        except OSError:
            break
        if not data:
            break
        seen += data
    out, _ = process.communicate(timeout=60)
    os.close(controller)
    return process.returncode, out.decode(), seen.decode("utf-8")


def test_progress_is_shown_on_a_terminal_and_never_on_stdout(plain):
    code, out, seen = on_a_terminal(plain, "run", "suite.py", "--json")
    assert code == 0
    assert len(json.loads(out)["attempts"]) == 3
    assert "3/3" in seen


def test_progress_without_colours_where_nobody_wants_them(plain):
    _, _, seen = on_a_terminal(plain, "run", "suite.py", NO_COLOR="1")
    assert "3/3" in seen
    assert "\x1b[3" not in seen.replace("\x1b[3D", "")


def test_a_narrow_terminal_is_enough(plain):
    done = plain("run", "--help", COLUMNS="60")
    assert done.returncode == 0
    assert max(map(len, done.out.splitlines())) <= 60
    code, _, seen = on_a_terminal(plain, "run", "suite.py", COLUMNS="60")
    assert code == 0
    assert "3/3" in seen


SLOW = """
import os, time
from pathlib import Path
from judgekit import EvalCase, ExperimentRunner
from judgekit.evaluators import reply_should_contain

def agent(command):
    with open("called.txt", "a") as file:
        file.write(command + "\\n")
    time.sleep(0 if Path("fast").exists() or command == "0" else 30)
    return command

experiment = (
    ExperimentRunner("slow")
    .cases([EvalCase(f"c{n}", f"{n}", reply_should_contain(f"{n}")) for n in range(4)])
    .agent(agent)
    .concurrency(1)
)
"""


def wait_for(condition, process):
    for _ in range(600):
        if condition():
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    raise AssertionError("it never happened")


def interrupted(judgekit, *arguments):
    """Start the slow suite, wait until its first case is in the journal, and press Ctrl-C."""
    judgekit.write("suite.py", SLOW)
    process = subprocess.Popen(
        judgekit.command("run", "suite.py", *arguments),
        cwd=judgekit.folder,
        env=judgekit.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    called = judgekit.folder / "called.txt"
    wait_for(lambda: called.exists() and called.read_text().split() == ["0", "1"], process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_ctrl_c_is_130_and_the_journal_resumes(judgekit):
    code, out, err = interrupted(judgekit)
    assert code == 130
    assert out == ""
    assert "Traceback" not in err
    journal = journal_of(judgekit.folder)
    line = err.splitlines()[-1]
    assert line.startswith("judgekit: interrupted; go on with --resume ")
    path = line.partition("--resume ")[2]
    assert (judgekit.folder / path).resolve() == journal.parent.resolve()
    assert [attempt["id"] for attempt in attempts_in(journal)] == ["c0"]

    judgekit.write("fast", "")
    done = judgekit("run", "suite.py", "--resume", path)
    assert done.returncode == 0, done.err
    assert done.out.splitlines()[0] == "4 cases, 1 run: 4/4 attempts passed (100%)"
    called = (judgekit.folder / "called.txt").read_text().split()
    assert called == ["0", "1", "1", "2", "3"]


def test_ctrl_c_with_json_writes_no_document(judgekit):
    code, out, _ = interrupted(judgekit, "--json")
    assert code == 130
    assert out == ""


def test_ctrl_c_while_the_suite_is_imported_is_130(judgekit):
    judgekit.write("suite.py", "import time\nopen('here', 'w').close()\ntime.sleep(30)\n")
    process = subprocess.Popen(
        judgekit.command("run", "suite.py"), cwd=judgekit.folder, stderr=subprocess.PIPE, text=True
    )
    wait_for((judgekit.folder / "here").exists, process)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.strip() == "judgekit: interrupted"


def test_a_finished_run_resumes_without_calling_the_agent(plain):
    assert plain("run", "suite.py").returncode == 0
    run = journal_of(plain.folder).parent
    plain.write("suite.py", plain.suite_text)
    done = plain("run", "suite.py", "--resume", run)
    assert done.returncode == 0, done.err
    assert done.out.splitlines()[0] == "3 cases, 1 run: 3/3 attempts passed (100%)"


def test_a_torn_line_of_a_journal_is_one_line_of_warning_and_its_attempt_is_made_again(plain):
    assert plain("run", "suite.py").returncode == 0
    journal = journal_of(plain.folder)
    head, *attempts, _tail = journal.read_text(encoding="utf-8").splitlines(keepends=True)
    journal.write_text(head + "".join(attempts)[:-20], encoding="utf-8")
    done = plain("run", "suite.py", "--resume", journal.parent)
    assert done.returncode == 0, done.err
    assert "3/3 attempts passed" in done.out
    (line,) = done.err.splitlines()
    assert line.startswith("judgekit: warning: ")
    assert "journal.jsonl" in line


def test_a_journal_of_another_plan_is_refused_in_one_line(plain):
    assert plain("run", "suite.py").returncode == 0
    done = plain("run", "suite.py", "-n", "2", "--resume", journal_of(plain.folder).parent)
    assert done.returncode == 2
    assert len(done.err.splitlines()) == 1
    assert "another plan" in done.err


@pytest.mark.parametrize("content", [None, "", "not a journal\n", "{}\n"])
def test_a_journal_that_is_none_is_one_line(plain, content):
    if content is not None:
        plain.write("old/journal.jsonl", content)
    done = plain("run", "suite.py", "--resume", "old")
    assert done.returncode == 2
    assert done.out == ""
    assert len(done.err.splitlines()) == 1
    assert "old" in done.err


def test_a_run_folder_that_cannot_be_made_is_one_line(plain):
    plain.write(".judgekit", "in the way")
    done = plain("run", "suite.py")
    assert done.returncode == 2
    assert len(done.err.splitlines()) == 1
    assert ".judgekit" in done.err


def test_the_help_has_an_example_and_the_exit_codes(plain):
    shown = plain("run", "--help").out
    assert "judgekit run examples/order_agent/suite.py" in shown
    assert "130 interrupted" in " ".join(plain("--help").out.split())


def test_no_summary_of_a_command_is_cut_off(plain):
    _, found, listed = plain("--help").out.partition("Commands:")
    assert found
    assert "..." not in listed


def test_the_command_alone_shows_its_help_and_is_wrong_use(plain):
    done = plain()
    assert done.returncode == 2
    assert "Usage: judgekit" in done.err


def test_the_version_is_shown(plain):
    assert plain("--version").out.startswith("judgekit 0.")


def test_litellm_is_told_to_stay_offline_unless_the_user_decided_otherwise(judgekit):
    judgekit.write(
        "suite.py",
        """
        import os
        from judgekit import EvalCase, ExperimentRunner

        print(os.environ["LITELLM_LOCAL_MODEL_COST_MAP"], os.environ["LITELLM_MODE"])
        experiment = ExperimentRunner("t").cases([EvalCase("a", "hi")]).agent(lambda command: command)
        """,
    )
    assert judgekit("run", "suite.py").out.splitlines()[0] == "True PRODUCTION"
    mine = judgekit("run", "suite.py", LITELLM_MODE="DEV", LITELLM_LOCAL_MODEL_COST_MAP="False")
    assert mine.out.splitlines()[0] == "False DEV"


def test_a_cost_limit_from_outside_ends_the_run_inconclusive(judgekit):
    judgekit.write(
        "suite.py",
        """
        from judgekit import EvalCase, ExperimentRunner, Interaction

        cases = [EvalCase(f"c{number}", "hi") for number in range(5)]
        paid = lambda command: Interaction(reply="hello", cost=0.5)
        experiment = ExperimentRunner("t").cases(cases).agent(paid, name="paid").concurrency(1)
        """,
    )
    assert judgekit("run", "suite.py").returncode == 0
    done = judgekit("run", "suite.py", "--max-cost", "1.5")
    assert done.returncode == 3
    assert "2 missing (budget spent 2)" in done.out
    wrong = judgekit("run", "suite.py", "--max-cost", "nan")
    assert (wrong.returncode, wrong.out) == (2, "")
    assert "`max_cost` must be a finite number of dollars >= 0, got nan" in wrong.err


def test_a_judge_without_a_price_is_refused_under_a_limit_from_outside(judgekit):
    # BG03
    judgekit.write(
        "suite.py",
        """
        from judgekit import EvalCase, ExperimentRunner, Judge

        cases = [EvalCase("a", "hi", Judge("openai/house-7").should_satisfy("kind"))]
        experiment = ExperimentRunner("t").cases(cases).agent(lambda command: command)
        """,
    )
    done = judgekit("run", "suite.py", "--max-cost", "1", LITELLM_LOCAL_MODEL_COST_MAP="True")
    assert done.returncode == 2
    assert "no price is known for openai/house-7, so max_cost cannot hold" in done.err


DEV_FULL = Path("/dev/full")


@pytest.mark.skipif(not DEV_FULL.exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_stdout_that_is_full_is_one_line(plain, options):
    with DEV_FULL.open("w") as full:
        done = subprocess.run(
            plain.command("run", "suite.py", *options),
            cwd=plain.folder,
            env=plain.environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == "judgekit: stdout cannot be written: No space left on device\n"


def run_with_small_files(judgekit, most_bytes):
    import resource  # there is none on Windows

    return subprocess.run(
        judgekit.command("run", "suite.py", "-j", "1"),
        cwd=judgekit.folder,
        env=judgekit.environment(PYTHONDONTWRITEBYTECODE="1"),
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes)),
    )


@pytest.mark.parametrize("most_bytes", [700, 1200])
def test_a_disk_that_is_full_is_one_line_and_the_run_goes_on_when_there_is_room(plain, most_bytes):
    done = run_with_small_files(plain, most_bytes)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    journal = journal_of(plain.folder)
    assert journal.parent.name in line
    assert line.endswith(": File too large")
    assert plain("run", "suite.py", "--resume", str(journal.parent)).returncode == 0
    assert len(attempts_in(journal)) == 3


def test_a_run_that_cannot_begin_leaves_no_folder(plain):
    done = run_with_small_files(plain, 10)
    assert done.returncode == 2
    assert "the run cannot be written to .judgekit/runs" in done.stderr
    assert list((plain.folder / ".judgekit" / "runs").iterdir()) == []
