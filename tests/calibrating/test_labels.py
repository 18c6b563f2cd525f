"""Labels in every form that people keep them, and every row that is none."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.calibrating import labels_from, load_labels
from judgekit.errors import FileUnreadable, InvalidArgument
from judgekit.judging import Levels

WARMTH = Levels({"cold": "curt", "plain": "matter of fact", "warm": "kind"})


def values(*labels, **more):
    return [row.labels.get("label") for row in labels_from([{"label": one} for one in labels], **more).rows]


@pytest.mark.parametrize(
    ("given_labels", "read"),
    [
        (["pass", "Fail", "YES", " no "], [True, False, True, False]),
        ([True, False], [True, False]),
        ([1, 0, None], [True, False, None]),
        (["1", "0", ""], [True, False, None]),
        ([0.25, 1], [0.25, 1.0]),
        (["0.25", "1"], [0.25, 1.0]),
    ],
)
def test_a_label_is_pass_or_fail_or_a_score(given_labels, read):
    assert values(*given_labels) == read


def test_names_of_levels_are_what_the_levels_are_worth():
    assert values("cold", "warm", "plain", scale=WARMTH) == [0.0, 1.0, 0.5]
    with pytest.raises(FileUnreadable, match=r"'hot' is no label; .* one of the levels cold, plain, warm"):
        values("cold", "hot", scale=WARMTH)


def test_labels_on_a_scale_of_their_own_need_a_bar():
    with pytest.raises(FileUnreadable, match=r"row 1: 4 is no score from 0 to 1; .* --passes-at"):
        values(4, 1)
    labels = labels_from([{"label": 4}, {"label": 1}], passes_at=3)
    assert ([row.labels["label"] for row in labels.rows], labels.passes_at) == ([4.0, 1.0], 3)


def test_every_bad_row_is_named_at_once_with_its_line(tmp_path):
    file = tmp_path / "labels.jsonl"
    lines = ['{"reply": "a", "asked": "q", "label": "pass"}', "no json", '{"asked": "q", "label": "maybe"}']
    file.write_text("\n".join([*lines, '{"asked": "q", "label": "pass"}']) + "\n", encoding="utf-8")
    with pytest.raises(FileUnreadable) as raised:
        load_labels(file)
    first, *problems = str(raised.value).splitlines()
    assert first == "labels.jsonl cannot be read as labelled replies:"
    assert [line.split(":")[0].strip() for line in problems] == ["line 2", "line 3", "line 4"]


def test_a_missing_column_is_named_with_those_there_are():
    with pytest.raises(FileUnreadable, match=r"row 1: no 'humans'; it has \['label', 'reply'\]"):
        labels_from([{"label": "pass", "reply": "a"}], label="humans")


@pytest.mark.parametrize(
    "text", ["label\npass\nfail\n", "label\tx\npass\t1\nfail\t2\n", "- label: pass\n- label: fail\n"]
)
def test_labels_are_read_from_tables_and_yaml(tmp_path, text):
    suffix = ".yaml" if text.startswith("-") else ".tsv" if "\t" in text else ".csv"
    file = tmp_path / f"labels{suffix}"
    file.write_text(text, encoding="utf-8")
    assert [row.labels for row in load_labels(file).rows] == [{"label": True}, {"label": False}]


def test_raters_stand_in_columns_in_a_cell_or_in_rows_of_their_own():
    columns = labels_from([{"ann": "pass", "bob": "fail"}], label=["ann", "bob"])
    cell = labels_from([{"label": {"ann": "pass", "bob": "fail"}}])
    rows = labels_from(
        [{"id": "x", "label": "pass", "rater": "ann"}, {"id": "x", "label": "fail", "rater": "bob"}]
    )
    for labels in (columns, cell, rows):
        assert [row.labels for row in labels.rows] == [{"ann": True, "bob": False}]
        assert labels.raters == ("ann", "bob")
    assert labels_from([{"label": [1, 0, 1]}]).raters == ("label 1", "label 2", "label 3")


def test_two_labels_of_one_rater_for_one_reply_are_refused():
    with pytest.raises(FileUnreadable, match=r"row 2: id 'x' was in row 1 already, with a label by 'label'"):
        labels_from([{"id": "x", "label": "pass"}, {"id": "x", "label": "fail"}])
    with pytest.raises(FileUnreadable, match="with another reply; a column `run`"):
        labels_from([{"id": "x", "label": 1, "asked": "q", "reply": r, "rater": r} for r in "ab"])


def test_runs_of_a_case_are_replies_of_their_own():
    found = labels_from([{"id": "x", "run": n, "label": n - 1} for n in (1, 2)])
    assert [(row.id, row.run, row.labels) for row in found.rows] == [
        ("x", 1, {"label": False}),
        ("x", 2, {"label": True}),
    ]


@pytest.mark.parametrize("cell", ["9" * 5000, "0", -1, 1.5, None, "run 2", True, [1]])
def test_a_run_that_is_no_number_of_a_run_is_a_column_of_the_users_own(cell):
    assert [row.run for row in labels_from([{"label": 1, "run": cell}]).rows] == [1]


def test_codings_that_do_not_match_are_refused():
    """Published kappas compared labels of 1 and 2 with verdicts of 0 and 1."""
    with pytest.raises(InvalidArgument, match=r"a coding: 1, 2 against 0, 1; .* --passes-at"):
        labels_from([{"label": 1, "v": 0}, {"label": 2, "v": 1}], verdict="v")
    with pytest.raises(InvalidArgument, match="mix numbers and true or false"):
        labels_from([{"label": "pass"}, {"label": 0.4}])
    with pytest.raises(InvalidArgument, match="mix numbers and true or false"):
        labels_from([{"a": "pass", "b": 0}, {"a": "fail", "b": 1}], label=["a", "b"])


def test_verdicts_in_a_column_may_be_scores_beside_pass_and_fail():
    labels = labels_from([{"label": "pass", "v": 0.8}, {"label": "fail", "v": None}], verdict="v")
    assert labels.has_verdicts
    assert [row.verdict for row in labels.rows] == [0.8, None]


@pytest.mark.parametrize(
    "options",
    [{"label": ""}, {"label": ["a", "a"]}, {"rater": ""}, {"passes_at": float("nan")}, {"group": 3}],
)
def test_options_that_cannot_work_are_refused(options):
    with pytest.raises(InvalidArgument):
        labels_from([{"label": "pass"}], **options)


def test_no_rows_are_refused(tmp_path):
    with pytest.raises(InvalidArgument, match="no rows"):
        labels_from([])
    empty = tmp_path / "labels.jsonl"
    empty.write_text("\n", encoding="utf-8")
    with pytest.raises(FileUnreadable, match=r"labels\.jsonl holds no rows"):
        load_labels(empty)


@given(
    st.lists(st.one_of(st.none(), st.booleans(), st.floats(), st.integers(), st.text(max_size=5)), min_size=1)
)
def test_any_column_is_read_or_refused(cells):
    rows = [json.loads(json.dumps({"label": None if cell != cell else cell})) for cell in cells]
    try:
        labels = labels_from(rows)
    except (FileUnreadable, InvalidArgument):
        return
    kinds = {type(value) for row in labels.rows for value in row.labels.values()}
    assert kinds <= {bool} or kinds <= {float}
