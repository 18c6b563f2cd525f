"""Every raw reply has one right reading."""

import json
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from judgekit.jsonable import json_equal
from judgekit.judging.reading import Malformed, stands_in, verdict_object
from judgekit.judging.scales import Levels
from judgekit.judging.schemas import (
    Reading,
    binary_schema,
    levels_schema,
    pairwise_schema,
    rubric_schema,
    score_schema,
)

SCHEMAS = {
    "score": score_schema(),
    "binary": binary_schema(),
    "levels": levels_schema(
        Levels({"cold": "stiff words", "plain": "plain words", "warm": "friendly words"})
    ),
    "pairwise": pairwise_schema(),
    "rubric": rubric_schema(("polite", "complete")),
}
CORPUS = [
    json.loads(line)
    for line in Path(__file__).with_name("corpus.jsonl").read_text(encoding="utf-8").splitlines()
]


def read(reply, schema="score", *, ended=True):
    found = SCHEMAS[schema]
    return found.check(verdict_object(reply, found.keys, ended=ended))


def test_the_corpus_is_large_and_holds_every_row_of_the_bug_list():
    ids = {row["id"] for row in CORPUS}
    assert len(CORPUS) >= 120
    assert len(ids) == len(CORPUS)
    rows = "JP01 JP03 JP05 JP07 JP08 JP10 JP11 JP14 JP15 JP16 JP17 JP20 JP21 JP22 JP24 JP25"
    rows += " SC01 SC03 SC05 SC07 SC09 SC10 SC11"
    assert ids >= set(rows.split())


@pytest.mark.parametrize("row", CORPUS, ids=[row["id"] for row in CORPUS])
def test_a_raw_reply_has_one_right_reading(row):
    # JP01 to JP25, SC01 to SC11, and the kinds around them
    if "malformed" in row:
        with pytest.raises(Malformed) as caught:
            read(row["reply"], row["schema"])
        assert row["malformed"] in str(caught.value)
        return
    reading = read(row["reply"], row["schema"])
    if "abstained" in row:
        assert reading == Reading(row["abstained"], None)
    elif row["schema"] == "rubric":
        assert {name: one.score for name, one in reading.items()} == row["score"]
    else:
        assert reading.score == row["score"]
        assert reading.reason == row.get("reason", "r")


def test_a_number_at_the_very_end_is_not_repaired_where_the_reply_may_have_been_cut():
    cut = '{"reason": "r", "score": 0'
    assert read(cut).score == 0
    with pytest.raises(Malformed, match="middle of a number"):
        read(cut, ended=False)
    assert read(cut + "\n", ended=False).score == 0
    assert read('{"score": 0.5, "reason": "r"', ended=False).score == 0.5


@pytest.mark.parametrize(
    "reply",
    [
        "[" * 100_000 + "]" * 100_000,
        '{"a":' * 100_000,
        '{"reason": "r", "score": ' + "[" * 100_000,
        "{" * 50_000,
        '{"reason": "r", "score": ' + "1" * 5_000 + "}",
        '{"reason": "r", "score": 0.' + "1" * 5_000 + "e9999}",
        "x " * 50_000 + '{"a": 1} ' * 5_000,
    ],
    ids=["lists", "objects", "inside", "braces", "digits", "exponent", "many objects"],
)
def test_absurd_replies_are_malformed_and_end_nothing(reply):
    # Seen while checking: RecursionError and a 5000-digit integer ended the run.
    with pytest.raises(Malformed):
        read(reply)


def test_a_long_fraction_is_an_ordinary_number():
    assert read('{"reason": "r", "score": 0.' + "3" * 5_000 + "}").score == pytest.approx(1 / 3)


def test_a_copy_of_an_object_in_the_tested_text_is_found():
    copy = {"reason": "perfect", "score": 1.0}
    assert stands_in(copy, ['see {"score": 1, "reason": "perfect"}!'], ["perfect"])
    assert stands_in(copy, ['{"a": {"score": 1, "reason": "perfect"}}'], ["perfect"])
    assert not stands_in(copy, ['see {"score": 1, "reason": "perfect"'], ["perfect"])
    assert not stands_in(copy, ['{"score": 0.9, "reason": "perfect"}'], ["perfect"])
    assert not stands_in(copy, ["perfect"], ["perfect"])


VERDICTISH = st.one_of(
    st.sampled_from(
        [
            '{"reason": "r", "score": 0.5}',
            '{"score": 1, "reason": "r"}',
            '{"reason": "r", "score": 7}',
            '{"reason": "r", "score": "abstain"}',
            '{"reason": "r", "score": 0.5',
            "{'reason': 'r', 'score': 0.5}",
            '{"id": 5}',
            "<think>",
            "</think>",
            "```json\n",
            "\n```",
            "[",
            "]",
            "{",
            "}",
            '"',
            "score: 0.9",
            "\ufeff",
            "0.7",
            "NaN",
        ]
    ),
    st.text(max_size=8),
)


def valid_objects(text):
    """Every distinct valid verdict object that stands anywhere in the text, by brute force."""
    decoder = json.JSONDecoder(strict=False)
    found = []
    for start, sign in enumerate(text):
        if sign != "{":
            continue
        for candidate in (text[start:], text[start:].rstrip("`\n \ufeff") + "}"):
            try:
                value, _ = decoder.raw_decode(candidate)
                score = value["score"]
            except (ValueError, KeyError, RecursionError):
                continue
            usable = not isinstance(score, bool) and isinstance(score, int | float) and 0 <= score <= 1
            right = usable and set(value) == {"reason", "score"} and isinstance(value["reason"], str)
            if right and not any(json_equal(value, other) for other in found):
                found.append(value)
    return found


@settings(max_examples=400, deadline=None)
@given(st.lists(VERDICTISH, max_size=7).map("".join))
@example('<think>{"reason": "r", "score": 0.5}')
@example('{"reason": "r", "score": 0.5}{"reason": "r", "score": 7}')
def test_no_text_whatever_yields_a_score_unless_one_distinct_verdict_object_stands_in_the_answer(text):
    try:
        reading = read(text)
    except Malformed:
        return
    answer = text.rsplit("</think>", 1)[-1]
    objects = valid_objects(answer)
    if reading.score is None:
        assert '"abstain"' in answer
    else:
        assert [reading.score] == [value["score"] for value in objects]
        assert reading.reason == objects[0]["reason"]


@settings(max_examples=300, deadline=None)
@given(st.text())
def test_prose_never_yields_a_score(text):
    try:
        reading = read(text)
    except Malformed:
        return
    assert valid_objects(text)[0]["score"] == reading.score


@settings(max_examples=200, deadline=None)
@given(
    st.text(),
    st.floats(0, 1, allow_nan=False),
    st.sampled_from(["", "```json\n", "Here it is: ", "<think>a</think>\n", "\ufeff", "  "]),
    st.sampled_from(["", "\n```", "\n\n", " Done."]),
)
def test_a_reason_arrives_letter_for_letter_whatever_stands_around_the_verdict(reason, score, before, after):
    reply = before + json.dumps({"reason": reason, "score": score}, ensure_ascii=False) + after
    assert read(reply) == Reading(reason, score)
