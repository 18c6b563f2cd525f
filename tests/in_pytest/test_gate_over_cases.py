"""Cases as tests, with one gate over all of them, however they are distributed and ordered."""

import json
import xml.etree.ElementTree as ET

import pytest

from judgekit.reporting import EvalReport

SHUFFLED = """
import random


def pytest_collection_modifyitems(items):
    random.Random(7).shuffle(items)
"""

TABLE = [
    "test_desk.py::test_desk: 4 cases, 1 run: 3/4 attempts passed (75%), 95% interval 0.30 to 0.95",
    "  gate: passed — polite rate 0.75 over 4 judged attempts, required 0.70",
    "    reply-contains 4/4, 95% interval 0.51 to 1.00",
    "    judge 3/4, 95% interval 0.30 to 0.95",
    "      polite 3/4, 95% interval 0.30 to 0.95",
]


def test_the_gate_decides_over_all_cases_and_the_summary_says_so(desk):
    done = desk()
    assert done.returncode == 0, done.stdout
    assert done.section[:5] == TABLE
    assert done.section[5].startswith("  judges: 4 verdicts, 4 asked")
    assert len(done.section) == 6
    assert "3 passed, 1 xfailed" in done.stdout


def test_a_failed_gate_fails_a_session_of_passing_tests(desk):
    desk.write("test_desk.py", (desk.folder / "test_desk.py").read_text().replace("0.7", "0.8"))
    done = desk()
    assert done.returncode == 1
    assert "3 passed, 1 xfailed" in done.stdout
    assert done.section[1] == "  gate: FAILED — polite rate 0.75 over 4 judged attempts, required 0.80"


def test_without_a_gate_every_test_passes_or_fails_by_itself(desk):
    text = (desk.folder / "test_desk.py").read_text()
    desk.write("test_desk.py", text.replace(', gate=Gate.pass_rate_should_be_at_least(0.7, of="polite")', ""))
    done = desk()
    assert done.returncode == 1
    assert "3 passed" in done.stdout
    assert "1 failed" in done.stdout
    assert "FAIL judge: polite: scored 0.10, needed 0.50" in done.stdout
    assert done.section[1] == "  gate: FAILED — failed cases [third (run 1)]"


def junit(path):
    """What a JUnit file says, without times, in the order of names."""
    found = []
    for case in ET.parse(path).getroot().iter("testcase"):
        properties = [json.loads(one.get("value")) for one in case.iter("property")]
        outcome = [(child.tag, child.get("message")) for child in case if child.tag != "properties"]
        found.append((case.get("classname"), case.get("name"), properties, outcome))
    return sorted(found, key=lambda entry: entry[1])


@pytest.mark.parametrize("rate", ["0.7", "0.8"])
def test_workers_and_order_change_nothing(desk, rate):  # CL07
    text = (desk.folder / "test_desk.py").read_text()
    desk.write("test_desk.py", text.replace("0.7", rate))
    seen = []
    for number, arguments in enumerate((["-n0"], ["-n2"], ["-n0", "shuffled"], ["-n2", "shuffled"])):
        shuffled = arguments.pop() == "shuffled" if len(arguments) > 1 else False
        desk.write("conftest.py", SHUFFLED if shuffled else "")
        files = f"junit{number}.xml", f"report{number}.json"
        done = desk(*arguments, f"--junitxml={files[0]}", f"--judgekit-report={files[1]}")
        assert done.section[-1] == f"written to {files[1]}"
        report = EvalReport.read(desk.folder / files[1])
        said = report.decision, report.results
        seen.append((done.returncode, done.section[:-1], junit(desk.folder / files[0]), said))
    assert len(seen[0][2]) == 4
    assert all(len(properties) == 1 for _, _, properties, _ in seen[0][2])
    for other in seen[1:]:
        assert other == seen[0]


def test_last_failed_merges_the_results_of_what_did_not_run(desk):
    text = (desk.folder / "test_desk.py").read_text().replace("0.7", "0.8")
    desk.write("test_desk.py", text)
    assert desk().returncode == 1
    again = desk("--lf")
    assert again.returncode == 1
    assert "run-last-failure: rerun previous 1 failure" in again.stdout
    assert "1 xfailed" in again.stdout
    assert again.section[0].startswith("test_desk.py::test_desk: 4 cases, 1 run: 3/4 attempts passed")
    assert again.section[2] == "  3 results of the previous run merged, of cases that did not run now"

    desk.write("test_desk.py", text.replace('"three curt"', '"three kind"'))
    mended = desk("--lf")
    assert mended.returncode == 0
    assert mended.section[1] == "  gate: passed — polite rate 1.00 over 4 judged attempts, required 0.80"
    assert mended.section[2] == "  3 results of the previous run merged, of cases that did not run now"


