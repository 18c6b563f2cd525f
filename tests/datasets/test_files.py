"""Files of rows keep what their format can say: nulls, dates, decimals, large numbers, hostile cells."""

import csv
import json
import math
from datetime import date, datetime
from decimal import Decimal

import duckdb
import pytest

from judgekit import ExperimentRunner, FileUnreadable, ToolCall
from judgekit.datasets import cases_from, load_interactions
from judgekit.datasets.files import rows_of
from judgekit.jsonable import json_line, jsonable, parse_json


def parquet(path, select):
    """Write what a SELECT finds to a Parquet file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    target = str(path).replace("'", "''")
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({select}) TO '{target}' (FORMAT parquet)")
    return path


def values_of(path):
    (row,) = rows_of(path)
    return row.values


def test_parquet_keeps_types_and_all_of_them_become_json(tmp_path):
    file = parquet(
        tmp_path / "types.parquet",
        """SELECT DATE '2024-02-28' AS day, TIMESTAMP '2024-02-28 12:30:01.5' AS moment,
        12345678901234567890.12345::DECIMAL(38, 5) AS exact, 18446744073709551615::UBIGINT AS large,
        9007199254740993 AS odd, 'NaN'::DOUBLE AS nan, '-inf'::FLOAT AS inf, '\\xAA'::BLOB AS raw,
        MAP {'k': 1} AS map, UUID 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11' AS uuid,
        {'a': 1, 'b': [1.5, NULL], 'c': {'d': true}} AS nested, NULL::INTEGER AS missing, true AS yes""",
    )
    found = values_of(file)
    assert found["day"] == date(2024, 2, 28)
    assert found["exact"] == Decimal("12345678901234567890.12345")
    assert (found["large"], found["odd"]) == (2**64 - 1, 2**53 + 1)
    assert (found["missing"], found["yes"]) == (None, True)
    assert math.isnan(found["nan"])
    plain = parse_json(json_line(jsonable(found)))
    assert plain == {
        "day": "2024-02-28",
        "moment": "2024-02-28T12:30:01.500000",
        "exact": "12345678901234567890.12345",
        "large": 2**64 - 1,
        "odd": 2**53 + 1,
        "nan": "nan",
        "inf": "-inf",
        "raw": "\\xaa",
        "map": {"k": 1},
        "uuid": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
        "nested": {"a": 1, "b": ["1.5", None], "c": {"d": True}},
        "missing": None,
        "yes": True,
    }


def test_a_moment_with_a_zone_reads_the_same_on_every_machine(tmp_path, monkeypatch):
    file = parquet(tmp_path / "zone.parquet", "SELECT TIMESTAMPTZ '2024-02-28 12:30:00+02' AS moment")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert values_of(file)["moment"].isoformat() == "2024-02-28T10:30:00+00:00"


def test_ids_and_replies_that_are_no_text_are_written_without_quotation_marks(tmp_path):
    file = parquet(
        tmp_path / "ids.parquet",
        """SELECT UUID 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11' AS id, 'When?' AS asked,
        TIMESTAMP '2024-02-28 12:30:00' AS reply, 1.50::DECIMAL(4, 2) AS expected""",
    )
    (case,) = load_interactions(file)
    assert case.id == "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
    assert case.interactions[0].reply == "2024-02-28T12:30:00"
    assert case.metadata == {"expected": Decimal("1.50")}


def test_a_number_that_is_none_is_a_missing_value_as_in_data_frames(tmp_path):
    rows = [
        {"id": "a", "asked": "hi", "reply": math.nan, "expected": math.nan, "stars": math.nan},
        {"id": math.nan, "asked": "hi", "reply": "hello", "expected": 1.5, "stars": 2.0},
    ]
    first, second = cases_from(rows)
    assert first.interactions[0].reply is None
    assert list(first.metadata) == ["stars"]
    assert (second.id, second.metadata["expected"]) == ("row-2", 1.5)
    with pytest.raises(FileUnreadable, match="row 1: nothing was asked"):
        cases_from([{"asked": math.nan}])


def test_conversations_of_parquet_have_every_key_in_every_message(tmp_path):
    """Columns are typed, so that a message without calls holds nulls in their place."""
    messages = [
        {"role": "user", "content": "Where is o_42?"},
        {
            "role": "assistant",
            "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "getOrder", "arguments": '{"id": 42}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "c", "content": "late"},
        {"role": "assistant", "content": "It is late."},
    ]
    source = tmp_path / "rows.json"
    source.write_text(json.dumps([{"id": "late", "messages": messages}]), encoding="utf-8")
    file = parquet(tmp_path / "talk.parquet", f"SELECT * FROM read_json('{source}')")
    assert values_of(file)["messages"][0]["tool_calls"] is None
    (case,) = load_interactions(file)
    assert case.command == "Where is o_42?"
    assert case.interactions[0].tool_calls == (ToolCall("getOrder", {"id": 42}, "late", id="c"),)
    assert case.interactions[0].reply == "It is late."


@pytest.mark.parametrize("name", ["rows[1].parquet", "a*.parquet", "what?.parquet", "it's.PARQUET"])
def test_the_name_of_a_file_is_no_pattern(tmp_path, name):
    parquet(tmp_path / "rows1.parquet", "SELECT 'another' AS asked")
    parquet(tmp_path / "ab.parquet", "SELECT 'another' AS asked")
    assert values_of(parquet(tmp_path / name, "SELECT 'this' AS asked")) == {"asked": "this"}


def test_the_name_of_a_folder_is_no_column(tmp_path):
    file = parquet(tmp_path / "day=1" / "rows.parquet", "SELECT 'hi' AS asked, 'x' AS reply")
    assert values_of(file) == {"asked": "hi", "reply": "x"}


def test_a_folder_without_a_run_is_said_to_be_one(tmp_path):
    with pytest.raises(FileUnreadable, match="is a folder and holds no run; name a file of rows in it"):
        load_interactions(tmp_path)


def test_many_rows_of_parquet_are_numbered_through(tmp_path):
    file = parquet(
        tmp_path / "many.parquet",
        "SELECT CASE WHEN range IN (1500, 2400) THEN NULL ELSE 'q' || range END AS asked, 'r' AS reply "
        "FROM range(2500)",
    )
    with pytest.raises(FileUnreadable) as raised:
        load_interactions(file)
    assert str(raised.value).splitlines()[1:] == [
        "  row 1501: nothing was asked; name the column that holds it with `asked=`",
        "  row 2401: nothing was asked; name the column that holds it with `asked=`",
    ]


@pytest.mark.parametrize("torn", [b"", b"PAR1", b"PAR1" + b"\0" * 64 + b"PAR1", b"\x1f\x8b"])
def test_what_is_no_parquet_file_is_said_so(tmp_path, torn):
    file = tmp_path / "torn.parquet"
    file.write_bytes(torn)
    with pytest.raises(FileUnreadable, match="it is no Parquet file"):
        load_interactions(file)


FORMATS = ["jsonl", "json", "csv", "tsv", "yaml", "parquet"]


def written(folder, suffix, rows):
    """The rows of text in a file of this format."""
    file = folder / f"rows.{suffix}"
    if suffix == "jsonl":
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    else:
        text = json.dumps(rows)
    if suffix in ("csv", "tsv"):
        with file.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, rows[0], delimiter="\t" if suffix == "tsv" else ",")
            writer.writeheader()
            writer.writerows(rows)
    elif suffix == "parquet":
        with duckdb.connect() as connection:
            connection.execute("CREATE TABLE rows (id VARCHAR, asked VARCHAR, reply VARCHAR)")
            connection.executemany("INSERT INTO rows VALUES (?, ?, ?)", [list(row.values()) for row in rows])
            connection.execute(f"COPY rows TO '{file}' (FORMAT parquet)")
    else:
        file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("suffix", FORMATS)
def test_hostile_cells_come_through_every_format_as_they_are(tmp_path, hostile_texts, suffix):
    cells = [text for text in hostile_texts if not any("\ud800" <= sign <= "\udfff" for sign in text)]
    assert len(cells) > 30
    rows = [{"id": f"c{n}", "asked": "hi", "reply": text} for n, text in enumerate(cells)]
    if suffix == "yaml":
        # JSON's escapes of a character beyond the first plane are two that YAML reads apart.
        rows = [row for row in rows if all(ord(sign) < 0x10000 for sign in row["reply"])]
    cases = load_interactions(written(tmp_path, suffix, rows))
    assert [case.interactions[0].reply for case in cases] == [row["reply"] for row in rows]
    report = ExperimentRunner("rows").cases(cases).without_report_file().run()
    assert len(report.results) == len(rows)


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        ("jsonl", '{"id": 123456789012345678901234567890, "asked": "n", "reply": null, "extra": 1e400}'),
        (
            "json",
            '[{"id": 123456789012345678901234567890, "asked": "n", "reply": null, "extra": [1.0, null]}]',
        ),
        ("yaml", "- id: 123456789012345678901234567890\n  asked: n\n  reply:\n  extra: 2024-02-28\n"),
    ],
)
def test_large_whole_numbers_and_nulls_are_kept(tmp_path, suffix, text):
    file = tmp_path / f"rows.{suffix}"
    file.write_text(text, encoding="utf-8")
    (case,) = load_interactions(file)
    assert case.id == "123456789012345678901234567890"
    assert case.command == "n"
    assert case.interactions[0].reply is None
    json_line(jsonable(case.metadata))


def test_dates_of_yaml_stay_as_typed_and_dates_of_parquet_are_dates(tmp_path):
    file = tmp_path / "rows.yaml"
    file.write_text("- asked: when\n  reply: 2024-02-28\n", encoding="utf-8")
    assert load_interactions(file)[0].interactions[0].reply == "2024-02-28"
    file = parquet(tmp_path / "rows.parquet", "SELECT 'when' AS asked, DATE '2024-02-28' AS reply")
    assert load_interactions(file)[0].interactions[0].reply == "2024-02-28"
    assert isinstance(values_of(file)["reply"], date)
    assert not isinstance(values_of(file)["reply"], datetime)
