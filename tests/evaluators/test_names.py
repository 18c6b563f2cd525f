"""Tool names and patterns of them."""

import pickle

import pytest

from judgekit.errors import InvalidArgument
from judgekit.evaluators.names import name_fits, pattern


@pytest.mark.parametrize(
    ("glob", "name", "fits"),
    [
        ("*delete_user", "mcp__crm__delete_user", True),
        ("*delete_user", "delete_user", True),
        ("*delete_user", "delete_user_now", False),
        ("get_?", "get_a", True),
        ("get_?", "get_", False),
        ("get_[ab]", "get_b", True),
        ("get.x", "getax", False),
        ("a*", "a\nb", True),
    ],
)
def test_the_whole_name_fits_the_glob(glob, name, fits):
    assert name_fits(pattern(glob), name) is fits


def test_a_plain_name_fits_itself_only():
    assert name_fits("a", "a")
    assert not name_fits("a", "ab")


@pytest.mark.parametrize("glob", ["", " ", None, 3])
def test_a_blank_pattern_is_refused(glob):
    with pytest.raises(InvalidArgument, match="must be text that is not blank"):
        pattern(glob)


def test_a_pattern_prints_as_its_glob_and_survives_pickling():
    original = pattern("*x")
    again = pickle.loads(pickle.dumps(original))
    assert str(again) == "*x"
    assert again == original
    assert again.fits("box")
