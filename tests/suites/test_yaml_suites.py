"""YAML suites: they run, keep text as typed, and say in one line with file and line what is wrong."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from judgekit.datasets.plain_yaml import load_plain_yaml
from judgekit.errors import FileUnreadable, InvalidPlan
from judgekit.gate import Gate
from judgekit.suites import load_suite, suite_schema
from judgekit.suites.calling import checks, criteria, rules

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((REPOSITORY / "examples").rglob("*.yaml"))

# The least that is a suite, and what stands before a check of a case.
LEAST = "cases:\n  - {id: a, command: x}\n"
CHECKED = "cases:\n  - id: a\n    command: x\n    evaluators:\n"

# The suite, the line of the fault, what is said, and whether the schema sees it too; None: it is no YAML.
BROKEN = [
    ("", 1, "the file is empty; write `cases:`", True),
    ("- a\n- b\n", 1, "a suite is a mapping with `cases`", True),
    ("name: x\n", 1, "`cases` is a list with at least one case", True),
    ("name: x\ncases: []\n", 2, "`cases` is a list with at least one case", True),
    ("cases:\n  - id: a\n    comand: hi\n    command: hi\n", 3, "a case has no 'comand'", True),
    ("cases:\n  - command: hi\n", 2, "a case needs `id`", True),
    ("cases:\n  - id: a\n", 2, "a case needs `command`", True),
    ("cases:\n  - id: a\n    command:\n", 2, "`command` must not be blank", True),
    ("cases:\n  - id: 7\n    command: hi\n", 2, "`id` must be text", True),
    ("cases:\n  - just text\n", 2, "a case is a mapping with `id` and `command`", True),
    (LEAST + "  - {id: a, command: y}\n", 3, "'a' is used twice, first on line 2", False),
    ("cases:\n  - id: a\n    id: b\n    command: x\n", 3, "the key 'id' stands twice", None),
    ("cases:\n  - id: a\n   command: x\n", 3, "it is no YAML", None),
    ("cases: *nothing\n", 1, "it is no YAML", None),
    (LEAST + "agents: m:f\n", 3, "a suite has no 'agents'", True),
    (LEAST + "agent: nowhere\n", 3, "`agent` is module:function", True),
    (LEAST + "agent: no_such_module:f\n", 3, "cannot be imported: ModuleNotFoundError", False),
    (LEAST + "agent: sys:version\n", 3, "is no function, got a str", False),
    (LEAST + "evaluators:\n  - reply_should_contian: x\n", 4, "did you mean reply_should_contain?", True),
    (CHECKED + "      - should_call_tool_with: [getOrder]\n", 5, "it takes tool, argument, value", True),
    (CHECKED + "      - should_call_tool\n", 5, "should_call_tool: missing a required argument", True),
    (CHECKED + "      - should_call_tool: {tool: x}\n", 5, "it takes name", True),
    (CHECKED + "      - reply_should_match: '('\n", 5, "the pattern /(/ does not compile", False),
    (CHECKED + "      - reply_should_be_json:\n          type: strng\n", 5, "strng", False),  # IN05
    (CHECKED.rstrip() + " reply_should_contain\n", 4, "begin each with a dash", True),
    (LEAST + "evaluators:\n  - {reply_should_equal: a, should_call_tool: b}\n", 4, "got 2 keys", True),
    (LEAST + "evaluators:\n\n  - should_satisfy: kind\n", 5, "write `judge: openai/gpt-5-mini`", False),
    (LEAST + "judge: {temperature: 0}\n", 3, "settings with `model`", True),
    (LEAST + "judge:\n  model: m\n  api_key: k\n", 3, "holds no api_key", True),
    (LEAST + "judge: {model: m, samples: 0}\n", 3, "`samples` must be", True),
    (LEAST + "gate:\n  - pass_rate_should_be_at_least: 95\n", 4, "write 0.95", True),
    (LEAST + "gate: {pass_rate_should_be_at_least: {rate: 0.9, confidence: 95}}\n", 3, "write 0.95", True),
    (LEAST + "gate: {cases_should_pass: {at_last: 2}}\n", 3, "it takes at_least (optional), tagged", True),
    (LEAST + "stop_early: {alpha: 2}\n", 3, "`alpha` must be above 0 and below 1, got 2", True),
    (LEAST + "stop_early: often\n", 3, "`stop_early` is true, false, or", True),
    (LEAST + "gate: all_cases_shuold_pass\n", 3, "did you mean all_cases_should_pass", True),
    (LEAST + "gate:\n  mean_score_should_be_at_least: 0.5\n", 3, "it takes score, of", True),
    (LEAST + "repeat: 0\n", 3, "`repeat` must be a whole number", True),
    (LEAST + "timeout: no\n", 3, "`timeout` must be a finite number", True),
    (LEAST + "name: 'a/b'\n", 3, "is also the name of a directory", False),
    ("cases:\n  file: nothing.csv\n", 1, "there is no such file", False),
    ("cases:\n  asked: q\n", 1, "`cases` needs the `file` of its rows", True),
]


def refused(folder, text):
    file = folder / "suite.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises((InvalidPlan, FileUnreadable)) as caught:
        load_suite(file)
    return file, str(caught.value)


@pytest.mark.parametrize(("text", "line", "said", "by_schema"), BROKEN)
def test_a_broken_suite_is_one_line_with_file_and_line(tmp_path, text, line, said, by_schema):
    file, message = refused(tmp_path, text)
    assert len(message.splitlines()) == 1, message
    assert message.startswith(f"{file}:{line}: ")
    assert said in message
    if by_schema is not None:
        valid = Draft202012Validator(suite_schema()).is_valid(load_plain_yaml(text))
        assert valid is not by_schema


def test_every_problem_is_told_at_once(tmp_path):
    _, message = refused(tmp_path, "cases:\n  - {id: a}\n  - {command: b}\ngate: nothing\nrepeat: 0\n")
    told = [line.rpartition("suite.yaml:")[2].partition(":")[0] for line in message.splitlines()]
    assert sorted(told) == ["2", "3", "4", "5"]


def test_the_schema_is_one_and_takes_every_example():
    schema = suite_schema()
    Draft202012Validator.check_schema(schema)
    assert EXAMPLES
    for file in EXAMPLES:
        Draft202012Validator(schema).validate(load_plain_yaml(file.read_text(encoding="utf-8")))


def test_the_schema_knows_every_name():
    text = json.dumps(suite_schema())
    for name in (*checks(), *criteria(), *rules()):
        assert f'"{name}"' in text


def test_text_stays_as_typed(tmp_path):  # IN01
    file = tmp_path / "s.yaml"
    file.write_text(
        "cases:\n  - id: no\n    command: on\n    reply: the answer is no\n    metadata: {d: 2026-01-01}\n"
        "    evaluators:\n      - reply_should_contain: no\n      - reply_should_contain: [yes, off]\n",
        encoding="utf-8",
    )
    plan = load_suite(file).without_report_file()
    report = plan.run()
    (attempt,) = report.results
    assert attempt.case_id == "no"
    assert attempt.interaction.command_text == "on"
    assert [result.outcome.value for result in attempt.results] == ["pass", "fail"]
    assert "[yes, off]" in attempt.results[1].detail


def test_a_byte_order_mark_is_no_part_of_a_key(tmp_path):  # IN03
    file = tmp_path / "s.yaml"
    file.write_bytes(b"\xef\xbb\xbfcases:\n  - {id: a, command: x, reply: y}\n")
    assert load_suite(file).without_report_file().run().passed


def test_a_judge_and_its_criteria_stand_in_the_suite(tmp_path, fake_provider):
    from judgekit.testing import verdict

    provider = fake_provider(verdict(0.8, "kind"))
    (tmp_path / "rows.csv").write_text("question,answer\nhi,Hello!\nbye,See you!\n", encoding="utf-8")
    file = tmp_path / "s.yaml"
    file.write_text(
        f"""
