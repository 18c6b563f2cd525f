"""The page of wrong uses: every row is written and its message compared, letter for letter."""

import re
from pathlib import Path

import pytest

from judgekit import InvalidArgument

PAGE = Path(__file__).resolve().parents[1] / "docs" / "mistakes.md"
TEXT = PAGE.read_text(encoding="utf-8")
[SETUP] = re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
ROW = re.compile(
    r"^\| `(?P<written>[^`]+)` \| (?P<ticks>`{1,2}) ?(?P<message>.+?) ?(?P=ticks) \|$", re.MULTILINE
)
ROWS = [(row["written"], row["message"]) for row in ROW.finditer(TEXT)]


def test_every_row_of_every_table_is_read():
    lines = [line for line in TEXT.splitlines() if line.startswith("| `")]
    assert len(ROWS) == len(lines) >= 40


@pytest.mark.parametrize(("written", "message"), ROWS, ids=[written for written, _ in ROWS])
def test_a_wrong_use_is_refused_with_the_message_on_the_page(written, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "mistakes"}
    exec(SETUP, names)
    with pytest.raises((InvalidArgument, TypeError)) as refused:
        eval(written, names)
    assert str(refused.value) == message
    assert list(tmp_path.iterdir()) == [], "something was run before the mistake was seen"
