"""What may stand in a suite beside the obvious: broken files, agents, rows, gates."""

import pytest
from jsonschema import Draft202012Validator

from judgekit.datasets.plain_yaml import load_plain_yaml
from judgekit.errors import FileUnreadable, InvalidPlan
from judgekit.suites import load_suite, suite_schema

LEAST = "cases:\n  - {id: a, command: x, reply: y}\n"
ROWS = "cases:\n  file: rows.csv\n"

# The suite, the line of the fault, what is said, and whether the schema sees it too; None: it is no YAML.
BROKEN = [
    ("name: a\nb: \0\n", 2, "special characters are not allowed", None),
    ("cases: " + "[" * 3000 + "]" * 3000, 1, "it is nested too deeply", None),
    ("cases:\n\t- a\n", 2, "it is no YAML", None),
    (LEAST + "name: front: desk\n", 3, "put a text with a colon in quotes", None),
    ("", 1, "the file is empty; write `cases:`", None),
    (LEAST + "agent: nowhere_to_be_found:answer\n", 3, "is looked for beside the suite", False),
    (LEAST + "agent: json:dump_s\n", 3, "did you mean dumps?", False),
    (LEAST + "---\nname: b\n", 3, "another document", None),
    ("cases: !!python/object/apply:os.system ['true']\n", 1, "it is no YAML", None),
    ("cases: &a [*a]\n", 1, "it is no YAML", None),
    (LEAST + "? [a, b]\n: 5\n", 3, "a key must be text", None),
    (LEAST + "agent: exits:answer\n", 3, "the agent exits:answer cannot be imported: SystemExit", False),
    (LEAST + "agent: '..:answer'\n", 3, "cannot be imported", False),
    (LEAST + "gate: []\n", 3, "`gate` is empty", True),
    (LEAST + "gate:\n", 3, "`gate` is empty", True),
    (
        LEAST + "\ngate: {pass_rate_should_be_at_least: {rate: 1, of: tonee}}\n",
        4,
        "the gate's `of='tonee'`",
        False,
    ),
    (LEAST + "\ngate: {cases_should_pass: {at_least: 1, tagged: b}}\n", 4, "the gate's `tagged='b'`", False),
    (LEAST + "judge: {model: m, timeout: soon}\n", 3, "`timeout` must be seconds", True),
    (LEAST + "judge: {model: m, temperature: hot}\n", 3, "`temperature` must be from 0 to 2", True),
    (LEAST + "judge: {model: m, attempts: 0}\n", 3, "`attempts` must be", True),
    (LEAST + "evaluators:\n  - should_reply_within: fast\n", 4, "`seconds` must be a finite number", True),
    (
        LEAST + "judge: m\nevaluators:\n  - should_score_at_least: {criterion: c, threshold: 5}\n",
        5,
        "`threshold` must be a number from 0 to 1, got 5",
        True,
    ),
    ("cases:\n  - {id: a, command: x, messages: [{role: [u]}]}\n", 2, "`role` must be text", True),
    ("cases:\n  - {id: a, command: x, messages: [{role: 5}]}\n", 2, "`role` must be text", True),
    (ROWS + "  asked: [x]\n", 1, "`asked` must be the name of a column", True),
    (ROWS + "  asked: nope\n", 1, "rows.csv, line 2: no 'nope'", False),
    (ROWS + "  id: id\n", 1, "rows.csv, line 3: id '1' was asked something else in line 2", False),
    ("cases:\n  file: broken.jsonl\n", 1, "broken.jsonl, line 2: it is no JSON", False),
]


@pytest.fixture
def folder(tmp_path):
    """A folder with what the suites name."""
    (tmp_path / "exits.py").write_text("import sys\nsys.exit(4)\n")
    (tmp_path / "rows.csv").write_text("id,asked\n1,a\n1,b\n")
    (tmp_path / "broken.jsonl").write_text('{"asked": "x"}\n{broken\n')
    return tmp_path


@pytest.mark.parametrize(("text", "line", "said", "by_schema"), BROKEN)
def test_a_broken_suite_is_told_with_file_and_line(folder, text, line, said, by_schema):
    file = folder / "suite.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises((InvalidPlan, FileUnreadable)) as caught:
        load_suite(file)
    first, *_ = str(caught.value).splitlines()
    assert first.startswith(f"{file}:{line}: "), first
    assert said in first
    if by_schema is not None:
        valid = Draft202012Validator(suite_schema()).is_valid(load_plain_yaml(text))
        assert valid is not by_schema


def test_a_case_that_nobody_answers_is_told_with_its_line(folder):
    file = folder / "suite.yaml"
    file.write_text(
        "cases:\n- id: a\n  command: x\n  reply: y\n  evaluators: [{reply_should_contain: y}]\n"
        "- id: b\n  command: x\n  evaluators: [{reply_should_contain: y}]\n"
    )
    with pytest.raises(InvalidPlan) as caught:
        load_suite(file)
    assert str(caught.value).startswith(f"{file}:6: there is no `agent`, and case 'b' has no `reply`")


def test_a_name_left_empty_is_refused_as_the_schema_does(folder):
    file = folder / "suite.yaml"
    file.write_text(
        "name:\ncases:\n- {id: a, command: x, reply: y, evaluators: [{reply_should_contain: y}]}\n"
    )
    with pytest.raises(InvalidPlan, match=":1: `name` is empty"):
        load_suite(file)
