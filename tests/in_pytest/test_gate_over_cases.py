"""Cases as tests, with one gate over all of them, however they are distributed and ordered."""

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

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


TWO = """
import pytest
from test_desk import CASES, agent, judgekit, Gate


class Mood:
    def __init__(self, text):
        self.text = text


@pytest.mark.parametrize("mood", [Mood("calm"), Mood("curt")])
@judgekit.cases(CASES, gate=Gate.pass_rate_should_be_at_least(0.7, of="polite"))
def test_below(mood, case, judged):
    assert judged.answer(f"{case.command} {mood.text}").case_id == case.id


@judgekit.cases(CASES, gate=Gate.pass_rate_should_be_at_least(0.7, of="polite"), repeat=2)
@pytest.mark.parametrize("tone, mood", [("a", Mood("calm")), ("b", Mood("kind"))])
def test_above(mood, tone, case, judged):
    assert judged.answer(f"{case.command} {mood.text}").case_id == case.id
"""


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_other_parameters_make_groups_of_their_own(desk, workers):
    desk.write("test_two.py", TWO)
    done = desk("test_two.py", workers, "--deselect", "test_desk.py")
    heads = [line for line in done.section if not line.startswith(" ")]
    assert [head.partition(",")[0] for head in heads] == [
        "test_two.py::test_above[a-mood0]: 4 cases",
        "test_two.py::test_above[b-mood1]: 4 cases",
        "test_two.py::test_below[mood0]: 4 cases",
        "test_two.py::test_below[mood1]: 4 cases",
    ]
    passed = [re.search(r"runs?: (\d/\d)", head)[1] for head in heads]
    assert passed == ["6/8", "6/8", "3/4", "0/4"]
    assert done.returncode == 1


def test_a_folder_with_brackets_does_not_mix_its_files(desk):
    text = (desk.folder / "test_desk.py").read_text()
    (desk.folder / "tests[1]").mkdir()
    for name in ("test_one.py", "test_other.py"):
        desk.write(f"tests[1]/{name}", text)
    done = desk("-n0")
    heads = [line.partition(": ")[0] for line in done.section if not line.startswith(" ")]
    assert heads == [
        f"{file}::test_desk" for file in ("test_desk.py", "tests[1]/test_one.py", "tests[1]/test_other.py")
    ]


def test_a_test_that_judges_nothing_fails(desk):
    text = (desk.folder / "test_desk.py").read_text()
    desk.write("test_desk.py", text.replace("judged.answer(agent(case.command))", "pass"))
    done = desk()
    assert done.returncode == 1
    assert "4 failed" in done.stdout
    assert "judged nothing; write judged.ask(agent)" in done.stdout
    assert done.section is None
    desk.write(
        "test_desk.py",
        text.replace("    judged.answer(", "    import pytest; pytest.skip('later')\n    judged.answer("),
    )
    assert "4 skipped" in desk().stdout


def test_a_case_is_judged_once_in_a_test(desk):
    text = (desk.folder / "test_desk.py").read_text()
    once = "    judged.answer(agent(case.command))\n"
    desk.write("test_desk.py", text.replace(once, once * 2))
    done = desk()
    assert done.returncode == 1
    assert "this test has judged its case already; for several answers write repeat=2" in done.stdout
    assert done.section[5].startswith("  judges: 4 verdicts, 4 asked")


@pytest.mark.parametrize(
    "kept",
    [
        "[]",
        "null",
        '{"test_desk.py::test_desk": 5}',
        '{"test_desk.py::test_desk": {"identity": "IDENTITY"}}',
        '{"test_desk.py::test_desk": {"identity": "IDENTITY", "attempts": [[0]]}}',
        '{"test_desk.py::test_desk": {"identity": "IDENTITY", "attempts": [[0, 1, {}]]}}',
        '{"test_desk.py::test_desk": {"identity": "IDENTITY", "attempts": [["a", 1, {}]]}}',
        "{",
    ],
)
def test_kept_results_that_cannot_be_read_are_left_out(desk, kept):
    desk.write("test_desk.py", (desk.folder / "test_desk.py").read_text().replace("0.7", "0.8"))
    desk()
    file = desk.folder / ".pytest_cache/v/judgekit/attempts"
    identity = json.loads(json.loads(file.read_text()))["test_desk.py::test_desk"]["identity"]
    file.write_text(json.dumps(kept.replace("IDENTITY", identity)))
    done = desk("--lf")
    assert done.returncode == 1
    assert "  3 of 4 tests did not run" in done.section
    unreadable = "  results of the previous run cannot be read, so none is merged" in done.section
    assert unreadable == kept.startswith('{"test_desk')
    assert len(json.loads(json.loads(file.read_text()))["test_desk.py::test_desk"]["attempts"]) == 1