judge:
  model: openai/m
  api_base: {provider.url}
  samples: 2
cases: {{file: rows.csv, asked: question, reply: answer}}
evaluators:
  - should_satisfy: The reply is polite
  - should_score_at_least: {{criterion: It is warm, threshold: 0.9, name: warm}}
  - should_satisfy_all: {{short: It is short, plain: It is plain}}
  - should_satisfy: {{criterion: true, name: scaled}}
gate: {{mean_score_should_be_at_least: {{score: 0.5, of: warm}}}}
""",
        encoding="utf-8",
    )
    with pytest.raises(InvalidPlan, match=r"s\.yaml:11: .*`criterion`"):
        load_suite(file)
    file.write_text(
        file.read_text().replace("criterion: true, name: scaled", "criterion: Yes or no, scale: binary"),
        encoding="utf-8",
    )
    outline = load_suite(file).outline()
    # Two rows, two samples each, of three criteria and one rubric.
    assert dict(outline.questions) == {"openai/m": 16}
    Draft202012Validator(suite_schema()).validate(load_plain_yaml(file.read_text()))


def test_the_suite_of_the_page_is_one(tmp_path, monkeypatch):
    page = (REPOSITORY / "docs" / "yaml-suites.md").read_text(encoding="utf-8")
    file = tmp_path / "suite.yaml"
    file.write_text(page.partition("```yaml\n")[2].partition("```")[0], encoding="utf-8")
    (tmp_path / "desk.py").write_text("def answer(command):\n    return command\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert load_suite(file).outline().cases == 2
    Draft202012Validator(suite_schema()).validate(load_plain_yaml(file.read_text(encoding="utf-8")))


STOPPED = """
stop_early: {alpha: 0.01, seed: 7}
gate:
  - pass_rate_should_be_at_least: {rate: 0.5, confidence: 0.9}
  - cases_should_pass: {at_least: 1, tagged: must_pass}
  - pass_hat_k_should_be_at_least: {rate: 0.1, k: 1}
cases:
  - {id: a, command: hello, reply: hello, tags: [must_pass], evaluators: [reply_should_contain: hello]}
  - {id: b, command: hello, reply: bye, evaluators: [reply_should_contain: hello]}
"""


def test_gates_with_a_confidence_tags_and_an_early_stop_stand_in_a_suite(tmp_path):
    file = tmp_path / "suite.yaml"
    file.write_text(STOPPED, encoding="utf-8")
    Draft202012Validator(suite_schema()).validate(load_plain_yaml(STOPPED))
    report = load_suite(file).without_report_file().run()
    assert report.gate == (
        Gate.pass_rate_should_be_at_least(0.5, confidence=0.9)
        & Gate.cases_should_pass(at_least=1, tagged="must_pass")
        & Gate.pass_hat_k_should_be_at_least(0.1, k=1)
    )
    assert (report.counts.early.alpha, report.counts.early.seed) == (0.01, 7)
    assert "at 91 %" in report.decision.detail
