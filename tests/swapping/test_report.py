"""SwapReport: its doors, and what stands in each format."""

import json

import pytest

from judgekit import Gate, GateFailed, InvalidArgument


@pytest.fixture
def report(swap):
    return swap.run()


def test_a_report_has_no_truth_value(report):
    with pytest.raises(TypeError, match=r"write `report.passed`"):
        bool(report)
    assert not report.passed


def test_a_gate_that_did_not_pass_raises_with_the_tables(report):
    with pytest.raises(GateFailed) as found:
        report.raise_for_gate()
    assert str(found.value) == str(report) == report.render()


def test_a_gate_that_passed_raises_nothing(swap):
    report = swap.gate(Gate.target_should_not_fail()).run()
    report.raise_for_gate()
    assert repr(report) == "<SwapReport 'swap': gate PASS, 2 agents, 2 judges>"


def test_unknown_formats_and_suffixes_are_refused(report, tmp_path):
    with pytest.raises(InvalidArgument, match="`format` must be one of"):
        report.render("pdf")
    with pytest.raises(InvalidArgument, match="by its suffix"):
        report.write(tmp_path / "swap.pdf")
    with pytest.raises(InvalidArgument, match="choices of the text report"):
        report.render("json", most=3)
    with pytest.raises(InvalidArgument, match="choices of the text report"):
        report.render("html", width=60)


@pytest.mark.parametrize(
    ("suffix", "format"), [("json", "json"), ("md", "markdown"), ("htm", "html"), ("csv", "csv")]
)
def test_a_file_is_what_is_rendered(report, tmp_path, suffix, format):
    path = report.write(tmp_path / "deep" / f"swap.{suffix}")
    assert path.read_bytes().decode("utf-8") == report.render(format)
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_text_file_ends_with_a_line_feed(report, tmp_path):
    assert report.write(tmp_path / "swap.txt").read_text(encoding="utf-8") == report.render() + "\n"


def test_the_text_lists_so_many_flips_and_attempts_as_it_is_asked_to(swap):
    report = swap.repeat(4).run()
    flips = "short at case-"
    assert report.render().count(flips) == 10
    assert "and 6 more" in report.render()
    assert report.render(most=0).count(flips) == 0
    assert report.render(all=True).count(flips) == 16
    assert report.render(all=True).count("\ncase ") == 32
    assert report.render(all=True, most=3).count("\ncase ") == 3


def test_the_markdown_is_bounded_and_says_what_it_leaves_out(swap, make):
    wide = swap.cases(make["cases"](60)[4:]).criteria(
        lambda judge: [judge.should_satisfy(f"criterion {n}", name=f"c{n}") for n in range(60)]
    )
    text = wide.without_report_file().run().render("markdown")
    assert "more rows in the JSON of this report." in text
    assert "40 more flips in the JSON of this report." in text


def test_the_json_has_every_figure_with_its_method_and_its_n(report):
    document = json.loads(report.render("json"))
    assert (document["format"], document["format_version"]) == ("judgekit-swap", 1)
    assert document["criteria"][0] == {"name": "tone [strict]", "criterion": "tone", "judge": "strict"}
    for one in (*document["cells"], *document["agreements"], *document["comparisons"]):
        for name in ("rate", "equal", "kappa", "ac1", "passes"):
            if name in one:
                assert {"method", "level", "n_items", "n_runs", "n_clusters", "n_missing", "reason"} <= set(
                    one[name]
                )
    [agreement] = document["agreements"]
    assert agreement["table"] == {"both_pass": 4, "first_only": 0, "second_only": 4, "both_fail": 0}
    assert agreement["flips"][0] == {
        "agent": "short",
        "case": "case-0",
        "run": 1,
        "passed_by": "kind",
        "first_score": pytest.approx(0.35),
        "second_score": 0.9,
    }


def test_a_narrow_text_has_its_tables_row_by_row(report):
    wide, narrow = report.render(), report.render(width=60)
    assert max(map(len, wide.splitlines())) > 60
    assert max(map(len, narrow.splitlines())) <= 60
    assert report.render(width=1000) == wide
    rows = " ".join(narrow.split())
    for cell in report.cells:
        of = [cell.measure.name, cell.measure.judge, cell.agent]
        shown = f"{', '.join(filter(None, of))} passed {cell.rate.passed}/"
        assert shown in rows


def test_a_width_that_nothing_fits_into_is_no_error(report):
    assert report.render(width=1).split() == report.render(width=20).split()