HOSTILE = """
import json
from pathlib import Path
from test_desk import Gate, judgekit, polite
from judgekit import EvalCase

texts = json.loads(Path(TEXTS).read_text(encoding="utf-8"))


@judgekit.cases(
    [EvalCase(f"{text} mark-{n}", f"curt {text}", polite, tags=[text]) for n, text in enumerate(texts)],
    gate=Gate.pass_rate_should_be_at_least(0.7),
)
def test_hostile(case, judged):
    judged.answer(case.command)
"""


def test_hostile_text_ends_no_session_and_reaches_no_terminal(desk):  # RP03, RP06
    texts = Path(__file__).parents[1] / "hostile_texts.json"
    desk.write("test_hostile.py", HOSTILE.replace("TEXTS", repr(str(texts))))
    number = len(json.loads(texts.read_text(encoding="utf-8")))
    for arguments in (["-n2", "-rA"], ["--lf"]):
        done = desk("test_hostile.py", *arguments, "--junitxml=junit.xml", "--judgekit-report=all.html")
        assert done.returncode == 1
        assert f"{number} xfailed" in done.stdout
        assert done.section[0].startswith(f"test_hostile.py::test_hostile: {number} cases, 1 run")
        assert done.section[-1] == "written to all.html"
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", done.stdout)
        assert len(list(ET.parse(desk.folder / "junit.xml").getroot().iter("testcase"))) == number


RERUN = """
import json, sys


def pytest_runtest_protocol(item, nextitem):
    from _pytest.runner import runtestprotocol

    for _ in range(2):
        for report in runtestprotocol(item, nextitem=nextitem, log=False):
            item.ihook.pytest_runtest_logreport(report=report)
    return True
"""


def test_the_last_of_several_tries_of_a_test_counts(project):
    project.write("conftest.py", RERUN)
    project.write(
        "test_flaky.py",
        """
        from judgekit import EvalCase, ExperimentRunner
        from judgekit.evaluators import reply_should_contain

        tries = []

        def test_flaky(judged):
            tries.append(1)
            case = EvalCase("a", "x", reply_should_contain("2"))
            plan = ExperimentRunner("x").without_report_file().cases(case)
            judged(plan.agent(lambda _: f"{len(tries)}").run())
        """,
    )
    done = project()
    assert "1 failed, 1 passed" in done.stdout
    heads = [line for line in done.section if not line.startswith(" ")]
    assert heads == [
        "test_flaky.py::test_flaky: 1 case, 1 run: 1/1 attempt passed (100%), 95% interval 0.21 to 1.00"
    ]


TAGGED = """
from test_desk import CASES, EvalCase, agent, judgekit, Gate

TAGS = {"first": ["must_pass"], "third": ["core"]}
TAGGED = [EvalCase(one.id, one.command, one.evaluators, tags=TAGS.get(one.id, ())) for one in CASES]
GATE = Gate.cases_should_pass(tagged="must_pass") & Gate.pass_hat_k_should_be_at_least(0.7, k=2)


@judgekit.cases(TAGGED, gate=GATE, repeat=2)
def test_tagged(case, judged):
    judged.answer(agent(case.command))
"""


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_gate_on_tagged_cases_and_on_tries_decides_over_all_tests(desk, workers):
    desk.write("test_tagged.py", TAGGED)
    done = desk("test_tagged.py", workers, "--deselect", "test_desk.py")
    assert done.returncode == 0, done.stdout
    assert done.section[1] == (
        "  gate: passed — all 1 case tagged must_pass passed in every run; "
        "pass^2 0.75 over 8 attempts (4 cases, 2 runs), required 0.70"
    )
    assert "    pass^2 0.75, 95% interval 0.30 to 0.95" in done.section


def test_a_gate_that_asks_for_more_runs_than_there_are_is_refused_when_it_is_collected(desk):
    desk.write("test_tagged.py", TAGGED.replace("repeat=2", "repeat=1"))
    done = desk("test_tagged.py")
    assert done.returncode == 2
    assert "pass^2 needs 2 runs of every case, and a case has 1 run" in done.stdout
