"""A judge of pairs: order, length and family."""

import json
import re
from pathlib import Path

import pytest

from judgekit.calibrating import load_pairs, pair_reliability, pairs_from
from judgekit.errors import FileUnreadable, InvalidArgument
from judgekit.judging import Judge
from judgekit.testing import ScriptedModel

EXTRACTS = Path(__file__).parents[1] / "statistics" / "data"
REPLY = re.compile(r"reply (\d+) (one|two)")


def said(preferred):
    return {"reason": "r", "preferred": preferred}


def recorded(straight, swapped):
    """A judge that named these winners, 1 and 2, by pair: with reply one first, and with reply two first."""

    def answer(turn):
        (number, first), *_ = REPLY.findall(turn.text)
        winner = (straight if first == "one" else swapped)[int(number)]
        if winner == "?":
            return "no verdict"
        slots = {"1": "first", "2": "second"} if first == "one" else {"1": "second", "2": "first"}
        return json.dumps(said(slots[winner]))

    return Judge(ScriptedModel(answer), attempts=1)


@pytest.mark.parametrize(
    ("judge", "strategy", "consistent", "inconsistent", "first", "second", "unread"),
    [
        ("GPT-4", "Vanilla", 389, 30, 20, 10, 0),
        ("ChatGPT", "CoT", 244, 170, 167, 3, 5),
    ],
)
def test_a_real_judge_of_pairs_has_the_known_position_bias(
    judge, strategy, consistent, inconsistent, first, second, unread
):
    held = json.loads((EXTRACTS / "llmbar.json").read_text(encoding="utf-8"))
    label, straight, swapped = held[f"{judge}|{strategy}"]
    rows = [{"a": f"reply {n} one", "b": f"reply {n} two", "label": label[n]} for n in range(len(label))]
    found = pair_reliability(recorded(straight, swapped), "Which is better?", rows)
    position = found.position
    assert (position.consistent, position.inconsistent) == (consistent, inconsistent)
    assert (position.first_slot, position.second_slot) == (first, second)
    assert position.n_missing == unread
    both = [one for one, other in zip(straight, swapped, strict=True) if one == other != "?"]
    assert found.human.n_runs == len(both)
    # Nothing was drawn: each time the same was said.
    assert found.repeats.estimate == 0
    assert found.length.reason == "nothing was picked between replies of different length"


def longer(turn):
    texts = [line for line in turn.text.splitlines() if line.startswith("=")]
    return json.dumps(said("first" if len(texts[0]) > len(texts[1]) else "second"))


def pairs(count=40):
    return [
        {
            "asked": f"q{n}",
            "a": "=" * (10 + n % 7),
            "b": "=" * (13 - n % 5),
            "label": "a" if n % 2 else "b",
            "by": "openai/gpt-a" if n % 4 < 2 else "other/x",
            "and": "other/x" if n % 4 < 2 else "openai/gpt-b",
        }
        for n in range(count)
    ]


def read(rows):
    return pairs_from(rows, writer="by", other_writer="and")


def test_a_judge_that_likes_length_and_a_family_is_shown():
    judge = Judge(ScriptedModel(longer))
    found = pair_reliability(judge, "Which is better?", read(pairs()), family="GPT")
    assert found.length.judge_longer.estimate == 1
    assert 0 < found.length.estimate <= 1
    assert found.family.own_recall.n_runs + found.family.other_recall.n_runs == found.family.n_clusters
    text = found.render()
    for name in (
        "position consistency",
        "longer reply, judge",
        "length bias",
        "own family",
        "exact sign test",
    ):
        assert name in text
    json.dumps(found.to_json(), allow_nan=False)


def test_without_writers_or_their_family_the_figure_has_a_reason():
    judge = Judge(ScriptedModel(longer))
    rows = pairs(4)
    assert pair_reliability(judge, "x", rows).family_reason == "nobody recorded which model wrote the replies"
    found = pair_reliability(judge, "x", read(rows), family="claude")
    assert found.family_reason == "no pair has one writer of the family 'claude' and one of another"


def test_a_judge_that_always_takes_the_first_is_inconsistent_in_all():
    found = pair_reliability(Judge(ScriptedModel(said("first"))), "x", pairs(12))
    assert (found.position.estimate, found.position.first_slot_share.estimate) == (0, 1)
    assert found.position.p_value < 0.001
    assert found.human.estimate is None


def test_nothing_measured_has_reasons():
    found = pair_reliability(Judge(ScriptedModel("no verdict"), attempts=1), "x", [{"a": "x", "b": "y"}])
    assert not found.is_measured
    assert found.causes == {"malformed": 2}
    assert "not known" in found.render()
    json.dumps(found.to_json(), allow_nan=False)


def test_pairs_are_read_from_a_file_and_every_bad_row_is_named(tmp_path):
    file = tmp_path / "pairs.csv"
    file.write_text("left,right,choice\nx,y,First\nx, ,b\nx,y,0\nx,y,tie\n", encoding="utf-8")
    with pytest.raises(FileUnreadable) as raised:
        load_pairs(file, reply="left", other="right", label="choice")
    first, *problems = str(raised.value).splitlines()
    assert first == "pairs.csv cannot be read as pairs of replies:"
    assert [line.strip() for line in problems] == [
        "line 3: 'right' holds no reply",
        "line 4: '0' is no choice; write a, b or tie",
    ]
    file.write_text("left,right,choice\nx,y,First\nx,y,2\nx,y,\n", encoding="utf-8")
    found = load_pairs(file, reply="left", other="right", label="choice")
    assert [pair.human for pair in found] == ["a", "b", None]
    assert [pair.id for pair in found] == ["row-1", "row-2", "row-3"]


def test_what_cannot_work_is_refused():
    judge = Judge(ScriptedModel(said("tie")))
    with pytest.raises(InvalidArgument, match="no rows"):
        pair_reliability(judge, "x", [])
    with pytest.raises(InvalidArgument, match="`samples`"):
        pair_reliability(judge, "x", pairs(2), samples=1)
    with pytest.raises(InvalidArgument, match="`judge`"):
        pair_reliability("openai/m", "x", pairs(2))
    with pytest.raises(InvalidArgument, match="criterion"):
        pair_reliability(judge, " ", pairs(2))
    with pytest.raises(FileUnreadable, match="id 'x' was in row 1 already"):
        pairs_from([{"id": "x", "a": "1", "b": "2"}] * 2)
