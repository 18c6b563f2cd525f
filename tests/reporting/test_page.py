"""The page on gates and reports prints what it says it prints."""

import contextlib
import io
import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "gates-and-reports.md"
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_every_text_of_the_page_is_what_the_block_above_it_prints(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, printed, compared = {}, "", 0
    for kind, content in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if kind == "text":
            assert content == printed
            compared += 1
            continue
        stream = io.StringIO()
        with contextlib.redirect_stdout(stream):
            exec(content, names)
        printed = stream.getvalue()
    assert compared == 5
