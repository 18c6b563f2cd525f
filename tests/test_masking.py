"""Secrets in text."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.jsonable import json_line
from judgekit.masking import MASK, Masker

# Invented, and put together here so that no scanner takes this file for a leak.
KEYS = [
    "sk-" + "qa-SECRET-123456",
    "sk_" + "live_0123456789abcdef",
    "AKIA" + "0123456789ABCDEF",
    "AIza" + "0123456789abcdefghijklmnopqrstuvwxy",
    "ghp_" + "0123456789abcdefghijABCDEFGHIJ",
    "github_pat_" + "0123456789abcdefghij",
    "glpat-" + "0123456789abcdef",
    "hf_" + "0123456789abcdefghijklmn",
    "gsk_" + "0123456789abcdefghijklmn",
    "xai-" + "0123456789abcdefghijklmn",
    "pplx-" + "0123456789abcdefghijklmn",
    "xoxb-" + "0123456789-abcdef",
    "eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJ" + "zdWIiOiIxMjM0In0." + "abcdefgh12345678",
]


@pytest.mark.parametrize("key", KEYS)
def test_a_value_that_looks_like_a_key_is_masked(key):
    assert Masker().masked(f"the key {key} is not valid") == f"the key {MASK} is not valid"


def test_a_bearer_token_is_masked_and_the_word_stays():
    assert Masker().masked("Authorization: Bearer abcdef0123456789") == f"Authorization: Bearer {MASK}"


def test_a_private_key_is_masked_whole():
    block = "-----BEGIN RSA PRIVATE KEY-----\nabc\ndef\n-----END RSA PRIVATE KEY-----"
    assert Masker().masked(f"a {block} b") == f"a {MASK} b"


@pytest.mark.parametrize(
    "text", ["task-oriented-planning", "disk-encryption", "a risk-free trial", "ask-me-anything", "o_42", ""]
)
def test_ordinary_words_are_left_alone(text):
    assert Masker().masked(text) == text


def test_a_key_that_was_handed_over_is_masked_whatever_it_looks_like():
    masker = Masker(["my own pass phrase"])
    assert masker.masked("got my own pass phrase!") == f"got {MASK}!"


@pytest.mark.parametrize("key", [None, "", "x", "none", "  short "])
def test_a_key_too_short_to_be_one_masks_nothing(key):
    masker = Masker()
    masker.add(key)
    assert masker.masked("x none short") == "x none short"


@given(st.text(min_size=8, max_size=30).filter(lambda text: len(text.strip()) >= 8), st.text(max_size=20))
def test_a_line_of_json_stays_json_without_the_key(secret, other):
    secret = secret.strip()
    line = Masker([secret]).masked_json({"a": f"<{secret}>", "b": [other]})
    assert secret not in json.loads(line)["a"].replace(MASK, "")


@pytest.mark.parametrize(
    "secret", ["12345678", "00000000", "interaction", "arguments", '","run":1', 'x","outcome', "[{}],[{}]"]
)
def test_a_secret_that_reads_like_the_line_itself_leaves_it_json(secret):
    data = {
        "id": "x",
        "run": 1,
        "outcome": "pass",
        "interaction": {"latency": 0.12345678, "cost": 0.30000000000000004, "reply": f"it is {secret}."},
        "arguments": {secret: [secret], "sum": 12345678},
        "lists": [[{}], [{}]],
    }
    found = json.loads(Masker([secret]).masked_json(data))
    assert found["interaction"] == {**data["interaction"], "reply": f"it is {MASK}."}
    assert found["lists"] == data["lists"]
    assert [MASK] in found["arguments"].values()
    assert found["arguments"]["sum"] == 12345678
    name = secret if secret.isalpha() else MASK
    assert name in found["arguments"]


def test_a_line_without_a_secret_is_the_line():
    data = {"a": [1, "b", None, {"c": 0.5}]}
    assert Masker(["12345678"]).masked_json(data) == json_line(data)


@pytest.mark.parametrize("key", KEYS)
def test_masking_twice_is_masking_once(key):
    masker = Masker([key])
    once = masker.masked(json_line({"key": key}))
    assert json.loads(once) == {"key": MASK}
    assert masker.masked(once) == once
