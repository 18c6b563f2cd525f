"""What the reply says, and how long it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import InvalidArgument
from judgekit.evaluation import EvalCase, Kind, Outcome
from judgekit.evaluators import (
    reply_should_contain,
    reply_should_equal,
    reply_should_have_length,
    reply_should_not_contain,
)
from judgekit.evaluators.evidence import PASSED
from judgekit.interaction import Interaction

CASE = EvalCase("c", "go")


def check(evaluator, reply):
    return evaluator.evaluate(CASE, Interaction(reply=reply))


def fails(result, detail):
    return (result.outcome, result.detail) == (Outcome.FAIL, detail)


@pytest.mark.parametrize(
    "evaluator",
    [
        reply_should_contain("ok"),
        reply_should_not_contain("card"),
        reply_should_equal("ok"),
        reply_should_have_length(max=5),
    ],
    ids=repr,
)
def test_no_reply_is_inconclusive_for_positive_and_negative_checks_alike(evaluator):
    # TX04
    result = evaluator.evaluate(CASE, Interaction(error="ValueError: boom"))
    assert (result.outcome, result.kind) == (Outcome.INCONCLUSIVE, Kind.NO_EVIDENCE)
    assert result.detail == "no reply in the evidence"


def test_an_empty_reply_is_a_reply():
    assert check(reply_should_contain("ok"), "").outcome is Outcome.FAIL
    assert check(reply_should_not_contain("card"), "") is PASSED
    assert check(reply_should_have_length(max=0), "") is PASSED


def test_all_texts_in_the_reply_pass_whatever_their_case():
    assert check(reply_should_contain("SHIPPED", "Straße"), "shipped to STRASSE 1") is PASSED


def test_missing_texts_are_listed_as_they_were_written():
    assert fails(check(reply_should_contain("Yes", "No", "maybe"), "no"), "reply does not carry [Yes, maybe]")


def test_a_reply_that_differs_only_in_its_apostrophe_says_so():
    # TX01
    reply = "I can’t open your mail"
    assert fails(
        check(reply_should_contain("can't"), reply),
        "reply does not carry [can't]; differs only in U+2019, see normalize=True",
    )
    assert check(reply_should_contain("can't", normalize=True), reply) is PASSED


@pytest.mark.parametrize(
    ("text", "reply", "codes"),
    [
        ("can’t", "can't", "U+2019"),
        ('say "hi"', "say “hi”", "U+201C, U+201D"),
        ("9-5", "open 9–5 daily", "U+2013"),
        ("10 EUR", "10\u00a0EUR", "U+00A0"),
        ("café", "cafe\u0301", "U+00E9, U+0301"),
        ("two words", "two  words", "white space"),
        ("two words", "two\nwords", "U+000A"),
        ("ends...", "ends…", "U+2026"),
        ("soft", "so\u00adft", "U+00AD"),
    ],
)
def test_typographic_differences_are_named_and_normalized_away(text, reply, codes):
    result = check(reply_should_contain(text), reply)
    assert fails(result, f"reply does not carry [{text}]; differs only in {codes}, see normalize=True")
    assert check(reply_should_contain(text, normalize=True), reply) is PASSED
    assert check(reply_should_not_contain(text, normalize=True), reply).outcome is Outcome.FAIL


def test_the_hint_names_the_text_where_others_are_missing_for_good():
    result = check(reply_should_contain("can't", "zebra"), "I can’t")
    assert fails(
        result,
        "reply does not carry [can't, zebra]; can't differs only in U+2019, see normalize=True",
    )


def test_texts_found_that_must_not_be_there_are_listed():
    assert check(reply_should_not_contain("card", "pin"), "all fine") is PASSED
    assert fails(
        check(reply_should_not_contain("Card", "pin", "CVC"), "your card has a cvc"),
        "reply carries [Card, CVC]",
    )


@given(st.text(max_size=30), st.text(min_size=1, max_size=5).filter(str.strip))
def test_containing_and_lacking_one_text_never_agree(reply, text):
    assert (check(reply_should_contain(text), reply) is PASSED) != (
        check(reply_should_not_contain(text), reply) is PASSED
    )


@given(st.text(max_size=20), st.text(max_size=20), st.text(min_size=1, max_size=6).filter(str.strip))
def test_a_text_with_white_space_around_it_is_found_with_and_without_normalizing(before, after, text):
    reply = f"{before} {text} {after}"
    assert check(reply_should_contain(text), reply) is PASSED


@pytest.mark.parametrize("build", [reply_should_contain, reply_should_not_contain])
@pytest.mark.parametrize("texts", [(), ("",), ("ok", " "), (None,), (3,), (["a"],)])
def test_no_text_and_blank_texts_are_refused(build, texts):
    # TX03
    with pytest.raises(InvalidArgument):
        build(*texts)


def test_a_text_of_which_normalizing_leaves_nothing_is_refused():
    with pytest.raises(InvalidArgument, match="nothing of"):
        reply_should_not_contain("\u200b", normalize=True)


@pytest.mark.parametrize("reply", ["Paris", "  paris\n", "PARIS"])
def test_an_equal_reply_passes_whatever_its_case_and_outer_space(reply):
    assert check(reply_should_equal(" Paris "), reply) is PASSED


@pytest.mark.parametrize(
    ("text", "reply", "detail"),
    [
        ("Paris", "Lyon", 'reply expected "Paris", was "Lyon"'),
        ("a b", "a  b", 'reply expected "a b", was "a b"; differs only in white space, see normalize=True'),
        ("it's", "it’s", 'reply expected "it\'s", was "it’s"; differs only in U+2019, see normalize=True'),
        (
            "x" * 100 + " the end",
            "x" * 100 + " an end",
            f'reply expected "…{"x" * 19} the end", was "…{"x" * 19} an end"',
        ),
    ],
)
def test_another_reply_fails_and_shows_where_they_part(text, reply, detail):
    assert fails(check(reply_should_equal(text), reply), detail)


def test_normalizing_makes_typographic_twins_equal():
    assert check(reply_should_equal("it's – fine", normalize=True), "It’s - fine") is PASSED


def test_an_empty_expected_reply_is_refused():
    with pytest.raises(InvalidArgument, match="a text must not be blank"):
        reply_should_equal("")


@pytest.mark.parametrize(
    ("reply", "unit", "length"),
    [
        ("", "characters", 0),
        ("né\n", "characters", 3),
        (" two\n words ", "words", 2),
        ("", "sentences", 0),
        ("...", "sentences", 0),
        ("One", "sentences", 1),
        ("42", "sentences", 1),
        ("One. Two! Three?", "sentences", 3),
        ("Wait... what?! Yes.", "sentences", 3),
        ("It costs 3.50 EUR, v2.1 too.", "sentences", 1),
        ("Dr. Smith paid, e.g. in cash. Fine.", "sentences", 2),
        ("J. Smith paid.", "sentences", 1),
        ('He said "No." Then he left.', "sentences", 2),
        ("Title\n\nText goes on\nhere", "sentences", 2),
        ("Do this:\n- open\n- close", "sentences", 3),
        ("1. Open it.\n2. Close it.", "sentences", 2),
        ("好的。谢谢！", "sentences", 2),
    ],
)
def test_lengths_are_counted_as_documented(reply, unit, length):
    assert check(reply_should_have_length(min=length, max=length, unit=unit), reply) is PASSED
    if length:
        assert check(reply_should_have_length(max=length - 1, unit=unit), reply).outcome is Outcome.FAIL
    assert check(reply_should_have_length(min=length + 1, unit=unit), reply).outcome is Outcome.FAIL


def test_a_long_row_of_marks_is_counted_in_no_time():
    assert check(reply_should_have_length(max=1, unit="sentences"), "a" + "!" * 200_000 + "b") is PASSED


@pytest.mark.parametrize(
    ("limits", "reply", "detail"),
    [
        ({"max": 2, "unit": "words"}, "a b c", "reply has 3 words, allowed at most 2"),
        ({"min": 2, "unit": "words"}, "a", "reply has 1 word, required at least 2"),
        ({"max": 0}, "abc", "reply has 3 characters, allowed at most 0"),
        ({"min": 2, "max": 3, "unit": "sentences"}, "A cat.", "reply has 1 sentence, required at least 2"),
    ],
)
def test_a_wrong_length_says_what_it_is_and_what_is_allowed(limits, reply, detail):
    assert fails(check(reply_should_have_length(**limits), reply), detail)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({}, "the check could never fail"),
        ({"min": 0}, "the check could never fail"),
        ({"max": -1}, "`max` must be a whole number from 0 up"),
        ({"min": True}, "`min` must be a whole number from 0 up"),
        ({"max": 1.5}, "`max` must be a whole number from 0 up"),
        ({"min": 3, "max": 2}, "`max` must not be under `min`, got 3 to 2"),
        ({"max": 3, "unit": "lines"}, "`unit` must be one of 'characters', 'words', 'sentences'"),
    ],
)
def test_lengths_that_cannot_be_checked_are_refused(limits, message):
    with pytest.raises(InvalidArgument, match=message):
        reply_should_have_length(**limits)
