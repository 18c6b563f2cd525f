"""Text as comparisons see it."""

from hypothesis import given
from hypothesis import strategies as st

from judgekit.evaluators.folding import fold, typographic_difference


@given(st.text())
def test_folding_twice_is_folding_once(text):
    assert fold(fold(text)) == fold(text)


@given(st.text())
def test_what_is_equal_case_folded_is_equal_normalized(text):
    assert fold(text.casefold(), normalize=True) == fold(text, normalize=True)


@given(st.text(min_size=1), st.text(), st.text())
def test_a_text_that_is_there_has_no_difference_beyond_typography(text, before, after):
    """What it names is either nothing, or code points that really stand in one of the two."""
    named = typographic_difference(text, f"{before} {text} {after}")
    for code in named.split(", ") if named.startswith("U+") else []:
        assert chr(int(code[2:], 16)) in f"{before} {text} {after}".casefold()


def test_texts_that_differ_in_letters_have_no_typographic_difference():
    assert typographic_difference("cat", "dog") == ""


def test_the_passage_is_found_in_a_long_reply():
    reply = "’ " * 50_000 + "it’s" + " –" * 50_000
    assert typographic_difference("it's", reply) == "U+2019"