def test_results_of_other_cases_are_never_merged(desk):
    text = (desk.folder / "test_desk.py").read_text().replace("0.7", "0.8")
    desk.write("test_desk.py", text)
    desk()
    desk.write("test_desk.py", text.replace('"first"', '"other"'))
    done = desk("--lf")
    assert "  results of the previous run are of other cases, so none is merged" in done.section
    assert "  3 of 4 tests did not run" in done.section


def test_a_selection_is_decided_over_what_ran_and_says_so(desk):
    desk()
    done = desk("-k", "first or third")
    assert done.returncode == 1
    assert done.section[1] == "  gate: FAILED — polite rate 0.50 over 2 judged attempts, required 0.70"
    assert done.section[2] == "  2 of 4 tests did not run"


def test_a_project_without_a_cache_works(desk):
    assert desk("-p", "no:cacheprovider").section[:5] == TABLE


def test_repeats_are_runs_of_a_case(desk):
    text = (desk.folder / "test_desk.py").read_text().replace('of="polite"))', 'of="polite"), repeat=2)')
    desk.write("test_desk.py", text)
    done = desk("-n2")
    assert done.section[0].startswith("test_desk.py::test_desk: 4 cases, 2 runs: 6/8 attempts passed (75%)")
    assert "test_desk[third-run2]" in desk("-rx").stdout


def test_an_agent_is_asked_and_its_failure_is_a_failure(desk):
    text = (desk.folder / "test_desk.py").read_text()
    text = text.replace("judged.answer(agent(case.command))", "judged.ask(agent)")
    text = text.replace(
        '    return f"', '    if "four" in command:\n        raise ValueError("no answer")\n    return f"'
    )
    desk.write("test_desk.py", text)
    done = desk("-rx")
    assert done.section[0].startswith("test_desk.py::test_desk: 4 cases, 1 run: 2/4 attempts passed")
    assert "XFAIL test_desk.py::test_desk[fourth] - fail, the gate decides: target: ValueError" in done.stdout


def test_rows_of_a_file_beside_the_test_are_cases(project):
    project.write("rows.csv", "id,asked,reply\na,hi,hello you\nb,bye,see you\n")
    (project.folder / "sub").mkdir()
    project.write(
        "test_rows.py",
        """
        import judgekit
        from judgekit.evaluators import reply_should_contain

        @judgekit.cases("rows.csv", id="id", evaluators=[reply_should_contain("you")])
        def test_recorded(case, judged):
            assert judged.recorded().passed

        @judgekit.cases([{"asked": "x"}, {"asked": "y"}], evaluators=[reply_should_contain("z")])
        def test_asked(case, judged):
            judged.ask(lambda command: command + "z")
        """,
    )
    done = project("-v", "--rootdir", str(project.folder))
    assert done.returncode == 0, done.stdout
    for node in ("test_recorded[a]", "test_recorded[b]", "test_asked[row-1]", "test_asked[row-2]"):
        assert f"{node} PASSED" in done.stdout
    assert done.section[0].startswith("test_rows.py::test_asked: 2 cases")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("[]", "write @judgekit.cases([EvalCase(...), ...])"),
        ("[1]", "write @judgekit.cases([EvalCase(...), ...])"),
        ("'nothing.csv'", "there is no such file"),
        ("[EvalCase('a', 'x'), EvalCase('a', 'y')]", "the case id 'a' is used twice"),
        ("CASES, gate=Gate.pass_rate_should_be_at_least(1, of='rude')", "names no evaluator of any case"),
        ("CASES, repeat=0", "`repeat` must be a whole number >= 1"),
    ],
)
def test_cases_that_cannot_be_are_refused_when_they_are_collected(desk, wrong, said):
    text = (desk.folder / "test_desk.py").read_text()
    start, end = text.index("@judgekit.cases("), text.index("\ndef test_desk")
    desk.write("test_desk.py", f"{text[:start]}@judgekit.cases({wrong}){text[end:]}")
    done = desk()
    assert done.returncode == 2
    assert said in done.stdout
    assert done.section is None
