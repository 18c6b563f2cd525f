"""JUnit XML: what continuous integration reads of a report."""

from xml.etree import ElementTree

import pytest
from junitparser import JUnitXml

from judgekit.evaluation import EvalResult, Kind, Outcome
from judgekit.interaction import Interaction
from judgekit.results import CaseResult

PASSED = EvalResult(Outcome.PASS, label="tools")
FAILED = EvalResult(Outcome.FAIL, "never called [x]; called no tools", label="tools")
MISSING = EvalResult(Outcome.INCONCLUSIVE, "x", Kind.JUDGE_FAILED, "judge", "polite", cause="rate limited")
NO_EVIDENCE = EvalResult(Outcome.INCONCLUSIVE, "no trace", Kind.NO_EVIDENCE, "token-budget")
NOT_RUN = EvalResult(Outcome.INCONCLUSIVE, "", Kind.NOT_RUN, "tools")


def attempt(case_id, *results, run=1, **evidence):
    return CaseResult(case_id, run, Interaction(**evidence), results)


def suite_of(report):
    root = ElementTree.fromstring(report.render("junit").encode())
    (suite,) = root
    assert root.tag == "testsuites"
    return suite


def test_the_totals_fit_the_results(make_report):  # RP07
    root = ElementTree.fromstring(
        make_report([attempt("a", PASSED), attempt("b", FAILED), attempt("c", MISSING)]).render("junit")
    )
    for element in (root, root[0]):
        totals = {name: element.get(name) for name in ("tests", "failures", "errors", "skipped")}
        assert totals == {"tests": "3", "failures": "1", "errors": "1", "skipped": "0"}
    assert root.find("testsuite/testcase[@classname='c']/error").get("type") == "judge failed: rate limited"


def test_an_attempt_has_one_testcase_for_each_group_of_results(make_report):
    twice = attempt("a", PASSED, FAILED, FAILED, MISSING, run=2, latency=1.5)
    suite = suite_of(make_report([attempt("a", PASSED, latency=0.25), twice], runs=2))
    cases = suite.findall("testcase")
    assert [(case.get("classname"), case.get("name"), case.get("time")) for case in cases] == [
        ("a", "tools (run 1)", "0.25"),
        ("a", "tools (run 2)", "1.5"),
        ("a", "judge: polite (run 2)", "0.0"),
    ]
    assert suite.get("failures") == "1"
    assert suite.get("time") == "1.75"
    assert cases[1].find("failure").text == "\n".join([FAILED.detail] * 2)
    assert cases[1].find("failure").get("message") == f"FAIL tools: {FAILED.detail}"


def test_a_testcase_that_did_not_pass_tells_what_the_agent_did(make_report):
    one = attempt("a", FAILED, PASSED.__class__.passed(), reply="No idea.")
    suite = suite_of(make_report([one]))
    assert suite.find("testcase/system-out").text == one.describe()
    assert len(suite.findall("testcase/system-out")) == 1


@pytest.mark.parametrize(
    ("results", "tag"),
    [
        ([PASSED], None),
        ([NO_EVIDENCE], "error"),
        ([PASSED, NO_EVIDENCE.__class__(Outcome.INCONCLUSIVE, "x", Kind.TIME_LIMIT, "tools")], "error"),
        ([NOT_RUN], "skipped"),
        ([], "skipped"),
        ([MISSING, FAILED.__class__(Outcome.FAIL, "no", label="judge", name="polite")], "failure"),
    ],
)
def test_what_could_not_be_decided_is_an_error_and_what_never_ran_is_skipped(make_report, results, tag):
    (case,) = suite_of(make_report([attempt("a", *results)])).findall("testcase")
    assert [child.tag for child in case if child.tag != "system-out"] == ([tag] if tag else [])


def test_properties_stand_before_the_testcases_and_tell_the_gate(make_report):
    suite = suite_of(make_report([attempt("a", FAILED), attempt("b", PASSED)]))
    assert [child.tag for child in suite] == ["properties", "testcase", "testcase"]
    told = {entry.get("name"): entry.get("value") for entry in suite.find("properties")}
    assert told == {
        "gate": "fail",
        "gate.detail": "failed cases [a (run 1)]",
        "cases": "2",
        "attempts": "2",
        "pass_rate": "0.5000",
        "passed.tools": "1/2",
    }


def test_escape_and_nul_characters_are_written_out(make_report, tmp_path):  # RP03
    reason = EvalResult(Outcome.FAIL, "red \x1b[31mX\x00 end \ud800 \ufffe", label="tools")
    path = make_report([attempt("a\x00b", reason, reply="\x1b]0;owned\x07")]).write(tmp_path / "out.xml")
    parsed = JUnitXml.fromfile(str(path))
    (case,) = next(iter(parsed))
    (failure,) = case.result
    assert failure.text == r"red \x1b[31mX\x00 end \ud800 \ufffe"
    assert case.classname == r"a\x00b"
    assert r"reply: \x1b]0;owned\x07" in case.system_out


def test_ids_appear_as_typed(make_report):  # IN07
    ids = ["../../evil", "a:b", "CON", "x/y"]
    cases = suite_of(make_report([attempt(one, PASSED) for one in ids])).findall("testcase")
    assert [case.get("classname") for case in cases] == ids


def test_hostile_text_parses_and_is_shown(hostile_report, hostile_texts):
    suite = suite_of(hostile_report)
    assert {child.tag for child in suite.iter()} <= {
        "testsuite", "properties", "property", "testcase", "failure", "error", "system-out"
    }  # fmt: skip
    cases = suite.findall("testcase")
    assert len(cases) == 6 * len(hostile_texts)
    assert (suite.get("failures"), suite.get("errors")) == ("40", "80")
    for number in range(len(hostile_texts)):
        own = [case for case in cases if f"mark-{number}" in case.get("classname").split(" ")]
        assert len(own) == 6
        assert all(f"mark-{number}" in case.get("name") for case in own)
        assert all(f"mark-{number}" in case[0].text for case in own if len(case))
