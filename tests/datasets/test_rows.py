"""Any iterable of mappings becomes cases."""

import pytest

from judgekit import FileUnreadable
from judgekit.datasets import cases_from
from judgekit.evaluators import reply_should_contain


def test_rows_without_a_reply_are_cases_for_an_agent():
    rows = ({"q": f"ask {n}", "want": str(n)} for n in range(3))
    cases = cases_from(
        rows, asked="q", expected="want", evaluators=lambda row: [reply_should_contain(row["want"])]
    )
    assert [(case.id, case.command) for case in cases] == [
        ("row-1", "ask 0"),
        ("row-2", "ask 1"),
        ("row-3", "ask 2"),
    ]
    assert cases[2].evaluators == (reply_should_contain("2"),)
    assert cases[2].metadata == {"expected": "2"}
    assert cases[0].interactions == ()


def test_rows_with_a_reply_are_recorded_runs():
    rows = [{"asked": "a", "reply": "x", "id": 7}, {"asked": "a", "reply": 12, "id": 7}]
    (case,) = cases_from(rows)
    assert case.id == "7"
    assert [run.reply for run in case.interactions] == ["x", "12"]


def test_a_row_without_an_id_never_joins_a_case_that_has_its_name():
    rows = [{"asked": "a", "reply": "x", "id": "row-2"}, {"asked": "b", "reply": "y"}]
    assert [case.id for case in cases_from(rows)] == ["row-2", "row-2-again"]


def test_every_bad_row_is_named():
    rows = [
        {"asked": "a"},
        3,
        {"other": 1},
        {"asked": "a", "messages": "no list"},
        {"asked": "a", "messages": [3]},
    ]
    with pytest.raises(FileUnreadable) as raised:
        cases_from(rows)
    text = str(raised.value)
    assert text.startswith("the rows cannot be read as cases:")
    for part in (
        "row 2: it must be a mapping",
        "row 3: nothing was asked",
        "row 4: its messages",
        "row 5: messages[0]",
    ):
        assert part in text
