"""Regular expressions over the reply."""

import re
import subprocess
import sys
import threading

import pytest
import regex

from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalCase, Kind, Outcome
from judgekit.evaluators import reply_should_match, reply_should_not_match
from judgekit.evaluators.evidence import PASSED
from judgekit.interaction import Interaction
from judgekit.runner import ExperimentRunner

CASE = EvalCase("c", "go")
SLOW = r"(a|aa)+$"
SLOW_REPLY = "a" * 60 + "b"


def check(evaluator, reply):
    return evaluator.evaluate(CASE, Interaction(reply=reply))


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        # TX08
        ("EUR", True),
        ("Total:.*EUR", True),
        ("(?s)Total:.*EUR", True),
        (re.compile("EUR"), True),
        (re.compile("Total:.*EUR"), False),
        (re.compile("(?s)Total:.*EUR"), True),
        (re.compile("total", re.IGNORECASE), True),
        (re.compile("^12 EUR$", re.MULTILINE), True),
        (re.compile("12  EUR # spaces do not count", re.VERBOSE), False),
        (re.compile(r"12\ EUR # spaces do not count", re.VERBOSE), True),
        (regex.compile("Total:.*EUR"), False),
        ("total", False),
        ("(?i)total", True),
        (r"\d++ EUR", True),
    ],
)
def test_a_pattern_is_searched_anywhere_with_the_flags_it_has(pattern, found):
    reply = "Total:\n12 EUR"
    assert (check(reply_should_match(pattern), reply) is PASSED) is found
    assert (check(reply_should_not_match(pattern), reply) is PASSED) is not found


def test_a_failure_shows_the_pattern_and_what_it_found_first():
    missed = check(reply_should_match(r"o_\d+"), "none")
    assert (missed.outcome, missed.detail) == (Outcome.FAIL, r"reply does not match /o_\d+/")
    found = check(reply_should_not_match(r"o_\d+"), "orders o_42 and o_43")
    assert (found.outcome, found.detail) == (Outcome.FAIL, r'reply matches /o_\d+/ at "o_42"')


def test_control_characters_in_what_was_found_are_written_out():
    assert check(reply_should_not_match("a.b"), "a\x1bb").detail == r'reply matches /a.b/ at "a\x1bb"'


@pytest.mark.parametrize("build", [reply_should_match, reply_should_not_match])
def test_no_reply_is_inconclusive(build):
    assert check(build("x"), None).outcome is Outcome.INCONCLUSIVE


@pytest.mark.parametrize("build", [reply_should_match, reply_should_not_match])
def test_past_the_time_limit_the_result_is_a_missing_measurement_and_the_process_goes_on(build):
    # TX06
    evaluator = build(SLOW, time_limit=0.05)
    result = check(evaluator, SLOW_REPLY)
    assert (result.outcome, result.kind) == (Outcome.INCONCLUSIVE, Kind.TIME_LIMIT)
    assert result.is_missing
    assert result.detail == f"/{SLOW}/ took longer than 0.05 s on this reply"
    assert check(evaluator, "b").kind is None


def test_other_cases_still_run_after_a_pattern_past_its_limit():
    # TX06
    slow = EvalCase("slow", SLOW_REPLY, reply_should_match(SLOW, time_limit=0.05))
    other = EvalCase("other", "fine", reply_should_match("fine"))
    plan = ExperimentRunner("limits").cases([slow, other]).agent(lambda command: command)
    report = plan.without_report_file().run()
    assert [attempt.outcome for attempt in report.results] == [Outcome.INCONCLUSIVE, Outcome.PASS]


def test_a_compiled_pattern_runs_under_the_time_limit_too():
    result = check(reply_should_match(re.compile(SLOW), time_limit=0.05), SLOW_REPLY)
    assert result.kind is Kind.TIME_LIMIT


def test_a_nested_quantifier_ends_within_the_default_limit():
    # TX06
    result = check(reply_should_match(r"(x+x+)+y"), "x" * 40)
    assert result.outcome is Outcome.FAIL or result.kind is Kind.TIME_LIMIT


def test_one_evaluator_serves_several_threads_at_once():
    evaluator = reply_should_match(r"(\d+) EUR")
    results = []
    threads = [
        threading.Thread(target=lambda n=n: results.extend(check(evaluator, f"{n} EUR") for _ in range(50)))
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 200
    assert all(result is PASSED for result in results)


@pytest.mark.parametrize("build", [reply_should_match, reply_should_not_match])
@pytest.mark.parametrize("pattern", ["(unclosed", "[a", "*a", "(?P<n>a)(?P<n", r"\p{No such}"])
def test_a_pattern_that_does_not_compile_is_refused_and_named(build, pattern):
    # TX07
    with pytest.raises(InvalidArgument) as refused:
        build(pattern)
    assert f"the pattern /{pattern}/ does not compile" in str(refused.value)


@pytest.mark.parametrize("build", [reply_should_match, reply_should_not_match])
@pytest.mark.parametrize("pattern", ["", "  ", None, 3, re.compile(""), re.compile(b"x")])
def test_blank_patterns_and_patterns_for_bytes_are_refused(build, pattern):
    # TX03
    with pytest.raises(InvalidArgument, match="a pattern must be text that is not blank"):
        build(pattern)


@pytest.mark.parametrize("pattern", ["x*", "(a|b)?", "a*b*", "^x*", "(?:)"])
def test_a_pattern_found_in_every_reply_is_refused(pattern):
    with pytest.raises(InvalidArgument, match="fits the empty text, so it is found in every reply"):
        reply_should_match(pattern)


@pytest.mark.parametrize("pattern", ["^$", "^(?!.*error)", "(?<!a)$", r"\A\Z", "(?=x)"])
def test_a_pattern_that_looks_around_itself_can_fail_and_is_kept(pattern):
    reply_should_match(pattern)


@pytest.mark.parametrize("seconds", [0, -1, float("inf"), float("nan"), "2", True, None])
def test_a_time_limit_that_is_none_is_refused(seconds):
    with pytest.raises(InvalidArgument, match="`time_limit` must be a finite number above 0"):
        reply_should_match("x", time_limit=seconds)


def test_normalizing_searches_the_reply_with_plain_typography():
    assert check(reply_should_match(r"it's \d-\d", normalize=True), "It’s it’s\u00a07–8") is PASSED


def test_the_regex_package_is_imported_only_when_a_pattern_is_built():
    code = (
        "import sys; from judgekit.evaluators import *; reply_should_contain('a');"
        "assert 'regex' not in sys.modules; reply_should_match('a'); assert 'regex' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
