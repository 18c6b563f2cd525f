"""Text as reports show it."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.text import (
    bracketed,
    counted,
    first_line,
    folded,
    milliseconds,
    one_line,
    shown_apart,
    visible,
)

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))
BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"


@given(ANY_TEXT)
def test_one_line_holds_nothing_that_moves_a_terminal_or_reorders_text(text):
    line = one_line(text)
    assert len(line) <= 200
    for char in line:
        assert unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp")
        assert char not in BIDI
    line.encode()


@given(ANY_TEXT, st.integers(1, 50))
def test_one_line_keeps_to_its_limit_and_shows_a_cut(text, limit):
    line = one_line(text, limit)
    whole = one_line(text, 100_000)
    assert len(line) <= limit
    assert line == whole or line == whole[: limit - 1] + "…"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("  a\n\tb  c ", "a b c"),
        ("red \x1b[31mX\x00 end", "red \\x1b[31mX\\x00 end"),
        ("\x1b]0;owned\x07\x1b[2J", "\\x1b]0;owned\\x07\\x1b[2J"),
        ("abc\u202edef", "abc\\u202edef"),
        ("a\u200bb", "a\\u200bb"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("see [/tmp/x] and [bold]", "see [/tmp/x] and [bold]"),
        ("é ✅ 漢", "é ✅ 漢"),
        ("", ""),
    ],
)
def test_white_space_is_folded_and_what_cannot_be_seen_is_written_out(text, line):
    assert one_line(text) == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x" * 200, "x" * 200),
        ("x" * 201, "x" * 199 + "…"),
        (" " * 5_000 + "x", "x"),
        ("x" * 200 + " " * 5_000 + "y", "x" * 199 + "…"),
        ("x" * 200 + " " * 5_000, "x" * 200),
        ("a" + " " * 1_000 + "b" * 300, "a " + "b" * 197 + "…"),
    ],
)
def test_a_line_is_cut_at_two_hundred_characters_whatever_white_space_stood_in_it(text, line):
    assert one_line(text) == line


@given(ANY_TEXT)
def test_visible_text_keeps_tabs_and_line_feeds_and_no_other_control(text):
    shown = visible(text)
    for char in shown:
        assert char in "\t\n" or unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp")
    assert shown.count("\n") == text.count("\n")


def test_a_carriage_return_cannot_overwrite_a_line():
    assert visible("good\rbad") == "good\\x0dbad"


@given(st.text())
def test_folding_white_space_twice_is_folding_it_once(text):
    assert folded(folded(text)) == folded(text)


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ValueError("bad\nvalue"), "ValueError: bad value"),
        (TimeoutError(), "TimeoutError"),
        (ZeroDivisionError("division by zero"), "ZeroDivisionError: division by zero"),
        (KeyError("k"), "KeyError: 'k'"),
    ],
)
def test_an_exception_is_its_type_and_its_text(error, line):
    assert first_line(error) == line


def test_an_exception_whose_text_cannot_be_had_is_its_type():
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError("no text")

    assert first_line(Mute()) == "Mute"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (counted(1, "case"), "1 case"),
        (counted(2, "case"), "2 cases"),
        (counted(0, "run"), "0 runs"),
        (counted(2, "entry", "entries"), "2 entries"),
        (bracketed([]), "[]"),
        (bracketed(["a", 1]), "[a, 1]"),
    ],
)
def test_numbers_and_lists_read_as_a_sentence_needs_them(text, expected):
    assert text == expected


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 ms"),
        (0.55, "550 ms"),
        (0.0405, "41 ms"),
        (0.0125, "13 ms"),
        (0.0099, "9.9 ms"),
        (0.0004, "0.4 ms"),
        (12.5, "12500 ms"),
    ],
)
def test_seconds_are_shown_as_milliseconds_rounded_half_up(seconds, text):
    assert milliseconds(seconds) == text


@pytest.mark.parametrize(
    ("value", "bound", "texts"),
    [
        (0.5, 0.9, ("0.50", "0.90")),
        (0.8961, 0.90, ("0.896", "0.900")),
        (0.7 - 1e-16, 0.7, ("0.70", "0.70")),
        (0.1, 0.1 + 1e-8, ("0.10000000", "0.10000001")),
        (1 / 3, 1 / 3, ("0.33", "0.33")),
    ],
)
def test_unequal_numbers_never_look_equal(value, bound, texts):
    assert shown_apart(value, bound) == texts


@given(st.floats(0, 1), st.floats(0, 1))
def test_two_rates_look_equal_exactly_where_they_are_equal_within_the_tolerance(value, bound):
    left, right = shown_apart(value, bound)
    assert (left == right) == (abs(value - bound) <= 1e-9)
